"""How wide two solids together are at most along a direction: no ball in both is larger.

Moved by the width along the direction, one solid leaves the other (unless it reaches beyond it on both sides, and the
width is the own one of the thinner solid).
"""

import math

import numpy as np

from ..geometry.tuples import cross, dot, minus
from ..jit import inner
from .near import near_triangle

_ROUNDING = 2.0**-53
_DOT = 8.0 * _ROUNDING
_OUTWARD = 1.0 + 32.0 * _ROUNDING
_LEAST = 1e-290
_BOX = 1e-11  # of the numbers added: covers their rounding


@inner
def _reach_of_box(forest, frame, node, n, origin):
    """An upper bound of n . v over a node's triangles' corners v less the origin."""
    volume = forest.volumes[node]
    total, size = 0.0, 0.0
    for i in range(3):
        place = frame.pose[i, 3] - origin[i]
        size += abs(n[i]) * abs(place)
        for k in range(3):
            middle = 0.5 * (volume[k] + volume[k + 3]) + frame.origin[k]
            half = 0.5 * (volume[k + 3] - volume[k])
            place += frame.pose[i, k] * middle
            size += abs(n[i] * frame.pose[i, k]) * (abs(middle) + half + abs(frame.origin[k]))
        total += n[i] * place
    for k in range(3):
        turned = n[0] * frame.pose[0, k] + n[1] * frame.pose[1, k] + n[2] * frame.pose[2, k]
        total += abs(turned) * 0.5 * (volume[k + 3] - volume[k])
    return total + _BOX * size


@inner
def _reach(forest, frame, n, origin, work):
    """An upper bound of n . v over all corners v of triangles less the origin, close to it."""
    start = forest.node_start[frame.tree]
    best = -math.inf
    work.stack[0] = 0
    work.gaps[0] = math.inf
    used = 1
    while used > 0:
        used -= 1
        if work.gaps[used] <= best:
            continue
        node = start + work.stack[used]
        first = forest.first[node]
        if forest.count[node] == 0:
            left = _reach_of_box(forest, frame, start + first, n, origin)
            right = _reach_of_box(forest, frame, start + first + 1, n, origin)
            far = first if left >= right else first + 1
            for child in (2 * first + 1 - far, far):
                work.stack[used] = child
                work.gaps[used] = left if child == first else right
                used += 1
            continue
        for entry in range(first, first + forest.count[node]):
            t = np.int64(forest.order[forest.triangle_start[frame.tree] + entry])
            for corner in near_triangle(forest, frame, t, origin):
                size = 0.0
                for k in range(3):
                    size += abs(n[k] * corner[k])
                best = max(best, dot(n, corner) + _DOT * size + _LEAST)
    return best


@inner
def common_width(forest, a, b, n, origin, work):
    """An upper bound of the width along n, any vector, of what two solids have in common."""
    square = dot(n, n)
    if not square > _LEAST:
        return math.inf
    back = (-n[0], -n[1], -n[2])
    above = min(_reach(forest, a, n, origin, work), _reach(forest, b, n, origin, work))
    below = min(_reach(forest, a, back, origin, work), _reach(forest, b, back, origin, work))
    return max((above + below) / math.sqrt(square) * _OUTWARD, 0.0)


@inner
def width_across(forest, a, b, own, t, origin, work):
    """``common_width`` along the normal of a triangle of ``own``."""
    p, q, r = near_triangle(forest, own, t, origin)
    return common_width(forest, a, b, cross(minus(q, p), minus(r, p)), origin, work)
