"""ADB-trees: the arrays of a hierarchy that the best-first search reads, passed as pointers."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..hierarchy.bvh import Hierarchy, TreeParts
from ..jit import inlined
from ..traversal.forest import Forest
from ..types.copying import Copyable
from ..types.steps import in_slices
from .cells import Filling, boxes_of, fill_steps
from .memory import float32_at, float64_at, int32_at, uint8_at

FIRST, COUNT, VOLUMES, BOXES, CELLS, HEIGHTS, ORDER, TRIANGLES, VERTICES, NODE_COUNT, TRIANGLE_COUNT, ROW_LENGTH = (
    range(12)
)
"""Entries of a tree's row: addresses of its arrays, number of nodes, number of triangles."""
SPREAD, SIZES = 6, 7
"""Entry of the spread, and length, of a tree's sizes: origin, largest absolute coordinates [m], spread (``cells.py``).
"""
_KEY = "adb tree"


@dataclass(frozen=True, eq=False)
class AdbTree(Copyable):
    """A hierarchy and its augmentation."""

    made_of: TreeParts
    filling: Filling
    volume: str
    largest_leaf: int

    @cached_property
    def row(self) -> np.ndarray:
        """Addresses of the tree's arrays, and their lengths, (ROW_LENGTH,) int64."""
        parts, filling, tree = self.made_of, self.filling, self.made_of.tree
        vertices, triangles = parts.mesh.arrays
        arrays = (
            tree.first, tree.count, parts.volumes, filling.boxes, filling.cells, filling.heights, tree.order, triangles,
            vertices,
        )  # fmt: skip
        return np.array([*(array.ctypes.data for array in arrays), len(tree.first), len(triangles)], np.int64)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Origin, largest absolute coordinates [m] and spread, (SIZES,) float64."""
        parts = self.made_of
        return np.array([*parts.origin, *np.abs(parts.mesh.bounds).max(axis=0), self.filling.spread])


@in_slices
def adb_tree(hierarchy: Hierarchy) -> Generator[None, None, AdbTree]:
    """Return the ADB-tree of a hierarchy. The tree is computed once, and cached until the hierarchy's parts are
    replaced.
    """
    if not is_augmented(hierarchy):
        parts = hierarchy.parts
        filling = yield from fill_steps(parts, hierarchy.volume)
        _keep(hierarchy, parts, filling)
    return hierarchy.derived[_KEY]


def is_augmented(hierarchy: Hierarchy) -> bool:
    """Return whether the ADB-tree of a hierarchy is cached already."""
    kept = hierarchy.derived.get(_KEY)
    return kept is not None and kept.made_of is hierarchy.parts


def hand_over(old: Hierarchy, refitted: Hierarchy) -> None:
    """Give a refitted hierarchy the additional data of the hierarchy from which it was refitted, with new boxes.

    The cell counts and the spread are reused: they change little while a mesh bends, no complete result depends on
    them, and computing them again takes longer than a frame.
    """
    kept = old.derived.get(_KEY)
    if kept is not None and kept.made_of.tree is refitted.tree:
        _keep(refitted, refitted.parts, kept.filling._replace(boxes=boxes_of(refitted.parts, refitted.volume)))


def _keep(hierarchy: Hierarchy, parts: TreeParts, filled: Filling) -> None:
    hierarchy.derived[_KEY] = AdbTree(parts, filled, hierarchy.volume, hierarchy.leaf_size)


def table(trees: Sequence[AdbTree]) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (t, ROW_LENGTH) int64 and sizes (t, SIZES) float64 of trees. The caller must keep the trees alive."""
    rows, sizes = np.empty((len(trees), ROW_LENGTH), np.int64), np.empty((len(trees), SIZES))
    for t, tree in enumerate(trees):
        rows[t] = tree.row
        sizes[t] = tree.sizes
    return rows, sizes


@inlined
def nodes_at(trees, tree, width):
    """Return (first, count, volumes, boxes, cells, heights) of a tree, as in ``Forest`` and ``Filling``."""
    count = trees[tree, NODE_COUNT]
    return (
        int32_at(trees[tree, FIRST], (count,)),
        int32_at(trees[tree, COUNT], (count,)),
        float32_at(trees[tree, VOLUMES], (count, width)),
        float32_at(trees[tree, BOXES], (count, 6)),
        uint8_at(trees[tree, CELLS], (count,)),
        uint8_at(trees[tree, HEIGHTS], (count,)),
    )


@inlined
def forest_at(trees, tree, width, zero):
    """Return a forest with only this tree; ``zero`` is an array of one zero."""
    count, triangles = trees[tree, NODE_COUNT], trees[tree, TRIANGLE_COUNT]
    return Forest(
        int32_at(trees[tree, FIRST], (count,)),
        int32_at(trees[tree, COUNT], (count,)),
        float32_at(trees[tree, VOLUMES], (count, width)),
        int32_at(trees[tree, ORDER], (triangles,)),
        int32_at(trees[tree, TRIANGLES], (triangles, 3)),
        float64_at(trees[tree, VERTICES], (3 * triangles, 3)),  # an upper bound: the number of vertices is never read
        zero,
        zero,
        zero,
        zero,
        zero,
    )
