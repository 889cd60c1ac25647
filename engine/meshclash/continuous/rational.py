"""Decide whether and when four moving points meet, in Python integers: the last stage, and the source of certificates.

If f = det(d, u, v) is not zero for all times, they can meet only at its roots. At a root, the projection along an axis
k with n_k != 0 decides (``projection_tests.py``). If n = u x v vanishes, edges are parallel or the triangle is flat,
and the two meet only if an end lies on an edge. If f is zero for all times, they move in one plane: they meet at time
0, or first when an end E comes to lie on an edge GH. For at the first time of contact some end lies on an edge
(otherwise, by continuity, they met before). And if E, G, H are in line for all times, E lies at G or H (otherwise it
lay between them before). So the times to test are the roots of (E - G) x (H - G), or those of E - G and E - H.

All signs at roots are exact (``roots.py``). Ends and edges are: the point and the three sides, or each end and the
other edge.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .coplanarity import POINT_TRIANGLE
from .forms import Form, add, multiply, subtract
from .roots import Root, roots

Vector = tuple[Form, Form, Form]
FINE = 41
"""Depth of the interval that is reported for a first time."""

END_ON_EDGE = (
    ((0, 1, 2), (0, 2, 3), (0, 3, 1)),
    ((2, 0, 1), (3, 0, 1), (0, 2, 3), (1, 2, 3)),
)
"""For each kind, the points E, G, H where E may come to lie on GH."""


class ExactImpact(NamedTuple):
    """The first time at which two moving elements meet, and the proof."""

    root: Root
    axis: int
    """Axis of the projection in which they overlap at the root; -1 if an end lies on an edge."""
    place: tuple[int, int, int]
    """The points E, G, H in that case."""


def integer_points(start: np.ndarray, end: np.ndarray) -> list[Vector]:
    """Return moving points (n, 3) and (n, 3) as forms of degree 1, times a common power of 2."""
    ratios = [
        [[float(x).as_integer_ratio() for x in point] for point in points] for points in (start.tolist(), end.tolist())
    ]
    scale = max(d for points in ratios for point in points for _, d in point)
    p, q = ([[n * (scale // d) for n, d in point] for point in points] for points in ratios)
    return [([a[0], b[0]], [a[1], b[1]], [a[2], b[2]]) for a, b in zip(p, q, strict=True)]


def minus(a: Vector, b: Vector) -> Vector:
    """Return the difference of two moving points."""
    return subtract(a[0], b[0]), subtract(a[1], b[1]), subtract(a[2], b[2])


def cross(a: Vector, b: Vector) -> Vector:
    """Return the cross product of two moving vectors."""
    return (
        subtract(multiply(a[1], b[2]), multiply(a[2], b[1])),
        subtract(multiply(a[2], b[0]), multiply(a[0], b[2])),
        subtract(multiply(a[0], b[1]), multiply(a[1], b[0])),
    )


def dot(a: Vector, b: Vector) -> Form:
    """Return the scalar product of two moving vectors."""
    return add(add(multiply(a[0], b[0]), multiply(a[1], b[1])), multiply(a[2], b[2]))


class Encounter:
    """Four moving points, with the forms that tell when they meet.

    Attributes:
        points: as returned by ``integer_points``.
        normal: u x v, forms of degree 2.
        coplanarity: det(d, u, v), of degree 3.
    """

    def __init__(self, points: list[Vector], kind: int) -> None:
        self.points, self.kind = points, kind
        if kind == POINT_TRIANGLE:
            d, u, v = (minus(points[i], points[1]) for i in (0, 2, 3))
        else:
            d, u, v = minus(points[2], points[0]), minus(points[1], points[0]), minus(points[3], points[2])
        self.normal = cross(u, v)
        self.coplanarity = dot(d, self.normal)
        self._d, self._u, self._v = d, u, v

    def margins(self, axis: int) -> list[Form]:
        """Return forms that, times the sign of the normal along the axis, are all >= 0 where the projections meet."""
        n, s = self.normal[axis], cross(self._d, self._v)[axis]
        w = cross(self._d, self._u)[axis]
        if self.kind == POINT_TRIANGLE:
            w = [-x for x in w]
            return [s, w, subtract(subtract(n, s), w)]
        return [s, w, subtract(n, s), subtract(n, w)]

    def in_line(self, place: tuple[int, int, int]) -> Vector:
        """Return (E - G) x (H - G): zero if the three are in line."""
        e, g, h = (self.points[i] for i in place)
        return cross(minus(e, g), minus(h, g))

    def outside(self, place: tuple[int, int, int]) -> list[Form]:
        """Return (E - G)(E - H) along each axis: if E, on a line with G and H, lies between them, no value is
        positive.
        """
        e, g, h = (self.points[i] for i in place)
        return [multiply(p, q) for p, q in zip(minus(e, g), minus(e, h), strict=True)]

    def met_at(self, root: Root) -> ExactImpact | None:
        """Return how two moving elements meet at a root of the coplanarity."""
        for axis in range(3):
            side = root.sign_of(self.normal[axis])
            if side:
                met = all(root.sign_of(form) * side >= 0 for form in self.margins(axis))
                return ExactImpact(root, axis, (0, 0, 0)) if met else None
        for place in END_ON_EDGE[self.kind]:
            if any(root.sign_of(form) for form in self.in_line(place)):
                continue
            if all(root.sign_of(form) <= 0 for form in self.outside(place)):
                return ExactImpact(root, -1, place)
        return None

    def meetings(self) -> Iterator[ExactImpact]:
        """Yield times at which two moving elements meet, including all at which a contact begins or ends.

        They come from early to late, unless all motion is in one plane.
        """
        moments = roots(self.coplanarity) if any(self.coplanarity) else self._moments_in_plane()
        return (met for root in moments if (met := self.met_at(root)))

    def first_meeting(self) -> ExactImpact | None:
        """Return the first time at which two moving elements meet; of times in one plane less than 2**-41 apart,
        any.
        """
        if any(self.coplanarity):
            return next(self.meetings(), None)
        return min(self.meetings(), key=lambda met: lower_bound(met.root), default=None)

    def _moments_in_plane(self) -> Iterator[Root]:
        yield Root([0, 1], 0, 0, exact=True)
        for place in END_ON_EDGE[self.kind]:
            e, g, h = (self.points[i] for i in place)
            found = next((form for form in self.in_line(place) if any(form)), None)
            if found:
                yield from roots(found)
                continue
            for difference in (minus(e, g), minus(e, h)):
                form = next((form for form in difference if any(form)), None)
                if form:
                    yield from roots(form)


def rational_impact(start: np.ndarray, end: np.ndarray, kind: int) -> tuple[bool, float]:
    """Return (whether four moving points meet, a lower bound of the first time within 2**-40); start, end (4, 3)."""
    met = Encounter(integer_points(start, end), kind).first_meeting()
    return (False, np.nan) if met is None else (True, lower_bound(met.root))


def lower_bound(root: Root) -> float:
    """Return the largest multiple of 2**-41 not above the root, or for smaller roots the largest power of two."""
    root.narrow(FINE)
    if root.exact and root.index == 0:
        return 0.0
    while root.index == 0 and root.depth < 1074:
        root.halve()
    index, depth = (root.index, root.depth) if root.depth <= FINE else (root.index >> (root.depth - FINE), FINE)
    if index == 0:
        index, depth = 1 << root.index.bit_length() >> 1, root.depth
    return float(np.ldexp(float(index), -depth))
