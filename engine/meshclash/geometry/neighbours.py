"""Compute for triangles of one object that share vertices whether they have other common points besides these vertices
or the shared edge.

Neighbours in a mesh touch in the vertex or the edge that they share, which is no error. They are left out of
``self_collide`` if and only if they share one or two vertex indices and their common points are exactly that vertex, or
that edge. All other contacts count: a crossing, an overlap, and also a touch outside the shared part, such as an edge
that leaves the shared vertex along the other triangle (a T-junction), or the same three indices twice.

The exact test. Suppose that two triangles touch: they neither cross nor overlap with an area.

* They share vertex u. Near u each is a cone of directions, and the common points are convex and contain u. So other
  common points exist if and only if the two cones have a direction in common. If the relative interiors of the cones
  had a direction in common, the triangles would cross or overlap. So the common direction is on the rim of one cone: an
  edge from u of one triangle lies in the cone of the other.
* The triangles share the edge uv, and a, b are the other corners. If a triangle has an area, both triangles meet the
  line uv only in the edge; otherwise they would cross or overlap. If neither triangle has an area, both are segments of
  that line. Then they have other common points if and only if both extend beyond the same end, v for example: a and b
  lie in one direction from v, opposite to u.

A quick proof in float64 comes first. Let A and B share exactly one vertex. If the other two corners of A lie strictly
on one side of B's plane, A meets this plane only in the shared vertex. If they share exactly two, and A's third corner
is off B's plane, A meets the plane in the shared edge alone. The same is true with A and B exchanged.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..jit import inlined, inner, kernel
from ..reference import by_reference
from . import predicates
from .predicates import UNCERTAIN, filtered_orient3d
from .triangle_pair import APART, TOUCHING, classify_numbers, make_flat, plain, whole_numbers

_TWO_PLACES = (3, 5, 6)


@inlined
def _same_side(p, q, r, a, b):
    """Return whether two points certainly lie strictly on one side of a plane."""
    side = filtered_orient3d(p, q, r, a, 0)
    return side != 0 and side != UNCERTAIN and side == filtered_orient3d(p, q, r, b, 0)


@inner
def only_touch_where_shared(ids_a, a, ids_b, b):
    """Return whether two triangles share one or two vertices, and certainly have no other common point.

    Args:
        ids_a, ids_b: three vertex indices each, in anything that can be indexed.
        a, b: corners of the triangles, ((x, y, z), (x, y, z), (x, y, z)).
    """
    matches, places_a, places_b = 0, 0, 0
    i, j = 0, 0
    for m in range(3):
        for n in range(3):
            if ids_a[m] == ids_b[n]:
                i, j = m, n
                matches += 1
                places_a |= 1 << m
                places_b |= 1 << n
    if matches == 1:
        if _same_side(b[0], b[1], b[2], a[(i + 1) % 3], a[(i + 2) % 3]):
            return True
        return _same_side(a[0], a[1], a[2], b[(j + 1) % 3], b[(j + 2) % 3])
    if matches != 2 or places_a not in _TWO_PLACES or places_b not in _TWO_PLACES:
        return False  # they share more, or an index occurs twice in one triangle
    own = 0 if places_a == 6 else 1 if places_a == 5 else 2
    return _same_side(b[0], b[1], b[2], a[own], a[own])


def _make_beyond(orient3d: Callable, orient2d: Callable, compiled: Callable) -> Callable:
    """Return ``touch_beyond`` for one kind of predicates."""
    turn, spread_axis, _, _, _ = make_flat(orient2d, compiled)

    @compiled
    def shared_places(ids_a, ids_b):
        """Return (number of distinct common indices, positions of the first two in a, position of the first in b)."""
        count, i, j, m = 0, 0, 0, 0
        for k in range(3):
            if (k > 0 and ids_a[k] == ids_a[0]) or (k > 1 and ids_a[k] == ids_a[1]):
                continue
            for place in range(3):
                if ids_a[k] == ids_b[place]:
                    if count == 0:
                        i, m = k, place
                    elif count == 1:
                        j = k
                    count += 1
                    break
        return count, i, j, m

    @compiled
    def other_place(ids, first, second, place):
        """Return the position of a vertex that is neither of two given vertices; ``place`` if there is none."""
        for k in range(3):
            if ids[k] != first and ids[k] != second:
                return k
        return place

    @compiled
    def same_way(p, q, r, work):
        """Return whether q and r lie in the same direction from p, and neither lies at p."""
        axis, sign = spread_axis(p, q, r, work)
        if sign == UNCERTAIN:
            return UNCERTAIN
        if axis >= 0:
            return 0
        for k in range(3):
            if (q[k] > p[k] and r[k] > p[k]) or (q[k] < p[k] and r[k] < p[k]):
                return 1
        return 0

    @compiled
    def in_cone(u, p, q, r, work):
        """Return whether the direction from u to p lies between the directions to q and r, unless p is at u."""
        if p[0] == u[0] and p[1] == u[1] and p[2] == u[2]:
            return 0
        axis, inside = spread_axis(u, q, r, work)
        if inside == UNCERTAIN:
            return UNCERTAIN
        if axis < 0:
            first, second = same_way(u, p, q, work), same_way(u, p, r, work)
            return max(first, second)
        side = orient3d(u, q, r, p, work)
        if side != 0:
            return UNCERTAIN if side == UNCERTAIN else 0
        first, second = turn(u, q, p, axis, work), turn(u, p, r, axis, work)
        if first == UNCERTAIN or second == UNCERTAIN:
            return UNCERTAIN
        return 1 if first * inside >= 0 and second * inside >= 0 else 0

    @compiled
    def beyond_vertex(u, p, q, r, s, work):
        """Return whether triangles (u, p, q) and (u, r, s) have more in common than u."""
        first, second = in_cone(u, p, r, s, work), in_cone(u, q, r, s, work)
        third, fourth = in_cone(u, r, p, q, work), in_cone(u, s, p, q, work)
        if first == 1 or second == 1 or third == 1 or fourth == 1:
            return 1
        return max(first, second, third, fourth)

    @compiled
    def beyond_edge(u, v, a, b, work):
        """Return whether triangles (u, v, a) and (u, v, b) have more in common than the edge uv."""
        uncertain = False
        for k in range(2):
            end, other = (v, u) if k == 0 else (u, v)
            together, back = same_way(end, a, b, work), same_way(end, a, other, work)
            uncertain = uncertain or together == UNCERTAIN or back == UNCERTAIN
            if together == 1 and back == 0:
                return 1
        return UNCERTAIN if uncertain else 0

    @compiled
    def touch_beyond(ids_a, a, ids_b, b, work):
        """Return 1 if touching triangles share no vertex, or have more in common than one vertex or edge; otherwise 0.

        The arguments are the same as for ``only_touch_where_shared``, plus a workspace of the exact predicates. The
        function may return UNCERTAIN, like the exact predicates.
        """
        count, i, j, m = shared_places(ids_a, ids_b)
        if count == 1:
            return beyond_vertex(a[i], a[(i + 1) % 3], a[(i + 2) % 3], b[(m + 1) % 3], b[(m + 2) % 3], work)
        if count == 2:
            k, n = other_place(ids_a, ids_a[i], ids_a[j], i), other_place(ids_b, ids_a[i], ids_a[j], m)
            return beyond_edge(a[i], a[j], a[k], b[n], work)
        return 1

    return touch_beyond


touch_beyond_shared = _make_beyond(predicates.exact_orient3d, predicates.exact_orient2d, inner)
_numbers_beyond = _make_beyond(predicates.rational_orient3d, predicates.rational_orient2d, plain)


@kernel
def _touch_many(ids_a, a, ids_b, b, beyond, workspace):
    workspace = by_reference(workspace)
    for n in range(a.shape[0]):
        p, q = a[n], b[n]
        beyond[n] = touch_beyond_shared(
            ids_a[n], ((p[0, 0], p[0, 1], p[0, 2]), (p[1, 0], p[1, 1], p[1, 2]), (p[2, 0], p[2, 1], p[2, 2])),
            ids_b[n], ((q[0, 0], q[0, 1], q[0, 2]), (q[1, 0], q[1, 1], q[1, 2]), (q[2, 0], q[2, 1], q[2, 2])),
            workspace,
        )  # fmt: skip


def touching_beyond_shared(ids_a: np.ndarray, a: np.ndarray, ids_b: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return which pairs of touching triangles count as contacts of an object with itself.

    Args:
        ids_a, ids_b: vertex indices, (n, 3) int32.
        a, b: world coordinates, (n, 3, 3) float64 [m].

    Returns:
        (n,) bool: False if the common points are exactly one vertex or one edge of both.
    """
    beyond = np.empty(len(a), np.uint8)
    arrays = [np.ascontiguousarray(array) for array in (ids_a, a, ids_b, b)]
    _touch_many(*arrays, beyond, predicates.new_workspace())
    for n in np.flatnonzero(beyond == UNCERTAIN):
        corners = whole_numbers(a[n], b[n])
        beyond[n] = _numbers_beyond(ids_a[n].tolist(), corners[:3], ids_b[n].tolist(), corners[3:], None)
    return beyond == 1


def meet_beyond_shared(ids_a: list[int], a: Any, ids_b: list[int], b: Any) -> bool:
    """Return whether two triangles of one object meet in more than the vertex or edge that they share.

    Args:
        ids_a, ids_b: vertex indices of the triangles.
        a, b: corners of the triangles, three times (x, y, z), of exact numbers: see ``classify_numbers``.
    """
    kind = classify_numbers(*a, *b, None)
    if kind == TOUCHING:
        return bool(_numbers_beyond(ids_a, a, ids_b, b, None) == 1)
    return bool(kind != APART)
