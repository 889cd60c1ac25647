"""Exact decision how two closed triangles meet, from orientation signs alone.

The case analysis follows Guigue and Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation
Predicates" (2003), extended in three ways: the *kind* of the contact, zero-area triangles (segments and points), and
signs that may be undecided. The same code is used for every type of predicate: exact (a float64 filter, then
expansions) here, and rational (Python integers) for coordinates whose products do not fit into doubles.
"""

from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from ..jit import inner, kernel
from ..reference import by_reference
from ..types.arguments import no_member
from . import predicates
from .predicates import UNCERTAIN


class ContactKind(IntEnum):
    """The kind of contact between two triangles. Zero means that the triangles are apart, so it never occurs in
    results.
    """

    CROSSING = 1
    """Not coplanar, and the relative interiors meet."""
    COPLANAR = 2
    """Coplanar, with an overlap of positive area."""
    TOUCHING = 3
    """All other contacts: vertices, edges, and all contacts of zero-area triangles."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise no_member(cls, value)


APART = 0
CROSSING = int(ContactKind.CROSSING)
COPLANAR = int(ContactKind.COPLANAR)
TOUCHING = int(ContactKind.TOUCHING)
UNDECIDED = 255


def plain(function: Any) -> Any:
    """Return the function itself: the decorator for uncompiled functions."""
    return function


def make_flat(orient2d: Callable, compiled: Callable) -> tuple[Callable, Callable, Callable, Callable, Callable]:
    """Return tests inside one plane: points are (x, y, z), projected along ``axis``, which must not flatten the
    plane.
    """

    @compiled
    def turn(a, b, c, axis, work):
        if axis == 0:
            return orient2d(a[1], a[2], b[1], b[2], c[1], c[2], work)
        if axis == 1:
            return orient2d(a[2], a[0], b[2], b[0], c[2], c[0], work)
        return orient2d(a[0], a[1], b[0], b[1], c[0], c[1], work)

    @compiled
    def side_of_edge(a, b, p, q, r, axis, inside, work):
        """Return 1 if p, q, r lie strictly beyond the edge ab, 0 if beyond or on it, else -1, or UNCERTAIN."""
        largest = -1
        for i in range(3):
            sign = turn(a, b, p if i == 0 else (q if i == 1 else r), axis, work)
            if sign == UNCERTAIN:
                return UNCERTAIN
            largest = max(largest, sign * inside)
        return -largest

    @compiled
    def spread_axis(p, q, r, work):
        """Return (axis, sign) along which the triangle keeps its area; axis -1: no area; UNCERTAIN: undecided."""
        nx = abs((q[1] - p[1]) * (r[2] - p[2]) - (q[2] - p[2]) * (r[1] - p[1]))
        ny = abs((q[2] - p[2]) * (r[0] - p[0]) - (q[0] - p[0]) * (r[2] - p[2]))
        nz = abs((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))
        first = 0 if (nx >= ny and nx >= nz) else (1 if ny >= nz else 2)
        for step in range(3):
            axis = (first + step) % 3
            sign = turn(p, q, r, axis, work)
            if sign != 0:
                return axis, sign
        return -1, 0

    @compiled
    def coplanar_pair(p1, q1, r1, p2, q2, r2, axis, inside1, work):
        """Compare two triangles with area in one plane: they are separated by an edge of one of them, or overlap."""
        inside2 = turn(p2, q2, r2, axis, work)
        if inside2 == UNCERTAIN:
            return UNDECIDED
        kind = COPLANAR
        for i in range(6):
            first = i < 3
            edge = i % 3
            p, q, r = (p1, q1, r1) if first else (p2, q2, r2)
            u, v = (p, q) if edge == 0 else ((q, r) if edge == 1 else (r, p))
            x, y, z = (p2, q2, r2) if first else (p1, q1, r1)
            side = side_of_edge(u, v, x, y, z, axis, inside1 if first else inside2, work)
            if side == UNCERTAIN:
                return UNDECIDED
            if side == 1:
                return APART
            if side == 0:
                kind = TOUCHING
        return kind

    @compiled
    def segment_in_plane(a, b, p, q, r, axis, inside, work):
        """Compare segment ab with a triangle with area in the same plane: they are separated by an edge of one of them,
        or meet.
        """
        for i in range(5):
            if i < 3:
                u, v = (p, q) if i == 0 else ((q, r) if i == 1 else (r, p))
                x, y, z, inwards = a, b, b, inside
            else:
                u, v, x, y, z, inwards = a, b, p, q, r, 2 * i - 7
            side = side_of_edge(u, v, x, y, z, axis, inwards, work)
            if side == UNCERTAIN:
                return UNDECIDED
            if side == 1:
                return APART
        return TOUCHING

    @compiled
    def segments_in_plane(a, b, c, d, work):
        """Compare segments (or points) ab and cd, known to be coplanar."""
        for axis in range(3):
            abc = turn(a, b, c, axis, work)
            abd = turn(a, b, d, axis, work)
            cda = turn(c, d, a, axis, work)
            cdb = turn(c, d, b, axis, work)
            if abc == UNCERTAIN or abd == UNCERTAIN or cda == UNCERTAIN or cdb == UNCERTAIN:
                return UNDECIDED
            if abc != 0 or abd != 0 or cda != 0 or cdb != 0:
                return TOUCHING if abc * abd <= 0 and cda * cdb <= 0 else APART
        for k in range(3):
            if max(a[k], b[k]) < min(c[k], d[k]) or max(c[k], d[k]) < min(a[k], b[k]):
                return APART
        return TOUCHING

    return turn, spread_axis, coplanar_pair, segment_in_plane, segments_in_plane


def _make_degenerate(orient3d: Callable, flat: tuple, compiled: Callable) -> Callable:
    """Return the test of zero-area triangles, which are segments or points."""
    _, _, _, segment_in_plane, segments_in_plane = flat

    @compiled
    def lowest(p, q):
        return p if p <= q else q

    @compiled
    def highest(p, q):
        return q if p <= q else p

    @compiled
    def segment_and_triangle(a, b, p, q, r, axis, inside, work):
        side_a = orient3d(p, q, r, a, work)
        side_b = orient3d(p, q, r, b, work)
        if side_a == UNCERTAIN or side_b == UNCERTAIN:
            return UNDECIDED
        if side_a * side_b > 0:
            return APART
        if side_a == 0 and side_b == 0:
            return segment_in_plane(a, b, p, q, r, axis, inside, work)
        pq = orient3d(a, b, p, q, work)
        qr = orient3d(a, b, q, r, work)
        rp = orient3d(a, b, r, p, work)
        if pq == UNCERTAIN or qr == UNCERTAIN or rp == UNCERTAIN:
            return UNDECIDED
        through = (pq >= 0 and qr >= 0 and rp >= 0) or (pq <= 0 and qr <= 0 and rp <= 0)
        return TOUCHING if through else APART

    @compiled
    def degenerate_pair(p1, q1, r1, axis1, inside1, p2, q2, r2, axis2, inside2, work):
        """Compare triangles of which at least one has axis -1, that is, no area."""
        a = lowest(lowest(p1, q1), r1)
        b = highest(highest(p1, q1), r1)
        c = lowest(lowest(p2, q2), r2)
        d = highest(highest(p2, q2), r2)
        if axis1 >= 0:
            a, b, p2, q2, r2, axis2, inside2 = c, d, p1, q1, r1, axis1, inside1
        if axis2 >= 0:
            return segment_and_triangle(a, b, p2, q2, r2, axis2, inside2, work)
        sign = orient3d(a, b, c, d, work)
        if sign == UNCERTAIN:
            return UNDECIDED
        return segments_in_plane(a, b, c, d, work) if sign == 0 else APART

    return degenerate_pair


def make_classifier(orient3d: Callable, orient2d: Callable, compiled: Callable) -> Callable:
    """Return a function (p1, q1, r1, p2, q2, r2, workspace) -> kind, 0 for apart, or UNDECIDED; points are (x, y, z).

    Args:
        orient3d: sign predicate of ``predicates.py``, of any kind.
        orient2d: the corresponding predicate in the plane.
        compiled: decorator for the functions made here.
    """
    flat = make_flat(orient2d, compiled)
    _, spread_axis, coplanar_pair, _, _ = flat
    degenerate_pair = _make_degenerate(orient3d, flat, compiled)

    @compiled
    def lone_vertex(s0, s1, s2):
        """Return the index of a vertex whose two edges both reach the other triangle's plane.

        The vertex is alone on its side, or alone off the plane.
        """
        if s0 * s1 > 0:
            return 2
        if s0 * s2 > 0:
            return 1
        if s1 * s2 > 0 or s0 != 0:
            return 0
        return 1 if s1 != 0 else 2

    @compiled
    def flat_pair(p1, q1, r1, p2, q2, r2, work):
        axis1, inside1 = spread_axis(p1, q1, r1, work)
        axis2, inside2 = spread_axis(p2, q2, r2, work)
        if inside1 == UNCERTAIN or inside2 == UNCERTAIN:
            return UNDECIDED
        if axis1 < 0 or axis2 < 0:
            return degenerate_pair(p1, q1, r1, axis1, inside1, p2, q2, r2, axis2, inside2, work)
        return coplanar_pair(p1, q1, r1, p2, q2, r2, axis1, inside1, work)

    @compiled
    def classify(p1, q1, r1, p2, q2, r2, work):
        """Return the kind of the contact between triangles (p1, q1, r1) and (p2, q2, r2): 0 if apart, or UNDECIDED."""
        a0 = orient3d(p2, q2, r2, p1, work)
        a1 = orient3d(p2, q2, r2, q1, work)
        a2 = orient3d(p2, q2, r2, r1, work)
        if a0 == a1 and a1 == a2 and (a0 == 1 or a0 == -1):
            return APART
        b0 = orient3d(p1, q1, r1, p2, work)
        b1 = orient3d(p1, q1, r1, q2, work)
        b2 = orient3d(p1, q1, r1, r2, work)
        if b0 == b1 and b1 == b2 and (b0 == 1 or b0 == -1):
            return APART
        if max(a0, a1, a2, b0, b1, b2) == UNCERTAIN:
            return UNDECIDED
        if (a0 == 0 and a1 == 0 and a2 == 0) or (b0 == 0 and b1 == 0 and b2 == 0):
            return flat_pair(p1, q1, r1, p2, q2, r2, work)
        straddling = min(a0, a1, a2) < 0 < max(a0, a1, a2) and min(b0, b1, b2) < 0 < max(b0, b1, b2)
        lone = lone_vertex(a0, a1, a2)
        if lone == 1:
            p1, q1, r1, a0, a1, a2 = q1, r1, p1, a1, a2, a0
        elif lone == 2:
            p1, q1, r1, a0, a1, a2 = r1, p1, q1, a2, a0, a1
        lone = lone_vertex(b0, b1, b2)
        if lone == 1:
            p2, q2, r2, b0, b1, b2 = q2, r2, p2, b1, b2, b0
        elif lone == 2:
            p2, q2, r2, b0, b1, b2 = r2, p2, q2, b2, b0, b1
        # Turning the other triangle over brings both lone vertices to the positive side.
        if a0 < 0 or (a0 == 0 and (a1 > 0 or a2 > 0)):
            q2, r2 = r2, q2
        if b0 < 0 or (b0 == 0 and (b1 > 0 or b2 > 0)):
            q1, r1 = r1, q1
        start = orient3d(p1, q1, p2, q2, work)
        end = orient3d(p1, r1, r2, p2, work)
        if start == 1 or end == 1:
            return APART
        if start == UNCERTAIN or end == UNCERTAIN:
            return UNDECIDED
        return CROSSING if straddling and start < 0 and end < 0 else TOUCHING

    return classify


classify_exact = make_classifier(predicates.exact_orient3d, predicates.exact_orient2d, inner)
classify_numbers = make_classifier(predicates.rational_orient3d, predicates.rational_orient2d, plain)
"""Like the kernel, for exact coordinates: Python integers, or numbers computed from integers."""


def whole_numbers(a: np.ndarray, b: np.ndarray) -> list[tuple[int, ...]]:
    """Return the six corners of two triangles (3, 3) times the number that makes all coordinates integers."""
    rows = [[Fraction(float(x)) for x in vertex] for vertex in (*a, *b)]
    scale = lcm(*(x.denominator for row in rows for x in row))
    return [tuple(int(x * scale) for x in row) for row in rows]


def classify_rational(a: np.ndarray, b: np.ndarray) -> int:
    """Return the kind of contact of one pair by integer arithmetic, for coordinates of any magnitude; a, b have shape
    (3, 3).
    """
    return int(classify_numbers(*whole_numbers(a, b), None))


@kernel
def _classify_many(a, b, kinds, exact, workspace):
    counter = workspace.counter
    workspace = by_reference(workspace)
    for i in range(a.shape[0]):
        p1 = (a[i, 0, 0], a[i, 0, 1], a[i, 0, 2])
        q1 = (a[i, 1, 0], a[i, 1, 1], a[i, 1, 2])
        r1 = (a[i, 2, 0], a[i, 2, 1], a[i, 2, 2])
        p2 = (b[i, 0, 0], b[i, 0, 1], b[i, 0, 2])
        q2 = (b[i, 1, 0], b[i, 1, 1], b[i, 1, 2])
        r2 = (b[i, 2, 0], b[i, 2, 1], b[i, 2, 2])
        before = counter[0]
        kinds[i] = classify_exact(p1, q1, r1, p2, q2, r2, workspace)
        exact[i] = counter[0] != before


def classify_triangle_pairs(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Decide how each triangle of ``a`` meets the triangle of ``b`` with the same index.

    Args:
        a: triangles, shape (n, 3, 3) float64 [m], in world coordinates.
        b: triangles, same shape.

    Returns:
        Kinds (n,) uint8, 0 for apart, else a ``ContactKind``; exact (n,) bool, True if float64 could not decide.
    """
    a = np.array(a, dtype=np.float64, order="C").reshape(-1, 3, 3)
    b = np.array(b, dtype=np.float64, order="C").reshape(-1, 3, 3)
    kinds = np.zeros(len(a), np.uint8)
    exact = np.zeros(len(a), np.bool_)
    _classify_many(a, b, kinds, exact, predicates.new_workspace())
    for i in np.flatnonzero(kinds == UNDECIDED):
        kinds[i] = classify_rational(a[i], b[i])
    return kinds, exact
