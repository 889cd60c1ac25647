"""Proved lower and upper bounds of the depth of an overlap: the largest ball in the common volume of two solids.

The depth of an overlap is the diameter of the largest ball inside both solids. For a press fit, the depth is the
interference; for two plates, the thickness of the common slab; for a part inside another part, the whole thickness of
the part. A first ball starts at the centre of the overlap or of the contacts, grows until it meets a surface twice, and
moves to become larger (``ball_growth.py``). If no ball is found, or a mesh is open, balls start next to points of one
surface that are deep in the other solid. A thorough search also starts balls between contacts far apart, and next to
contacts. The largest balls are moved to become larger.

All results are proved. The lower bound is a ball whose centre is certainly in both solids and certainly that far from
both surfaces (``nearest_points.py``). The upper bound is the least width of the common volume that was found, along the
axes of the world and the normals of the triangles that the ball touches (``width.py``). ``branch_and_bound.py`` and
``shrinkage_bound.py`` tighten both bounds. Positions are relative to a corner of the overlap of both boxes, so that
flush parts far from the origin are measured without loss of precision.
"""

import math

import numpy as np

from ..geometry.triangle_distance import closest_on_triangle, squared_distance
from ..geometry.triangle_pair import COPLANAR, CROSSING
from ..geometry.tuples import dot, minus
from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.frames import centroid, outward_normal, surface_tolerance
from .ball_growth import MEMORY, climb, grow, nearest_of_both
from .contact_centres import triangle_key
from .nearest_points import along, is_inside, near_triangle, nearest_from, proved_clearance, search_frame
from .width import width_across

FIRST_BALL, DEEP_STARTS, MANY_STARTS, THOROUGH = range(4)
"""Efforts of a search, in increasing order."""
_CELLS = 4  # along each axis; one contact per cell is a mark
_MOST_MARKS = _CELLS**3
_MOST_SPREAD = 24  # most marks used for starts
_PARTNERS = 4  # of each mark, near and far; searches start midway between both
_TESTED = 24  # middles that are tried, the farthest from both surfaces first
_BESIDE = 8  # marks beside which balls start
_CLIMBS, _FEW_CLIMBS = 64, 4  # number of balls that climb
_SURFACE_MARKS = 8  # triangles of each solid beside which balls start if contacts gave none
_SAMPLES = 64  # of each surface in the overlap of both boxes
_DEEP = 16  # of these, deep in the other solid, beside which balls start
_NEARLY = 0.5  # of the greatest depth: points less deep are skipped
_MOST_STARTS = 2 + 2 * _DEEP + _TESTED + 13 * _BESIDE + 14 * _SURFACE_MARKS
_QUARTERINGS, _FEW_QUARTERINGS = 28, 6
_ROUGH, _FINE = 0.01, 0.001  # of the radius: least predicted gain of a step, first and for the final climb
_AS_GOOD = 1.0 - 1e-9  # of the upper bound: a ball of this size ends the search
_BEYOND = 1.0 + 1e-9


@inner
def _row(points, i):
    return points[i, 0], points[i, 1], points[i, 2]


@inner
def _is_before(p, q):
    """Return whether p comes before q by coordinates: an order that does not depend on the numbering of contacts."""
    for k in range(3):
        if p[k] != q[k]:
            return p[k] < q[k]
    return False


@inner
def _comes_first(row, other, pairs, middles):
    """Return whether a contact comes before another one: by its centre, and for equal centres by its triangles."""
    p, q = _row(middles, row), _row(middles, other)
    if p[0] != q[0] or p[1] != q[1] or p[2] != q[2]:
        return _is_before(p, q)
    return pairs[row, 0] < pairs[other, 0] or (pairs[row, 0] == pairs[other, 0] and pairs[row, 1] < pairs[other, 1])


@inner
def _cell_of(p, low, size):
    """Return the grid cell of a point, and the squared distance of the point from the centre of the cell."""
    cell, square = 0, 0.0
    for k in range(3):
        place = (p[k] - low[k]) / size * _CELLS if size > 0.0 else 0.0
        index = min(int(place), _CELLS - 1)
        cell = _CELLS * cell + index
        square += (place - index - 0.5) ** 2
    return cell, square


