"""The cells of two surfaces in fractions of integers: the places of ``sampling.py``, for inputs beyond float64.

The module is used for coordinates so small or so different that expansions of doubles cannot represent their products,
and for more triangles around one point than the fast path stores. Every triangle is tested for every place without a
filter, which takes long.
"""

import math
from collections.abc import Generator, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..geometry.triangle_pair import CROSSING
from ..traversal.point import DIRECTIONS
from .sampling import COMMON, ONLY_A, ONLY_B, SURFACE_IN, SURFACE_OUT


class Point(tuple[Fraction, ...]):
    """Three coordinates [m]."""

    @cached_property
    def whole(self) -> tuple[int, int, int, int]:
        """Return the coordinates times their common denominator, and the denominator, because integers are ten times
        faster.
        """
        w = math.lcm(*(c.denominator for c in self))
        x, y, z = (c.numerator * (w // c.denominator) for c in self)
        return x, y, z, w


Corners = tuple[Point, Point, Point]


class Surface(NamedTuple):
    """One object in world coordinates."""

    triangles: np.ndarray
    """Corners (m, 3, 3) float64 [m]."""
    orientation: np.ndarray
    """(m,), 1 or -1."""
    closed: bool
    looked_at: np.ndarray
    """Indices of the triangles whose corners are tested: the triangles in contact, and one triangle of each component.
"""


class ExactSide(NamedTuple):
    """Triangles of one object as fractions."""

    triangles: list[Corners]
    orientation: list[int]
    closed: bool


def bits_by_fractions(a: Surface, b: Surface, pairs: np.ndarray, kinds: np.ndarray) -> Generator[None, None, int]:
    """Return the bits of ``sampling.py`` for one pair of objects; the generator yields after every point.

    Args:
        a, b: the objects; at least one of them is closed.
        pairs, kinds: contacts of the objects, (n, 2) and (n,).
    """
    sides = _exact(a), _exact(b)
    bits = 0
    for side, base in _bases((a, b), sides, pairs, kinds):
        bits |= _around(sides, side, base)
        yield
    return bits


def _exact(surface: Surface) -> ExactSide:
    triangles = [exact_corners(corners) for corners in surface.triangles]
    return ExactSide(triangles, [int(x) for x in surface.orientation], surface.closed)


def exact_corners(corners: np.ndarray) -> Corners:
    """Return the corners (3, 3) of a triangle as fractions."""
    a, b, c = corners.tolist()
    return _point(a), _point(b), _point(c)


def _point(row: list[float]) -> Point:
    return Point(map(Fraction, row))


def orient(a: Point, b: Point, c: Point, d: Point) -> Fraction:
    """Return six times the volume of a tetrahedron, positive if d lies below the plane abc, as for ``orient3d``."""
    ax, ay, az = (a[k] - d[k] for k in range(3))
    bx, by, bz = (b[k] - d[k] for k in range(3))
    cx, cy, cz = (c[k] - d[k] for k in range(3))
    return az * (bx * cy - cx * by) + bz * (cx * ay - ax * cy) + cz * (ax * by - bx * ay)


def _side(a: Point, b: Point, c: Point, place: tuple[Point, ...]) -> int:
    """Return the sign of orient3d(a, b, c, place) for a base, or a base with the points towards which it is moved."""
    for point in place:
        x, y, z, w = point.whole
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (
            (px * w - x * pw, py * w - y * pw, pz * w - z * pw) for px, py, pz, pw in (a.whole, b.whole, c.whole)
        )
        value = az * (bx * cy - cx * by) + bz * (cx * ay - ax * cy) + cz * (ax * by - bx * ay)
        if value != 0:
            return 1 if value > 0 else -1
    return 0


def _bases(
    surfaces: tuple[Surface, Surface], sides: tuple[ExactSide, ExactSide], pairs: np.ndarray, kinds: np.ndarray
) -> Iterator[tuple[int, Point]]:
    """Yield the points around which cells are tested, each with an object whose surface contains the point."""
    both = sides[0].closed and sides[1].closed
    asked = (0, 1) if both else ((1,) if sides[0].closed else (0,))
    for side in asked:
        corners = {p for t in surfaces[side].looked_at.tolist() for p in sides[side].triangles[t]}
        yield from ((side, corner) for corner in sorted(corners))
    crossing = {
        x
        for (i, j), kind in zip(pairs.tolist(), kinds.tolist(), strict=True)
        if kind == CROSSING or not both
        for first, second in ((sides[0].triangles[i], sides[1].triangles[j]),)
        for x in (*_cuts(first, second), *_cuts(second, first), *(() if both else (*first, *second)))
    }
    yield from ((asked[0], x) for x in sorted(crossing))


def _cuts(edges_of: Corners, triangle: Corners) -> Iterator[Point]:
    """Yield the points in which edges of one triangle pass through another triangle."""
    for i in range(3):
        v, w = edges_of[i], edges_of[(i + 1) % 3]
        at_v, at_w = orient(*triangle, v), orient(*triangle, w)
        signs = {_side(v, w, triangle[k], (triangle[(k + 1) % 3],)) for k in range(3)}
        if at_v * at_w < 0 and not {1, -1} <= signs:
            share = at_v / (at_v - at_w)
            yield along(v, w, share)


def along(v: Point, w: Point, share: Fraction) -> Point:
    """Return the point at a given share of the way from v to w."""
    return Point(x + share * (y - x) for x, y in zip(v, w, strict=True))


class _Star(NamedTuple):
    number: int
    """Winding number of the crossings of the ray."""
    around: list[int]
    """Triangles that contain the base."""


def _star(side: ExactSide, base: Point, q: Point) -> _Star | None:
    """Return a ray's crossings from a base, and the triangles that contain the base; None if the ray grazes an edge or
    vertex.
    """
    number, around = 0, []
    for t, (a, b, c) in enumerate(side.triangles):
        side_p, side_q = _side(a, b, c, (base,)), _side(a, b, c, (q,))
        signs = {_side(q, a, b, (base,)), _side(q, b, c, (base,)), _side(q, c, a, (base,))}
        if (side_p == side_q != 0) or {1, -1} <= signs:
            continue
        if side_q == 0:
            if _has_area(a, b, c):
                return None
        elif side_p == 0:
            around.append(t)
        elif 0 in signs:
            return None
        else:
            number -= side_q * side.orientation[t]
    return _Star(number, around)


def _has_area(a: Point, b: Point, c: Point) -> bool:
    u, v = [b[k] - a[k] for k in range(3)], [c[k] - a[k] for k in range(3)]
    return any(u[k - 2] * v[k - 1] != u[k - 1] * v[k - 2] for k in range(3))


def _numbers(side: ExactSide, star: _Star, place: tuple[Point, ...], q: Point) -> tuple[int, int, bool]:
    """Return winding numbers at a place, on q's side and on the other side of the triangles at the place, and whether
    there are such triangles.
    """
    towards = away = star.number
    lies = False
    for t in star.around:
        a, b, c = side.triangles[t]
        side_p, side_q = _side(a, b, c, place), _side(a, b, c, (q,))
        signs = {_side(q, a, b, place), _side(q, b, c, place), _side(q, c, a, place)}
        if side_p == side_q or len(signs) > 1:
            continue
        step = -side_q * side.orientation[t]
        away += step
        towards += step if side_p != 0 else 0
        lies = lies or side_p == 0
    return towards, away, lies


def _around(sides: tuple[ExactSide, ExactSide], side: int, base: Point) -> int:
    """Return the bits of the cells around a base."""
    size = max(abs(x) for part in sides for triangle in part.triangles for p in triangle for x in p)
    for direction in DIRECTIONS.tolist():
        q = far_point(base, size, direction)
        a, b = _star(sides[0], base, q), _star(sides[1], base, q)
        if a is not None and b is not None:
            break
    else:
        raise AssertionError("every search direction grazes an edge")
    stars = a, b
    if sides[0].closed and sides[1].closed and not a.around and not b.around:
        return _cell(1, b.number) if side == 0 else _cell(a.number, 1)
    if sides[0].closed and sides[1].closed:
        return _bits_of_corners(sides, stars, base, q)
    return _bits_of_open(sides, stars, side, base, q)


def far_point(base: Point, size: Fraction, direction: Sequence[float]) -> Point:
    """Return a point outside of all triangles with coordinates up to ``size``, which must also cover the base."""
    return Point(x + 16 * size * Fraction(d) for x, d in zip(base, direction, strict=True))


def bits_amid(
    sides: tuple[ExactSide, ExactSide], numbers: tuple[int, int], side: int, base: Point, q: Point
) -> int | None:
    """Return the bits of the cells next to the triangles around a point, or on one open ``side``'s surface.

    Triangles that the segment from the base to q certainly misses or crosses may be omitted from ``sides``; ``numbers``
    are the winding numbers of the crossed triangles. Returns None if the segment grazes an edge or vertex.
    """
    a, b = _star(sides[0], base, q), _star(sides[1], base, q)
    if a is None or b is None:
        return None
    stars = a._replace(number=a.number + numbers[0]), b._replace(number=b.number + numbers[1])
    if not (sides[0].closed and sides[1].closed):
        return _bits_of_open(sides, stars, side, base, q)
    bits = 0
    for own in range(2):
        for t in stars[own].around:
            corners = sides[own].triangles[t]
            for y in corners:
                place = next(((base, y, z) for z in corners if _is_amid(corners, (base, y, z), q)), None)
                if place is not None:
                    bits |= _bits_at_place(sides, stars, own, place, q)
    return bits


def _is_amid(corners: Corners, place: tuple[Point, Point, Point], q: Point) -> bool:
    """Return whether a place in a triangle's plane is inside the triangle and not only on an edge's line.

    The point q is off the plane.
    """
    (a, b, c), (base, y, z) = corners, place
    signs = {_side(q, a, b, place), _side(q, b, c, place), _side(q, c, a, place)}
    return len(signs) == 1 and 0 not in signs and y not in (base, z) and _side(q, y, z, (base,)) != 0


def _bits_of_corners(sides: tuple[ExactSide, ExactSide], stars: tuple[_Star, _Star], base: Point, q: Point) -> int:
    bits = 0
    for side in range(2):
        for t in stars[side].around:
            for i in range(3):
                u, v, apex = (sides[side].triangles[t][(i + k) % 3] for k in range(3))
                if _side(q, u, v, (base,)) == 0:
                    for end in {u, v} - {base}:
                        bits |= _bits_at_place(sides, stars, side, (base, end, apex), q)
    return bits


def _bits_at_place(
    sides: tuple[ExactSide, ExactSide], stars: tuple[_Star, _Star], side: int, place: tuple[Point, ...], q: Point
) -> int:
    a, b = (_numbers(part, star, place, q) for part, star in zip(sides, stars, strict=True))
    bits = _cell(a[0], b[0]) | _cell(a[1], b[1])
    own, other = (a, b) if side == 0 else (b, a)
    if own[0] == own[1] == 0 and not other[2]:
        bits |= _cell(1, b[0]) if side == 0 else _cell(a[0], 1)
    return bits


def _cell(a: int, b: int) -> int:
    if a != 0:
        return COMMON if b != 0 else ONLY_A
    return ONLY_B if b != 0 else 0


def _bits_of_open(
    sides: tuple[ExactSide, ExactSide], stars: tuple[_Star, _Star], side: int, base: Point, q: Point
) -> int:
    own, other, bits = sides[side], sides[1 - side], 0
    ends = [p for t in stars[1 - side].around for p in other.triangles[t]]
    for t in stars[side].around:
        a, b, c = corners = own.triangles[t]
        for y in (*corners, *(p for p in ends if orient(a, b, c, p) == 0)):
            for z in corners:
                place = base, y, z
                if not _is_amid(corners, place, q):
                    continue
                inside = [number != 0 for number in _numbers(other, stars[1 - side], place, q)[:2]]
                bits |= SURFACE_IN if all(inside) else (SURFACE_OUT if not any(inside) else 0)
    return bits
