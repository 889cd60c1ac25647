"""The stack of top-down builders: nodes still to be divided, each with its range of the order and its level."""

from ..jit import inner

RANGE_NUMBERS = 4
"""Numbers of an entry: node, begin, end, level."""


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
