"""Where a plane keeps two surfaces apart around a point: all cells there are, without looking beside every edge.

Objects that lie flush in each other's faces touch at every vertex of these faces. Around such a point all triangles of
one surface mostly lie on one side of a plane, and all of the other surface on the other side, or everything lies in
the plane. Then four winding numbers say everything, however many triangles meet there.
"""

from ..geometry.predicates import UNCERTAIN, exact_orient3d
from ..jit import inner
from ..traversal.point import world_triangle
from .places import held_edges, held_triangle, is_at, numbers_at

MIXED, HALVES, APART = 0, 1, 2
"""What is around a point: anything; one plane, whose two sides are the cells; on either side of a plane one surface
only, inside of which the other solid is not."""

_FRONT, _BEHIND, _UNKNOWN = 1, 2, 4


@inner
def _sides_of(forest, frame, found, count, plane, work):
    """On which sides of a plane the triangles around a base lie: the sum of _FRONT and _BEHIND, 0 within it."""
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
    """The directions (y, z) from a base to a place in the triangle that holds it on the lines of some edges."""
    a, b, c = corners
    if edges & 1:
        return (a if is_at(base, b, work) else b), c
    if edges & 2:
        return (b if is_at(base, c, work) else c), a
    if edges & 4:
        return (c if is_at(base, a, work) else a), b
    return a, b


@inner
def _by_plane(forest, solids, own, other, first, second, entry, base, q, work):
    """``halves`` by the plane of an entry of own; ``first`` and ``second`` are (found, count, number) of both."""
    unknown = MIXED, 0, 0, 0, 0
    plane = world_triangle(forest, own.tree, held_triangle(entry), own.pose)
    sides = _sides_of(forest, own, first[0], first[1], plane, work)
    if sides > _BEHIND:
        return unknown
    beyond = _sides_of(forest, other, second[0], second[1], plane, work)
    if beyond > _BEHIND or sides & beyond != 0:
        return unknown
    y, z = _place_in(plane, held_edges(entry), base, work)
    towards, away, _, decided = numbers_at(forest, solids, own, base, y, z, q, first[0], first[1], first[2], work)
    if not decided:
        return unknown
    ahead, back, _, decided = numbers_at(forest, solids, other, base, y, z, q, second[0], second[1], second[2], work)
    if not decided:
        return unknown
    if sides == 0 and beyond == 0:
        some = (towards != 0 or away != 0) and (ahead != 0 or back != 0)
        return (HALVES if some else MIXED), towards, away, ahead, back
    own_in_front = sides == _FRONT or beyond == _BEHIND
    q_in_front = entry & 1 == 1
    inside = (away != 0 or ahead != 0) if own_in_front == q_in_front else (towards != 0 or back != 0)
    return (MIXED if inside else APART), towards, away, ahead, back


@inner
def halves(forest, solids, own, other, first, second, base, q, work):
    """What is around a base: MIXED, HALVES or APART, and where a plane was found both solids' numbers beside it.

    ``first`` and ``second`` are what ``star`` says of both posed trees: (entries, their count, winding number). The
    numbers are those of own on the side of q and on the other, and of other on the side of q and on the other.
    """
    result = MIXED, 0, 0, 0, 0
    if base.cut or first[1] == 0 or second[1] == 0:
        return result
    result = _by_plane(forest, solids, own, other, first, second, first[0][0], base, q, work)
    if result[0] == MIXED:
        how, ahead, back, towards, away = _by_plane(
            forest, solids, other, own, second, first, second[0][0], base, q, work
        )
        result = how, towards, away, ahead, back
    return result
