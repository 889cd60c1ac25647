"""Distance queries with the binary traversal: the nearest pair of triangles, or all pairs within a tolerance.

This is the same search as ``near_wide.py``, over the binary tree and with a volume's ``gap`` as lower bound. This
search is used for volumes other than boxes, leaves of more than eight triangles and uncompiled code, and as the
reference in tests.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..jit import portable
from ..volumes.registry import volume_named
from .access import access_to
from .near_leaf import (
    CHAINED,
    LOWER,
    NEAREST,
    ROUNDING,
    keep_nearer,
    leaf_distance,
    pruning_limit,
    rounding_of,
    start_from_known,
)
from .near_work import NearestSoFar
from .order import Order
from .pairs import boxes_meet, place_triangles, traversal_with


class NearScratch(NamedTuple):
    """Scratch arrays like ``pairs.Scratch``, and additional arrays for distances."""

    leaf_a: np.ndarray
    leaf_b: np.ndarray
    indices_a: np.ndarray
    indices_b: np.ndarray
    bounds: np.ndarray
    """Lower bounds of the pairs on the stack, (entries,) float64 [m]."""
    goal: np.ndarray
    """``near_work.kernel_options``."""
    counts: np.ndarray
    """Pairs of triangles measured, (1,) int64."""


class NearOutput(NamedTuple):
    """Results: pairs within a tolerance, or the nearest pairs."""

    pairs: np.ndarray
    """(n, 2) int32."""
    lengths: np.ndarray
    """(n,) float64 [m]."""
    jobs: np.ndarray
    """(n,) int32."""
    nearest: NearestSoFar


@portable
def _start_from_known(
    test, volume_a, volume_b, pose, forest_a, tree_a, pose_a, forest_b, tree_b, pose_b, job, limits, scratch, output
):
    known = output.nearest
    found = known.distances, known.points, known.pairs
    if scratch.goal[NEAREST] != 0:
        scratch.counts[0] += start_from_known(
            forest_a, forest_b, tree_a, tree_b, pose_a, pose_b, scratch.leaf_a, scratch.leaf_b, found, job,
            scratch.goal[CHAINED] != 0, limits[ROUNDING] < 0.0,
        )  # fmt: skip
    scratch.bounds[0] = test(volume_a, volume_b, pose)
    return 1


@portable
def _are_beyond(test, volume_a, volume_b, pose, same, scratch, used, limit):
    return 0, scratch.bounds[used] > limit


@portable
def _nearer_on_top(test, row, exchange, volumes_a, start_a, volumes_b, start_b, pose, carried, stack, used, scratch):
    bounds = scratch.bounds
    for at in (used + 1, used):
        bounds[at] = test(
            row(volumes_a, start_a + np.int64(stack[at, 0]), carried, at, 0),
            row(volumes_b, start_b + np.int64(stack[at, 1]), carried, at, 1),
            pose,
        )
    if bounds[used] < bounds[used + 1]:
        for side in range(2):
            stack[used, side], stack[used + 1, side] = stack[used + 1, side], stack[used, side]
        bounds[used], bounds[used + 1] = bounds[used + 1], bounds[used]
        exchange(carried, used, used + 1)
    return 2


@portable
def _limit_of(job, limits, scratch, output):
    """Return the distance beyond which pairs are pruned: from the nearest pair so far, or the tolerance."""
    distance = output.nearest.distances[job]
    return pruning_limit(distance, limits) if scratch.goal[NEAREST] != 0 else distance


NEARER_FIRST = Order(_start_from_known, _are_beyond, _nearer_on_top, _limit_of)
"""Keeps a lower bound of the distance for each pair of nodes on the stack, the nearer pair on top.

``test`` is a volume's ``gap``."""


@portable
def _visit(
    leaf_test, forest_a, tree_a, count_a, pose_a,
    forest_b, tree_b, count_b, pose_b,
    same, job, errors, options, state, scratch, output, found,
):  # fmt: skip
    """Measure each pair of triangles of two leaves whose boxes are near enough."""
    leaf_a, leaf_b, indices_a, indices_b = scratch.leaf_a, scratch.leaf_b, scratch.indices_a, scratch.indices_b
    pairs, lengths, pair_jobs = output.pairs, output.lengths, output.jobs
    known = output.nearest
    nearest_so_far = known.distances, known.points, known.pairs
    nearest, apart = scratch.goal[NEAREST] != 0, errors[ROUNDING] < 0.0
    limit = _limit_of(job, errors, scratch, output)
    place_triangles(forest_a, tree_a, indices_a, count_a, pose_a, leaf_a)
    place_triangles(forest_b, tree_b, indices_b, count_b, pose_b, leaf_b)
    for i in range(count_a):
        for j in range(count_b):
            if not boxes_meet(leaf_a, i, leaf_b, j, limit):
                continue
            scratch.counts[0] += 1
            distance, x, y = leaf_distance(leaf_a, i, leaf_b, j, apart)
            uncertain = distance <= rounding_of(leaf_a, i, leaf_b, j, errors[ROUNDING])
            if nearest:
                t, u = np.int64(indices_a[i]), np.int64(indices_b[j])
                keep_nearer(nearest_so_far, job, 0.0 if uncertain else distance, t, u, x, y)
                limit = _limit_of(job, errors, scratch, output)
            elif uncertain or distance <= limit:
                pairs[found, 0] = indices_a[i]
                pairs[found, 1] = indices_b[j]
                lengths[found] = distance
                pair_jobs[found] = job
                found += 1
    return found, nearest and known.pairs[job, 0] >= 0 and known.distances[job] <= errors[LOWER]


def near_traversal(volume: str) -> Callable:
    """Return the kernel of ``traversal_with`` for one kind of volume; its ``tolerance`` is the array of errors."""
    verbs = volume_named(volume)
    return traversal_with(verbs.gap, verbs.size, access_to(verbs), _visit, None, order=NEARER_FIRST)
