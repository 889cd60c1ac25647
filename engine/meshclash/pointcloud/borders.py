"""The border of a leaf: the points outside it on which its piece of surface depends.

Source: Klein and Zachmann (2004), section 4.2, where border points are those within r_eps. In this module, a leaf's
surface is evaluated in its box enlarged by a margin on all sides, so its border contains the points within the horizon
of this box, corners included. Everywhere in that box the leaf gives the surface of the whole cloud.
"""

import numpy as np

from ..jit import inner, kernel
from .tree import STACK_SIZE

_REACHED = 1.0 + 1e-9  # covers rounding errors of coordinates in another frame


@inner
def _outside2(boxes, leaf, margin, low, high):
    """Return the squared distance between a box and the box of a leaf enlarged by the margin."""
    total = 0.0
    for k in range(3):
        gap = max(np.float64(boxes[leaf, k]) - margin - high[k], low[k] - np.float64(boxes[leaf, k + 3]) - margin, 0.0)
        total += gap * gap
    return total


@inner
def _visit_border(corrected, first, count, boxes, leaf, margin, reach2, stack, border, start):
    """Write the points outside a leaf that lie within reach of its enlarged box, if they fit; return their total
    number.
    """
    found = 0
    stack[0] = 0
    used = 1
    while used > 0:
        used -= 1
        node = stack[used]
        low = (np.float64(boxes[node, 0]), np.float64(boxes[node, 1]), np.float64(boxes[node, 2]))
        high = (np.float64(boxes[node, 3]), np.float64(boxes[node, 4]), np.float64(boxes[node, 5]))
        if node == leaf or _outside2(boxes, leaf, margin, low, high) > reach2:
            continue
        begin = first[node]
        if count[node] == 0:
            stack[used] = begin + 1
            stack[used + 1] = begin
            used += 2
            continue
        for i in range(begin, begin + count[node]):
            x = (corrected[i, 0], corrected[i, 1], corrected[i, 2])
            if _outside2(boxes, leaf, margin, x, x) <= reach2:
                if start + found < border.shape[0]:
                    border[start + found] = i
                found += 1
    return found


@kernel
def collect_borders(corrected, first, count, boxes, margin, horizon, border_start, border, node, limit):
    """Fill the borders of leaves, starting from a given node; return the node to continue with.

    A leaf's surface is evaluated in its box enlarged by ``margin`` on all sides, so its border contains all points
    within the horizon of this box. The kernel stops after about ``limit`` entries, or at a leaf whose border does not
    fit into ``border``.
    """
    stack = np.empty(STACK_SIZE, np.int64)
    reach2 = (horizon * _REACHED) ** 2
    if node == 0:
        border_start[0] = 0
    work = 0
    while node < first.shape[0] and work < limit:
        start = border_start[node]
        found = 0
        if count[node] > 0:
            found = _visit_border(
                corrected, first, count, boxes, node, margin, reach2, stack, border, start
            )  # fmt: skip
        if start + found > border.shape[0]:
            break
        work += 1 + found
        node += 1
        border_start[node] = start + found
    return node
