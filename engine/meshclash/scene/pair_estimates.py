"""Time-critical queries of a scene, each within a budget: the search continues in the next call where it stopped.

All pairs of meshes share one search. Each pair with a point cloud has its own. Pairs that were found apart sleep, as in
other queries that are updated from frame to frame (``pair_memory.py``).
"""

import math
import time
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import numpy as np

from ..hierarchy.build import as_boxes
from ..pointcloud.pair_search import PairSearch
from ..pointcloud.searches import Thing, search_for
from ..query.collide import collides
from ..timecritical.search import Criterion
from ..timecritical.shared_budget import PlacedTree, SceneEstimate, SharedSearch
from ..timecritical.trees import AdbTree, adb_tree
from ..types.copying import Copyable
from ..types.pair_keys import pair_keys
from ..types.pose import pose_of
from ..types.results import Progress, QueryStats
from ..types.slices import SLICE_SECONDS
from ..types.steps import scale_progress, steps
from ..volumes.registry import DEFAULT_VOLUME
from .member import Member, prepare_steps
from .members import Members
from .object_pair import ObjectPair
from .pair_memory import PairMemory

_LEAST_WORK = 64.0
"""Minimum work for each pair with a cloud in each call, whatever the budget, so that every result finally becomes
exact."""
_LEAST_LEFT = 0.2
"""Fraction of a slice: a search stops if less than this fraction of its time is left."""
_TEXT = "searching where point clouds meet"


class PairEstimates(Copyable):
    """The results of a scene for its pairs, stored between time-critical queries."""

    def __init__(self) -> None:
        self._shared = SharedSearch()
        self._memory = PairMemory[PairSearch]()
        """The search of each pair with a cloud. Pairs of meshes have no search of their own; they are in the shared
        search."""

    def estimate_steps(
        self, scene: Members, pairs: np.ndarray, criterion: Criterion, seconds: float | None, work: int | None
    ) -> Generator[Progress, None, SceneEstimate]:
        """Continue the searches of all pairs within a budget, in slices of a few milliseconds.

        Pairs with a cloud share half of the budget and the time that the other pairs leave unused.

        Args:
            scene: the objects; its clouds are prepared.
            pairs: pairs of ids to compare, (k, 2) int64, sorted.
            criterion: when a pair counts as colliding.
            seconds: time [s], None for no limit. The preparation of new meshes is not counted.
            work: units of work; None for no limit. ``work`` takes precedence over ``seconds``.
        """
        start, memory = time.perf_counter(), self._memory
        memory.take_up(scene.pairs_now(pairs))
        asleep = memory.asleep()
        special = scene.with_special(pairs)
        self._start(scene, np.flatnonzero(special & ~asleep & ~memory.held))
        waiting = self._waiting(special & ~asleep)
        meshes = pairs[~special & ~asleep]
        share = 0.5 if waiting and len(meshes) else 1.0  # part of the budget for pairs of meshes
        left = None if seconds is None else max(0.0, seconds - (time.perf_counter() - start))
        budget_of_meshes = left and share * left, work and math.ceil(share * work)
        members = {i: scene.member(i) for i in np.unique(meshes).tolist()}
        estimating = _mesh_steps(self._shared, meshes, members, criterion, *budget_of_meshes)
        found = yield from scale_progress(estimating, 0.0, share)
        left = left and max(0.0, left - found.stats.seconds)
        stats = yield from scale_progress(_advance_steps(waiting, left, work), share, 1.0)
        found = _joined(found, self._of_clouds(np.flatnonzero(special & ~asleep)), _apart(pairs[asleep]))
        self._rest(scene, found)
        return replace(found, stats=found.stats.plus(stats))

    def _start(self, scene: Members, places: np.ndarray) -> None:
        """Begin the searches of pairs (indices) with a cloud."""
        memory = self._memory
        for place, pair in zip(places.tolist(), memory.pairs[places].tolist(), strict=True):
            posed = ObjectPair.of(scene, *pair)
            first, second = posed.things
            assert isinstance(first, Thing) and isinstance(second, Thing)
            rows = posed.poses[0].rows, posed.poses[1].rows
            memory.answers[place] = search_for(first, second, *rows, first_only=True)[0]
        memory.hold(places)

    def _waiting(self, chosen: np.ndarray) -> list[PairSearch]:
        """Return which of the chosen searches are still undecided, (k,) bool."""
        return [search for search in self._memory.answers[chosen] if not (search.complete or search.hit)]

    def _of_clouds(self, places: np.ndarray) -> SceneEstimate:
        """Return the estimates of pairs (indices) with a cloud."""
        searches: list[PairSearch] = self._memory.answers[places].tolist()
        hit = np.array([search.hit for search in searches], np.bool_)
        probability = np.where(hit, 1.0, np.array([search.probability() for search in searches], float))
        regions = np.full((len(searches), 2, 3), np.nan)
        for k in np.flatnonzero(hit).tolist():
            regions[k] = searches[k].found().points[0]
        complete = hit | np.array([search.complete for search in searches], np.bool_)
        triangles = np.full((len(searches), 2), -1, np.int64)
        intervals = np.where(complete[:, None], probability[:, None], (0.0, 1.0))
        return SceneEstimate(
            self._memory.pairs[places], probability >= 0.5, probability, complete, regions, triangles, QueryStats(),
            intervals,
        )  # fmt: skip

    def _rest(self, scene: Members, found: SceneEstimate) -> None:
        """Store for pairs that were found apart how long their extents prove that they stay apart."""
        places = np.flatnonzero(found.complete & ~found.colliding)
        self._memory.apart_by_extents(scene.poses, places)


