"""Top-down builders with other split rules than ``sah.py``, for comparison: rules that papers on collision detection
propose.

A node is divided at one of 15 planes per axis, between 16 bins, at which the sum over both parts of

    weight (V + c1 S + c2 E)        V, S, E: volume, half the surface area and sum of the edges of the part's box

is smallest. Equal sums are decided by S, then E, then the lower axis and bin. This covers

* ``volume``: weight 1, c1 = c2 = 0. Zachmann's rule as printed ("Minimal hierarchical collision detection", 2002): the
  smallest volume of the children. This rule cuts off thin parts.
* ``volume_n``: weight N, the number of triangles, which follows from the paper's own equations (3) and (6).
* ``kah``: weight N, c1 = 1.5 s, c2 = 1.5 s^2: the expected volume of the Minkowski sum of the part's box with a
  randomly rotated cube of side s, E[V] = V + (S_A M_B + S_B M_A) / (4 pi) + V_B with mean width integrals M (principal
  kinematic formula). This volume is proportional to the probability that the two meet. The paper's equation (5) is the
  same formula in the plane. s is 0.6 of the mean edge of the node's box. For s -> 0 the rule becomes ``volume_n``; with
  only the middle term it is ``sah``.

``median`` puts half of the triangles on either side, along the axis on which their middles spread most. ``mean``
divides at the mean of the centres, along the longest axis of the oriented box around the triangles, or the next longest
if all centres coincide along it (Gottschalk, Lin, Manocha, "OBBTree", 1996, section 4). ``mean_side`` divides at the
mean, too, but on the same axis as ``median``; this needs fewer tests (docs/measurements.md).
"""

from collections.abc import Generator

import numpy as np

from ..geometry.principal_axes import surface_axes
from ..hierarchy.build import TreeSteps
from ..hierarchy.bvh import Tree, finished_tree
from ..hierarchy.ranges import DEEPEST, DEPTH, ENTRIES, NODES, SLICE, USED, push_children, whole_range
from ..jit import inner, kernel

_BINS = 16
_PARTNER = 0.6  # side of the other object's boxes, in mean edges of the node's
_SUMS = 3  # cost, S, E

VOLUME, VOLUME_N, KAH, MEDIAN, MEAN, MEAN_SIDE = range(6)


@kernel
def _load_boxes(points, triangles, boxes):
    """Compute the boxes of the triangles, with rounding errors: they only guide the split, and are not bounds."""
    for t in range(triangles.shape[0]):
        for k in range(3):
            a = np.float64(points[triangles[t, 0], k])
            b = np.float64(points[triangles[t, 1], k])
            c = np.float64(points[triangles[t, 2], k])
            boxes[t, k] = min(a, b, c)
            boxes[t, k + 3] = max(a, b, c)


@inner
def _clear(box):
    for k in range(3):
        box[k] = np.inf
        box[k + 3] = -np.inf


@inner
def _extend(box, other):
    for k in range(3):
        box[k] = min(box[k], other[k])
        box[k + 3] = max(box[k + 3], other[k + 3])


@inner
def _middles(boxes, order, begin, end, whole, low, scale):
    """Compute the node's box, and per axis the lowest doubled centre and the bins per metre (0 if all coincide)."""
    _clear(whole)
    for k in range(3):
        low[k] = np.inf
        scale[k] = -np.inf
    for entry in range(begin, end):
        box = boxes[order[entry]]
        _extend(whole, box)
        for k in range(3):
            low[k] = min(low[k], box[k] + box[k + 3])
            scale[k] = max(scale[k], box[k] + box[k + 3])
    for k in range(3):
        extent = scale[k] - low[k]
        scale[k] = _BINS / extent if extent > 1e-30 else 0.0


@inner
def _bin_of(box, axis, low, scale):
    return min(max(np.int64((box[axis] + box[axis + 3] - low[axis]) * scale[axis]), 0), _BINS - 1)


@inner
def _measure(rule, side, count, box, sums):
    """Compute cost, half surface area and edges of a part. The cost of a part without triangles is infinite."""
    if count == 0:
        sums[0] = np.inf
        return
    x, y, z = box[3] - box[0], box[4] - box[1], box[5] - box[2]
    area = x * y + y * z + z * x
    edges = x + y + z
    cost = x * y * z
    if rule == KAH:
        cost += 1.5 * side * area + 1.5 * side * side * edges
    if rule != VOLUME:
        cost *= count
    sums[0], sums[1], sums[2] = cost, area, edges


@inner
def _is_less(sums, others, best):
    """Return whether the cost of two parts is less than the least cost so far."""
    for k in range(_SUMS):
        total = sums[k] + others[k]
        if total != best[k]:
            return total < best[k]
    return False


