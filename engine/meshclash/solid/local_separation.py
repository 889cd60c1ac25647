"""Determine which cells exist around a point, from a plane that separates two surfaces there, without testing every
edge.

Objects with flush faces touch at every vertex of these faces. Around such a point, the triangles of one surface usually
lie on one side of a plane, and those of the other surface in the plane or on its other side. On a side of the plane
without triangles of a surface, the winding number of that surface is constant. So a few numbers tell which cells may
exist; where neither surface has triangles, the numbers tell which cells do exist.

At a point within an edge of the other surface, the wedge between the edge's two triangles replaces the half space. If a
column stands on another column with the same profile, nearly all of its vertices lie at such edges.

A few planes through a point divide the space around it into convex cells with constant winding numbers. Suppose all
triangles around a point lie in a few planes. Two places in one plane, on the same sides of the other planes, then lie
between the same cells, and testing one of the places is enough: a corner that two prisms share has three planes and 20
places.
"""

from ..geometry.predicates import UNCERTAIN, exact_orient3d
from ..jit import inner
from ..traversal.exact_winding import held_edges, held_triangle, is_at, numbers_at
from ..traversal.point import world_triangle

BOTH, ONLY_OWN, ONLY_OTHER = 1, 2, 4
"""Bits of the cells that may be around a point: in both solids, or in only one solid."""
ANY = BOTH | ONLY_OWN | ONLY_OTHER

_FRONT, _BEHIND, _UNKNOWN = 1, 2, 4
_MOST_PLANES = 6  # of each surface that are tried
_WITHIN, _BEYOND, _NEITHER = range(3)
_MOST_CELL_PLANES = 4  # planes; the sides of a place, and the planes that contain it, take six bits
_ORIGIN = (0.0, 0.0, 0.0)
NO_PLANES = ((_ORIGIN, _ORIGIN, _ORIGIN),) * _MOST_CELL_PLANES


@inner
def _sides_of(forest, frame, found, count, plane, work):
    """Return the sides of a plane on which triangles around a base lie: a sum of _FRONT and _BEHIND, 0 in the plane."""
    sides = 0
    for i in range(count):
        a, b, c = world_triangle(forest, frame.tree, held_triangle(found[i]), frame.pose)
        for p in (a, b, c):
            side = exact_orient3d(plane[0], plane[1], plane[2], p, work.exact)
            if side == UNCERTAIN:
                return _UNKNOWN
            if side != 0:
                sides |= _FRONT if side > 0 else _BEHIND
        if sides == _FRONT | _BEHIND:
            break
    return sides


@inner
def _place_in(corners, edges, base, work):
    """Return directions (y, z) from a base to a place in the triangle that contains it on the lines of some edges."""
    a, b, c = corners
    if edges & 1:
        return (a if is_at(base, b, work) else b), c
    if edges & 2:
        return (b if is_at(base, c, work) else c), a
    if edges & 4:
        return (c if is_at(base, a, work) else a), b
    return a, b


@inner
def _cells_beside(own_here, other_here, own, other):
    """Return the cells on one side of a plane, where at most one of the two surfaces has triangles.

    ``own`` and ``other`` are the winding numbers.
    """
    if own_here:
        return BOTH | ONLY_OTHER if other != 0 else ONLY_OWN
    if other_here:
        return BOTH | ONLY_OWN if own != 0 else ONLY_OTHER
    if own != 0:
        return BOTH if other != 0 else ONLY_OWN
    return ONLY_OTHER if other != 0 else 0


