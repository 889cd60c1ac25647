"""Build the tree over the points: every node is split where the boxes of its two parts have the least volume.

Source: Klein and Zachmann (2004), section 4.2, after Zachmann (2002). The points themselves are sorted into leaf order.
Each volume is weighted by its number of points; otherwise slivers would be split off. Boxes are grown by the skin that
the surface needs around its points; otherwise all flat boxes would have the volume 0.
"""

import numpy as np

from ..hierarchy.ranges import RANGE_NUMBERS, push_children
from ..jit import inner, kernel

# Entries of the state array: size of the stack, number of nodes, depth, number of points already in leaves. The others
# describe the node that is being split: whether its points are being sorted, the next point to visit, the last one to
# be sorted, axis and bin of the cut.
STACKED, NODES, DEPTH, SETTLED, SORTING, NEXT, LAST, AXIS, CUT, STATE_LENGTH = range(10)
_SCALE = 6  # entry after a node's box: bins per metre

_BINS = 16
_BINNED = 1 << 16  # about this many points of a node choose its cut; more would make a slice too long
_DEEPEST = 64
_STACK = 128  # one sibling for each of 64 levels, and for each of the at most 31 halvings below them


@inner
def _bin(coordinate, low, scale):
    return min(max(int((coordinate - low) * scale), 0), _BINS - 1)


@inner
def _grow_box(points, begin, end, box):
    for k in range(3):
        low = box[k]
        high = box[k + 3]
        for i in range(begin, end):
            low = min(low, points[i, k])
            high = max(high, points[i, k])
        box[k] = low
        box[k + 3] = high


@inner
def _fill_bins(points, begin, end, step, axis, low, scale, counts, boxes):
    for b in range(_BINS):
        counts[b] = 0
        for k in range(3):
            boxes[b, k] = np.inf
            boxes[b, k + 3] = -np.inf
    for i in range(begin, end, step):
        b = _bin(points[i, axis], low, scale)
        counts[b] += 1
        for k in range(3):
            boxes[b, k] = min(boxes[b, k], points[i, k])
            boxes[b, k + 3] = max(boxes[b, k + 3], points[i, k])


@inner
def _sweep(counts, boxes, skin, forward, costs):
    """Add to the cost of each cut the number of points times the volume of the bins on one side of it. Cut c is before
    bin c.
    """
    total = 0
    low = np.full(3, np.inf)
    high = np.full(3, -np.inf)
    for step in range(_BINS - 1):
        b = step if forward else _BINS - 1 - step
        total += counts[b]
        volume = 1.0
        for k in range(3):
            low[k] = min(low[k], boxes[b, k])
            high[k] = max(high[k], boxes[b, k + 3])
            volume *= high[k] - low[k] + skin
        cut = b + 1 if forward else b
        costs[cut] += total * volume if total > 0 else np.inf


@inner
def _best_cut(points, begin, end, step, box, skin, scratch):
    """Return (axis, bin, scale) of the cut with the lowest cost, estimated from every ``step``-th point.

    The axis is -1 if all points are in one bin.
    """
    counts, boxes, costs = scratch
    best = np.inf
    best_axis = -1
    best_bin = 0
    best_scale = 0.0
    for axis in range(3):
        extent = box[axis + 3] - box[axis]
        if not extent > 1e-280:
            continue
        scale = _BINS / extent
        _fill_bins(points, begin, end, step, axis, box[axis], scale, counts, boxes)
        costs[:] = 0.0
        _sweep(counts, boxes, skin, True, costs)
        _sweep(counts, boxes, skin, False, costs)
        for cut in range(1, _BINS):
            if costs[cut] < best:
                best, best_axis, best_bin, best_scale = costs[cut], axis, cut, scale
    return best_axis, best_bin, best_scale


@inner
def _swap(points, order, i, j):
    for k in range(3):
        points[i, k], points[j, k] = points[j, k], points[i, k]
    order[i], order[j] = order[j], order[i]


