"""Whether two closed meshes have common volume, by exact arithmetic that shares no code with the engine; slow.

Coordinates become integers (doubles times a power of two), quotients fractions. If the interiors of two solids have
common volume, some face of its boundary is a piece of a triangle of one of them, where all the others cut it into
pieces; every piece holds one of the points that `_middles` lists. Beside each of them, on both sides of the triangle,
both winding numbers are counted along a ray that starts there: common volume is where both differ from zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

import numpy as np

Point: TypeAlias = "tuple[Fraction | int, ...]"
Triangle: TypeAlias = "tuple[Point, Point, Point]"
_DIRECTIONS = ((3, 5, 7), (-11, 13, 5), (17, -3, 23), (-7, -19, 29), (101, 57, -83), (13, -89, -37), (-307, 211, 1009))


def have_common_volume(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the solids that two closed meshes wind around have common volume; corners (m, 3, 3) float64 each."""
    low = np.maximum(a.min(axis=(0, 1)), b.min(axis=(0, 1)))
    high = np.minimum(a.max(axis=(0, 1)), b.max(axis=(0, 1)))
    if (low >= high).any():
        return False
    first, second = _whole_numbers((a, b))
    solids = _Solid(first), _Solid(second)
    return any(
        _beside(middle, triangle, solids)
        for own, other, corners, others in ((first, second, a, b), (second, first, b, a))
        for middle, triangle in _middles(own, other, corners, others, low, high)
    )


def turned_alike(corners: np.ndarray) -> np.ndarray:
    """The same triangles (m, 3, 3), turned so that neighbours across an edge of two run through it in opposite ways.

    Modellers write faces of one solid with both windings; the engine turns them, so a judge has to do so, too.
    """
    points: dict[tuple[float, ...], int] = {}
    faces = [[points.setdefault(tuple(p), len(points)) for p in t] for t in (corners + 0.0).tolist()]
    across: dict[frozenset[int], list[tuple[int, bool]]] = {}
    for t, face in enumerate(faces):
        for u, v in zip(face, face[1:] + face[:1], strict=True):
            across.setdefault(frozenset((u, v)), []).append((t, u < v))
    turned: dict[int, bool] = {}
    for first in range(len(faces)):
        waiting = [] if first in turned else [(first, False)]
        while waiting:
            t, turn = waiting.pop()
            if t in turned:
                continue
            turned[t] = turn
            for u, v in zip(faces[t], faces[t][1:] + faces[t][:1], strict=True):
                sides = across[frozenset((u, v))]
                if len(sides) == 2:
                    other, upward = next(side for side in sides if side[0] != t or sides[0][0] == sides[1][0])
                    waiting.append((other, turn ^ (upward == (u < v))))
    result = corners.copy()
    for t, turn in turned.items():
        result[t] = corners[t, ::-1] if turn else corners[t]
    return result


