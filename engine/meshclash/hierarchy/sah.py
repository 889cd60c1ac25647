"""Top-down builder: split every node where the surface area heuristic (SAH) is lowest, with 16 bins per axis.

The builder divides clusters instead of single triangles: the leaves of a Morton tree, with at most four triangles each.
This takes half the time, and queries on the tree need a few per cent more volume tests.

Sources: MacDonald and Booth, "Heuristics for ray tracing using space subdivision" (1990); Wald, "On fast Construction
of SAH-based Bounding Volume Hierarchies" (2007); clusters as in Garanzha et al., "Simpler and Faster HLBVH with Work
Queues" (2011). A cluster goes to the bin of the centre of its box. If costs are equal, the lower axis and bin are
chosen, so the tree is deterministic. Nodes whose centres all coincide, and nodes from level ``DEEPEST`` on, are divided
in the middle of their range, which bounds the depth.
"""

from collections.abc import Generator

import numpy as np

from ..geometry.quads import component, higher, load, lower, quad, store
from ..jit import inlined, inner, kernel
from .bvh import Tree, finished_tree
from .morton import build_morton_tree
from .ranges import DEEPEST, DEPTH, ENTRIES, NODES, SLICE, USED, push_children, whole_range

_CLUSTER = 4
_ROW = 8
"""Numbers in a cluster: lowest x, y, z of its box, first index in the Morton order; highest x, y, z, triangle count."""
_FIRST, _SIZE = 3, 7
_BINS = 16
_EMPTY = np.float32(np.inf)


@kernel
def _gather_clusters(first, count, order, points, triangles, rows, words):
    """Fill a row for every leaf of the Morton tree; return the number of rows."""
    made = 0
    for node in range(first.shape[0]):
        if count[node] == 0:
            continue
        lowest = quad(_EMPTY, _EMPTY, _EMPTY)
        highest = quad(-_EMPTY, -_EMPTY, -_EMPTY)
        for entry in range(first[node], first[node] + count[node]):
            for k in range(3):
                p = load(points, 4 * np.int64(triangles[order[entry], k]))
                lowest = lower(lowest, p)
                highest = higher(highest, p)
        store(rows, _ROW * made, lowest)
        store(rows, _ROW * made + 4, highest)
        words[made, _FIRST] = first[node]
        words[made, _SIZE] = count[node]
        made += 1
    return made


@inner
def _bins_over(rows, begin, end):
    """Return the lowest centre (doubled, like all centres here) and bins per metre on each axis; 0 if all coincide."""
    lowest = quad(_EMPTY, _EMPTY, _EMPTY)
    highest = quad(-_EMPTY, -_EMPTY, -_EMPTY)
    for row in range(begin, end):
        middle = load(rows, _ROW * row) + load(rows, _ROW * row + 4)
        lowest = lower(lowest, middle)
        highest = higher(highest, middle)
    extent = highest - lowest
    return lowest, quad(
        _bins_a_metre(component(extent, 0)), _bins_a_metre(component(extent, 1)), _bins_a_metre(component(extent, 2))
    )


@inlined
def _bins_a_metre(extent):
    return np.float32(_BINS) / extent if extent > np.float32(1e-30) else np.float32(0.0)


@inlined
def _bins_of(rows, row, low, scale):
    """Return the bin of a cluster on each axis, 0.0 to 15.0, still to be rounded towards 0."""
    last = quad(np.float32(_BINS - 1), np.float32(_BINS - 1), np.float32(_BINS - 1))
    none = quad(np.float32(0.0), np.float32(0.0), np.float32(0.0))
    position = (load(rows, _ROW * row) + load(rows, _ROW * row + 4) - low) * scale
    return lower(higher(position, none), last)


@inner
def _fill_bins(rows, words, begin, end, low, scale, counts, bins):
    """Fill the triangle count and bounds of every bin on every axis."""
    for axis in range(3):
        for b in range(_BINS):
            counts[axis, b] = 0
            store(bins, _ROW * (_BINS * axis + b), quad(_EMPTY, _EMPTY, _EMPTY))
            store(bins, _ROW * (_BINS * axis + b) + 4, quad(-_EMPTY, -_EMPTY, -_EMPTY))
    for row in range(begin, end):
        lowest = load(rows, _ROW * row)
        highest = load(rows, _ROW * row + 4)
        size = words[row, _SIZE]
        position = _bins_of(rows, row, low, scale)
        for axis in range(3):
            b = np.int64(component(position, axis))
            counts[axis, b] += size
            at = _ROW * (_BINS * axis + b)
            store(bins, at, lower(load(bins, at), lowest))
            store(bins, at + 4, higher(load(bins, at + 4), highest))


@inner
def _partition(rows, begin, end, axis, bin_limit, low, scale):
    """Move the clusters of bins below ``bin_limit`` to the front; return the index of the first remaining cluster."""
    front = begin
    back = end
    while front < back:
        if np.int64(component(_bins_of(rows, front, low, scale), axis)) < bin_limit:
            front += 1
            continue
        back -= 1
        for half in (0, 4):
            kept = load(rows, _ROW * front + half)
            store(rows, _ROW * front + half, load(rows, _ROW * back + half))
            store(rows, _ROW * back + half, kept)
    return front


