"""Build restricted boxtrees from a binary tree with one triangle per leaf. The nodes have the same format as in
``volumes/boxtree``.

A child cuts off the side of its parent's box on which the most is empty. If more than ``EMPTY`` of the rest is empty on
another side, single children cut off this part, too, at most two in a row. This is not done just above the leaves,
because there are about as many such nodes as all others.
"""

import numpy as np

from ...errors import InvalidMesh
from ...hierarchy.bvh import Tree
from ...jit import inner, kernel
from ...volumes.aabb import clear, extend, merge

WIDTH = 2
"""Number of float32 values of a node; the second value is a word of bits."""
ROOT = 3
"""Row of the root, after the rows of its box."""
AXIS, UPPER, LEAF, SINGLE, SHIFT = 3, 4, 8, 16, 5
"""Bits of a word: the bits of the axis, the flags, and the number of bits by which the reference is shifted."""
MOST_ROWS = 1 << 27
"""Rows that a reference can tell apart."""

EMPTY = 0.2
"""Share of a box beyond which empty space is cut off by a node of its own."""
_IN_A_ROW = 2
_STACK_NUMBERS = 3  # node of the tree, row, single children above


@inner
def _choose_cut(tight, box):
    """Return (axis, whether it is the lower side, fraction of the box) of the largest empty slab between two boxes."""
    best_axis, best_lower, best = 0, 0, np.float32(-1.0)
    for axis in range(3):
        extent = box[axis + 3] - box[axis]
        if extent <= np.float32(0.0):
            continue
        below = (tight[axis] - box[axis]) / extent
        above = (box[axis + 3] - tight[axis + 3]) / extent
        if above > best:
            best_axis, best_lower, best = axis, 0, above
        if below > best:
            best_axis, best_lower, best = axis, 1, below
    return best_axis, best_lower, best


@inner
def _make_node(tight, parent, box, nodes, words, row):
    """Write a node that cuts its parent's box; ``box`` becomes the box of the node."""
    for k in range(6):
        box[k] = parent[k]
    axis, lower, _ = _choose_cut(tight, box)
    side = axis if lower else axis + 3
    box[side] = tight[side]
    nodes[row, 0] = tight[side]
    words[row, 1] = axis | (UPPER if lower else 0)


@inner
def _push(stack, used, node, row, singles):
    stack[used, 0] = node
    stack[used, 1] = row
    stack[used, 2] = singles
    return used + 1


@inner
def _above_leaves(first, count, node):
    return count[first[node]] > 0 and count[first[node] + 1] > 0


