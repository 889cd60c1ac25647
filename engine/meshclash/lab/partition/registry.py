"""The list of the space partitions that can find pairs of boxes."""

from collections.abc import Callable

import numpy as np

from ...types.arguments import one_of
from .grid import grid_pairs
from .octree import octree_pairs

PARTITIONS: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, int]]] = {
    "grid": grid_pairs,
    "octree": octree_pairs,
}


def partition_named(name: str) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, int]]:
    """Return a partition by name; raises UnsupportedOption, which lists the supported names."""
    return PARTITIONS[one_of("partition", name, sorted(PARTITIONS))]