@inner
def _by_plane(forest, solids, own, other, first, second, entry, base, q, work):
    """Like ``by_half_space``, for the plane of an entry of own.

    ``first`` and ``second`` are (found, count, number) of both.
    """
    plane = world_triangle(forest, own.tree, held_triangle(entry), own.pose)
    sides = _sides_of(forest, own, first[0], first[1], plane, work)
    if sides > _FRONT | _BEHIND:
        return False, ANY
    beyond = _sides_of(forest, other, second[0], second[1], plane, work)
    if beyond > _FRONT | _BEHIND or sides & beyond != 0:
        return False, ANY
    y, z = _place_in(plane, held_edges(entry), base, work)
    towards, away, _, decided = numbers_at(forest, solids, own, base, y, z, q, first[0], first[1], first[2], work)
    if not decided:
        return False, ANY
    ahead, back, _, decided = numbers_at(forest, solids, other, base, y, z, q, second[0], second[1], second[2], work)
    if not decided:
        return False, ANY
    own_is_flat, other_is_flat = towards == 0 and away == 0, ahead == 0 and back == 0
    if sides == 0 and beyond == 0 and (own_is_flat or other_is_flat):
        return False, ANY
    near, far = (_FRONT, _BEHIND) if entry & 1 == 1 else (_BEHIND, _FRONT)
    cells = _cells_beside(sides & near != 0, beyond & near != 0, towards, ahead)
    cells |= _cells_beside(sides & far != 0, beyond & far != 0, away, back)
    if sides == 0 and own_is_flat:  # a part that winds around nothing still belongs to its object
        cells |= BOTH | ONLY_OWN
    if beyond == 0 and other_is_flat:
        cells |= BOTH | ONLY_OTHER
    return sides == 0 and beyond == 0, cells


@inner
def _side_of_apex(corners, edges, plane, work):
    """Return the side of a plane of a triangle with one edge in the plane; 0 if no edge is in it."""
    apex, u, v = corners[2], corners[0], corners[1]
    if edges == 2:
        apex, u, v = corners[0], corners[1], corners[2]
    elif edges == 4:
        apex, u, v = corners[1], corners[2], corners[0]
    for p in (u, v):
        if exact_orient3d(plane[0], plane[1], plane[2], p, work.exact) != 0:
            return 0
    side = exact_orient3d(plane[0], plane[1], plane[2], apex, work.exact)
    return 0 if side == UNCERTAIN else side


@inner
def _beside_wedge(forest, solids, own, first, planes, sides, base, work):
    """Return whether the triangles around a base lie ``_WITHIN`` a wedge, with both planes on these sides.

    Triangles in one of the planes must all have the same winding, because otherwise their winding numbers may cancel.
    """
    within, beyond, turns = True, True, 0
    for i in range(first[1]):
        t = held_triangle(first[0][i])
        corners = world_triangle(forest, own.tree, t, own.pose)
        outside = False
        for k in range(2):
            found = 0
            for p in corners:
                if p != base.v:
                    side = exact_orient3d(planes[k][0], planes[k][1], planes[k][2], p, work.exact)
                    if side == UNCERTAIN:
                        return _NEITHER
                    if side != 0:
                        found |= _FRONT if side == sides[k] else _BEHIND
            within &= found & _BEHIND == 0
            outside |= found & _FRONT == 0
            if found == 0:
                ahead = (first[0][i] & 1 == 1) == (solids.orientation[forest.triangle_start[own.tree] + t] > 0)
                turns |= 1 << (2 * k + ahead)
        beyond &= outside
        if not (within or beyond):
            return _NEITHER
    if turns & 3 == 3 or turns & 12 == 12:
        return _NEITHER
    return _WITHIN if within else _BEYOND


