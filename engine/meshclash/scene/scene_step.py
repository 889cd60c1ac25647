"""``Scene.step`` for meshes: find frame by frame which pairs begin to touch, still touch, and no longer touch.

The following data is kept between steps. It only saves work and never changes the result:

* the sorted ends of all boxes (``broadphase/incremental.py``);
* the results of the previous step, for pairs whose objects do not move;
* the distances of pairs whose boxes overlap although they do not touch, and how far every object has moved since. No
  point of an object moves farther than the corner of its box that moves farthest. So two objects are certainly apart
  until the sum of their motions exceeds the distance. Such pairs sleep: they are counted but not tested. A distance is
  measured when a pair has been found apart 8 times, then 16, 32 and so on, because measuring costs more than testing.
"""

import math
import operator
from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from ..answering.answer import answer_steps
from ..broadphase.incremental import SweepAndPrune
from ..broadphase.sweep import cut_to_spheres, world_boxes
from ..jit import kernel
from ..traversal.question import Answer, Goal, Question
from ..types.copying import Copyable
from ..types.results import Progress, QueryStats
from ..types.steps import scale_progress
from .collisions import meeting_steps
from .contact_stage import PackedTrees
from .member import Member
from .members import Keep
from .pair_keys import find, no_pairs, pair_keys, pairs_of

_ROUNDING = 2.0**-40
"""Generous bound of the rounding error of distances and motions, relative to the coordinates."""
_PATIENCE = 8
"""The distance of a pair is first measured after it was found apart this often: most pairs move on before."""
_SHARE = 0.5
"""Relative error of measured distances: only a lower bound is needed, which is found several times faster."""


@dataclass(frozen=True, eq=False)
class SceneStep:
    """The result of a step of a scene; pairs of ids are (k, 2) int64, the lower one first, sorted.

    Attributes:
        begun: Pairs that touch now and did not touch in the previous step.
        persisting: Pairs that touch now and touched in the previous step.
        ended: Pairs that touched before and do not touch now: apart, no longer compared, or an object was removed.
        pairs: All pairs that touch: their surfaces meet, or one lies in the other.
        triangles: Pairs of triangles that meet, (n, 2) int32: one or all of each pair. A pair without a common surface
            point and a pair with a cloud have none.
        kinds: (n,) uint8, see ``ContactKind``; for single contacts, the kind of the contact that was found.
        pair_of: The index in ``pairs`` for each row of ``triangles``, (n,) int64, ascending.
        near: Number of compared pairs whose boxes overlap.
        asleep: Number of them that were not tested, because they have not moved enough to touch.
        swaps: Number of swaps in the sorted ends of boxes; 0 if they were sorted anew.
        measured: Number of pairs whose distance was measured, so that they may sleep.
        unanswered: Near pairs of a point cloud and a clustered mesh, which cannot be compared. They are in none of the
            other lists.
    """

    begun: np.ndarray
    persisting: np.ndarray
    ended: np.ndarray
    pairs: np.ndarray
    triangles: np.ndarray
    kinds: np.ndarray
    pair_of: np.ndarray
    near: int
    asleep: int
    swaps: int
    sorted_anew: bool
    measured: int
    stats: QueryStats
    unanswered: np.ndarray = field(default_factory=no_pairs)

    def __bool__(self) -> bool:
        return len(self.pairs) > 0


