"""Moving points, and the determinant that tells when four of them lie in one plane, in float64 with an error bound.

Four points move along straight lines from time 0 to time 1: a point and a triangle's corners (``POINT_TRIANGLE``), or
the ends of two edges (``EDGE_EDGE``). With the vectors

    d = P - A, u = B - A, v = C - A          (point P, triangle A, B, C)
    d = R - P, u = Q - P, v = S - R          (edges PQ and RS)

which are linear in the time t, the two can meet only when f(t) = det(d, u, v) = 0. f is a cubic; in Bernstein form f(t)
= sum of B_i binomial(3, i) t^i (1 - t)^(3 - i), and the B_i are mixed determinants of the vectors at both times.

Bound. Here u stands for 2**-53. D_k, U_k, V_k are the larger magnitudes of the computed components of d, u, v at both
times, and P = sum of D_i (U_j V_k + U_k V_j) is their permanent. A term of a B_i carries 12 roundings: three
differences; a product, a difference and a sum in the cross product; a product and two sums in the scalar product; a sum
of two of these; and two for the third. So B_i is off by 13 u P at most. A level of de Casteljau's rule (1 - t) a + t b
carries three more, and there are three levels: 22 u P, and magnitudes stay below P(1 + 13 u). 32 u P covers this and
the rounding of P itself (9 u). If no difference exceeds ``LARGEST_DIFFERENCE`` = 2**200, an underflow adds at most
2**-1074 times two such differences per product, and there are fewer than 100 products: ``UNDERFLOW`` covers all.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined

POINT_TRIANGLE, EDGE_EDGE = 0, 1
UNIT = 2.0**-53
CUBIC_BOUND = 32.0 * UNIT
UNDERFLOW = 2.0**-600
LARGEST_DIFFERENCE = 2.0**200


class Rows(NamedTuple):
    """Many groups of four points at both times, passed ``by_reference``."""

    start: np.ndarray
    """(n, 4, 3) float64."""
    end: np.ndarray


@inlined
def point_is_apart(start, end, k):
    """Return whether the point stays strictly on one side of the triangle along axis k; exact, by comparisons only."""
    p, q = start[0, k], end[0, k]
    if p > start[1, k]:
        return (
            p > start[2, k] and p > start[3, k] and q > end[1, k] and q > end[2, k] and q > end[3, k]
        )  # relative coordinates are linear in time: strictly positive at both ends, so always
    return p < start[1, k] and p < start[2, k] and p < start[3, k] and q < end[1, k] and q < end[2, k] and q < end[3, k]


@inlined
def edges_are_apart(start, end, k):
    """Return whether one edge stays strictly on one side of the other along axis k; exact, by comparisons only."""
    if start[0, k] > start[2, k]:
        return min(start[0, k], start[1, k]) > max(start[2, k], start[3, k]) and min(end[0, k], end[1, k]) > max(
            end[2, k], end[3, k]
        )
    return max(start[0, k], start[1, k]) < min(start[2, k], start[3, k]) and max(end[0, k], end[1, k]) < min(
        end[2, k], end[3, k]
    )


@inlined
def apart_along_axes(start, end, kind):
    """Return whether an axis separates two moving elements at all times: exact."""
    if kind == POINT_TRIANGLE:
        return point_is_apart(start, end, 0) or point_is_apart(start, end, 1) or point_is_apart(start, end, 2)
    return edges_are_apart(start, end, 0) or edges_are_apart(start, end, 1) or edges_are_apart(start, end, 2)


@inlined
def difference(points, i, j):
    """Return point i minus point j of (4, 3)."""
    return points[i, 0] - points[j, 0], points[i, 1] - points[j, 1], points[i, 2] - points[j, 2]


@inlined
def vectors(points, kind):
    """Return the vectors d, u, v at one time."""
    if kind == POINT_TRIANGLE:
        return difference(points, 0, 1), difference(points, 2, 1), difference(points, 3, 1)
    return difference(points, 2, 0), difference(points, 1, 0), difference(points, 3, 2)


@inlined
def larger(a, b):
    """Return the larger magnitudes of two vectors, for each component."""
    return max(abs(a[0]), abs(b[0])), max(abs(a[1]), abs(b[1])), max(abs(a[2]), abs(b[2]))


@inlined
def largest(a):
    """Return the largest component of a vector of magnitudes."""
    return max(a[0], a[1], a[2])


@inlined
def permanent(d, u, v):
    """Return the permanent P of magnitudes of the vectors."""
    return d[0] * (u[1] * v[2] + u[2] * v[1]) + d[1] * (u[2] * v[0] + u[0] * v[2]) + d[2] * (u[0] * v[1] + u[1] * v[0])


@inlined
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def coplanarity(d0, u0, v0, d1, u1, v1):
    """Return the Bernstein coefficients B_0 to B_3 of det(d, u, v)."""
    first, last = _cross(u0, v0), _cross(u1, v1)
    p, q = _cross(u1, v0), _cross(u0, v1)
    mixed = p[0] + q[0], p[1] + q[1], p[2] + q[2]
    third = 1.0 / 3.0
    return (
        _dot(d0, first),
        (_dot(d1, first) + _dot(d0, mixed)) * third,
        (_dot(d1, mixed) + _dot(d0, last)) * third,
        _dot(d1, last),
    )


@inlined
def cubic_at(b, t):
    """Return the value at t of a cubic with Bernstein coefficients b."""
    m = 1.0 - t
    p, q, r = m * b[0] + t * b[1], m * b[1] + t * b[2], m * b[2] + t * b[3]
    return m * (m * p + t * q) + t * (m * q + t * r)


@inlined
def cubic_between(b, low, high):
    """Return the Bernstein coefficients of the same cubic on [low, high], by blossoming."""
    m, n = 1.0 - low, 1.0 - high
    p, q, r = m * b[0] + low * b[1], m * b[1] + low * b[2], m * b[2] + low * b[3]
    x, y, z = n * b[0] + high * b[1], n * b[1] + high * b[2], n * b[2] + high * b[3]
    pp, qq = m * p + low * q, m * q + low * r
    px, qy = m * x + low * y, m * y + low * z
    xx, yy = n * x + high * y, n * y + high * z
    return m * pp + low * qq, m * px + low * qy, n * px + high * qy, n * xx + high * yy


@inlined
def quadratic_between(a, b, c, low, high):
    """Return the Bernstein coefficients on [low, high] of the quadratic that has a, b, c on [0, 1]."""
    m, n = 1.0 - low, 1.0 - high
    p, q = m * a + low * b, m * b + low * c
    x, y = n * a + high * b, n * b + high * c
    return m * p + low * q, n * p + high * q, n * x + high * y
