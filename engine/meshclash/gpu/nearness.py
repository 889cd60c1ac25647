"""Distances and clearances on a machine: down the hierarchies by the gap of boxes, then distances of triangles.

What comes back is what the CPU's engines give (``traversal/near.py``): distances are the same numbers, as near as
rounding the exact predicates decide, and of pairs equally near the one that sorts first is named.
"""

from typing import Any, NamedTuple

import numpy as np

from ..geometry.triangle_distance import nearest_points
from ..geometry.triangle_pair import APART, classify_triangle_pairs
from ..traversal.near import LEAST, NearAnswer, exact_zeros
from ..traversal.near_work import ALL_APART, UNCERTAIN
from . import near_steps
from .breadth_first import Descent, Observer, Workspace, descend, selected_rows, summed
from .finish import own_triangles, world_corners
from .jobs import Asked, NearJobs, prepare_near_jobs
from .pyramid import width_for
from .state import DeviceFault
from .trees import Trees

_NODE_TEST = "count_near_pairs"
_PORTION = 1 << 16
"""Pairs that are brought to world coordinates at a time."""


class _Selected(NamedTuple):
    """Pairs of triangles that may belong to the answer, sorted by (job, i, j)."""

    pairs: np.ndarray
    jobs: np.ndarray
    """(n,) int64."""
    distances: np.ndarray
    uncertain: np.ndarray
    """(n,) bool."""


def find_clearances(
    space: Workspace, a: Trees, b: Trees, asked: Asked, tolerance: float, observe: Observer | None = None
) -> NearAnswer:
    """All pairs of triangles no farther apart than a tolerance [m], as ``NearQuestion`` asks; see ``traverse``."""
    machine, count = space.machine, len(asked.jobs)
    jobs = prepare_near_jobs(machine, a, b, asked, np.full(count, tolerance))
    machine.step("set_limits", count, jobs.limits, jobs.shrinks, jobs.frames)
    descent = descend(space, a, b, jobs, _NODE_TEST, observe=observe)
    lengths, kinds = _measure(space, a, b, jobs, descent, UNCERTAIN)
    found = _select(space, a, b, asked, descent, lengths, kinds, jobs.limits)
    distances = found.distances
    doubtful = np.flatnonzero(found.uncertain)
    for begin in range(0, len(doubtful), _PORTION):
        part = doubtful[begin : begin + _PORTION]
        corners = world_corners(a, b, asked, found.pairs[part], found.jobs[part])
        distances[part] = exact_zeros(distances[part], *corners)
    kept = distances <= tolerance
    counts = descent.volume_tests, descent.leaf_pairs, len(doubtful)
    jobs_of_pairs = found.jobs[kept].astype(np.int32)
    return NearAnswer(found.pairs[kept], distances[kept], np.empty((0, 2, 3)), jobs_of_pairs, *counts, "cuda")


def find_distances(
    space: Workspace, a: Trees, b: Trees, asked: Asked, limits: np.ndarray, observe: Observer | None = None
) -> NearAnswer:
    """The nearest pair of triangles of each job.

    Args:
        space, a, b, asked, observe: as ``traverse``.
        limits: distances (k,) [m] that are known not to be exceeded, of two triangles of each job; infinite where none
            is known.
    """
    machine, count = space.machine, len(asked.jobs)
    jobs = prepare_near_jobs(machine, a, b, asked, limits)

    def lower(pairs: Any, pair_count: int) -> None:
        machine.step(
            "lower_limits", pair_count,
            a.triangles, a.vertices, a.order, a.links, a.begins, a.roots, jobs.poses_a,
            b.triangles, b.vertices, b.order, b.links, b.begins, b.roots, jobs.poses_b,
            jobs.trees, pairs, pair_count, jobs.limits,
        )  # fmt: skip
        machine.step("set_limits", count, jobs.limits, jobs.shrinks, jobs.frames)

    descent = descend(space, a, b, jobs, _NODE_TEST, lower, observe)
    if descent.leaf_pairs == 0:
        raise DeviceFault("the device found no nearest triangles")
    found = _nearest(space, a, b, asked, jobs, descent, UNCERTAIN)
    _, first = np.unique(found.jobs, return_index=True)
    first, exact_tests = _first_meeting(a, b, asked, found, first)
    pairs, distances = found.pairs[first], np.where(found.uncertain[first], 0.0, found.distances[first])
    apart = np.flatnonzero(first < 0)  # as near as rounding, but not meeting
    if len(apart):
        finer = _nearest(space, a, b, asked, jobs, descent, ALL_APART)
        _, own = np.unique(finer.jobs, return_index=True)
        pairs[apart], distances[apart] = finer.pairs[own[apart]], np.maximum(finer.distances[own[apart]], LEAST)
    corners_a, corners_b = world_corners(a, b, asked, pairs, np.arange(count))
    points = nearest_points(corners_a, corners_b, distances > 0.0)[1]
    counts = descent.volume_tests, descent.leaf_pairs, exact_tests
    return NearAnswer(pairs, distances, points, np.arange(count, dtype=np.int32), *counts, "cuda")


