"""A ray against eight boxes at once, in float32: the entry into each box, never too late.

The ray is q + s g in the hierarchy's frame, where the largest component of g is 1 and q is near the root box. Let u =
2**-24 and M be the largest coordinate of q and of all boxes. Boxes are enlarged by ``ray_margin``: 8 u M and the slack
of the caller's coordinates. This covers the rounding of q by u M. It also covers 1e-12 times the way through the boxes,
at most 4 M: by this much a ray is displaced, since components below 1e-12 are raised to 1e-12 to avoid a division by
zero.

A difference, the reciprocal and their product have relative errors of at most 3 u, which keeps their signs. So a box
that the ray meets at s >= 0 has an entry of at most (1 + 4 u) s and an exit of at least (1 - 4 u) s; exits are raised
by 16 u.
"""

from ..jit import inlined, inner
from .lane_points import LEAST, UNIT
from .lanes import higher, load, lower

LONGER = 1.0 + 16.0 * UNIT
_LEAST_COMPONENT = 1e-12


@inner
def ray_margin(largest, slack):
    """Return how far boxes are enlarged; ``largest`` is M."""
    return slack + 8.0 * UNIT * largest + LEAST


@inner
def reciprocal(component):
    """Return 1 / g for one component of g, always finite."""
    if abs(component) < _LEAST_COMPONENT:
        return -1.0 / _LEAST_COMPONENT if component < 0.0 else 1.0 / _LEAST_COMPONENT
    return 1.0 / component


@inlined
def way_through_boxes(nodes, at, rows, near, far, inverse, begin, end):
    """Return the positions (two Lanes) at which a ray enters and leaves the eight boxes of a node, between begin and
    end.

    Args:
        nodes: nodes of the 8-wide form.
        at: index at which the node begins.
        rows: along each axis, 0 if the ray enters through the lower face, 24 if through the higher one.
        near, far: q moved by the margin, so that boxes are entered earlier and left later; three Lanes each.
        inverse: 1 / g, three Lanes.
        begin, end: Lanes.
    """
    i, j, k = at + rows[0], at + 8 + rows[1], at + 16 + rows[2]
    x, y, z = (load(nodes, i) - near[0]) * inverse[0], (load(nodes, j) - near[1]) * inverse[1], load(nodes, k) - near[2]
    enter = higher(higher(x, y), higher(z * inverse[2], begin))
    i, j, k = at + 24 - rows[0], at + 32 - rows[1], at + 40 - rows[2]
    x, y, z = (load(nodes, i) - far[0]) * inverse[0], (load(nodes, j) - far[1]) * inverse[1], load(nodes, k) - far[2]
    leave = lower(lower(x, y), lower(z * inverse[2], end))
    return enter, leave
