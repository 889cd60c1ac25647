"""CUDA kernels that mark the voxels of a surface, with a thread for each triangle, and intersect two sets of voxels.

``device_steps.py`` has the code of a thread.
"""

import numpy as np

from ..gpu.cuda_gpu import cuda, kernel
from .cover import SHAPE_LENGTH
from .device_steps import NO_VOXELS, begin_triangle, brick_voxels
from .voxelisation import SPAN_LENGTH


@kernel("void(float64[:,::1], int32[:,::1], int32[::1], int64[::1], float64, uint64[:,::1])")
def mark_surface(points, triangles, chosen, size, slack, words):
    """Add the voxels that the chosen triangles touch to ``words`` (bricks, 8)."""
    shape = cuda.local.array(SHAPE_LENGTH, np.float64)
    span = cuda.local.array(SPAN_LENGTH, np.int64)
    bits = cuda.local.array(8, np.uint64)
    count_y, count_z = (size[1] + 7) >> 3, (size[2] + 7) >> 3
    for n in range(cuda.grid(1), chosen.shape[0], cuda.gridsize(1)):
        kind = begin_triangle(points, triangles, chosen[n], size, slack, shape, span)
        if kind == NO_VOXELS:
            continue
        for bx in range(span[0] >> 3, (span[3] >> 3) + 1):
            for by in range(span[1] >> 3, (span[4] >> 3) + 1):
                for bz in range(span[2] >> 3, (span[5] >> 3) + 1):
                    if brick_voxels(shape, kind, span, bx, by, bz, bits):
                        name = (bx * count_y + by) * count_z + bz
                        for x in range(8):
                            if bits[x] != 0:
                                cuda.atomic.or_(words, (name, x), bits[x])


@kernel("void(uint64[:,::1], uint64[:,::1])")
def keep_common_voxels(words, others):
    """Remove the voxels from ``words`` (bricks, 8) that ``others`` does not contain."""
    for brick in range(cuda.grid(1), words.shape[0], cuda.gridsize(1)):
        for x in range(8):
            words[brick, x] &= others[brick, x]
