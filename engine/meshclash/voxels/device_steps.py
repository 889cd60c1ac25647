"""The work of one thread on a triangle; the same code is used by CUDA kernels and by the host backend.

On a device, all bricks of the region are allocated, in the order of their names, because threads cannot add bricks.
The test of a voxel uses the same operations as ``voxelisation.py``, so the bits are the same.
"""

import numpy as np

from ..jit import inlined
from .cover import misses_box, prepare_edges, prepare_shape
from .voxelisation import SMALL, THICK, cover_range, first_level, flat_axis, load_triangle

NO_VOXELS = -1
"""Returned instead of a kind: the triangle reaches no voxel of the grid."""


@inlined
def begin_triangle(points, triangles, t, size, slack, shape, span):
    """Prepare ``shape`` and ``span`` of a triangle for ``brick_voxels``; return its kind, or NO_VOXELS."""
    if not load_triangle(points, triangles, t, slack, size, shape, span):
        return NO_VOXELS
    kind = flat_axis(span)
    if kind != SMALL and not _in_one_brick(span):
        kind = THICK
    if kind == THICK:
        prepare_shape(shape, slack)
    elif kind != SMALL:
        prepare_edges(shape, kind, slack)
    return kind


@inlined
def _in_one_brick(span):
    return span[0] >> 3 == span[3] >> 3 and span[1] >> 3 == span[4] >> 3 and span[2] >> 3 == span[5] >> 3


@inlined
def brick_voxels(shape, kind, span, bx, by, bz, bits):
    """Mark the voxels of a brick that the triangle touches in ``bits`` (8,).

    Returns False, without writing, if the triangle misses a cube around the brick.
    """
    if kind == THICK and not _in_one_brick(span):
        for up in range(first_level(span), -1, -1):
            level = np.int64(up)
            half = np.float64(np.int64(4) << level)
            side = 2.0 * half
            x, y, z = (bx >> level) * side + half, (by >> level) * side + half, (bz >> level) * side + half
            if misses_box(shape, x, y, z, half - 0.5):
                return False
    x0, x1 = max(span[0], 8 * bx), min(span[3], 8 * bx + 7)
    y0, y1 = max(span[1], 8 * by), min(span[4], 8 * by + 7)
    z0, z1 = max(span[2], 8 * bz), min(span[5], 8 * bz + 7)
    for x in range(8):
        bits[x] = 0
    cover_range(shape, kind, x0, x1, y0, y1, z0, z1, bits)
    return True