@inner
def by_wedge(forest, solids, own, other, first, second, base, q, work):
    """Return the cells that may be around a base within an edge of other; the arguments are the same as for
    ``by_half_space``.

    Next to the edge, the other surface's triangles bound a convex wedge. If the own surface's triangles lie within the
    wedge, its winding number is constant outside the wedge, and vice versa. If the winding numbers of the other
    surface's triangles cancel, more than two triangles meet at the edge.
    """
    if base.cut or first[1] == 0 or second[1] != 2:
        return ANY
    at = held_edges(second[0][0]), held_edges(second[0][1])
    if at[0] == 0 or at[1] == 0 or at[0] & (at[0] - 1) != 0 or at[1] & (at[1] - 1) != 0:
        return ANY
    plane = world_triangle(forest, other.tree, held_triangle(second[0][0]), other.pose)
    planes = plane, world_triangle(forest, other.tree, held_triangle(second[0][1]), other.pose)
    sides = _side_of_apex(planes[1], at[1], plane, work), _side_of_apex(plane, at[0], planes[1], work)
    if sides[0] == 0 or sides[1] == 0:
        return ANY
    where = _beside_wedge(forest, solids, own, first, planes, sides, base, work)
    if where == _NEITHER:
        return ANY
    y, z = _place_in(plane, at[0], base, work)
    towards, away, _, decided = numbers_at(forest, solids, own, base, y, z, q, first[0], first[1], first[2], work)
    if not decided:
        return ANY
    ahead, back, _, decided = numbers_at(forest, solids, other, base, y, z, q, second[0], second[1], second[2], work)
    if not decided:
        return ANY
    if (second[0][0] & 1 == 1) != (sides[0] > 0):
        towards, away, ahead, back = away, towards, back, ahead
    own_within = where == _WITHIN
    return _cells_beside(own_within, False, towards, ahead) | _cells_beside(not own_within, False, away, back)


@inner
def _turned(cells):
    """Return the same cells with ``own`` and ``other`` exchanged."""
    return cells & BOTH | (ONLY_OTHER if cells & ONLY_OWN else 0) | (ONLY_OWN if cells & ONLY_OTHER else 0)


@inner
def by_half_space(forest, solids, own, other, first, second, base, q, known, work):
    """Return the cells that may be around a base, and whether the existence of these cells is certain.

    ``first`` and ``second`` are the results of ``star`` for both posed trees: (entries, their count, winding number).
    Planes are tried until only the ``known`` cells remain.
    """
    if base.cut or first[1] == 0 or second[1] == 0:
        return False, ANY
    for i in range(min(max(first[1], second[1]), _MOST_PLANES)):
        if i < first[1]:
            exact, cells = _by_plane(forest, solids, own, other, first, second, first[0][i], base, q, work)
            if exact or cells & known == cells:
                return exact, cells
        if i < second[1]:
            exact, cells = _by_plane(forest, solids, other, own, second, first, second[0][i], base, q, work)
            if exact or cells & _turned(known) == cells:
                return exact, _turned(cells)
    return False, ANY


# Places between the same cells


@inner
def _lies_in(plane, corners, work):
    lies = True
    for p in corners:
        lies = lies and exact_orient3d(plane[0], plane[1], plane[2], p, work.exact) == 0
    return lies


@inner
def planes_around(forest, frame, entries, count, planes, used, work):
    """Add the known planes of further triangles that contain a base to ``used``; more than four planes are not useful.

    ``entries`` are the results of ``star``, ``count`` many. Returns the planes and their number.
    """
    for i in range(count):
        if used > _MOST_CELL_PLANES:
            break
        corners = world_triangle(forest, frame.tree, held_triangle(entries[i]), frame.pose)
        known = False
        for k in range(used):
            known = known or _lies_in(planes[k], corners, work)
        if not known:
            if used == 0:
                planes = (corners, planes[1], planes[2], planes[3])
            elif used == 1:
                planes = (planes[0], corners, planes[2], planes[3])
            elif used == 2:
                planes = (planes[0], planes[1], corners, planes[3])
            elif used == 3:
                planes = (planes[0], planes[1], planes[2], corners)
            used += 1
    return planes, used


@inner
def cells_beside(planes, used, y, z, work):
    """Return a bit for each of the two cells next to a place in one of the planes; 0 if there are too many planes."""
    sides, own = 0, 0
    if used > _MOST_CELL_PLANES:
        return 0
    for k in range(used):
        side = exact_orient3d(planes[k][0], planes[k][1], planes[k][2], y, work.exact)
        if side == 0:
            side = exact_orient3d(planes[k][0], planes[k][1], planes[k][2], z, work.exact)
        if side == UNCERTAIN:
            return 0
        if side == 0:
            own = k
        elif side > 0:
            sides |= 1 << k
    return 1 << ((own << _MOST_CELL_PLANES) | sides)
