"""Triangles of one object that share vertices: the quick proof that they do nothing but touch there.

Let A and B share exactly one vertex. If the other two corners of A lie strictly on one side of B's plane, A meets that
plane in the shared vertex alone. If they share exactly two, and A's third corner is off B's plane, A meets the plane in
the shared edge alone. In both cases what A and B have in common is what they share. The same holds the other way round.
"""

from ..jit import inlined, inner
from .predicates import UNCERTAIN, filtered_orient3d

_TWO_PLACES = (3, 5, 6)


@inlined
def _same_side(p, q, r, a, b):
    """Whether two points certainly lie strictly on one side of a plane."""
    side = filtered_orient3d(p, q, r, a, 0)
    return side != 0 and side != UNCERTAIN and side == filtered_orient3d(p, q, r, b, 0)


@inlined
def have_shared(ids_a, ids_b):
    """Whether two triangles share a vertex index."""
    for i in range(3):
        for j in range(3):
            if ids_a[i] == ids_b[j]:
                return True
    return False


@inner
def only_touch_where_shared(ids_a, a, ids_b, b):
    """Whether two triangles share one or two vertices, and certainly have no other point in common.

    Args:
        ids_a, ids_b: three vertex indices each, behind anything that can be indexed.
        a, b: their corners, ((x, y, z), (x, y, z), (x, y, z)).
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
        return False  # more is shared, or an index occurs twice in one triangle
    own = 0 if places_a == 6 else 1 if places_a == 5 else 2
    return _same_side(b[0], b[1], b[2], a[own], a[own])
