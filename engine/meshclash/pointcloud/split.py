"""The tree over the points: every node is divided where the boxes of its halves take the least volume.

Source: Klein and Zachmann (2004), section 4.2, after Zachmann (2002). The points themselves are brought into the
order of the leaves. Each volume is weighted by its number of points, without which slivers are peeled off, and boxes
are taken with the skin that the surface needs around its points, without which flat ones would all be free.
"""

import numpy as np

from ..hierarchy.ranges import RANGE_NUMBERS, push_children
from ..jit import inner, kernel

# Entries of the state array: entries of the stack, nodes, depth, points that lie in leaves already.
STACKED, NODES, DEPTH, SETTLED, STATE_LENGTH = range(5)

_BINS = 16
_BINNED = 1 << 16  # about so many points of a node tell where to cut it; more of them would hold a window
_DEEPEST = 64
_STACK = 128  # one sibling for each of 64 levels and of the at most 31 halvings below


@inner
def _bin(coordinate, low, scale):
    return min(max(int((coordinate - low) * scale), 0), _BINS - 1)


@inner
def _range_box(points, begin, end, box):
    for k in range(3):
        low = np.inf
        high = -np.inf
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
    """Add to each cut the cost of the bins before it (or behind it): points times volume; cut c is before bin c."""
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
    """(axis, bin, scale) of the cheapest cut, by every ``step``-th point; axis -1 where they are all in one bin."""
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
def _partition(points, order, begin, end, axis, low, scale, cut):
    """Bring the points below the cut to the front; returns where the others begin."""
    i = begin
    j = end - 1
    while True:
        while i <= j and _bin(points[i, axis], low, scale) < cut:
            i += 1
        while i <= j and _bin(points[j, axis], low, scale) >= cut:
            j -= 1
        if i >= j:
            return i
        _swap(points, order, i, j)


def new_split(total: int) -> tuple[np.ndarray, np.ndarray]:
    """Stack and state of ``split_points`` before anything is divided."""
    stack = np.zeros((_STACK, RANGE_NUMBERS), np.int64)
    stack[0, 2] = total
    state = np.zeros(STATE_LENGTH, np.int64)
    state[STACKED] = state[NODES] = 1
    return stack, state


@kernel
def split_points(points, order, leaf_size, skin, smallest, first, count, stack, state, limit):
    """Sort points (n, 3) float64 and their order into a tree (``hierarchy/bvh.py``); True when all is divided.

    It stops after about ``limit`` points looked at and goes on from its state. A node is a leaf when it has at most
    ``leaf_size`` points, or when its box is nowhere longer than ``smallest``: where points are so dense, smaller
    leaves would only repeat the same neighbours.
    """
    scratch = (np.empty(_BINS, np.int64), np.empty((_BINS, 6)), np.empty(_BINS))
    box = np.empty(6)
    work = 0
    while state[STACKED] > 0 and work < limit:
        state[STACKED] -= 1
        top = state[STACKED]
        node, begin, end, level = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        work += end - begin
        state[DEPTH] = max(state[DEPTH], level)
        _range_box(points, begin, end, box)
        longest = max(box[3] - box[0], box[4] - box[1], box[5] - box[2])
        if end - begin <= leaf_size or longest <= smallest:
            first[node] = begin
            count[node] = end - begin
            state[SETTLED] += end - begin
            continue
        step = 1 + (end - begin) // _BINNED
        axis, cut, scale = _best_cut(points, begin, end, step, box, skin, scratch)
        if axis < 0 and step > 1:  # a few points far from all others
            axis, cut, scale = _best_cut(points, begin, end, 1, box, skin, scratch)
        if axis < 0 or level >= _DEEPEST:
            middle = (begin + end) // 2
        else:
            middle = _partition(points, order, begin, end, axis, box[axis], scale, cut)
        first[node] = state[NODES]
        count[node] = 0
        state[STACKED] = push_children(stack, state[STACKED], state[NODES], begin, middle, end, level)
        state[NODES] += 2
    return state[STACKED] == 0