def _measure(space: Workspace, a: Trees, b: Trees, jobs: NearJobs, descent: Descent, share: float) -> tuple[Any, Any]:
    """Distances and kinds of the pairs of leaves, on the machine."""
    lengths = space.array("lengths", max(descent.leaf_pairs, 1), 1, np.float64)
    kinds = space.array("kinds", max(descent.leaf_pairs, 1), 1, np.uint8)
    if descent.leaf_pairs:
        space.machine.step(
            "measure_leaves", descent.leaf_pairs,
            a.triangles, a.vertices, jobs.poses_a, b.triangles, b.vertices, jobs.poses_b,
            descent.leaves, descent.leaf_pairs, jobs.limits, share, lengths, kinds,
        )  # fmt: skip
    return lengths, kinds


def _nearest(
    space: Workspace, a: Trees, b: Trees, asked: Asked, jobs: NearJobs, descent: Descent, share: float
) -> _Selected:
    """The nearest pairs of each job, all that are equally near; those nearer than the share count as equally near."""
    lengths, kinds = _measure(space, a, b, jobs, descent, share)
    nearest = space.machine.upload(np.full(len(asked.jobs), np.inf))
    space.machine.step("find_nearest", descent.leaf_pairs, descent.leaves, descent.leaf_pairs, lengths, kinds, nearest)
    return _select(space, a, b, asked, descent, lengths, kinds, nearest)


def _select(
    space: Workspace, a: Trees, b: Trees, asked: Asked, descent: Descent, lengths: Any, kinds: Any, limits: Any
) -> _Selected:
    """The pairs that are uncertain or within the limits of their jobs."""
    rows, distances = np.empty((0, 4), np.int32), np.empty(0)
    if descent.leaf_pairs:
        width = width_for(descent.leaf_pairs)
        sums = space.array("sums", 2 * width, 1, np.int64)
        space.machine.step(
            "select_leaves", width, descent.leaves, descent.leaf_pairs, lengths, kinds, limits, sums, width
        )
        total = summed(space, sums, width)
        rows = selected_rows(space, descent.leaves, kinds, sums, width, total)
        if total:
            chosen = space.array("chosen lengths", total, 1, np.float64)
            space.machine.step("gather_lengths", total, lengths, sums, width, total, chosen)
            distances = space.machine.download(chosen, total)
    pairs, jobs = own_triangles(a, b, asked, rows), rows[:, 2].astype(np.int64)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], jobs))
    uncertain = rows[:, 3] == near_steps.UNCERTAIN
    return _Selected(pairs[order], jobs[order], distances[order], uncertain[order])


def _first_meeting(a: Trees, b: Trees, asked: Asked, found: _Selected, first: np.ndarray) -> tuple[np.ndarray, int]:
    """The first pair of each job, of jobs with uncertain pairs the first that meets, -1 for none; and exact tests."""
    open_jobs = found.uncertain[first]
    result = np.where(open_jobs, -1, first)
    tests = 0
    for begin in range(0, len(found.jobs), _PORTION):
        part = np.arange(begin, min(begin + _PORTION, len(found.jobs)))
        part = part[open_jobs[found.jobs[part]] & (result[found.jobs[part]] < 0)]
        if len(part):
            corners = world_corners(a, b, asked, found.pairs[part], found.jobs[part])
            meeting = part[classify_triangle_pairs(*corners)[0] != APART]
            tests += len(part)
            jobs, at = np.unique(found.jobs[meeting], return_index=True)
            result[jobs] = meeting[at]
    return result, tests
