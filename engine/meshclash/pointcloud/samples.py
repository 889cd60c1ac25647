"""Samples of the nodes of a point hierarchy: points spread over the leaves below a node.

Source: Klein and Zachmann (2004), section 4.2.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from ..reference import by_reference
from .tree import SAMPLE_COUNT


class Leaves(NamedTuple):
    """Data of the leaves, in the order of their points, that only building a hierarchy needs."""

    of_point: np.ndarray
    """Index of each point's leaf, (n,) int32."""
    central: np.ndarray
    """The point nearest to each leaf's mean, (leaves,) int32."""


def new_leaves(points: int, leaves: int) -> Leaves:
    """Return empty ``Leaves`` for a hierarchy."""
    return Leaves(np.empty(points, np.int32), np.empty(leaves, np.int32))


@kernel
def node_ranges(first, count, ranges):
    """Write the first point and the end of each node, (nodes, 2) int64."""
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
    """Return the point of a range that is nearest to the range's mean."""
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
    """Fill ``Leaves``, from one leaf on; return the leaf to continue with. Leaves are numbered in point order.

    Args:
        tree: PointTree.
        leaf_nodes: node of each leaf, (leaves,) int64.
        leaves: the Leaves to fill.
        number: the leaf to begin with.
        limit: approximate number of points to visit.
    """
    tree = by_reference(tree)
    leaves = by_reference(leaves)
    work = 0
    while number < leaf_nodes.shape[0] and work < limit:
        node = leaf_nodes[number]
        begin = tree.first[node]
        end = begin + tree.count[node]
        work += end - begin
        for i in range(begin, end):
            leaves.of_point[i] = number
        leaves.central[number] = _central_point(tree, begin, end)
        number += 1
    return number


@inner
def leaf_range(leaves, ranges, node):
    """Return the first leaf and the end of the leaves below a node."""
    return leaves.of_point[ranges[node, 0]], leaves.of_point[ranges[node, 1] - 1] + 1


@inner
def _choose_samples(ranges, node, leaves, samples):
    """Choose samples evenly along the leaf order: the central points of leaves if there are enough leaves."""
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


@kernel
def choose_samples(ranges, leaves, samples, node, limit):
    """Fill the samples (nodes, 15) of ``limit`` nodes, from ``node`` on; return the node to continue with."""
    leaves = by_reference(leaves)
    end = min(samples.shape[0], node + limit)
    for n in range(node, end):
        _choose_samples(ranges, n, leaves, samples)
    return end
