"""``assert_well_formed``: check exactly all guarantees of the layout of a hierarchy."""

from fractions import Fraction

import numpy as np

from ..hierarchy.bvh import Hierarchy
from ..hierarchy.wide_bvh import CHILD_COUNT, CHILDREN, LANE_COUNT, WideTree
from ..types.mesh import no_mesh
from ..volumes.registry import volume_named
from .volumes.boxtree_nodes import ROOT, references, restricted_boxes


def assert_well_formed(hierarchy: Hierarchy) -> None:
    """Check that a hierarchy is correct after a build or a refit.

    The function checks that every triangle lies in exactly one leaf, and that no leaf is larger than requested. The
    function checks that parents come before their children, and that the depth is correct. The function also checks
    with exact arithmetic that every bounding volume contains its triangles. For boxes, it is enough that the box of a
    leaf contains its triangles and that the box of a parent contains the boxes of its children. Other volumes are
    checked node by node. In the 8-wide form, the function checks that every leaf occurs once, and that nodes come
    before their children. The nodes must have the boxes of the binary tree, and the stored coordinates must equal those
    of the triangles. The function is slow, because it is written in plain Python.

    Raises:
        AssertionError: a check failed; the message names the node and the problem.
        InvalidMesh: the argument is not a hierarchy.

    Example:
        >>> import meshclash as mc
        >>> mc.lab.assert_well_formed(mc.build(mc.shapes.box(1.0)))
    """
    if not isinstance(hierarchy, Hierarchy):
        raise no_mesh(hierarchy, "a Hierarchy made by build")
    if volume_named(hierarchy.volume).derived:
        _assert_boxtree(hierarchy)
        return
    _assert_tree(hierarchy)
    if hierarchy.volume == "aabb":
        _assert_boxes(hierarchy)
    else:
        _assert_volumes(hierarchy)
    if hierarchy.wide is not None:
        _assert_wide(hierarchy, hierarchy.wide)


def _assert_tree(hierarchy: Hierarchy) -> None:
    tree = hierarchy.tree
    nodes = len(tree.first)
    seen = np.zeros(len(tree.order), np.int64)
    parents = np.zeros(nodes, np.int64)
    level = np.zeros(nodes, np.int64)
    for node in range(nodes):
        begin, count = int(tree.first[node]), int(tree.count[node])
        if count:
            assert count <= hierarchy.leaf_size, f"leaf {node} holds {count} triangles"
            seen[begin : begin + count] += 1
        else:
            assert node < begin < nodes - 1, f"node {node} has its children at {begin}"
            parents[begin : begin + 2] += 1
            level[begin : begin + 2] = level[node] + 1
    wrong = int((seen != 1).argmax())
    assert (seen == 1).all(), f"entry {wrong} of the order lies in {int(seen[wrong])} leaves"
    assert parents[0] == 0, "the root is a child"
    assert (parents[1:] == 1).all(), f"node {int((parents[1:] != 1).argmax()) + 1} does not have exactly one parent"
    assert int(level.max()) == tree.depth, f"the depth is {int(level.max())}, not {tree.depth}"
    order = np.sort(tree.order)
    assert np.array_equal(order, np.arange(hierarchy.mesh.triangle_count)), (
        "the order is no permutation of the triangles"
    )


def _assert_boxtree(hierarchy: Hierarchy) -> None:
    """Check a boxtree: every triangle is in one leaf, the leaf's box and all boxes above contain the triangle, parents
    come before children, and the depth is correct.
    """
    nodes = hierarchy.volumes
    first, number = references(nodes)
    boxes = restricted_boxes(nodes)
    vertices, triangles = hierarchy.mesh.arrays
    level = np.zeros(len(nodes), np.int64)
    parents = np.zeros(len(nodes), np.int64)
    for row in range(ROOT, len(nodes)):
        begin = int(first[row])
        for child in range(begin, begin + int(number[row])):
            assert row < child < len(nodes), f"node {row} has its children at {begin}"
            parents[child] += 1
            level[child] = level[row] + (number[row] > 1)
            inside = bool((boxes[child, :3] >= boxes[row, :3]).all() and (boxes[child, 3:] <= boxes[row, 3:]).all())
            assert inside, f"the box of node {row} does not contain that of its child {child}"
        if number[row]:
            continue
        for corner in vertices[triangles[begin]]:
            sides = zip(boxes[row, :3], boxes[row, 3:], corner, hierarchy.origin, strict=True)
            assert all(_contains(*side) for side in sides), f"the box of leaf {row} does not contain triangle {begin}"
    assert (parents[ROOT + 1 :] == 1).all(), "a node does not have exactly one parent"
    assert parents[ROOT] == 0, "the root is a child"
    assert int(level.max()) == hierarchy.tree.depth, f"the depth is {int(level.max())}, not {hierarchy.tree.depth}"
    leaves = np.sort(first[ROOT:][number[ROOT:] == 0])
    assert np.array_equal(leaves, np.arange(hierarchy.mesh.triangle_count)), "the leaves are no permutation"


