"""Find collisions of a few objects in one configuration at a time, as motion planners need.

The objects and the addresses of their arrays stay the same from call to call, so they are stored in a record once. One
kernel computes the poses and the pairs whose boxes overlap. The pairs that ``keep`` accepts are decided by the kernels
of ``object_pairs.py``. If the kernels cannot decide at once, the fast path ends and the general path starts again from
the beginning.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numba import carray

from ...geometry.lanes import doubles, longs, octets, shifted
from ...jit import kernel
from ...types.copying import NotCopied
from ...types.pose import plainly_rigid
from .addresses import Addresses
from .kernels import FIRST, SECOND
from .object_pairs import FewObjects, put_pairs_of_boxes

(
    SLOTS, MOVERS, GIVEN, BOUNDS, TREES, POINTS, STARTS, IN_A, IN_B, IDS, ROWS, BOXES, JOBS, PAIRS, ARRAYS,
) = range(15)  # fmt: skip
OBJECT_COUNT, MOVER_COUNT, TREE_COUNT, POINT_COUNT, PAIR_COUNT, RECORD_LENGTH = range(ARRAYS, ARRAYS + 6)
"""Entries of the record after the addresses of the arrays: the lengths of the arrays."""
_USES = 256
_NUMBER = np.dtype(np.float64)
Keep = Callable[[np.ndarray], np.ndarray]
"""Function that selects pairs (k, 2) of ids for a query, (k,) bool."""
Colliding = tuple[np.ndarray, np.ndarray, tuple[int, int, int]]
"""Ids of the pairs, (k, 2) int64; triangles of each that meet, as in ``CollidingPairs``; counts of tests."""
_NOTHING: Colliding = np.empty((0, 2), np.int64), np.empty((0, 2), np.int32), (0, 0, 0)


class Chosen(Protocol):
    """The objects of a collision query."""

    slots: np.ndarray
    """Rows of the poses of all objects in a table, (n,) int64."""
    ids: np.ndarray
    """Ids of all objects, (n,) int64, ascending."""
    in_a: np.ndarray
    """Whether an object belongs to the first set, (n,) bool."""
    in_b: np.ndarray
    places: np.ndarray | None
    """Indices of the movers among all objects, (k,) int64."""


class OneConfiguration(NotCopied):
    """Some objects of a scene; the movers among them get new poses in each query.

    Attributes:
        uses: remaining queries before this record is created again, to use improved trees.
    """

    def __init__(self, packed_trees: object, few: FewObjects, choice: Chosen) -> None:
        bounds, trees, points, starts = few.objects
        count, places = len(trees), choice.places
        assert places is not None
        pairs = count * (count - 1) // 2
        self.uses, self._of, self._few, self._ids = _USES, (packed_trees, choice), few, choice.ids
        self._given, self._rows = np.empty((len(places), 4, 4)), np.empty((1, count, 3, 4))
        self._jobs, self._pairs = np.empty((pairs, 4), np.int64), np.empty((pairs, 2), np.int64)
        arrays = (
            choice.slots, places, self._given, np.ascontiguousarray(bounds), trees, points, starts, choice.in_a,
            choice.in_b, choice.ids, self._rows, np.empty((1, count, 6)), self._jobs, self._pairs,
        )  # fmt: skip
        lengths = count, len(places), len(starts) - 1, len(points), pairs
        self._record = Addresses(arrays, lengths, RECORD_LENGTH)

    def is_of(self, packed_trees: object, choice: Chosen) -> bool:
        """Return whether this record belongs to the chosen objects in their current state."""
        return self._of[0] is packed_trees and self._of[1] is choice

    def fits(self, poses: Any) -> bool:
        """Return whether poses are an array with a matrix (4, 4) for each mover; only its numbers may be wrong."""
        return type(poses) is np.ndarray and poses.shape == self._given.shape and poses.dtype == _NUMBER

    def find(self, table: np.ndarray, poses: np.ndarray, keep: Keep | None) -> Colliding | None:
        """Return the colliding pairs; None if poses must be checked, or for pairs that take too long.

        Args:
            table: poses of all slots, (m, 3, 4).
            poses: poses of the movers, for which ``fits`` is true.
            keep: filter of pairs of ids, checked.
        """
        self.uses -= 1
        self._given[...] = poses
        found = _place_and_pair(self._record.address, table)
        if found < 0:
            return None
        jobs = self._jobs[:found]
        if keep is not None and found > 0:
            jobs = jobs[keep(self._pairs[:found].copy())]
        if not len(jobs):
            return _NOTHING
        answer = self._few.decide(self._rows, jobs)
        if answer.some_left:
            return None
        met = answer.collide.view(np.bool_)
        return self._ids[jobs[met, FIRST : SECOND + 1]], answer.triangles[met], answer.counts


@kernel
def _place_and_pair(record, table):
    """Give the movers their poses, and find the pairs whose boxes overlap; -1 if a pose is not plainly rigid.

    The argument is the address of the record. Fills ``ROWS``, ``BOXES``, ``JOBS`` as ``put_pairs_of_boxes`` does, and
    ``PAIRS`` with the ids of the jobs.
    """
    given = longs(record)
    objects, movers, trees, pairs = given[OBJECT_COUNT], given[MOVER_COUNT], given[TREE_COUNT], given[PAIR_COUNT]
    rows, poses = carray(doubles(given[ROWS]), (1, objects, 3, 4)), doubles(given[GIVEN])
    slots, places, ids = longs(given[SLOTS]), longs(given[MOVERS]), longs(given[IDS])
    for i in range(objects):
        rows[0, i] = table[slots[i]]
    for i in range(movers):
        if not plainly_rigid(shifted(poses, 16 * i)):
            return -1
        for k in range(3):
            for m in range(4):
                rows[0, places[i], k, m] = poses[16 * i + 4 * k + m]
    jobs = carray(longs(given[JOBS]), (pairs, 4))
    found = put_pairs_of_boxes(
        carray(doubles(given[BOUNDS]), (objects, 2, 3)), carray(longs(given[TREES]), objects),
        carray(doubles(given[POINTS]), (given[POINT_COUNT], 3)), carray(longs(given[STARTS]), trees + 1), rows,
        carray(octets(given[IN_A]), objects), carray(octets(given[IN_B]), objects),
        carray(doubles(given[BOXES]), (1, objects, 6)), jobs,
    )  # fmt: skip
    of_jobs = longs(given[PAIRS])
    for k in range(found):
        of_jobs[2 * k], of_jobs[2 * k + 1] = ids[jobs[k, FIRST]], ids[jobs[k, SECOND]]
    return found