def _whole_numbers(meshes: tuple[np.ndarray, ...]) -> list[list[Triangle]]:
    """The corners of all meshes, enlarged by one power of two so that every coordinate is a whole number."""
    ratios = [[float(x).as_integer_ratio() for x in corners.ravel()] for corners in meshes]
    scale = max(denominator for row in ratios for _, denominator in row)
    numbers = [np.array([n * (scale // d) for n, d in row], object).reshape(-1, 3, 3) for row in ratios]
    return [[tuple(map(tuple, t)) for t in mesh.tolist()] for mesh in numbers]  # type: ignore[misc]


class _Solid:
    """Counts how often a closed surface winds around points; corners (m, 3, 3) of whole numbers."""

    def __init__(self, triangles: list[Triangle]) -> None:
        self._triangles = [(t, _normal(t)) for t in triangles if any(_normal(t))]

    def winding(self, start: tuple[int, ...], weight: int, direction: tuple[int, ...]) -> int | None:
        """The winding number just beyond the point start / weight along a direction; None: the ray is not generic.

        Triangles through the start itself do not count: the ray has left them.
        """
        total = 0
        for corners, normal in self._triangles:
            u, v, w = ([weight * x - y for x, y in zip(p, start, strict=True)] for p in corners)
            turns = [_dot(direction, _cross(p, q)) for p, q in ((u, v), (v, w), (w, u))]
            if max(turns) > 0 > min(turns):
                continue  # the line passes beside the triangle
            along, height = _sign(_dot(normal, direction)), _sign(_dot(normal, u))
            if height * along < 0 or (along and not height):
                continue  # behind the start, or at it
            if along == 0 and height:
                continue
            if not all(turns):
                return None  # through an edge, or along the plane
            total += along
        return total


def _beside(middle: Point, triangle: Triangle, solids: tuple[_Solid, _Solid]) -> bool:
    """Whether there is common volume just beside a point of a triangle, on either side of it."""
    normal, weight = _normal(triangle), math.lcm(*(x.denominator for x in middle))
    start = tuple(int(x * weight) for x in middle)
    return any(_side_is_common(start, weight, normal, side, solids) for side in (1, -1))


def _side_is_common(
    start: tuple[int, ...], weight: int, normal: Point, side: int, solids: tuple[_Solid, _Solid]
) -> bool:
    for direction in _DIRECTIONS:
        towards = side * _sign(_dot(normal, direction))
        if towards == 0:
            continue
        way = tuple(towards * x for x in direction)
        first = solids[0].winding(start, weight, way)
        second = None if first is None else solids[1].winding(start, weight, way)
        if first is not None and second is not None:
            return first != 0 and second != 0
    raise ArithmeticError("no direction is generic: give more of them")


def _middles(
    own: list[Triangle],
    other: list[Triangle],
    corners: np.ndarray,
    others: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> Iterator[tuple[Point, Triangle]]:
    """Points inside all pieces into which the triangles of one solid are cut by all others, near the other solid."""
    near = ((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1)
    for t in np.flatnonzero(near).tolist():
        triangle = own[t]
        if not any(_normal(triangle)):
            continue
        segments = [
            segment
            for boxes, cutting in ((corners, own), (others, other))
            for k in _meeting(boxes, corners[t])
            if cutting is other or k != t
            for segment in _segments_in_plane(triangle, cutting[k])
        ]
        yield from ((middle, triangle) for middle in _middles_of(triangle, segments))


def _meeting(corners: np.ndarray, triangle: np.ndarray) -> list[int]:
    """The triangles whose boxes meet that of one triangle."""
    meet = (corners.min(axis=1) <= triangle.max(axis=0)) & (corners.max(axis=1) >= triangle.min(axis=0))
    return np.flatnonzero(meet.all(axis=1)).tolist()


def _middles_of(triangle: Triangle, segments: list[tuple[Point, Point]]) -> Iterator[Point]:
    """A point inside every piece of a triangle that is cut by segments of its plane.

    The plane is dropped along the axis of the normal's largest component to coordinates (x, y). Between two
    neighbouring x of ends and crossings no segment begins, ends or crosses another, so in the middle between them a
    line along y meets every piece there, and meets it between two neighbouring crossings.
    """
    normal = _normal(triangle)
    k = max(range(3), key=lambda axis: abs(normal[axis]))
    i, j = (axis for axis in range(3) if axis != k)
    border = [(triangle[m], triangle[m - 2]) for m in range(3)]
    flat = [((p[i], p[j]), (q[i], q[j])) for p, q in (*border, *segments)]
    xs = {p[0] for segment in flat for p in segment}
    for m, first in enumerate(flat):
        for second in flat[:m]:
            crossing = _crossing_x(first, second)
            if crossing is not None:
                xs.add(crossing)
    low, high = min(p[i] for p in triangle), max(p[i] for p in triangle)
    for left, right in pairwise(sorted(x for x in xs if low <= x <= high)):
        x = Fraction(left + right) / 2
        ys = [sorted({y for segment in part if (y := _at(segment, x)) is not None}) for part in (flat[:3], flat)]
        for below, above in pairwise(y for y in ys[1] if ys[0][0] <= y <= ys[0][-1]):
            y = Fraction(below + above) / 2
            rise = normal[i] * (x - triangle[0][i]) + normal[j] * (y - triangle[0][j])
            z = triangle[0][k] - rise / normal[k]
            place = {i: x, j: y, k: z}
            yield tuple(place[axis] for axis in range(3))


def _segments_in_plane(t: Triangle, s: Triangle) -> list[tuple[Point, Point]]:
    """What of the closed triangle s lies in the plane of t: its cut, or its edges where it lies in the plane."""
    normal = _normal(t)
    heights = [_dot(normal, _minus(p, t[0])) for p in s]
    if not any(heights):
        return [(s[m], s[m - 2]) for m in range(3)]
    points = [p for p, h in zip(s, heights, strict=True) if h == 0]
    for m in range(3):
        (p, g), (q, h) = (s[m], heights[m]), (s[m - 2], heights[m - 2])
        if g * h < 0:
            points.append(tuple(x + Fraction(g) / (g - h) * (y - x) for x, y in zip(p, q, strict=True)))
    return [(points[0], points[1])] if len(points) == 2 else []


def _crossing_x(first: tuple[Point, Point], second: tuple[Point, Point]) -> Fraction | None:
    (p, q), (r, s) = first, second
    d, e = (q[0] - p[0], q[1] - p[1]), (s[0] - r[0], s[1] - r[1])
    determinant = d[0] * e[1] - d[1] * e[0]
    if determinant == 0:
        return None  # parallel: their ends are listed anyway
    f = (r[0] - p[0], r[1] - p[1])
    along, across = (Fraction(x) / determinant for x in (f[0] * e[1] - f[1] * e[0], f[0] * d[1] - f[1] * d[0]))
    return p[0] + along * d[0] if 0 <= along <= 1 and 0 <= across <= 1 else None


def _at(segment: tuple[Point, Point], x: Fraction) -> Fraction | None:
    """Where a segment meets the line of one x that is none of its ends'."""
    p, q = segment
    if not min(p[0], q[0]) < x < max(p[0], q[0]):
        return None
    return p[1] + (x - p[0]) / (q[0] - p[0]) * (q[1] - p[1])


def _normal(t: Triangle) -> Point:
    return _cross(_minus(t[1], t[0]), _minus(t[2], t[0]))


def _minus(p: Point, q: Point) -> Point:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _dot(p: Sequence[Fraction | int], q: Sequence[Fraction | int]) -> Fraction | int:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def _cross(p: Sequence[Fraction | int], q: Sequence[Fraction | int]) -> Point:
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


def _sign(x: Fraction | int) -> int:
    return (x > 0) - (x < 0)
