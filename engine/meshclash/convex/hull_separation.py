"""The shortest translations that separate the convex hulls of two point sets, in one pose or many.

``expanding_polytope.py`` does the work. This module keeps buffers for the kernel, and enlarges them if a polytope needs
more.
"""

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np

from ..jit import is_compiled, parallel_region
from ..traversal import wide_engine
from ..traversal.nearest_triangles import parts_of
from ..types.pose import put_single_pose
from ..types.steps import run
from .expanding_polytope import (
    COLUMNS,
    DIRECTION,
    KNOWN,
    LENGTH,
    LOWER,
    POINTS,
    REACH,
    REFUSED,
    SEARCHES,
    new_room,
    part_convex,
    part_convex_together,
)

_FEW = 64
_PART = 256
"""Poses in a row for one worker."""
_PARTS_OF_WORKER = 4
"""Parts of each worker in one call of the kernel: some milliseconds."""
_HERE = np.eye(4)[None, :3].copy()
_spare: list["_Space"] = []
"""Buffers that are not in use. List append and pop are atomic."""


class Separation(NamedTuple):
    """The shortest translation of the second hull that separates it from the first hull."""

    length: float
    """Length [m], an upper bound that is reached: the hulls touch after this translation; negative if the hulls are
    apart."""
    direction: np.ndarray
    """Unit vector, (3,)."""
    lower: float
    """No shorter translation [m] separates the hulls; ``length`` within rounding, unless the search gave up."""
    pairs: np.ndarray
    """Points of a and of b whose differences are the polytope's corners, (k, 2) int64; to start a later search."""
    searches: int
    """How many times all points were searched."""


class Partings(NamedTuple):
    """Separations of two convex solids in a stack of k poses."""

    told: np.ndarray
    """(k,) int64: APART, OVERLAPPING, or OPEN if rounding leaves it undecided."""
    lengths: np.ndarray
    """Lengths (k,) [m] of translations that separate the solids; proved if the result is OVERLAPPING."""
    directions: np.ndarray
    """Unit vectors (k, 3)."""
    lower: np.ndarray
    """Lower bounds (k,) [m]: no shorter translation separates both."""
    points: np.ndarray
    """Points of a and of b, (k, 2, 3) [m], that touch when the solids separate."""
    pairs: np.ndarray
    """Points that decided the last pose, (c, 2) int64."""


class _Space:
    """Work arrays for searches in many poses, and for one pose each."""

    def __init__(self, points: int) -> None:
        self.room = new_room(points)
        self.pose_a, self.pose_b = np.zeros((1, 4, 4)), np.zeros((1, 4, 4))
        self.numbers, self.told = np.empty((1, COLUMNS)), np.empty(1, np.int64)

    def begin(self, points: int, known: np.ndarray | None) -> None:
        """Prepare the work arrays for two solids of given sizes, with the known pairs of an earlier result."""
        if len(self.room.a) < points:
            self.room = new_room(points, len(self.room.corners))
        self.room.counts[KNOWN] = 0
        if known is not None and len(known):
            self._grow(len(known))
            self.room.known[: len(known)] = known
            self.room.counts[KNOWN] = len(known)

    def _grow(self, corners: int) -> None:
        old = self.room
        if len(old.corners) < corners:
            self.room = new_room(len(old.a), max(corners, 2 * len(old.corners)))
            self.room.known[: len(old.known)] = old.known
            self.room.counts[:] = old.counts

    def run(
        self, a: np.ndarray, rows_a: np.ndarray, b: np.ndarray, rows_b: np.ndarray, numbers: np.ndarray,
        told: np.ndarray, look: bool,
    ) -> None:  # fmt: skip
        """Compute all poses, with larger buffers if a polytope needs them."""
        self.run_part((a, rows_a, b, rows_b), 0, len(rows_a), numbers, told, look)

    def run_part(
        self, asked: tuple[np.ndarray, ...], begin: int, end: int, numbers: np.ndarray, told: np.ndarray,
        look: bool = False,
    ) -> None:  # fmt: skip
        """Compute poses from ``begin`` to ``end``."""
        done = part_convex(*asked, look, begin, end, self.room, numbers, told)
        while done < end:
            self._grow(len(self.room.corners) + 1)
            done = part_convex(*asked, look, done, end, self.room, numbers, told)

    @property
    def known(self) -> np.ndarray:
        """Pairs of points that determine the result."""
        return self.room.known[: self.room.counts.item(KNOWN)].copy()


def _take(points: int, known: np.ndarray | None) -> _Space:
    try:
        space = _spare.pop()
    except IndexError:
        space = _Space(max(points, _FEW))
    space.begin(points, known)
    return space


