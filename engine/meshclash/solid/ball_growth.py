"""Grow a ball from a point of the surface, and move it away from nearby surfaces to make it larger.

The centre moves by less than its distance to the nearest surface, so it stays inside. A model gives the direction. The
search stores the surface points found so far. It assumes that a move along the unit vector u changes the distance to
each point by the component of the move along the line from that point.
"""

import math
from typing import NamedTuple

import numpy as np

from ..geometry.triangle_distance import squared_distance
from ..geometry.tuples import dot, minus
from ..jit import inlined, inner
from ..traversal.winding import NO_MOMENTS
from .exhaustive_nearest import PLACED_LENGTH
from .nearest_points import along, nearest_from

MEMORY = 12
"""Number of nearest points remembered while climbing."""
_MOST_STEPS = 60
_MOST_SHRINKS = 12
_MOST_TURNS = 24
_LONGEST_STEP = 0.9  # of the radius
_LARGEST = 1.0 - 1e-9  # of the largest possible radius: such a ball need not grow
_FULL = 0.999  # of a ball's radius: nothing is nearer to its centre
_NO_UNITS = np.empty(0)
_SURELY = 0.999  # of a gain: the rest is more than the rounding error of the prediction


class SearchRoom(NamedTuple):
    """Work buffers of a search, allocated by the caller of the kernel."""

    placed: np.ndarray
    """Tables of both solids, see ``exhaustive_nearest.py``."""
    units: np.ndarray
    """Directions from remembered points, (3, MEMORY)."""
    heights: np.ndarray
    """Distances to the stored points, (MEMORY,); infinite in unused slots."""
    values: np.ndarray
    """Distances after a step, predicted by the model, (MEMORY,)."""
    moments: np.ndarray
    """Moments of the forest's nodes, which tell inside from outside of open meshes; see ``hierarchy/moments.py``."""
    moment_units: np.ndarray
    """``moment_unit`` of each tree, (trees,) float64."""


def new_search_room(moments: np.ndarray = NO_MOMENTS, units: np.ndarray = _NO_UNITS) -> SearchRoom:
    """Allocate a ``SearchRoom``; without ``moments`` it can be used for closed meshes only."""
    heights, values = np.empty(MEMORY), np.empty(MEMORY)
    return SearchRoom(np.empty(2 * PLACED_LENGTH), np.zeros((3, MEMORY)), heights, values, moments, units)


@inner
def nearest_of_both(forest, a, b, origin, x, hints, enough, work):
    """Return the point of two surfaces that is nearest to x, and its distance; ``hints`` keeps the nearest triangle of
    each surface.
    """
    da, pa, hints[0] = nearest_from(forest, a, origin, x, hints[0], enough, work)
    if da <= enough:
        return da, pa
    db, pb, hints[1] = nearest_from(forest, b, origin, x, hints[1], enough, work)
    return (da, pa) if da <= db else (db, pb)


@inner
def put(memory, slot, p):
    """Store a point of a surface in the memory of the search."""
    memory[slot, 0] = p[0]
    memory[slot, 1] = p[1]
    memory[slot, 2] = p[2]


@inner
def _remembered(memory, slot):
    return memory[slot, 0], memory[slot, 1], memory[slot, 2]


@inner
def grow(forest, a, b, origin, x, length, p, most, hints, memory, work):
    """Return a large ball that touches the surface at p, the point nearest to x: (centre, radius).

    The ball touches the points memory[:2]. The method is the shrinking ball of Ma, Bae, Choi, "3D medial axis point
    approximation using nearest neighbors and the normal field" (2012). The search starts with the largest possible
    ball, of radius ``most``, and shrinks the ball to pass through the next point that lies inside it. The ball is used
    only if x lies in the ball: then no surface is between x and its centre.
    """
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


@inlined
def _vertex(gx, gy, gz, length, step, room):
    """Return the stored point that is nearest after a step of this length along g, and its distance.

    Among equally near points, the first is returned. Three minima are computed at the same time, because each step of a
    minimum waits for the previous one.
    """
    units, heights, values = room.units, room.heights, room.values
    scale = step / length if length > 0.0 else 0.0
    for i in range(MEMORY):
        values[i] = heights[i] + scale * (gx * units[0, i] + gy * units[1, i] + gz * units[2, i])
    first, second, third = math.inf, math.inf, math.inf
    for i in range(0, MEMORY, 3):
        first = values[i] if values[i] < first else first
        second = values[i + 1] if values[i + 1] < second else second
        third = values[i + 2] if values[i + 2] < third else third
    least = second if second < first else first
    least = third if third < least else least
    worst = 0
    for i in range(MEMORY - 1, -1, -1):
        worst = i if values[i] == least else worst
    return worst, least


@inlined
def _share(a, b, c, slope):
    """Return the t in [0, 1] that minimises slope t + sqrt(a + 2 b t + c t^2)."""
    if slope * slope >= c:
        return 0.0 if slope > 0.0 else 1.0
    rest = max(a - b * b / c, 0.0)
    t = (-slope * math.sqrt(rest / (1.0 - slope * slope / c)) - b) / c
    return min(max(t, 0.0), 1.0)


@inner
def _look_around(memory, used, x, room):
    """Compute directions and distances of the remembered points from x; return the index of the nearest one."""
    units, heights = room.units, room.heights
    nearest = 0
    for i in range(used):
        w = minus(x, _remembered(memory, i))
        heights[i] = math.sqrt(dot(w, w))
        for k in range(3):
            units[k, i] = w[k] / heights[i] if heights[i] > 0.0 else 0.0
        if heights[i] < heights[nearest]:
            nearest = i
    for i in range(used, MEMORY):
        heights[i] = math.inf
    return nearest


@inner
def _best_step(memory, used, x, step, least, room):
    """Return the direction (3) of the best step of this length, and the predicted radius after the step.

    If the radius is less than ``least``, any direction may be returned. The step maximises the minimum over i of d_i +
    step u_i . g with |g| <= 1, for points at the distances d_i and directions u_i to x. Its dual minimises sum of w_i
    d_i + step |sum of w_i u_i| over weights that add up to 1. The Frank-Wolfe algorithm solves the problem; the dual
    value decreases in each iteration.
    """
    nearest = _look_around(memory, used, x, room)
    units, heights = room.units, room.heights
    gx, gy, gz = units[0, nearest], units[1, nearest], units[2, nearest]
    height = heights[nearest]
    for _ in range(_MOST_TURNS):
        square = gx * gx + gy * gy + gz * gz
        length = math.sqrt(square)
        if height + step * length < least:
            break
        worst, low = _vertex(gx, gy, gz, length, step, room)
        if height + step * length - low <= 0.02 * step:
            break
        hx, hy, hz = units[0, worst] - gx, units[1, worst] - gy, units[2, worst] - gz
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
    """Return the slot of the memory for the next point: a free slot, or that of the point farthest from x."""
    if used < MEMORY:
        return used
    slot, most = 0, -1.0
    for i in range(MEMORY):
        square = squared_distance(x, _remembered(memory, i))
        if square > most:
            slot, most = i, square
    return slot


@inner
def climb(forest, a, b, origin, x, radius, gain, hints, memory, room, work):
    """Move and enlarge the ball around x until no step promises a sufficient gain; return its centre and radius.

    memory[:2] are points that touch the ball. The search ends when the model predicts less than ``gain`` times the
    radius for every step.
    """
    used = 2
    step = 0.5 * radius
    for _ in range(_MOST_STEPS):
        u, promised = _best_step(memory, used, x, step, (1.0 + _SURELY * gain) * radius, room)
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
