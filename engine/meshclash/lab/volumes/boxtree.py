"""Restricted boxes: a node of eight bytes cuts one side off its parent's box. Boxes are derived, not stored.

Source: Zachmann, "Minimal hierarchical collision detection" (2002). A child touches its parent's box on most sides, so
one plane nearly describes the child. A row is the plane's coordinate and a word: bits 0-1 the axis, bit 2 whether the
lower side is cut off (the node is the part above the plane), bit 3 a leaf, bit 4 a single child, bits 5-31 the first
child, with its sibling next to it, or the triangle of a leaf. A single child only cuts empty space. The first three
rows contain the root's box.

Unlike in the paper, the coordinates are absolute, so rounding errors do not add up, and the side to cut is chosen for
each child. A node and its single children are tested as one.

A traversal carries two rows for each pair of nodes, derived from the rows of the parent pair: a box in its own frame
0:6, exactly, and its extent along the axes of the other object 6:12, of which a cut changes one number per axis. The
rounding errors of float64 on the way down were added to the extents at the roots: each step has an error below 4 u of
the root's extents, and two trees together are never deeper than ``_STEPS``.
"""

import math

import numpy as np

from ...jit import portable
from ...volumes.aabb import contains, wireframe
from ...volumes.registry import Derived
from .boxtree_nodes import AXIS, LEAF, MOST_ROWS, ROOT, SHIFT, SINGLE, UPPER, WIDTH, build_boxtree, fit_boxtree

__all__ = ["DERIVED", "WIDTH", "contains", "gap", "overlap", "size", "wireframe"]

_CARRIED = 12
"""Numbers of each of the two rows that a traversal carries."""

_STEPS = 1024
_DRIFT = 4.0 * _STEPS * 2.0**-53


@portable
def nodes_of(forest):
    """Return the nodes of a forest as numbers and as bit words, (rows, 2) float32 and int32, for the functions
    below.
    """
    return forest.volumes, forest.volumes.view(np.int32)


@portable
def _reference(word):
    return (word >> SHIFT) & (MOST_ROWS - 1)


@portable
def children(nodes, start, node):
    """Return (first child or triangle, number of triangles) after following the single children below a node."""
    words = nodes[1]
    word = words[start + node, 1]
    while word & SINGLE:
        word = words[start + _reference(word), 1]
    return _reference(word), (word & LEAF) // LEAF


@portable
def _project(box, m, at, out):
    """Return the extent of a box along the axes of the other object, whose motion is stored from ``at`` on."""
    for x in range(3):
        middle = m[at + 9 + x]
        reach = 0.0
        size = abs(middle)
        for k in range(3):
            factor = m[at + 3 * x + k]
            middle += factor * (0.5 * (box[k] + box[k + 3]))
            reach += abs(factor) * (0.5 * (box[k + 3] - box[k]))
            size += abs(factor) * (abs(box[k]) + abs(box[k + 3]))
        reach += m[at + 12 + x] + _DRIFT * size
        out[x] = middle - reach
        out[x + 3] = middle + reach


@portable
def begin(volumes_a, start_a, volumes_b, start_b, relative, carried):
    """Fill the first of the carried rows (n, 2, 12) for two roots; trees begin at rows ``start``."""
    rows = carried[0]
    for k in range(6):
        rows[0, k] = np.float64(volumes_a[start_a + k // 2, k % 2])
        rows[1, k] = np.float64(volumes_b[start_b + k // 2, k % 2])
    _project(rows[0, :6], relative, 15, rows[0, 6:])
    _project(rows[1, :6], relative, 0, rows[1, 6:])


@portable
def _cut(plane, word, m, at, carried, target, side):
    """Cut a carried row's box by the plane of a node (Zachmann 2002, section 3.2)."""
    cuts_low = (word & UPPER) // UPPER
    cut_side = (word & AXIS) + 3 * (1 - cuts_low)
    towards, against = 9 - 3 * cuts_low, 6 + 3 * cuts_low  # extents that move where the axes' product is above, below 0
    moved = plane - carried[target, side, cut_side]
    carried[target, side, cut_side] = plane
    for x in range(3):
        factor = m[at + 3 * x + (word & AXIS)]
        carried[target, side, towards + x] += moved * max(factor, 0.0)
        carried[target, side, against + x] += moved * min(factor, 0.0)


@portable
def _descend(nodes, start, node, m, at, carried, target, side):
    """Convert a row to that of a child, including the cuts of its single children."""
    volumes, words = nodes
    row = start + node
    word = words[row, 1]
    _cut(np.float64(volumes[row, 0]), word, m, at, carried, target, side)
    while word & SINGLE:
        row = start + _reference(word)
        word = words[row, 1]
        _cut(np.float64(volumes[row, 0]), word, m, at, carried, target, side)


@portable
def derive(nodes_a, start_a, node_a, moved_a, nodes_b, start_b, node_b, moved_b, relative, carried, source, target):
    """Fill the carried rows ``target`` of two nodes from the rows of the pair ``source``, of which one or both nodes
    are children.

    ``carried`` is (n, 2, 12); source and target may be the same.
    """
    if source != target:
        for side in range(2):
            for k in range(_CARRIED):
                carried[target, side, k] = carried[source, side, k]
    if moved_a:
        _descend(nodes_a, start_a, node_a, relative, 15, carried, target, 0)
    if moved_b:
        _descend(nodes_b, start_b, node_b, relative, 0, carried, target, 1)


@portable
def exchange(carried, i, j):
    """Exchange the carried rows of two pairs."""
    for side in range(2):
        for k in range(_CARRIED):
            carried[i, side, k], carried[j, side, k] = carried[j, side, k], carried[i, side, k]


@portable
def size(row):
    """Return a measure that grows with the box of a carried row; the traversal opens the larger of two boxes first."""
    return (row[3] - row[0]) + (row[4] - row[1]) + (row[5] - row[2])


@portable
def overlap(a, b, relative):
    """Return whether two boxes may meet, from their carried rows (SAT-lite); never a false "no"."""
    for k in range(3):  # noqa: SIM110 - kernels cannot compile the generator expression
        if b[6 + k] > a[3 + k] or a[k] > b[9 + k] or a[6 + k] > b[3 + k] or b[k] > a[9 + k]:
            return False
    return True


@portable
def gap(a, b, relative):
    """Return a lower bound [m] of the world distance between the contents of two boxes, from their carried rows."""
    first = 0.0
    second = 0.0
    for k in range(3):
        apart = max(b[6 + k] - a[3 + k], a[k] - b[9 + k], 0.0)
        first += apart * apart
        apart = max(a[6 + k] - b[3 + k], b[k] - a[9 + k], 0.0)
        second += apart * apart
    return math.sqrt(max(first, second)) * relative[31]


DERIVED = Derived(ROOT, _CARRIED, nodes_of, children, begin, derive, exchange, build_boxtree, fit_boxtree)