def hull_separation(a: np.ndarray, b: np.ndarray, known: np.ndarray | None = None) -> Separation:
    """Return the shortest translation of b that separates the hulls of two point sets.

    Args:
        a, b: (n, 3) and (m, 3) float64 [m]. If all points together lie in one plane, a translation out of this plane
            separates them.
        known: pairs of points (k, 2) from the result of a similar query: their differences are tested before all points
            are searched. The result is the same, up to rounding.
    """
    a, b = (np.require(points, np.float64, ["C", "W"]) for points in (a, b))
    space = _take(max(len(a), len(b)), known)
    space.run(a, _HERE, b, _HERE, space.numbers, space.told, False)
    row = space.numbers[0]
    found = Separation(
        float(row[REACH]), row[DIRECTION : DIRECTION + 3].copy(), float(row[LOWER]), space.known,
        int(space.room.counts[SEARCHES]),
    )  # fmt: skip
    _spare.append(space)
    return found


def part_at_once(
    a: np.ndarray, b: np.ndarray, pose_a: Any, pose_b: Any, known: np.ndarray | None
) -> tuple[int, np.ndarray, np.ndarray] | None:
    """Separate two convex solids in one pose each, with little Python overhead.

    Args:
        a, b: corners of the solids, (n, 3) and (m, 3) float64.
        pose_a, pose_b: one pose each, in a form that ``put_single_pose`` accepts.
        known: as in ``hull_separation``.

    Returns:
        Returns the result code, the numbers (COLUMNS,) of ``expanding_polytope.py``, and the pairs; None if poses need
            a closer
        check.
    """
    space = _take(max(len(a), len(b)), known)
    found = None
    if put_single_pose(pose_a, space.pose_a[0]) and put_single_pose(pose_b, space.pose_b[0]):
        space.run(a, space.pose_a, b, space.pose_b, space.numbers, space.told, True)
        told = space.told.item(0)
        found = None if told == REFUSED else (told, space.numbers[0].copy(), space.known)
    _spare.append(space)
    return found


def part_each(
    a: np.ndarray, b: np.ndarray, rows_a: np.ndarray, rows_b: np.ndarray, known: np.ndarray | None, threads: int = 1
) -> Partings:
    """Run ``part_at_once`` for poses (k, 3, 4); see ``part_steps``."""
    return run(part_steps(a, b, rows_a, rows_b, known, threads))


def part_steps(
    a: np.ndarray, b: np.ndarray, rows_a: np.ndarray, rows_b: np.ndarray, known: np.ndarray | None, threads: int = 1
) -> Generator[float, None, Partings]:
    """Run ``part_at_once`` for poses (k, 3, 4), in slices; yields the fraction of poses done.

    The stack is divided into parts of ``_PART`` poses. In a part, each pose starts from the previous result. The first
    part starts from ``known``, the other parts without known pairs. So the results do not depend on the number of
    threads.
    """
    count, points = len(rows_a), max(len(a), len(b))
    numbers, told = np.empty((count, COLUMNS)), np.empty(count, np.int64)
    asked, space = (a, rows_a, b, rows_b), _take(points, known)
    parts, begin, calls, pairs = parts_of(0, count, _PART), 0, 0, space.known
    while begin < len(parts):
        if begin:
            yield begin / len(parts)
        calls += 1
        may_share = threads > 1 and calls > 1 and len(parts) - begin > 1
        if may_share and not (calls > wide_engine.CALLS_TO_COMPILE or is_compiled(part_convex_together)):
            may_share = False
        with parallel_region(threads if may_share else 1) as workers:
            some = parts[begin : begin + (_PARTS_OF_WORKER * workers if workers > 1 else 1)]
            if workers > 1:
                done, rooms = np.empty(len(some), np.int64), new_room(points, len(space.room.corners), (workers,))
                part_convex_together(*asked, some, done, rooms, numbers, told)
                worker = (len(some) - 1) % workers  # the one that did the last part
                pairs = rooms.known[worker, : rooms.counts.item(worker, KNOWN)].copy()
                some = some[done < some[:, 1]]  # again, where the buffers were too small
            for first, end in some.tolist():
                if first:
                    space.begin(points, None)
                space.run_part(asked, first, end, numbers, told)
                pairs = space.known if end == count else pairs
        begin += _PARTS_OF_WORKER * workers if workers > 1 else 1
    _spare.append(space)
    ends = numbers[:, POINTS : POINTS + 6].reshape(-1, 2, 3)
    return Partings(told, numbers[:, LENGTH], numbers[:, DIRECTION : DIRECTION + 3], numbers[:, LOWER], ends, pairs)
