"""Which parts of one surface lie inside, outside or on the solid that another surface bounds.

Used where no triangles cross: then every patch of a surface between contacts lies on one side, and a few points per
touched triangle show which: its corners, edge middles and centroid, and beside contacts along lines points on both
sides and points between them; any other contact has the same patch of the triangle all around it. A point within the
rounding of world coordinates of the other surface says nothing, and neither does one on an inner face, which has
material on both sides.

Work comes in spans of contacts, so that callers can stop between two of them.
"""

import numpy as np

from ..geometry.triangle_pair import COPLANAR, CROSSING
from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.point import world_triangle
from .frames import IN, OUT, centroid, make_frame, middle, outward_normal, outward_side, side_of_solid

# Bits of the result for a pair of objects.
A_IN, A_OUT, B_IN, B_OUT, SAME_SIDE, OPPOSITE_SIDES, CROSSED = 1, 2, 4, 8, 16, 32, 64

_LOOK_BACK = 64  # triangles around a vertex touch in the same point, and come close together in the list
_STEP = 1.0 / 64.0  # from a contact towards a corner
_SLOTS = 16  # of the table of visited points for each contact: a triangle has six shared ones


@inner
def _towards(a, b):
    return a[0] + _STEP * (b[0] - a[0]), a[1] + _STEP * (b[1] - a[1]), a[2] + _STEP * (b[2] - a[2])


@inner
def _row(points, i):
    return points[i, 0], points[i, 1], points[i, 2]


@inner
def _seen(points, order, first, i):
    """Whether the point of row i is the same as one of the rows just before it, from ``first`` on."""
    here = _row(points, order[i])
    j = max(first, i - _LOOK_BACK)
    while j < i and _row(points, order[j]) != here:
        j += 1
    return j < i


@inner
def _visit(visited, mask, u, v):
    """Notes a visit to the middle of the vertices u and v, in a table of mask + 1 slots; whether it is the first."""
    low, high = min(u, v), max(u, v)
    key = (low << 32) + high + 1
    slot = ((low * 73856093) ^ (high * 19349663)) & mask
    while visited[slot] != 0:
        if visited[slot] == key:
            return False
        slot = (slot + 1) & mask
    visited[slot] = key
    return True


@inner
def _side_of_sample(forest, solids, own, t, other, p, work):
    """IN, OUT or nothing for a point of triangle t of ``own``."""
    side = side_of_solid(forest, solids, other, p, work)
    if side != 0 and solids.closed[own.tree] and outward_side(forest, solids, own, t, p, work) == 0:
        return 0
    return side


@inner
def _bits_of_triangle(forest, solids, own, other, t, found, visited, mask, work):
    """``found`` with the bits of a triangle's corners, edge middles and centroid; points visited before are left out.

    Where components overlap, neighbours may differ in whether they are inner faces, so all their points are taken.
    """
    row = forest.triangle_start[own.tree] + t
    alone = solids.alone[solids.component_start[own.tree] + solids.component[row]]
    corners = world_triangle(forest, own.tree, t, own.pose)
    for index in range(6):
        i = index % 3
        j = i if index < 3 else (i + 1) % 3
        u = np.int64(forest.triangles[row, i])
        v = np.int64(forest.triangles[row, j])
        if alone and not _visit(visited, mask, u, v):
            continue
        a = corners[0] if i == 0 else (corners[1] if i == 1 else corners[2])
        b = corners[0] if j == 0 else (corners[1] if j == 1 else corners[2])
        found |= _side_of_sample(forest, solids, own, t, other, middle(a, b), work)
        if found == IN | OUT:
            return found
    return found | _side_of_sample(forest, solids, own, t, other, centroid(*corners), work)


@inner
def _bits_beside(forest, solids, own, other, t, found, order, first, i, points, work):
    """``found`` with the bits of points beside and between contacts along lines; ``first`` is the triangle's first."""
    here = _row(points, order[i])
    a, b, c = world_triangle(forest, own.tree, t, own.pose)
    for index in range(5):
        if (index == 3 and i == first) or (index == 4 and i <= first + 1):
            break
        if index < 3:
            p = _towards(here, a if index == 0 else (b if index == 1 else c))
        else:
            p = middle(here, _row(points, order[i - 1 if index == 3 else first]))
        found |= _side_of_sample(forest, solids, own, t, other, p, work)
        if found == IN | OUT:
            return found
    return found


@inner
def _bits_of_components(forest, solids, own, other, found, work):
    """``found`` with the bits of a corner of each component of a surface."""
    for r in range(solids.component_start[own.tree], solids.component_start[own.tree + 1]):
        t = np.int64(solids.representatives[r])
        corners = world_triangle(forest, own.tree, t, own.pose)
        found |= _side_of_sample(forest, solids, own, t, other, corners[0], work)
        if found == IN | OUT:
            return found
    return found


@inner
def _side_bits(forest, solids, own, other, side, found, order, start, begin, end, pairs, points, lines, visited, work):
    """``found`` with the IN and OUT bits of one object's surface with respect to the other's solid, until both are.

    ``side`` is the object's column of ``pairs``; ``order[start:]`` lists the contacts by that column's triangle, and
    those from begin to end are looked at.
    """
    mask = 1
    while mask < _SLOTS * (end - begin):
        mask *= 2
    visited[:mask] = 0
    if begin == start:
        found = _bits_of_components(forest, solids, own, other, found, work)
    first = begin
    while first > start and pairs[order[first - 1], side] == pairs[order[begin], side]:
        first -= 1
    for i in range(begin, end):
        if found == IN | OUT:
            break
        row = order[i]
        t = np.int64(pairs[row, side])
        if pairs[order[first], side] != t:
            first = i
        if i == first:
            found = _bits_of_triangle(forest, solids, own, other, t, found, visited, mask - 1, work)
        if lines[row] and found != IN | OUT and not _seen(points, order, first, i):
            found = _bits_beside(forest, solids, own, other, t, found, order, first, i, points, work)
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
    spans, start, pairs, kinds, middles, lines, orders, work, bits,
):  # fmt: skip
    """Add the bits of some contacts to ``bits`` (k,) of their pairs of objects.

    A span (job, side, begin, end) stands for the contacts begin to end of ``orders[side]``, (2, n) int64, which lists
    a job's rows of ``pairs`` and ``kinds`` by the triangle of that side from start[job] on. Side 2 asks what the
    contacts themselves say, which must come first: where triangles cross, nothing is sampled. ``middles`` (n, 3) are
    points of the contacts, ``lines`` (n,) bool tells beside which of them the surface may change sides.
    """
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    longest = 0
    for index in range(spans.shape[0]):
        longest = max(longest, spans[index, 3] - spans[index, 2])
    visited = np.empty(2 * _SLOTS * longest + 1, np.int64)
    for index in range(spans.shape[0]):
        job, side, begin, end = spans[index, 0], spans[index, 1], spans[index, 2], spans[index, 3]
        if bits[job] & CROSSED:
            continue
        a = by_reference(make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches))
        b = by_reference(make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches))
        if side == 2:
            bits[job] |= _contact_bits(forest, solids, a, b, begin, end, pairs, kinds, middles, work)
            continue
        own, other = (a, b) if side == 0 else (b, a)
        found = (bits[job] >> (2 * side)) & (IN | OUT)  # A_IN, A_OUT; B_IN, B_OUT
        if solids.closed[other.tree] and found != IN | OUT:
            found = _side_bits(
                forest, solids, own, other, side, found, orders[side], start[job], begin, end, pairs, middles, lines,
                visited, work,
            )  # fmt: skip
            bits[job] |= found << (2 * side)
