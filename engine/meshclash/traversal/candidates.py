"""Which triangles of a tree may matter to a question about a point, one after the other.

The caller begins a search and asks for the next triangle as long as there is one, each time with what it knows by then:
triangles farther away than that are left out, those that seem nearest come first. The caller measures or decides in
float64, or exactly. What is left out is certainly not wanted.

Eight boxes or triangles are compared at a time (``lane_points.py``). The stack holds slots as in ``wide.py`` with the
bounds of their boxes. Trees without an 8-wide form, and uncompiled code, are searched through the binary tree.
"""

import math

import numpy as np

from ..geometry.lane_points import (
    LARGEST,
    LEAST,
    MARGIN,
    POINT,
    QUERY_LENGTH,
    UNIT,
    near_square,
    squared_gaps_of_boxes,
    squared_gaps_of_triangles,
)
from ..geometry.lanes import doubles, floats, integers, longs, lowest_bit, not_above, splat, store
from ..hierarchy.wide import CHILD_COUNT, CHILDREN, LANE_COUNT
from ..jit import inlined, inner
from .point import SCRATCH_HEAD, SHRINK, WIDE_STACK_SIZE, box_gap
from .wide import ADDRESSES, COORDINATES, NODES, ORDER, ROOT

_WIDE, _USED, _LEFT, _FIRST, _NODES, _COORDINATES, _ORDER = range(7)
"""Entries of the scratch: whether the 8-wide form is searched, float64; and, for that, int64: how much the stack holds;
the triangles left of a leaf (bits, or how many) and its first one; addresses."""
_POINT, _SLACK = 7, 10  # entries that are float64
_SINGLES = 16  # here float32 numbers begin: what is asked of boxes, then the bounds of eight
_ROW = QUERY_LENGTH
_BOUNDS = SCRATCH_HEAD
_STACK = SCRATCH_HEAD + WIDE_STACK_SIZE


@inlined
def _begin(forest, tree, scratch):
    """Begin at the root of the 8-wide form."""
    state, given = longs(scratch), longs(forest.wide.ctypes.data + 8 * ADDRESSES * np.int64(tree))
    state[_USED], state[_LEFT] = 1, 0
    state[_NODES], state[_COORDINATES], state[_ORDER] = given[NODES], given[COORDINATES], given[ORDER]
    state[_STACK] = given[ROOT]
    doubles(scratch)[_WIDE], doubles(scratch)[_BOUNDS] = 1.0, -math.inf


@inlined
def _put_point(scratch, q, slack):
    """Note the point in the hierarchy's frame, for boxes with the margin of float32."""
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
    """Put children on the stack, that of the least bound on top."""
    state, stack, bounds = longs(scratch), longs(scratch + 8 * _STACK), doubles(scratch + 8 * _BOUNDS)
    row = floats(scratch + 8 * _SINGLES)
    base = used = state[_USED]
    while bits != 0:
        k = lowest_bit(bits)
        bits &= bits - 1
        bound = np.float64(row[_ROW + k])
        place = used
        while place > base and bounds[place - 1] < bound:
            stack[place], bounds[place] = stack[place - 1], bounds[place - 1]
            place -= 1
        stack[place], bounds[place] = LANE_COUNT * child + k, bound
        used += 1
    state[_USED] = used


@inlined
def _least_of_leaf(scratch, near):
    """Which triangle left of the leaf has the least bound, up to ``near``; those beyond are left out. -1: none."""
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
def _bounds_of_leaf(scratch, nodes, box, first, count):
    """Bounds of the triangles of a leaf, seen from the lowest corner of its box."""
    state = doubles(scratch)
    size, far = 0.0, 0.0
    for k in range(3):
        low = np.float64(nodes[box + 8 * k])
        size = max(size, np.float64(nodes[box + 24 + 8 * k]) - low)
        far = max(far, abs(state[_POINT + k] - low))
    margin = np.float32(state[_SLACK] + 16.0 * UNIT * (size + far) + LEAST)
    return squared_gaps_of_triangles(
        floats(longs(scratch)[_COORDINATES]), 9 * first, count,
        np.float32(state[_POINT] - nodes[box]), np.float32(state[_POINT + 1] - nodes[box + 8]),
        np.float32(state[_POINT + 2] - nodes[box + 16]), margin,
    )  # fmt: skip


@inlined
def _next_of_eight(scratch, near):
    """The next triangle whose bound is at most ``near``, float32; -1: none."""
    state, stack, bounds = longs(scratch), longs(scratch + 8 * _STACK), doubles(scratch + 8 * _BOUNDS)
    single = floats(scratch + 8 * _SINGLES)
    nodes, words = floats(state[_NODES]), integers(state[_NODES])
    while True:
        chosen = _least_of_leaf(scratch, near)
        if chosen >= 0:
            return np.int64(integers(state[_ORDER])[state[_FIRST] + chosen])
        if state[_USED] == 0:
            return np.int64(-1)
        state[_USED] -= 1
        slot = stack[state[_USED]]
        if bounds[state[_USED]] > near:
            continue
        box = 64 * (slot >> 3) + (slot & 7)
        child = np.int64(words[box + CHILDREN])
        if child >= 0:
            row = squared_gaps_of_boxes(nodes, 64 * child, single)
            count = np.int64(words[64 * child + CHILD_COUNT])
        else:
            first, count = ~child >> 3, (~child & 7) + 1
            row = _bounds_of_leaf(scratch, nodes, box, first, count)
        store(single, _ROW, row)
        bits = not_above(row, splat(near)) & ((1 << count) - 1)
        if child >= 0:
            _push_all(scratch, child, bits)
        else:
            state[_FIRST], state[_LEFT] = first, bits


@inner
def _next_near_of_eight(scratch, limit):
    return _next_of_eight(scratch, near_square(limit / SHRINK))


@inner
def begin_near(forest, tree, q, slack, work):
    """Begin to search for triangles near a point q, given in the hierarchy's frame with the slack of box tests."""
    if forest.wide[tree, NODES] != 0 and abs(q[0]) + abs(q[1]) + abs(q[2]) + slack < LARGEST:
        _begin(forest, tree, work.scratch.ctypes.data)
        _put_point(work.scratch.ctypes.data, q, slack)
        return
    scratch = work.scratch
    scratch[_WIDE], scratch[_USED], scratch[_LEFT] = 0.0, 1.0, 0.0
    for k in range(3):
        scratch[_POINT + k] = q[k]
    scratch[_SLACK] = slack
    work.stack[0], work.gaps[0] = 0, 0.0


@inner
def _next_of_two(forest, tree, limit, work):
    """As ``next_near``, through the binary tree."""
    scratch, stack, gaps = work.scratch, work.stack, work.gaps
    q, slack = (scratch[_POINT], scratch[_POINT + 1], scratch[_POINT + 2]), scratch[_SLACK]
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
        gap, other = (
            box_gap(forest.volumes[start + first], q, slack),
            box_gap(forest.volumes[start + first + 1], q, slack),
        )
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
def next_near(forest, tree, limit, work):
    """Another triangle of the tree that may be as near as ``limit`` [m], which must not grow; -1: there is none."""
    if work.scratch[_WIDE] != 0.0:
        return _next_near_of_eight(work.scratch.ctypes.data, limit)
    return _next_of_two(forest, tree, limit, work)
