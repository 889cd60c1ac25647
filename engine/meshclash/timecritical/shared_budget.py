"""A search over the pairs of objects of a scene with one budget: likely pairs first, until every result is exact."""

import math
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..types.copying import Copyable
from ..types.mesh import TriangleMesh
from ..types.pair_keys import pair_keys
from ..types.results import QueryStats
from ..types.slices import SLICE_SECONDS
from . import traversal as layout
from .search import Criterion, Limit, Search
from .trees import AdbTree
from .unit_cost import UnitCost

_LEAST_STEPS = 64
"""Minimum number of steps of each slice, even beyond the budget, so that the results become exact eventually."""
reporting = UnitCost(0.2e-6)
"""Measured cost, in this process, of one pair of objects in a report."""


class PlacedTree(NamedTuple):
    """The tree and the pose of an object in a search."""

    tree: AdbTree
    rows: np.ndarray
    """Its pose, (3, 4) float64."""
    revision: int
    """A number that changes when the object is moved or deformed."""

    def is_as(self, other: "PlacedTree | None") -> bool:
        """Return whether results for another object are also valid for this object: same tree, same pose."""
        return other is not None and self.tree is other.tree and self.revision == other.revision


@dataclass(frozen=True)
class SceneEstimate:
    """The estimates for the k pairs of objects whose boxes overlap. All other pairs are apart.

    Attributes:
        pairs: Ids of objects, (k, 2) int64, sorted.
        colliding: (k,) bool: the exact result if ``complete``. Otherwise True after ``k_min`` counted pairs of nodes,
            and before that the more probable result.
        probability: Probability that the two surfaces touch or cross each other, (k,) float64. For a pair with a point
            cloud, the probability that the complete search finds a contact.
        complete: (k,) bool: whether the result is exact.
        regions: World boxes (k, 2, 3) float64 [m] of the most probable contact; NaN if unknown. For a pair with a point
            cloud, the box is a point on both surfaces.
        triangles: Triangles that have a common point, (k, 2) int64, if the search found them; -1 otherwise, and for
            point clouds.
        stats: The work of this call.
        intervals: The lowest and the highest probability, (k, 2) float64, as ``meshclash.TimeCritical.interval``. For a
            pair with a point cloud, the two values are 0 and 1 until the result is exact.
    """

    pairs: np.ndarray
    colliding: np.ndarray
    probability: np.ndarray
    complete: np.ndarray
    regions: np.ndarray
    triangles: np.ndarray
    stats: QueryStats
    intervals: np.ndarray

    @property
    def exact(self) -> bool:
        """Whether the results for all pairs of objects are exact."""
        return bool(self.complete.all())