@kernel
def _emit(first, count, order, tight, stack, boxes, nodes, words):
    """Write the rows of a boxtree; return their number. ``boxes`` (n, 6) float32 goes with the stack."""
    left = order.shape[0] // 2  # single children
    for k in range(6):
        nodes[k // 2, k % 2] = tight[0, k]
        boxes[0, k] = tight[0, k]
    nodes[ROOT, 0] = tight[0, 3]
    words[ROOT, 1] = 0
    made = ROOT + 1
    own = np.empty(6, np.float32)
    used = _push(stack, 0, 0, ROOT, 0)
    while used > 0:
        used -= 1
        node, row, singles = stack[used, 0], stack[used, 1], stack[used, 2]
        if count[node] > 0:
            words[row, 1] |= LEAF | (np.int64(order[first[node]]) << SHIFT)
            continue
        words[row, 1] |= made << SHIFT
        for k in range(6):
            own[k] = boxes[used, k]
        single = left > 0 and singles < _IN_A_ROW and not _above_leaves(first, count, node)
        if single and _choose_cut(tight[node], own)[2] > EMPTY:
            words[row, 1] |= SINGLE
            left -= 1
            _make_node(tight[node], own, boxes[used], nodes, words, made)
            used = _push(stack, used, node, made, singles + 1)
            made += 1
            continue
        for k in range(2):
            child = np.int64(first[node]) + k
            _make_node(tight[child], own, boxes[used], nodes, words, made + k)
            used = _push(stack, used, child, made + k, 0)
        made += 2
    return made


@kernel
def _fit(nodes, words, vertices, triangles, origin, tight):
    """Move the planes of all nodes to the boxes of their triangles, ``tight`` (rows, 6) float32."""
    for row in range(nodes.shape[0] - 1, ROOT - 1, -1):
        word = words[row, 1]
        reference = (word >> SHIFT) & (MOST_ROWS - 1)
        box = tight[row]
        clear(box)
        if word & LEAF:
            for corner in range(3):
                v = triangles[reference, corner]
                extend(box, vertices[v, 0] - origin[0], vertices[v, 1] - origin[1], vertices[v, 2] - origin[2])
        else:
            merge(box, tight[reference], tight[reference if word & SINGLE else reference + 1])
        side = word & AXIS if word & UPPER else (word & AXIS) + 3
        nodes[row, 0] = box[side]
    for k in range(6):
        nodes[k // 2, k % 2] = tight[ROOT, k]


def build_boxtree(tree: Tree, boxes: np.ndarray) -> tuple[Tree, np.ndarray]:
    """Return the restricted boxtree of a binary tree.

    Args:
        tree: a tree with one triangle in each leaf.
        boxes: boxes of the tree's nodes, (n, 6) float32, rounded outward.

    Returns:
        Returns (a Tree with only the depth, the nodes (rows, 2) float32).

    Raises:
        InvalidMesh: more triangles than references of 27 bits can tell apart.
    """
    total = len(tree.order)
    room = ROOT + len(tree.first) + total // 2
    if room > MOST_ROWS:
        raise InvalidMesh(
            f"a boxtree can contain at most {2 * MOST_ROWS // 5} triangles, not {total}: use volume 'aabb'"
        )
    nodes = np.empty((room, WIDTH), np.float32)
    entries = tree.depth + 2
    stack, carried = np.empty((entries, _STACK_NUMBERS), np.int64), np.empty((entries, 6), np.float32)
    rows = _emit(tree.first, tree.count, tree.order, boxes, stack, carried, nodes, nodes.view(np.int32))
    nodes.resize((rows, WIDTH), refcheck=False)
    nothing = np.empty(0, np.int32)
    return Tree(nothing, nothing, nothing, tree.depth), nodes


def fit_boxtree(nodes: np.ndarray, vertices: np.ndarray, triangles: np.ndarray, origin: np.ndarray) -> None:
    """Fit the planes of a boxtree to moved vertices (v, 3) float64 [m]; triangles (m, 3) int32, origin (3,) [m]."""
    _fit(nodes, nodes.view(np.int32), vertices, triangles, origin, np.empty((len(nodes), 6), np.float32))


def references(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (first child or triangle, number of children) of every row, (rows,) int64 each; 0 before the root."""
    words = nodes.view(np.int32)[:, 1].astype(np.int64)
    number = np.where(words & LEAF, 0, np.where(words & SINGLE, 1, 2))
    number[:ROOT] = 0
    return words >> SHIFT & (MOST_ROWS - 1), number


def root_box(nodes: np.ndarray) -> np.ndarray:
    """Return the box around all triangles, (1, 6) float32, relative to the hierarchy's origin."""
    return nodes[:ROOT].reshape(1, 6)


def children_of(nodes: np.ndarray, rows: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the children of rows (k,) int64 whose boxes are (k, 6) float32.

    Returns:
        (rows, boxes, parent): (m,) int64, first children before second ones; (m, 6) float32; (m,) place of each
        child's parent in ``rows``. Leaves have no children.
    """
    words = nodes.view(np.int32)[:, 1]
    own = words[rows]
    inner, double = np.flatnonzero(own & LEAF == 0), np.flatnonzero(own & (LEAF | SINGLE) == 0)
    first = (own >> SHIFT & (MOST_ROWS - 1)).astype(np.int64)
    parent = np.concatenate([inner, double])
    below = np.concatenate([first[inner], first[double] + 1])
    cut = words[below]
    side = np.where(cut & UPPER, cut & AXIS, (cut & AXIS) + 3)
    closer = boxes[parent]
    closer[np.arange(len(below)), side] = nodes[below, 0]
    return below, closer, parent


def restricted_boxes(nodes: np.ndarray) -> np.ndarray:
    """Return the boxes of all rows, (rows, 6) float32, relative to the hierarchy's origin; NaN before the root."""
    every = np.full((len(nodes), 6), np.nan, np.float32)
    rows, boxes = np.array([ROOT]), root_box(nodes)
    while len(rows):
        every[rows] = boxes
        rows, boxes, _ = children_of(nodes, rows, boxes)
    return every
