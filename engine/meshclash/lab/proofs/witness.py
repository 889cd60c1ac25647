"""Find a common point of two objects at rest, as weighted means of their points with integer weights."""

from collections.abc import Iterator
from fractions import Fraction
from math import lcm

from .separation import edges_of

Place = tuple[int, int, int]
Point = tuple[Fraction, Fraction, Fraction]


def _difference(p: Point, q: Point) -> Point:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _cross(p: Point, q: Point) -> Point:
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


def _dot(p: Point, q: Point) -> Fraction:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def _between(p: Point, q: Point, share: Fraction) -> Point:
    return tuple(x + share * (y - x) for x, y in zip(p, q, strict=True))  # type: ignore[return-value]


def _share_on_edge(p: Point, q: Point, x: Point) -> Fraction | None:
    """Return the position of x on the edge pq, from 0 to 1; None if x is not on the edge."""
    edge = _difference(q, p)
    square = _dot(edge, edge)
    share = _dot(_difference(x, p), edge) / square if square else Fraction(0)
    return share if 0 <= share <= 1 and _between(p, q, share) == x else None


def _weights(group: list[Point], x: Point) -> list[Fraction] | None:
    """Return weights >= 0 with sum 1 that yield x from the points of a group; None if x is not in the group's convex
    hull.
    """
    if len(group) == 1:
        return [Fraction(1)] if group[0] == x else None
    if len(group) == 3:
        p, q, r = group
        normal = _cross(_difference(q, p), _difference(r, p))
        square = _dot(normal, normal)
        if square:
            way = _difference(x, p)
            if _dot(way, normal):
                return None
            second = _dot(_cross(way, _difference(r, p)), normal) / square
            third = _dot(_cross(_difference(q, p), way), normal) / square
            weights = [1 - second - third, second, third]
            return weights if min(weights) >= 0 else None
    for i in range(len(group)):
        for j in range(i):
            share = _share_on_edge(group[i], group[j], x)
            if share is not None:
                weights = [Fraction(0)] * len(group)
                weights[i], weights[j] = 1 - share, share
                return weights
    return None


def _candidates(a: list[Point], b: list[Point]) -> Iterator[Point]:
    """Return candidate points; if two convex hulls of at most three points meet, one of the candidates is common to
    both.

    An extreme point of the intersection is a corner of one hull, or an edge of one hull passes through the other hull,
    or two edges cross in one plane.
    """
    yield from a
    yield from b
    for group, other in ((a, b), (b, a)):
        if len(other) < 3:
            continue
        normal = _cross(_difference(other[1], other[0]), _difference(other[2], other[0]))
        for p, q in edges_of(group):
            height, rest = _dot(_difference(p, other[0]), normal), _dot(_difference(q, other[0]), normal)
            if height * rest < 0:
                yield _between(p, q, height / (height - rest))
    for p, q in edges_of(a):
        for r, s in edges_of(b):
            u, v, d = _difference(q, p), _difference(s, r), _difference(r, p)
            normal = _cross(u, v)
            square = _dot(normal, normal)
            if square and not _dot(d, normal):
                yield _between(p, q, _dot(_cross(d, v), normal) / square)


def common_point(first: list[Place], second: list[Place]) -> list[list[int]] | None:
    """Return integer weights of both groups that yield the same point; None if the convex hulls do not meet."""
    a, b = ([(Fraction(x), Fraction(y), Fraction(z)) for x, y, z in group] for group in (first, second))
    for x in _candidates(a, b):
        weights = [_weights(group, x) for group in (a, b)]
        if weights[0] is not None and weights[1] is not None:
            return [[int(w * lcm(*(v.denominator for v in side))) for w in side] for side in weights if side]
    return None
