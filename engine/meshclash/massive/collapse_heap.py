"""A heap of edges in an array: rows of (cost, vertex, vertex, version), smallest cost first."""

from ..jit import inner


@inner
def heap_put(heap, used, cost, a, b, version):
    """Put an edge on the heap; return the new number of entries, which does not change if the heap is full."""
    at = used
    if at >= heap.shape[0]:
        return used
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent, 0] <= cost:
            break
        for k in range(4):
            heap[at, k] = heap[parent, k]
        at = parent
    heap[at, 0], heap[at, 1], heap[at, 2], heap[at, 3] = cost, a, b, version
    return used + 1


@inner
def heap_drop(heap, used):
    """Remove the edge with the smallest cost, and move its row to the place after the remaining entries; return their
    number.
    """
    used -= 1
    for k in range(4):
        heap[used, k], heap[0, k] = heap[0, k], heap[used, k]
    at, child = 0, 1
    while child < used:
        if child + 1 < used and heap[child + 1, 0] < heap[child, 0]:
            child += 1
        if heap[child, 0] >= heap[at, 0]:
            break
        for k in range(4):
            heap[at, k], heap[child, k] = heap[child, k], heap[at, k]
        at, child = child, 2 * child + 1
    return used
