"""Coordinates as integers: four moving points on a common grid whose step along each axis is a power of two.

Each axis has a step of its own. This changes no sign: each polynomial in ``wide_stage.py`` is a sum of products that
all contain the same number of x, y and z coordinates. So a small coordinate along one axis does not make the numbers of
the other axes longer. Multiplication by a power of two is exact unless the result is subnormal. A result that is not an
integer, or a zero from a nonzero number, is not on the grid.
"""

from math import frexp, ldexp

import numpy as np

from ..geometry.wide_integers import plus, times, wide
from ..jit import inlined, inner

SHORT, LONG = 60, 122
"""Bits of the coordinates on the finer and on the finest grid: integers of one and of two words."""
_SPLIT = 62


@inner
def _largest_along(start, end, k):
    """Return the largest magnitude of (4, 3) and (4, 3) coordinates along axis k."""
    top = 0.0
    for i in range(4):
        top = max(top, abs(start[i, k]), abs(end[i, k]))
    return top


@inner
def _factors_for(top, bits):
    """Return two powers of two whose product takes ``top`` below 2**bits: a single one might not be a float64."""
    shift = bits - frexp(top)[1]
    half = shift // 2
    return ldexp(1.0, half), ldexp(1.0, shift - half)


@inner
def factors_of_axes(start, end, bits):
    """Return for each axis two powers of two whose product takes (4, 3) and (4, 3) coordinates below 2**bits."""
    return (
        _factors_for(_largest_along(start, end, 0), bits),
        _factors_for(_largest_along(start, end, 1), bits),
        _factors_for(_largest_along(start, end, 2), bits),
    )


@inlined
def _is_whole(x, y):
    """Return whether y, which is x times a power of two, is an integer, and not an underflow."""
    return y == np.floor(y) and (y != 0.0 or x == 0.0)


@inner
def _fits_along(start, end, k, factors):
    """Return whether all coordinates along axis k, times both factors, are integers."""
    for i in range(4):
        x, y = start[i, k], end[i, k]
        if not (_is_whole(x, x * factors[0] * factors[1]) and _is_whole(y, y * factors[0] * factors[1])):
            return False
    return True


@inlined
def fits_grid(start, end, factors):
    """Return whether all coordinates, times the factors of their axes, are integers."""
    return (
        _fits_along(start, end, 0, factors[0])
        and _fits_along(start, end, 1, factors[1])
        and _fits_along(start, end, 2, factors[2])
    )


@inlined
def _short(x, factors):
    return wide(int(x * factors[0] * factors[1]))


@inlined
def _long(x, factors):
    y = x * factors[0] * factors[1]
    high = np.floor(y * 2.0**-_SPLIT)
    return plus(times(wide(int(high)), wide(1 << _SPLIT)), wide(int(y - high * 2.0**_SPLIT)))


@inner
def short_point(start, end, i, factors):
    """Return point i at both times: three pairs of one-word integers."""
    return (
        (_short(start[i, 0], factors[0]), _short(end[i, 0], factors[0])),
        (_short(start[i, 1], factors[1]), _short(end[i, 1], factors[1])),
        (_short(start[i, 2], factors[2]), _short(end[i, 2], factors[2])),
    )


@inner
def long_point(start, end, i, factors):
    """Like ``short_point``, with two-word integers."""
    return (
        (_long(start[i, 0], factors[0]), _long(end[i, 0], factors[0])),
        (_long(start[i, 1], factors[1]), _long(end[i, 1], factors[1])),
        (_long(start[i, 2], factors[2]), _long(end[i, 2], factors[2])),
    )
