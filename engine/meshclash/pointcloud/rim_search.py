"""A point on two surfaces that is reached from none of their points: where rims meet beyond all points.

A surface ends some way beyond its points. Where only such rims meet, Newton's method steps to where one of the surfaces
is not. Here the common region of two leaves is cut into cubes, and these again and again: left out are those too far
from the points or from one of the surfaces, and those amid both; steps towards both are made from the others.
"""

import math

import numpy as np

from ..jit import inner
from .patches import in_leaf, inside, near_leaf
from .root_search import both_planes, value_at
from .surface import CLOSEST, INVERSE_H2, MEAN, NEARBY, SAMPLING_RADIUS, WEIGHT

_COARSEST = 1.0
"""In sampling radii: the first cubes are no larger."""
_STEPS_FROM = 0.25
"""In sampling radii: from cubes so small on, a step is made towards both surfaces."""
_FINEST = 0.03
"""In sampling radii: the last cubes are no smaller."""
_MOST = 20_000
"""Cubes that are looked at in a pair of leaves."""
_STEEPEST = 1.5
"""f changes by no more than this times the way, in cubes of a sampling radius and less."""
_BESIDE_RIM = 0.5
"""How far the mean of the points lies beside a place at a rim at least, in bandwidths; at a straight border 0.56."""
_HALF_DIAGONAL = 0.5 * math.sqrt(3.0)
CUBES = 64
"""Rows of room that the search needs."""


@inner
def _may_hold(patch, x, width, work):
    """A surface in the middle of a cube: (may it have a point in the cube, f, normal, is it there, may it be a rim)."""
    f, n, there = value_at(patch, x, work)
    sharpness = patch.parameters[INVERSE_H2]
    reach = _HALF_DIAGONAL * width
    beside2 = -f * f
    for k in range(3):
        beside = patch.sums[MEAN + k] / max(patch.sums[WEIGHT], 1e-300)
        beside2 += beside * beside
    least = max(_BESIDE_RIM / math.sqrt(sharpness) - reach, 0.0)
    rim = not there or beside2 >= least * least
    if there and width <= patch.parameters[SAMPLING_RADIUS]:
        return abs(f) <= _STEEPEST * reach, f, n, there, rim
    reach += 1.2 * NEARBY / math.sqrt(sharpness)
    return patch.sums[CLOSEST] >= math.exp(-sharpness * reach * reach), f, n, there, rim


@inner
def _try_step(p, q, x, fp, np_, fq, nq, width, where, tolerance, work):
    """A common point by steps to both tangent planes from the middle of a cube, as long as these stay near it."""
    region, tree_b, node_b, m = where
    middle = x
    for _ in range(3):
        way = both_planes(fp, np_, fq, nq)
        x = (x[0] + way[0], x[1] + way[1], x[2] + way[2])
        off = max(abs(x[0] - middle[0]), abs(x[1] - middle[1]), abs(x[2] - middle[2]))
        if off > width or not inside(region, x):
            break
        fp, np_, there = value_at(p, x, work)
        if not there:
            break
        fq, nq, there = value_at(q, x, work)
        if not there:
            break
        if abs(fp) <= tolerance and abs(fq) <= tolerance:
            return in_leaf(tree_b, node_b, m, x), x
    return False, x


@inner
def _in_cube(p, q, cubes, x, width, where, tolerance, work):
    """A point on both surfaces in a cube, whose smaller cubes are looked at one after the other.

    Returns (found, point, cubes looked at).
    """
    _, tree_b, node_b, m = where
    finest = _FINEST * p.parameters[SAMPLING_RADIUS]
    steps_from = _STEPS_FROM * p.parameters[SAMPLING_RADIUS]
    for k in range(3):
        cubes[0, k] = x[k]
    cubes[0, 3] = width
    used, count = 1, 0
    while used > 0 and count < _MOST:
        used -= 1
        count += 1
        x, width = (cubes[used, 0], cubes[used, 1], cubes[used, 2]), cubes[used, 3]
        if not near_leaf(tree_b, node_b, m, x, _HALF_DIAGONAL * width):
            continue
        held, fp, np_, there_p, rim_p = _may_hold(p, x, width, work)
        if not held:
            continue
        held, fq, nq, there_q, rim_q = _may_hold(q, x, width, work)
        if not held or not (rim_p or rim_q):
            continue
        if there_p and there_q and width <= steps_from:
            found, y = _try_step(p, q, x, fp, np_, fq, nq, width, where, tolerance, work)
            if found:
                return True, y, count
        half = 0.5 * width
        if half < finest or used + 8 > CUBES:
            continue
        for corner in range(8):
            for k in range(3):
                cubes[used, k] = x[k] + (0.25 if corner & (1 << k) else -0.25) * width
            cubes[used, 3] = half
            used += 1
    return False, x, count


@inner
def search_rims(p, q, cubes, region, tree_b, node_b, m, tolerance, work):
    """A point on both surfaces anywhere in the region and b's leaf; (found, point).

    ``cubes`` is room, (CUBES, 4) float64.
    """
    radius = min(p.parameters[SAMPLING_RADIUS], q.parameters[SAMPLING_RADIUS])
    count = np.empty(3, np.int64)
    longest = 0.0
    for k in range(3):
        longest = max(longest, region[k + 3] - region[k])
    width = longest / math.ceil(longest / (_COARSEST * radius)) if longest > 0.0 else radius
    for k in range(3):
        count[k] = max(1, math.ceil((region[k + 3] - region[k]) / width))
    where = region, tree_b, node_b, m
    left = _MOST
    for i in range(count[0]):
        for j in range(count[1]):
            for k in range(count[2]):
                x = (
                    region[0] + (i + 0.5) * width,
                    region[1] + (j + 0.5) * width,
                    region[2] + (k + 0.5) * width,
                )
                found, y, looked = _in_cube(p, q, cubes, x, width, where, tolerance, work)
                left -= looked
                if found or left < 0:
                    return found, y
    return False, (region[0], region[1], region[2])
