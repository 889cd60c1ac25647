"""Distances between points, segments and triangles in float64.

Source: Ericson, "Real-Time Collision Detection" (2005), sections 5.1.5 and 5.1.9. The parameters are clamped in an
order that also works for zero-length segments and zero-area triangles. Where the book's formulas suffer from
cancellation, other formulas are used.

Error of a distance. Let L be the largest coordinate of two triangles relative to a corner of one, u = 2**-53, and d the
distance. Differences, products and sums are off by a few u L. But a cross product of two vectors at an angle a has a
relative error of u / sin(a), which tilts it by the same angle.

* Two nearly parallel segments. The textbook's quotient of dot products is off by u / sin(a)**2, which displaces the
  lines against each other by u L / sin(a): 1e-8 L at worst. The quotient of cross products used here is off by the tilt
  alone, which makes d longer by min(d u**2 / sin(a)**2, L**2 sin(a)**2 / d) / 2, the second since parameters are
  clamped: never more than u L / 2.
* A point above a slender triangle of width w = s L. Relative to a corner, a tilt of u / s changes the height by u L /
  s. Relative to the nearest point of an edge, at most w away, it changes the height by u L and d (u / s)**2 / 2. If the
  latter exceeds u L, that is d > L s**2 / u, the edge is used instead: it is at most w**2 / d < u L farther away.
* Planes perpendicular to the vector between the nearest points so far. They are turned by u L / d; for segments at a
  small angle a, by min(u / sin(a), sin(a)) L / d; above a triangle of width s L, by u / s. This error does not matter
  if the remaining corners lie beyond the planes by some u L**2 / d, or by correspondingly more if the planes are tilted
  more. The error also does not matter if all six corners lie within some u L beyond the planes, as for parallel faces:
  then no points are nearer, for any tilt of the planes.

So distances have an error of a small multiple of u L for any shape of the triangles (measured by
``test_distance_error.py``). For this, a pair is scaled by a power of two, which is exact, before its products
underflow.
"""

import math

import numpy as np

from ..jit import inlined, inner, kernel
from .generic_pair import classify_generic
from .triangle_pair import APART
from .tuples import cross, dot, minus

_UNIT = 2.0**-53
_WELL_SHAPED = 0.01  # squared ratio of a triangle's width to its length, or squared sine between segments
_PIERCING2 = 1e-27  # squared share of the coordinates by which a point of a triangle may be off by rounding
_ROUNDING = 32.0 * _UNIT  # of the coordinates: a corner may seem to lie so far beyond a plane
_LEVEL = 2.0 * _UNIT  # of the coordinates: a corner so little before a plane counts as beyond
_SMALL = 2.0**-60  # smaller coordinates are scaled, in steps of the reciprocal


@inner
def _along(a, d, t):
    return a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2]


@inner
def _clamp(t):
    return min(max(t, 0.0), 1.0)


@inlined
def largest_coordinate(p, q, r):
    """Return the largest absolute coordinate of three points."""
    size = 0.0
    for k in range(3):
        size = max(size, abs(p[k]), abs(q[k]), abs(r[k]))
    return size


@inner
def closest_on_segment(p, a, b):
    """Return the point of segment ab nearest to p."""
    d = minus(b, a)
    length2 = dot(d, d)
    t = _clamp(dot(minus(p, a), d) / length2) if length2 > 0.0 else 0.0
    return _along(a, d, t)


@inner
def squared_distance(a, b):
    """Return the squared distance between two points."""
    d = minus(a, b)
    return dot(d, d)


@inner
def _inside(n, p, a, b):
    """Return whether p lies on the inner side of edge ab of a triangle with normal n."""
    return dot(n, cross(minus(b, a), minus(p, a))) > 0.0


