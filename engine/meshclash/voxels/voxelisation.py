"""Voxelisation of triangles: a loop over triangles and bricks that passes their voxels to a visitor.

``visit(bricks, work, n, name, x0, x1, bits, shape)`` receives the voxels of the brick ``name`` that the n-th chosen
triangle touches (``cover_brick``). The visitor returns False if its voxels do not fit. Then the caller makes room, and
the triangle is visited again with all its bricks. So visiting a triangle twice must do no harm, or ``begin``, which is
called before each triangle, must let the visitor undo its work. ``wants(bricks, work, name)`` returns whether the
visitor needs a brick at all.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..jit import inlined, inner, kernel
from ..reference import by_reference
from .cover import (
    CORNERS,
    SHAPE_LENGTH,
    cover_brick,
    cover_flat,
    fill_brick,
    misses_box,
    prepare_edges,
    prepare_shape,
)

THICK, SMALL = 3, 4
"""Kinds of ranges: several voxels along every axis, or along at most one. The kinds 0 to 2 are the axis along which
alone the range is one voxel."""
SPAN_LENGTH = 9
"""Numbers that ``load_triangle`` writes for a triangle's range."""
_STACK = 8 * 20  # each of at most 18 levels pops one cube and pushes eight


@inlined
def _whole_below(x):
    """Return the floor of a number smaller than 2**63 in magnitude; ``np.floor`` is not available on devices."""
    whole = np.int64(x)
    return whole - 1 if x < whole else whole


@inlined
def _ends(p, q, r, slack, size, axis, span):
    """Write the range of the grid's voxels that three coordinates reach along an axis to ``span``.

    Also write whether the corners reach only one voxel, counting voxels beyond the grid. Returns whether the range is
    not empty.
    """
    low = p if p < q else q
    low = (low if low < r else r) - slack
    high = p if p > q else q
    high = (high if high > r else r) + slack
    first, last = _whole_below(low), _whole_below(high)
    most = size[axis] - 1
    span[axis] = first if first > 0 else 0
    span[3 + axis] = last if last < most else most
    span[6 + axis] = first == last
    return (first <= most) & (last >= 0)


@inlined
def load_triangle(points, triangles, t, slack, size, shape, span):
    """Load the corners of a triangle and the range of voxels that its box reaches; return whether it has any."""
    i, j, k = np.uint32(triangles[t, 0]), np.uint32(triangles[t, 1]), np.uint32(triangles[t, 2])
    inside = True
    for axis in range(3):
        p, q, r = points[i, axis], points[j, axis], points[k, axis]
        shape[CORNERS + axis], shape[CORNERS + 3 + axis], shape[CORNERS + 6 + axis] = p, q, r
        inside &= _ends(p, q, r, slack, size, axis, span)
    return inside


@inlined
def flat_axis(span):
    """Return the only axis along which the range is one voxel; THICK (3) without such an axis, SMALL (4) with
    several.
    """
    x, y, z = span[6], span[7], span[8]
    if x + y + z > 1:
        return SMALL
    return 0 if x else (1 if y else (2 if z else THICK))


@inlined
def first_level(span):
    """Return the lowest level at which at most two cubes of 8 << level voxels cover the range along each axis."""
    level = 0
    for axis in range(3):
        while (span[3 + axis] >> (3 + level)) - (span[axis] >> (3 + level)) > 1:
            level += 1
    return level


@inlined
def _put_cubes(stack, used, level, span, x, y, z, reach):
    """Push the cubes of a level in the range, from (x, y, z) to ``reach`` further; return the new stack size."""
    shift = 3 + level
    for i in range(max(x, span[0] >> shift), min(x + reach, span[3] >> shift) + 1):
        for j in range(max(y, span[1] >> shift), min(y + reach, span[4] >> shift) + 1):
            for k in range(max(z, span[2] >> shift), min(z + reach, span[5] >> shift) + 1):
                stack[used, 0], stack[used, 1], stack[used, 2], stack[used, 3] = level, i, j, k
                used += 1
    return used


