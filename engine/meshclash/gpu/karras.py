"""Build a hierarchy from sorted Morton keys, each node independently of the other nodes: the work of one thread.

Source: Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees" (2012), sections 3 and 4.
CUDA kernels and the host backend use the same functions. Many trees are built at once; the triangles of one tree are
contiguous in every array.

Layout. A tree of n triangles has 2n - 1 nodes: n - 1 inner nodes, the root first, and then the leaves in the order of
the keys. The trees are concatenated. ``links`` of an inner node are its children; the links of a leaf are ``~position``
in ``order`` and -1. A key has the Morton code in its upper bits and the triangle's index in the lower bits. All keys
differ, so the tree is deterministic.
"""

import numpy as np

from ..jit import portable
from ..volumes.rounding import round_down, round_up

CODE_BITS = 30
INDEX_BITS = 32
INDEX_MASK = (1 << INDEX_BITS) - 1
_NOTHING_IN_COMMON = (1 << 63) - 1
_ZERO = np.float32(0.0)
_LAST_CELL = np.float32(1023.0)
_HALF = np.float32(0.5)


@portable
def leaf_box(t, triangles, vertices, origins, tree, boxes, node):
    """Fit the box of a leaf to triangle ``t``: float32, relative to the tree's origin, rounded outward."""
    for axis in range(3):
        origin = origins[tree, axis]
        x = vertices[triangles[t, 0], axis] - origin
        y = vertices[triangles[t, 1], axis] - origin
        z = vertices[triangles[t, 2], axis] - origin
        boxes[node, axis] = round_down(min(x, y, z))
        boxes[node, axis + 3] = round_up(max(x, y, z))


@portable
def merge_boxes(boxes, node, left, right):
    """Make the box of a node contain the boxes of its children."""
    for axis in range(3):
        boxes[node, axis] = min(boxes[left, axis], boxes[right, axis])
        boxes[node, axis + 3] = max(boxes[left, axis + 3], boxes[right, axis + 3])


@portable
def _spread(cell):
    """Spread ten bits of a cell index, with two zeros between neighbouring bits."""
    cell = (cell | (cell << 16)) & 0x030000FF
    cell = (cell | (cell << 8)) & 0x0300F00F
    cell = (cell | (cell << 4)) & 0x030C30C3
    return (cell | (cell << 2)) & 0x09249249


@portable
def _cell(t, triangles, vertices, origins, grids, tree, axis):
    """Return the cell of a triangle along an axis, 0 to 1023, by the centre of its box."""
    origin = origins[tree, axis]
    x = vertices[triangles[t, 0], axis] - origin
    y = vertices[triangles[t, 1], axis] - origin
    z = vertices[triangles[t, 2], axis] - origin
    middle = np.float32(min(x, y, z) + max(x, y, z)) * _HALF
    place = middle * grids[tree, 0] + grids[tree, 1 + axis]
    return np.int64(max(_ZERO, min(place, _LAST_CELL)))


@portable
def morton_key(t, triangles, vertices, origins, grids, tree):
    """Return the key of a triangle, int64.

    ``grids`` (trees, 4) float32 holds cells per metre, and the position of the origin in cells.
    """
    x = _spread(_cell(t, triangles, vertices, origins, grids, tree, 0))
    y = _spread(_cell(t, triangles, vertices, origins, grids, tree, 1))
    z = _spread(_cell(t, triangles, vertices, origins, grids, tree, 2))
    return ((x | (y << 1) | (z << 2)) << INDEX_BITS) | np.int64(t)


@portable
def _difference(keys, i, j, begin, end):
    """Return the bits in which two keys differ; all bits if j lies outside the tree."""
    if j < begin or j >= end:
        return np.int64(_NOTHING_IN_COMMON)
    return keys[i] ^ keys[j]


@portable
def _is_closer(x, y):
    """Return whether the highest bit of x is below that of y, which means a longer common prefix."""
    return x < y and x < (x ^ y)


@portable
def link_node(i, keys, begin, end, base, links, parents):
    """Find the children of inner node ``i`` of the tree over keys[begin:end], and set their parent.

    Args:
        i: index of the node's first or last key, begin <= i < end - 1.
        keys: sorted keys, int64.
        begin, end: range of the tree's keys.
        base: the tree's root.
        links: (n, 2) int32, written.
        parents: (n,) int32, written.
    """
    before = _difference(keys, i, i - 1, begin, end)
    after = _difference(keys, i, i + 1, begin, end)
    step = 1 if _is_closer(after, before) else -1
    outside = before if step == 1 else after
    reach = 2
    while _is_closer(_difference(keys, i, i + reach * step, begin, end), outside):
        reach *= 2
    length = 0
    reach //= 2
    while reach > 0:
        if _is_closer(_difference(keys, i, i + (length + reach) * step, begin, end), outside):
            length += reach
        reach //= 2
    other = i + length * step
    whole = _difference(keys, i, other, begin, end)
    split = 0
    part = length
    while part > 1:
        part = (part + 1) // 2
        if _is_closer(_difference(keys, i, i + (split + part) * step, begin, end), whole):
            split += part
    middle = i + split * step + min(step, 0)
    first = min(i, other)
    last = max(i, other)
    leaves = base + (end - begin) - 1 - begin  # node of the leaf of the global key 0, as if it were in this tree
    left = leaves + middle if first == middle else base + middle - begin
    right = leaves + middle + 1 if last == middle + 1 else base + middle + 1 - begin
    node = base + i - begin
    links[node, 0] = left
    links[node, 1] = right
    parents[left] = node
    parents[right] = node


@portable
def link_key(i, keys, tree_of, begins, roots, links, parents, order):
    """Write the leaf of sorted key ``i``, and the links of the inner node that begins or ends there.

    Args:
        i: index of the key, over all trees.
        keys: sorted keys, int64.
        tree_of: the tree of each key, int32.
        begins, roots: first key and root of each tree, int64.
        links, parents: as for ``link_node``.
        order: triangle of each key, int32, written.
    """
    tree = tree_of[i]
    begin, end, base = begins[tree], begins[tree + 1], roots[tree]
    leaf = base + (end - begin) - 1 + i - begin
    order[i] = keys[i] & INDEX_MASK
    links[leaf, 0] = ~i
    links[leaf, 1] = -1
    if i == begin:
        parents[base] = -1
    if i < end - 1:
        link_node(i, keys, begin, end, base, links, parents)
