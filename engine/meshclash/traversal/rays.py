"""Trace a ray through one tree: find the first crossing, any, their number, or all.

A ray is o + t d in world coordinates. The tree is traversed in the hierarchy's frame, where the ray is q + s g with
s = scale * t - shift. The largest component of g is 1, and q is the point where the ray comes near the root box, so
that rays from far away are as precise as others. Eight boxes are compared at a time (``lane_rays.py``), nearest first,
and then eight triangles (``lane_points.py``). The remaining triangles are tested exactly in world coordinates
(``ray_triangle.py``). Trees without an 8-wide form are searched with ``candidates.py``.
"""

import math
from typing import NamedTuple

import numpy as np

from ..geometry.lane_points import LARGEST, LEAST, UNIT, triangles_off_line
from ..geometry.lane_rays import LONGER, ray_margin, reciprocal, way_through_boxes
from ..geometry.lanes import doubles, floats, integers, longs, lowest_bit, not_above, splat, store
from ..geometry.predicates import UNCERTAIN
from ..geometry.ray_triangle import MISSED, cross_triangle, line_of
from ..hierarchy.wide_bvh import CHILD_COUNT, CHILDREN, LANE_COUNT
from ..jit import inlined, inner
from .candidates import begin_on_line, next_on_line
from .point import WIDE_STACK_SIZE, local_slack, to_local, world_triangle
from .wide_traversal import ADDRESSES, COORDINATES, NODES, ORDER, ROOT, TRIANGLES, VERTICES, corner

FIRST, ANY, COUNT, ALL = range(4)
"""Kinds of ray queries."""


class RayCrossings(NamedTuple):
    """Output arrays with a row for each crossing."""

    distances: np.ndarray
    """(n,) float64 [m]."""
    weights: np.ndarray
    """Barycentric weights, (n, 3) float64."""
    triangles: np.ndarray
    """(n,) int32."""
    objects: np.ndarray
    """(n,) int32."""
    along: np.ndarray
    """1 if the ray goes along the normal of the triangle, -1 if against it, (n,) int8."""


_ROW = 0
_BOUNDS = 8
_STACK = _BOUNDS + WIDE_STACK_SIZE
"""Offsets in the scratch of a PointWorkspace: the ray's entries into eight boxes (float32), and the entries and slots
of the boxes on the stack."""


@inner
def part_in_box(boxes, row, q, g, ways, margin):
    """Return the range (begin, end) of s >= 0 in which q + s g may be in a box enlarged by a margin.

    The largest component of g is 1, and ``ways`` are the reciprocals of its components.
    """
    begin, end = 0.0, math.inf
    for k in range(3):
        low, high = boxes[row, k] - margin - q[k], boxes[row, k + 3] + margin - q[k]
        if abs(g[k]) < 1e-12:  # moves at most this fraction of the (maybe long) way along the axis
            way = 1e-12 * (abs(q[0]) + abs(q[1]) + abs(q[2]) + margin)
            if low > way or high < -way:
                return 1.0, 0.0
            continue
        low, high = low * ways[k], high * ways[k]
        low, high = min(low, high), max(low, high)
        begin = max(begin, low - 1e-12 * abs(low))
        end = min(end, high + 1e-12 * abs(high))
    return begin, end


@inlined
def _push_sorted(scratch, used, child, bits):
    """Push children onto the stack, the nearest on top; return the new stack size."""
    stack, bounds, row = longs(scratch + 8 * _STACK), doubles(scratch + 8 * _BOUNDS), floats(scratch + 8 * _ROW)
    first = used
    while bits != 0:
        k = lowest_bit(bits)
        bits &= bits - 1
        bound = np.float64(row[k])
        at = used
        while at > first and bounds[at - 1] < bound:
            stack[at], bounds[at] = stack[at - 1], bounds[at - 1]
            at -= 1
        stack[at], bounds[at] = LANE_COUNT * child + k, bound
        used += 1
    return used


