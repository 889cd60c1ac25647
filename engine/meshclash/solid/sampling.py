"""Which parts of one surface lie inside, outside or on the solid that another surface bounds.

Used where no triangles cross: then every patch of a surface between contacts lies on one side, and a few points per
touched triangle show which: its corners, edge middles and centroid, points beside its contacts, and points between
them. A point within the rounding of world coordinates of the other surface says nothing, and neither does one on an
inner face, which has material on both sides.
"""

import numpy as np

from ..geometry.triangle_pair import COPLANAR, CROSSING
from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.point import world_triangle
from .frames import IN, OUT, centroid, make_frame, middle, outward_normal, outward_side, side_of_solid

# Bits of the result for a pair of objects.
A_IN, A_OUT, B_IN, B_OUT, SAME_SIDE, OPPOSITE_SIDES, CROSSED = 1, 2, 4, 8, 16, 32, 64

_PLAIN_SAMPLES = 7
_BETWEEN_SAMPLES = 9
_ALL_SAMPLES = 12
_LOOK_BACK = 64  # triangles around a vertex touch in the same point, and come close together in the list


@inner
def _towards(a, b, t):
    return a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])


@inner
def _sample(corners, index, here, before, first):
    """Point number ``index`` of a triangle; ``here``, ``before`` and ``first`` are points of contacts on it."""
    a, b, c = corners
    if index < 3:
        return a if index == 0 else (b if index == 1 else c)
    if index < 6:
        return middle(a, b) if index == 3 else (middle(b, c) if index == 4 else middle(c, a))
    if index == 6:
        return centroid(a, b, c)
    if index == 7:
        return middle(here, before)
    if index == 8:
        return middle(here, first)
    return _towards(here, a if index == 9 else (b if index == 10 else c), 1.0 / 64.0)


@inner
def _row(points, i):
    return points[i, 0], points[i, 1], points[i, 2]


@inner
def _seen(points, order, first, i):
    """Whether the point of row i is the same as one of the rows just before it, from ``first`` on."""
    here = order[i]
    for j in range(max(first, i - _LOOK_BACK), i):
        row = order[j]
        if (
            points[here, 0] == points[row, 0]
            and points[here, 1] == points[row, 1]
            and points[here, 2] == points[row, 2]
        ):
            return True
    return False


@inner
def _side_of_sample(forest, solids, own, t, other, p, work):
    """IN, OUT or nothing for a point of triangle t of ``own``."""
    side = side_of_solid(forest, solids, other, p, work)
    if side != 0 and solids.closed[own.tree] and outward_side(forest, solids, own, t, p, work) == 0:
        return 0
    return side


@inner
def _side_bits(forest, solids, own, other, side, order, begin, end, pairs, points, edges, work):
    """IN and OUT bits of one object's surface with respect to the other's solid; stops when both are known.

    ``side`` is the object's column of ``pairs``; ``order[begin:end]`` lists the contacts by that column's triangle.
    """
    found = 0
    for r in range(solids.component_start[own.tree], solids.component_start[own.tree + 1]):
        t = np.int64(solids.representatives[r])
        corners = world_triangle(forest, own.tree, t, own.pose)
        found |= _side_of_sample(forest, solids, own, t, other, corners[0], work)
        if found == IN | OUT:
            return found
    first = begin
    for i in range(begin, end):
        row = order[i]
        t = np.int64(pairs[row, side])
        again = i > begin and pairs[order[i - 1], side] == t
        if not again:
            first = i
        elif _seen(points, order, first, i):
            continue
        corners = world_triangle(forest, own.tree, t, own.pose)
        here = _row(points, row)
        before = _row(points, order[max(i - 1, first)])
        # Only a contact along a line has a new patch of the triangle beside it.
        for index in range(_PLAIN_SAMPLES if again else 0, _ALL_SAMPLES if edges[row] else _BETWEEN_SAMPLES):
            p = _sample(corners, index, here, before, _row(points, order[first]))
            found |= _side_of_sample(forest, solids, own, t, other, p, work)
            if found == IN | OUT:
                return found
    return found


@inner
def _contact_bits(forest, solids, a, b, begin, end, pairs, kinds, middles, work):
    """CROSSED, and for two solids on which sides of coplanar faces their material lies."""
    found = 0
    both = solids.closed[a.tree] and solids.closed[b.tree]
    for row in range(begin, end):
        p = _row(middles, row)
        if kinds[row] == CROSSING:
            # A crossing with an inner face is none: the face bounds nothing there.
            if (
                not solids.closed[a.tree] or outward_side(forest, solids, a, np.int64(pairs[row, 0]), p, work) != 0
            ) and (not solids.closed[b.tree] or outward_side(forest, solids, b, np.int64(pairs[row, 1]), p, work) != 0):
                return found | CROSSED
        elif both and kinds[row] == COPLANAR:
            n = outward_normal(forest, solids, a, np.int64(pairs[row, 0]), p, work)
            m = outward_normal(forest, solids, b, np.int64(pairs[row, 1]), p, work)
            along = n[0] * m[0] + n[1] * m[1] + n[2] * m[2]
            found |= SAME_SIDE if along > 0.0 else (OPPOSITE_SIDES if along < 0.0 else 0)
    return found


@kernel
def sample_sides(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b,
    start, pairs, kinds, middles, edges, order_a, order_b, work, bits,
):  # fmt: skip
    """Fill ``bits`` (k,) of every pair of objects; the sides are sampled only where nothing crosses.

    Contacts of job j are the rows start[j]:start[j + 1] of ``pairs`` and ``kinds``, with a point of each contact in
    ``middles`` (n, 3) and whether it is a line in ``edges`` (n,) bool; ``order_a`` and
    ``order_b`` (n,) list a job's rows by the triangle of a and of b.
    """
    forest = by_reference(forest)
    solids = by_reference(solids)
    for job in range(jobs.shape[0]):
        a = by_reference(make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches))
        b = by_reference(make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches))
        found = _contact_bits(forest, solids, a, b, start[job], start[job + 1], pairs, kinds, middles, work)
        if found & CROSSED == 0:
            for side in range(2):
                own, other = (a, b) if side == 0 else (b, a)
                if not solids.closed[other.tree]:
                    continue
                order = order_a if side == 0 else order_b
                both = _side_bits(
                    forest, solids, own, other, side, order, start[job], start[job + 1], pairs, middles, edges, work
                )
                found |= both if side == 0 else both << 2  # A_IN, A_OUT; B_IN, B_OUT
        bits[job] = found
