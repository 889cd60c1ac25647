"""Distances and clearances on a backend: descend the hierarchies by the gaps between boxes, then measure triangles.

The results are the same as those of the CPU's engines (``traversal/near_engine.py``). Distances are the same numbers,
exact predicates decide pairs closer than rounding errors, and among equally near pairs the first in sorted order is
returned.
"""

from typing import Any, NamedTuple

import numpy as np

from ..geometry.triangle_distance import nearest_points
from ..geometry.triangle_pair import APART, classify_triangle_pairs
from ..traversal.engine import Chunk
from ..traversal.near_work import ALL_APART, LEAST, ROUNDING_SHARE
from ..traversal.question import Question
from . import near_steps
from .breadth_first import Descent, Observer, Workspace, descend, selected_rows, summed
from .jobs import NearJobs, own_triangles, prepare_near_jobs
from .pyramid import width_for
from .state import DeviceFault
from .trees import Trees

_NODE_TEST = "count_near_pairs"
_PORTION = 1 << 16
"""Number of pairs that are transformed to world coordinates at a time."""


class _Selected(NamedTuple):
    """Pairs of triangles that may belong to the result, sorted by (job, i, j)."""

    pairs: np.ndarray
    jobs: np.ndarray
    """(n,) int64."""
    distances: np.ndarray
    uncertain: np.ndarray
    """(n,) bool."""


def find_clearances(
    space: Workspace, a: Trees, b: Trees, question: Question, observe: Observer | None = None
) -> tuple[Chunk, tuple[int, int, int]]:
    """Find all pairs of triangles that may be within the tolerance of a query; arguments as for ``traverse``.

    Pairs closer than rounding errors are included for any tolerance.

    Returns:
        (the unsorted pairs, counters).
    """
    backend, count = space.backend, len(question.jobs)
    jobs = prepare_near_jobs(backend, a, b, question, np.full(count, question.tolerance))
    backend.step("set_limits", count, jobs.limits, jobs.shrinks, jobs.frames)
    descent = descend(space, a, b, jobs, _NODE_TEST, observe=observe)
    lengths, kinds = _measure(space, a, b, jobs, descent, ROUNDING_SHARE)
    found = _select(space, a, b, question, descent, lengths, kinds, jobs.limits)
    counts = descent.volume_tests, descent.leaf_pairs, int(found.uncertain.sum())
    return (found.pairs, found.distances, found.jobs.astype(np.int32)), counts


def find_distances(
    space: Workspace, a: Trees, b: Trees, question: Question, observe: Observer | None = None
) -> tuple[Chunk, tuple[int, int, int]]:
    """Find the nearest pair of triangles of each job; arguments as for ``traverse``.

    Returns:
        (the pairs with distances and nearest points, counters).
    """
    backend, count = space.backend, len(question.jobs)
    jobs = prepare_near_jobs(backend, a, b, question, _known_limits(question))

    def lower(pairs: Any, pair_count: int) -> None:
        backend.step(
            "lower_limits", pair_count,
            a.triangles, a.vertices, a.order, a.links, a.begins, a.roots, jobs.poses_a,
            b.triangles, b.vertices, b.order, b.links, b.begins, b.roots, jobs.poses_b,
            jobs.trees, pairs, pair_count, jobs.limits,
        )  # fmt: skip
        backend.step("set_limits", count, jobs.limits, jobs.shrinks, jobs.frames)

    descent = descend(space, a, b, jobs, _NODE_TEST, lower, observe)
    if descent.leaf_pairs == 0:
        raise DeviceFault("the device found no nearest triangles")
    found = _nearest(space, a, b, question, jobs, descent, ROUNDING_SHARE)
    _, first = np.unique(found.jobs, return_index=True)
    first, exact_tests = _first_meeting(question, found, first)
    pairs, distances = found.pairs[first], np.where(found.uncertain[first], 0.0, found.distances[first])
    apart = np.flatnonzero(first < 0)  # closer than rounding errors, but not meeting
    if len(apart):
        finer = _nearest(space, a, b, question, jobs, descent, ALL_APART)
        _, own = np.unique(finer.jobs, return_index=True)
        pairs[apart], distances[apart] = finer.pairs[own[apart]], np.maximum(finer.distances[own[apart]], LEAST)
    corners_a, corners_b = question.world_triangles(pairs, np.arange(count))
    points = nearest_points(corners_a, corners_b, distances > 0.0)[1]
    counts = descent.volume_tests, descent.leaf_pairs, exact_tests
    return (pairs, distances, np.arange(count, dtype=np.int32), points), counts