@inlined
def cover_range(shape, kind, x0, x1, y0, y1, z0, z1, bits):
    """Mark the voxels that the triangle touches in a range inside one brick; arguments as ``cover_brick``."""
    if kind == SMALL:
        fill_brick(x0, x1, y0, y1, z0, z1, bits)
    elif kind == THICK:
        cover_brick(shape, x0, x1, y0, y1, z0, z1, bits)
    else:
        cover_flat(shape, kind, x0, x1, y0, y1, z0, z1, bits)


@cache
def make_voxeliser(begin: Callable, wants: Callable, visit: Callable, compiled_by: Callable = kernel) -> Callable:
    """Compile the kernel that visits the voxels of the chosen triangles ``first`` to ``last``.

    The kernel returns the first triangle without room, or ``last``. ``compiled_by=inner`` makes a function for other
    kernels instead.
    """

    @inner
    def walk_bricks(shape, kind, span, count_y, count_z, bricks, work, n, bits, stack):
        """Visit a triangle that reaches several bricks, from large cubes down to bricks, skipping those it misses."""
        level = first_level(span)
        used = _put_cubes(stack, 0, level, span, 0, 0, 0, np.int64(1) << 20)
        while used > 0:
            used -= 1
            level, x, y, z = stack[used, 0], stack[used, 1], stack[used, 2], stack[used, 3]
            half = np.float64(np.int64(4) << level)
            side = 2.0 * half
            if kind == THICK and misses_box(shape, x * side + half, y * side + half, z * side + half, half - 0.5):
                continue
            if level > 0:
                used = _put_cubes(stack, used, level - 1, span, 2 * x, 2 * y, 2 * z, 1)
                continue
            x0, x1 = max(span[0], 8 * x), min(span[3], 8 * x + 7)
            y0, y1 = max(span[1], 8 * y), min(span[4], 8 * y + 7)
            z0, z1 = max(span[2], 8 * z), min(span[5], 8 * z + 7)
            name = (x * count_y + y) * count_z + z
            if not wants(bricks, work, name):
                continue
            cover_range(shape, kind, x0, x1, y0, y1, z0, z1, bits)
            if not visit(bricks, work, n, name, x0 & 7, x1 & 7, bits, shape):
                return False
        return True

    def walk(points, triangles, chosen, first, last, size, slack, bricks, work):
        bricks = by_reference(bricks)
        work = by_reference(work)
        shape = np.empty(SHAPE_LENGTH)
        bits = np.empty(8, np.uint64)
        span = np.empty(SPAN_LENGTH, np.int64)
        stack = np.empty((_STACK, 4), np.int64)
        count_y, count_z = (size[1] + 7) >> 3, (size[2] + 7) >> 3
        for n in range(first, last):
            if not load_triangle(points, triangles, chosen[n], slack, size, shape, span):
                continue
            begin(work)
            bx, by, bz = span[0] >> 3, span[1] >> 3, span[2] >> 3
            alone = bx == span[3] >> 3 and by == span[4] >> 3 and bz == span[5] >> 3
            name = (bx * count_y + by) * count_z + bz
            if alone and not wants(bricks, work, name):
                continue
            kind = flat_axis(span)
            if kind != SMALL and not alone:
                kind = THICK
            if kind == THICK:
                prepare_shape(shape, slack)
            elif kind != SMALL:
                prepare_edges(shape, kind, slack)
            if alone:
                cover_range(shape, kind, span[0], span[3], span[1], span[4], span[2], span[5], bits)
                if not visit(bricks, work, n, name, span[0] & 7, span[3] & 7, bits, shape):
                    return n
            elif not walk_bricks(shape, kind, span, count_y, count_z, bricks, work, n, bits, stack):
                return n
        return last

    return compiled_by(walk)
