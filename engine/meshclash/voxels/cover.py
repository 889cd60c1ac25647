"""Find the voxels that a triangle touches by the separating axis test; conservative, so no voxel is missed.

Coordinates are those of the grid: voxel (i, j, k) is the closed box from (i, j, k) to (i + 1, j + 1, k + 1). A triangle
and a box are disjoint if and only if one of 13 axes separates them (Akenine-Moeller 2001; Schwarz and Seidel 2010): the
three axes of the grid, the triangle's normal, and the cross product of each edge with each axis of the grid, which is a
normal of the edge as seen along that axis. The interval of the triangle along each of the last ten axes is computed
once per triangle.

Error bound. Let u = 2**-53, and let M be an upper bound of the coordinates c of the triangle and the voxel. Each c is
computed from world coordinates by a difference and a product, so its error is at most 3.1 u M. If the true triangle
meets a box, the computed triangle meets the box enlarged by that much. Along a normal (p, q) of an edge, the rounding
of p and q, of four products and of the sums adds at most 14 u M (|p| + |q|), and a box enlarged by s reaches (|p| +
|q|) s further. A ``slack`` s = 64 u (M + 1) covers both. The error of the normal n of the triangle is 4 u (|e_y f_z| +
|e_z f_y|) for the first component and similar for the others, so at most 4 u P in total. Because of cancellation, this
error may be far larger than u |n|, so n.c needs a margin of 16 u M P in addition to s |n|.

So a triangle is reported for every voxel that it touches. Any other voxel for which a triangle is reported is closer to
the triangle than the slack plus the smaller of the triangle's height and 16 u M P / |n| (the edges alone decide
segments).
"""

import numpy as np

from ..jit import inlined

SLACK = 2.0**-47
"""Slack [voxels] for coordinates up to 1; it grows in proportion to the coordinates."""
_PLANE_ERROR = 2.0**-49
EDGE = 5
"""Numbers stored for an axis that is normal to an edge: p, q, middle, reach, |p| + |q|."""
FIRST_EDGE = 5
"""Offset of the first edge's numbers, after n, n.c and its reach."""
CORNERS = FIRST_EDGE + 9 * EDGE
"""Offset of the nine coordinates of the corners."""
SHAPE_LENGTH = CORNERS + 9
"""Length of ``shape``."""


@inlined
def prepare_edges(shape, axis, slack):
    """Compute the intervals of the triangle along the normals of its edges, as seen along an axis of the grid."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    pu, pv = shape[CORNERS + u], shape[CORNERS + v]
    qu, qv = shape[CORNERS + 3 + u], shape[CORNERS + 3 + v]
    ru, rv = shape[CORNERS + 6 + u], shape[CORNERS + 6 + v]
    at = FIRST_EDGE + 3 * EDGE * axis
    for _ in range(3):
        a, b = pv - qv, qu - pu
        on_edge, opposite = a * pu + b * pv, a * ru + b * rv
        weight = abs(a) + abs(b)
        shape[at], shape[at + 1] = a, b
        shape[at + 2] = 0.5 * (on_edge + opposite)
        shape[at + 3] = 0.5 * abs(opposite - on_edge) + weight * (0.5 + slack)
        shape[at + 4] = weight
        at += EDGE
        pu, pv, qu, qv, ru, rv = qu, qv, ru, rv, pu, pv


@inlined
def prepare_shape(shape, slack):
    """Compute the intervals of the triangle in ``shape`` along the ten axes that are not the grid's."""
    ax, ay, az = shape[CORNERS], shape[CORNERS + 1], shape[CORNERS + 2]
    ex, ey, ez = shape[CORNERS + 3] - ax, shape[CORNERS + 4] - ay, shape[CORNERS + 5] - az
    fx, fy, fz = shape[CORNERS + 6] - ax, shape[CORNERS + 7] - ay, shape[CORNERS + 8] - az
    x1, x2, y1, y2, z1, z2 = ey * fz, ez * fy, ez * fx, ex * fz, ex * fy, ey * fx
    nx, ny, nz = x1 - x2, y1 - y2, z1 - z2
    permanent = abs(x1) + abs(x2) + abs(y1) + abs(y2) + abs(z1) + abs(z2)
    shape[0], shape[1], shape[2] = nx, ny, nz
    shape[3] = nx * ax + ny * ay + nz * az
    most = slack * (1.0 / SLACK)
    shape[4] = (abs(nx) + abs(ny) + abs(nz)) * (0.5 + slack) + _PLANE_ERROR * most * permanent
    for axis in range(3):
        prepare_edges(shape, axis, slack)