def _assert_volumes(hierarchy: Hierarchy) -> None:
    """Check that every node contains every corner of the triangles below it."""
    tree, contains = hierarchy.tree, volume_named(hierarchy.volume).contains
    vertices, triangles = hierarchy.mesh.arrays
    origin = [Fraction(float(x)) for x in hierarchy.origin]
    below: dict[int, list[int]] = {}
    for node in range(len(tree.first) - 1, -1, -1):
        begin, count = int(tree.first[node]), int(tree.count[node])
        own = tree.order[begin : begin + count].tolist() if count else below.pop(begin) + below.pop(begin + 1)
        below[node] = own
        volume = [Fraction(float(x)) for x in hierarchy.volumes[node]]
        for triangle in own:
            for corner in vertices[triangles[triangle]]:
                point = (Fraction(float(corner[k])) - origin[k] for k in range(3))
                assert contains(volume, *point), f"the volume of node {node} does not contain triangle {triangle}"


def _assert_boxes(hierarchy: Hierarchy) -> None:
    tree, volumes = hierarchy.tree, hierarchy.volumes
    vertices, triangles = hierarchy.mesh.arrays
    for node in range(len(tree.first)):
        begin, count = int(tree.first[node]), int(tree.count[node])
        low, high = volumes[node, :3], volumes[node, 3:]
        if not count:
            for child in (begin, begin + 1):
                inside = bool((volumes[child, :3] >= low).all() and (volumes[child, 3:] <= high).all())
                assert inside, f"the volume of node {node} does not contain that of its child {child}"
            continue
        for triangle in tree.order[begin : begin + count]:
            for corner in vertices[triangles[triangle]]:
                inside = all(_contains(low[k], high[k], corner[k], hierarchy.origin[k]) for k in range(3))
                assert inside, f"the volume of leaf {node} does not contain triangle {triangle}"


def _contains(low: float, high: float, coordinate: float, origin: float) -> bool:
    """Return whether low <= coordinate - origin <= high, in exact arithmetic."""
    return Fraction(float(low)) <= Fraction(float(coordinate)) - Fraction(float(origin)) <= Fraction(float(high))


def _assert_wide(hierarchy: Hierarchy, wide: WideTree) -> None:
    tree, words = hierarchy.tree, wide.nodes.view(np.int32)
    parents = np.zeros(len(words), np.int64)
    leaves: list[tuple[int, int]] = []
    for node, row in enumerate(words):
        children = int(row[CHILD_COUNT])
        assert 1 <= children <= LANE_COUNT, f"wide node {node} has {children} children"
        sources = wide.sources[node, :children]
        boxes = wide.nodes[node, : 6 * LANE_COUNT].reshape(6, LANE_COUNT)[:, :children].T
        assert np.array_equal(boxes, hierarchy.volumes[sources]), f"wide node {node} has other boxes than the tree"
        if node == len(words) - 1:
            assert children == 1 and sources[0] == 0, "the last wide node does not hold the root alone"
            continue
        for child, source in zip(row[CHILDREN : CHILDREN + children].tolist(), sources.tolist(), strict=True):
            if child >= 0:
                assert node < child, f"wide node {node} comes after its child {child}"
                parents[child] += 1
                continue
            first, count = ~child >> 3, (~child & 7) + 1
            assert (first, count) == (tree.first[source], tree.count[source]), f"wide node {node} has a wrong leaf"
            leaves.append((first, count))
            _assert_coordinates(hierarchy, wide, source)
    assert (parents[1:-1] == 1).all() and parents[0] == 0, "a wide node does not have exactly one parent"
    own = np.flatnonzero(tree.count)
    assert sorted(leaves) == sorted(zip(tree.first[own].tolist(), tree.count[own].tolist(), strict=True)), (
        "the wide nodes do not hold every leaf once"
    )


def _assert_coordinates(hierarchy: Hierarchy, wide: WideTree, leaf: int) -> None:
    tree = hierarchy.tree
    first, count = int(tree.first[leaf]), int(tree.count[leaf])
    vertices, triangles = hierarchy.mesh.arrays
    corners = vertices[triangles[tree.order[first : first + count]]]
    expected = ((corners - hierarchy.origin) - hierarchy.volumes[leaf, :3]).astype(np.float32)
    found = wide.coordinates[9 * first : 9 * (first + count)].reshape(3, 3, count).transpose(2, 0, 1)
    assert np.array_equal(found, expected), f"the coordinates of leaf {leaf} are not those of its triangles"
