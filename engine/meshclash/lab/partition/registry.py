"""The space partitions by which pairs of boxes can be found."""

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
    """A partition by name; raises UnsupportedOption and lists the known ones."""
    return PARTITIONS[one_of("partition", name, sorted(PARTITIONS))]
