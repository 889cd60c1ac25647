"""Skips places around a point whose triangles all lie in a few planes.

A few planes through a point cut the space around it into convex cells. A winding number is constant in each cell. So
two places in one plane, on the same sides of the other planes, lie between the same cells, and one of them is enough.
Around a corner that two prisms share there are three planes and 20 places.
"""

from ..geometry.predicates import UNCERTAIN, exact_orient3d
from ..jit import inner
from ..traversal.places import held_triangle
from ..traversal.point import world_triangle

_MOST = 4  # planes: their sides, and which of them a place lies in, are six bits
_ORIGIN = (0.0, 0.0, 0.0)
NO_PLANES = ((_ORIGIN, _ORIGIN, _ORIGIN),) * _MOST


@inner
def _lies_in(plane, corners, work):
    lies = True
    for p in corners:
        lies = lies and exact_orient3d(plane[0], plane[1], plane[2], p, work.exact) == 0
    return lies


@inner
def planes_around(forest, frame, entries, count, planes, used, work):
    """Planes, of which ``used`` are known, with those of more triangles that hold a base; more than four are no use.

    ``entries`` are what ``star`` gives, ``count`` many. Returns the planes and how many there are.
    """
    for i in range(count):
        if used > _MOST:
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
    """A bit for the two cells beside a place that lies in one of the planes; 0 where there are too many planes."""
    sides, own = 0, 0
    if used > _MOST:
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
    return 1 << ((own << _MOST) | sides)