@inner
def closest_on_triangle(p, a, b, c):
    """Return the point of triangle abc nearest to p."""
    ab = minus(b, a)
    ac = minus(c, a)
    ap = minus(p, a)
    n = cross(ab, ac)
    square = dot(n, n)
    length2 = max(dot(ab, ab), dot(ac, ac))
    is_well_shaped = square > _WELL_SHAPED * length2 * length2
    if is_well_shaped:
        d1 = dot(ab, ap)
        d2 = dot(ac, ap)
        bp = minus(p, b)
        d3 = dot(ab, bp)
        d4 = dot(ac, bp)
        cp = minus(p, c)
        d5 = dot(ab, cp)
        d6 = dot(ac, cp)
        if d3 * d6 - d5 * d4 > 0.0 and d5 * d2 - d1 * d6 > 0.0 and d1 * d4 - d3 * d2 > 0.0:
            return _along(p, n, -dot(n, ap) / square)
    best = closest_on_segment(p, a, b)
    best2 = squared_distance(p, best)
    other = closest_on_segment(p, b, c)
    other2 = squared_distance(p, other)
    if other2 < best2:
        best, best2 = other, other2
    other = closest_on_segment(p, c, a)
    other2 = squared_distance(p, other)
    if other2 < best2:
        best, best2 = other, other2
    if is_well_shaped or square == 0.0 or not (_inside(n, p, a, b) and _inside(n, p, b, c) and _inside(n, p, c, a)):
        return best
    width2 = square / length2
    if best2 * (_UNIT * _UNIT) * length2 > width2 * (width2 / length2) * length2:
        return best
    return _along(p, n, -dot(n, minus(p, best)) / square)


@inner
def parameters_of_segments(p1, q1, p2, q2):
    """Return the positions of the nearest points on segments p1q1 and p2q2, each from 0 to 1."""
    d1 = minus(q1, p1)
    d2 = minus(q2, p2)
    r = minus(p1, p2)
    a = dot(d1, d1)
    e = dot(d2, d2)
    f = dot(d2, r)
    c = dot(d1, r)
    b = dot(d1, d2)
    denominator = a * e - b * b
    s = 0.0
    if denominator > _WELL_SHAPED * a * e:
        s = _clamp((b * f - c * e) / denominator)
    else:
        n = cross(d1, d2)
        square = dot(n, n)
        if square > 0.0:
            s = _clamp(dot(cross(d2, r), n) / square)
    t = _clamp((b * s + f) / e) if e > 0.0 else 0.0
    s = _clamp((b * t - c) / a) if a > 0.0 else 0.0
    return s, t


@inner
def closest_of_segments(p1, q1, p2, q2):
    """Return the nearest points (on p1q1, on p2q2) of two segments."""
    s, t = parameters_of_segments(p1, q1, p2, q2)
    return _along(p1, minus(q1, p1), s), _along(p2, minus(q2, p2), t)


@inner
def _pierce(a, b, p, q, r, base):
    """Return (whether segment ab passes through triangle pqr, the point); used only for distances, so float64 is
    sufficient.

    ``base`` is a point of the triangle near that point, if such a point exists.
    """
    pq = minus(q, p)
    pr = minus(r, p)
    n = cross(pq, pr)
    da = dot(n, minus(a, base))
    db = dot(n, minus(b, base))
    if da * db > 0.0 or da == db:
        return False, base
    ab = minus(b, a)
    x = _along(a, ab, da / (da - db))
    y = closest_on_triangle(x, p, q, r)
    # The rounding error of x grows with the segment and its way to the triangle, which may be much smaller.
    size = max(dot(pq, pq), dot(pr, pr), dot(ab, ab), squared_distance(a, p))
    return squared_distance(x, y) <= _PIERCING2 * size, y


@inner
def _turn_of_segments(p1, q1, p2, q2):
    """Return the factor by which rounding may turn the way between two segments more than in general."""
    d1, d2 = minus(q1, p1), minus(q2, p2)
    n, product = cross(d1, d2), dot(d1, d1) * dot(d2, d2)
    square = dot(n, n)
    if square > _WELL_SHAPED * product or square == 0.0:
        return 1.0
    sine = math.sqrt(square / product)
    return max(min(1.0 / sine, sine / _UNIT), 1.0)


@inner
def _turn_of_triangle(p, q, r):
    """Return the factor by which rounding may turn the way from a point to a triangle more than in general."""
    pq, pr = minus(q, p), minus(r, p)
    n, length2 = cross(pq, pr), max(dot(pq, pq), dot(pr, pr))
    square = dot(n, n)
    return length2 / math.sqrt(square) if 0.0 < square <= _WELL_SHAPED * length2 * length2 else 1.0


@inner
def _beyond(p, x, y, margin):
    """Return whether p certainly lies beyond the plane through y perpendicular to the vector from x to y."""
    return dot(minus(p, y), minus(y, x)) > margin


