"""Larger balls in two solids: grown from a point of the surface, and moved away from all that is near.

A centre moves by less than its distance to the nearest surface, so it stays inside. The way is found by a model: the
surfaces are as near as the points met so far say, which a move along u brings nearer or farther by its part along the
way from them.
"""

import math

from ..geometry.triangle_distance import squared_distance
from ..geometry.tuples import dot, minus
from ..jit import inner
from .near import along, nearest_from

MEMORY = 12
"""Nearest points remembered while climbing."""
_MOST_STEPS = 60
_MOST_SHRINKS = 12
_MOST_TURNS = 24
_LONGEST_STEP = 0.9  # of the radius
_LARGEST = 1.0 - 1e-9  # of the largest radius that there can be: such a ball need not grow
_FULL = 0.999  # of a ball's radius: nothing is nearer to its centre


@inner
def nearest_of_both(forest, a, b, origin, x, hints, enough, work):
    """Distance and point nearest to x on either surface; ``hints`` keeps the nearest triangle of each."""
    da, pa, hints[0] = nearest_from(forest, a, origin, x, hints[0], enough, work)
    if da <= enough:
        return da, pa
    db, pb, hints[1] = nearest_from(forest, b, origin, x, hints[1], enough, work)
    return (da, pa) if da <= db else (db, pb)


@inner
def put(memory, slot, p):
    """Remember a point."""
    memory[slot, 0] = p[0]
    memory[slot, 1] = p[1]
    memory[slot, 2] = p[2]


@inner
def _remembered(memory, slot):
    return memory[slot, 0], memory[slot, 1], memory[slot, 2]


@inner
def grow(forest, a, b, origin, x, most, hints, memory, work):
    """A large ball touching the surface at the point nearest to x: (centre, radius); memory[:2] touch it.

    The shrinking ball of Ma, Bae, Choi, "3D medial axis point approximation using nearest neighbors and the normal
    field" (2012): from the largest ball that there can be, of radius ``most``, to the one through the next point that
    lies inside it. It is taken only where x lies in it: then nothing is between x and its centre.
    """
    length, p = nearest_of_both(forest, a, b, origin, x, hints, -1.0, work)
    put(memory, 0, p)
    put(memory, 1, p)
    if not 0.0 < length < most * _LARGEST:
        return x, length
    away = minus(x, p)
    radius = most
    for _ in range(_MOST_SHRINKS):
        centre = along(p, away, radius / length)
        distance, q = nearest_of_both(forest, a, b, origin, centre, hints, -1.0, work)
        if distance >= _FULL * radius:
            if radius - length < distance:
                return centre, distance
            break
        w = minus(q, p)
        height = dot(w, away) / length
        if not height > 0.0:
            break
        put(memory, 1, q)
        radius = dot(w, w) / (2.0 * height)
        if radius <= length:
            break
    return x, length


@inner
def _vertex(gx, gy, gz, height, step, used, units, heights):
    """Which remembered point is nearest after a step along g, and how near."""
    length = math.sqrt(gx * gx + gy * gy + gz * gz)
    scale = step / length if length > 0.0 else 0.0
    worst, least = 0, math.inf
    for i in range(used):
        value = heights[i] + scale * (gx * units[i, 0] + gy * units[i, 1] + gz * units[i, 2])
        if value < least:
            worst, least = i, value
    return worst, least


@inner
def _share(a, b, c, slope):
    """Where t in [0, 1] makes slope t + sqrt(a + 2 b t + c t^2) least."""
    if slope * slope >= c:
        return 0.0 if slope > 0.0 else 1.0
    rest = max(a - b * b / c, 0.0)
    t = (-slope * math.sqrt(rest / (1.0 - slope * slope / c)) - b) / c
    return min(max(t, 0.0), 1.0)


@inner
def _best_step(memory, used, x, step, units, heights):
    """Direction (3) and the radius that the model promises after a step of this length.

    Sought is the largest min over i of d_i + step u_i . g with |g| <= 1, for points at the distances d_i and directions
    u_i to x. Its dual, the least sum of w_i d_i + step |sum of w_i u_i| over weights that add up to 1, is solved by
    Frank and Wolfe's iteration.
    """
    nearest = 0
    for i in range(used):
        w = minus(x, _remembered(memory, i))
        heights[i] = math.sqrt(dot(w, w))
        for k in range(3):
            units[i, k] = w[k] / heights[i] if heights[i] > 0.0 else 0.0
        if heights[i] < heights[nearest]:
            nearest = i
    gx, gy, gz = units[nearest, 0], units[nearest, 1], units[nearest, 2]
    height = heights[nearest]
    for _ in range(_MOST_TURNS):
        square = gx * gx + gy * gy + gz * gz
        worst, least = _vertex(gx, gy, gz, height, step, used, units, heights)
        if height + step * math.sqrt(square) - least <= 0.02 * step:
            break
        hx, hy, hz = units[worst, 0] - gx, units[worst, 1] - gy, units[worst, 2] - gz
        rise = heights[worst] - height
        turn = hx * hx + hy * hy + hz * hz
        if not turn > 1e-18:
            break
        t = _share(square, gx * hx + gy * hy + gz * hz, turn, rise / step)
        if not t > 1e-9:
            break
        gx += t * hx
        gy += t * hy
        gz += t * hz
        height += t * rise
    length = math.sqrt(gx * gx + gy * gy + gz * gz)
    if not length > 1e-12:
        return (0.0, 0.0, 0.0), height
    return (gx / length, gy / length, gz / length), height + step * length


@inner
def _slot(memory, used, x):
    """Where to remember the next point: a free place, or that of the point farthest from x."""
    if used < MEMORY:
        return used
    slot, most = 0, -1.0
    for i in range(MEMORY):
        square = squared_distance(x, _remembered(memory, i))
        if square > most:
            slot, most = i, square
    return slot


@inner
def climb(forest, a, b, origin, x, radius, gain, hints, memory, units, heights, work):
    """Centre and radius of the ball that climbing from one around x leads to; memory[:2] are points that touch it.

    It ends where no step is promised ``gain`` times the radius.
    """
    used = 2
    step = 0.5 * radius
    for _ in range(_MOST_STEPS):
        u, promised = _best_step(memory, used, x, step, units, heights)
        if not promised - radius > gain * radius:
            break
        y = along(x, u, step)
        distance, q = nearest_of_both(forest, a, b, origin, y, hints, radius, work)
        put(memory, _slot(memory, used, x), q)
        used = min(used + 1, MEMORY)
        if distance > radius:
            as_promised = distance - radius > 0.5 * (promised - radius)
            x, radius = y, distance
            step = min((2.0 if as_promised else 1.0) * step, _LONGEST_STEP * radius)
        else:
            step *= 0.5
    return x, radius