@inner
def _note(which, found, row, how, distance, u, v, thing, triangle):
    """Write a crossing to a row of ``found``; for FIRST only if it is nearer than the stored crossing."""
    if which in (COUNT, ANY):
        return
    if which == FIRST:
        best = found.distances[row]
        if distance > best:
            return
        if distance == best:
            other = found.objects[row]
            if thing > other or (thing == other and triangle > found.triangles[row]):
                return
    found.distances[row], found.triangles[row], found.objects[row] = distance, triangle, thing
    found.weights[row, 0], found.weights[row, 1], found.weights[row, 2] = u, v, 1.0 - u - v
    found.along[row] = how


@inner
def trace(forest, frame, thing, o, d, limit, which, found, row, work):
    """Find crossings of the ray from o along d with a posed tree; return (number, whether all are decided).

    Args:
        forest, frame: the forest and frame of the tree; both by reference.
        thing: the index of the object.
        o, d: origin and direction of the ray; d is not zero.
        limit: maximum distance of a crossing [m]; may be infinite.
        which: FIRST, ANY, COUNT or ALL. FIRST and ANY may return any number above 0 if the ray has a crossing.
        found: a RayCrossings by reference. FIRST replaces the crossing in ``row`` by a nearer one; among equally near
            crossings, the first object wins, then the lowest index of a triangle. ALL fills the rows from ``row`` on,
            in any order.
        row: the row of ``found``.
        work: a PointWorkspace by reference.
    """
    tree = frame.tree
    q = to_local(o, frame.pose, frame.inverse, frame.origin)
    inverse, unit = frame.inverse, 1.0 / max(abs(d[0]), abs(d[1]), abs(d[2]))
    x, y, z = d[0] * unit, d[1] * unit, d[2] * unit
    gx = inverse[0, 0] * x + inverse[0, 1] * y + inverse[0, 2] * z
    gy = inverse[1, 0] * x + inverse[1, 1] * y + inverse[1, 2] * z
    gz = inverse[2, 0] * x + inverse[2, 1] * y + inverse[2, 2] * z
    scale = max(abs(gx), abs(gy), abs(gz))
    unit = 1.0 / scale
    g = (gx * unit, gy * unit, gz * unit)
    ways = (reciprocal(g[0]), reciprocal(g[1]), reciprocal(g[2]))
    slack = local_slack(o, frame.pose, frame.reach)
    node, volumes, size = forest.node_start[tree], forest.volumes, slack
    for k in range(6):
        size = max(size, abs(np.float64(volumes[node, k])))
    begin, end = part_in_box(volumes, node, q, g, ways, ray_margin(size, slack))
    if begin > end:
        return 0, True
    q = (q[0] + begin * g[0], q[1] + begin * g[1], q[2] + begin * g[2])
    size = max(size, abs(q[0]), abs(q[1]), abs(q[2]))
    length, line = end - begin, line_of(o, d)
    if forest.wide[tree, NODES] == 0 or not size < LARGEST:
        return _trace_candidates(forest, frame, thing, line, q, g, slack, length, limit, which, found, row, work)
    margin, scale = ray_margin(size, slack), scale / line.stretch
    return _trace_eight(
        forest, frame, thing, line, q, g, ways, slack, margin, scale, begin, length, limit, which, found, row, work
    )


@inner
def _trace_candidates(forest, frame, thing, line, q, g, slack, length, limit, which, found, row, work):
    """Run ``trace`` for any tree of boxes."""
    e = (q[0] + length * g[0], q[1] + length * g[1], q[2] + length * g[2])
    count = 0
    begin_on_line(forest, frame.tree, q, e, slack, work)
    t = next_on_line(forest, frame.tree, work)
    while t >= 0:
        a, b, c = world_triangle(forest, frame.tree, t, frame.pose)
        how, distance, u, v = cross_triangle(line, a, b, c, work.exact)
        if how == UNCERTAIN:
            return 0, False
        if how != MISSED and distance <= limit:
            _note(which, found, row + (count if which == ALL else 0), how, distance, u, v, thing, t)
            count += 1
            if which == ANY:
                return count, True
        t = next_on_line(forest, frame.tree, work)
    return count, True


