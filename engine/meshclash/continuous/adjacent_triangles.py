"""Triangles of one object that share vertices: the first time at which they meet beyond the shared vertices.

A pair counts while ``self_collide`` would report it, that is, unless the common points are exactly the shared vertex or
edge. Elements are a corner and a triangle, or two edges without a common vertex. They may also meet just at the shared
part: a corner that reaches the shared vertex or the shared edge, or a vertex that comes to lie on an opposite edge.
Then the time of their contact is not enough to decide.

When. Let T be the set of times at which a pair counts, and t > 0 one at which T begins. Then an element comes into
contact at t, for the following reason. The common points that are not shared reach the rim of one of the triangles. If
there are such points at t itself, an edge from the shared vertex lies in the cone of the other triangle. So the end of
this edge, or the point where it leaves the other triangle, is a contact of elements apart from the shared vertex, which
did not exist before. If there are no such points at t, a cone of directions is not closed at t: a corner meets the
shared vertex, or the vertex comes to lie between two corners, on an edge. With a shared edge, the same is true at
either end. By reversal, T ends when an element ceases to be in contact. So between successive times at which contacts
of elements begin or end, the pair counts always or never. A rational time between two of them decides, and the times
themselves are tested with exact signs at roots (``roots.py``).

The cases that float64 decides alone (``filter.py``) are strictly inside a triangle, or inside two edges: not at the
shared part. In most other cases, the distance from the boundary exceeds the rounding errors.
"""

from collections.abc import Generator
from fractions import Fraction
from functools import total_ordering
from typing import Any

import numpy as np

from ..geometry.neighbours import meet_beyond_shared
from .coplanarity import EDGE_EDGE, POINT_TRIANGLE
from .forms import Form, add, multiply, subtract
from .incident_triangles import triangle_pairs
from .moving_leaf import EDGES, POINT_OF_B
from .moving_tree import Elements
from .rational import FINE, Encounter, Vector, lower_bound
from .roots import Root
from .separating_planes import moments_left, roots_of, whole_corners
from .stages import MISS, UNDECIDED
from .wide_stage import decide_all_in_integers

_SLACK = 2.0**-38
"""Of the largest coordinate: covers rounding errors of positions, and the motion within 2**-40, the error of the
reported times."""

_STEP = Fraction(1, 1 << FINE)
"""Resolution of the reported times."""
_BESIDE = 8
"""Number of halvings of a root's interval before times next to the root are tested."""

_Element = tuple[list[int], int]
"""Four of six corners, and the kind of the element."""

_BLOCK = 256
"""Number of pairs of triangles that are processed together."""


