"""Find a common point of two surfaces, starting from points of one surface that lie on both sides of the other.

Sources: Klein and Zachmann (2004), section 5.2 (points on both sides) and their later interpolation search
("Interpolation Search for Point Cloud Intersection", 2005). The path between two such points is followed on the first
surface, and the root of the second surface's function along it is found by regula falsi (Illinois variant). If all
points lie on one side but the surfaces come close, Newton's method moves the nearest points onto both. Newton's method
finds surfaces that touch, graze each other or coincide.
"""

import math

import numpy as np

from ..geometry.triangle_distance import squared_distance
from ..jit import inlined, inner
from .patches import inside
from .surface import CLEAR_NORMAL, SAMPLING_RADIUS, evaluate_among, reach_of

UNTRIED, SETTLED, LOST = 0, 1, 2
"""The result of Newton's method from the points of a leaf: it was not started; it ended where both surfaces exist; it
reached a position where one surface does not exist."""
ROOT_STEPS = 12
_STARTS = 4  # starting points of Newton's method in a pair of leaves; ten found no more (decision 0021)
_NEWTON_STEPS = 18
_MOST_TRIED = 256  # points tried in a leaf; a leaf has more where points are much denser than elsewhere
_LONGEST_STEP = 0.5  # in sampling radii; the tangent planes of surfaces that nearly touch meet far away
_NEARLY_PARALLEL = 1e-3  # sine squared of the angle between two tangent planes


@inlined
def is_late(work):
    """Return whether a search has used all of its evaluations and has to give up."""
    return work[0] >= work[1]


@inner
def value_at(patch, x, work):
    """Return (f, normal, whether the surface exists) of a patch at x; count the evaluation.

    ``work`` (2,) int64 contains the number of evaluations of this call, and the largest number allowed.
    """
    work[0] += 1
    return evaluate_among(patch.points, patch.normals, patch.used[0], x, patch.parameters, patch.sums)


@inner
def _place_kept(patch, owner, i, own):
    """Return (key, index) of the cache entry for a patch's surface at a point.

    ``own`` is 1 for a point of the same cloud, otherwise 0.
    """
    key = 2 * owner.names[i] + own
    return key, (key ^ (key >> 9)) & (patch.keys.shape[0] - 1)


@inner
def value_at_point(patch, owner, i, own, work):
    """Like ``value_at``, at a point of a patch, with a cache.

    Leaves overlap, so the same points are evaluated in several pairs of leaves. The latest values are cached.
    """
    key, place = _place_kept(patch, owner, i, own)
    values = patch.values
    if patch.keys[place] != key:
        f, n, there = value_at(patch, (owner.points[i, 0], owner.points[i, 1], owner.points[i, 2]), work)
        patch.keys[place] = key
        values[place, 0] = f
        values[place, 1] = n[0]
        values[place, 2] = n[1]
        values[place, 3] = n[2]
        values[place, 4] = there
        values[place, 5] = 0.0
    n = (values[place, 1], values[place, 2], values[place, 3])
    return values[place, 0], n, values[place, 4] != 0.0


@inner
def _onto(patch, x, region, work):
    """Move x onto a patch's surface in two steps; return (point, remaining f, whether the surface exists)."""
    f = 0.0
    for _ in range(2):
        f, n, there = value_at(patch, x, work)
        if not there:
            return x, f, False
        x = (x[0] + f * n[0], x[1] + f * n[1], x[2] + f * n[2])
    return x, f, inside(region, x)


@inner
def oriented_value(patch, x, reference, work):
    """Evaluate a patch with its normal turned to a reference direction.

    Returns (f, whether the surface exists, whether also the sign of f is reliable).
    """
    f, n, there = value_at(patch, x, work)
    along = n[0] * reference[0] + n[1] * reference[1] + n[2] * reference[2]
    if along < 0.0:
        f = -f
    return f, there, there and abs(along) >= CLEAR_NORMAL


@inner
def _between(a, b, t):
    return (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]))


@inner
def follow(p, q, start, end, reference, region, tolerance, work):
    """Find a root of q's function along p's surface between two points; return (whether one was found, the point)."""
    xa, rest, there = _onto(p, start, region, work)
    if not there:
        return False, xa
    ga, _, clear_a = oriented_value(q, xa, reference, work)
    xb, rest, there = _onto(p, end, region, work)
    if not there or not clear_a:
        return False, xa
    gb, _, clear_b = oriented_value(q, xb, reference, work)
    if not clear_b or ga * gb > 0.0:
        return False, xa
    last = 0
    for _ in range(ROOT_STEPS):
        if ga == gb or is_late(work):
            break
        x, rest, there = _onto(p, _between(xa, xb, ga / (ga - gb)), region, work)
        if not there:
            return False, x
        g, _, clear = oriented_value(q, x, reference, work)
        if not clear:
            return False, x
        if abs(g) <= tolerance and abs(rest) <= tolerance:
            rest, _, there = value_at(p, x, work)
            return there and abs(rest) <= tolerance, x
        if g * gb > 0.0:
            xb, gb = x, g
            ga *= 0.5 if last > 0 else 1.0
            last = 1
        else:
            xa, ga = x, g
            gb *= 0.5 if last < 0 else 1.0
            last = -1
    return False, xa


@inner
def both_planes(fp, np_, fq, nq):
    """Return the shortest vector to the line in which two tangent planes meet, for distances fp and fq along their
    normals.

    If the planes are nearly parallel, the vector leads to the centre between them.
    """
    c = np_[0] * nq[0] + np_[1] * nq[1] + np_[2] * nq[2]
    sine2 = 1.0 - c * c
    if sine2 < _NEARLY_PARALLEL:
        alpha, beta = 0.5 * fp, 0.5 * fq
    else:
        alpha, beta = (fp - c * fq) / sine2, (fq - c * fp) / sine2
    return (
        alpha * np_[0] + beta * nq[0],
        alpha * np_[1] + beta * nq[1],
        alpha * np_[2] + beta * nq[2],
    )