@inner
def _best_division(boxes, order, begin, end, rule, side, low, scale, counts, bins, box, sums, right, best):
    """Return (axis, first bin of the right part) of the cheapest split; the axis is -1 without a split."""
    counts[:] = 0
    for axis in range(3):
        for b in range(_BINS):
            _clear(bins[axis, b])
    for entry in range(begin, end):
        own = boxes[order[entry]]
        for axis in range(3):
            b = _bin_of(own, axis, low, scale)
            counts[axis, b] += 1
            _extend(bins[axis, b], own)
    best[:] = np.inf
    best_axis = -1
    best_bin = 0
    for axis in range(3):
        if scale[axis] == 0.0:
            continue
        _clear(box)
        count = 0
        for b in range(_BINS - 1, 0, -1):
            count += counts[axis, b]
            _extend(box, bins[axis, b])
            _measure(rule, side, count, box, right[b])
        _clear(box)
        count = 0
        for b in range(_BINS - 1):
            count += counts[axis, b]
            _extend(box, bins[axis, b])
            _measure(rule, side, count, box, sums)
            if sums[0] < np.inf and right[b + 1, 0] < np.inf and _is_less(sums, right[b + 1], best):
                for k in range(_SUMS):
                    best[k] = sums[k] + right[b + 1, k]
                best_axis = axis
                best_bin = b + 1
    return best_axis, best_bin


@inner
def _partition(boxes, order, begin, end, axis, bin_limit, low, scale):
    """Move the triangles of bins below ``bin_limit`` to the front; return the index of the first remaining triangle."""
    front = begin
    back = end
    while front < back:
        if _bin_of(boxes[order[front]], axis, low, scale) < bin_limit:
            front += 1
        else:
            back -= 1
            order[front], order[back] = order[back], order[front]
    return front


@inner
def _before(boxes, t, u, axis):
    """Return whether triangle t comes before u along an axis. Ties are broken by index, so the order is total."""
    a = boxes[t, axis] + boxes[t, axis + 3]
    b = boxes[u, axis] + boxes[u, axis + 3]
    return a < b or (a == b and t < u)


