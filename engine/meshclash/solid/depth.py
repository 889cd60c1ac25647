"""How deeply two solids overlap: the largest ball in their common volume, found by climbing from their contacts.

The depth of an overlap is the diameter of the largest ball inside both solids: the interference of a press fit, the
thickness of the common slab of two plates, the whole thickness of a part inside another. Every ball found is a lower
bound. Climbing: from a point just inside both surfaces move away from the nearest points met so far, never farther than
the distance to the nearest surface, so that the point stays inside.
"""

import math

import numpy as np

from ..geometry.triangle_distance import closest_on_triangle, squared_distance
from ..geometry.triangle_pair import COPLANAR, CROSSING
from ..jit import inner, kernel
from ..traversal.point import STACK_SIZE, nearest, world_triangle
from .sampling import IN, make_frame, outward_normal, side_of_solid

_MEMORY = 8  # nearest points remembered while climbing
_MOST_STEPS = 100
_MOST_SHRINKS = 8
_ACTIVE = 1.25  # remembered points within this many radii take part in the direction
_HALVINGS = 24


@inner
def _nearest_from(forest, frame, x, hint, enough, stack):
    """Distance, point and triangle of the surface nearest to x, or just no farther than ``enough``."""
    p, q, r = world_triangle(forest, frame.tree, hint, frame.pose)
    y = closest_on_triangle(x, p, q, r)
    bound = math.sqrt(squared_distance(x, y))
    if bound <= enough:
        return bound, y, hint
    distance, point, triangle = nearest(
        forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, x, bound, enough, stack
    )
    return (distance, point, triangle) if triangle >= 0 else (bound, y, hint)


@inner
def _remember(memory, used, p):
    slot = used % _MEMORY
    memory[slot, 0] = p[0]
    memory[slot, 1] = p[1]
    memory[slot, 2] = p[2]
    return used + 1


@inner
def _any_within(memory, used, x, radius):
    for i in range(min(used, _MEMORY)):
        dx = x[0] - memory[i, 0]
        dy = x[1] - memory[i, 1]
        dz = x[2] - memory[i, 2]
        if dx * dx + dy * dy + dz * dz <= radius * radius:
            return True
    return False


@inner
def _direction(memory, used, x, radius):
    """Unit direction away from the remembered points about as near as the nearest one; zero when they cancel."""
    dx = dy = dz = 0.0
    for i in range(min(used, _MEMORY)):
        ux = x[0] - memory[i, 0]
        uy = x[1] - memory[i, 1]
        uz = x[2] - memory[i, 2]
        length = math.sqrt(ux * ux + uy * uy + uz * uz)
        if 0.0 < length <= _ACTIVE * radius:
            dx += ux / length
            dy += uy / length
            dz += uz / length
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length < 1e-3:
        return 0.0, 0.0, 0.0
    return dx / length, dy / length, dz / length


@inner
def _grow_tangent(forest, a, b, x, radius, hint_a, hint_b, stack):
    """Largest ball that touches the surface where the ball around x does: the shrinking-ball iteration of Ma, Bae, Choi
    (2012), "3D medial axis point approximation using nearest neighbors and the normal field", started too large."""
    da, pa, hint_a = _nearest_from(forest, a, x, hint_a, -1.0, stack)
    db, pb, hint_b = _nearest_from(forest, b, x, hint_b, -1.0, stack)
    p = pa if da <= db else pb
    length = min(da, db)
    if not length > 0.0:
        return radius
    u = ((x[0] - p[0]) / length, (x[1] - p[1]) / length, (x[2] - p[2]) / length)
    grown = 2.0 * length
    for _ in range(_MOST_SHRINKS):
        centre = (p[0] + grown * u[0], p[1] + grown * u[1], p[2] + grown * u[2])
        da, pa, hint_a = _nearest_from(forest, a, centre, hint_a, -1.0, stack)
        db, pb, hint_b = _nearest_from(forest, b, centre, hint_b, -1.0, stack)
        if min(da, db) >= grown * (1.0 - 1e-9):
            return max(radius, min(da, db))
        q = pa if da <= db else pb
        w = (q[0] - p[0], q[1] - p[1], q[2] - p[2])
        along = w[0] * u[0] + w[1] * u[1] + w[2] * u[2]
        if not along > 0.0:
            return radius
        grown = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / (2.0 * along)
    return radius


