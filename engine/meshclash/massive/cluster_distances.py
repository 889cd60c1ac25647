"""Clearances and distances between two objects, of which at least one is clustered."""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..answering.answer import answer_steps
from ..traversal.question import Answer, Goal, Question
from ..traversal.sorting import sort_pairs
from ..types.steps import hold_progress
from .batches import batches
from .cluster_candidates import candidate_steps, gaps_of
from .cluster_contacts import Chosen, as_they_are, loaded_pair, small_numbers
from .operands import Clusters

_FIRST_GUESS = 2.0**-10
"""How far beyond the gap of the objects' boxes clusters are first searched for, as a share of the objects' size."""
_FIRST_BATCH = 4
"""Pairs of clusters that are measured first; then four times as many each time."""
_MOST_TOGETHER = 256
_NO_KINDS = np.empty(0, np.uint8)


class FoundNear(NamedTuple):
    """The result of a clearance query."""

    answer: Answer
    """Pairs with indices in the whole meshes; jobs are poses."""
    places: np.ndarray
    """Places of the triangles (``operands.PLACE_BITS``), (n, 2) int64."""


class _Nearest(NamedTuple):
    """The nearest pair of triangles found so far."""

    distance: float
    pair: tuple[int, int]
    points: np.ndarray


def clearance_steps(
    a: Clusters,
    b: Clusters,
    rows_a: np.ndarray,
    rows_b: np.ndarray,
    tolerance: float,
    chosen: Chosen = as_they_are,
) -> Generator[float, None, FoundNear]:
    """Find all pairs within a tolerance [m] in poses (k, 3, 4) of both objects; yield the share of the poses done.

    ``chosen`` receives the pairs of clusters that may have some, and returns the pairs to query.
    """
    counts = np.zeros(3, np.int64)
    parts: list[tuple[np.ndarray, ...]] = [(np.empty((0, 2), np.int64),) * 2 + (np.empty(0), np.empty(0, np.int32))]
    for pose, rows in enumerate(zip(rows_a, rows_b, strict=True)):
        share = pose / len(rows_a)
        pairs = chosen((yield from hold_progress(candidate_steps(a, b, *rows, tolerance), share)))
        for batch in batches(a, b, rows, pairs, tolerance):
            answer, found, places = yield from hold_progress(_asked(a, b, batch, rows, tolerance), share)
            counts += answer.volume_tests, answer.primitive_tests, answer.exact_tests
            parts.append((found, places, answer.distances, np.full(len(found), pose, np.int32)))
    pairs, places, distances, jobs = (np.concatenate(part) for part in zip(*parts, strict=True))
    bits = (a.triangle_count.bit_length(), b.triangle_count.bit_length(), (len(rows_a) - 1).bit_length())
    pairs, order, jobs = sort_pairs(pairs, np.arange(len(jobs)), jobs, *bits, len(jobs).bit_length())
    answer = Answer(small_numbers(a, b, pairs), _NO_KINDS, jobs, *_three(counts), distances=distances[order])
    return FoundNear(answer, places[order])


def _three(counts: np.ndarray) -> tuple[int, int, int]:
    return int(counts[0]), int(counts[1]), int(counts[2])


def nearest_steps(a: Clusters, b: Clusters, rows_a: np.ndarray, rows_b: np.ndarray) -> Generator[float, None, Answer]:
    """Find the nearest pair in each of the poses (k, 3, 4) of both objects; yield the share of the poses done."""
    counts = np.zeros(3, np.int64)
    found = []
    for pose, rows in enumerate(zip(rows_a, rows_b, strict=True)):
        found.append((yield from hold_progress(_nearest_of_pose(a, b, rows, counts), pose / len(rows_a))))
    pairs = small_numbers(a, b, np.array([nearest.pair for nearest in found], np.int64))
    distances = np.array([nearest.distance for nearest in found])
    points = np.stack([nearest.points for nearest in found])
    jobs = np.arange(len(found), dtype=np.int32)
    return Answer(pairs, _NO_KINDS, jobs, *_three(counts), distances=distances, points=points)


