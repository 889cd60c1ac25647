"""Estimate within a budget whether clouds meet other objects, by searches that continue from call to call."""

import time
from collections.abc import Generator
from dataclasses import replace

import numpy as np

from ..pointcloud.pair_search import PairSearch
from ..pointcloud.query import Thing, search_for
from ..timecritical.shared_budget import SceneEstimate
from ..types.results import Progress, QueryStats
from ..types.slices import SLICE_SECONDS
from ..types.steps import steps
from .members import Members
from .object_pair import ObjectPair
from .pair_keys import pair_keys
from .pair_memory import Pair, PairMemory

_LEAST_WORK = 64.0
"""Minimum work for each pair in each call, whatever the budget: so every answer becomes exact in the end."""
_LEAST_LEFT = 0.2
"""Fraction of a slice: a search stops if less of its time than this is left."""
_TEXT = "searching where point clouds meet"


class CloudSearches:
    """Searches for a common point of each pair with a cloud, each kept until one of its objects changes."""

    def __init__(self) -> None:
        self._known = PairMemory[PairSearch]()
        self._work = QueryStats()

    def follow(self, scene: Members, pairs: np.ndarray) -> None:
        """Start searches for pairs of ids (k, 2) with a cloud, and discard those of all other pairs.

        The clouds and meshes must be prepared.
        """
        for pair in self._known.follow(scene, pairs):
            self._known.note(pair, _search(scene, pair))

    @property
    def waiting(self) -> list[PairSearch]:
        """The searches that are still undecided."""
        return [search for _, search in self._known.items() if not (search.complete or search.hit)]

    def search_steps(self, seconds: float | None, work: int | None) -> Generator[Progress, None, None]:
        """Continue the searches, in slices of a few milliseconds.

        Args:
            seconds: processor time [s], shared by all undecided pairs; None for no limit.
            work: units of work, shared by all undecided pairs; None for no limit. Takes precedence over ``seconds``.
        """
        begun, before, waiting = time.perf_counter(), self._counted(), self.waiting
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
        self._work = replace(_difference(self._counted(), before), seconds=time.perf_counter() - begun)

    def added_to(self, found: SceneEstimate) -> SceneEstimate:
        """Return the estimate of the meshes ``found`` with the pairs with a cloud and the work of the last search."""
        if not len(self._known):
            return found
        known, searches = zip(*self._known.items(), strict=True)
        hit = np.array([search.hit for search in searches])
        probability = np.where(hit, 1.0, [search.probability() for search in searches])
        regions = np.full((len(searches), 2, 3), np.nan)
        for k in np.flatnonzero(hit).tolist():
            regions[k] = searches[k].found().points[0]
        pairs = np.concatenate([found.pairs, np.array(known, np.int64)])
        order = np.argsort(pair_keys(pairs))
        complete = hit | np.array([search.complete for search in searches])
        intervals = np.where(complete[:, None], probability[:, None], (0.0, 1.0))
        return SceneEstimate(
            pairs[order],
            np.concatenate([found.colliding, probability >= 0.5])[order],
            np.concatenate([found.probability, probability])[order],
            np.concatenate([found.complete, complete])[order],
            np.concatenate([found.regions, regions])[order],
            np.concatenate([found.triangles, np.full((len(searches), 2), -1, found.triangles.dtype)])[order],
            found.stats.plus(self._work),
            np.concatenate([found.intervals, intervals])[order],
        )

    def _counted(self) -> QueryStats:
        """Return the total work of all searches since they began."""
        total = QueryStats()
        for _, search in self._known.items():
            total = total.plus(search.stats(0.0))
        return total


def _search(scene: Members, pair: Pair) -> PairSearch:
    posed = ObjectPair.of(scene, *pair)
    first, second = posed.things
    assert isinstance(first, Thing) and isinstance(second, Thing)
    return search_for(first, second, posed.poses[0].rows, posed.poses[1].rows, first_only=True)[0]


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


def _difference(now: QueryStats, before: QueryStats) -> QueryStats:
    return QueryStats(
        now.volume_tests - before.volume_tests,
        now.primitive_tests - before.primitive_tests,
        now.exact_tests - before.exact_tests,
    )