@inner
def _gap_along(way, p1, q1, r1, p2, q2, r2):
    """Return the gap between two triangles along a vector, times the vector's length; negative if they overlap."""
    return min(dot(way, p2), dot(way, q2), dot(way, r2)) - max(dot(way, p1), dot(way, q1), dot(way, r1))


@inner
def _end_of_edges(a, b, other_a, c, d, other_c, x, y, margin):
    """Return whether the other corners of triangles with edges ab and cd lie beyond the nearest points x and y."""
    if not (_beyond(other_c, x, y, margin) and _beyond(other_a, y, x, margin)):
        return False
    most = margin * _turn_of_segments(a, b, c, d)
    return most == margin or (_beyond(other_c, x, y, most) and _beyond(other_a, y, x, most))


@inner
def _end_of_corner(p, q, r, x, a, b, c, margin):
    """Return whether b and c of triangle abc lie beyond its corner a, which is nearest to x of a triangle pqr."""
    if not (_beyond(b, x, a, margin) and _beyond(c, x, a, margin)):
        return False
    most = margin * _turn_of_triangle(p, q, r)
    return most == margin or (_beyond(b, x, a, most) and _beyond(c, x, a, most))


@inner
def _separated(p1, q1, r1, p2, q2, r2, x, y, size):
    """Return whether two triangles are certainly apart along the vector from x to y."""
    way = minus(y, x)
    gap = _gap_along(way, p1, q1, r1, p2, q2, r2)
    rounding = _ROUNDING * size
    return gap > 0.0 and gap * gap > rounding * rounding * dot(way, way)


@inner
def _level(p1, q1, r1, p2, q2, r2, x, y, size):
    """Return whether no points of two triangles are nearer to each other than x and y, within rounding, and the
    triangles are certainly apart.
    """
    way = minus(y, x)
    square, rounding, level = dot(way, way), _ROUNDING * size, _LEVEL * size
    if square <= rounding * rounding:
        return False
    short = square - _gap_along(way, p1, q1, r1, p2, q2, r2)
    return short <= 0.0 or short * short <= level * level * square


@inner
def _closest_features(p1, q1, r1, p2, q2, r2, size):
    """Return squared distance and nearest points of two triangles that do not intersect, and whether the result is
    certain.

    Features are compared until two planes perpendicular to the vector between the nearest points have the triangles
    beyond them. Then no other points are nearer (Larsen, Gottschalk, Lin, Manocha 1999). For the nearest points of two
    segments, or of a point and a triangle, these themselves are on the right sides already, so only the other corners
    are tested. They must be beyond by more than rounding may turn the planes; otherwise the next feature may be nearer.
    """
    margin = _ROUNDING * size * size
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
                if _end_of_edges(a, b, other_a, c, d, other_c, x, y, margin) or _level(
                    p1, q1, r1, p2, q2, r2, x, y, size
                ):
                    return best2, best1_point, best2_point, True
            if i == 0:
                x = closest_on_triangle(c, p1, q1, r1)
                distance2 = squared_distance(c, x)
                if distance2 < best2:
                    best2, best1_point, best2_point = distance2, x, c
                    if _end_of_corner(p1, q1, r1, x, c, d, other_c, margin) or _level(
                        p1, q1, r1, p2, q2, r2, x, c, size
                    ):
                        return best2, best1_point, best2_point, True
        y = closest_on_triangle(a, p2, q2, r2)
        distance2 = squared_distance(a, y)
        if distance2 < best2:
            best2, best1_point, best2_point = distance2, a, y
            if _end_of_corner(p2, q2, r2, y, a, b, other_a, margin) or _level(p1, q1, r1, p2, q2, r2, a, y, size):
                return best2, best1_point, best2_point, True
    certain = _separated(p1, q1, r1, p2, q2, r2, best1_point, best2_point, size)
    return best2, best1_point, best2_point, certain


@inner
def _common_point(p1, q1, r1, p2, q2, r2, x, y):
    """Return a common point of two intersecting triangles, twice; the points x and y if no common point is found."""
    for i in range(3):
        a = p1 if i == 0 else (q1 if i == 1 else r1)
        b = q1 if i == 0 else (r1 if i == 1 else p1)
        pierces, place = _pierce(a, b, p2, q2, r2, y)
        if pierces:
            return place, place
        c = p2 if i == 0 else (q2 if i == 1 else r2)
        d = q2 if i == 0 else (r2 if i == 1 else p2)
        pierces, place = _pierce(c, d, p1, q1, r1, x)
        if pierces:
            return place, place
    return x, y