def _asked(
    a: Clusters, b: Clusters, batch: np.ndarray, rows: tuple[np.ndarray, np.ndarray], tolerance: float | None
) -> Generator[float, None, tuple[Answer, np.ndarray, np.ndarray]]:
    """Query pairs of clusters (n, 2); return the answer, its pairs as indices in the whole meshes, and the pairs of
    clusters they belong to.
    """
    sides = loaded_pair(a, b, batch)
    jobs = np.stack([np.searchsorted(side.numbers, batch[:, k]) for k, side in enumerate(sides)], axis=1)
    row_a, row_b = (np.repeat(row[None], len(jobs), axis=0) for row in rows)
    goal = {"goal": Goal.NEAREST} if tolerance is None else {"goal": Goal.WITHIN, "tolerance": tolerance}
    answer = yield from answer_steps(
        Question(sides[0].tree_set.side, sides[1].tree_set.side, jobs, row_a, row_b, **goal)
    )
    trees = jobs[answer.jobs]
    numbered = [side.ids(trees[:, k], answer.pairs[:, k]) for k, side in enumerate(sides)]
    placed = [side.places(trees[:, k], answer.pairs[:, k]) for k, side in enumerate(sides)]
    return answer, np.stack(numbered, axis=1), np.stack(placed, axis=1)


def _nearest_of_pose(
    a: Clusters, b: Clusters, rows: tuple[np.ndarray, np.ndarray], counts: np.ndarray
) -> Generator[float, None, _Nearest]:
    """Find the nearest pair of triangles in one pose.

    Pairs of clusters are measured in the order of their boxes' gaps, until no gap is below the distance found.
    """
    guess = yield from _first_candidates(a, b, rows)
    best = yield from _best_of(a, b, guess[:_FIRST_BATCH], rows, counts, None)
    if best.distance == 0.0:
        return best
    pairs = yield from hold_progress(candidate_steps(a, b, *rows, best.distance), 0.0)
    gaps = gaps_of(a, b, *rows, pairs)
    order = np.argsort(gaps, kind="stable")
    pairs, gaps = pairs[order], gaps[order]
    begin, size = 0, _FIRST_BATCH
    while begin < len(pairs) and gaps[begin] <= best.distance and best.distance > 0.0:
        end = min(begin + size, int(np.searchsorted(gaps, best.distance, "right")))
        best = yield from _best_of(a, b, pairs[begin:end], rows, counts, best)
        begin, size = end, min(4 * size, _MOST_TOGETHER)
    return best


def _first_candidates(
    a: Clusters, b: Clusters, rows: tuple[np.ndarray, np.ndarray]
) -> Generator[float, None, np.ndarray]:
    """Return some pairs of clusters that are near each other, the nearest boxes first."""
    beyond = float(gaps_of(a, b, *rows, None)[0])
    sizes = [np.ptp(side.hierarchy.volumes[0].astype(np.float64).reshape(2, 3), axis=0).max() for side in (a, b)]
    more = _FIRST_GUESS * max(*sizes, beyond, np.finfo(np.float32).tiny)
    while True:
        pairs = yield from hold_progress(candidate_steps(a, b, *rows, beyond), 0.0)
        if len(pairs):
            return pairs[np.argsort(gaps_of(a, b, *rows, pairs), kind="stable")]
        beyond, more = beyond + more, 2.0 * more


def _best_of(
    a: Clusters,
    b: Clusters,
    pairs: np.ndarray,
    rows: tuple[np.ndarray, np.ndarray],
    counts: np.ndarray,
    best: _Nearest | None,
) -> Generator[float, None, _Nearest]:
    """Return the nearest pair of triangles from the best pair so far and the given pairs of clusters.

    Among equally near pairs, the result is the first in sorted order.
    """
    for batch in batches(a, b, rows, pairs, None if best is None else best.distance):
        answer, numbered, _ = yield from _asked(a, b, batch, rows, None)
        counts += answer.volume_tests, answer.primitive_tests, answer.exact_tests
        k = int(np.lexsort((numbered[:, 1], numbered[:, 0], answer.distances))[0])
        found = _Nearest(float(answer.distances[k]), (int(numbered[k, 0]), int(numbered[k, 1])), answer.points[k])
        if best is None or found[:2] < best[:2]:
            best = found
    assert best is not None
    return best
