"""Iterate over the triangles of a tree that may be near a point, on a line, or far out along a direction.

The caller begins a search and then requests the next triangle until no triangle is left. Each request has the caller's
current limit: triangles that are farther away, or reach less far, are skipped. The most promising triangles come first.
The caller measures these triangles in float64, or decides exactly. A skipped triangle is certainly beyond the limit.

Eight boxes or triangles are compared at a time (``lane_points.py``). The stack holds slots as in ``wide_traversal.py``
with the bounds of their boxes. Trees without an 8-wide form, and uncompiled code, are searched through the binary tree.
"""

import math

import numpy as np

from ..geometry.lane_points import (
    ALONG,
    HIGH,
    LARGEST,
    LEAST,
    LINE_MARGIN,
    LOW,
    MARGIN,
    POINT,
    QUERY_LENGTH,
    UNIT,
    boxes_off_line,
    near_square,
    short_of_boxes,
    short_of_triangles,
    squared_gaps_of_boxes,
    squared_gaps_of_triangles,
    triangles_off_line,
)
from ..geometry.lanes import doubles, floats, integers, longs, lowest_bit, not_above, splat, store
from ..hierarchy.wide_bvh import CHILD_COUNT, CHILDREN, LANE_COUNT
from ..jit import inlined, inner
from .point import SCRATCH_HEAD, SHRINK, WIDE_STACK_SIZE, box_gap, inverse_of, ray_misses
from .wide_traversal import ADDRESSES, COORDINATES, NODES, ORDER, ROOT

_WIDE, _USED, _LEFT, _FIRST, _NODES, _COORDINATES, _ORDER = range(7)
"""Entries of the scratch: whether the 8-wide form is searched, float64; and, for that, int64: the size of the stack;
the remaining triangles of a leaf (bits, or a count) and the first triangle of the leaf; addresses."""
_POINT, _SLACK, _WAY = 7, 10, 11  # float64; along a direction, _SLACK is the largest box coordinate
_AXIS = 14  # int64: the axis along which a line advances most
_NEAR, _ON_LINE, _FAR = range(3)
"""Kinds of searches: near a point, on a line, far along a direction."""
_SINGLES = 16  # start of the float32 numbers: the query for boxes, then the bounds of eight boxes
_ROW = QUERY_LENGTH
_BOUNDS = SCRATCH_HEAD
_STACK = SCRATCH_HEAD + WIDE_STACK_SIZE


@inlined
def _begin(forest, tree, scratch):
    """Start a search at the root of the 8-wide tree."""
    state, given = longs(scratch), longs(forest.wide.ctypes.data + 8 * ADDRESSES * np.int64(tree))
    state[_USED], state[_LEFT] = 1, 0
    state[_NODES], state[_COORDINATES], state[_ORDER] = given[NODES], given[COORDINATES], given[ORDER]
    state[_STACK] = given[ROOT]
    doubles(scratch)[_WIDE], doubles(scratch)[_BOUNDS] = 1.0, -math.inf


@inlined
def _put_point(scratch, q, slack):
    """Store the point in the hierarchy's frame, with a margin for the rounding errors of float32 tests."""
    state, query = doubles(scratch), floats(scratch + 8 * _SINGLES)
    largest = 0.0
    for k in range(3):
        state[_POINT + k] = q[k]
        query[POINT + k] = np.float32(q[k])
        largest = max(largest, abs(q[k]))
    state[_SLACK] = slack
    query[MARGIN] = np.float32(slack + 2.0 * UNIT * largest + LEAST)


@inlined
def _push_all(scratch, child, bits):
    """Push children onto the stack, the one with the smallest bound on top."""
    state, stack, bounds = longs(scratch), longs(scratch + 8 * _STACK), doubles(scratch + 8 * _BOUNDS)
    row = floats(scratch + 8 * _SINGLES)
    used = state[_USED]
    top, least = used, math.inf
    while bits != 0:
        k = lowest_bit(bits)
        bits &= bits - 1
        bound = np.float64(row[_ROW + k])
        stack[used], bounds[used] = LANE_COUNT * child + k, bound
        top, least = (used, bound) if bound < least else (top, least)
        used += 1
    if used > top:
        last = used - 1
        stack[top], stack[last] = stack[last], stack[top]
        bounds[top], bounds[last] = bounds[last], bounds[top]
    state[_USED] = used