@inlined
def _cost(count, lowest, highest):
    """Return the triangle count times half the surface area of their box; infinite for no triangles."""
    if count == 0:
        return np.inf
    x = np.float64(component(highest, 0) - component(lowest, 0))
    y = np.float64(component(highest, 1) - component(lowest, 1))
    z = np.float64(component(highest, 2) - component(lowest, 2))
    return count * (x * y + y * z + z * x)


@inner
def _best_division(counts, bins, scale, right_costs):
    """Return (axis, first bin of the right part) of the cheapest split; axis -1 without a split."""
    best = np.inf
    best_axis = -1
    best_bin = 0
    for axis in range(3):
        if component(scale, axis) == np.float32(0.0):
            continue
        start = _ROW * _BINS * axis
        count = 0
        lowest = quad(_EMPTY, _EMPTY, _EMPTY)
        highest = quad(-_EMPTY, -_EMPTY, -_EMPTY)
        for b in range(_BINS - 1, 0, -1):
            count += counts[axis, b]
            lowest = lower(lowest, load(bins, start + _ROW * b))
            highest = higher(highest, load(bins, start + _ROW * b + 4))
            right_costs[b] = _cost(count, lowest, highest)
        count = 0
        lowest = quad(_EMPTY, _EMPTY, _EMPTY)
        highest = quad(-_EMPTY, -_EMPTY, -_EMPTY)
        for b in range(_BINS - 1):
            count += counts[axis, b]
            lowest = lower(lowest, load(bins, start + _ROW * b))
            highest = higher(highest, load(bins, start + _ROW * b + 4))
            cost = _cost(count, lowest, highest) + right_costs[b + 1]
            if cost < best:
                best = cost
                best_axis = axis
                best_bin = b + 1
    return best_axis, best_bin


@inner
def _fits_leaf(words, begin, end, leaf_size):
    """Return the number of triangles of clusters if they fit into a leaf, otherwise 0."""
    total = np.int64(0)
    for row in range(begin, end):
        total += words[row, _SIZE]
        if total > leaf_size:
            return np.int64(0)
    return total


@inner
def _list_triangles(words, begin, end, listed, order, entry):
    """Write the triangles of clusters to the leaf that begins at ``entry``; ``listed`` contains them in Morton
    order.
    """
    for row in range(begin, end):
        for k in range(words[row, _FIRST], words[row, _FIRST] + words[row, _SIZE]):
            order[entry] = listed[k]
            entry += 1


@kernel
def _divide(rows, words, listed, leaf_size, most, stack, state, first, count, order):
    """Split nodes until the tree is complete or ``most`` clusters were processed; ``listed``: Morton order.

    Returns whether the tree is complete; if not, the next call continues.
    """
    counts = np.empty((3, _BINS), np.int64)
    bins = np.empty(3 * _BINS * _ROW, np.float32)
    right_costs = np.empty(_BINS)
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
        size = _fits_leaf(words, begin, end, leaf_size)
        if size > 0:
            first[node] = entries
            count[node] = size
            _list_triangles(words, begin, end, listed, order, entries)
            entries += size
            continue
        middle = (begin + end) // 2
        if level < DEEPEST:
            low, scale = _bins_over(rows, begin, end)
            _fill_bins(rows, words, begin, end, low, scale, counts, bins)
            axis, limit = _best_division(counts, bins, scale, right_costs)
            if axis >= 0:
                middle = _partition(rows, begin, end, axis, limit, low, scale)
        first[node] = nodes
        count[node] = 0
        used = push_children(stack, used, nodes, begin, middle, end, level)
        nodes += 2
    state[USED], state[NODES], state[DEPTH], state[ENTRIES] = used, nodes, depth, entries
    return used == 0


def sah_tree_steps(
    points: np.ndarray, triangles: np.ndarray, bounds: np.ndarray, leaf_size: int, scratch: np.ndarray, threads: int
) -> Generator[float, None, Tree]:
    """Build a tree over triangles by the surface area heuristic, in slices; arguments as ``build_morton_tree``.

    Yields the fraction of triangles already in a leaf. ``scratch`` needs 8 m numbers.
    """
    clusters = build_morton_tree(points, triangles, bounds, min(_CLUSTER, leaf_size), scratch, threads)
    yield 0.0
    total = (len(clusters.first) + 1) // 2
    rows = scratch[: _ROW * total].reshape(total, _ROW)
    words = rows.view(np.int32)
    first = np.empty(2 * total - 1, np.int32)
    count = np.empty_like(first)
    order = np.empty_like(clusters.order)
    stack, state = whole_range(_gather_clusters(*clusters[:3], points, triangles, rows, words))
    while not _divide(rows, words, clusters.order, leaf_size, SLICE, stack, state, first, count, order):
        yield state[ENTRIES] / len(order)
    return finished_tree(first, count, order, int(state[NODES]), int(state[DEPTH]))