@inner
def _is_mark(kind, x):
    """Return whether a contact of a kind, whose centre is x, can be the start of a search."""
    return kind in (CROSSING, COPLANAR) and not math.isnan(x)


@inner
def _spread_contacts(begin, end, pairs, kinds, middles, marks, squares):
    """Write a spread-out selection of the crossing and coplanar contacts that have a centre to ``marks``; return their
    number.
    """
    low = np.full(3, math.inf)
    high = np.full(3, -math.inf)
    for row in range(begin, end):
        if _is_mark(kinds[row], middles[row, 0]):
            for k in range(3):
                low[k] = min(low[k], middles[row, k])
                high[k] = max(high[k], middles[row, k])
    size = max(high[0] - low[0], high[1] - low[1], high[2] - low[2])
    marks[:] = -1
    for row in range(begin, end):
        if not _is_mark(kinds[row], middles[row, 0]):
            continue
        p = _row(middles, row)
        cell, square = _cell_of(p, low, size)
        if marks[cell] < 0 or square < squares[cell]:
            marks[cell], squares[cell] = row, square
        elif square == squares[cell] and _comes_first(row, marks[cell], pairs, middles):
            marks[cell] = row
    count = 0
    for cell in range(_MOST_MARKS):
        if marks[cell] >= 0:
            marks[count] = marks[cell]
            count += 1
    if count > _MOST_SPREAD:
        for i in range(_MOST_SPREAD):
            marks[i] = marks[i * count // _MOST_SPREAD]
        count = _MOST_SPREAD
    return count


@inner
def _is_covered(balls, count, x):
    """Return whether x lies in one of the first ``count`` balls (centre, radius)."""
    covered = False
    for i in range(count):
        covered |= squared_distance(x, _row(balls, i)) < balls[i, 3] * balls[i, 3]
    return covered


@inner
def _inside_both(forest, solids, a, b, origin, x, distance, hints, work):
    return is_inside(forest, solids, a, origin, x, distance, hints[0], work) and is_inside(
        forest, solids, b, origin, x, distance, hints[1], work
    )


@inner
def _add_ball(forest, a, b, origin, x, distance, p, most, hints, store, count, work):
    """Grow a ball from x, which is inside both solids and nearest to p, and store it; return the number of balls."""
    balls, memories, kept = store
    centre, radius = grow(forest, a, b, origin, x, distance, p, most, hints, memories[count], work)
    if not radius > 0.0:
        return count
    for k in range(3):
        balls[count, k] = centre[k]
    balls[count, 3] = radius
    kept[count, 0] = hints[0]
    kept[count, 1] = hints[1]
    return count + 1


@inner
def _add_inside(forest, solids, a, b, origin, x, distance, p, most, hints, store, count, work):
    """Call ``_add_ball`` if x is inside both solids; otherwise add no ball."""
    if not 0.0 < distance <= most * _BEYOND or not _inside_both(forest, solids, a, b, origin, x, distance, hints, work):
        return count
    return _add_ball(forest, a, b, origin, x, distance, p, most, hints, store, count, work)


@inner
def _try(forest, solids, a, b, origin, x, most, hints, store, count, work):
    """Call ``_add_inside`` after finding the point of the surfaces that is nearest to x."""
    distance, p = nearest_of_both(forest, a, b, origin, x, hints, -1.0, work)
    return _add_inside(forest, solids, a, b, origin, x, distance, p, most, hints, store, count, work)


@inner
def _is_enough(store, count, most):
    """Return whether the last stored ball is as large as any ball in both solids can be."""
    return count > 0 and store[0][count - 1, 3] >= _AS_GOOD * most


@inner
def _try_middles(forest, solids, a, b, origin, most, rows, spread, pairs, middles, hints, store, count, work):
    """Grow balls from points midway between distant marks, those farthest from both surfaces first."""
    found = np.empty((_MOST_SPREAD * _PARTNERS, 7))  # positions, negative distances of the surface, and nearest points
    near = np.empty((_MOST_SPREAD * _PARTNERS, 2), np.int64)
    squares = np.empty(spread)
    used = 0
    for i in range(spread):
        p = _row(middles, rows[i])
        for j in range(spread):
            squares[j] = -squared_distance(p, _row(middles, rows[j]))
        order = np.argsort(squares, kind="mergesort")
        for part in range(min(_PARTNERS, spread - 1)):
            q = _row(middles, rows[order[part * spread // _PARTNERS]])
            x = minus((0.5 * p[0] + 0.5 * q[0], 0.5 * p[1] + 0.5 * q[1], 0.5 * p[2] + 0.5 * q[2]), origin)
            hints[0] = pairs[rows[i], 0]
            hints[1] = pairs[rows[i], 1]
            distance, nearest = nearest_of_both(forest, a, b, origin, x, hints, -1.0, work)
            if 0.0 < distance <= most * _BEYOND:
                for k in range(3):
                    found[used, k], found[used, 4 + k] = x[k], nearest[k]
                found[used, 3] = -distance
                near[used, 0] = hints[0]
                near[used, 1] = hints[1]
                used += 1
    tested = 0
    for i in np.argsort(found[:used, 3], kind="mergesort"):
        x = _row(found, i)
        if tested == _TESTED or _is_enough(store, count, most):
            break
        if _is_covered(store[0], count, x):
            continue
        tested += 1
        hints[0] = near[i, 0]
        hints[1] = near[i, 1]
        if _inside_both(forest, solids, a, b, origin, x, -found[i, 3], hints, work):
            nearest = (found[i, 4], found[i, 5], found[i, 6])
            count = _add_ball(forest, a, b, origin, x, -found[i, 3], nearest, most, hints, store, count, work)
    return count


@inner
def _try_beside(forest, solids, a, b, origin, p, d, reach, most, effort, hints, store, count, work):
    """Grow a ball from p + h d inside both solids, trying h = reach, reach / 4, reach / 16 and so on until a ball is
    found.
    """
    length = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    if length < 1e-9:
        return count
    h = reach / length
    t, u = hints[0], hints[1]
    for _ in range(_QUARTERINGS if effort > DEEP_STARTS else _FEW_QUARTERINGS):
        hints[0], hints[1] = t, u
        before = count
        count = _try(forest, solids, a, b, origin, along(p, d, h), most, hints, store, count, work)
        if count > before:
            break
        h *= 0.25
    return count


@inner
def _size(forest, frame, t, origin):
    """Return the length of the longest edge of a triangle."""
    p, q, r = near_triangle(forest, frame, t, origin)
    return math.sqrt(max(squared_distance(p, q), squared_distance(q, r), squared_distance(r, p)))


@inner
def _try_contact(forest, solids, a, b, origin, row, pairs, kinds, middles, most, effort, hints, store, count, work):
    """Grow a ball next to a contact, on the side where both triangles have material."""
    t, u = np.int64(pairs[row, 0]), np.int64(pairs[row, 1])
    p = _row(middles, row)
    n = outward_normal(forest, solids, a, t, p, work)
    m = outward_normal(forest, solids, b, u, p, work)
    if kinds[row] == COPLANAR and n[0] * m[0] + n[1] * m[1] + n[2] * m[2] <= 0.0:
        return count
    d = (-(n[0] + m[0]), -(n[1] + m[1]), -(n[2] + m[2]))
    reach = min(most, 0.5 * max(_size(forest, a, t, origin), _size(forest, b, u, origin)))
    hints[0], hints[1] = t, u
    x = minus(p, origin)
    count = _try_beside(forest, solids, a, b, origin, x, d, reach, most, effort, hints, store, count, work)
    if effort < THOROUGH:
        return count
    count = _try_rim(forest, solids, a, b, origin, a, t, x, d, reach, hints, store, count, work)
    return _try_rim(forest, solids, a, b, origin, b, u, x, d, reach, hints, store, count, work)


@inner
def _try_rim(forest, solids, a, b, origin, own, t, p, inward, most, hints, store, count, work):
    """Grow balls next to the corners of a triangle of one solid, and next to the points of its edges nearest to p."""
    corners = near_triangle(forest, own, t, origin)
    for k in range(3):
        first, last = corners[k], corners[(k + 1) % 3]
        edge = minus(last, first)
        share = dot(minus(p, first), edge) / max(dot(edge, edge), 1e-300)
        for x in (first, along(first, edge, min(max(share, 0.0), 1.0))):
            away = minus(p, x)
            length = math.sqrt(max(dot(away, away), 1e-300))
            d = along(inward, away, 1.0 / length)
            count = _try_beside(forest, solids, a, b, origin, x, d, most, most, THOROUGH, hints, store, count, work)
    return count


@inner
def _try_surface(forest, solids, own, a, b, origin, most, effort, hints, store, count, work):
    """Grow balls next to triangles of one solid: one triangle of each of its first components, then triangles spread
    over the surface.
    """
    tree = own.tree
    first = solids.component_start[tree]
    parts = solids.component_start[tree + 1] - first
    triangles = forest.triangle_end[tree] - forest.triangle_start[tree]
    for i in range(min(_SURFACE_MARKS, triangles)):
        t = np.int64(i * triangles // _SURFACE_MARKS)
        if i < min(parts, _SURFACE_MARKS // 2):
            t = np.int64(solids.representatives[first + i])
        p = centroid(*near_triangle(forest, own, t, origin))
        n = outward_normal(forest, solids, own, t, along(p, origin, 1.0), work)
        hints[0], hints[1] = 0, 0
        d = (-n[0], -n[1], -n[2])
        count = _try_beside(forest, solids, a, b, origin, p, d, most, most, effort, hints, store, count, work)
        if effort == THOROUGH:
            count = _try_rim(forest, solids, a, b, origin, own, t, p, d, most, hints, store, count, work)
    return count


@inner
def _is_within(p, far):
    """Return whether a point is in the box between the origin and ``far``."""
    return 0.0 <= p[0] <= far[0] and 0.0 <= p[1] <= far[1] and 0.0 <= p[2] <= far[2]


@inner
def _may_be_within(a, b, c, far):
    """Return whether the box of a triangle meets the box between the origin and ``far``."""
    meets = True
    for k in range(3):
        meets &= max(a[k], b[k], c[k]) >= 0.0 and min(a[k], b[k], c[k]) <= far[k]
    return meets


@inner
def _cell_within(p, far):
    """Return the grid cell of a point in the box between the origin and ``far``."""
    cell = 0
    for k in range(3):
        cell = _CELLS * cell + (min(int(p[k] / far[k] * _CELLS), _CELLS - 1) if far[k] > 0.0 else 0)
    return cell


@inner
def _gather_samples(forest, own, origin, far, samples, near):
    """Collect points of a surface in the overlap of both boxes, with their triangles; return how many.

    Each triangle gives its centre and its point nearest to the centre of the overlap. Of all these points, those with
    the lowest keys of triangles are kept: they are spread over the whole surface, and depend neither on the numbering
    of the triangles nor on the hierarchy, which a refit keeps and a new build changes.
    """
    keys, count = np.empty(_SAMPLES, np.int64), 0
    amid = (0.5 * far[0], 0.5 * far[1], 0.5 * far[2])
    for t in range(forest.triangle_end[own.tree] - forest.triangle_start[own.tree]):
        corners = near_triangle(forest, own, t, origin)
        if not _may_be_within(*corners, far):
            continue
        key = triangle_key(forest, own.tree, t)
        for p in (centroid(*corners), closest_on_triangle(amid, *corners)):
            if _is_within(p, far):
                count = _keep_sample(key, p, t, count, keys, samples, near)
    return count


@inner
def _keep_sample(key, p, t, count, keys, samples, near):
    """Insert a point into the samples, sorted by key and coordinates, if there is room or the last one comes later."""
    place = count
    while place > 0 and (key < keys[place - 1] or (key == keys[place - 1] and _is_before(p, _row(samples, place - 1)))):
        place -= 1
    if place == _SAMPLES:
        return count
    count = min(count + 1, _SAMPLES)
    for k in range(count - 1, place, -1):
        keys[k], samples[k], near[k] = keys[k - 1], samples[k - 1], near[k - 1]
    keys[place], near[place, 0] = key, t
    samples[place, 0], samples[place, 1], samples[place, 2] = p[0], p[1], p[2]
    return count


@inner
def _measure_samples(forest, solids, other, origin, count, samples, near, work):
    """Measure the depths of samples that seem to be inside the other solid; return the largest depth.

    The triangle nearest to each sample is stored, too. The depth is 0 for samples outside, and for samples that are far
    less deep than another sample.
    """
    most, hint = surface_tolerance(origin, other) / _NEARLY, np.int64(0)
    for i in range(count):
        p = _row(samples, i)
        height, q, hint = nearest_from(forest, other, origin, p, hint, _NEARLY * most, work)
        samples[i, 3], near[i, 1] = 0.0, hint
        if height > _NEARLY * most:
            n = outward_normal(forest, solids, other, hint, along(q, origin, 1.0), work)
            samples[i, 3] = height if dot(minus(p, q), n) <= 0.0 else 0.0
        most = max(most, samples[i, 3])
    return most


@inner
def _try_deep(forest, solids, a, b, side, origin, far, most, hints, store, count, work):
    """Grow balls between points of one surface (object 0 or 1) deep in the other solid and opposite points."""
    own, other = (a, b) if side == 0 else (b, a)
    samples, near = np.empty((_SAMPLES, 4)), np.empty((_SAMPLES, 2), np.int64)
    sampled = _gather_samples(forest, own, origin, far, samples, near)
    largest = _measure_samples(forest, solids, other, origin, sampled, samples, near, work)
    deepest = np.full(_MOST_MARKS, -1)  # of the samples in each cell
    for i in range(sampled):
        cell = _cell_within(_row(samples, i), far)
        if samples[i, 3] > (_NEARLY * largest if deepest[cell] < 0 else samples[deepest[cell], 3]):
            deepest[cell] = i
    tried = 0
    for i in deepest:
        if i < 0 or tried == _DEEP:
            continue
        p, height, t, u = _row(samples, i), samples[i, 3], near[i, 0], near[i, 1]
        if is_inside(forest, solids, other, origin, p, height, u, work):
            n = outward_normal(forest, solids, own, t, along(p, origin, 1.0), work)
            hints[0], hints[1] = (t, u) if side == 0 else (u, t)
            x = along(p, n, -0.5 * min(height, most))
            count = _try(forest, solids, a, b, origin, x, most, hints, store, count, work)
            tried += 1
    return count


@inner
def _try_contacts(
    forest, solids, a, b, origin, marks, spread, pairs, kinds, middles, most, effort, hints, store, count, work
):
    """Grow balls next to some of the contacts."""
    for i in range(min(_BESIDE, spread)):
        if _is_enough(store, count, most):
            break
        row = marks[i * spread // min(_BESIDE, spread)]
        count = _try_contact(
            forest, solids, a, b, origin, row, pairs, kinds, middles, most, effort, hints, store, count, work
        )
    return count


@inner
def _starts(
    forest, solids, a, b, origin, marks, spread, pairs, kinds, middles, most, effort, hints, store, count, work
):
    """Grow balls from all kinds of start points, and store them."""
    if spread > 1:
        count = _try_middles(
            forest, solids, a, b, origin, most, marks, spread, pairs, middles, hints, store, count, work
        )
    count = _try_contacts(
        forest, solids, a, b, origin, marks, spread, pairs, kinds, middles, most, effort, hints, store, count, work
    )
    if (spread < _BESIDE or count == 0) and not _is_enough(store, count, most):
        count = _try_surface(forest, solids, a, a, b, origin, most, effort, hints, store, count, work)
        count = _try_surface(forest, solids, b, a, b, origin, most, effort, hints, store, count, work)
    return count


@inner
def _climb_largest(forest, solids, a, b, origin, count, climbing, most, hints, store, tops, room, work):
    """Enlarge some of the stored balls, the largest first; return centre and radius of the largest ball found.

    Balls that were already met are skipped. Balls as small as rounding errors may move through a surface, so their
    final position is checked again.
    """
    balls, memories, kept = store
    best, best_centre = 0.0, (0.0, 0.0, 0.0)
    climbs = 0
    for i in np.argsort(-balls[:count, 3], kind="mergesort"):
        if climbs == climbing or best >= _AS_GOOD * most:
            break
        if _is_covered(tops, climbs, _row(balls, i)):
            continue
        hints[0], hints[1] = kept[i, 0], kept[i, 1]
        start = _row(balls, i)
        centre, radius = climb(forest, a, b, origin, start, balls[i, 3], _ROUGH, hints, memories[i], room, work)
        for k in range(3):
            tops[climbs, k] = centre[k]
        tops[climbs, 3] = radius
        climbs += 1
        if radius > best and _inside_both(forest, solids, a, b, origin, centre, radius, hints, work):
            best, best_centre = radius, centre
    return best_centre, best


@inner
def _width_at(forest, a, b, origin, x, upper, hints, work):
    """Return ``upper``, or less if the common width across the triangles nearest to x is smaller."""
    _, _, t = nearest_from(forest, a, origin, x, hints[0], -1.0, work)
    _, _, u = nearest_from(forest, b, origin, x, hints[1], -1.0, work)
    return min(upper, width_across(forest, a, b, a, t, origin, work), width_across(forest, a, b, b, u, origin, work))


@inner
def _mean_of_marks(marks, spread, middles, origin):
    """Return the mean of the centres of some contacts relative to the origin; (0, 0, 0) without such contacts."""
    mean = (0.0, 0.0, 0.0)
    for i in range(spread):
        mean = along(mean, minus(_row(middles, marks[i]), origin), 1.0 / spread)
    return mean


@inner
def _first_ball(forest, solids, a, b, origin, far, marks, spread, pairs, middles, most, hints, store, work):
    """Add a ball to the store from the centre of the overlap box or the mean of the contacts, preferring the point
    deeper inside.

    Returns the number of balls, 0 or 1.
    """
    if spread > 0:
        hints[0], hints[1] = np.int64(pairs[marks[0], 0]), np.int64(pairs[marks[0], 1])
    amid = (0.5 * far[0], 0.5 * far[1], 0.5 * far[2])
    distance, p = nearest_of_both(forest, a, b, origin, amid, hints, -1.0, work)
    if spread == 0:
        return _add_inside(forest, solids, a, b, origin, amid, distance, p, most, hints, store, 0, work)
    mean = _mean_of_marks(marks, spread, middles, origin)
    t, u = hints[0], hints[1]
    other, q = nearest_of_both(forest, a, b, origin, mean, hints, -1.0, work)
    v, w = hints[0], hints[1]
    count = 0
    for first in (other > distance, other <= distance):
        if count == 0 and first:
            hints[0], hints[1] = v, w
            count = _add_inside(forest, solids, a, b, origin, mean, other, q, most, hints, store, 0, work)
        elif count == 0:
            hints[0], hints[1] = t, u
            count = _add_inside(forest, solids, a, b, origin, amid, distance, p, most, hints, store, 0, work)
    return count


@inner
def _largest_ball(
    forest, solids, a, b, origin, far, marks, spread, pairs, kinds, middles, upper, effort, hints, store, tops, room,
    work,
):  # fmt: skip
    """Return (centre, radius, upper bound of the diameter) of the largest ball found in both solids.

    The radius is 0 if no ball was found.
    """
    most = 0.5 * upper
    hints[0], hints[1] = 0, 0
    centre, radius = (0.0, 0.0, 0.0), 0.0
    count = _first_ball(forest, solids, a, b, origin, far, marks, spread, pairs, middles, most, hints, store, work)
    if count > 0 and 2.0 * store[0][0, 3] >= _AS_GOOD * upper:
        return _row(store[0], 0), store[0][0, 3], upper
    if effort >= DEEP_STARTS:
        for side in range(2):
            count = _try_deep(forest, solids, a, b, side, origin, far, most, hints, store, count, work)
    if effort == DEEP_STARTS and not (solids.closed[a.tree] and solids.closed[b.tree]):
        count = _try_contacts(
            forest, solids, a, b, origin, marks, spread, pairs, kinds, middles, most, effort, hints, store, count, work
        )
    if effort >= MANY_STARTS:
        count = _starts(
            forest, solids, a, b, origin, marks, spread, pairs, kinds, middles, most, effort, hints, store, count, work
        )
    if count > 0:
        climbs = _CLIMBS if effort > DEEP_STARTS else _FEW_CLIMBS
        centre, radius = _climb_largest(
            forest, solids, a, b, origin, count, climbs, most, hints, store, tops, room, work
        )
    if effort > DEEP_STARTS and 0.0 < 2.0 * radius < _AS_GOOD * upper:
        distance, p = nearest_of_both(forest, a, b, origin, centre, hints, -1.0, work)
        _add_ball(forest, a, b, origin, centre, distance, p, most, hints, store, 0, work)
        start = _row(store[0], 0)
        higher, larger = climb(forest, a, b, origin, start, store[0][0, 3], _FINE, hints, store[1][0], room, work)
        if larger > radius and _inside_both(forest, solids, a, b, origin, higher, larger, hints, work):
            centre, radius = higher, larger
    if radius > 0.0:
        upper = _width_at(forest, a, b, origin, centre, upper, hints, work)
    return centre, radius, upper


@inner
def proved_radius(forest, solids, a, b, origin, x, radius, hints, work):
    """Return the radius of a ball around x that is certainly in both solids, at most ``radius``."""
    da, _, hints[0] = nearest_from(forest, a, origin, x, hints[0], -1.0, work)
    db, _, hints[1] = nearest_from(forest, b, origin, x, hints[1], -1.0, work)
    if not _inside_both(forest, solids, a, b, origin, x, min(da, db), hints, work):
        return 0.0
    least = proved_clearance(forest, a, origin, x, radius, work)
    return proved_clearance(forest, b, origin, x, least, work)


@kernel
def overlap_depths(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b, boxes, chosen,
    start, pairs, kinds, middles, effort, room, work, found,
):  # fmt: skip
    """Fill ``found`` (k, 5) for the jobs in ``chosen``: lower and upper bound [m], centre of the ball.

    The lower bound is 0 if no ball is proved to be in both solids. Centres are relative to the low corner of ``boxes``
    (k, 7), which contains the low and high corner of the overlap of both world boxes and the least width of the
    overlap, rounded up. ``effort``: FIRST_BALL, DEEP_STARTS, MANY_STARTS or THOROUGH, which also starts from corners
    and edges. ``room`` is a ``SearchRoom``. The other arrays are the same as in ``sample_sides``.
    """
    hints = np.zeros(2, np.int64)
    balls = np.empty((_MOST_STARTS, 4))
    store = (balls, np.empty((_MOST_STARTS, MEMORY, 3)), np.empty((_MOST_STARTS, 2), np.int64))
    tops = np.empty((_CLIMBS, 4))
    marks, squares = np.empty(_MOST_MARKS, np.int64), np.empty(_MOST_MARKS)
    forest = by_reference(forest)
    solids = by_reference(solids)
    room = by_reference(room)
    work = by_reference(work)
    for job in chosen:
        spread = _spread_contacts(start[job], start[job + 1], pairs, kinds, middles, marks, squares)
        origin = (boxes[job, 0], boxes[job, 1], boxes[job, 2])
        far = minus((boxes[job, 3], boxes[job, 4], boxes[job, 5]), origin)
        posed = origins, reaches, origin
        a = by_reference(search_frame(forest, jobs[job, 0], rows_a[job], inverse_a[job], *posed, 0, room))
        b = by_reference(search_frame(forest, jobs[job, 1], rows_b[job], inverse_b[job], *posed, 1, room))
        centre, radius, upper = _largest_ball(
            forest, solids, a, b, origin, far, marks, spread, pairs, kinds, middles, boxes[job, 6], effort, hints,
            store, tops, room, work,
        )  # fmt: skip
        lower = 0.0
        if radius > 0.0:
            lower = min(2.0 * proved_radius(forest, solids, a, b, origin, centre, radius, hints, work), upper)
        found[job] = (lower, upper, centre[0], centre[1], centre[2])
