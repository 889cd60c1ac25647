"""The host backend's loops of distances and clearances: those of ``near_gpu.py``, on the CPU."""

import numpy as np
from meshclash.geometry.lane_gaps import near_square
from meshclash.gpu.near_steps import LIMIT, MAY_MEET, NEAR, distance_at_most, pair_distance
from meshclash.gpu.pyramid import CHILDREN, locate
from meshclash.jit import prange

from .loops import loop, serial_loop


@serial_loop
def set_limits(limits, shrinks, frames):
    """How near boxes must be to matter."""
    for job in range(limits.shape[0]):
        frames[job, LIMIT] = near_square(limits[job], shrinks[job])


@serial_loop
def lower_limits(
    triangles_a, vertices_a, order_a, links_a, begins_a, roots_a, poses_a,
    triangles_b, vertices_b, order_b, links_b, begins_b, roots_b, poses_b, trees, pairs, count, limits,
):  # fmt: skip
    """The limit of a job becomes the least distance that is known of its pairs."""
    for k in range(count):
        job = pairs[k, 2]
        distance = distance_at_most(
            triangles_a, vertices_a, order_a, links_a, begins_a, roots_a, poses_a,
            triangles_b, vertices_b, order_b, links_b, begins_b, roots_b, poses_b, trees, pairs[k, 0], pairs[k, 1], job,
        )  # fmt: skip
        limits[job] = min(limits[job], distance)


@loop
def measure_leaves(
    triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, leaves, count, limits, share, lengths, kinds
):
    """Distances of pairs of triangles."""
    for entry in prange(count):
        k = np.int64(entry)
        job = leaves[k, 2]
        lengths[k], kinds[k] = pair_distance(
            triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b,
            leaves[k, 0], leaves[k, 1], job, limits[job], share,
        )  # fmt: skip


@serial_loop
def find_nearest(leaves, count, lengths, kinds, nearest):
    """The least distance of each job; 0 where a pair is uncertain."""
    for k in range(count):
        job = leaves[k, 2]
        nearest[job] = min(nearest[job], 0.0 if kinds[k] == MAY_MEET else lengths[k])


@loop
def select_leaves(leaves, count, lengths, kinds, nearest, sums, width):
    """1 for each pair that is uncertain or no farther apart than its job asks, zeros behind them."""
    for entry in prange(width):
        k = np.int64(entry)
        sums[width + k] = 0
        if k < count and (kinds[k] == MAY_MEET or (kinds[k] == NEAR and lengths[k] <= nearest[leaves[k, 2]])):
            sums[width + k] = 1


@serial_loop
def gather_lengths(lengths, sums, width, count, chosen):
    """The distances of the pairs that were selected."""
    for slot in range(count):
        k, _ = locate(sums, width, slot, CHILDREN)
        chosen[slot] = lengths[k]
