"""What ``device_gpu.py`` does, on the CPU: the same arguments, the same bits."""

import numpy as np
from meshclash.jit import kernel
from meshclash.voxels.cover import SHAPE_LENGTH
from meshclash.voxels.device_steps import NO_VOXELS, begin_triangle, brick_voxels
from meshclash.voxels.voxelisation import SPAN_LENGTH


@kernel
def mark_surface(points, triangles, chosen, size, slack, words):
    """Add the voxels that the chosen triangles touch to ``words`` (bricks, 8)."""
    shape, span, bits = np.empty(SHAPE_LENGTH), np.empty(SPAN_LENGTH, np.int64), np.empty(8, np.uint64)
    count_y, count_z = (size[1] + 7) >> 3, (size[2] + 7) >> 3
    for n in range(chosen.shape[0]):
        kind = begin_triangle(points, triangles, chosen[n], size, slack, shape, span)
        if kind == NO_VOXELS:
            continue
        for bx in range(span[0] >> 3, (span[3] >> 3) + 1):
            for by in range(span[1] >> 3, (span[4] >> 3) + 1):
                for bz in range(span[2] >> 3, (span[5] >> 3) + 1):
                    if brick_voxels(shape, kind, span, bx, by, bz, bits):
                        name = (bx * count_y + by) * count_z + bz
                        for x in range(8):
                            words[name, x] |= bits[x]


@kernel
def keep_common_voxels(words, others):
    """Take the voxels out of ``words`` (bricks, 8) that ``others`` lack."""
    for brick in range(words.shape[0]):
        for x in range(8):
            words[brick, x] &= others[brick, x]