@inner
def _trace_eight(
    forest, frame, thing, line, q, g, ways, slack, margin, scale, shift, length, limit, which, found, row, work
):  # fmt: skip
    """Run ``trace`` for a tree with an 8-wide form."""
    tree = np.int64(frame.tree)
    scratch = work.scratch.ctypes.data
    given = longs(forest.wide.ctypes.data + 8 * ADDRESSES * tree)
    nodes, words = floats(given[NODES]), integers(given[NODES])
    coordinates, order = floats(given[COORDINATES]), integers(given[ORDER])
    corners, vertices, pose = integers(given[TRIANGLES]), doubles(given[VERTICES]), doubles(frame.pose.ctypes.data)
    stack, bounds, entries = longs(scratch + 8 * _STACK), doubles(scratch + 8 * _BOUNDS), floats(scratch + 8 * _ROW)
    axis = 0
    for k in range(1, 3):
        axis = k if abs(g[k]) > abs(g[axis]) else axis
    i, j = (axis + 1) % 3, (axis + 2) % 3
    f, h, sign = np.float32(g[i]), np.float32(g[j]), np.float32(g[axis])
    rx, ry, rz = ways
    rows = 0 if rx > 0.0 else 24, 0 if ry > 0.0 else 24, 0 if rz > 0.0 else 24
    mx, my, mz = math.copysign(margin, rx), math.copysign(margin, ry), math.copysign(margin, rz)
    near = splat(np.float32(q[0] + mx)), splat(np.float32(q[1] + my)), splat(np.float32(q[2] + mz))
    far = splat(np.float32(q[0] - mx)), splat(np.float32(q[1] - my)), splat(np.float32(q[2] - mz))
    inverse = splat(np.float32(rx)), splat(np.float32(ry)), splat(np.float32(rz))
    longer, start = splat(np.float32(LONGER)), splat(np.float32(0.0))
    more = 4.0 * margin
    last = np.float32(min(length, limit * scale - shift) * LONGER + more)
    count = 0
    stack[0], bounds[0] = given[ROOT], 0.0
    used = 1
    while used > 0:
        used -= 1
        if bounds[used] > last:
            continue
        slot = stack[used]
        box = 64 * (slot >> 3) + (slot & 7)
        child = np.int64(words[box + CHILDREN])
        if child >= 0:
            enter, leave = way_through_boxes(nodes, 64 * child, rows, near, far, inverse, start, splat(last))
            bits = not_above(enter, leave * longer) & ((1 << np.int64(words[64 * child + CHILD_COUNT])) - 1)
            if bits != 0:
                store(entries, 0, enter)
                used = _push_sorted(scratch, used, child, bits)
            continue
        first, number = ~child >> 3, (~child & 7) + 1
        extent, away = 0.0, 0.0
        for k in range(3):
            low = np.float64(nodes[box + 8 * k])
            extent = max(extent, np.float64(nodes[box + 24 + 8 * k]) - low)
            away = max(away, abs(q[k] - low))
        off = triangles_off_line(
            coordinates, 9 * first, number, i, j, axis,
            np.float32(q[i] - nodes[box + 8 * i]), np.float32(q[j] - nodes[box + 8 * j]),
            np.float32(q[axis] - nodes[box + 8 * axis]), f, h, sign,
            np.float32(2.0 * slack + 16.0 * UNIT * (extent + away) + LEAST),
        )  # fmt: skip
        bits = not_above(off, start) & ((1 << number) - 1)
        while bits != 0:
            t = np.int64(order[first + lowest_bit(bits)])
            bits &= bits - 1
            a = corner(vertices, np.int64(corners[3 * t]), pose, 0)
            b = corner(vertices, np.int64(corners[3 * t + 1]), pose, 0)
            c = corner(vertices, np.int64(corners[3 * t + 2]), pose, 0)
            how, distance, u, v = cross_triangle(line, a, b, c, work.exact)
            if how == UNCERTAIN:
                return 0, False
            if how == MISSED or distance > limit:
                continue
            _note(which, found, row + (count if which == ALL else 0), how, distance, u, v, thing, t)
            count += 1
            if which == ANY:
                return count, True
            if which == FIRST:
                last = min(last, np.float32((found.distances[row] * scale - shift) * LONGER + more))
    return count, True