@inlined
def _least_of_leaf(scratch, near):
    """Take the remaining triangle with the smallest bound from the current leaf, if the bound is at most ``near``;
    otherwise return -1.

    Triangles beyond ``near`` are dropped.
    """
    state, row = longs(scratch), floats(scratch + 8 * _SINGLES)
    bits, left, chosen = state[_LEFT], np.int64(0), np.int64(-1)
    while bits != 0:
        k = lowest_bit(bits)
        bits &= bits - 1
        if row[_ROW + k] > near:
            continue
        left |= np.int64(1) << k
        if chosen < 0 or row[_ROW + k] < row[_ROW + chosen]:
            chosen = k
    state[_LEFT] = left if chosen < 0 else left ^ (np.int64(1) << chosen)
    return chosen


@inlined
def _bounds_of_boxes(kind, nodes, at, query):
    """Return the bounds of the eight boxes of a node; ``kind`` is a constant at compile time."""
    if kind == _NEAR:
        return squared_gaps_of_boxes(nodes, at, query)
    if kind == _ON_LINE:
        return boxes_off_line(nodes, at, query)
    return short_of_boxes(nodes, at, query)


@inlined
def _bounds_of_leaf(kind, scratch, nodes, box, first, count):
    """Return the bounds of the triangles of a leaf, computed relative to the lowest corner of its box."""
    state, single = doubles(scratch), floats(scratch + 8 * _SINGLES)
    coordinates, at = floats(longs(scratch)[_COORDINATES]), 9 * first
    if kind == _FAR:
        low = state[_POINT] * nodes[box] + state[_POINT + 1] * nodes[box + 8] + state[_POINT + 2] * nodes[box + 16]
        return short_of_triangles(coordinates, at, count, single, np.float32(low))
    size, far = 0.0, 0.0
    for k in range(3):
        low = np.float64(nodes[box + 8 * k])
        size = max(size, np.float64(nodes[box + 24 + 8 * k]) - low)
        far = max(far, abs(state[_POINT + k] - low))
    margin = 16.0 * UNIT * (size + far) + LEAST
    if kind == _NEAR:
        return squared_gaps_of_triangles(
            coordinates, at, count,
            np.float32(state[_POINT] - nodes[box]), np.float32(state[_POINT + 1] - nodes[box + 8]),
            np.float32(state[_POINT + 2] - nodes[box + 16]), np.float32(state[_SLACK] + margin),
        )  # fmt: skip
    k = longs(scratch)[_AXIS]
    i, j = (k + 1) % 3, (k + 2) % 3
    return triangles_off_line(
        coordinates, at, count, i, j, k,
        np.float32(state[_POINT + i] - nodes[box + 8 * i]), np.float32(state[_POINT + j] - nodes[box + 8 * j]),
        np.float32(state[_POINT + k] - nodes[box + 8 * k]),
        single[ALONG + i], single[ALONG + j], single[ALONG + k], np.float32(2.0 * state[_SLACK] + margin),
    )  # fmt: skip