@inner
def _select_median(boxes, order, begin, end, axis):
    """Move the lower half of the triangles along an axis to the front (Hoare's quickselect)."""
    wanted = (begin + end) // 2
    low = begin
    high = end - 1
    while low < high:
        pivot = order[(low + high) // 2]
        i = low
        j = high
        while i <= j:
            while _before(boxes, order[i], pivot, axis):
                i += 1
            while _before(boxes, pivot, order[j], axis):
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            break
    return wanted


@inner
def _widest(scale):
    """Return the axis on which the middles spread most."""
    widest = 0
    for k in range(1, 3):
        if scale[k] > 0.0 and (scale[widest] == 0.0 or scale[k] < scale[widest]):
            widest = k
    return widest


@inner
def _split_boxes_at_mean(boxes, order, begin, end, axis):
    """Move the triangles whose boxes' middles are below the mean along an axis to the front; as ``_split_at_mean``."""
    mean = 0.0
    for entry in range(begin, end):
        box = boxes[order[entry]]
        mean += (box[axis] + box[axis + 3]) / (end - begin)
    front = begin
    back = end
    while front < back:
        box = boxes[order[front]]
        if box[axis] + box[axis + 3] < mean:
            front += 1
        else:
            back -= 1
            order[front], order[back] = order[back], order[front]
    return front


@inner
def _longest_first(corners, order, begin, end, room, axes, extents):
    """Compute the axes (3, 3) of the box of OBB trees around some triangles, the longest first.

    Args:
        corners: corners of all triangles, (m, 3, 3).
        room: (3 m, 3) work array.
        extents: (3,) work array: extents along the axes.
    """
    used = 0
    for entry in range(begin, end):
        for c in range(3):
            for k in range(3):
                room[used, k] = corners[order[entry], c, k]
            used += 1
    surface_axes(room[:used], axes)
    for axis in range(3):
        low = np.inf
        high = -np.inf
        for i in range(used):
            offset = axes[axis, 0] * room[i, 0] + axes[axis, 1] * room[i, 1] + axes[axis, 2] * room[i, 2]
            low = min(low, offset)
            high = max(high, offset)
        extents[axis] = high - low
    for first in range(2):
        for second in range(first + 1, 3):
            if extents[second] > extents[first]:
                extents[first], extents[second] = extents[second], extents[first]
                for k in range(3):
                    axes[first, k], axes[second, k] = axes[second, k], axes[first, k]


@inner
def _along(corners, t, axes, axis):
    """Return three times the offset of a triangle's centre along an axis."""
    total = 0.0
    for c in range(3):
        for k in range(3):
            total += axes[axis, k] * corners[t, c, k]
    return total


@inner
def _split_at_mean(corners, order, begin, end, axes, axis):
    """Move the triangles below the mean along an axis to the front; return the index of the first remaining
    triangle.
    """
    mean = 0.0
    for entry in range(begin, end):
        mean += _along(corners, order[entry], axes, axis) / (end - begin)
    front = begin
    back = end
    while front < back:
        if _along(corners, order[front], axes, axis) < mean:
            front += 1
        else:
            back -= 1
            order[front], order[back] = order[back], order[front]
    return front


@inner
def _divide_at_mean(corners, order, begin, end, room, axes, extents):
    """Divide triangles at the mean, along the longest axis on which the mean divides them, otherwise in halves."""
    _longest_first(corners, order, begin, end, room, axes, extents)
    for axis in range(3):
        front = _split_at_mean(corners, order, begin, end, axes, axis)
        if begin < front < end:
            return front
    return (begin + end) // 2


@kernel
def _divide(boxes, corners, rule, leaf_size, most, stack, state, first, count, order):
    """Continue the tree until it is complete or ``most`` triangles were visited; return whether it is complete.

    ``boxes`` (m, 6) and ``corners`` (m, 3, 3) are data of the triangles; a rule reads one of these arrays, the other
    array is empty.
    """
    room, axes, extents = np.empty((3 * corners.shape[0], 3)), np.empty((3, 3)), np.empty(3)
    counts = np.empty((3, _BINS), np.int64)
    bins = np.empty((3, _BINS, 6))
    whole, box = np.empty(6), np.empty(6)
    low, scale = np.empty(3), np.empty(3)
    sums, best, right = np.empty(_SUMS), np.empty(_SUMS), np.empty((_BINS, _SUMS))
    used, nodes, depth, entries = state[USED], state[NODES], state[DEPTH], state[ENTRIES]
    seen = 0
    while used > 0 and seen < most:
        used -= 1
        node = stack[used, 0]
        begin = stack[used, 1]
        end = stack[used, 2]
        level = stack[used, 3]
        depth = max(depth, level)
        seen += end - begin
        if end - begin <= leaf_size:
            first[node] = begin
            count[node] = end - begin
            entries += end - begin
            continue
        middle = (begin + end) // 2
        if rule != MEAN:
            _middles(boxes, order, begin, end, whole, low, scale)
        if rule == MEDIAN:
            middle = _select_median(boxes, order, begin, end, _widest(scale))
        elif rule == MEAN_SIDE:
            front = _split_boxes_at_mean(boxes, order, begin, end, _widest(scale))
            if level < DEEPEST and begin < front < end:
                middle = front
        elif rule == MEAN:
            if level < DEEPEST:
                middle = _divide_at_mean(corners, order, begin, end, room, axes, extents)
        elif level < DEEPEST:
            side = _PARTNER * (whole[3] - whole[0] + whole[4] - whole[1] + whole[5] - whole[2]) / 3.0
            axis, limit = _best_division(
                boxes, order, begin, end, rule, side, low, scale, counts, bins, box, sums, right, best
            )
            if axis >= 0:
                middle = _partition(boxes, order, begin, end, axis, limit, low, scale)
        first[node] = nodes
        count[node] = 0
        used = push_children(stack, used, nodes, begin, middle, end, level)
        nodes += 2
    state[USED], state[NODES], state[DEPTH], state[ENTRIES] = used, nodes, depth, entries
    return used == 0


def _builder(rule: int) -> TreeSteps:
    def tree_steps(
        points: np.ndarray, triangles: np.ndarray, bounds: np.ndarray, leaf_size: int, scratch: np.ndarray, threads: int
    ) -> Generator[float, None, Tree]:
        """Build a tree over triangles by one of the rules above; a ``TreeSteps``."""
        total = len(triangles)
        first = np.empty(max(1, 2 * total - 1), np.int32)
        count = np.empty_like(first)
        order = np.arange(total, dtype=np.int32)
        corners = points[triangles] if rule == MEAN else np.empty((0, 3, 3))
        boxes = np.empty((total if rule != MEAN else 0, 6))
        if rule != MEAN:
            _load_boxes(points, triangles, boxes)
        stack, state = whole_range(total)
        while not _divide(boxes, corners, rule, leaf_size, SLICE, stack, state, first, count, order):
            yield state[ENTRIES] / total
        return finished_tree(first, count, order, int(state[NODES]), int(state[DEPTH]))

    return tree_steps


HEURISTICS = {
    "volume": _builder(VOLUME),
    "volume_n": _builder(VOLUME_N),
    "kah": _builder(KAH),
    "median": _builder(MEDIAN),
    "mean": _builder(MEAN),
    "mean_side": _builder(MEAN_SIDE),
}
"""Builders by name of their split rule."""
