"""Compute tight world bounds of posed trees."""

import numpy as np

from ..jit import inner, kernel
from ..reference import by_reference
from .forest import TreeSet
from .point import place, world_triangle


@inner
def put_bounds(forest, all_used, tree, row, box):
    """Write the lowest and highest world coordinates of a posed tree into six numbers."""
    low = np.inf, np.inf, np.inf
    high = -np.inf, -np.inf, -np.inf
    if all_used[tree]:
        end = forest.vertex_start[tree + 1] if tree + 1 < len(forest.vertex_start) else len(forest.vertices)
        for v in range(forest.vertex_start[tree], end):
            p = place(forest, v, row)
            low = min(low[0], p[0]), min(low[1], p[1]), min(low[2], p[2])
            high = max(high[0], p[0]), max(high[1], p[1]), max(high[2], p[2])
    else:
        for t in range(forest.triangle_end[tree] - forest.triangle_start[tree]):
            for p in world_triangle(forest, tree, t, row):
                low = min(low[0], p[0]), min(low[1], p[1]), min(low[2], p[2])
                high = max(high[0], p[0]), max(high[1], p[1]), max(high[2], p[2])
    for k in range(3):
        box[k], box[k + 3] = low[k], high[k]


@kernel
def _bounds(forest, all_used, trees, rows, boxes):
    forest = by_reference(forest)
    for i in range(trees.shape[0]):
        put_bounds(forest, all_used, trees[i], rows[i], boxes[i])


def world_bounds(tree_set: TreeSet, trees: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the lowest and highest world coordinates, (n, 6) float64 [m], of trees (n,) in poses (n, 3, 4)."""
    boxes = np.empty((len(trees), 6))
    trees = np.ascontiguousarray(trees)  # a strided array has another type: the kernel would be compiled again
    _bounds(tree_set.forest, tree_set.all_used, trees, rows, boxes)
    return boxes
