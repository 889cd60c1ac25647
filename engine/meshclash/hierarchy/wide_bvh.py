"""The 8-wide form of a hierarchy of boxes, for traversals with eight float32 lanes. The 8-wide form is created from the
binary tree.

Dynamic programming chooses which binary nodes become 8-wide nodes, so that the total area of their boxes is smallest
(Ylitie, Karras, Laine, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", 2017, section 3.1).

A node has up to eight children in lanes: words 0:48 are their boxes (lowest x of all eight, lowest y, lowest z,
highest x, ...), words 48:56 are references to them, word 56 is their number; a node takes 256 bytes. A reference
from 0 on is a node; a negative one is a leaf, ``~reference = 8 * first + count - 1``, with ``first`` and ``count``
as in ``Tree``. The last node has one child, the root: so every box of the tree is a lane of some node.

Coordinates of triangles are copied in the order of the leaves, as float32 relative to the lowest corner of their leaf's
box (the box itself is relative to the hierarchy's origin), so the rounding error is proportional to the leaf's size.
The coordinates of a leaf begin at ``9 * first``. They are nine rows (x, y, z of the first corners, then of the second
and third), each with as many numbers as the leaf has triangles. So empty lanes are not stored. Reading eight numbers of
a shorter row also reads numbers of the next row, and the reader masks them. The coordinates take 36 bytes per triangle;
with leaves of up to 8 triangles, the nodes take about 11 bytes and the binary tree about 16.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from .bvh import Tree

LANE_COUNT = 8
NODE_WORDS = 64
CHILDREN, CHILD_COUNT = 48, 56
"""Words of a node: the first reference to a child, and the number of children."""
PADDING = 8
"""Numbers after the last coordinate, because reads of eight numbers may extend beyond the end."""


class WideTree(NamedTuple):
    """The arrays of the 8-wide form."""

    nodes: np.ndarray
    """(n, 64) float32; ``nodes.view(np.int32)`` for the words that are integers."""
    coordinates: np.ndarray
    """(9 m + PADDING,) float32 [m], relative to the lowest corners of the leaves' boxes."""
    sources: np.ndarray
    """The binary node of each child, (n, 8) int32, for refitting; 0 in unused lanes."""


@inner
def _area(volumes, node):
    """Return half the surface area of a box."""
    x = volumes[node, 3] - volumes[node, 0]
    y = volumes[node, 4] - volumes[node, 1]
    z = volumes[node, 5] - volumes[node, 2]
    return x * y + y * z + z * x


@inner
def _best_share(costs, left, slots):
    """Return (cost, slots of the left sibling) of the cheapest way to divide slots between two siblings."""
    best, chosen = np.float32(np.inf), 1
    for k in range(1, slots):
        cost = costs[left, k - 1] + costs[left + 1, slots - k - 1]
        if cost < best:
            best, chosen = cost, k
    return best, chosen


@inner
def _weigh(first, count, volumes, costs):
    """Fill ``costs`` (n, 7): the cost of each binary node's subtree if it gets one slot, at most two, ... seven.

    An 8-wide node costs the area of its box, because the area is proportional to the number of times it is opened. The
    loop goes bottom up, since children come after their parents.
    """
    for node in range(first.shape[0] - 1, -1, -1):
        if count[node] > 0:
            for k in range(LANE_COUNT - 1):
                costs[node, k] = np.float32(0.0)
            continue
        left = np.int64(first[node])
        costs[node, 0] = _area(volumes, node)
        if count[left] > 0 and count[left + 1] > 0:  # true for half of all inner nodes
            for k in range(1, LANE_COUNT - 1):
                costs[node, k] = np.float32(0.0)
            continue
        costs[node, 0] += _best_share(costs, left, LANE_COUNT)[0]
        for slots in range(2, LANE_COUNT):
            costs[node, slots - 1] = min(costs[node, slots - 2], _best_share(costs, left, slots)[0])


@inner
def _share_of(first, count, costs, node, slots):
    """Return how many of its slots a node gives to its left child; 0 if the node is a leaf or cheaper as a single
    slot.
    """
    if count[node] > 0:
        return 0
    left = np.int64(first[node])
    while slots > 1:
        cost, share = _best_share(costs, left, slots)
        if slots == LANE_COUNT or cost <= costs[node, slots - 1]:
            return share
        slots -= 1
    return 0