@inlined
def _next_of_eight(kind, scratch, limit):
    """Return the next triangle of the 8-wide tree whose bound is at most ``limit`` (float32); -1 if no such triangle is
    left.
    """
    state, stack, bounds = longs(scratch), longs(scratch + 8 * _STACK), doubles(scratch + 8 * _BOUNDS)
    single = floats(scratch + 8 * _SINGLES)
    nodes, words = floats(state[_NODES]), integers(state[_NODES])
    while True:
        chosen = _least_of_leaf(scratch, limit)
        if chosen >= 0:
            return np.int64(integers(state[_ORDER])[state[_FIRST] + chosen])
        if state[_USED] == 0:
            return np.int64(-1)
        state[_USED] -= 1
        slot = stack[state[_USED]]
        if bounds[state[_USED]] > limit:
            continue
        box = 64 * (slot >> 3) + (slot & 7)
        child = np.int64(words[box + CHILDREN])
        if child >= 0:
            row = _bounds_of_boxes(kind, nodes, 64 * child, single)
            count = np.int64(words[64 * child + CHILD_COUNT])
        else:
            first, count = ~child >> 3, (~child & 7) + 1
            row = _bounds_of_leaf(kind, scratch, nodes, box, first, count)
        store(single, _ROW, row)
        bits = not_above(row, splat(limit)) & ((1 << count) - 1)
        if child >= 0:
            _push_all(scratch, child, bits)
        else:
            state[_FIRST], state[_LEFT] = first, bits


@inner
def _next_near_of_eight(scratch, limit):
    return _next_of_eight(_NEAR, scratch, near_square(limit / SHRINK))


@inner
def _next_on_line_of_eight(scratch):
    return _next_of_eight(_ON_LINE, scratch, np.float32(0.0))


@inner
def _next_far_of_eight(scratch, limit):
    return _next_of_eight(_FAR, scratch, np.float32(64.0 * UNIT * doubles(scratch)[_SLACK] + LEAST - limit))


@inner
def _begin_with_two(q, slack, way, work):
    """Start a search at the root of the binary tree."""
    scratch = work.scratch
    scratch[_WIDE], scratch[_USED], scratch[_LEFT] = 0.0, 1.0, 0.0
    for k in range(3):
        scratch[_POINT + k], scratch[_WAY + k] = q[k], way[k]
    scratch[_SLACK] = slack
    work.stack[0], work.gaps[0] = 0, -math.inf


@inner
def _bound_of_box(kind, volume, scratch):
    """Like ``_bounds_of_boxes``, for one box in float64; for a point the bound is the distance, not its square."""
    q, slack = (scratch[_POINT], scratch[_POINT + 1], scratch[_POINT + 2]), scratch[_SLACK]
    if kind == _NEAR:
        return box_gap(volume, q, slack)
    if kind == _ON_LINE:
        way = (scratch[_WAY], scratch[_WAY + 1], scratch[_WAY + 2])
        inverse = (inverse_of(way[0]), inverse_of(way[1]), inverse_of(way[2]))
        return math.inf if ray_misses(volume, q, way, inverse, slack) else 0.0
    reach = 0.0
    for k in range(3):
        reach += max(q[k] * volume[k], q[k] * volume[k + 3])
    return -reach


@inner
def _next_of_two(kind, forest, tree, limit, work):
    """Return the next triangle from the binary tree, in a leaf whose bound is at most ``limit``; -1 if no such triangle
    is left.
    """
    scratch, stack, gaps = work.scratch, work.stack, work.gaps
    start, left, used = forest.node_start[tree], np.int64(scratch[_LEFT]), np.int64(scratch[_USED])
    entry = np.int64(scratch[_FIRST])
    while left == 0 and used > 0:
        used -= 1
        if gaps[used] > limit:
            continue
        first = np.int64(forest.first[start + stack[used]])
        count = np.int64(forest.count[start + stack[used]])
        if count > 0:
            entry, left = first, count
            continue
        gap = _bound_of_box(kind, forest.volumes[start + first], scratch)
        other = _bound_of_box(kind, forest.volumes[start + first + 1], scratch)
        nearer = first if gap <= other else first + 1
        stack[used], gaps[used] = 2 * first + 1 - nearer, max(gap, other)
        stack[used + 1], gaps[used + 1] = nearer, min(gap, other)
        used += 2
    scratch[_USED] = used
    if left == 0:
        return np.int64(-1)
    scratch[_LEFT], scratch[_FIRST] = left - 1, entry + 1
    return np.int64(forest.order[forest.triangle_start[tree] + entry])


