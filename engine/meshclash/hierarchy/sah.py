"""Top-down builder: every node is divided where the surface area heuristic finds it cheapest, among 16 bins an axis.

Sources: MacDonald and Booth, "Heuristics for ray tracing using space subdivision" (1990); Wald, "On fast Construction
of SAH-based Bounding Volume Hierarchies" (2007). Triangles go to the bin of their box's middle; equal costs are decided
by the lower axis and bin, so the tree is always the same. Nodes whose middles all coincide, and nodes deeper than
``_DEEPEST``, are halved, which bounds the depth.
"""

import numpy as np

from ..geometry.quads import component, higher, load, lower
from ..jit import inner, kernel
from .bvh import Tree, finished_tree
from .ranges import RANGE_NUMBERS, push_children, push_range

_BINS = 16
_DEEPEST = 64
_STACK = 128  # one sibling for each of 64 levels and of the at most 31 halvings below
_EMPTY = np.float32(np.inf)


@inner
def _load_boxes(points, triangles, boxes):
    """Boxes of the triangles: they steer the division and bound nothing."""
    for t in range(triangles.shape[0]):
        a = load(points, 4 * np.int64(triangles[t, 0]))
        b = load(points, 4 * np.int64(triangles[t, 1]))
        c = load(points, 4 * np.int64(triangles[t, 2]))
        lowest = lower(a, lower(b, c))
        highest = higher(a, higher(b, c))
        for k in range(3):
            boxes[t, k] = component(lowest, k)
            boxes[t, k + 3] = component(highest, k)


@inner
def _middles_range(boxes, order, begin, end, low, scale):
    """Lowest middle of a node's boxes and bins per metre on each axis (0 where all coincide)."""
    for k in range(3):
        lowest = _EMPTY
        highest = -_EMPTY
        for entry in range(begin, end):
            t = order[entry]
            middle = boxes[t, k] + boxes[t, k + 3]
            lowest = min(lowest, middle)
            highest = max(highest, middle)
        low[k] = lowest
        extent = highest - lowest
        scale[k] = np.float32(_BINS) / extent if extent > np.float32(1e-30) else np.float32(0.0)


@inner
def _bin_of(boxes, t, axis, low, scale):
    cell = np.int64((boxes[t, axis] + boxes[t, axis + 3] - low[axis]) * scale[axis])
    return min(max(cell, 0), _BINS - 1)


@inner
def _fill_bins(boxes, order, begin, end, low, scale, counts, bins):
    """Triangles and bounds of every bin on every axis."""
    for axis in range(3):
        for b in range(_BINS):
            counts[axis, b] = 0
            for k in range(3):
                bins[axis, b, k] = _EMPTY
                bins[axis, b, k + 3] = -_EMPTY
    for entry in range(begin, end):
        t = order[entry]
        for axis in range(3):
            b = _bin_of(boxes, t, axis, low, scale)
            counts[axis, b] += 1
            for k in range(3):
                bins[axis, b, k] = min(bins[axis, b, k], boxes[t, k])
                bins[axis, b, k + 3] = max(bins[axis, b, k + 3], boxes[t, k + 3])


@inner
def _partition(boxes, order, begin, end, axis, bin_limit, low, scale):
    """Bring the triangles of bins below ``bin_limit`` to the front; returns where the others start."""
    front = begin
    back = end
    while front < back:
        if _bin_of(boxes, order[front], axis, low, scale) < bin_limit:
            front += 1
        else:
            back -= 1
            order[front], order[back] = order[back], order[front]
    return front


@inner
def _best_division(counts, bins, scale, box, right_costs):
    """(axis, first bin of the right part) of the cheapest division; axis -1 when there is none."""
    best = np.inf
    best_axis = -1
    best_bin = 0
    for axis in range(3):
        if scale[axis] == np.float32(0.0):
            continue
        for direction in range(2):  # costs of right parts from the last bin down, then left parts from the first up
            count = 0
            for k in range(3):
                box[k] = _EMPTY
                box[k + 3] = -_EMPTY
            for step in range(_BINS - 1):
                b = step if direction == 1 else _BINS - 1 - step
                count += counts[axis, b]
                for k in range(3):
                    box[k] = min(box[k], bins[axis, b, k])
                    box[k + 3] = max(box[k + 3], bins[axis, b, k + 3])
                cost = np.inf
                if count > 0:
                    dx = np.float64(box[3] - box[0])
                    dy = np.float64(box[4] - box[1])
                    dz = np.float64(box[5] - box[2])
                    cost = count * (dx * dy + dy * dz + dz * dx)
                if direction == 0:
                    right_costs[b] = cost
                elif cost + right_costs[b + 1] < best:
                    best = cost + right_costs[b + 1]
                    best_axis = axis
                    best_bin = b + 1
    return best_axis, best_bin


@kernel
def _build(points, triangles, leaf_size, boxes, first, count, order):
    """Fill the tree; returns (number of nodes, depth)."""
    _load_boxes(points, triangles, boxes)
    for t in range(order.shape[0]):
        order[t] = t
    counts = np.empty((3, _BINS), np.int64)
    bins = np.empty((3, _BINS, 6), np.float32)
    box = np.empty(6, np.float32)
    right_costs = np.empty(_BINS)
    low = np.empty(3, np.float32)
    scale = np.empty(3, np.float32)
    stack = np.empty((_STACK, RANGE_NUMBERS), np.int64)
    used = push_range(stack, 0, 0, 0, order.shape[0], 0)
    nodes = 1
    depth = 0
    while used > 0:
        used -= 1
        node = stack[used, 0]
        begin = stack[used, 1]
        end = stack[used, 2]
        level = stack[used, 3]
        depth = max(depth, level)
        if end - begin <= leaf_size:
            first[node] = begin
            count[node] = end - begin
            continue
        middle = (begin + end) // 2
        if level < _DEEPEST:
            _middles_range(boxes, order, begin, end, low, scale)
            _fill_bins(boxes, order, begin, end, low, scale, counts, bins)
            axis, limit = _best_division(counts, bins, scale, box, right_costs)
            if axis >= 0:
                middle = _partition(boxes, order, begin, end, axis, limit, low, scale)
        first[node] = nodes
        count[node] = 0
        used = push_children(stack, used, nodes, begin, middle, end, level)
        nodes += 2
    return nodes, depth


def build_sah_tree(points: np.ndarray, triangles: np.ndarray, bounds: np.ndarray, leaf_size: int) -> Tree:
    """Tree over triangles by the surface area heuristic; arguments as ``build_morton_tree``."""
    total = len(triangles)
    first = np.empty(max(1, 2 * total - 1), np.int32)
    count = np.empty_like(first)
    order = np.empty(total, np.int32)
    boxes = np.empty((total, 6), np.float32)
    nodes, depth = _build(points, triangles, leaf_size, boxes, first, count, order)
    return finished_tree(first, count, order, nodes, depth)
