"""Decide whether a point lies in a triangle, or two edges cross, in a projection along an axis, during an interval of
time.

At a time when d, u, v lie in one plane and component k of n = u x v is not zero, the two meet if and only if they do in
the projection along axis k. A point lies in the triangle if d = s u + w v with s, w >= 0 and s + w <= 1; edges meet if
d = s u - w v with 0 <= s, w <= 1. By Cramer's rule s n_k = (d x v)_k and w n_k = -+(d x u)_k. So only signs of
quadratics in t are needed: no quartic, no division.

Bound. A term of a Bernstein coefficient of such a quadratic carries the roundings of two differences, a product, a
difference and a sum: 5. Two levels of de Casteljau's rule add 6, and sums of two or three quadratics two more: 13 u p,
where p is the permanent of the 2x2 determinants, as P in ``coplanarity.py``. 16 u p covers this and the rounding of p
(5 u).
"""

from ..jit import inlined, inner
from .coplanarity import POINT_TRIANGLE, UNDERFLOW, UNIT, quadratic_between

_BOUND = 16.0 * UNIT

OUTSIDE, INSIDE, UNKNOWN, FLAT = 0, 1, 2, 3
"""Results: certainly outside during the whole interval, certainly inside, neither is certain, the normal's component
may vanish."""


@inlined
def _minor(a0, b0, a1, b1, i, j, low, high):
    """Return the Bernstein coefficients on [low, high] of (a x b)_k, where i, j, k is a cyclic order of the axes."""
    first = a0[i] * b0[j] - a0[j] * b0[i]
    middle = 0.5 * ((a1[i] * b0[j] - a1[j] * b0[i]) + (a0[i] * b1[j] - a0[j] * b1[i]))
    last = a1[i] * b1[j] - a1[j] * b1[i]
    return quadratic_between(first, middle, last, low, high)


@inlined
def _below(a, b, c, bound):
    return a < -bound and b < -bound and c < -bound


@inlined
def _above(a, b, c, bound):
    return a > bound and b > bound and c > bound


@inner
def inside_along(kind, k, d0, u0, v0, d1, u1, v1, sizes_d, sizes_u, sizes_v, low, high):
    """Return OUTSIDE, INSIDE, UNKNOWN or FLAT during [low, high], along axis k; sizes are those of ``larger``."""
    i, j = (k + 1) % 3, (k + 2) % 3
    size_n = sizes_u[i] * sizes_v[j] + sizes_u[j] * sizes_v[i]
    size_s = sizes_d[i] * sizes_v[j] + sizes_d[j] * sizes_v[i]
    size_w = sizes_d[i] * sizes_u[j] + sizes_d[j] * sizes_u[i]
    n0, n1, n2 = _minor(u0, v0, u1, v1, i, j, low, high)
    bound = _BOUND * size_n + UNDERFLOW
    if _above(n0, n1, n2, bound):
        sign = 1.0
    elif _below(n0, n1, n2, bound):
        sign = -1.0
    else:
        return FLAT
    n0, n1, n2 = sign * n0, sign * n1, sign * n2
    s0, s1, s2 = _minor(d0, v0, d1, v1, i, j, low, high)
    s0, s1, s2 = sign * s0, sign * s1, sign * s2
    bound = _BOUND * size_s + UNDERFLOW
    if _below(s0, s1, s2, bound):
        return OUTSIDE
    inside = _above(s0, s1, s2, bound)
    turn = -sign if kind == POINT_TRIANGLE else sign
    w0, w1, w2 = _minor(d0, u0, d1, u1, i, j, low, high)
    w0, w1, w2 = turn * w0, turn * w1, turn * w2
    bound = _BOUND * size_w + UNDERFLOW
    if _below(w0, w1, w2, bound):
        return OUTSIDE
    inside = inside and _above(w0, w1, w2, bound)
    if kind == POINT_TRIANGLE:
        bound = _BOUND * (size_n + size_s + size_w) + UNDERFLOW
        r0, r1, r2 = n0 - s0 - w0, n1 - s1 - w1, n2 - s2 - w2
        if _below(r0, r1, r2, bound):
            return OUTSIDE
        return INSIDE if inside and _above(r0, r1, r2, bound) else UNKNOWN
    bound = _BOUND * (size_n + size_s) + UNDERFLOW
    r0, r1, r2 = n0 - s0, n1 - s1, n2 - s2
    if _below(r0, r1, r2, bound):
        return OUTSIDE
    inside = inside and _above(r0, r1, r2, bound)
    bound = _BOUND * (size_n + size_w) + UNDERFLOW
    r0, r1, r2 = n0 - w0, n1 - w1, n2 - w2
    if _below(r0, r1, r2, bound):
        return OUTSIDE
    return INSIDE if inside and _above(r0, r1, r2, bound) else UNKNOWN


@inner
def _steepest_axis(u0, v0, u1, v1, t):
    """Return the axis along which the normal at time t is longest, within float64 precision."""
    m = 1.0 - t
    ux, uy, uz = m * u0[0] + t * u1[0], m * u0[1] + t * u1[1], m * u0[2] + t * u1[2]
    vx, vy, vz = m * v0[0] + t * v1[0], m * v0[1] + t * v1[1], m * v0[2] + t * v1[2]
    nx, ny, nz = abs(uy * vz - uz * vy), abs(uz * vx - ux * vz), abs(ux * vy - uy * vx)
    if nx >= ny and nx >= nz:
        return 0
    return 1 if ny >= nz else 2


@inner
def inside_between(kind, d0, u0, v0, d1, u1, v1, sizes_d, sizes_u, sizes_v, low, high):
    """Apply ``inside_along`` to the most informative axis, and to the other axes if this axis does not decide."""
    first = _steepest_axis(u0, v0, u1, v1, 0.5 * (low + high))
    found = FLAT
    for step in range(3):
        answer = inside_along(kind, (first + step) % 3, d0, u0, v0, d1, u1, v1, sizes_d, sizes_u, sizes_v, low, high)
        if answer in (OUTSIDE, INSIDE):
            return answer
        if answer == UNKNOWN:
            found = UNKNOWN
    return found


@inner
def inside_near(kind, d0, u0, v0, d1, u1, v1, sizes_d, sizes_u, sizes_v, low, high):
    """Like ``inside_between`` for a short interval, by only the first axis.

    Other axes rarely decide cases that the first axis does not decide.
    """
    first = _steepest_axis(u0, v0, u1, v1, 0.5 * (low + high))
    answer = inside_along(kind, first, d0, u0, v0, d1, u1, v1, sizes_d, sizes_u, sizes_v, low, high)
    return answer if answer != FLAT else UNKNOWN
