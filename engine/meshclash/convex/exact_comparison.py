"""Exact test in integers whether two convex polyhedra are within a distance of each other.

Float64 numbers are integer multiples of a power of two. So squared distances of points, segments and triangles are
quotients of integers, and so is the square of a sum of radii. The search is that of ``convex_distance.py``. This
computation has no rounding errors, so each step comes nearer to the origin, and the search ends.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from ..geometry.expansion import two_difference, two_sum
from ..jit import inner, kernel

WITHIN, BEYOND, NO_BOXES = 1, 0, -1
"""Results of ``boxes_within``: near enough, too far apart, or not two boxes along the axes."""
_OPEN = -2
Vector = tuple[int, int, int]
_BITS = 53


def is_within(
    points_a: np.ndarray, points_b: np.ndarray, lengths: Iterable[float], towards: np.ndarray, strict: bool = False
) -> bool:
    """Return whether the distance between the hulls of two point sets is at most the sum of some lengths.

    Args:
        points_a, points_b: (n, 3) and (m, 3) float64 [m], in one frame.
        lengths: [m], 0 or greater.
        towards: an approximate vector (3,) from a to b: the direction in which the search starts.
        strict: return whether they are nearer than the sum; equal is not enough.
    """
    a, b, reaches, way = _whole(points_a.ravel(), points_b.ravel(), np.array(list(lengths)), towards.ravel())
    first, second, reach = _vectors(a), _vectors(b), sum(reaches)
    across: Vector = (way[0], way[1], way[2])
    corners = [_farthest(first, second, across)]
    while True:
        corners, point, share = _nearest_point(corners)
        square = _dot(point, point)
        limit = (reach * share) ** 2
        if square < limit or (square == limit and not strict):
            return True
        corner = _farthest(first, second, (-point[0], -point[1], -point[2]))
        height = _dot(point, corner)
        if height > 0 and height * height > reach * reach * square:  # the polyhedra are entirely beyond this plane
            return False
        if height * share >= square:  # no point is nearer than this one
            return False
        corners.append(corner)


def boxes_within(points_a: np.ndarray, points_b: np.ndarray, lengths: tuple[float, float], strict: bool) -> np.ndarray:
    """Run ``is_within`` for hulls that are axis-aligned boxes, including points and axis-parallel segments.

    Args:
        points_a, points_b: points of k pairs of hulls, (k, n, 3) and (k, m, 3) float64 [m].
        lengths: two radii [m].
        strict: as for ``is_within``.

    Returns:
        WITHIN, BEYOND or NO_BOXES for each pair, (k,) int8.
    """
    told, bounds = np.empty(len(points_a), np.int8), np.empty((len(points_a), 4, 3))
    _compare_boxes(points_a, points_b, *lengths, strict, bounds, told)
    for k in np.flatnonzero(told == _OPEN).tolist():
        square = Fraction(0)
        for axis in range(3):
            low_a, high_a, low_b, high_b = map(Fraction, bounds[k, :, axis].tolist())
            square += max(low_b - high_a, low_a - high_b, Fraction(0)) ** 2
        limit = (Fraction(lengths[0]) + Fraction(lengths[1])) ** 2
        told[k] = square < limit or (square == limit and not strict)
    return told


@kernel
def _compare_boxes(points_a, points_b, radius_a, radius_b, strict, bounds, told):
    """Fill ``told`` of ``boxes_within`` if at most one axis has a gap and numbers are exact; otherwise write ``_OPEN``.

    ``bounds`` (k, 4, 3) receives the lowest and highest corners of both boxes.
    """
    reach, error = two_sum(radius_a, radius_b)
    for k in range(told.shape[0]):
        whole = _put_box(points_a[k], bounds[k, 0], bounds[k, 1]) and _put_box(points_b[k], bounds[k, 2], bounds[k, 3])
        gaps, largest, exact = 0, 0.0, error == 0.0
        for axis in range(3):
            for side in range(0, 4, 2):
                gap, rest = two_difference(bounds[k, side, axis], bounds[k, 3 - side, axis])
                if gap > 0.0:
                    gaps, largest, exact = gaps + 1, max(largest, gap), exact and rest == 0.0
        near = largest < reach or (largest == reach and not strict)
        if not whole:
            told[k] = NO_BOXES
        elif exact and gaps < 2:
            told[k] = WITHIN if near else BEYOND
        else:
            told[k] = _OPEN


@inner
def _put_box(points, low, high):
    """Write the bounds of points (n, 3); return whether all eight corners of that box are among the points."""
    for axis in range(3):
        low[axis], high[axis] = math.inf, -math.inf
        for i in range(points.shape[0]):
            low[axis], high[axis] = min(low[axis], points[i, axis]), max(high[axis], points[i, axis])
    seen = 0
    for i in range(points.shape[0]):
        corners = 255  # one bit for each corner
        for axis in range(3):
            lower, higher = (0x55, 0xAA) if axis == 0 else ((0x33, 0xCC) if axis == 1 else (0x0F, 0xF0))
            at_low, at_high = points[i, axis] == low[axis], points[i, axis] == high[axis]
            corners &= (lower if at_low else 0) | (higher if at_high else 0)
        seen |= corners
    return seen == 255


def _whole(*parts: np.ndarray) -> list[list[int]]:
    """Return float64 numbers as integer multiples of one power of two."""
    pieces = [[math.frexp(x) for x in part.tolist()] for part in parts]
    least = min((exponent for piece in pieces for share, exponent in piece if share), default=0)
    return [[int(math.ldexp(share, _BITS)) << max(exponent - least, 0) for share, exponent in p] for p in pieces]


def _vectors(numbers: list[int]) -> list[Vector]:
    return [(numbers[k], numbers[k + 1], numbers[k + 2]) for k in range(0, len(numbers), 3)]


def _dot(p: Vector, q: Vector) -> int:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def _minus(p: Vector, q: Vector) -> Vector:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _farthest(first: list[Vector], second: list[Vector], way: Vector) -> Vector:
    """Return the difference of a point of each set that is farthest along a direction."""
    return _minus(max(first, key=lambda p: _dot(p, way)), min(second, key=lambda p: _dot(p, way)))


def _nearest_point(corners: list[Vector]) -> tuple[list[Vector], Vector, int]:
    """Return the point of a simplex nearest to the origin: the corners around it, the point times a number, the number.

    The number is above 0.
    """
    best: tuple[Any, ...] | None = None
    for count in range(1, len(corners) + 1):
        for chosen in combinations(corners, count):
            weights = _weights(chosen)
            if weights is None:
                continue
            share = sum(weights)
            x, y, z = (sum(w * p[k] for w, p in zip(weights, chosen, strict=True)) for k in range(3))
            square = x * x + y * y + z * z
            if best is None or square * best[1] ** 2 < best[0] * share**2:
                best = square, share, list(chosen), (x, y, z)
    assert best is not None  # a single corner always has one
    return best[2], best[3], best[1]


def _weights(chosen: tuple[Vector, ...]) -> tuple[int, ...] | None:
    """Return the positive weights of the corners at the point of their plane that is nearest to the origin.

    They are to be divided by their sum. Returns None if the point is not between the corners, or if the corners are not
    independent.
    """
    origin, *others = chosen
    ways = [_minus(p, origin) for p in others]
    sides = [-_dot(way, origin) for way in ways]
    if not ways:
        return (1,)
    gram = [[_dot(p, q) for q in ways] for p in ways]
    whole = _determinant(gram)
    if whole <= 0:
        return None
    parts = [
        _determinant([[*r[:k], s, *r[k + 1 :]] for r, s in zip(gram, sides, strict=True)]) for k in range(len(ways))
    ]
    rest = whole - sum(parts)
    return (rest, *parts) if rest > 0 and all(part > 0 for part in parts) else None


def _determinant(m: list[list[int]]) -> int:
    if len(m) == 1:
        return m[0][0]
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    (a, b, c), (d, e, f), (g, h, i) = m
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