@inner
def _climb(forest, a, b, x, hint_a, hint_b, memory, stack):
    """Radius of a ball in both solids, grown from the point x inside both."""
    da, pa, hint_a = _nearest_from(forest, a, x, hint_a, -1.0, stack)
    db, pb, hint_b = _nearest_from(forest, b, x, hint_b, -1.0, stack)
    radius = min(da, db)
    used = _remember(memory, 0, pa)
    used = _remember(memory, used, pb)
    step = 0.9 * radius
    for _ in range(_MOST_STEPS):
        d = _direction(memory, used, x, radius)
        if (d[0] == 0.0 and d[1] == 0.0 and d[2] == 0.0) or step < 0.005 * radius:
            break
        y = (x[0] + step * d[0], x[1] + step * d[1], x[2] + step * d[2])
        step *= 0.5
        if _any_within(memory, used, y, radius):
            continue
        da, pa, hint_a = _nearest_from(forest, a, y, hint_a, radius, stack)
        if da <= radius:
            used = _remember(memory, used, pa)
            continue
        db, pb, hint_b = _nearest_from(forest, b, y, hint_b, radius, stack)
        used = _remember(memory, used, pa if da <= db else pb)
        if db > radius:
            x = y
            radius = min(da, db)
            step = min(4.0 * step, 0.9 * radius)
    return _grow_tangent(forest, a, b, x, radius, hint_a, hint_b, stack)


@inner
def _start_inside(forest, solids, a, b, p, d, reach, stack):
    """A point p + h d inside both solids with h as large as halving from ``reach`` gives; False when there is none."""
    h = reach
    for _ in range(_HALVINGS):
        x = (p[0] + h * d[0], p[1] + h * d[1], p[2] + h * d[2])
        if side_of_solid(forest, solids, a, x, stack) == IN and side_of_solid(forest, solids, b, x, stack) == IN:
            return x, True
        h *= 0.25
    return p, False


@inner
def _inward(n, m):
    """Unit direction into both materials, between two outward normals."""
    dx = -(n[0] + m[0])
    dy = -(n[1] + m[1])
    dz = -(n[2] + m[2])
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length < 1e-9:
        return 0.0, 0.0, 0.0
    return dx / length, dy / length, dz / length


@inner
def _representative_radius(forest, solids, inner_frame, outer_frame, a, b, memory, reach, stack):
    """Radius found from a triangle of each component of one solid that lies in the other."""
    best = -1.0
    begin = solids.representative_start[inner_frame.tree]
    end = solids.representative_start[inner_frame.tree + 1]
    for r in range(begin, min(end, begin + 8)):
        t = solids.representatives[r]
        p, q, s = world_triangle(forest, inner_frame.tree, t, inner_frame.pose)
        centroid = ((p[0] + q[0] + s[0]) / 3.0, (p[1] + q[1] + s[1]) / 3.0, (p[2] + q[2] + s[2]) / 3.0)
        n = outward_normal(forest, solids, inner_frame, t)
        x, inside = _start_inside(forest, solids, a, b, centroid, (-n[0], -n[1], -n[2]), reach, stack)
        if inside:
            best = max(best, _climb(forest, a, b, x, 0, 0, memory, stack))
    return best


@kernel
def overlap_depths(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b, chosen,
    start, pairs, kinds, middles, most_starts, enough, depths,
):  # fmt: skip
    """Fill ``depths`` (k,) of the jobs in ``chosen``: ball diameters [m]; 0 when no ball was found.

    At most ``most_starts`` contacts, spread over each job's list, are climbed from; a job ends early once its depth
    exceeds ``enough``. The other arrays are those of ``sampling.sample_sides``.
    """
    stack = np.empty(STACK_SIZE, np.int64)
    memory = np.empty((_MEMORY, 3))
    for index in range(chosen.shape[0]):
        job = chosen[index]
        a = make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches)
        b = make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches)
        reach = 0.25 * min(a.reach.max(), b.reach.max())
        usable = 0
        for row in range(start[job], start[job + 1]):
            usable += kinds[row] == CROSSING or kinds[row] == COPLANAR
        best = 0.0
        seen = 0
        tried = 0
        for row in range(start[job], start[job + 1]):
            if kinds[row] != CROSSING and kinds[row] != COPLANAR:
                continue
            seen += 1
            if seen * min(most_starts, usable) < (tried + 1) * usable:
                continue
            tried += 1
            n = outward_normal(forest, solids, a, pairs[row, 0])
            m = outward_normal(forest, solids, b, pairs[row, 1])
            if kinds[row] == COPLANAR and n[0] * m[0] + n[1] * m[1] + n[2] * m[2] <= 0.0:
                continue
            p = (middles[row, 0], middles[row, 1], middles[row, 2])
            x, inside = _start_inside(forest, solids, a, b, p, _inward(n, m), reach, stack)
            if inside:
                best = max(best, 2.0 * _climb(forest, a, b, x, pairs[row, 0], pairs[row, 1], memory, stack))
            if best > enough:
                break
        if best == 0.0 or usable == 0:
            best = max(best, 2.0 * _representative_radius(forest, solids, a, b, a, b, memory, reach, stack))
            best = max(best, 2.0 * _representative_radius(forest, solids, b, a, a, b, memory, reach, stack))
        depths[job] = best
