"""The stack of top-down builders: the nodes still to be split, each with its range of primitives and its level.

The stack and the state persist between calls of a builder's kernel, so that long builds can run in slices.
"""

import numpy as np

from ..jit import inner

RANGE_NUMBERS = 4
"""Numbers in an entry: node, begin, end, level."""
USED, NODES, DEPTH, ENTRIES = range(4)
"""Indices into the state: size of the stack, nodes created, deepest level so far, primitives already in a leaf."""
DEEPEST = 64
"""From this level on, nodes are split in the middle, which bounds the stack."""
_STACK = 128  # one sibling for each of 64 levels and of the at most 31 halvings below
SLICE = 1 << 17
"""Primitives processed per kernel call, some milliseconds; more if a single node has more."""


def whole_range(total: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a stack that contains the root over ``total`` primitives, and the initial state."""
    stack = np.zeros((_STACK, RANGE_NUMBERS), np.int64)
    stack[0, 2] = total
    return stack, np.array([1, 1, 0, 0], np.int64)


@inner
def push_range(stack, used, node, begin, end, level):
    """Push a node onto the stack; return the new number of entries."""
    stack[used, 0] = node
    stack[used, 1] = begin
    stack[used, 2] = end
    stack[used, 3] = level
    return used + 1


@inner
def push_children(stack, used, child, begin, middle, end, level):
    """Push a node's two children (``child``, ``child + 1``) onto the stack, the left one on top."""
    used = push_range(stack, used, child + 1, middle, end, level + 1)
    return push_range(stack, used, child, begin, middle, level + 1)
