"""Kernels of the build: Morton keys, radix sort, links, boxes. ``karras.py`` has the work of one thread."""

import numpy as np

from .cuda_gpu import SIMULATED, THREADS, cuda, kernel
from .karras import INDEX_BITS, INDEX_MASK, leaf_box, link_key, merge_boxes, morton_key

DIGIT_BITS = 6
BINS = 1 << DIGIT_BITS
"""Number of different digits."""
_DIGIT_MASK = BINS - 1
_ROW = THREADS + 2
"""Counters per digit: one for each thread, plus two so that the counters of one thread lie in different banks of shared
memory."""
_COUNTERS = BINS * _ROW
_EACH = 2 if SIMULATED else 8
TILE = THREADS * _EACH
"""Keys that a block sorts at a time, counted in int16. A thread takes neighbouring keys, so the sort is stable."""


@kernel("void(int32[:,::1], float64[:,::1], int32[::1], float64[:,::1], float32[:,::1], int64[::1])")
def make_keys(triangles, vertices, tree_of, origins, grids, keys):
    """Compute the Morton key of every triangle."""
    for t in range(cuda.grid(1), triangles.shape[0], cuda.gridsize(1)):
        keys[t] = morton_key(t, triangles, vertices, origins, grids, tree_of[t])


@cuda.jit(device=True)
def _digit(key, tree_of, by_tree, shift):
    """Return a digit of the code, or of the tree's index."""
    if by_tree:
        return (tree_of[key & INDEX_MASK] >> shift) & _DIGIT_MASK
    return (key >> (INDEX_BITS + shift)) & _DIGIT_MASK


@kernel("void(int64[::1], int32[::1], boolean, int64, int64[::1], int64)")
def count_digits(keys, tree_of, by_tree, shift, counts, tiles):
    """Count how many keys of each tile have each digit: ``counts[digit * tiles + tile]``."""
    found = cuda.shared.array(BINS, np.int32)
    thread = cuda.threadIdx.x
    for tile in range(cuda.blockIdx.x, tiles, cuda.gridDim.x):
        for digit in range(thread, BINS, THREADS):
            found[digit] = 0
        cuda.syncthreads()
        for i in range(tile * TILE + thread, min((tile + 1) * TILE, keys.shape[0]), THREADS):
            cuda.atomic.add(found, _digit(keys[i], tree_of, by_tree, shift), 1)
        cuda.syncthreads()
        for digit in range(thread, BINS, THREADS):
            counts[digit * tiles + tile] = found[digit]
        cuda.syncthreads()


@kernel("void(int64[::1], int64, int64[::1])")
def sum_before(counts, tiles, totals):
    """Replace each tile's count of a digit by the sum of the counts before it (exclusive prefix sum).

    One block handles one digit, and each thread several tiles.
    """
    sums = cuda.shared.array(THREADS, np.int64)
    thread = cuda.threadIdx.x
    stretch = (tiles + THREADS - 1) // THREADS
    for digit in range(cuda.blockIdx.x, BINS, cuda.gridDim.x):
        begin = digit * tiles + min(thread * stretch, tiles)
        end = digit * tiles + min((thread + 1) * stretch, tiles)
        total = 0
        for i in range(begin, end):
            total += counts[i]
        sums[thread] = total
        cuda.syncthreads()
        distance = 1
        while distance < THREADS:
            earlier = sums[thread - distance] if thread >= distance else 0
            cuda.syncthreads()
            sums[thread] += earlier
            cuda.syncthreads()
            distance *= 2
        if thread == THREADS - 1:
            totals[digit] = sums[thread]
        total = sums[thread] - total
        for i in range(begin, end):
            count = counts[i]
            counts[i] = total
            total += count
        cuda.syncthreads()


@kernel("void(int64[::1], int64[::1], int32[::1], boolean, int64, int64[::1], int64, int64[::1])")
def move_keys(keys, moved, tree_of, by_tree, shift, starts, tiles, totals):
    """Move keys to their places by one digit; keys with equal digits stay in order."""
    places = cuda.shared.array(_COUNTERS, np.int16)
    first = cuda.shared.array(BINS, np.int64)
    thread = cuda.threadIdx.x
    for digit in range(thread, BINS, THREADS):
        total = 0
        for lower in range(digit):
            total += totals[lower]
        first[digit] = total
    for tile in range(cuda.blockIdx.x, tiles, cuda.gridDim.x):
        begin = tile * TILE + thread * _EACH
        end = min(begin + _EACH, keys.shape[0])
        for digit in range(BINS):
            places[digit * _ROW + thread] = 0
        for i in range(begin, end):
            places[_digit(keys[i], tree_of, by_tree, shift) * _ROW + thread] += 1
        cuda.syncthreads()
        for digit in range(thread, BINS, THREADS):
            total = 0
            for other in range(THREADS):
                count = places[digit * _ROW + other]
                places[digit * _ROW + other] = total
                total += count
        cuda.syncthreads()
        for i in range(begin, end):
            key = keys[i]
            digit = _digit(key, tree_of, by_tree, shift)
            place = digit * _ROW + thread
            moved[first[digit] + starts[digit * tiles + tile] + places[place]] = key
            places[place] += 1
        cuda.syncthreads()


@kernel("void(int64[::1], int32[::1], int64[::1], int64[::1], int32[:,::1], int32[::1], int32[::1])")
def link(keys, tree_of, begins, roots, links, parents, order):
    """Compute links, parents and order from sorted keys."""
    for i in range(cuda.grid(1), keys.shape[0], cuda.gridsize(1)):
        link_key(i, keys, tree_of, begins, roots, links, parents, order)


@kernel("void(int32[::1])")
def clear(counters):
    """Set all counters to zero."""
    for i in range(cuda.grid(1), counters.shape[0], cuda.gridsize(1)):
        counters[i] = 0


@kernel(
    "void(int32[:,::1], float64[:,::1], int32[::1], float64[:,::1], int64[::1], int64[::1], int32[::1], int32[:,::1], "
    "int32[::1], int32[::1], float32[:,::1])"
)
def fit(triangles, vertices, tree_of, origins, begins, roots, order, links, parents, arrived, boxes):
    """Compute boxes from the leaves up. At each node the second thread to arrive merges both children's boxes, and
    continues with the parent."""
    for i in range(cuda.grid(1), order.shape[0], cuda.gridsize(1)):
        tree = tree_of[i]
        node = roots[tree] + (begins[tree + 1] - begins[tree]) - 1 + i - begins[tree]
        leaf_box(order[i], triangles, vertices, origins, tree, boxes, node)
        node = parents[node]
        while node >= 0:
            cuda.threadfence()  # makes this child's box visible before its arrival
            if cuda.atomic.add(arrived, node, 1) == 0:
                break
            cuda.threadfence()  # the other child's box is read only after its arrival
            merge_boxes(boxes, node, links[node, 0], links[node, 1])
            node = parents[node]
