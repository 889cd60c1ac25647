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


def distance_to_triangle(point, triangle) -> float:
    """Distance of a point to a closed triangle (3, 3) of floats: squared exactly, then rounded."""
    p, a, b, c = fractions([point, *triangle])
    normal = cross(minus(b, a), minus(c, a))
    sides = ((a, b), (b, c), (c, a))
    if any(normal) and all(dot(cross(minus(v, u), minus(p, u)), normal) >= 0 for u, v in sides):
        squared = dot(minus(p, a), normal) ** 2 / dot(normal, normal)
    else:
        squared = min(_squared_distance_to_segment(p, u, v) for u, v in sides)
    return _root(squared)


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
