"""Exact world bounds of posed trees."""

import numpy as np

from ..jit import kernel
from ..reference import by_reference
from .forest import Forest
from .point import world_triangle


@kernel
def _bounds(forest, trees, rows, boxes):
    forest = by_reference(forest)
    for i in range(trees.shape[0]):
        tree = trees[i]
        for k in range(3):
            boxes[i, k] = np.inf
            boxes[i, k + 3] = -np.inf
        for t in range(forest.triangle_end[tree] - forest.triangle_start[tree]):
            for p in world_triangle(forest, tree, t, rows[i]):
                for k in range(3):
                    boxes[i, k] = min(boxes[i, k], p[k])
                    boxes[i, k + 3] = max(boxes[i, k + 3], p[k])


def world_bounds(forest: Forest, trees: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Lowest and highest world coordinates of trees (n,) int64 in poses (n, 3, 4), (n, 6) float64 [m]."""
    boxes = np.empty((len(trees), 6))
    _bounds(forest, trees, rows, boxes)
    return boxes
