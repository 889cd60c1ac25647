"""The covering radii of the founding paper, by random points of the surface: they can be too small.

Source: Klein and Zachmann (2004), section 4.2.
"""

import math
from weakref import WeakKeyDictionary

import numpy as np

from ...jit import inner, kernel
from ...pointcloud.build import described_steps
from ...pointcloud.cloud import PointCloud
from ...pointcloud.samples import leaf_range
from ...pointcloud.tree import SAMPLE_COUNT
from ...reference import by_reference
from ...types.steps import run
from .random_points import random_below, random_number

_CHANCE_TRIES = 64
_RADII: WeakKeyDictionary[PointCloud, np.ndarray] = WeakKeyDictionary()


@inner
def _random_hull_point(tree, node, counter, weights, x):
    """Return a random point of the hull of a leaf's points and border: a convex combination of four of them."""
    own = tree.count[node]
    start = tree.border_start[node]
    total = own + tree.border_start[node + 1] - start
    scale = 0.0
    for j in range(4):
        weights[j] = -math.log(1.0 - random_number(counter))
        scale += weights[j]
    x[:] = 0.0
    for j in range(4):
        pick = random_below(counter, total)
        i = tree.first[node] + pick if pick < own else tree.border[start + pick - own]
        for k in range(3):
            x[k] += weights[j] / scale * tree.corrected[i, k]


@inner
def _random_radius2(tree, node, leaf_nodes, first_leaf, end_leaf, counter, weights, x):
    """Return the largest squared distance between random points in the hulls below a node and their nearest samples."""
    largest = 0.0
    for _ in range(_CHANCE_TRIES):
        leaf = first_leaf + random_below(counter, end_leaf - first_leaf)
        _random_hull_point(tree, leaf_nodes[leaf], counter, weights, x)
        best = np.inf
        for k in range(SAMPLE_COUNT):
            if tree.samples[node, k] >= 0:
                s = tree.corrected[tree.samples[node, k]]
                best = min(best, (x[0] - s[0]) ** 2 + (x[1] - s[1]) ** 2 + (x[2] - s[2]) ** 2)
        largest = max(largest, best)
    return largest


@kernel
def _cover(tree, ranges, leaf_nodes, leaves, radii):
    """Compute the covering radii of all nodes as in the paper, by random points."""
    tree = by_reference(tree)
    leaves = by_reference(leaves)
    weights = np.empty(4)
    x = np.empty(3)
    counter = np.empty(1, np.int64)
    for node in range(tree.first.shape[0]):
        first_leaf, end_leaf = leaf_range(leaves, ranges, node)
        counter[0] = node << 20
        radii[node] = math.sqrt(
            _random_radius2(tree, node, leaf_nodes, first_leaf, end_leaf, counter, weights, x)
        )  # fmt: skip


def covering_radii(cloud: PointCloud) -> np.ndarray:
    """Return the radius [m] of the spheres around the samples of each node, (nodes,); cached with the cloud."""
    if cloud not in _RADII:
        tree = cloud.built.tree
        radii = np.empty(len(tree.first))
        _cover(tree, *run(described_steps(tree)), radii)
        _RADII[cloud] = radii
    return _RADII[cloud]
