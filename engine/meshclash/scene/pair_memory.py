"""``PairMemory``: the results for pairs of objects of a scene from frame to frame, and which pairs can be skipped.

Every query that is updated from frame to frame uses such a memory: the contacts of Live, gaps, steps, estimates, and
volumes. The memory only saves work and never changes a result:

* The result for a pair is valid while neither object changes: objects have revisions.
* A pair that is known to be apart sleeps. A lower bound of the distance of such a pair is known for an earlier time,
  and an upper bound of the motion of all points of each object since then (``PoseTable.travel``). Until the sum of both
  motions exceeds the distance, the two are certainly apart.

A distance is proved by the extents of two objects (``broadphase/extent_gaps.py``), which costs little. If these bounds
do not separate the pair, the distance must be measured, which costs more than testing for contact. So a pair is
measured when it has been found apart 8 times, then 16, 32 and so on, because most pairs move on before.
"""

from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from ..answering.answer import answer_steps
from ..broadphase.extent_gaps import extent_gaps
from ..traversal.question import Answer, Goal, Question
from ..types.copying import Copyable
from ..types.pair_keys import find, pair_keys, pairs_of
from .contact_stage import PackedTrees
from .pose_table import PoseTable

if TYPE_CHECKING:
    from .members import Members
    from .scene import Scene

_T = TypeVar("_T")
Pair = tuple[int, int]
_PATIENCE = 8
"""The distance of a pair is first measured after the pair was found apart this number of times."""
_SHARE = 0.5
"""Relative error of measured distances: only a lower bound is needed, which is found several times faster."""
_SLACK = 2.0**-48
"""Covers the rounding of sums of motions and distances."""


class PairsNow(NamedTuple):
    """The ids, slots, revisions and motions of k pairs of objects of a scene at present."""

    keys: np.ndarray
    """``pair_keys`` of their ids, (k,) int64, ascending."""
    pairs: np.ndarray
    """Ids of the two objects, (k, 2) int64."""
    slots: np.ndarray
    """Slots of the two objects, (k, 2) int64."""
    revisions: np.ndarray
    """Revisions of the two objects, (k, 2) int64."""
    shapes: np.ndarray
    """Numbers of the shapes of the two objects, (k, 2) int64."""
    ways: np.ndarray
    """Sum of how far both objects have moved, (k,) float64 [m]."""
    spares: np.ndarray
    """Bound of the rounding error of both objects' coordinates, (k,) float64 [m]."""


