"""How deeply two solids overlap: the largest ball in their common volume, found by climbing from their contacts.

The depth of an overlap is the diameter of the largest ball inside both solids: the interference of a press fit, the
thickness of the common slab of two plates, the whole thickness of a part inside another. Every ball found is a lower
bound. From points just inside both surfaces the ball that touches the nearest surface point is grown until it meets
something else; then the centre of the largest of these balls climbs away from all that is near, never farther than the
distance to the nearest surface, so that it stays inside.
"""

import math

import numpy as np

from ..geometry.triangle_distance import closest_on_triangle, squared_distance
from ..geometry.triangle_pair import COPLANAR, CROSSING
from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.point import world_triangle
from .frames import IN, centroid, make_frame, nearest_in, outward_normal, side_of_solid

_MEMORY = 8  # nearest points remembered while climbing
_MOST_STEPS = 60
_MOST_SHRINKS = 12
_ACTIVE = 1.05  # remembered points within this many radii take part in the direction
_SHORTEST_STEP = 0.005  # of the radius
_HALVINGS = 24


@inner
def _nearest_from(forest, frame, x, hint, enough, work):
    """Distance, point and triangle of the surface nearest to x, or just no farther than ``enough``."""
    p, q, r = world_triangle(forest, frame.tree, hint, frame.pose)
    y = closest_on_triangle(x, p, q, r)
    bound = math.sqrt(squared_distance(x, y))
    if bound <= enough:
        return bound, y, hint
    distance, point, triangle = nearest_in(forest, frame, x, bound, enough, work)
    return (distance, point, triangle) if triangle >= 0 else (bound, y, hint)


@inner
def _nearest_of_both(forest, a, b, x, hints, enough, work):
    """Distance and point nearest to x on either surface; ``hints`` keeps the nearest triangle of each."""
    da, pa, hints[0] = _nearest_from(forest, a, x, hints[0], enough, work)
    if da <= enough:
        return da, pa
    db, pb, hints[1] = _nearest_from(forest, b, x, hints[1], enough, work)
    return (da, pa) if da <= db else (db, pb)


@inner
def _remember(memory, slot, p):
    memory[slot % _MEMORY, 0] = p[0]
    memory[slot % _MEMORY, 1] = p[1]
    memory[slot % _MEMORY, 2] = p[2]


@inner
def _reach(frame):
    return max(frame.reach[0], frame.reach[1], frame.reach[2])


@inner
def _grow(forest, a, b, x, hints, memory, work):
    """Largest ball touching the surface at the point nearest to x: (centre, radius), touching points in memory[:2].

    The shrinking ball of Ma, Bae, Choi, "3D medial axis point approximation using nearest neighbors and the normal
    field" (2012): from a ball much too large to the one through the next point that lies inside it.
    """
    length, p = _nearest_of_both(forest, a, b, x, hints, -1.0, work)
    _remember(memory, 0, p)
    _remember(memory, 1, p)
    if not length > 0.0:
        return x, 0.0
    u = ((x[0] - p[0]) / length, (x[1] - p[1]) / length, (x[2] - p[2]) / length)
    radius = 2.0 * min(_reach(a), _reach(b)) + length
    for _ in range(_MOST_SHRINKS):
        centre = (p[0] + radius * u[0], p[1] + radius * u[1], p[2] + radius * u[2])
        distance, q = _nearest_of_both(forest, a, b, centre, hints, -1.0, work)
        if distance >= radius * (1.0 - 1e-9):
            return centre, distance
        _remember(memory, 1, q)
        w = (q[0] - p[0], q[1] - p[1], q[2] - p[2])
        along = w[0] * u[0] + w[1] * u[1] + w[2] * u[2]
        if not along > 0.0:
            break
        radius = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / (2.0 * along)
        if radius <= length:
            break
    return x, length


@inner
def _direction(memory, used, x, radius, units):
    """Direction in which all near points recede: the shortest vector in the hull of the unit vectors away from them.

    Frank and Wolfe's iteration; returns the vector and its length, 0 when the near points surround x.
    """
    count = 0
    for i in range(min(used, _MEMORY)):
        ux = x[0] - memory[i, 0]
        uy = x[1] - memory[i, 1]
        uz = x[2] - memory[i, 2]
        length = math.sqrt(ux * ux + uy * uy + uz * uz)
        if 0.0 < length <= _ACTIVE * radius:
            units[count, 0] = ux / length
            units[count, 1] = uy / length
            units[count, 2] = uz / length
            count += 1
    if count == 0:
        return 0.0, 0.0, 0.0, 0.0
    gx, gy, gz = units[0, 0], units[0, 1], units[0, 2]
    for _ in range(16):
        worst = 0
        least = math.inf
        for i in range(count):
            along = gx * units[i, 0] + gy * units[i, 1] + gz * units[i, 2]
            if along < least:
                worst, least = i, along
        hx = units[worst, 0] - gx
        hy = units[worst, 1] - gy
        hz = units[worst, 2] - gz
        square = hx * hx + hy * hy + hz * hz
        t = -(gx * hx + gy * hy + gz * hz) / square if square > 0.0 else 0.0
        if not t > 1e-6:
            break
        t = min(t, 1.0)
        gx += t * hx
        gy += t * hy
        gz += t * hz
    return gx, gy, gz, math.sqrt(gx * gx + gy * gy + gz * gz)


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
def _largest_radius(forest, a, b, x, climb, work):
    """Radius of a ball in both solids, grown and moved from the point x inside both."""
    hints, memory, units = climb
    x, radius = _grow(forest, a, b, x, hints, memory, work)
    used = 2
    step = 0.5 * radius
    for _ in range(_MOST_STEPS):
        gx, gy, gz, length = _direction(memory, used, x, radius, units)
        if length < 0.02 or step < _SHORTEST_STEP * radius:
            break
        y = (x[0] + step * gx / length, x[1] + step * gy / length, x[2] + step * gz / length)
        step *= 0.5
        if _any_within(memory, used, y, radius):
            continue
        distance, q = _nearest_of_both(forest, a, b, y, hints, radius, work)
        _remember(memory, used, q)
        used += 1
        if distance > radius:
            x = y
            radius = distance
            step = min(3.0 * step, 0.9 * radius)
    return radius