@inner
def _scale_for(size):
    """Return a power of two that scales very small coordinates to at least 2**-60.

    Without this scale, products of six coordinates would underflow.
    """
    scale = 1.0
    while 0.0 < size * scale < _SMALL:
        scale /= _SMALL
    return scale


@inner
def closest_of_triangles(p1, q1, r1, p2, q2, r2, apart):
    """Return distance [m] and nearest points of two triangles; 0 if they intersect, or if float64 cannot decide.

    Coordinates are relative to the first corner, to avoid cancellation far from the world's origin. If exact arithmetic
    has found the triangles ``apart``, the test for piercing is skipped.
    """
    origin = (0.0, 0.0, 0.0)
    a, b = minus(q1, p1), minus(r1, p1)
    c, d, e = minus(p2, p1), minus(q2, p1), minus(r2, p1)
    size = max(largest_coordinate(origin, a, b), largest_coordinate(c, d, e))
    scale = 1.0
    if size < _SMALL:
        scale = _scale_for(size)
        size *= scale
        a, b = _along(origin, a, scale), _along(origin, b, scale)
        c, d, e = _along(origin, c, scale), _along(origin, d, scale), _along(origin, e, scale)
    square, x, y, certain = _closest_features(origin, a, b, c, d, e, size)
    if not (certain or apart) and classify_generic(p1, q1, r1, p2, q2, r2) != APART:
        square = 0.0
        x, y = _common_point(origin, a, b, c, d, e, x, y)
    return math.sqrt(square) / scale, _along(p1, x, 1.0 / scale), _along(p1, y, 1.0 / scale)


@inner
def triangle_distance(p1, q1, r1, p2, q2, r2):
    """Return the distance [m] between two triangles, 0 if they intersect."""
    return closest_of_triangles(p1, q1, r1, p2, q2, r2, False)[0]


@kernel
def _nearest_points(a, b, apart, distances, points):
    for n in range(a.shape[0]):
        p, q = a[n], b[n]
        distances[n], x, y = closest_of_triangles(
            (p[0, 0], p[0, 1], p[0, 2]), (p[1, 0], p[1, 1], p[1, 2]), (p[2, 0], p[2, 1], p[2, 2]),
            (q[0, 0], q[0, 1], q[0, 2]), (q[1, 0], q[1, 1], q[1, 2]), (q[2, 0], q[2, 1], q[2, 2]), apart[n],
        )  # fmt: skip
        for k in range(3):
            points[n, 0, k] = x[k]
            points[n, 1, k] = y[k]


def nearest_points(a: np.ndarray, b: np.ndarray, apart: np.ndarray | bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return distances (n,) [m] and nearest points (n, 2, 3) between triangles a[n] and b[n], both (n, 3, 3) float64
    [m].

    ``apart`` (n,) bool, or one value for all: whether triangles are known not to meet.
    """
    distances, points = np.empty(len(a)), np.empty((len(a), 2, 3))
    known = np.array(np.broadcast_to(apart, len(a)), np.bool_)
    _nearest_points(np.ascontiguousarray(a), np.ascontiguousarray(b), known, distances, points)
    return distances, points


@kernel
def _feature_distances(a, b, distances):
    for k in range(distances.shape[0]):
        p = (a[k, 0, 0], a[k, 0, 1], a[k, 0, 2])
        x = (b[k, 0, 0], b[k, 0, 1], b[k, 0, 2])
        y = (b[k, 1, 0], b[k, 1, 1], b[k, 1, 2])
        if b.shape[1] == 3:
            near = closest_on_triangle(p, x, y, (b[k, 2, 0], b[k, 2, 1], b[k, 2, 2]))
            distances[k] = math.sqrt(squared_distance(p, near))
        else:
            first, second = closest_of_segments(p, (a[k, 1, 0], a[k, 1, 1], a[k, 1, 2]), x, y)
            distances[k] = math.sqrt(squared_distance(first, second))


def feature_distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return distances (k,) between points (k, 1, 3) and triangles (k, 3, 3), or between segments (k, 2, 3) and
    segments.
    """
    distances = np.empty(len(a))
    _feature_distances(np.ascontiguousarray(a), np.ascontiguousarray(b), distances)
    return distances
