"""A binary heap of node pairs in arrays: the pair with the highest key comes off first."""

import numpy as np

from ..jit import inner


@inner
def push(keys, nodes, used, key, node_a, node_b):
    """Add a pair; the arrays must have room. Returns the new number of entries."""
    i = used
    while i > 0:
        parent = (i - 1) // 2
        if keys[parent] >= key:
            break
        keys[i] = keys[parent]
        nodes[i, 0] = nodes[parent, 0]
        nodes[i, 1] = nodes[parent, 1]
        i = parent
    keys[i] = key
    nodes[i, 0] = node_a
    nodes[i, 1] = node_b
    return used + 1


@inner
def pop(keys, nodes, used):
    """Take the pair with the highest key off, to find just behind the heap; returns the new number of entries."""
    top_key = keys[0]
    top_a = nodes[0, 0]
    top_b = nodes[0, 1]
    used -= 1
    key = keys[used]
    node_a = nodes[used, 0]
    node_b = nodes[used, 1]
    i = 0
    while 2 * i + 1 < used:
        child = 2 * i + 1
        if child + 1 < used and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= key:
            break
        keys[i] = keys[child]
        nodes[i, 0] = nodes[child, 0]
        nodes[i, 1] = nodes[child, 1]
        i = child
    keys[i] = key
    nodes[i, 0] = node_a
    nodes[i, 1] = node_b
    keys[used] = top_key
    nodes[used, 0] = top_a
    nodes[used, 1] = top_b
    return used


def new_heap(capacity: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys and pairs of nodes of an empty heap."""
    return np.empty(capacity), np.empty((capacity, 2), np.int32)


def grown_heap(heap: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """A heap of twice the capacity with the same entries."""
    keys, nodes = new_heap(2 * len(heap[0]))
    keys[: len(heap[0])], nodes[: len(heap[1])] = heap
    return keys, nodes
