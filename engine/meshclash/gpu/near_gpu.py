"""Kernels that distances and clearances use in addition to those of the traversal.

``near_steps.py`` has the work of one thread.
"""

from ..geometry.lane_gaps import near_square
from .cuda_gpu import cuda, kernel, peek
from .near_steps import LIMIT, MAY_MEET, NEAR, distance_at_most, pair_distance
from .pyramid import CHILDREN, locate
from .traverse_gpu import MESH

_PLANTED = "int32[:,::1], float64[:,::1], int32[::1], int32[:,::1], int64[::1], int64[::1], float64[:,::1]"


@kernel("void(float64[::1], float64[::1], float32[:,::1])")
def set_limits(limits, shrinks, frames):
    """Set how near boxes must be to matter, in the frame of each job."""
    for job in range(cuda.grid(1), limits.shape[0], cuda.gridsize(1)):
        frames[job, LIMIT] = near_square(limits[job], shrinks[job])


@kernel(f"void({_PLANTED}, {_PLANTED}, int64[:,::1], int32[:,::1], int64, float64[::1])")
def lower_limits(
    triangles_a, vertices_a, order_a, links_a, begins_a, roots_a, poses_a,
    triangles_b, vertices_b, order_b, links_b, begins_b, roots_b, poses_b, trees, pairs, count, limits,
):  # fmt: skip
    """Lower the limit of each job to the smallest upper bound of the distances of its pairs."""
    for k in range(cuda.grid(1), count, cuda.gridsize(1)):
        job = pairs[k, 2]
        distance = distance_at_most(
            triangles_a, vertices_a, order_a, links_a, begins_a, roots_a, poses_a,
            triangles_b, vertices_b, order_b, links_b, begins_b, roots_b, poses_b, trees, pairs[k, 0], pairs[k, 1], job,
        )  # fmt: skip
        # The limit that is read may be outdated. Then it is larger, and the atomic operation decides.
        if distance < peek(limits, job):
            cuda.atomic.min(limits, job, distance)


@kernel(f"void({MESH}, {MESH}, int32[:,::1], int64, float64[::1], float64, float64[::1], uint8[::1])")
def measure_leaves(
    triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, leaves, count, limits, share, lengths, kinds
):
    """Compute the distances and kinds of pairs of triangles."""
    for k in range(cuda.grid(1), count, cuda.gridsize(1)):
        job = leaves[k, 2]
        lengths[k], kinds[k] = pair_distance(
            triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b,
            leaves[k, 0], leaves[k, 1], job, limits[job], share,
        )  # fmt: skip


@kernel("void(int32[:,::1], int64, float64[::1], uint8[::1], float64[::1])")
def find_nearest(leaves, count, lengths, kinds, nearest):
    """Compute the smallest distance of each job; 0 if one of its pairs is uncertain."""
    for k in range(cuda.grid(1), count, cuda.gridsize(1)):
        job = leaves[k, 2]
        distance = 0.0 if kinds[k] == MAY_MEET else lengths[k]
        if distance < peek(nearest, job):
            cuda.atomic.min(nearest, job, distance)


@kernel("void(int32[:,::1], int64, float64[::1], uint8[::1], float64[::1], int64[::1], int64)")
def select_leaves(leaves, count, lengths, kinds, nearest, sums, width):
    """Write 1 to the pyramid's counts for each pair that is uncertain or within its job's limit, otherwise 0."""
    for k in range(cuda.grid(1), width, cuda.gridsize(1)):
        found = 0
        if k < count and (kinds[k] == MAY_MEET or (kinds[k] == NEAR and lengths[k] <= nearest[leaves[k, 2]])):
            found = 1
        sums[width + k] = found


@kernel("void(float64[::1], int64[::1], int64, int64, float64[::1])")
def gather_lengths(lengths, sums, width, count, chosen):
    """Collect the distances of the selected pairs."""
    for slot in range(cuda.grid(1), count, cuda.gridsize(1)):
        k, _ = locate(sums, width, slot, CHILDREN)
        chosen[slot] = lengths[k]