@inner
def _open_children(first, count, costs, node, children, slots):
    """Replace a node by at most eight descendants with the lowest total cost; return the number of descendants."""
    children[0], slots[0] = node, LANE_COUNT
    total, k = 1, 0
    while k < total:
        share = _share_of(first, count, costs, children[k], slots[k])
        if share == 0:
            k += 1
            continue
        left = np.int64(first[children[k]])
        children[total], slots[total] = left + 1, slots[k] - share
        children[k], slots[k] = left, share
        total += 1
    return total


@kernel
def _collapse(first, count, volumes, stack, nodes, words, sources):
    """Fill the nodes of the 8-wide form and their sources; return the number of nodes.

    Nodes get their numbers when their parent is filled, and are filled in the order of the leaves, as in the binary
    tree.
    """
    children = np.empty(LANE_COUNT, np.int64)
    slots = np.empty(LANE_COUNT, np.int64)
    costs = np.empty((first.shape[0], LANE_COUNT - 1), np.float32)
    _weigh(first, count, volumes, costs)
    stack[0, 0] = 0
    stack[0, 1] = 0
    used = 1
    made = 1
    while used > 0:
        used -= 1
        node = np.int64(stack[used, 1])
        total = _open_children(first, count, costs, np.int64(stack[used, 0]), children, slots)
        words[node, CHILD_COUNT] = total
        for k in range(total):
            child = children[k]
            sources[node, k] = child
            for row in range(6):
                nodes[node, LANE_COUNT * row + k] = volumes[child, row]
            words[node, CHILDREN + k] = made if count[child] == 0 else ~(LANE_COUNT * first[child] + count[child] - 1)
            made += count[child] == 0
        for k in range(total, LANE_COUNT):
            sources[node, k] = 0
            words[node, CHILDREN + k] = 0
            for row in range(6):
                nodes[node, LANE_COUNT * row + k] = np.float32(0.0)
        for word in range(CHILD_COUNT + 1, NODE_WORDS):
            words[node, word] = 0
        for k in range(total - 1, -1, -1):
            if words[node, CHILDREN + k] >= 0:
                stack[used, 0] = children[k]
                stack[used, 1] = words[node, CHILDREN + k]
                used += 1
    return made


@kernel
def _copy_boxes(volumes, sources, nodes, words):
    for node in range(sources.shape[0]):
        for k in range(words[node, CHILD_COUNT]):
            source = np.int64(sources[node, k])
            for row in range(6):
                nodes[node, LANE_COUNT * row + k] = volumes[source, row]


def _put_root(volumes: np.ndarray, nodes: np.ndarray, words: np.ndarray, sources: np.ndarray, node: int) -> None:
    """Write a node whose only child is the root."""
    nodes[node] = 0.0
    nodes[node, : 6 * LANE_COUNT : LANE_COUNT] = volumes[0]
    words[node, CHILD_COUNT] = 1
    sources[node] = 0


def coordinates_for(triangles: int) -> np.ndarray:
    """Allocate the coordinates of ``count`` triangles, which ``fit_boxes`` fills."""
    coordinates = np.empty(9 * triangles + PADDING, np.float32)
    coordinates[9 * triangles :] = 0.0
    return coordinates


def collapse(tree: Tree, volumes: np.ndarray, coordinates: np.ndarray) -> WideTree:
    """Make the 8-wide form of a tree of boxes whose leaves have at most eight triangles.

    Args:
        tree: the binary tree.
        volumes: boxes of the tree, (n, 6) float32.
        coordinates: the coordinates of its triangles, as filled by ``fit_boxes``; the 8-wide form keeps this array.
    """
    capacity = max(1, len(tree.first) // 2) + 1
    nodes = np.empty((capacity, NODE_WORDS), np.float32)
    sources = np.empty((capacity, LANE_COUNT), np.int32)
    stack = np.empty((LANE_COUNT * (tree.depth + 1), 2), np.int32)
    words = nodes.view(np.int32)
    made = 1 + _collapse(tree.first, tree.count, volumes, stack, nodes, words, sources)
    _put_root(volumes, nodes, words, sources, made - 1)
    nodes.resize((made, NODE_WORDS), refcheck=False)
    sources.resize((made, LANE_COUNT), refcheck=False)
    return WideTree(nodes, coordinates, sources)


def copy_boxes(wide: WideTree, volumes: np.ndarray) -> None:
    """Copy the boxes (n, 6) of a refitted binary tree to its 8-wide form."""
    _copy_boxes(volumes, wide.sources, wide.nodes, wide.nodes.view(np.int32))


def fits_lanes(volume: str, leaf_size: int) -> bool:
    """Return whether hierarchies with this volume and leaf size have an 8-wide form."""
    return volume == "aabb" and leaf_size <= LANE_COUNT
