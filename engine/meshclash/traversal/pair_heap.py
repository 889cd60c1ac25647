"""Pairs of references with a bound, stored in arrays as a heap: the pair with the smallest bound is popped first.

The same arrays can be used as a stack whose newest part is kept sorted, for depth-first searches.
"""

from ..jit import inlined


@inlined
def heap_push(stack, bounds, used, a, b, bound):
    """Push a pair onto the heap; return the new number of entries."""
    at = used
    while at > 0:
        parent = (at - 1) >> 1
        if bounds[parent] <= bound:
            break
        bounds[at] = bounds[parent]
        stack[at, 0] = stack[parent, 0]
        stack[at, 1] = stack[parent, 1]
        at = parent
    bounds[at] = bound
    stack[at, 0] = a
    stack[at, 1] = b
    return used + 1


@inlined
def heap_pop(stack, bounds, used):
    """Pop the pair with the smallest bound, and move it to just after the remaining entries; return their number."""
    used -= 1
    a, b, bound = stack[used, 0], stack[used, 1], bounds[used]
    stack[used, 0], stack[used, 1], bounds[used] = stack[0, 0], stack[0, 1], bounds[0]
    at = 0
    child = 1
    while child < used:
        if child + 1 < used and bounds[child + 1] < bounds[child]:
            child += 1
        if bounds[child] >= bound:
            break
        bounds[at] = bounds[child]
        stack[at, 0] = stack[child, 0]
        stack[at, 1] = stack[child, 1]
        at = child
        child = 2 * at + 1
    if used > 0:
        bounds[at] = bound
        stack[at, 0] = a
        stack[at, 1] = b
    return used


@inlined
def stack_push(stack, bounds, used, a, b, bound, base):
    """Insert a pair into the stack entries from ``base`` on, sorted so that the smallest bound is last; return the new
    number of entries.
    """
    at = used
    while at > base and bounds[at - 1] < bound:
        bounds[at] = bounds[at - 1]
        stack[at, 0] = stack[at - 1, 0]
        stack[at, 1] = stack[at - 1, 1]
        at -= 1
    bounds[at] = bound
    stack[at, 0] = a
    stack[at, 1] = b
    return used + 1