class Neighbours:
    """Pairs of triangles of one object, whose vertices (n, 3) [m] move from start to end positions."""

    def __init__(self, triangles: np.ndarray, start: np.ndarray, end: np.ndarray, elements: Elements) -> None:
        self._triangles, self._start, self._end, self._elements = triangles, start, end, elements
        self._known: dict[tuple[int, int], float] = {}

    def counted_steps(
        self, pairs: np.ndarray, codes: np.ndarray, times: np.ndarray
    ) -> Generator[float, None, tuple[np.ndarray, np.ndarray]]:
        """Return pairs (k, 2) of triangles with elements that meet, and the first time that counts; pairs without such
        a time are left out.

        Args:
            pairs, codes, times: elements, as in ``MovingOutput``, with lower bounds of their first times.

        Yields:
            The share that is done, every few milliseconds.
        """
        both, of = triangle_pairs(pairs, codes, self._elements, self._elements)
        times = times[of]
        asked = np.flatnonzero(self._may_be_at_shared(pairs[of], codes[of].astype(np.int64), both, times))
        keys = list(map(tuple, np.sort(both[asked], axis=1).tolist()))
        yield from self._look_at_steps(sorted(set(keys) - self._known.keys()))
        # Not before the element itself, so that a skipped element changes nothing; NaN stays.
        times[asked] = np.maximum(times[asked], [self._known[key] for key in keys])
        met = ~np.isnan(times)
        return both[met], times[met]

    def _may_be_at_shared(
        self, pairs: np.ndarray, codes: np.ndarray, both: np.ndarray, times: np.ndarray
    ) -> np.ndarray:
        """Return whether elements (k,) of pairs of triangles may meet at a shared vertex or edge, at times (k,)."""
        ids_a, ids_b = self._triangles[both[:, 0]], self._triangles[both[:, 1]]
        shared = (ids_a[:, :, None] == ids_b[:, None, :]).any(axis=2)
        some = np.flatnonzero(shared.any(axis=1))
        ids_a, shared, of, codes, times = (
            ids_a[some],
            shared[some],
            self._triangles[pairs[some]],
            codes[some],
            times[some],
        )
        rows = np.arange(len(some))
        ends = ids_a[rows, shared.argmax(axis=1)], ids_a[rows, 2 - shared[:, ::-1].argmax(axis=1)]
        points = codes < EDGES
        turned = (codes >= POINT_OF_B) & points
        corner = of[rows, turned.astype(np.int64), codes % 3]
        e, f = np.divmod(np.maximum(codes - EDGES, 0), 3)
        may = ~self._off(corner, *ends, times)
        may_edges = np.zeros(len(some), np.bool_)
        for end in ends:  # at the shared vertex only if it lies on the edge that does not contain it
            p, q = of[rows, 0, e], of[rows, 0, (e + 1) % 3]
            has = (p == end) | (q == end)
            g, h = np.where(has, of[rows, 1, f], p), np.where(has, of[rows, 1, (f + 1) % 3], q)
            may_edges |= ~self._off(end, g, h, times)
        out = np.zeros(len(both), np.bool_)
        out[some] = np.where(points, may, may_edges)
        return out

    def _off(self, e: np.ndarray, g: np.ndarray, h: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return whether vertices e are certainly off the edges gh, (k,) each, up to 2**-40 after some times."""
        t = times[:, None]
        p, q, r = ((1.0 - t) * self._start[v] + t * self._end[v] for v in (e, g, h))
        largest = np.max([np.abs(x[v]).max(axis=1) for v in (e, g, h) for x in (self._start, self._end)], axis=0)
        slack = _SLACK * largest[:, None]
        beside = ((p < np.minimum(q, r) - 2.0 * slack) | (p > np.maximum(q, r) + 2.0 * slack)).any(axis=1)
        way, edge = p - q, r - q
        # Components of the way and the edge are off by 2 slacks, so products by 4 slacks times the largest of them.
        size = np.maximum(np.abs(way), np.abs(edge)).max(axis=1, keepdims=True) + 4.0 * slack
        return beside | (np.abs(np.cross(way, edge)) > 16.0 * slack * size + 1e-300).any(axis=1)

    def _look_at_steps(self, keys: list[tuple[int, int]]) -> Generator[float, None, None]:
        """Find the first times at which pairs of triangles meet beyond their shared vertices."""
        for begin in range(0, len(keys), _BLOCK):
            block = keys[begin : begin + _BLOCK]
            ids = self._triangles[np.array(block)].reshape(-1, 6)
            corners = whole_corners(self._start[ids], self._end[ids])
            left = moments_left(ids, corners)
            elements, earliest = self._elements_that_meet(ids, np.array([form is None for form in left]))
            given = zip(block, ids.tolist(), corners.tolist(), left, elements, earliest.tolist(), strict=True)
            for k, (key, row, points, form, meeting, moment) in enumerate(given, begin):
                yield k / len(keys)
                pair = _Pair(row, points)
                if form is not None:
                    self._known[key] = pair.first_of(roots_of(form))
                else:
                    self._known[key] = pair.first_moment(meeting, moment)

    def _elements_that_meet(self, ids: np.ndarray, asked: np.ndarray) -> tuple[list[list[_Element]], np.ndarray]:
        """Return the elements of pairs of triangles (k, 6), selected by ``asked`` (k,), without those that never meet.

        Also returns a lower bound of the first time at which any of them meets, (k,): a multiple of 2**-41.
        """
        earliest = np.ones(len(ids))
        found: list[list[_Element]] = [
            _elements(row) if ask else [] for row, ask in zip(ids.tolist(), asked, strict=True)
        ]
        for kind in (POINT_TRIANGLE, EDGE_EDGE):
            places = [(k, element) for k, of in enumerate(found) for element in of if element[1] == kind]
            rows = np.array([ids[k, corners] for k, (corners, _) in places], np.int64).reshape(-1, 4)
            verdicts, moments = np.empty(len(rows), np.uint8), np.empty(len(rows))
            decide_all_in_integers(self._start[rows], self._end[rows], kind, verdicts, moments)
            moments[verdicts == MISS] = 1.0
            moments[verdicts == UNDECIDED] = 0.0
            np.minimum.at(earliest, np.array([k for k, _ in places], np.int64), moments)
            for k, element in (places[i] for i in np.flatnonzero(verdicts == MISS).tolist()):
                found[k].remove(element)
        return found, earliest


@total_ordering
class _Number:
    """The exact value of a polynomial in time at a root, with sums, products and comparisons."""

    def __init__(self, form: Form, root: Root) -> None:
        self._form, self._root = form, root

    def __add__(self, other: "_Number") -> "_Number":
        return _Number(add(self._form, other._form), self._root)

    def __sub__(self, other: "_Number") -> "_Number":
        return _Number(subtract(self._form, other._form), self._root)

    def __mul__(self, other: "_Number") -> "_Number":
        return _Number(multiply(self._form, other._form), self._root)

    def __abs__(self) -> "_Number":
        return self if self >= 0 else _Number([-x for x in self._form], self._root)

    def __eq__(self, other: object) -> bool:
        return self._compared_with(other) == 0

    def __lt__(self, other: object) -> bool:
        return self._compared_with(other) < 0

    __hash__ = None  # type: ignore[assignment]

    def _compared_with(self, other: Any) -> int:
        form = subtract(self._form, other._form) if isinstance(other, _Number) else self._form  # otherwise with 0
        return self._root.sign_of(form) if any(form) else 0


class _Pair:
    """Two moving triangles that share vertices.

    Args:
        ids: the six vertex indices of the two triangles, some of them equal.
        points: corners of the triangles, as returned by ``integer_points``.
    """

    def __init__(self, ids: list[int], points: list[Vector]) -> None:
        self._ids, self._points = ids, points

    def first_moment(self, elements: list[_Element] | None = None, earliest: float = 0.0) -> float:
        """Return a lower bound of the first time at which two triangles meet outside their shared vertices; NaN if they
        never do.

        Args:
            elements: the elements that meet at some time, and possibly more; None: all elements.
            earliest: a multiple of 2**-41, before which no element meets.
        """
        found = []
        for rows, kind in _elements(self._ids) if elements is None else elements:
            for met in Encounter([self._points[i] for i in rows], kind).meetings():
                if earliest > 0.0 and self._counts_beside(met.root, Fraction(earliest)):
                    return earliest
                found.append(met.root)
        moments = _parted(found)
        for root, following in zip(moments, [*moments[1:], None], strict=True):
            # The bound is the same whether contact begins at a time or after it; the latter is faster to decide.
            if following is not None and self._counts(self._corners_at((root.high + following.low) / 2)):
                return lower_bound(root)
            if self._counts_at(root):
                return lower_bound(root)
        return np.nan

    def _counts_beside(self, root: Root, earliest: Fraction) -> bool:
        """Return whether two triangles meet just before or after a root, and less than 2**-41 after ``earliest``.

        If a rounded motion passes through one point, all its times are there, and which is first does not matter.
        """
        root.narrow(root.depth + _BESIDE)
        times = {root.low, root.high} if earliest <= root.low and root.high < earliest + _STEP else ()
        return any(self._counts(self._corners_at(time)) for time in times)

    def first_of(self, roots: list[Root]) -> float:
        """Return the first of these times at which two triangles meet beyond their shared vertices."""
        return next((lower_bound(root) for root in roots if self._counts_at(root)), np.nan)

    def _counts_at(self, root: Root) -> bool:
        if root.exact:
            return self._counts(self._corners_at(root.low))
        return self._counts([tuple(_Number(form, root) for form in point) for point in self._points])

    def _counts(self, corners: list[tuple[Any, ...]]) -> bool:
        return meet_beyond_shared(self._ids[:3], corners[:3], self._ids[3:], corners[3:])

    def _corners_at(self, time: Fraction) -> list[tuple[Any, ...]]:
        return [tuple(_at(form, time) for form in point) for point in self._points]


def _at(form: Form, time: Fraction) -> int:
    """Return the value of a form of degree 1, times the denominator of the time."""
    return form[0] * (time.denominator - time.numerator) + form[1] * time.numerator


def _parted(moments: list[Root]) -> list[Root]:
    """Return the times 0 and 1 and these times in order, without duplicates, with disjoint intervals."""
    found = [Root([0, 1], 0, 0, exact=True), Root([1, 0], 1, 0, exact=True)]
    for root in moments:
        if all(_part(root, other) for other in found):
            found.append(root)
    return sorted(found, key=lambda root: root.low)


def _elements(ids: list[int]) -> list[_Element]:
    """Return the corners, 0 to 5, and kinds of all points and triangles, and of all edges, without a common vertex."""
    corners = [([c, *([3, 4, 5] if c < 3 else [0, 1, 2])], POINT_TRIANGLE) for c in range(6)]
    sides = [([e, (e + 1) % 3, 3 + f, 3 + (f + 1) % 3], EDGE_EDGE) for e in range(3) for f in range(3)]
    return [
        (rows, kind)
        for rows, kind in corners + sides
        if not {ids[i] for i in rows[: 1 + kind]} & {ids[i] for i in rows[1 + kind :]}
    ]


def _part(a: Root, b: Root) -> bool:
    """Return whether two roots differ; if so, their intervals are narrowed until they are disjoint."""
    while a.low <= b.high and b.low <= a.high:
        if b.high - b.low < a.high - a.low:
            a, b = b, a
        if b.exact:
            return False
        inside = b.low < a.low and a.high < b.high if a.exact else b.low <= a.low and a.high <= b.high
        if inside and a.sign_of(b.form) == 0:
            return False
        a.halve()
        b.halve()
    return True
