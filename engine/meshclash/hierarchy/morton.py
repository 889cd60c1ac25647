"""Linear BVH builder: sort triangles along a Morton curve and split where the highest bit of the code changes.

Source: Lauterbach et al., "Fast BVH Construction on GPUs" (2009). Codes have 30 bits; a range of equal codes is split
in the middle. The low bits of a sort key are the triangle's index, so the order is total and the tree deterministic.
"""

import math
from collections.abc import Generator

import numpy as np

from ..geometry.quads import higher, interleave, load, lower, quad
from ..jit import inner, kernel, parallel_kernel, prange
from .bvh import Tree, finished_tree
from .ranges import RANGE_NUMBERS, push_children, push_range

_DIGIT = 10
_BINS = 1 << _DIGIT
_CELLS = np.float32(1024.0)
_LAST_CELL = np.float32(1023.0)
_SMALLEST_EXTENT = 1e-30
"""Smaller meshes [m] are too small for float32 cells: their triangles are not sorted."""
_LEAST_SIZE = 2.0**-1000
"""Smallest side [m] of the box around points that are sorted."""
_STACK = 128  # the depth is at most 30 code bits plus 31 halvings of equal codes


@inner
def _write_keys(points, triangles, begin, end, grid, keys, starts):
    """Write the keys of triangles, from the middles of their boxes, and count the values of each digit in ``starts``.

    ``grid``: half the number of cells per metre, and the position of the origin in cells on each axis, float32 (4,).
    """
    half = grid[0]
    scale = quad(half, half, half)
    shift = quad(grid[1], grid[2], grid[3])
    none = quad(np.float32(0.0), np.float32(0.0), np.float32(0.0))
    last = quad(_LAST_CELL, _LAST_CELL, _LAST_CELL)
    mask = np.uint64(_BINS - 1)
    for t in range(begin, end):
        a = load(points, 4 * np.int64(triangles[t, 0]))
        b = load(points, 4 * np.int64(triangles[t, 1]))
        c = load(points, 4 * np.int64(triangles[t, 2]))
        cell = (lower(a, lower(b, c)) + higher(a, higher(b, c))) * scale + shift
        code = interleave(lower(higher(cell, none), last))
        keys[t] = (code << np.uint64(32)) | np.uint64(t)
        for digit in range(3):
            starts[digit, (code >> np.uint64(_DIGIT * digit)) & mask] += 1


@inner
def _count_digit(keys, begin, end, digit, counts):
    """Count how many of the keys have each value of a digit."""
    mask = np.uint64(_BINS - 1)
    shift = np.uint64(32 + digit * _DIGIT)
    counts[:] = 0
    for i in range(begin, end):
        counts[(keys[i] >> shift) & mask] += 1


@inner
def _turn_into_starts(starts, digit):
    """Convert the counts of each part, (parts, 3, bins), to the position of the part's first key of each value."""
    total = 0
    for value in range(_BINS):
        for part in range(starts.shape[0]):
            count = starts[part, digit, value]
            starts[part, digit, value] = total
            total += count


@inner
def _move_keys(keys, moved, begin, end, digit, starts):
    """Move keys to their positions by one digit; keys with equal digits keep their order."""
    mask = np.uint64(_BINS - 1)
    shift = np.uint64(32 + digit * _DIGIT)
    for i in range(begin, end):
        value = (keys[i] >> shift) & mask
        moved[starts[value]] = keys[i]
        starts[value] += 1


@inner
def _sort_keys(keys, buffer, starts):
    """Radix-sort keys by the code in the upper half and return the sorted array. Equal codes stay in index order."""
    for digit in range(3):
        _turn_into_starts(starts, digit)
        _move_keys(keys, buffer, 0, keys.shape[0], digit, starts[0, digit])
        keys, buffer = buffer, keys
    return keys