@inner
def _newton(p, q, i, region, tolerance, work):
    """Move a point of p onto both surfaces at once by Newton's method; return (found, end point, SETTLED or LOST).

    The iteration stops if steps as short as the next one could not reach the surfaces, for example between parallel
    sheets.
    """
    radius = q.parameters[SAMPLING_RADIUS]
    x = (p.points[i, 0], p.points[i, 1], p.points[i, 2])
    for step in range(_NEWTON_STEPS):
        if not inside(region, x) or is_late(work):
            break
        fp, np_, there = value_at_point(p, p, i, 1, work) if step == 0 else value_at(p, x, work)
        if not there:
            return False, x, LOST
        fq, nq, there = value_at_point(q, p, i, 0, work) if step == 0 else value_at(q, x, work)
        if not there:
            return False, x, LOST
        if abs(fp) <= tolerance and abs(fq) <= tolerance:
            return True, x, SETTLED
        way = both_planes(fp, np_, fq, nq)
        length = math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
        if _NEWTON_STEPS * length < max(abs(fp), abs(fq)) - tolerance:
            break
        scale = min(1.0, _LONGEST_STEP * radius / length)
        x = (x[0] + scale * way[0], x[1] + scale * way[1], x[2] + scale * way[2])
    return False, x, SETTLED


@inner
def drive(p, q, i, region, tolerance, work):
    """Move a point of p onto both surfaces by Newton's method; return (found, end point, SETTLED or LOST).

    If the iteration ends inside the region without a common point, it would also do so for other pairs of leaves, so
    the failure is cached.
    """
    key, place = _place_kept(p, p, i, 1)
    values = p.values
    if p.keys[place] == key and values[place, 5] != 0.0:
        return False, (values[place, 6], values[place, 7], values[place, 8]), np.int64(values[place, 5])
    found, x, how = _newton(p, q, i, region, tolerance, work)
    if not found and p.keys[place] == key and inside(region, x) and not is_late(work):
        values[place, 5] = how
        values[place, 6] = x[0]
        values[place, 7] = x[1]
        values[place, 8] = x[2]
    return found, x, how


@inner
def _nearest_start(away, tried):
    """Return the entry of the candidate point that lies nearest to the other surface."""
    nearest = 0
    for entry in range(1, tried):
        if away[entry] < away[nearest]:
            nearest = entry
    return nearest


@inner
def _drive_from_several(p, q, tried, region, tolerance, work):
    """Try Newton's method from the points of p that are nearest to q's surface.

    Each starting point is at least a sampling radius from the earlier ones, and half a radius from the points where
    their iterations ended. At a border the surface extends beyond its points, so points at such a distance from q's
    surface are tried as well. Returns (found, point, result of Newton's method).
    """
    points, chosen, away = p.points, p.chosen, p.away
    radius = q.parameters[SAMPLING_RADIUS]
    found = False
    status = UNTRIED
    x = (0.0, 0.0, 0.0)
    for _ in range(_STARTS if tried > 0 else 0):
        nearest = _nearest_start(away, tried)
        if found or is_late(work) or not away[nearest] < max(radius, reach_of(p.parameters)):
            break
        i = chosen[nearest]
        start = (points[i, 0], points[i, 1], points[i, 2])
        found, x, how = drive(p, q, i, region, tolerance, work)
        status = max(status, how)
        for entry in range(tried):
            i = chosen[entry]
            y = (points[i, 0], points[i, 1], points[i, 2])
            if squared_distance(start, y) <= radius * radius or squared_distance(x, y) <= 0.25 * radius * radius:
                away[entry] = np.inf
    return found, x, status


@inner
def _thinned(chosen, tried):
    """Choose an even selection of many candidate points, and move it to the front; return its size."""
    step = 1 + tried // _MOST_TRIED
    kept = 0
    for entry in range(0, tried, step):
        chosen[kept], chosen[entry] = chosen[entry], chosen[kept]
        kept += 1
    return kept


@inner
def search(p, q, tried, reference, region, tolerance, work):
    """Search for a point on both surfaces from the points of p in the region; return (found, point, result of Newton's
    method).

    The last value is UNTRIED if Newton's method has no starting point, and LOST if it reached a position without one of
    the surfaces.
    """
    points, chosen, away = p.points, p.chosen, p.away
    tried = _thinned(chosen, tried)
    over = np.inf
    under = np.inf
    best_over = -1
    best_under = -1
    for entry in range(tried):
        if is_late(work):
            return False, (0.0, 0.0, 0.0), SETTLED
        i = chosen[entry]
        f, n, there = value_at_point(q, p, i, 0, work)
        away[entry] = abs(f) if there else np.inf
        along = n[0] * reference[0] + n[1] * reference[1] + n[2] * reference[2]
        if not there or abs(along) < CLEAR_NORMAL:
            continue
        if (f >= 0.0) == (along >= 0.0):
            if abs(f) < over:
                over, best_over = abs(f), i
        elif abs(f) < under:
            under, best_under = abs(f), i
    found = False
    x = (0.0, 0.0, 0.0)
    if best_over >= 0 and best_under >= 0:
        start = (points[best_over, 0], points[best_over, 1], points[best_over, 2])
        end = (points[best_under, 0], points[best_under, 1], points[best_under, 2])
        found, x = follow(p, q, start, end, reference, region, tolerance, work)
    status = SETTLED
    if not found:
        found, x, status = _drive_from_several(p, q, tried, region, tolerance, work)
    return found, x, status
