"""Find a common point of two surfaces that meet only at their rims, outside the region that points cover.

A surface ends some way beyond its points. Where only such rims meet, Newton's method leaves one of the surfaces, or has
no starting point. First the slabs are compared that contain both surfaces near the common region of two leaves. That
rejects nearly all pairs of leaves without an evaluation. Otherwise the region is subdivided into cubes, recursively.
Cubes are dropped if they are too far from the points, from one of the surfaces or from their line of intersection, or
if they lie inside a surface, away from its rim. From the remaining cubes, steps are made towards both surfaces.
"""

import math

import numpy as np

from ..geometry.triangle_distance import squared_distance
from ..jit import inner
from .mean_planes import BESIDE_RIM
from .patches import in_leaf, inside, near_leaf, slab_beyond
from .root_search import both_planes, is_late, value_at
from .surface import (
    CLOSEST,
    COUNT,
    CUTOFF,
    HORIZON2,
    INVERSE_H2,
    MARGIN,
    MEAN,
    MOST_BESIDE2,
    NEARBY,
    SAMPLING_RADIUS,
    WEIGHT,
)

_COARSEST = 1.0
"""Largest width of the first cubes, in sampling radii."""
_STEPS_FROM = 0.25
"""Width, in sampling radii, from which on steps towards both surfaces are tried."""
_FINEST = 0.01
"""Smallest width of a cube, in sampling radii."""
_MOST = 20_000
"""Largest number of cubes visited for a pair of leaves; fewer if the leaves have more than ``_USUAL_POINTS`` points."""
_USUAL_POINTS = 1_000
_STEEPEST = 1.5
"""Bound of the slope of f (its change divided by the distance) in cubes no wider than a sampling radius."""
_BENT = 0.5
"""Bound of the slope of the difference of two functions, beyond the slope that both normals predict. A wavy sheet adds
0.05, and a noisy one 0.2 where it ends; only folds within a bandwidth add more."""
_BESIDE_STEEPNESS = 0.75
"""Bound of the slope of a position's distance from the mean of the points around it. At a straight border the slope is
0.3 to 0.7."""
_LEANING = 0.5
"""How far a surface may lie outside the slab of its points, as a share of the slab's thickness.

The points extend over two sampling radii or more, so a plane fitted to them can tilt only as far as the slab allows
over that length; a surface follows the plane for about one sampling radius beyond the points."""
_HALF_DIAGONAL = 0.5 * math.sqrt(3.0)
CUBES = 64
"""Rows of the work array that the search needs."""


@inner
def _slab(patch, n):
    """Return the slab (normal, low, high) that contains a surface around the region, including its part beyond the
    points.
    """
    points = patch.points
    low = np.inf
    high = -np.inf
    for i in range(patch.used[0]):
        offset = n[0] * points[i, 0] + n[1] * points[i, 1] + n[2] * points[i, 2]
        low = min(low, offset)
        high = max(high, offset)
    slack = _LEANING * (high - low)
    return n, low - slack, high + slack


@inner
def rims_apart(p, normal_p, q, normal_q, region):
    """Return whether the slabs of two surfaces, along the normals of their leaves, have no common point in a region."""
    slab_p = _slab(p, normal_p)
    slab_q = _slab(q, normal_q)
    return slab_beyond(region, slab_p, slab_q) or slab_beyond(region, slab_q, slab_p)


@inner
def _in_slab(slab, x, reach):
    """Return whether a slab comes within ``reach`` of a point."""
    n, low, high = slab
    offset = n[0] * x[0] + n[1] * x[1] + n[2] * x[2]
    return low - reach <= offset <= high + reach


@inner
def _may_share(fp, np_, fq, nq, reach):
    """Return whether two surfaces may have a common point within ``reach`` of the centre of a cube.

    Both surfaces are evaluated at the centre, and their normals are oriented to the same side. Over the distance
    ``reach``, the difference of the functions then changes at most by the difference of the normals times ``reach``,
    plus ``_BENT`` times ``reach``.
    """
    cosine = np_[0] * nq[0] + np_[1] * nq[1] + np_[2] * nq[2]
    apart = abs(fp - fq) if cosine >= 0.0 else abs(fp + fq)
    return apart <= reach * (math.sqrt(max(2.0 - 2.0 * abs(cosine), 0.0)) + _BENT)


@inner
def _may_have_enough(patch, x, reach):
    """Return whether anywhere within ``reach`` of x more points than the cut-off count may be within the horizon."""
    farthest = math.sqrt(patch.parameters[HORIZON2]) + reach
    count = 0
    for i in range(patch.used[0]):
        count += (
            squared_distance(x, (patch.points[i, 0], patch.points[i, 1], patch.points[i, 2])) <= farthest * farthest
        )
    return count > patch.parameters[CUTOFF]