class SharedSearch(Copyable):
    """A search over the pairs of a scene. Results are stored for all pairs whose objects have not changed."""

    def __init__(self) -> None:
        self._criterion = Criterion()
        self._search: Search | None = None
        self._objects: dict[int, PlacedTree] = {}
        self._pairs = np.empty((0, 2), np.int64)
        self._poses = np.empty((0, 2, 3, 4))
        self._counted = np.zeros(layout.STATE_LENGTH - layout.STEPS, np.int64)
        self._spent = 0.0

    def known_tree(self, identifier: int, mesh: TriangleMesh, revision: int) -> AdbTree | None:
        """Return the tree of an object from the last search if the object has not changed, otherwise None.

        A copied search continues with this tree.
        """
        placed = self._objects.get(identifier)
        if placed is None or placed.revision != revision or placed.tree.made_of.mesh is not mesh:
            return None
        return placed.tree

    def follow(self, pairs: np.ndarray, objects: Mapping[int, PlacedTree], volume: str, criterion: Criterion) -> None:
        """Search these pairs of ids (k, 2) int64 of these objects from now on, and drop all other pairs."""
        if self._search is None or criterion != self._criterion:
            if self._search is not None:
                self._search.end()
            self._search, self._criterion = Search(volume, criterion), criterion
            self._pairs, self._objects, self._counted = pairs[:0], {}, np.zeros_like(self._counted)
        changed = [i for i, placed in objects.items() if not placed.is_as(self._objects.get(i))]
        known, wanted = pair_keys(self._pairs), pair_keys(pairs)
        usable = np.isin(known, wanted) & ~np.isin(self._pairs, changed).any(axis=1)
        if usable.all() and len(known) == len(wanted):
            return
        kept = np.flatnonzero(usable)
        self._search.keep(kept)
        self._pairs = np.concatenate([self._pairs[kept], pairs[~np.isin(wanted, known[kept])]])
        self._objects = dict(objects)
        self._take_up(self._search, len(kept))

    def _take_up(self, search: Search, first: int) -> None:
        """Start the search for the pairs from the index ``first`` on."""
        ids = np.fromiter(self._objects, np.int64, len(self._objects))
        placed = list(self._objects.values())
        trees = {id(each.tree): each.tree for each in placed}
        place = {key: n for n, key in enumerate(trees)}
        tree_of = np.array([place[id(each.tree)] for each in placed], np.int64)
        order = np.argsort(ids)
        index = order[np.searchsorted(ids[order], self._pairs)]
        poses = np.array([each.rows for each in placed]).reshape(-1, 3, 4)[index]
        search.begin(list(trees.values()), tree_of[index], poses, first)

    def search_steps(self, seconds: float | None, steps: int | None) -> Generator[float, None, None]:
        """Search for ``seconds`` of its own time, or ``steps``; yield after each slice the share of decided pairs.

        If every pair is decided at the beginning, the search continues with the pairs that merely count as colliding.
        """
        if self._search is None:
            return
        self._spent = 0.0
        search, refine = self._search, self._search.decided
        while not search.exhausted(refine):
            start = time.perf_counter()
            left = math.inf if seconds is None else seconds - self._spent - reporting.seconds * self._size
            steps_before = int(search.state[layout.STEPS])
            search.run(Limit(start + min(left, SLICE_SECONDS), steps, _LEAST_STEPS), refine)
            taken = int(search.state[layout.STEPS]) - steps_before
            steps = None if steps is None else steps - taken
            self._spent += time.perf_counter() - start
            if left <= SLICE_SECONDS or (steps is not None and steps <= 0):
                return
            yield 1.0 - int(search.state[layout.OPEN_JOBS]) / len(self._pairs)

    @property
    def _size(self) -> int:
        """Amount of work for computing the estimates, in the units of ``reporting``."""
        return 64 + len(self._pairs)

    def unsettled(self) -> list[tuple[int, int]]:
        """Return the pairs of ids that need exact arithmetic; pass their results to ``settle``."""
        if self._search is None:
            return []
        asking = self._search.rows[:, layout.STATUS] == layout.ASK_HOST
        return [(a, b) for a, b in self._pairs[asking].tolist()]

    def settle(self, pair: tuple[int, int], colliding: bool) -> None:
        """Store the exact result for a pair."""
        assert self._search is not None
        self._search.settle(int(np.flatnonzero((self._pairs == pair).all(axis=1))[0]), colliding)

    def estimate(self) -> SceneEstimate:
        """Return the current estimates, with the work since the last call."""
        assert self._search is not None
        start = time.perf_counter()
        found = self._search.estimates()
        order = np.argsort(pair_keys(self._pairs))
        rows = self._search.rows[order]
        counted = self._search.state[layout.STEPS :].copy()
        _, volume_tests, primitive_tests, exact_tests = (counted - self._counted).tolist()
        self._counted = counted
        status, probability = rows[:, layout.STATUS], found.probabilities[order]
        colliding = np.where(status == layout.OPEN, probability >= 0.5, status <= layout.MEET)
        complete = (status == layout.MEET) | (status == layout.APART)
        triangles = rows[:, layout.TRIANGLE_A : layout.TRIANGLE_B + 1]
        seconds = time.perf_counter() - start
        reporting.note(self._size, seconds)
        stats = QueryStats(volume_tests, primitive_tests, exact_tests, self._spent + seconds)
        return SceneEstimate(
            self._pairs[order],
            colliding,
            probability,
            complete,
            found.regions[order],
            triangles,
            stats,
            found.intervals[order],
        )