def _apart(pairs: np.ndarray) -> SceneEstimate:
    """Return the estimates of pairs (k, 2) that are certainly apart."""
    none, count = np.zeros(len(pairs), np.bool_), len(pairs)
    nowhere, triangles = np.full((count, 2, 3), np.nan), np.full((count, 2), -1, np.int64)
    return SceneEstimate(
        pairs, none, np.zeros(count), ~none, nowhere, triangles, QueryStats(), np.zeros((count, 2))
    )  # fmt: skip


def _joined(*parts: SceneEstimate) -> SceneEstimate:
    """Return the estimates of distinct pairs as one, sorted by pairs."""
    parts = tuple(part for k, part in enumerate(parts) if not k or len(part.pairs))
    if len(parts) == 1:
        return parts[0]
    order = np.argsort(pair_keys(np.concatenate([part.pairs for part in parts])))
    names = "pairs", "colliding", "probability", "complete", "regions", "triangles", "intervals"
    columns: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts])[order] for name in names}
    return replace(parts[0], **columns)


def _mesh_steps(
    shared: SharedSearch,
    pairs: np.ndarray,
    members: dict[int, Member],
    criterion: Criterion,
    seconds: float | None,
    work: int | None,
) -> Generator[Progress, None, SceneEstimate]:
    """Continue the search of pairs of meshes within a budget, in slices of a few milliseconds.

    Args:
        shared: the search; keeps its earlier results.
        pairs: pairs of ids to compare, (k, 2) int64.
        members: the objects of these pairs, by id.
        criterion: when a pair counts as colliding.
        seconds, work: the budget; None for no limit. The preparation of new objects is not counted.
    """
    trees = yield from _augmented(shared, members)
    start = time.perf_counter()
    objects = {i: PlacedTree(tree, members[i].rows, members[i].revision) for i, tree in trees.items()}
    shared.follow(pairs, objects, DEFAULT_VOLUME, criterion)
    left = None if seconds is None else seconds - (time.perf_counter() - start)
    for share in shared.search_steps(left, work):
        yield Progress(0.5 + 0.5 * share, "searching where contacts are most likely")
    for a, b in shared.unsettled():
        first, second = members[a], members[b]
        shared.settle(
            (a, b),
            bool(collides(as_boxes(first.mesh), as_boxes(second.mesh), pose_of(first.rows), pose_of(second.rows))),
        )
    return shared.estimate()


def _augmented(shared: SharedSearch, members: dict[int, Member]) -> Generator[Progress, None, dict[int, AdbTree]]:
    """Return the trees of objects for time-critical queries, by id; builds missing ones."""
    known = {i: shared.known_tree(i, member.triangles, member.revision) for i, member in members.items()}
    new = [i for i, tree in known.items() if tree is None]
    hierarchies = yield from prepare_steps(
        [members[i].mesh for i in new], lambda tree: steps(adb_tree, tree), 0.5, "preparing object"
    )
    made = {i: adb_tree(hierarchy) for i, hierarchy in zip(new, hierarchies, strict=True)}
    return {i: tree or made[i] for i, tree in known.items()}


def _advance_steps(
    waiting: list[PairSearch], seconds: float | None, work: int | None
) -> Generator[Progress, None, QueryStats]:
    """Continue searches of pairs with a cloud, in slices of a few milliseconds; return the work.

    Args:
        waiting: the searches that are still undecided.
        seconds: processor time [s], shared by all these searches; None for no limit.
        work: units of work, shared by all these searches; None for no limit. ``work`` takes precedence over
            ``seconds``.
    """
    begun, before = time.perf_counter(), _counted(waiting)
    for k, search in enumerate(waiting):
        low, high = k / len(waiting), (k + 1) / len(waiting)
        if work is not None:
            search.advance(max(_LEAST_WORK, work / len(waiting)))
        elif seconds is None:
            for told in steps(search.finish):
                yield Progress(low + (high - low) * told.fraction, _TEXT)
        else:
            taken = yield from _spend_steps(search, seconds / (len(waiting) - k), low)
            seconds = max(0.0, seconds - taken)
        yield Progress(high, _TEXT)
    now = _counted(waiting)
    return QueryStats(
        now.volume_tests - before.volume_tests,
        now.primitive_tests - before.primitive_tests,
        now.exact_tests - before.exact_tests,
        time.perf_counter() - begun,
    )


def _counted(searches: list[PairSearch]) -> QueryStats:
    """Return the total work of searches since they began."""
    total = QueryStats()
    for search in searches:
        total = total.plus(search.stats(0.0))
    return total


def _spend_steps(search: PairSearch, seconds: float, low: float) -> Generator[Progress, None, float]:
    """Continue a search for the given processor time, and return the time that it took [s]."""
    taken = 0.0
    while True:
        begun = time.thread_time()
        search.spend(min(seconds - taken, SLICE_SECONDS), begun)
        taken += time.thread_time() - begun
        if search.complete or search.hit or taken + _LEAST_LEFT * SLICE_SECONDS >= seconds:
            return taken
        yield Progress(low, _TEXT)
