"""Tight bounds of the depth of an overlap: the common box is cut into cells, which are searched in the order of their
upper bounds.

The depth of a point inside a solid changes by no more than the point moves. So for a ball in both solids whose centre
lies in a cell, the radius is at most that of the ball around the cell's centre plus half the cell's diagonal. Cells
that cannot contain the centre of a ball larger than ``_CLOSE`` times the largest known ball are dropped. The other
cells are halved along their longest side: branch and bound (Land, Doig, "An automatic method of solving discrete
programming problems", 1960).
"""

import math

import numpy as np

from ..geometry.tuples import minus
from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.frames import OUT, side_of_solid
from ..traversal.pair_heap import heap_pop, heap_push
from .ball_growth import MEMORY, climb, grow, nearest_of_both
from .depth import proved_radius
from .nearest_points import along, nearest_from, search_frame

MOST_CELLS = 1 << 13
"""Maximum number of cells of one pair; a pair that needs more keeps the bound reached so far."""
_CLOSE = 1.08  # times the radius of the largest known ball: only larger ones are searched
_COARSE = 2.0**-44  # of the coordinates: points nearer to a surface than this may be on its other side
_BEYOND = 1.0 + 1e-9  # covers the rounding of distances of points farther than that
_GAIN = 0.01  # of the radius: least predicted gain of a step of a climb


def new_cells() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Branch-and-bound search for close bounds of an overlap's depth: the common box is cut into cells, the best one
    first.
    """
    return np.empty((MOST_CELLS, 6)), np.empty((MOST_CELLS, 2), np.int64), np.empty(MOST_CELLS)


@inner
def _ball_at(forest, solids, a, b, origin, x, half, least, hints, work):
    """Return (radius of the ball around x in both solids or 0, upper bound of the radii of balls whose centres are
    within ``half`` of x).

    The bound is ``least`` if no ball can be larger than that.
    """
    p = along(x, origin, 1.0)
    coarse = _COARSE * max(abs(p[0]), abs(p[1]), abs(p[2]))
    da, _, hints[0] = nearest_from(forest, a, origin, x, hints[0], least - half - coarse, work)
    if da + half + coarse <= least:
        return 0.0, least
    db, _, hints[1] = nearest_from(forest, b, origin, x, hints[1], least - half - coarse, work)
    if db + half + coarse <= least:
        return 0.0, least
    if da > coarse and side_of_solid(forest, solids, a, p, work) == OUT:
        return 0.0, half + coarse - da
    if db > coarse and side_of_solid(forest, solids, b, p, work) == OUT:
        return 0.0, half + coarse - db
    radius = min(da, db)
    return radius if radius > coarse else 0.0, radius + half + coarse


@inner
def _larger_ball(forest, a, b, origin, x, most, hints, memory, room, work):
    """Grow and enlarge a ball from a ball around x, which is inside both solids; return the centre and radius."""
    distance, p = nearest_of_both(forest, a, b, origin, x, hints, -1.0, work)
    centre, radius = grow(forest, a, b, origin, x, distance, p, most, hints, memory, work)
    return climb(forest, a, b, origin, centre, radius, _GAIN, hints, memory, room, work)


@inner
def _halve(cells, cell, new):
    """Cut a cell (centre, half widths) in two across its longest side: ``cell`` and ``new`` become the halves."""
    side = 0
    for k in range(1, 3):
        if cells[cell, 3 + k] > cells[cell, 3 + side]:
            side = k
    cells[cell, 3 + side] *= 0.5
    for k in range(6):
        cells[new, k] = cells[cell, k]
    cells[cell, side] -= cells[cell, 3 + side]
    cells[new, side] += cells[new, 3 + side]


@inner
def _search(forest, solids, a, b, origin, far, centre, radius, hints, memory, cells, heap, bounds, room, work):
    """Search for the largest ball in both solids, starting from a known ball; return (centre, radius, upper bound of
    the radius).
    """
    most = 0.5 * min(far[0], far[1], far[2])
    for k in range(3):
        cells[0, k] = cells[0, 3 + k] = 0.5 * far[k]
    used = heap_push(heap, bounds, 0, 0, 0, -most)
    made = 1
    while used > 0:
        used = heap_pop(heap, bounds, used)
        cell, bound = heap[used, 0], -bounds[used]
        if bound <= _CLOSE * radius:
            break
        if made == MOST_CELLS:
            return centre, radius, bound
        _halve(cells, cell, made)
        for half in (cell, made):
            x = (cells[half, 0], cells[half, 1], cells[half, 2])
            reach = math.sqrt(cells[half, 3] ** 2 + cells[half, 4] ** 2 + cells[half, 5] ** 2)
            found, bound = _ball_at(forest, solids, a, b, origin, x, reach, _CLOSE * radius, hints, work)
            if found > radius:
                centre, radius = _larger_ball(forest, a, b, origin, x, most, hints, memory, room, work)
            if bound > _CLOSE * radius:
                used = heap_push(heap, bounds, used, half, half, -bound)
        made += 1
    return centre, radius, _CLOSE * radius


@kernel
def refine_depths(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b, boxes, chosen, room, work, cells,
    heap, bounds, found,
):  # fmt: skip
    """Tighten the bounds of the jobs in ``chosen``, in the array ``found`` of ``overlap_depths``.

    ``cells``, ``heap`` and ``bounds`` come from ``new_cells``.
    """
    hints = np.zeros(2, np.int64)
    memory = np.empty((MEMORY, 3))
    forest = by_reference(forest)
    solids = by_reference(solids)
    room = by_reference(room)
    work = by_reference(work)
    for job in chosen:
        origin = (boxes[job, 0], boxes[job, 1], boxes[job, 2])
        far = minus((boxes[job, 3], boxes[job, 4], boxes[job, 5]), origin)
        posed = origins, reaches, origin
        a = by_reference(search_frame(forest, jobs[job, 0], rows_a[job], inverse_a[job], *posed, 0, room))
        b = by_reference(search_frame(forest, jobs[job, 1], rows_b[job], inverse_b[job], *posed, 1, room))
        hints[0], hints[1] = 0, 0
        centre, radius = (found[job, 2], found[job, 3], found[job, 4]), 0.5 * found[job, 0]
        centre, radius, bound = _search(
            forest, solids, a, b, origin, far, centre, radius, hints, memory, cells, heap, bounds, room, work
        )
        lower = 0.0
        if radius > 0.0:
            lower = 2.0 * proved_radius(forest, solids, a, b, origin, centre, radius, hints, work)
        upper = min(found[job, 1], 2.0 * bound * _BEYOND)
        if lower > found[job, 0]:
            found[job, 0] = min(lower, upper)
            found[job, 2], found[job, 3], found[job, 4] = centre
        found[job, 1] = max(upper, found[job, 0])
