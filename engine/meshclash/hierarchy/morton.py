"""Linear hierarchies: triangles sorted along a Morton curve, split where the highest bit of the code changes.

Source: Lauterbach et al., "Fast BVH Construction on GPUs" (2009). Codes have 30 bits; equal codes are split in the
middle. The sort key holds the triangle's index below its code, so the order is total and the tree always the same.
"""

import numpy as np

from ..jit import inner, kernel
from .bvh import Tree
from .ranges import RANGE_NUMBERS, push_children, push_range

_DIGIT = 10
_BINS = 1 << _DIGIT
_STACK = 128  # the depth is at most 30 code bits plus 31 halvings of equal codes


@inner
def _spread_bits(x):
    """Insert two zero bits between the ten bits of x."""
    x = (x | (x << np.uint64(16))) & np.uint64(0x030000FF)
    x = (x | (x << np.uint64(8))) & np.uint64(0x0300F00F)
    x = (x | (x << np.uint64(4))) & np.uint64(0x030C30C3)
    return (x | (x << np.uint64(2))) & np.uint64(0x09249249)


@inner
def _axis_code(lowest, highest, low, scale):
    """Ten bits of the middle of an interval, at ``scale`` cells a metre from ``low``."""
    cell = (0.5 * lowest + 0.5 * highest - low) * scale
    return np.uint64(min(max(cell, 0.0), 1023.0))


@inner
def _write_keys(vertices, triangles, low, scale, keys):
    for t in range(triangles.shape[0]):
        i = triangles[t, 0]
        j = triangles[t, 1]
        k = triangles[t, 2]
        code = np.uint64(0)
        for axis in range(3):
            a = vertices[i, axis]
            b = vertices[j, axis]
            c = vertices[k, axis]
            cell = _axis_code(min(a, b, c), max(a, b, c), low[axis], scale)
            code |= _spread_bits(cell) << np.uint64(axis)
        keys[t] = (code << np.uint64(32)) | np.uint64(t)


@inner
def _sort_keys(keys, buffer):
    """Radix sort by the code in the upper half, stable, so equal codes stay in index order; gives the sorted array."""
    for digit in range(3):
        shift = np.uint64(32 + digit * _DIGIT)
        start = np.zeros(_BINS + 1, np.int64)
        for i in range(keys.shape[0]):
            start[((keys[i] >> shift) & np.uint64(_BINS - 1)) + np.uint64(1)] += 1
        for i in range(_BINS):
            start[i + 1] += start[i]
        for i in range(keys.shape[0]):
            bin_index = (keys[i] >> shift) & np.uint64(_BINS - 1)
            buffer[start[bin_index]] = keys[i]
            start[bin_index] += 1
        keys, buffer = buffer, keys
    return keys


@inner
def _split_position(keys, begin, end):
    """Where the highest differing code bit of keys[begin:end] changes; the middle when all codes are equal."""
    difference = (keys[begin] ^ keys[end - 1]) >> np.uint64(32)
    if difference == np.uint64(0):
        return (begin + end) // 2
    bit = np.uint64(32)
    while difference > np.uint64(1):
        difference >>= np.uint64(1)
        bit += np.uint64(1)
    low = begin
    high = end - 1
    while low < high:
        middle = (low + high) // 2
        if (keys[middle] >> bit) & np.uint64(1):
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def _build(vertices, triangles, low, scale, leaf_size, keys, buffer, first, count, order):
    """Fill the tree; returns (number of nodes, depth)."""
    _write_keys(vertices, triangles, low, scale, keys)
    keys = _sort_keys(keys, buffer)
    for i in range(order.shape[0]):
        order[i] = np.int32(keys[i] & np.uint64(0xFFFFFFFF))
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
        middle = _split_position(keys, begin, end)
        first[node] = nodes
        count[node] = 0
        used = push_children(stack, used, nodes, begin, middle, end, level)
        nodes += 2
    return nodes, depth


def build_morton_tree(vertices: np.ndarray, triangles: np.ndarray, bounds: np.ndarray, leaf_size: int) -> Tree:
    """Tree over triangles along a Morton curve.

    Args:
        vertices: (n, 3) float64 [m].
        triangles: (m, 3) int32.
        bounds: lowest and highest coordinates of the triangles, (2, 3) float64.
        leaf_size: most triangles of a leaf.
    """
    total = len(triangles)
    capacity = max(1, 2 * total - 1)
    first = np.empty(capacity, np.int32)
    count = np.empty(capacity, np.int32)
    order = np.empty(total, np.int32)
    extent = float((bounds[1] - bounds[0]).max())
    scale = 1024.0 / extent if extent > 1e-280 else 0.0
    keys = np.empty(total, np.uint64)
    nodes, depth = _build(
        vertices, triangles, bounds[0].copy(), scale, leaf_size, keys, np.empty_like(keys), first, count, order
    )
    return Tree(first[:nodes].copy(), count[:nodes].copy(), order, depth)
