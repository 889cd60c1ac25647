"""Polynomials in time with integer coefficients of fixed width: a compiled ``forms.py``.

A form of degree n is the tuple (s_0, ..., s_n) of the sum of s_i t^i m^(n - i), m = 1 - t. Its coefficients on
intervals [i, i + 1] / 2**depth are sums of products with small weights, by blossoming.

Widths. Let coordinates have magnitudes below 2**60 in one word of w = 64 bits, or 2**122 in two, w = 128. D = 2**(w -
3) bounds their differences. Products double the width, so it remains to show that sums fit. Quadratics are sums of at
most three minors a_i b_j - a_j b_i, whose coefficients have magnitudes of at most 2 D^2, 4 D^2, 2 D^2: 12 D^2 < 2**(2 w
- 2). Cubics are scalar products of a difference with three minors: at most 18 D^3 < 2**(3 w - 4). A discriminant is at
most 288 D^4 < 2**(4 w - 3). The weights of an interval for a cubic have sums of at most 2**123, held in 192 bits. Down
to depth 20 these sums are at most 2**63, and each weight is below 2**62. For a quadratic they are at most 2**84, held
in 128 bits.
"""

from ..geometry.wide_integers import cut, minus, plus, sign, times, wide
from ..jit import inlined, inner
from .coplanarity import POINT_TRIANGLE


@inlined
def _form_minus(a, b):
    return minus(a[0], b[0]), minus(a[1], b[1])


@inlined
def difference_of(points, i, j):
    """Return moving point i minus moving point j: three forms of degree 1."""
    a, b = points[i], points[j]
    return _form_minus(a[0], b[0]), _form_minus(a[1], b[1]), _form_minus(a[2], b[2])


@inner
def vectors_of(points, kind):
    """Return d, u, v as in ``coplanarity.py``."""
    if kind == POINT_TRIANGLE:
        return difference_of(points, 0, 1), difference_of(points, 2, 1), difference_of(points, 3, 1)
    return difference_of(points, 2, 0), difference_of(points, 1, 0), difference_of(points, 3, 2)


@inlined
def quadratic(a, b):
    """Return the product of two forms of degree 1."""
    return times(a[0], b[0]), plus(times(a[0], b[1]), times(a[1], b[0])), times(a[1], b[1])


@inlined
def quadratic_minus(a, b):
    """Return the difference of two forms of degree 2."""
    return minus(a[0], b[0]), minus(a[1], b[1]), minus(a[2], b[2])


@inner
def minor(a, b, i, j):
    """Return a_i b_j - a_j b_i of two moving vectors, of degree 2."""
    return quadratic_minus(quadratic(a[i], b[j]), quadratic(a[j], b[i]))


@inlined
def _cubic_product(a, b):
    return (
        times(a[0], b[0]),
        plus(times(a[0], b[1]), times(a[1], b[0])),
        plus(times(a[0], b[2]), times(a[1], b[1])),
        times(a[1], b[2]),
    )


@inlined
def _cubic_plus(a, b):
    return plus(a[0], b[0]), plus(a[1], b[1]), plus(a[2], b[2]), plus(a[3], b[3])


@inner
def dot_cubic(d, n):
    """Return the scalar product of a moving vector and three forms of degree 2: of degree 3."""
    return _cubic_plus(_cubic_plus(_cubic_product(d[0], n[0]), _cubic_product(d[1], n[1])), _cubic_product(d[2], n[2]))


@inlined
def lifted_quadratic(q, zero):
    """Return the form of degree 3 with the values of one of degree 2; ``zero`` gives the width."""
    return plus(q[0], zero), plus(plus(q[0], q[1]), zero), plus(plus(q[1], q[2]), zero), plus(q[2], zero)


@inlined
def raised(a, b):
    """Return the form of degree 2 with the values of (a, b)."""
    return a, plus(a, b), b


@inner
def has_double_root(q):
    """Return whether the discriminant of a form of degree 2 vanishes."""
    square, product = times(q[1], q[1]), times(q[0], q[2])
    twice = plus(product, product)
    return sign(minus(minus(square, twice), twice)) == 0


@inner
def without_double_root(q):
    """Return a form of degree 2 with the same roots, each simple, for a nonzero form."""
    if not has_double_root(q):
        return q
    if sign(q[0]) != 0:
        return raised(plus(q[0], q[0]), q[1])
    return raised(q[1], plus(q[2], q[2]))


@inlined
def is_zero(q):
    """Return whether all coefficients of a form of degree 2 vanish."""
    return sign(q[0]) == 0 and sign(q[1]) == 0 and sign(q[2]) == 0


@inner
def quadratic_sign(q, index, depth):
    """Return the sign of a form of degree 2 at index / 2**depth."""
    t = wide(index)
    m = wide((1 << depth) - index)
    return sign(plus(plus(times(q[0], times(m, m)), times(q[1], times(m, t))), times(q[2], times(t, t))))


@inner
def quadratic_middle_sign(q, index, depth):
    """Return the sign of the middle coefficient of a form of degree 2 on [index, index + 1] / 2**depth."""
    t, u = wide(index), wide(index + 1)
    m, n = wide((1 << depth) - index), wide((1 << depth) - index - 1)
    first, second, last = times(m, n), plus(times(m, u), times(n, t)), times(t, u)
    return sign(plus(plus(times(q[0], plus(first, first)), times(q[1], second)), times(q[2], plus(last, last))))


@inner
def cubic_at(f, index, depth):
    """Return 2**(3 depth) times the value of a form of degree 3 at index / 2**depth."""
    t = wide(index)
    m = wide((1 << depth) - index)
    mm, tt = times(m, m), times(t, t)
    first = plus(times(f[0], cut(times(mm, m))), times(f[1], cut(times(mm, t))))
    return plus(first, plus(times(f[2], cut(times(tt, m))), times(f[3], cut(times(tt, t)))))


@inner
def cubic_middle_signs(f, index, depth):
    """Return the signs of both middle coefficients of a form of degree 3 on [index, index + 1] / 2**depth.

    The depth is at most 20.
    """
    t, u = index, index + 1
    m, n = (1 << depth) - t, (1 << depth) - u
    # three times the blossoms at (low, low, high) and (low, high, high): sums of products of small integers
    first = plus(
        plus(times(f[0], wide(3 * m * m * n)), times(f[1], wide(m * (m * u + 2 * n * t)))),
        plus(times(f[2], wide(t * (t * n + 2 * u * m))), times(f[3], wide(3 * t * t * u))),
    )
    second = plus(
        plus(times(f[0], wide(3 * m * n * n)), times(f[1], wide(n * (n * t + 2 * m * u)))),
        plus(times(f[2], wide(u * (u * m + 2 * t * n))), times(f[3], wide(3 * t * u * u))),
    )
    return sign(first), sign(second)
