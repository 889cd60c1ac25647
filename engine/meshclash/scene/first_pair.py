"""Find whether any two objects of a scene collide: compare pairs until one collides. With a fast path for a few
objects.
"""

from collections.abc import Generator, Iterator, Mapping

import numpy as np

from ..broadphase.sweep import overlapping_portions, world_boxes
from ..hierarchy.bvh import MeshLike
from ..query.shortcuts.kernels import FIRST, MAY_LIE_IN, SECOND
from ..query.shortcuts.object_pairs import YES, FewObjects
from ..types.steps import hold_progress
from .collisions import Configurations, meeting_steps
from .contact_stage import PackedTrees
from .members import Keep
from .results import SceneGaps
from .small_scene_gaps import small_scene_gaps

_AT_FIRST = 4  # pairs that are compared together at first; then twice as many each time
_AT_ONCE = 1 << 13  # pairs whose boxes overlap that are held at once
_WORTH_PARTS = 32  # from this many objects on, boxes are compared in two parts
_USES = 256


class StandingObjects:
    """A few objects in their current poses, for repeated queries. The pair that collided last is tested first.

    Attributes:
        uses: remaining queries until this object is created again, so that better trees are used.
    """

    def __init__(
        self, packed_trees: PackedTrees, few: FewObjects, slots: np.ndarray, ids: np.ndarray, meshes: list[MeshLike]
    ) -> None:
        self._of, self._few, self._slots, self._ids, self._meshes = packed_trees, few, slots, ids, meshes
        self._all = np.ones(len(slots), np.bool_)
        self._last: np.ndarray | None = None
        self.uses = _USES

    def is_of(self, packed_trees: PackedTrees | None, slots: np.ndarray | None) -> bool:
        """Return whether this object is still valid for these trees and slots."""
        return self._of is packed_trees and self._slots is slots and self.uses > 0

    def find(self, table: np.ndarray, keep: Keep | None) -> bool | None:
        """Return whether two objects collide; None if the decision needs exact predicates.

        Args:
            table: poses of all slots, (m, 3, 4).
            keep: which pairs of ids to compare; already validated.
        """
        self.uses -= 1
        rows = table.take(self._slots, axis=0)[None]
        if self._last is not None and self._collide(rows, self._last, keep)[0]:
            return True
        some_left = False
        for jobs in self._near(rows):
            yes, left = self._collide(rows, jobs, keep)
            if yes:
                return True
            some_left |= left
        return None if some_left else False

    def _near(self, rows: np.ndarray) -> Iterator[np.ndarray]:
        """Yield portions of the pairs whose boxes overlap; pairs within the first quarter of the objects come first."""
        count, before, together = len(self._slots), 0, _AT_FIRST
        for objects in (count // 4, count) if count >= _WORTH_PARTS else (count,):
            jobs = self._few.near_pairs(rows[:, :objects], self._all[:objects], self._all[:objects])
            jobs, before, begin = jobs[jobs[:, SECOND] >= before] if before else jobs, objects, 0
            while begin < len(jobs):
                yield jobs[begin : begin + together]
                begin, together = begin + together, 2 * together

    def gaps(self, table: np.ndarray, most: int | None, names: Mapping[int, str]) -> SceneGaps | None:
        """Return ``small_scene_gaps`` of these objects; ``table`` is as in ``find``, and other arguments are as in
        ``small_scene_gaps``.
        """
        self.uses -= 1
        return small_scene_gaps(self._of, self._meshes, self._ids, table.take(self._slots, axis=0), most, names)

    def _collide(self, rows: np.ndarray, jobs: np.ndarray, keep: Keep | None) -> tuple[bool, bool]:
        """Return whether any of the pairs ``jobs`` collides, and whether a pair remains undecided."""
        if keep is not None:
            jobs = jobs[keep(self._ids[jobs[:, FIRST : SECOND + 1]])]
            if not len(jobs):
                return False, False
        found = self._few.decide(rows, jobs)
        told = found.collide.tolist()
        if YES not in told:
            return False, found.some_left
        first = told.index(YES)
        self._last = found.jobs[first : first + 1].copy()
        self._last[0, MAY_LIE_IN] = 1
        return True, False


def any_steps(configurations: Configurations) -> Generator[float, None, bool]:
    """Return whether any two objects collide in the only configuration of ``configurations``, in slices.

    If none of the first pairs collide, contacts are rare, and the remaining pairs are compared in the order of their
    boxes' overlap, some thousands at a time.
    """
    packed_trees, (rows,) = configurations.packed_trees, configurations.rows
    boxes = world_boxes(packed_trees.bounds, rows, 0.0)
    in_a, in_b, keep = configurations.in_a, configurations.in_b, configurations.keep
    for done, near in overlapping_portions(boxes, in_a, in_b, _AT_ONCE, _AT_ONCE):
        yield done
        pairs = near if keep is None or not len(near) else near[keep(configurations.ids[near])]
        begin, together = 0, _AT_FIRST
        while begin < len(pairs):
            if begin == _AT_FIRST:
                pairs[begin:] = _most_overlapping_first(boxes, pairs[begin:])
            some = pairs[begin : begin + together]
            a, b = some.T
            sides, around = (rows[a], rows[b]), (boxes[a], boxes[b])
            meeting = meeting_steps(packed_trees, packed_trees.trees[some], sides, around, True)
            _, collide = yield from hold_progress(meeting, done)
            if collide.any():
                return True
            begin, together = begin + together, 2 * together
    return False


def _most_overlapping_first(boxes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the pairs (k, 2) sorted by how much of the smaller box the common part of both boxes fills, largest share
    first.

    Pairs with a box (n, 6) that has no volume come last.
    """
    low, high = boxes[:, :3], boxes[:, 3:]
    a, b = pairs.T
    with np.errstate(all="ignore"):
        volumes = (high - low).prod(axis=1)
        common = (np.minimum(high[a], high[b]) - np.maximum(low[a], low[b])).prod(axis=1)
        shares = common / np.minimum(volumes[a], volumes[b])
    return pairs[np.argsort(-shares, kind="stable")]