@inner
def _sort(points, order, state, box, most):
    """Move the points below the cut to the front, visiting at most ``most`` points; return how many were visited.

    The points that remain to be sorted lie from NEXT to LAST. At the end LAST is before NEXT, and the points above the
    cut begin at NEXT.
    """
    axis, cut = state[AXIS], state[CUT]
    low, scale = box[axis], box[_SCALE]
    i, j = state[NEXT], state[LAST]
    left = j - i + 1
    while i <= j and left - (j - i + 1) < most:
        if _bin(points[i, axis], low, scale) < cut:
            i += 1
        elif _bin(points[j, axis], low, scale) >= cut:
            j -= 1
        else:
            _swap(points, order, i, j)
            i += 1
            j -= 1
    state[NEXT], state[LAST] = i, j
    return left - (j - i + 1)


@inner
def _choose_cut(points, begin, end, level, skin, box, state, scratch):
    """Choose the cut of a node. If a node is divided in the middle, its points need no sorting."""
    step = 1 + (end - begin) // _BINNED
    axis, cut, scale = _best_cut(points, begin, end, step, box, skin, scratch)
    if axis < 0 and step > 1:  # a few points far from all others
        axis, cut, scale = _best_cut(points, begin, end, 1, box, skin, scratch)
    state[SORTING] = 1
    state[NEXT], state[LAST] = begin, end - 1
    state[AXIS], state[CUT] = axis, cut
    box[_SCALE] = scale
    if axis < 0 or level >= _DEEPEST:
        state[NEXT] = (begin + end) // 2
        state[LAST] = state[NEXT] - 1


@inner
def _look_at_next(state, stack, box):
    """Begin to split the node on top of the stack."""
    state[SORTING] = 0
    state[NEXT] = stack[max(state[STACKED] - 1, 0), 1]
    for k in range(3):
        box[k] = np.inf
        box[k + 3] = -np.inf


def new_split(total: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the initial (stack, state, box of the node that is being split)."""
    stack = np.zeros((_STACK, RANGE_NUMBERS), np.int64)
    stack[0, 2] = total
    state = np.zeros(STATE_LENGTH, np.int64)
    state[STACKED] = state[NODES] = 1
    return stack, state, np.array([np.inf] * 3 + [-np.inf] * 3 + [0.0])


@kernel
def split_points(points, order, leaf_size, skin, smallest, first, count, stack, state, box, limit):
    """Sort points (n, 3) float64 and their order into a tree (``hierarchy/bvh.py``); return True when it is complete.

    The kernel stops after visiting about ``limit`` points, also within a node, and resumes from its state. A node
    becomes a leaf if it has at most ``leaf_size`` points, or if no side of its box is longer than ``smallest``: with
    such dense points, smaller leaves would only repeat the same neighbours.
    """
    scratch = (np.empty(_BINS, np.int64), np.empty((_BINS, 6)), np.empty(_BINS))
    work = 0
    while state[STACKED] > 0 and work < limit:
        top = state[STACKED] - 1
        node, begin, end, level = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        if state[SORTING] == 0:
            stop = min(end, state[NEXT] + limit - work)
            _grow_box(points, state[NEXT], stop, box)
            work += stop - state[NEXT]
            state[NEXT] = stop
            if stop < end:
                break
            state[DEPTH] = max(state[DEPTH], level)
            longest = max(box[3] - box[0], box[4] - box[1], box[5] - box[2])
            if end - begin <= leaf_size or longest <= smallest:
                first[node] = begin
                count[node] = end - begin
                state[SETTLED] += end - begin
                state[STACKED] = top
                _look_at_next(state, stack, box)
                continue
            _choose_cut(points, begin, end, level, skin, box, state, scratch)
            work += min(end - begin, _BINNED)
        work += _sort(points, order, state, box, max(limit - work, 1))
        if state[NEXT] > state[LAST]:
            first[node] = state[NODES]
            count[node] = 0
            state[STACKED] = push_children(stack, top, state[NODES], begin, state[NEXT], end, level)
            state[NODES] += 2
            _look_at_next(state, stack, box)
    return state[STACKED] == 0