@inner
def begin_near(forest, tree, q, slack, work):
    """Start a search for triangles near a point q in the hierarchy's frame; ``slack``: margin of box tests."""
    if forest.wide[tree, NODES] == 0 or not abs(q[0]) + abs(q[1]) + abs(q[2]) + slack < LARGEST:
        _begin_with_two(q, slack, q, work)
        return
    _begin(forest, tree, work.scratch.ctypes.data)
    _put_point(work.scratch.ctypes.data, q, slack)


@inner
def next_near(forest, tree, limit, work):
    """Return another triangle that may be within ``limit`` [m], which must not grow between calls; -1 if no such
    triangle is left.
    """
    if work.scratch[_WIDE] != 0.0:
        return _next_near_of_eight(work.scratch.ctypes.data, limit)
    return _next_of_two(_NEAR, forest, tree, limit, work)


@inner
def _largest_of_root(forest, tree):
    """Return the largest absolute coordinate of all boxes of a tree."""
    root, largest = forest.volumes[forest.node_start[tree]], 0.0
    for k in range(6):
        largest = max(largest, abs(np.float64(root[k])))
    return largest


@inner
def _put_line(scratch, o, e, way, largest, slack):
    """Store a line from o to e; ``way`` is e - o and must not be zero."""
    query = floats(scratch + 8 * _SINGLES)
    _put_point(scratch, o, slack)
    axis, size = 0, largest
    for k in range(3):
        axis = k if abs(way[k]) > abs(way[axis]) else axis
        size = max(size, largest + abs(o[k]))
    longs(scratch)[_AXIS] = axis
    for k in range(3):
        query[ALONG + k] = np.float32(way[k] / abs(way[axis]))
        low, high = min(o[k], e[k]), max(o[k], e[k])
        query[LOW + k] = np.float32(low - slack - 2.0 * UNIT * abs(low) - LEAST)
        query[HIGH + k] = np.float32(high + slack + 2.0 * UNIT * abs(high) + LEAST)
    query[LINE_MARGIN] = np.float32(2.0 * slack + 48.0 * UNIT * size + LEAST)


@inner
def begin_on_line(forest, tree, o, e, slack, work):
    """Start a search for triangles that the line from o to e may meet; both points are in the hierarchy's frame."""
    way = (e[0] - o[0], e[1] - o[1], e[2] - o[2])
    largest = _largest_of_root(forest, tree)
    size = abs(o[0]) + abs(o[1]) + abs(o[2]) + abs(e[0]) + abs(e[1]) + abs(e[2]) + largest + slack
    length = abs(way[0]) + abs(way[1]) + abs(way[2])
    if forest.wide[tree, NODES] == 0 or not size < LARGEST or not length > LEAST:
        _begin_with_two(o, slack, way, work)
        return
    _begin(forest, tree, work.scratch.ctypes.data)
    _put_line(work.scratch.ctypes.data, o, e, way, largest, slack)


@inner
def next_on_line(forest, tree, work):
    """Return another triangle that the line may meet; -1 if no such triangle is left."""
    if work.scratch[_WIDE] != 0.0:
        return _next_on_line_of_eight(work.scratch.ctypes.data)
    return _next_of_two(_ON_LINE, forest, tree, 0.0, work)


@inner
def begin_far(forest, tree, m, work):
    """Start a search for triangles that reach far along the unit vector m in the hierarchy's frame."""
    largest = _largest_of_root(forest, tree)
    if forest.wide[tree, NODES] == 0 or not largest < LARGEST:
        _begin_with_two(m, largest, m, work)
        return
    _begin(forest, tree, work.scratch.ctypes.data)
    _put_point(work.scratch.ctypes.data, m, largest)


@inner
def next_far(forest, tree, limit, work):
    """Return another triangle that may reach ``limit`` [m] along the direction; -1 if no such triangle is left.

    ``limit`` must not fall between calls. The limit refers to the exact corners in the hierarchy's frame; the caller
    must allow for the rounding errors of its own coordinates.
    """
    if work.scratch[_WIDE] != 0.0:
        return _next_far_of_eight(work.scratch.ctypes.data, limit)
    return _next_of_two(_FAR, forest, tree, -limit, work)
