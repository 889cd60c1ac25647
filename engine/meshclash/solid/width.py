"""Upper bound of the common width of two solids along a direction: no ball in both is larger.

Moving one solid by this width along the direction separates it from the other solid. The exception is a solid that
extends beyond the other one on both sides: then the width is that of the thinner solid.
"""

import math

from ..geometry.tuples import cross, dot, minus
from ..jit import inner
from ..traversal.candidates import begin_far, next_far
from .nearest_points import near_triangle

_ROUNDING = 2.0**-53
_DOT = 8.0 * _ROUNDING
_OUTWARD = 1.0 + 32.0 * _ROUNDING
_LEAST = 1e-290
_BOX = 1e-11  # of the numbers added: covers their rounding


@inner
def _turned_back(n, pose):
    """Return a world vector in the frame of a posed object."""
    return (
        n[0] * pose[0, 0] + n[1] * pose[1, 0] + n[2] * pose[2, 0],
        n[0] * pose[0, 1] + n[1] * pose[1, 1] + n[2] * pose[2, 1],
        n[0] * pose[0, 2] + n[1] * pose[1, 2] + n[2] * pose[2, 2],
    )


@inner
def _in_tree(frame, n, origin):
    """Return n in the hierarchy's frame, n . v of the hierarchy's origin v, and a bound of all rounding errors."""
    height, size = 0.0, 0.0
    for i in range(3):
        place = frame.pose[i, 3] - origin[i]
        size += abs(n[i]) * (abs(frame.pose[i, 3]) + abs(origin[i]))
        for k in range(3):
            place += frame.pose[i, k] * frame.origin[k]
            size += abs(n[i] * frame.pose[i, k]) * (frame.reach[k] + abs(frame.origin[k]))
        height += n[i] * place
    return _turned_back(n, frame.pose), height, _BOX * size


@inner
def _reach(forest, frame, n, origin, work):
    """Return a close upper bound of n . v over all corners v of triangles relative to the origin."""
    scale = 1.0 / math.sqrt(dot(n, n))
    m, height, rounding = _in_tree(frame, (scale * n[0], scale * n[1], scale * n[2]), origin)
    best = -math.inf
    begin_far(forest, frame.tree, m, work)
    t = next_far(forest, frame.tree, best, work)
    while t >= 0:
        for corner in near_triangle(forest, frame, t, origin):
            size = abs(n[0] * corner[0]) + abs(n[1] * corner[1]) + abs(n[2] * corner[2])
            best = max(best, dot(n, corner) + _DOT * size + _LEAST)
        t = next_far(forest, frame.tree, scale * best - height - rounding, work)
    return best


@inner
def common_width(forest, a, b, n, origin, work):
    """Return an upper bound of the width along n, any vector, of the common part of two solids."""
    square = dot(n, n)
    if not square > _LEAST:
        return math.inf
    back = (-n[0], -n[1], -n[2])
    above = min(_reach(forest, a, n, origin, work), _reach(forest, b, n, origin, work))
    below = min(_reach(forest, a, back, origin, work), _reach(forest, b, back, origin, work))
    return max((above + below) / math.sqrt(square) * _OUTWARD, 0.0)


@inner
def width_across(forest, a, b, own, t, origin, work):
    """Return the ``common_width`` along the normal of a triangle of ``own``."""
    p, q, r = near_triangle(forest, own, t, origin)
    return common_width(forest, a, b, cross(minus(q, p), minus(r, p)), origin, work)