@parallel_kernel
def _sort_in_parts(points, triangles, grid, keys, buffer, starts):
    """Run ``_write_keys`` and ``_sort_keys`` in as many parts as ``starts`` has; the sorted keys are in ``buffer``.

    The keys of each part go after those of the previous parts, so the result does not depend on the number of parts.
    """
    parts = starts.shape[0]
    total = keys.shape[0]
    for part in prange(parts):
        _write_keys(points, triangles, part * total // parts, (part + 1) * total // parts, grid, keys, starts[part])
    _turn_into_starts(starts, 0)
    for part in prange(parts):
        _move_keys(keys, buffer, part * total // parts, (part + 1) * total // parts, 0, starts[part, 0])
    for part in prange(parts):
        _count_digit(buffer, part * total // parts, (part + 1) * total // parts, 1, starts[part, 1])
    _turn_into_starts(starts, 1)
    for part in prange(parts):
        _move_keys(buffer, keys, part * total // parts, (part + 1) * total // parts, 1, starts[part, 1])
    for part in prange(parts):
        _count_digit(keys, part * total // parts, (part + 1) * total // parts, 2, starts[part, 2])
    _turn_into_starts(starts, 2)
    for part in prange(parts):
        _move_keys(keys, buffer, part * total // parts, (part + 1) * total // parts, 2, starts[part, 2])


@inner
def _split_position(keys, begin, end):
    """Return the index at which the highest differing code bit of keys[begin:end] changes; the middle if all codes are
    equal.
    """
    last = keys[end - 1] >> np.uint64(32)
    below = (keys[begin] >> np.uint64(32)) ^ last
    if below == np.uint64(0):
        return (begin + end) // 2
    for distance in (1, 2, 4, 8, 16):
        below |= below >> np.uint64(distance)
    first_with_bit = (last & ~(below >> np.uint64(1))) << np.uint64(32)
    low = begin
    rest = end - begin
    while rest > 1:
        half = rest >> 1
        low += half if keys[low + half - 1] < first_with_bit else 0
        rest -= half
    return low + (1 if keys[low] < first_with_bit else 0)


@inner
def _divide(keys, leaf_size, first, count, order):
    """Fill the tree over sorted keys; return (number of nodes, depth)."""
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


@kernel
def _build(points, triangles, grid, leaf_size, keys, buffer, starts, first, count, order):
    _write_keys(points, triangles, 0, triangles.shape[0], grid, keys, starts[0])
    return _divide(_sort_keys(keys, buffer, starts), leaf_size, first, count, order)


@kernel
def _divide_sorted(keys, leaf_size, first, count, order):
    return _divide(keys, leaf_size, first, count, order)


def build_morton_tree(
    points: np.ndarray, triangles: np.ndarray, bounds: np.ndarray, leaf_size: int, scratch: np.ndarray, threads: int
) -> Tree:
    """Build a tree over triangles that are sorted along a Morton curve.

    Args:
        points: vertices as returned by ``relative_points``, (n, 4) float32 [m].
        triangles: (m, 3) int32.
        bounds: lowest and highest coordinates of the triangles in the frame of the points, (2, 3) float64.
        leaf_size: maximum number of triangles in a leaf.
        scratch: an array to overwrite, at least 4 m float32, with NumPy's default alignment.
        threads: number of threads of the enclosing ``parallel_region``.
    """
    total = len(triangles)
    first = np.empty(max(1, 2 * total - 1), np.int32)
    count = np.empty_like(first)
    order = np.empty(total, np.int32)
    keys, buffer = scratch[: 4 * total].view(np.uint64).reshape(2, total)
    starts = np.zeros((threads, 3, _BINS), np.int64)
    grid = _grid(bounds)
    if threads == 1:
        nodes, depth = _build(points, triangles, grid, leaf_size, keys, buffer, starts, first, count, order)
    else:
        _sort_in_parts(points, triangles, grid, keys, buffer, starts)
        nodes, depth = _divide_sorted(buffer, leaf_size, first, count, order)
    return finished_tree(first, count, order, nodes, depth)


def morton_tree_steps(
    points: np.ndarray, triangles: np.ndarray, bounds: np.ndarray, leaf_size: int, scratch: np.ndarray, threads: int
) -> Generator[float, None, Tree]:
    """Run ``build_morton_tree`` with the interface of builders in slices; it is fast, so it is a single slice."""
    yield 0.0
    return build_morton_tree(points, triangles, bounds, leaf_size, scratch, threads)


def _grid(bounds: np.ndarray) -> np.ndarray:
    """Return the ``grid`` of ``_write_keys``: cells over a cube that contains the bounds."""
    extent = float((bounds[1] - bounds[0]).max())
    scale = float(_CELLS) / extent if extent > _SMALLEST_EXTENT else 0.0
    return np.array([0.5 * scale, *(-bounds[0] * scale)], np.float32)


@kernel
def _order_points(points, keys, buffer, starts, order):
    """Write the order of points; keys and buffer are (n,) uint64, starts (1, 3, _BINS) zeros."""
    x = y = z = math.inf
    u = v = w = -math.inf
    for i in range(points.shape[0]):
        x, y, z = min(x, points[i, 0]), min(y, points[i, 1]), min(z, points[i, 2])
        u, v, w = max(u, points[i, 0]), max(v, points[i, 1]), max(w, points[i, 2])
    scale, low = np.float64(_CELLS) / max(u - x, v - y, w - z, _LEAST_SIZE), (x, y, z)
    mask = np.uint64(_BINS - 1)
    for i in range(points.shape[0]):
        code = np.uint64(0)
        for axis in range(3):
            cell = np.uint64(np.int64(min((points[i, axis] - low[axis]) * scale, np.float64(_LAST_CELL))))
            cell = (cell | (cell << np.uint64(16))) & np.uint64(0x030000FF)  # two zero bits between its bits
            cell = (cell | (cell << np.uint64(8))) & np.uint64(0x0300F00F)
            cell = (cell | (cell << np.uint64(4))) & np.uint64(0x030C30C3)
            cell = (cell | (cell << np.uint64(2))) & np.uint64(0x09249249)
            code |= cell << np.uint64(2 - axis)
        keys[i] = (code << np.uint64(32)) | np.uint64(i)
        for digit in range(3):
            starts[0, digit, (code >> np.uint64(_DIGIT * digit)) & mask] += 1
    keys = _sort_keys(keys, buffer, starts)
    for i in range(points.shape[0]):
        order[i] = np.int64(keys[i] & np.uint64(0xFFFFFFFF))


def order_points(points: np.ndarray) -> np.ndarray:
    """Return the order (n,) int64 of points (n, 3) float64 along a Morton curve with 2**10 cells per side."""
    keys, order = np.empty((2, len(points)), np.uint64), np.empty(len(points), np.int64)
    _order_points(np.ascontiguousarray(points), *keys, np.zeros((1, 3, _BINS), np.int64), order)
    return order
