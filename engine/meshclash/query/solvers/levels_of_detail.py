"""Massive models by levels of detail with a sufficiently small error: runs of clusters that are close."""

import time
from collections.abc import Callable, Generator
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from ...massive.cluster_candidates import candidate_steps
from ...massive.cluster_contacts import ContactOptions, Tally, pairs_steps
from ...massive.coverage import Covered, Leveled, Memory, cover_steps, in_rows, largest_error
from ...massive.levels import MeshLevel, levels_beside
from ...massive.mesh import ClusteredMesh
from ...massive.operands import PLACE_BITS, Clusters, samples, side_of
from ...types.results import QueryStats
from ...types.steps import hold_progress
from ..massive_collide import MassiveCollision
from ..table import Request

_memories: "WeakKeyDictionary[Any, WeakKeyDictionary[Any, tuple[Any, Any]]]" = WeakKeyDictionary()
"""Intermediate results of the last call about two objects, with its parameters."""
_PORTIONS = 2
"""Number of portions of ``samples`` that are read, of the pairs of pages that are close: about 72 pairs."""


def find_close_runs(request: Request) -> Generator[float, None, MassiveCollision]:
    """Implement ``massive_collide``: return the parts of two objects that are close."""
    lengths, memory, cover = request.options.detail
    rows = request.rows[0][0], request.rows[1][0]
    found = yield from (cover or _by_levels)(*request.things, rows, lengths, memory)
    covered, runs, tested, levels = found
    if len(covered.parts) and not (covered.upper <= lengths[0]).any():
        covered = yield from _proved(request.things, rows, runs, covered)
    seconds = time.perf_counter() - request.start
    stats = QueryStats(primitive_tests=covered.measured, volume_tests=tested, seconds=seconds)
    return MassiveCollision(request.things, rows, runs, covered, lengths, stats, levels)


def _proved(
    things: tuple[Any, Any], rows: tuple[np.ndarray, np.ndarray], runs: tuple[np.ndarray, np.ndarray], covered: Covered
) -> Generator[float, None, Covered]:
    """Return the cover, with a row that is known to have a contact if some pages contain a contact.

    A level of detail alone cannot prove that triangles meet, however deep the overlap: the triangles may lie on either
    side of the level. If objects overlap deeply, most pairs of close pages have contacts.
    """
    sides = side_of(things[0]), side_of(things[1])
    near = yield from hold_progress(candidate_steps(*sides, *rows, 0.0), 0.0)
    pairs = in_rows(near, runs, covered.parts)
    few = np.concatenate(samples(pairs)[:_PORTIONS])
    tally = Tally()
    yield from hold_progress(pairs_steps(*sides, 0, rows, ContactOptions(first_only=True), few, tally), 0.0)
    places = [portion.places[0] for portion in tally.portions if len(portion.places)]
    upper = covered.upper.copy()
    for place in places[:1]:
        clusters = [0 if side.whole else int(at) >> PLACE_BITS for side, at in zip(sides, place, strict=True)]
        part = [int(np.searchsorted(run[:, 0], at, "right")) - 1 for run, at in zip(runs, clusters, strict=True)]
        upper[(covered.parts == part).all(axis=1)] = 0.0
    return covered._replace(upper=upper, measured=covered.measured + len(few))


def forget(a: Any, b: Any) -> None:
    """Discard the intermediate results of the last call about two objects."""
    _memories.get(a, {}).pop(b, None)


def _by_levels(
    a: Any, b: Any, rows: tuple[np.ndarray, np.ndarray], lengths: tuple[float, float], memory: int
) -> Generator[float, None, tuple[Covered, tuple[np.ndarray, np.ndarray], int, tuple[Leveled, Leveled]]]:
    """Return rows by levels of detail with a sufficiently small error, the clusters of both, the box tests, and the
    levels.
    """
    delta, epsilon = lengths
    levels = _levels_of(a, b, (side_of(a), side_of(b)), rows, epsilon, memory)
    kept = memory_of(a, b, (levels[0].clusters, levels[1].clusters, delta), Memory)
    covered = yield from hold_progress(cover_steps(*levels, rows, delta, kept), 0.0)
    return covered, (levels[0].runs, levels[1].runs), 0, levels


def _levels_of(
    a: Any, b: Any, sides: tuple[Clusters, Clusters], rows: tuple[np.ndarray, np.ndarray], epsilon: float, memory: int
) -> tuple[Leveled, Leveled]:
    """Return the meshes to compare: of each object a level of detail with a small enough error, or the object."""
    found = [levels_beside(thing) if isinstance(thing, ClusteredMesh) else None for thing in (a, b)]
    bounds = bounds_of(sides[0]), bounds_of(sides[1])
    error = largest_error(sum(levels is not None for levels in found), epsilon, bounds, rows)
    leveled = []
    for side, levels, box in zip(sides, found, bounds, strict=True):
        level = None if levels is None or error == 0.0 else levels.level(error, memory)
        leveled.append(_itself(side, box) if level is None else _as_leveled(level, box))
    return leveled[0], leveled[1]


def bounds_of(side: Clusters) -> np.ndarray:
    """Return the lowest and highest coordinates of an object [m], (2, 3)."""
    if side.clustered is not None:
        return side.clustered.bounds
    assert side.mesh is not None
    return side.mesh.bounds


def _itself(side: Clusters, bounds: np.ndarray) -> Leveled:
    count = side.cluster_count
    runs = np.stack([np.arange(count), np.arange(1, count + 1)], axis=1)
    return Leveled(side, np.zeros(count), np.zeros(count), runs, bounds)


def _as_leveled(level: MeshLevel, bounds: np.ndarray) -> Leveled:
    both = np.stack([np.minimum(bounds[0], level.bounds[0]), np.maximum(bounds[1], level.bounds[1])])
    return Leveled(side_of(level), level.outs, level.backs, level.runs, both)


def memory_of(a: Any, b: Any, asked: tuple[Any, ...], new: Callable[[], Any]) -> Any:
    """Return the intermediate results of the last call about two objects, if the objects and lengths were the same."""
    of_a = _memories.setdefault(a, WeakKeyDictionary())
    key = *(ref(side.clustered or side.mesh) for side in asked[:2]), *asked[2:]
    last = of_a.get(b)
    if last is None or last[0] != key:
        last = of_a[b] = key, new()
    return last[1]
