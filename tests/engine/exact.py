"""Exact answers by plain fractions, for tests; slow and obvious on purpose."""

import itertools
from fractions import Fraction

import numpy as np


def fractions(points) -> list[tuple[Fraction, ...]]:
    """Points (n, k) as tuples of fractions."""
    return [tuple(Fraction(float(x)) for x in point) for point in np.asarray(points)]


def minus(p, q):
    return tuple(x - y for x, y in zip(p, q, strict=True))


def dot(p, q):
    return sum(x * y for x, y in zip(p, q, strict=True))


def cross(p, q):
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


def sign(x) -> int:
    return (x > 0) - (x < 0)


def orient3d(a, b, c, d) -> int:
    """Sign of det(a - d, b - d, c - d) of four points of floats."""
    a, b, c, d = fractions([a, b, c, d])
    return sign(dot(minus(a, d), cross(minus(b, d), minus(c, d))))


def orient2d(a, b, c) -> int:
    """Sign of det(a - c, b - c) of three points of floats."""
    a, b, c = fractions([a, b, c])
    u, v = minus(a, c), minus(b, c)
    return sign(u[0] * v[1] - u[1] * v[0])


def _squared_distance_to_segment(p, a, b):
    along, offset = minus(b, a), minus(p, a)
    length2 = dot(along, along)
    t = min(max(dot(along, offset) / length2, Fraction(0)), Fraction(1)) if length2 else Fraction(0)
    gap = tuple(o - t * x for o, x in zip(offset, along, strict=True))
    return dot(gap, gap)


def squared_distance_to_triangle(point, triangle) -> Fraction:
    """Square of the distance of a point to a closed triangle (3, 3) of floats."""
    p, *corners = fractions([point, *triangle])
    return squared_distance_of_exact_point(p, corners)


def distance_to_triangle(point, triangle) -> float:
    """Distance of a point to a closed triangle (3, 3) of floats: squared exactly, then rounded."""
    return _root(squared_distance_to_triangle(point, triangle))


def squared_distance_of_exact_point(p, corners) -> Fraction:
    """Square of the distance of a point to a closed triangle, all coordinates fractions."""
    a, b, c = corners
    normal = cross(minus(b, a), minus(c, a))
    sides = ((a, b), (b, c), (c, a))
    if any(normal) and all(dot(cross(minus(v, u), minus(p, u)), normal) >= 0 for u, v in sides):
        return dot(minus(p, a), normal) ** 2 / dot(normal, normal)
    return min(_squared_distance_to_segment(p, u, v) for u, v in sides)


def _root(x: Fraction) -> float:
    """Square root that neither overflows nor underflows where the result does not."""
    if x == 0:
        return 0.0
    shift = (x.numerator.bit_length() - x.denominator.bit_length()) // 2
    return float(np.ldexp(np.sqrt(float(x / Fraction(4) ** shift)), shift))


def clipped_polygon(subject, clip) -> list[tuple[Fraction, ...]]:
    """Corners of the common part of two coplanar triangles (3, 3) of floats, the second of positive area."""
    polygon, corners = fractions(subject), fractions(clip)
    normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]))
    for u, v in zip(corners, corners[1:] + corners[:1], strict=True):
        inwards = cross(normal, minus(v, u))
        kept = []
        for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            side_p, side_q = dot(inwards, minus(p, u)), dot(inwards, minus(q, u))
            if side_p >= 0:
                kept.append(p)
            if side_p * side_q < 0:
                t = side_p / (side_p - side_q)
                kept.append(tuple(x + t * (y - x) for x, y in zip(p, q, strict=True)))
        polygon = kept
    return polygon


def polygon_area(polygon) -> float:
    """Area of a planar polygon in space, given by its corners in order."""
    total = (Fraction(0),) * 3
    for p, q in itertools.pairwise(polygon[1:]):
        total = tuple(x + y for x, y in zip(total, cross(minus(p, polygon[0]), minus(q, polygon[0])), strict=True))
    return _root(dot(total, total)) / 2


def _squared_distance_of_segments(p, q, r, s):
    """Of segments pq and rs: at an end of one of them, or where both lines are nearest."""
    along, across, offset = minus(q, p), minus(s, r), minus(p, r)
    ends = ((p, r, s), (q, r, s), (r, p, q), (s, p, q))
    squared = min(_squared_distance_to_segment(*end) for end in ends)
    normal = cross(along, across)
    square = dot(normal, normal)
    places = (dot(cross(across, offset), normal), dot(cross(along, offset), normal))
    if square and all(0 <= place <= square for place in places):
        squared = min(squared, Fraction(dot(offset, normal) ** 2) / square)
    return squared


def distance_of_apart_triangles(first, second) -> float:
    """Distance of two triangles (3, 3) of floats that do not meet: that of a corner, or of two edges."""
    a, b = fractions(first), fractions(second)
    corners = min(
        *(squared_distance_of_exact_point(p, b) for p in a), *(squared_distance_of_exact_point(p, a) for p in b)
    )
    edges_a, edges_b = (list(zip(t, t[1:] + t[:1], strict=True)) for t in (a, b))
    return _root(min(corners, *(_squared_distance_of_segments(*e, *f) for e in edges_a for f in edges_b)))


def clip(polygon, normal, offset):
    """The part of a convex polygon (a list of corners) where normal . x <= offset."""
    kept = []
    for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        side_p, side_q = dot(normal, p) - offset, dot(normal, q) - offset
        if side_p <= 0:
            kept.append(p)
        if (side_p < 0 < side_q) or (side_q < 0 < side_p):
            t = Fraction(side_p) / (side_p - side_q)
            kept.append(tuple(x + t * (y - x) for x, y in zip(p, q, strict=True)))
    return kept


def half_spaces(corners):
    """(normal, offset) of half-spaces whose intersection is the convex hull of the corners, whatever its dimension."""
    p, q, r = corners
    normal = cross(minus(q, p), minus(r, p))
    if any(normal):
        planes = [normal]
        sides = [(cross(minus(v, u), normal), u) for u, v in ((p, q), (q, r), (r, p))]
    else:
        first, last = min(corners), max(corners)  # of collinear points, in lexicographic order
        along = minus(last, first)
        planes = [v for v in (cross(along, e) for e in ((1, 0, 0), (0, 1, 0), (0, 0, 1))) if any(v)]
        planes = planes or [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
        sides = [(along, last), (minus(first, last), first)] if any(along) else []
    both = [(n, dot(n, p)) for n in planes] + [(minus((0, 0, 0), n), -dot(n, p)) for n in planes]
    return both + [(n, dot(n, u)) for n, u in sides]


def common_corners(a, b):
    """Corners of the convex set that two triangles of rational points, proper or not, have in common."""
    common = [tuple(Fraction(x) for x in p) for p in a]
    for normal, offset in half_spaces(b):
        common = clip(common, normal, offset)
    return common
