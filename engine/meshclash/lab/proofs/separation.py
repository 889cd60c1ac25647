"""Proofs in integers that objects do not meet: separating directions, each for an interval of time."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from ...continuous.forms import Form, between, multiply, subtract
from ...continuous.rational import Vector, cross, dot, minus

_AXES: tuple[Vector, ...] = (([1], [0], [0]), ([0], [1], [0]), ([0], [0], [1]))


def edges_of(group: list[Any]) -> list[tuple[Any, Any]]:
    """Return the edges of a point (an empty list), an edge or a triangle."""
    return list(combinations(group, 2))


def _directions(a: list[Vector], b: list[Vector]) -> Iterator[Vector]:
    """Return time-dependent directions, one of which separates two hulls at any time at which they do not meet.

    The shortest vector between two such hulls goes from corner to corner, from a corner to an edge at a right angle,
    along a triangle's normal, or is perpendicular to an edge of each hull. This vector separates the hulls, also a
    little earlier and later. The coordinate axes come first, because they often separate the hulls.
    """
    yield from _AXES
    sides = [[minus(q, p) for p, q in edges_of(group)] for group in (a, b)]
    for group in sides:
        if len(group) == 3:
            yield cross(group[0], group[1])
    for e in sides[0]:
        for f in sides[1]:
            yield cross(e, f)
    for p in a:
        for q in b:
            yield minus(p, q)
    for group, others in ((a, b), (b, a)):
        for p, q in edges_of(group):
            edge = minus(q, p)
            square = dot(edge, edge)
            for other in others:
                way = minus(other, p)
                share = dot(way, edge)
                x, y, z = (subtract(multiply(square, v), multiply(share, w)) for v, w in zip(way, edge, strict=True))
                yield x, y, z


class _Separations:
    """Directions, created on demand, and how far the first group lies ahead of the second along each."""

    def __init__(self, a: list[Vector], b: list[Vector]) -> None:
        self._a, self._b = a, b
        self._left = _directions(a, b)
        self._made: list[tuple[Vector, list[Form]]] = []

    def __iter__(self) -> Iterator[tuple[Vector, list[Form]]]:
        yield from self._made
        for w in self._left:
            self._made.append((w, [dot(minus(p, q), w) for p in self._a for q in self._b]))
            yield self._made[-1]

    def reason(self, index: int, depth: int) -> list[Form] | None:
        """Return a direction along which all of the first group is ahead during [index, index + 1] / 2**depth."""
        for w, leads in self:
            first = between(leads[0], index, depth)
            sign = 1 if first[0] > 0 else -1
            if all(sign * x > 0 for x in first) and all(
                min(sign * x for x in between(lead, index, depth)) > 0 for lead in leads[1:]
            ):
                return [[sign * x for x in form] for form in w]
        return None


def intervals_apart(a: list[Vector], b: list[Vector]) -> list[list[Any]]:
    """Return intervals [low, high, depth, direction] that cover the time from 0 to 1, for moving points that never
    meet.
    """
    separations = _Separations(a, b)
    found: list[list[Any]] = []
    waiting = [(0, 0)]
    while waiting:
        index, depth = waiting.pop()
        direction = separations.reason(index, depth)
        if direction is not None:
            found.append([index, index + 1, depth, direction])
        else:
            waiting += [(2 * index + 1, depth + 1), (2 * index, depth + 1)]
    return found
