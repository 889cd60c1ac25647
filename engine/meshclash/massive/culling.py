"""Find pages that need not be read, because none of their blocks is near the triangles of the other object.

The block boxes of the missing pages of one object become a hierarchy, which is traversed with the pages of the other
object. Pages that are already in memory cost no time to load, so they are not culled.
"""

from collections.abc import Iterable

import numpy as np

from ..hierarchy.bvh import Hierarchy
from ..types.steps import run
from .blocks import tree_over
from .cluster_candidates import met_owner_steps
from .operands import Clusters

_FEWEST = 8
"""Least number of missing pages for which culling is worthwhile."""


def culled(
    far: Clusters, near: Clusters, rows: tuple[np.ndarray, np.ndarray], pairs: np.ndarray, tolerance: float
) -> np.ndarray:
    """Return the pairs of clusters (n, 2) without those whose blocks are farther apart than a tolerance [m].

    Args:
        far: the object whose pages may be missing.
        near: the other object; all of its clusters in ``pairs`` are in memory.
        rows: poses (3, 4) of far and near.
        pairs: clusters of far and of near.
        tolerance: [m].
    """
    if far.clustered is None:
        return pairs
    pages = far.clustered.pages
    missing = np.array([n for n in np.unique(pairs[:, 0]).tolist() if not pages.has(n)], np.int64)
    if len(missing) < _FEWEST:
        return pairs
    boxes, owners = pages.boxes_of(missing)
    tree = tree_over(boxes, "lbvh")
    kept = ~np.isin(pairs[:, 0], missing)
    for number, hierarchy in _trees_of(near, np.unique(pairs[:, 1])):
        met = missing[run(met_owner_steps(tree, owners, hierarchy, *rows, tolerance))]
        kept |= (pairs[:, 1] == number) & np.isin(pairs[:, 0], met)
    return pairs[kept]


def _trees_of(near: Clusters, numbers: np.ndarray) -> Iterable[tuple[int, Hierarchy]]:
    if near.clustered is None:
        return [(0, near.hierarchy)]
    ordered = numbers.tolist()
    return zip(ordered, (page.hierarchy for page in near.clustered.pages.load(ordered)), strict=True)