@inner
def _may_hold(patch, x, width, work):
    """Evaluate a surface at the centre of a cube, and decide whether the cube may contain a part of it.

    f is defined beyond the end of the surface, as long as there are enough points. The surface exists again where the
    nearest point, or the mean of the points, is close enough. Neither distance changes by more than the distance moved.

    Returns:
        Returns (whether the surface may enter the cube, f, normal, whether these two are known, whether the surface may
            end in the cube).
    """
    f, n, there = value_at(patch, x, work)
    known = patch.sums[COUNT] > patch.parameters[CUTOFF]
    bandwidth = 1.0 / math.sqrt(patch.parameters[INVERSE_H2])
    reach = _HALF_DIAGONAL * width
    beside = -f * f
    for k in range(3):
        mean = patch.sums[MEAN + k] / max(patch.sums[WEIGHT], 1e-300)
        beside += mean * mean
    beside = math.sqrt(max(beside, 0.0))
    rim = not there or beside >= BESIDE_RIM * bandwidth - _BESIDE_STEEPNESS * reach
    closest = bandwidth * math.sqrt(-math.log(min(max(patch.sums[CLOSEST], 1e-300), 1.0)))
    fine = width <= patch.parameters[SAMPLING_RADIUS]
    if not (known and fine):
        held = closest <= patch.parameters[MARGIN] + reach and (known or _may_have_enough(patch, x, reach))
        return held, f, n, False, rim
    near = there or closest <= NEARBY * bandwidth + reach or beside <= math.sqrt(MOST_BESIDE2) * bandwidth + reach
    return near and abs(f) <= _STEEPEST * reach, f, n, True, rim


@inner
def _try_step(p, q, x, fp, np_, fq, nq, longest, where, tolerance, work):
    """Search for a common point by steps from the centre of a cube to both tangent planes, while these stay near the
    cube.

    Returns (found, point).
    """
    region, tree_b, node_b, m = where
    middle = x
    for _ in range(3):
        way = both_planes(fp, np_, fq, nq)
        x = (x[0] + way[0], x[1] + way[1], x[2] + way[2])
        off = max(abs(x[0] - middle[0]), abs(x[1] - middle[1]), abs(x[2] - middle[2]))
        if off > longest or not inside(region, x):
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
def _in_cube(p, q, slabs, both, cubes, x, width, where, most, tolerance, work):
    """Search a cube for a point on both surfaces by recursive subdivision; visit at most ``most`` cubes.

    Returns (found, point, number of cubes visited).
    """
    _, tree_b, node_b, m = where
    radius = min(p.parameters[SAMPLING_RADIUS], q.parameters[SAMPLING_RADIUS])
    finest = _FINEST * radius
    steps_from = _STEPS_FROM * radius
    for k in range(3):
        cubes[0, k] = x[k]
    cubes[0, 3] = width
    used, count = 1, 0
    while used > 0 and count < most and not is_late(work):
        used -= 1
        count += 1
        x, width = (cubes[used, 0], cubes[used, 1], cubes[used, 2]), cubes[used, 3]
        reach = _HALF_DIAGONAL * width
        if not (_in_slab(slabs[0], x, reach) and _in_slab(slabs[1], x, reach)):
            continue
        if not near_leaf(tree_b, node_b, m, x, reach):
            continue
        held, fp, np_, known_p, rim_p = _may_hold(p, x, width, work)
        if not held or (both and not rim_p):
            continue
        held, fq, nq, known_q, rim_q = _may_hold(q, x, width, work)
        if not held or not (rim_q or (rim_p and not both)):
            continue
        known = known_p and known_q
        if known and not _may_share(fp, np_, fq, nq, reach):
            continue
        if known and width <= steps_from:
            found, y = _try_step(p, q, x, fp, np_, fq, nq, steps_from, where, tolerance, work)
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
def search_rims(p, normal_p, q, normal_q, both, cubes, region, tree_b, node_b, m, tolerance, work):
    """Search for a point on both surfaces anywhere in the region and in b's leaf; return (found, point).

    ``normal_p`` and ``normal_q`` are the leaves' mean normals. With ``both``, only positions where both surfaces end
    are searched, otherwise those where at least one surface ends. ``cubes`` is a work array, (CUBES, 4) float64.
    """
    slabs = _slab(p, normal_p), _slab(q, normal_q)
    radius = min(p.parameters[SAMPLING_RADIUS], q.parameters[SAMPLING_RADIUS])
    count = np.empty(3, np.int64)
    longest = 0.0
    for k in range(3):
        longest = max(longest, region[k + 3] - region[k])
    width = longest / math.ceil(longest / (_COARSEST * radius)) if longest > 0.0 else radius
    for k in range(3):
        count[k] = max(1, math.ceil((region[k + 3] - region[k]) / width))
    where = region, tree_b, node_b, m
    left = np.int64(_MOST * min(1.0, _USUAL_POINTS / (p.used[0] + q.used[0])))
    for i in range(count[0]):
        for j in range(count[1]):
            for k in range(count[2]):
                x = (
                    region[0] + (i + 0.5) * width,
                    region[1] + (j + 0.5) * width,
                    region[2] + (k + 0.5) * width,
                )
                found, y, looked = _in_cube(p, q, slabs, both, cubes, x, width, where, left, tolerance, work)
                left -= looked
                if found or left < 0 or is_late(work):
                    return found, y
    return False, (region[0], region[1], region[2])
