"""Narrower brackets of the moment when four points lie in one plane, by signs of f = det(d, u, v) in double-double.

Where f crosses zero slowly, float64 knows the moment to fewer than 40 bits. Sums of two doubles give 100 bits.

Bound. e = 2**-104. Differences of coordinates and 1 - t are exact (``two_difference``). Sums and products of
double-doubles, as written here, err by at most 8 e times the sum, or the product, of the magnitudes of their operands
(Joldes, Muller and Popescu 2017, "Tight and rigorous error bounds for basic building blocks of double-word
arithmetic": 3 e for the sum that is correct for both signs, 5 e for the product; a sum whose low parts cancel errs
relative to the magnitudes, which is all that is used). A component (1 - t) a + t b thus errs by 16 e times the larger
magnitude. A term of f passes three components, two products and three sums: 48 + 40 = 88 e, all relative to the
permanent P of ``moving.py``, which covers the magnitudes. 2**-96 P is more than twice as much, which covers the
rounding of P.
"""

from ..geometry.expansion import two_difference, two_product, two_sum
from ..jit import inlined, inner
from .moving import POINT_TRIANGLE, UNDERFLOW

_BOUND = 2.0**-96
_WIDTH = 2.0**-41
_STEPS = 4


@inlined
def _add(a, b):
    high, low = two_sum(a[0], b[0])
    tail, rest = two_sum(a[1], b[1])
    high, low = two_sum(high, low + tail)
    return two_sum(high, low + rest)


@inlined
def _multiply(a, b):
    product, error = two_product(a[0], b[0])
    return two_sum(product, error + (a[0] * b[1] + a[1] * b[0]))


@inlined
def _subtract(a, b):
    return _add(a, (-b[0], -b[1]))


@inlined
def _component(start, end, i, j, k, m, t):
    """Component k of point i minus point j at time t = 1 - m."""
    return _add(
        _multiply(m, two_difference(start[i, k], start[j, k])), _multiply(t, two_difference(end[i, k], end[j, k]))
    )


@inlined
def _vector(start, end, i, j, m, t):
    return (
        _component(start, end, i, j, 0, m, t),
        _component(start, end, i, j, 1, m, t),
        _component(start, end, i, j, 2, m, t),
    )


@inlined
def _minor(a, b, c, d):
    return _subtract(_multiply(a, d), _multiply(b, c))


@inner
def _determinant(d, u, v):
    return _add(
        _add(
            _multiply(d[0], _minor(u[1], u[2], v[1], v[2])),
            _multiply(d[1], _minor(u[2], u[0], v[2], v[0])),
        ),
        _multiply(d[2], _minor(u[0], u[1], v[0], v[1])),
    )


@inner
def _value(start, end, kind, time):
    """f at a time, in double-double."""
    t = (time, 0.0)
    m = two_difference(1.0, time)
    if kind == POINT_TRIANGLE:
        d = _vector(start, end, 0, 1, m, t)
        u = _vector(start, end, 2, 1, m, t)
        v = _vector(start, end, 3, 1, m, t)
    else:
        d = _vector(start, end, 2, 0, m, t)
        u = _vector(start, end, 1, 0, m, t)
        v = _vector(start, end, 3, 2, m, t)
    return _determinant(d, u, v)[0]


@inner
def sharpen(start, end, kind, size, sign, left, right):
    """A narrower bracket in [left, right] of its only root, where ``sign`` times f falls; as narrow as signs prove.

    The false position of the ends' values is tried, then points on both sides of it, closer each time.
    """
    bound = _BOUND * size + UNDERFLOW
    at_left = sign * _value(start, end, kind, left)
    at_right = sign * _value(start, end, kind, right)
    if not (at_left > bound and at_right < -bound):
        return left, right
    for _ in range(_STEPS):
        width = right - left
        if width <= 2.0 * _WIDTH:
            break
        middle = left + width * (at_left / (at_left - at_right))
        reach = max(0.25 * _WIDTH, width * 2.0**-10)
        for side in range(2):
            time = middle - reach if side == 0 else middle + reach
            if not left < time < right:
                continue
            value = sign * _value(start, end, kind, time)
            if value > bound:
                left, at_left = time, value
            elif value < -bound:
                right, at_right = time, value
    return left, right
