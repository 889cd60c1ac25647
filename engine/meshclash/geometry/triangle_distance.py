"""Distances of points, segments and triangles in float64.

Source: Ericson, "Real-Time Collision Detection" (2005), sections 5.1.5 and 5.1.9, with the parameters clamped in an
order that also serves zero-length segments and zero-area triangles.
"""

import math

import numpy as np

from ..jit import inlined, inner, kernel

_LEAST_SINE2 = 1e-24  # below this squared sine of its angle a triangle's normal is rounding: only its edges count
_PIERCING2 = 1e-30  # squared share of the coordinates by which a point of a triangle may be off by rounding


@inner
def _difference(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def _along(a, d, t):
    return a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2]


@inner
def _clamp(t):
    return min(max(t, 0.0), 1.0)


@inlined
def largest_coordinate(p, q, r):
    """The largest absolute coordinate of three points."""
    size = 0.0
    for k in range(3):
        size = max(size, abs(p[k]), abs(q[k]), abs(r[k]))
    return size


@inner
def closest_on_segment(p, a, b):
    """The point of segment ab nearest to p."""
    d = _difference(b, a)
    length2 = _dot(d, d)
    t = _clamp(_dot(_difference(p, a), d) / length2) if length2 > 0.0 else 0.0
    return _along(a, d, t)


@inner
def squared_distance(a, b):
    """Squared distance of two points."""
    d = _difference(a, b)
    return _dot(d, d)


@inner
def closest_on_triangle(p, a, b, c):
    """The point of triangle abc nearest to p."""
    ab = _difference(b, a)
    ac = _difference(c, a)
    ap = _difference(p, a)
    d1 = _dot(ab, ap)
    d2 = _dot(ac, ap)
    bp = _difference(p, b)
    d3 = _dot(ab, bp)
    d4 = _dot(ac, bp)
    cp = _difference(p, c)
    d5 = _dot(ab, cp)
    d6 = _dot(ac, cp)
    va = d3 * d6 - d5 * d4
    vb = d5 * d2 - d1 * d6
    vc = d1 * d4 - d3 * d2
    n = _cross(ab, ac)
    square = _dot(n, n)
    if va > 0.0 and vb > 0.0 and vc > 0.0 and square > _LEAST_SINE2 * _dot(ab, ab) * _dot(ac, ac):
        # Down the normal rather than by barycentric weights: those cancel on slender triangles.
        return _along(p, n, -_dot(n, ap) / square)
    best = closest_on_segment(p, a, b)
    best2 = squared_distance(p, best)
    other = closest_on_segment(p, b, c)
    other2 = squared_distance(p, other)
    if other2 < best2:
        best, best2 = other, other2
    other = closest_on_segment(p, c, a)
    return other if squared_distance(p, other) < best2 else best


@inner
def closest_of_segments(p1, q1, p2, q2):
    """The nearest points (on p1q1, on p2q2) of two segments."""
    d1 = _difference(q1, p1)
    d2 = _difference(q2, p2)
    r = _difference(p1, p2)
    a = _dot(d1, d1)
    e = _dot(d2, d2)
    f = _dot(d2, r)
    c = _dot(d1, r)
    b = _dot(d1, d2)
    denominator = a * e - b * b
    s = _clamp((b * f - c * e) / denominator) if denominator > 0.0 else 0.0
    t = _clamp((b * s + f) / e) if e > 0.0 else 0.0
    s = _clamp((b * t - c) / a) if a > 0.0 else 0.0
    return _along(p1, d1, s), _along(p2, d2, t)


@inner
def _pierces(a, b, p, q, r):
    """Whether segment ab goes through triangle pqr; only for the distance, so float64 is enough."""
    pq = _difference(q, p)
    pr = _difference(r, p)
    n = _cross(pq, pr)
    da = _dot(n, _difference(a, p))
    db = _dot(n, _difference(b, p))
    if da * db > 0.0 or da == db:
        return False
    ab = _difference(b, a)
    x = _along(a, ab, da / (da - db))
    # What is lost in x grows with the segment and its way to the triangle, which may be much smaller.
    size = max(_dot(pq, pq), _dot(pr, pr), _dot(ab, ab), squared_distance(a, p))
    return squared_distance(x, closest_on_triangle(x, p, q, r)) <= _PIERCING2 * size


