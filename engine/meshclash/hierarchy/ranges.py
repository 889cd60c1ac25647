"""The stack of top-down builders: nodes still to be divided, each with its range of the order and its level.

Stack and state outlive a call of a builder's kernel, so that long builds go on in slices.
"""

import numpy as np

from ..jit import inner

RANGE_NUMBERS = 4
"""Numbers of an entry: node, begin, end, level."""
USED, NODES, DEPTH, ENTRIES = range(4)
"""Numbers of a state: entries of the stack, nodes made, deepest level so far, entries of the order that have a leaf."""
DEEPEST = 64
"""Levels from which on nodes are halved, which bounds the stack."""
_STACK = 128  # one sibling for each of 64 levels and of the at most 31 halvings below
SLICE = 1 << 17
"""Primitives that a call of a kernel looks at, some milliseconds; more where one node has more."""


def whole_range(total: int) -> tuple[np.ndarray, np.ndarray]:
    """A stack with the root over so many primitives, and the state to begin with."""
    stack = np.zeros((_STACK, RANGE_NUMBERS), np.int64)
    stack[0, 2] = total
    return stack, np.array([1, 1, 0, 0], np.int64)


@inner
def push_range(stack, used, node, begin, end, level):
    """Put a node on the stack; returns the new number of entries."""
    stack[used, 0] = node
    stack[used, 1] = begin
    stack[used, 2] = end
    stack[used, 3] = level
    return used + 1


@inner
def push_children(stack, used, child, begin, middle, end, level):
    """Put a node's two children (``child``, ``child + 1``) on the stack, the left one on top."""
    used = push_range(stack, used, child + 1, middle, end, level + 1)
    return push_range(stack, used, child, begin, middle, level + 1)