@inlined
def misses_box(shape, x, y, z, more):
    """Return whether one of the ten axes separates the triangle from a cube with half side 1/2 + ``more``."""
    normal = abs(shape[0]) + abs(shape[1]) + abs(shape[2])
    if abs(shape[0] * x + shape[1] * y + shape[2] * z - shape[3]) > shape[4] + normal * more:
        return True
    for axis in range(3):
        s = y if axis == 0 else (z if axis == 1 else x)
        t = z if axis == 0 else (x if axis == 1 else y)
        for k in range(3):
            at = FIRST_EDGE + (3 * axis + k) * EDGE
            if abs(shape[at] * s + shape[at + 1] * t - shape[at + 2]) > shape[at + 3] + shape[at + 4] * more:
                return True
    return False


@inlined
def _outside_edges(shape, axis, s, t):
    """Return whether a voxel around (s, t), seen along an axis, certainly misses the triangle."""
    at = FIRST_EDGE + 3 * EDGE * axis
    return (
        abs(shape[at] * s + shape[at + 1] * t - shape[at + 2]) > shape[at + 3]
        or abs(shape[at + 5] * s + shape[at + 6] * t - shape[at + 7]) > shape[at + 8]
        or abs(shape[at + 10] * s + shape[at + 11] * t - shape[at + 12]) > shape[at + 13]
    )


@inlined
def cover_brick(shape, x0, x1, y0, y1, z0, z1, bits):
    """Mark the voxels that the triangle touches in a range (both ends included) inside one brick.

    Args:
        shape: filled by ``prepare_shape``.
        bits: output, (8,) uint64: words x0 & 7 to x1 & 7 are written, with bit 8 (y & 7) + (z & 7).
    """
    for x in range(x0, x1 + 1):
        cx = x + 0.5
        word = np.uint64(0)
        for y in range(y0, y1 + 1):
            cy = y + 0.5
            if _outside_edges(shape, 2, cx, cy):
                continue
            flat = shape[0] * cx + shape[1] * cy - shape[3]
            for z in range(z0, z1 + 1):
                cz = z + 0.5
                if abs(flat + shape[2] * cz) > shape[4]:
                    continue
                if _outside_edges(shape, 0, cy, cz) or _outside_edges(shape, 1, cz, cx):
                    continue
                word |= np.uint64(1) << np.uint64(((y & 7) << 3) | (z & 7))
        bits[x & 7] = word


@inlined
def cover_flat(shape, axis, x0, x1, y0, y1, z0, z1, bits):
    """Like ``cover_brick``, for a triangle between two neighbouring planes of the grid perpendicular to ``axis``.

    Only the view along that axis matters, so ``shape`` needs only ``prepare_edges`` for it.
    """
    for x in range(x0, x1 + 1):
        word = np.uint64(0)
        for y in range(y0, y1 + 1):
            for z in range(z0, z1 + 1):
                s = y + 0.5 if axis == 0 else (z + 0.5 if axis == 1 else x + 0.5)
                t = z + 0.5 if axis == 0 else (x + 0.5 if axis == 1 else y + 0.5)
                if not _outside_edges(shape, axis, s, t):
                    word |= np.uint64(1) << np.uint64(((y & 7) << 3) | (z & 7))
        bits[x & 7] = word


@inlined
def fill_brick(x0, x1, y0, y1, z0, z1, bits):
    """Mark all voxels of a range inside one brick; arguments as ``cover_brick``."""
    line = (np.uint64(2) << np.uint64(z1 & 7)) - (np.uint64(1) << np.uint64(z0 & 7))
    word = np.uint64(0)
    for y in range(y0, y1 + 1):
        word |= line << np.uint64((y & 7) << 3)
    for x in range(x0, x1 + 1):
        bits[x & 7] = word