class Stepper(Copyable):
    """The state that a scene keeps between steps."""

    def __init__(self) -> None:
        self._sweep = SweepAndPrune()
        self._touching = np.empty(0, np.int64)
        self._last = _NO_ANSWERS
        self._ids = np.empty(0, np.int64)
        self._meshes: list[object] = []
        self._rows = np.empty((0, 3, 4))
        self._ways = np.empty(0)
        """How far each object has moved in total, (n,) [m]; starts again at 0 when the object is deformed."""
        self._sleep = _Sleep()

    def steps(
        self,
        ids: np.ndarray,
        members: list[Member],
        rows: np.ndarray,
        packed_trees: PackedTrees,
        keep: Keep | None,
        first_only: bool,
    ) -> Generator[Progress, None, SceneStep]:
        """Run one step in slices. The objects are in the order of their ids; ``rows`` (n, 3, 4) are their poses."""
        boxes = world_boxes(packed_trees.bounds, rows, 0.0)
        cut_to_spheres(packed_trees.bounds, packed_trees.radii, rows, boxes)
        self._sweep.update(ids, boxes)
        pairs = self._sweep.pairs
        if keep is not None and len(pairs):
            pairs = pairs[keep(pairs)]
        places = pairs if ids[-1] == len(ids) - 1 else np.searchsorted(ids, pairs)
        changed, moved = self._move(ids, members, packed_trees, rows)
        keys = pair_keys(pairs)
        known = self._last.standing(keys, ~np.asarray(moved[places].any(axis=1)), first_only)
        spare = _ROUNDING * (np.abs(boxes).max(axis=1) if len(boxes) else np.empty(0))
        ways, spare = self._ways[places].sum(axis=1), spare[places].sum(axis=1)
        asleep = self._sleep.asleep(keys, ways + spare, np.asarray(changed[places].any(axis=1)))
        asked = ~asleep & ~known
        yield Progress(0.1, "comparing objects")
        jobs, at = packed_trees.trees[places[asked]], places[asked]
        sides = rows[at[:, 0]], rows[at[:, 1]]
        found = meeting_steps(packed_trees, jobs, sides, (boxes[at[:, 0]], boxes[at[:, 1]]), first_only)
        answer, meet = yield from scale_progress(found, 0.1, 0.8, "comparing objects")
        wanted = self._sleep.note(keys[asked], meet)
        stats = answer.stats()
        if wanted.any():
            of_both = sides[0][wanted], sides[1][wanted]
            side = packed_trees.tree_set.side
            question = Question(side, side, jobs[wanted], *of_both, Goal.NEAREST, relative_error=_SHARE)
            nearest = yield from scale_progress(answer_steps(question), 0.8, 1.0, "measuring distances")
            until = (1.0 - _SHARE) * nearest.distances + ways[asked][wanted] - spare[asked][wanted]
            self._sleep.rest(keys[asked][wanted], until)
            stats = stats.plus(nearest.stats())
        last, before = self._last.with_new(keys, known, asked, meet, answer, first_only), self._touching
        touching = last.keys[last.meet]
        self._touching, self._last = touching, last
        number = np.cumsum(last.meet) - 1
        return SceneStep(
            pairs_of(np.setdiff1d(touching, before, assume_unique=True)),
            pairs_of(np.intersect1d(touching, before, assume_unique=True)),
            pairs_of(np.setdiff1d(before, touching, assume_unique=True)),
            pairs_of(touching), last.triangles, last.kinds, number[last.jobs], len(pairs),
            int(asleep.sum()), self._sweep.swaps, self._sweep.sorted_anew, int(wanted.sum()), stats,
        )  # fmt: skip

    def empty_step(self) -> SceneStep:
        """Run a step for a scene without meshes."""
        ended, self._touching, self._last = self._touching, np.empty(0, np.int64), _NO_ANSWERS
        self._sweep.update(np.empty(0, np.int64), np.empty((0, 6)))
        none, triangles = np.empty((0, 2), np.int64), np.empty((0, 2), np.int32)
        kinds, places = np.empty(0, np.uint8), np.empty(0, np.int64)
        return SceneStep(none, none, pairs_of(ended), none, triangles, kinds, places, 0, 0, 0, False, 0, QueryStats())

    def _move(
        self, ids: np.ndarray, members: list[Member], packed_trees: PackedTrees, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Update how far each object has moved.

        Returns:
            Which objects are new or deformed, (n,) bool; which are new, deformed or moved, (n,) bool.
        """
        meshes: list[object] = [member.mesh for member in members]
        place, known = find(self._ids, ids)
        changed = ~known
        if not known.all() or len(meshes) != len(self._meshes) or not all(map(operator.is_, meshes, self._meshes)):
            for k in np.flatnonzero(known).tolist():
                changed[k] = meshes[k] is not self._meshes[place[k]]
        moved, ways = changed.copy(), np.zeros(len(ids))
        moved[known] |= (rows[known] != self._rows[place[known]]).any(axis=(1, 2))
        _add_ways(packed_trees.bounds, rows, self._rows, self._ways, place, changed, ways)
        self._ids, self._meshes, self._rows, self._ways = ids, meshes, rows, ways
        return changed, moved


@kernel
def _add_ways(bounds, rows, rows_before, ways_before, place, changed, ways):
    """Add to ``ways`` (n,) how far each object moved: the motion of the farthest-moving corner of its box.

    Changed objects keep 0. The length of a point's motion is convex in its coordinates, so no point of a box moves
    farther than the corner that moves farthest.
    """
    for i in range(len(ways)):
        if changed[i]:
            continue
        now, before, most = rows[i], rows_before[place[i]], 0.0
        for corner in range(8):
            x = bounds[i, corner & 1, 0]
            y = bounds[i, (corner >> 1) & 1, 1]
            z = bounds[i, corner >> 2, 2]
            square = 0.0
            for k in range(3):
                way = (now[k, 0] - before[k, 0]) * x + (now[k, 1] - before[k, 1]) * y + (now[k, 2] - before[k, 2]) * z
                way += now[k, 3] - before[k, 3]
                square += way * way
            most = max(most, square)
        ways[i] = ways_before[place[i]] + math.sqrt(most)


@dataclass(frozen=True, eq=False)
class _Answers(Copyable):
    """The results of a step for all near pairs, sorted by their keys."""

    keys: np.ndarray
    """Keys of the pairs, (k,) int64."""
    meet: np.ndarray
    """Which pairs touch, (k,) bool."""
    triangles: np.ndarray
    """Pairs of triangles that meet, (n, 2) int32, sorted by pairs of objects."""
    kinds: np.ndarray
    """Kinds of these contacts, (n,) uint8."""
    jobs: np.ndarray
    """Index of the pair of objects of each contact, (n,) int64, ascending."""
    first_only: bool
    """Whether only one contact of each pair was found."""

    def standing(self, keys: np.ndarray, still: np.ndarray, first_only: bool) -> np.ndarray:
        """Return which pairs of sorted keys can reuse their results, (k,) bool.

        ``still`` (k,) tells of which pairs neither object has moved.
        """
        return find(self.keys, keys)[1] & still if first_only == self.first_only else np.zeros(len(keys), np.bool_)

    def with_new(
        self, keys: np.ndarray, known: np.ndarray, asked: np.ndarray, meet: np.ndarray, answer: Answer, first_only: bool
    ) -> "_Answers":
        """Return the results of a step: reused for ``known`` pairs, new for ``asked`` pairs; all others are apart.

        Args:
            keys: keys of all near pairs, (k,).
            known, asked: which pairs are known, and which were tested, (k,) bool.
            meet: which of the tested pairs touch.
            answer: the contacts of the tested pairs.
        """
        all_meet = np.zeros(len(keys), np.bool_)
        all_meet[asked] = meet
        place = find(self.keys, keys)[0]
        all_meet[known] = self.meet[place[known]]
        now = np.full(len(self.keys), -1)  # new index of each old pair
        now[place[known]] = np.flatnonzero(known)
        kept = now[self.jobs] >= 0
        jobs = np.concatenate([now[self.jobs][kept], np.flatnonzero(asked)[answer.jobs]])
        order = np.argsort(jobs, kind="stable")
        triangles = np.concatenate([self.triangles[kept], answer.pairs])[order]
        kinds = np.concatenate([self.kinds[kept], answer.kinds])[order]
        return _Answers(keys, all_meet, triangles, kinds, jobs[order], first_only)


_NO_ANSWERS = _Answers(
    np.empty(0, np.int64), np.empty(0, np.bool_), np.empty((0, 2), np.int32), np.empty(0, np.uint8),
    np.empty(0, np.int64), True,
)  # fmt: skip


class _Sleep(Copyable):
    """The near pairs, sorted by their keys, and how long each is known to stay apart."""

    def __init__(self) -> None:
        self._keys = np.empty(0, np.int64)
        self._until = np.empty(0)
        """Sum of the motions of both objects at which a pair may touch [m]; minus infinity if unknown."""
        self._apart = np.empty(0, np.int64)
        """How many times in a row each pair was found apart."""

    def asleep(self, keys: np.ndarray, ways: np.ndarray, changed: np.ndarray) -> np.ndarray:
        """Return which pairs cannot touch yet, (k,) bool. ``changed`` pairs have a new or deformed object."""
        until, apart = np.full(len(keys), -np.inf), np.zeros(len(keys), np.int64)
        place, known = find(self._keys, keys)
        known &= ~changed
        until[known], apart[known] = self._until[place[known]], self._apart[place[known]]
        self._keys, self._until, self._apart = keys, until, apart
        return ways < until

    def note(self, keys: np.ndarray, meet: np.ndarray) -> np.ndarray:
        """Record which pairs meet; return which pairs should have their distance measured, (k,) bool."""
        place = np.searchsorted(self._keys, keys)
        self._apart[place] = np.where(meet, 0, self._apart[place] + 1)
        self._until[place] = -np.inf
        count = self._apart[place]
        return (count >= _PATIENCE) & ((count & (count - 1)) == 0)

    def rest(self, keys: np.ndarray, until: np.ndarray) -> None:
        """Let pairs sleep until the sum of the motions of their objects reaches ``until`` [m]."""
        self._until[np.searchsorted(self._keys, keys)] = until
