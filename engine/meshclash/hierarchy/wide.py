"""The 8-wide form of a hierarchy: what a traversal with eight float32 lanes reads. Made from the binary tree, of boxes.

A node has up to eight children, side by side in lanes: words 0:48 are their boxes (lowest x of all eight, lowest y,
lowest z, highest x, ...), words 48:56 refer to them, word 56 says how many there are; 256 bytes a node. A reference
from 0 on is a node; a negative one is a leaf, ``~reference = 8 * first + count - 1``, with ``first`` and ``count``
as in ``Tree``. The last node has one child, the root: so every box of the tree is a lane of some node, and a traversal
needs no special case.

Coordinates of triangles are copied in the order of the leaves, as float32 relative to the lowest corner of their leaf's
box (which is relative to the hierarchy's origin): so their rounding is in proportion to the leaf. A leaf's
begin at ``9 * first``: nine rows (x, y, z of the first corners, then of the second and third), each as long as the leaf
has triangles. So no lane is stored empty; reading eight of a shorter row picks up numbers of the next, and the reader
masks them. 36 bytes a triangle; with leaves of up to 8, the nodes take about 15 and the binary tree about 16.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from .bvh import Hierarchy

LANE_COUNT = 8
NODE_WORDS = 64
CHILDREN, CHILD_COUNT = 48, 56
"""Words of a node that refer to its children, and that say how many there are."""
PADDING = 8
"""Numbers after the last coordinate, which reading eight at once may touch."""


class WideTree(NamedTuple):
    """Arrays of the 8-wide form."""

    nodes: np.ndarray
    """(n, 64) float32; ``nodes.view(np.int32)`` for the words that are integers."""
    coordinates: np.ndarray
    """(9 m + PADDING,) float32 [m], relative to the lowest corners of the leaves' boxes."""


@inner
def _area(volume):
    x = volume[3] - volume[0]
    y = volume[4] - volume[1]
    z = volume[5] - volume[2]
    return x * y + y * z + z * x


@inner
def _open_children(first, count, volumes, node, children):
    """Replace a node by its children, the largest inner one first, until there are eight; returns their number."""
    children[0] = node
    total = 1
    while total < LANE_COUNT:
        widest = -1
        area = np.float32(-1.0)
        for k in range(total):
            if count[children[k]] == 0 and _area(volumes[children[k]]) > area:
                area = _area(volumes[children[k]])
                widest = k
        if widest < 0:
            break
        begin = first[children[widest]]
        children[widest] = begin
        children[total] = begin + 1
        total += 1
    return total


@kernel
def _collapse(first, count, volumes, stack, nodes, words):
    """Fill the nodes of the 8-wide form; returns their number."""
    children = np.empty(LANE_COUNT, np.int32)
    stack[0, 0] = 0
    stack[0, 1] = 0
    used = 1
    made = 1
    while used > 0:
        used -= 1
        node = stack[used, 1]
        total = _open_children(first, count, volumes, stack[used, 0], children)
        words[node, CHILD_COUNT] = total
        for k in range(LANE_COUNT):
            if k >= total:
                for row in range(6):
                    nodes[node, LANE_COUNT * row + k] = np.float32(0.0)
                continue
            child = children[k]
            for row in range(6):
                nodes[node, LANE_COUNT * row + k] = volumes[child, row]
            if count[child] > 0:
                words[node, CHILDREN + k] = ~(LANE_COUNT * first[child] + count[child] - 1)
                continue
            words[node, CHILDREN + k] = made
            stack[used, 0] = child
            stack[used, 1] = made
            used += 1
            made += 1
    return made


@kernel
def _copy_coordinates(first, count, volumes, order, vertices, triangles, origin, coordinates):
    for leaf in range(first.shape[0]):
        size = count[leaf]
        base = 9 * first[leaf]
        for i in range(size):
            t = order[first[leaf] + i]
            for corner in range(3):
                v = triangles[t, corner]
                for axis in range(3):
                    coordinates[base + (3 * corner + axis) * size + i] = (vertices[v, axis] - origin[axis]) - volumes[
                        leaf, axis
                    ]


def fits_lanes(hierarchy: Hierarchy) -> bool:
    """Whether a hierarchy has an 8-wide form: of boxes, with leaves of at most eight triangles."""
    return hierarchy.volume == "aabb" and hierarchy.leaf_size <= LANE_COUNT


def wide_tree(hierarchy: Hierarchy) -> WideTree:
    """The 8-wide form of a hierarchy that ``fits_lanes``, kept with it after the first time."""
    if hierarchy.wide is None:
        hierarchy.wide = _widen(hierarchy)
    return hierarchy.wide


def _widen(hierarchy: Hierarchy) -> WideTree:
    tree = hierarchy.tree
    capacity = max(1, len(tree.first) // 2) + 1
    nodes = np.empty((capacity, NODE_WORDS), np.float32)
    stack = np.empty((LANE_COUNT * (tree.depth + 1), 2), np.int32)
    words = nodes.view(np.int32)
    made = _collapse(tree.first, tree.count, hierarchy.volumes, stack, nodes, words)
    nodes[made] = 0.0
    nodes[made, : NODE_WORDS - 16 : LANE_COUNT] = hierarchy.volumes[0]
    words[made, CHILD_COUNT] = 1
    coordinates = np.zeros(9 * len(tree.order) + PADDING, np.float32)
    vertices, triangles = hierarchy.mesh.arrays
    _copy_coordinates(
        tree.first, tree.count, hierarchy.volumes, tree.order, vertices, triangles, hierarchy.origin, coordinates
    )
    return WideTree(nodes[: made + 1].copy(), coordinates)
