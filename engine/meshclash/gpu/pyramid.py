"""The sum pyramid over overlap counts, and the search for the entry that an output comes from.

Gress and Zachmann (2003), section 5.3: sums of neighbours, level upon level, give for every entry of the next level of
the traversal the entry of this level from which it comes. The structure was later named HistoPyramid. The pyramid is
stored like a heap: ``sums[1]`` is the top, the children of entry n are 2 n and 2 n + 1, and the counts begin at
``width``, a power of two. One number contains two counts: the number of pairs of children in its lower half, and of
pairs of leaves in its upper half.
"""

from ..jit import portable

HALF_MASK = (1 << 32) - 1
CHILDREN, LEAVES = 0, 32
"""Bit at which a count begins in a sum."""


def width_for(count: int) -> int:
    """Return the smallest power of two that is at least ``count``, for a count of at least 1."""
    return 1 << (count - 1).bit_length()


@portable
def locate(sums, width, slot, shift):
    """Return the entry that output ``slot`` comes from, and its number among the outputs of that entry."""
    node = 1
    while node < width:
        node *= 2
        left = (sums[node] >> shift) & HALF_MASK
        if slot >= left:
            slot -= left
            node += 1
    return node - width, slot
