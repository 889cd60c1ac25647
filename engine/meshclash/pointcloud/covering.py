"""What the nodes of a point hierarchy carry beside boxes: samples, and the spheres around them that cover the surface.

Source: Klein and Zachmann (2004), section 4.2. The surface of a leaf lies in the convex hull of the leaf's points and
its border; H is the union of these hulls. The samples of a node are the centres of spheres of one radius that cover
H.

*Certified radius.* For each leaf, the farthest corner of a box is measured from every sample; the nearest sample
counts, and of all leaves the farthest. The box is the one around the leaf's points and its border, and around its own
points as far as a surface reaches beyond them. One sphere thus contains the leaf's hull, and its rim. (The paper's
own radius, from random points of H, can be too small: ``lab/clouds/covering.py``.)
"""

import math
from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from ..reference import by_reference
from .surface import reach_of
from .tree import SAMPLE_COUNT

_UP = 1.0 + 2.0**-20  # covers the rounding of radii and boxes to float32


class Leaves(NamedTuple):
    """What only the building of a hierarchy needs of its leaves, in the order of their points."""

    of_point: np.ndarray
    """Number of each point's leaf, (n,) int32."""
    boxes: np.ndarray
    """Box of each leaf with its border and its rim, (leaves, 6) float64, relative to the tree's origin."""
    central: np.ndarray
    """The point nearest to each leaf's mean, (leaves,) int32."""


def new_leaves(points: int, leaves: int) -> Leaves:
    """Room for the leaves of a hierarchy."""
    return Leaves(np.empty(points, np.int32), np.empty((leaves, 6)), np.empty(leaves, np.int32))


@kernel
def node_ranges(first, count, ranges):
    """First point and end of each node, (nodes, 2) int64."""
    for node in range(first.shape[0] - 1, -1, -1):
        begin = first[node]
        if count[node] > 0:
            ranges[node, 0] = begin
            ranges[node, 1] = begin + count[node]
        else:
            ranges[node, 0] = ranges[begin, 0]
            ranges[node, 1] = ranges[begin + 1, 1]


@inner
def _central_point(tree, begin, end):
    """The point of a range nearest to its mean."""
    mx = my = mz = 0.0
    for i in range(begin, end):
        mx += tree.corrected[i, 0] / (end - begin)
        my += tree.corrected[i, 1] / (end - begin)
        mz += tree.corrected[i, 2] / (end - begin)
    best = np.inf
    where = begin
    for i in range(begin, end):
        dx = tree.corrected[i, 0] - mx
        dy = tree.corrected[i, 1] - my
        dz = tree.corrected[i, 2] - mz
        d2 = dx * dx + dy * dy + dz * dz
        if d2 < best:
            best, where = d2, i
    return where


@kernel
def describe_leaves(tree, leaf_nodes, leaves, number, limit):
    """For each leaf, numbered along the points: see ``Leaves``; from a number on, returns the one to go on with.

    Args:
        tree: PointTree.
        leaf_nodes: node of each leaf, (leaves,) int64.
        leaves: Leaves, to be filled.
        number: the leaf to begin with.
        limit: about how many points to look at.
    """
    tree = by_reference(tree)
    leaves = by_reference(leaves)
    reach = reach_of(tree.parameters)
    work = 0
    while number < leaf_nodes.shape[0] and work < limit:
        node = leaf_nodes[number]
        begin = tree.first[node]
        end = begin + tree.count[node]
        border_begin, border_end = tree.border_start[node], tree.border_start[node + 1]
        work += end - begin + border_end - border_begin
        for i in range(begin, end):
            leaves.of_point[i] = number
        leaves.central[number] = _central_point(tree, begin, end)
        for k in range(3):
            low = np.float64(tree.boxes[node, k]) - reach
            high = np.float64(tree.boxes[node, k + 3]) + reach
            for entry in range(border_begin, border_end):
                c = tree.corrected[tree.border[entry], k]
                low = min(low, c)
                high = max(high, c)
            leaves.boxes[number, k] = low
            leaves.boxes[number, k + 3] = high
        number += 1
    return number


@inner
def leaf_range(leaves, ranges, node):
    """Numbers of the leaves below a node: first and end."""
    return leaves.of_point[ranges[node, 0]], leaves.of_point[ranges[node, 1] - 1] + 1


@inner
def _choose_samples(ranges, node, leaves, samples):
    """Sample points evenly along the leaf order: leaves' central points where there are enough leaves."""
    begin, end = ranges[node, 0], ranges[node, 1]
    first_leaf, end_leaf = leaf_range(leaves, ranges, node)
    there = end_leaf - first_leaf
    wanted = min(SAMPLE_COUNT, end - begin)
    for k in range(SAMPLE_COUNT):
        samples[node, k] = -1
    for k in range(wanted):
        if there >= SAMPLE_COUNT:
            samples[node, k] = leaves.central[first_leaf + ((2 * k + 1) * there) // (2 * wanted)]
        else:
            samples[node, k] = begin + ((2 * k + 1) * (end - begin)) // (2 * wanted)


@inner
def _farthest_corner2(box, x):
    total = 0.0
    for k in range(3):
        far = max(x[k] - box[k], box[k + 3] - x[k])
        total += far * far
    return total


@inner
def sample_of(tree, node, k):
    """Sample k of a node, (x, y, z)."""
    i = tree.samples[node, k]
    return (
        tree.corrected[i, 0],
        tree.corrected[i, 1],
        tree.corrected[i, 2],
    )


@inner
def _certified_radius2(tree, node, first_leaf, end_leaf, boxes):
    largest = 0.0
    for leaf in range(first_leaf, end_leaf):
        best = np.inf
        for k in range(SAMPLE_COUNT):
            if tree.samples[node, k] >= 0:
                best = min(best, _farthest_corner2(boxes[leaf], sample_of(tree, node, k)))
        largest = max(largest, best)
    return largest


@kernel
def cover(tree, ranges, leaves, node, limit):
    """Samples and certified radii of nodes, from one on; stops after about ``limit`` leaves, returns the next node."""
    tree = by_reference(tree)
    leaves = by_reference(leaves)
    work = 0
    while node < tree.first.shape[0] and work < limit:
        _choose_samples(ranges, node, leaves, tree.samples)
        first_leaf, end_leaf = leaf_range(leaves, ranges, node)
        work += end_leaf - first_leaf
        tree.radii[node] = _UP * math.sqrt(_certified_radius2(tree, node, first_leaf, end_leaf, leaves.boxes))
        node += 1
    return node