@inner
def _start_inside(forest, solids, a, b, p, d, reach, work):
    """A point p + h d inside both solids, h as large as quartering from ``reach`` gives; False when there is none."""
    h = reach
    for _ in range(_HALVINGS):
        x = (p[0] + h * d[0], p[1] + h * d[1], p[2] + h * d[2])
        if side_of_solid(forest, solids, a, x, work) == IN and side_of_solid(forest, solids, b, x, work) == IN:
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
def _start_at_contact(forest, solids, a, b, t, u, kind, p, reach, work):
    """A point inside both solids beside a contact at p of the triangles t of a and u of b."""
    n = outward_normal(forest, solids, a, t, p, work)
    m = outward_normal(forest, solids, b, u, p, work)
    if kind == COPLANAR and n[0] * m[0] + n[1] * m[1] + n[2] * m[2] <= 0.0:
        return p, False
    return _start_inside(forest, solids, a, b, p, _inward(n, m), reach, work)


@inner
def _from_contacts(forest, solids, a, b, begin, end, pairs, kinds, middles, most_starts, climb, work):
    """Largest grown ball (centre, radius) beside at most ``most_starts`` crossing and coplanar contacts of the list."""
    hints, memory, _ = climb
    reach = 0.25 * min(_reach(a), _reach(b))
    usable = 0
    for row in range(begin, end):
        usable += kinds[row] == CROSSING or kinds[row] == COPLANAR
    best = 0.0
    best_centre = (0.0, 0.0, 0.0)
    seen = 0
    tried = 0
    for row in range(begin, end):
        if kinds[row] != CROSSING and kinds[row] != COPLANAR:
            continue
        seen += 1
        if seen * min(most_starts, usable) < (tried + 1) * usable:
            continue
        tried += 1
        p = (middles[row, 0], middles[row, 1], middles[row, 2])
        x, inside = _start_at_contact(
            forest, solids, a, b, np.int64(pairs[row, 0]), np.int64(pairs[row, 1]), kinds[row], p, reach, work
        )
        if inside:
            hints[0] = pairs[row, 0]
            hints[1] = pairs[row, 1]
            centre, radius = _grow(forest, a, b, x, hints, memory, work)
            if radius > best:
                best, best_centre = radius, centre
    return best_centre, best


@inner
def _from_components(forest, solids, own, a, b, climb, work):
    """Largest grown ball (centre, radius) beside a triangle of each of the first components of one solid."""
    hints, memory, _ = climb
    reach = 0.25 * min(_reach(a), _reach(b))
    best = 0.0
    best_centre = (0.0, 0.0, 0.0)
    begin = solids.component_start[own.tree]
    for c in range(begin, min(solids.component_start[own.tree + 1], begin + 8)):
        t = np.int64(solids.representatives[c])
        p = centroid(*world_triangle(forest, own.tree, t, own.pose))
        n = outward_normal(forest, solids, own, t, p, work)
        x, inside = _start_inside(forest, solids, a, b, p, (-n[0], -n[1], -n[2]), reach, work)
        if inside:
            hints[0] = 0
            hints[1] = 0
            centre, radius = _grow(forest, a, b, x, hints, memory, work)
            if radius > best:
                best, best_centre = radius, centre
    return best_centre, best


@kernel
def overlap_depths(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b, chosen,
    start, pairs, kinds, middles, most_starts, work, depths,
):  # fmt: skip
    """Fill ``depths`` (k,) of the jobs in ``chosen`` with ball diameters [m], 0 where the overlap is too thin for any.

    The arrays are those of ``sample_sides``, start and pairs in the order of the first objects' triangles.
    """
    climb = (np.zeros(2, np.int64), np.empty((_MEMORY, 3)), np.empty((_MEMORY, 3)))
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    for index in range(chosen.shape[0]):
        job = chosen[index]
        a = by_reference(make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches))
        b = by_reference(make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches))
        begin = start[job]
        end = start[job + 1]
        centre, radius = _from_contacts(
            forest, solids, a, b, begin, end, pairs, kinds, middles, most_starts, climb, work
        )
        if radius == 0.0:
            for own in (a, b):
                other_centre, other = _from_components(forest, solids, own, a, b, climb, work)
                if other > radius:
                    centre, radius = other_centre, other
        depths[job] = 2.0 * _largest_radius(forest, a, b, centre, climb, work) if radius > 0.0 else 0.0


@kernel
def deepen_by_points(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b, job, side, points, work, depths
):  # fmt: skip
    """Raise depths[job] to the largest distance of a point (n, 3) [m] inside the solid of ``side`` to its surface.

    Used for overlaps too thin for any ball: they are as deep as the corners that they take in.
    """
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    rows, inverses = (rows_a, inverse_a) if side == 0 else (rows_b, inverse_b)
    other = by_reference(make_frame(jobs[job, side], rows[job], inverses[job], origins, reaches))
    for i in range(points.shape[0]):
        p = (points[i, 0], points[i, 1], points[i, 2])
        if side_of_solid(forest, solids, other, p, work) == IN:
            depths[job] = max(depths[job], nearest_in(forest, other, p, math.inf, -1.0, work)[0])
