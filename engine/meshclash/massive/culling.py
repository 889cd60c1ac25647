"""Which pages need not be read: those no block of which comes near the triangles of the other object.

The boxes of blocks of the pages that are missing on one side become a hierarchy, which is traversed with the pages of
the other side. What is in memory already costs nothing more, so it is not culled.
"""

from collections.abc import Iterable

import numpy as np

from ..hierarchy.bvh import Hierarchy
from ..types.steps import run
from .blocks import tree_over
from .cluster_candidates import met_owner_steps
from .operands import Clusters

_FEWEST = 8
"""Missing pages from which it pays."""


def culled(
    far: Clusters, near: Clusters, rows: tuple[np.ndarray, np.ndarray], pairs: np.ndarray, tolerance: float
) -> np.ndarray:
    """Pairs of clusters (n, 2) without those that blocks show to be farther apart than a tolerance [m].

    Args:
        far: what pages may be missing of.
        near: the other object; those of its clusters that pairs name are in memory.
        rows: poses (3, 4) of both, in this order.
        pairs: clusters of far and of near.
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