def _known_limits(question: Question) -> np.ndarray:
    """Return upper bounds (k,) [m] of the distances: the distances of the pairs to start from, otherwise infinity.

    In a stack of poses of the same two trees, a pose without such a pair uses the pair of an earlier pose.
    """
    limits = np.full(len(question.jobs), np.inf)
    if question.start is None:
        return limits
    places = np.where(question.start[:, 0] >= 0, np.arange(len(limits)), -1)
    if (question.jobs == question.jobs[:1]).all():
        places = np.maximum.accumulate(places)
    known = np.flatnonzero(places >= 0)
    limits[known] = nearest_points(*question.world_triangles(question.start[places[known]], known), True)[0]
    return limits


def _measure(space: Workspace, a: Trees, b: Trees, jobs: NearJobs, descent: Descent, share: float) -> tuple[Any, Any]:
    """Return the distances and kinds of the pairs of leaves, on the backend."""
    lengths = space.array("lengths", max(descent.leaf_pairs, 1), 1, np.float64)
    kinds = space.array("kinds", max(descent.leaf_pairs, 1), 1, np.uint8)
    if descent.leaf_pairs:
        space.backend.step(
            "measure_leaves", descent.leaf_pairs,
            a.triangles, a.vertices, jobs.poses_a, b.triangles, b.vertices, jobs.poses_b,
            descent.leaves, descent.leaf_pairs, jobs.limits, share, lengths, kinds,
        )  # fmt: skip
    return lengths, kinds


def _nearest(
    space: Workspace, a: Trees, b: Trees, question: Question, jobs: NearJobs, descent: Descent, share: float
) -> _Selected:
    """Return all nearest pairs of triangles of each job. Pairs closer than ``share`` (relative) count as equally
    near.
    """
    lengths, kinds = _measure(space, a, b, jobs, descent, share)
    nearest = space.backend.upload(np.full(len(question.jobs), np.inf))
    space.backend.step("find_nearest", descent.leaf_pairs, descent.leaves, descent.leaf_pairs, lengths, kinds, nearest)
    return _select(space, a, b, question, descent, lengths, kinds, nearest)


def _select(
    space: Workspace, a: Trees, b: Trees, question: Question, descent: Descent, lengths: Any, kinds: Any, limits: Any
) -> _Selected:
    """Return the pairs of triangles that are uncertain, or within the limits of their jobs."""
    rows, distances = np.empty((0, 4), np.int32), np.empty(0)
    if descent.leaf_pairs:
        width = width_for(descent.leaf_pairs)
        sums = space.array("sums", 2 * width, 1, np.int64)
        space.backend.step(
            "select_leaves", width, descent.leaves, descent.leaf_pairs, lengths, kinds, limits, sums, width
        )
        total = summed(space, sums, width)
        rows = selected_rows(space, descent.leaves, kinds, sums, width, total)
        if total:
            chosen = space.array("chosen lengths", total, 1, np.float64)
            space.backend.step("gather_lengths", total, lengths, sums, width, total, chosen)
            distances = space.backend.download(chosen, total)
    pairs, jobs = own_triangles(a, b, question, rows), rows[:, 2].astype(np.int64)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], jobs))
    uncertain = rows[:, 3] == near_steps.MAY_MEET
    return _Selected(pairs[order], jobs[order], distances[order], uncertain[order])


def _first_meeting(question: Question, found: _Selected, first: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the first pair of each job, and the number of exact tests.

    For a job with uncertain pairs, the result is the first pair that meets, or -1 if no pair meets.
    """
    open_jobs = found.uncertain[first]
    result = np.where(open_jobs, -1, first)
    tests = 0
    for begin in range(0, len(found.jobs), _PORTION):
        part = np.arange(begin, min(begin + _PORTION, len(found.jobs)))
        part = part[open_jobs[found.jobs[part]] & (result[found.jobs[part]] < 0)]
        if len(part):
            corners = question.world_triangles(found.pairs[part], found.jobs[part])
            meeting = part[classify_triangle_pairs(*corners)[0] != APART]
            tests += len(part)
            jobs, at = np.unique(found.jobs[meeting], return_index=True)
            result[jobs] = meeting[at]
    return result, tests
