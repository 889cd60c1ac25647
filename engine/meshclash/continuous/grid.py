"""Coordinates as whole numbers: four moving points on a common grid, whose step is a power of two.

Multiplication by a power of two is exact unless the result is subnormal; what is not a whole number then, or a zero
that was none, is not on the grid.
"""

from math import frexp, ldexp

import numpy as np

from ..geometry.wide_integers import plus, times, wide
from ..jit import inlined, inner

SHORT, LONG = 60, 122
"""Bits of the coordinates on the finer and on the finest grid: numbers of one and of two words."""
_SPLIT = 62


@inner
def largest_coordinate(start, end):
    """The largest magnitude of (4, 3) and (4, 3) coordinates."""
    top = 0.0
    for i in range(4):
        for k in range(3):
            top = max(top, abs(start[i, k]), abs(end[i, k]))
    return top


@inner
def factors_for(top, bits):
    """Two powers of two whose product takes ``top`` below 2**bits: one of them alone might not be a float64."""
    shift = bits - frexp(top)[1]
    half = shift // 2
    return ldexp(1.0, half), ldexp(1.0, shift - half)


@inlined
def _is_whole(x, y):
    """Whether y, which is x times a power of two, is a whole number, and not an underflow."""
    return y == np.floor(y) and (y != 0.0 or x == 0.0)


@inner
def fits_grid(start, end, first, second):
    """Whether all coordinates, times both factors, are whole numbers."""
    for i in range(4):
        for k in range(3):
            x, y = start[i, k], end[i, k]
            if not (_is_whole(x, x * first * second) and _is_whole(y, y * first * second)):
                return False
    return True


@inlined
def _short(x, first, second):
    return wide(int(x * first * second))


@inlined
def _long(x, first, second):
    y = x * first * second
    high = np.floor(y * 2.0**-_SPLIT)
    return plus(times(wide(int(high)), wide(1 << _SPLIT)), wide(int(y - high * 2.0**_SPLIT)))


@inner
def short_point(start, end, i, first, second):
    """Point i of both times: three pairs of numbers of one word."""
    return (
        (_short(start[i, 0], first, second), _short(end[i, 0], first, second)),
        (_short(start[i, 1], first, second), _short(end[i, 1], first, second)),
        (_short(start[i, 2], first, second), _short(end[i, 2], first, second)),
    )


@inner
def long_point(start, end, i, first, second):
    """As ``short_point``, of two words."""
    return (
        (_long(start[i, 0], first, second), _long(end[i, 0], first, second)),
        (_long(start[i, 1], first, second), _long(end[i, 1], first, second)),
        (_long(start[i, 2], first, second), _long(end[i, 2], first, second)),
    )