@inner
def _through(a, b, p, q, r):
    """Where segment ab meets the plane of pqr, known to do so."""
    pq = _difference(q, p)
    pr = _difference(r, p)
    n = _cross(pq, pr)
    da = _dot(n, _difference(a, p))
    db = _dot(n, _difference(b, p))
    return _along(a, _difference(b, a), da / (da - db))


@inner
def _beyond(p, x, y):
    """Whether p lies beyond the plane through y across the way from x to y."""
    return _dot(_difference(p, y), _difference(y, x)) >= 0.0


@inner
def _closest_seen_from_corner(p1, q1, r1, p2, q2, r2):
    """Features are compared until two planes across the way between the nearest points have the triangles beyond them.

    Then nothing is nearer (Larsen, Gottschalk, Lin, Manocha 1999). Nearest points of two segments, and of a point and a
    triangle, have those on their sides already; so only the other corners are looked at.
    """
    best2 = math.inf
    best1_point = p1
    best2_point = p2
    for i in range(3):
        a = p1 if i == 0 else (q1 if i == 1 else r1)
        b = q1 if i == 0 else (r1 if i == 1 else p1)
        other_a = r1 if i == 0 else (p1 if i == 1 else q1)
        for j in range(3):
            c = p2 if j == 0 else (q2 if j == 1 else r2)
            d = q2 if j == 0 else (r2 if j == 1 else p2)
            other_c = r2 if j == 0 else (p2 if j == 1 else q2)
            x, y = closest_of_segments(a, b, c, d)
            distance2 = squared_distance(x, y)
            if distance2 < best2:
                best2, best1_point, best2_point = distance2, x, y
                if distance2 > 0.0 and _beyond(other_c, x, y) and _beyond(other_a, y, x):
                    return best2, best1_point, best2_point
            if i == 0:
                x = closest_on_triangle(c, p1, q1, r1)
                distance2 = squared_distance(c, x)
                if distance2 < best2:
                    best2, best1_point, best2_point = distance2, x, c
                    if distance2 > 0.0 and _beyond(d, x, c) and _beyond(other_c, x, c):
                        return best2, best1_point, best2_point
                if _pierces(c, d, p1, q1, r1):
                    x = closest_on_triangle(_through(c, d, p1, q1, r1), p1, q1, r1)
                    return 0.0, x, x
        y = closest_on_triangle(a, p2, q2, r2)
        distance2 = squared_distance(a, y)
        if distance2 < best2:
            best2, best1_point, best2_point = distance2, a, y
            if distance2 > 0.0 and _beyond(b, y, a) and _beyond(other_a, y, a):
                return best2, best1_point, best2_point
        if _pierces(a, b, p2, q2, r2):
            y = closest_on_triangle(_through(a, b, p2, q2, r2), p2, q2, r2)
            return 0.0, y, y
    return best2, best1_point, best2_point


@inner
def closest_of_triangles(p1, q1, r1, p2, q2, r2):
    """Squared distance and the nearest points of two triangles; distance 0 and one common point where they pierce.

    Seen from the first corner, so that nothing cancels far from the world's origin.
    """
    square, x, y = _closest_seen_from_corner(
        (0.0, 0.0, 0.0), _difference(q1, p1), _difference(r1, p1),
        _difference(p2, p1), _difference(q2, p1), _difference(r2, p1),
    )  # fmt: skip
    return square, _along(p1, x, 1.0), _along(p1, y, 1.0)


@inner
def triangle_distance(p1, q1, r1, p2, q2, r2):
    """Distance [m] of two triangles, 0 where they pierce each other."""
    return math.sqrt(closest_of_triangles(p1, q1, r1, p2, q2, r2)[0])


@kernel
def _nearest_points(a, b, points):
    for n in range(a.shape[0]):
        p, q = a[n], b[n]
        _, x, y = closest_of_triangles(
            (p[0, 0], p[0, 1], p[0, 2]), (p[1, 0], p[1, 1], p[1, 2]), (p[2, 0], p[2, 1], p[2, 2]),
            (q[0, 0], q[0, 1], q[0, 2]), (q[1, 0], q[1, 1], q[1, 2]), (q[2, 0], q[2, 1], q[2, 2]),
        )  # fmt: skip
        for k in range(3):
            points[n, 0, k] = x[k]
            points[n, 1, k] = y[k]


def nearest_points(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The nearest points of triangles a[n] and b[n], both (n, 3, 3) float64 [m]: (n, 2, 3)."""
    points = np.empty((len(a), 2, 3))
    _nearest_points(np.ascontiguousarray(a), np.ascontiguousarray(b), points)
    return points