class PairMemory(Copyable, Generic[_T]):
    """The followed pairs, sorted by their ids, with columns for their stored results.

    Columns may be read and written at indices of pairs; ``keys`` are replaced by ``take_up`` only.

    Args:
        answers: NumPy type of the results.

    Attributes:
        now: the pairs as they were at the last ``take_up``.
        revisions: revisions of the two objects for which the result is valid, (k, 2) int64; -1 without a result.
        answers: the results, (k,) of the type given to the constructor; None may be a result, too.
        complete: whether the result is complete, (k,) bool.
        starts: the triangles that were nearest when the pair was measured, (k, 2) int32; -1 if unknown.
    """

    def __init__(self, answers: Any = np.object_) -> None:
        none = np.empty((0, 2), np.int64)
        self.now = PairsNow(none[:, 0], none, none, none, none, np.empty(0), np.empty(0))
        self.revisions, self._shapes = none, none
        self.answers, self.complete = np.empty(0, answers), np.empty(0, np.bool_)
        self.starts = none.astype(np.int32)
        self._until = np.empty(0)
        """Sum of the motions of both objects at which a pair may touch [m]; minus infinity if unknown."""
        self._apart = np.empty(0, np.int64)
        """How many times in a row each pair was found apart."""

    # Pairs and answers one by one

    def __len__(self) -> int:
        """Number of pairs with a valid result."""
        return int(np.count_nonzero(self.held))

    def __contains__(self, pair: Any) -> bool:
        """Whether there is a valid result for a pair of ids."""
        place = self._place(pair)
        return place is not None and bool(self.held[place])

    def __getitem__(self, pair: Pair) -> _T:
        """Return the stored result for a pair of ids. Raises KeyError if the pair has no result."""
        place = self._place(pair)
        if place is None or not self.held[place]:
            raise KeyError(pair)
        answer: _T = self.answers[place]
        return answer

    def items(self) -> Iterator[tuple[Pair, _T]]:
        """Iterate over the pairs of ids with their results, sorted by the ids."""
        held = self.held
        return zip(map(tuple, pairs_of(self.keys[held]).tolist()), self.answers[held].tolist(), strict=True)

    def follow(self, scene: "Members | Scene", pairs: Iterable[Pair] | np.ndarray) -> list[Pair]:
        """Follow the given pairs and drop all other pairs; return the pairs without a result for their current objects,
        sorted.

        Args:
            scene: the scene of the objects.
            pairs: pairs of ids, (k, 2).

        Raises:
            UnknownObject: an id is not in the scene.
        """
        ids = np.asarray(pairs if isinstance(pairs, np.ndarray) else list(pairs), np.int64).reshape(-1, 2)
        members: Members = vars(scene).get("_objects", scene)
        members.revisions(ids)
        self.take_up(members.pairs_now(pairs_of(np.unique(pair_keys(ids)))))
        return [(a, b) for a, b in pairs_of(self.keys[~self.held]).tolist()]

    def note(self, pair: Pair, answer: _T) -> None:
        """Store the result for a followed pair. Raises KeyError if the pair is not followed."""
        place = self._place(pair)
        if place is None:
            raise KeyError(pair)
        self.answers[place] = answer
        self.hold(np.array([place]))

    def places(self, pairs: np.ndarray) -> np.ndarray:
        """Return the indices (k,) int64 of pairs of ids (k, 2) that are all followed."""
        return np.searchsorted(self.keys, pair_keys(pairs))

    def _place(self, pair: Any) -> int | None:
        key = (int(pair[0]) << 32) + int(pair[1])
        place = int(np.searchsorted(self.keys, key))
        return place if place < len(self.keys) and self.keys[place] == key else None

    # Columns

    @property
    def keys(self) -> np.ndarray:
        """Keys of the followed pairs, (k,) int64, ascending."""
        return self.now.keys

    @property
    def pairs(self) -> np.ndarray:
        """Ids of the followed pairs, (k, 2) int64."""
        return self.now.pairs

    @property
    def held(self) -> np.ndarray:
        """Whether each pair has a result that is valid for its objects at the last ``take_up``, (k,) bool."""
        held: np.ndarray = (self.revisions == self.now.revisions).all(axis=1)
        return held

    def take_up(self, now: PairsNow) -> tuple[np.ndarray, np.ndarray]:
        """Follow the given pairs from now on and drop all other pairs.

        Returns:
            For each pair followed so far, its index among the new pairs, (m,) int64, and whether it still is followed,
            (m,) bool.
        """
        old = self.now.keys
        if np.array_equal(old, now.keys):
            moved, stays = np.arange(len(old)), np.ones(len(old), np.bool_)
        else:
            moved, stays = find(now.keys, old)
            place = moved[stays]
            for name, nothing in _NOTHING.items():
                column = getattr(self, name)
                kept = np.full((len(now.keys), *column.shape[1:]), nothing, column.dtype)
                kept[place] = column[stays]
                setattr(self, name, kept)
        other = (self._shapes != now.shapes).any(axis=1)
        self._until[other], self._apart[other] = -np.inf, 0
        self._shapes, self.now = now.shapes, now
        return moved, stays

    def hold(self, places: np.ndarray) -> None:
        """Mark the results of pairs as valid for the current objects; ``places``: indices or a mask."""
        self.revisions[places] = self.now.revisions[places]

    def doubt(self, places: np.ndarray) -> None:
        """Mark the results of pairs as outdated; ``places``: indices or a mask."""
        self.revisions[places] = -1

    # Distances

    def asleep(self, reach: float = 0.0) -> np.ndarray:
        """Return which pairs are certainly still farther apart than a distance [m], and can be skipped, (k,) bool."""
        asleep: np.ndarray = (self.now.ways + self.now.spares + reach) * (1.0 + _SLACK) < self._until
        return asleep

    def lower_bounds(self) -> np.ndarray:
        """Return lower bounds of the distances between the objects of all pairs, (k,) float64 [m]; 0 if no bound is
        known.
        """
        bounds = self._until * (1.0 - _SLACK) - (self.now.ways + self.now.spares) * (1.0 + _SLACK)
        return np.maximum(bounds, 0.0)

    def prove(self, places: np.ndarray, gaps: np.ndarray) -> None:
        """Store lower bounds (n,) [m] of the present distances between the objects of pairs (indices)."""
        until = (gaps + self.now.ways[places] - self.now.spares[places]) * (1.0 - _SLACK)
        self._until[places] = np.maximum(self._until[places], until)

    def apart_by_extents(self, table: PoseTable, places: np.ndarray, reach: float = 0.0) -> np.ndarray:
        """Return which pairs (indices) are proved by their extents to be farther apart than a distance [m], (n,)
        bool.
        """
        gaps = extent_gaps(table.bounds, table.radii, table.rows, self.now.slots[places])
        self.prove(places, gaps)
        apart: np.ndarray = gaps > reach
        return apart

    def measure_steps(
        self, places: np.ndarray, apart: np.ndarray, packed_trees: PackedTrees, table: PoseTable, trees: np.ndarray
    ) -> Generator[float, None, Answer | None]:
        """Measure the pairs that were often found apart, so that later updates can skip these pairs; return the work.

        Only pairs of closed meshes are measured: an object may enter an open mesh through a hole without contact.

        Args:
            places: indices (n,) of pairs that were compared.
            apart: which of the pairs are apart, (n,) bool.
            packed_trees: trees of their objects.
            table: the poses of their objects.
            trees: the trees of each pair, (n, 2) int64.
        """
        wanted = self.count_apart(places, apart) & packed_trees.solids.closed[trees].all(axis=1)
        if not wanted.any():
            return None
        some, side = places[wanted], packed_trees.tree_set.side
        a, b = self.now.slots[some].T
        jobs = trees[wanted], table.rows[a], table.rows[b]
        question = Question(side, side, *jobs, Goal.NEAREST, relative_error=_SHARE)
        nearest = yield from answer_steps(question)
        self.prove(some, (1.0 - _SHARE) * nearest.distances)
        return nearest

    def count_apart(self, places: np.ndarray, apart: np.ndarray) -> np.ndarray:
        """Count how often each of the pairs (indices) was found apart; return which pairs should be measured now, (n,)
        bool.

        Args:
            places: indices (n,) of pairs that were compared.
            apart: which of the pairs are apart.
        """
        self._until[places[~apart]] = -np.inf
        count = np.where(apart, self._apart[places] + 1, 0)
        self._apart[places] = count
        return (count >= _PATIENCE) & ((count & (count - 1)) == 0)


_NOTHING = {
    "revisions": -1, "answers": None, "complete": False, "starts": -1, "_shapes": -1, "_until": -np.inf, "_apart": 0,
}  # fmt: skip
