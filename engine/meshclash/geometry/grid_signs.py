"""Exact signs of determinants of coordinates that are integer multiples of one small step, by 192-bit integers.

Coordinates of models usually have this form: float32 values of similar size, or transformed float32 values. The
coordinates are scaled by a power of two so that the largest lies in [2**60, 2**61). Then they are integers of 62 bits;
differences fit into 63 bits, products of two into 126, determinants into 190. Integers are cheaper than floating-point
expansions, which handle all other coordinates.
"""

import math

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ..jit import config, inlined, inner
from .wide_integers import minus, plus, sign, times, wide

OFF_GRID = 2
"""The coordinates have no common grid of 62 bits, so no sign is computed. Equal to ``predicates.UNCERTAIN``."""

_WORD = ir.IntType(64)
_LEADING_BIT = 60  # of the largest scaled coordinate
_SCALED_EXPONENT = 2 * 1023 + _LEADING_BIT  # biased exponents of a number and of its scale add up to this


@intrinsic
def _compiled_scale(typingctx, top):
    def generate(context, builder, signature, args):
        exponent = builder.lshr(builder.bitcast(args[0], _WORD), ir.Constant(_WORD, 52))
        raised = builder.sub(ir.Constant(_WORD, _SCALED_EXPONENT), exponent)
        return builder.bitcast(builder.shl(raised, ir.Constant(_WORD, 52)), ir.DoubleType())

    return types.float64(types.float64), generate


def _plain_scale(top):
    return math.ldexp(1.0, _LEADING_BIT + 1 - math.frexp(top)[1])


_scale = _plain_scale if config.DISABLE_JIT else _compiled_scale


@inlined
def _area(ax, ay, bx, by):
    """Return ax by - ay bx of wide integers."""
    return minus(times(ax, by), times(ay, bx))


@inlined
def _largest(p):
    return max(abs(p[0]), abs(p[1]), abs(p[2]))


@inlined
def _on_grid(p, scale):
    """Return a point in integer steps of the grid, and its distance from these: 0.0 if the result is exact."""
    x, y, z = p[0] * scale, p[1] * scale, p[2] * scale
    i, j, k = int(x), int(y), int(z)
    return i, j, k, abs(i - x) + abs(j - y) + abs(k - z)


@inner
def grid_orient3d(a, b, c, d):
    """Return the sign of det(a - d, b - d, c - d), or OFF_GRID; points are (x, y, z), up to 2**300, not all zero."""
    scale = _scale(max(_largest(a), _largest(b), _largest(c), _largest(d)))
    dx, dy, dz, off_d = _on_grid(d, scale)
    ax, ay, az, off_a = _on_grid(a, scale)
    bx, by, bz, off_b = _on_grid(b, scale)
    cx, cy, cz, off_c = _on_grid(c, scale)
    if off_a + off_b + off_c + off_d != 0.0:
        return OFF_GRID
    ax, ay, az = wide(ax - dx), wide(ay - dy), wide(az - dz)
    bx, by, bz = wide(bx - dx), wide(by - dy), wide(bz - dz)
    cx, cy, cz = wide(cx - dx), wide(cy - dy), wide(cz - dz)
    first, second = times(_area(bx, by, cx, cy), az), times(_area(cx, cy, ax, ay), bz)
    return sign(plus(plus(first, second), times(_area(ax, ay, bx, by), cz)))


@inner
def grid_orient2d(ax, ay, bx, by, cx, cy):
    """Return the sign of det(a - c, b - c), or OFF_GRID; as ``grid_orient3d``."""
    scale = _scale(max(abs(ax), abs(ay), abs(bx), abs(by), abs(cx), abs(cy)))
    ai, aj, _, off_a = _on_grid((ax, ay, 0.0), scale)
    bi, bj, _, off_b = _on_grid((bx, by, 0.0), scale)
    ci, cj, _, off_c = _on_grid((cx, cy, 0.0), scale)
    if off_a + off_b + off_c != 0.0:
        return OFF_GRID
    return sign(_area(wide(ai - ci), wide(aj - cj), wide(bi - ci), wide(bj - cj)))
