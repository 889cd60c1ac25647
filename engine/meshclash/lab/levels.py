"""A level of a hierarchy as lines to draw: how its volumes close in on the mesh. Plain NumPy, nothing is compiled.

A level is found from the root down, so it costs what lies above it and no more, however large the hierarchy is.
"""

from typing import NamedTuple

import numpy as np

from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..types.numbers import whole_number
from ..volumes.registry import volume_named
from .volumes.boxtree_nodes import ROOT, children_of, root_box


class Level(NamedTuple):
    """The volumes on a level, with the leaves above it: together they hold every triangle once."""

    number: int
    """Steps below the root, 0 to ``tree.depth``."""
    nodes: np.ndarray
    """(k,) int64. Single children of a boxtree count as one node with what is above them."""
    volumes: np.ndarray
    """(k, width) float32, relative to the hierarchy's origin; boxes of a boxtree."""
    hierarchy: Hierarchy

    @property
    def lines(self) -> np.ndarray:
        """(m, 2, 3) float64 [m], in the object's frame: edges of boxes and polytopes, outlines of round volumes."""
        return volume_named(self.hierarchy.volume).wireframe(self.volumes) + self.hierarchy.origin


def hierarchy_level(a: MeshLike, level: int, volume: str | None = None, most: int | None = None) -> Level:
    """The volumes on a level of a hierarchy.

    Args:
        a: a mesh, or a hierarchy made by ``build``.
        level: a whole number from 0 on; levels from ``tree.depth`` on are the leaves. There are at most 2**level nodes.
        volume: kind of bounding volume, default that of the hierarchy, or "aabb".
        most: volumes that a level may have; of levels with more, the deepest one above that has not. None: any number.

    Raises:
        InvalidMesh; UnsupportedOption: a level that is no whole number from 0 on, or ``most`` none from 1 on, an
        unknown volume, or another one than that of the hierarchy.

    Example:
        >>> import meshclash as mc
        >>> len(mc.lab.hierarchy_level(mc.shapes.sphere(1.0), level=1).lines) > 0
        True
    """
    level = whole_number("level", level, 0)
    most = None if most is None else whole_number("most, unless None,", most, 1)
    hierarchy = as_hierarchy(a, volume)
    derived = volume_named(hierarchy.volume).derived
    nodes = np.array([ROOT if derived else 0])
    boxes = root_box(hierarchy.volumes) if derived else np.empty((1, 0), np.float32)
    number = 0
    while number < min(level, hierarchy.tree.depth):
        below = _restricted_below(hierarchy, nodes, boxes) if derived else _below(hierarchy, nodes, boxes)
        if most is not None and len(below[0]) > most:
            break
        (nodes, boxes), number = below, number + 1
    return Level(number, nodes, boxes if derived else hierarchy.volumes[nodes], hierarchy)


def _below(hierarchy: Hierarchy, nodes: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The leaves among nodes, and the children of the others; volumes are stored, so there are no boxes."""
    leaf = hierarchy.tree.count[nodes] > 0
    first = hierarchy.tree.first[nodes[~leaf]].astype(np.int64)
    return np.concatenate([nodes[leaf], first, first + 1]), boxes


def _restricted_below(hierarchy: Hierarchy, nodes: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of a boxtree, with the boxes; single children are followed to what they enclose."""
    rows, under, parent = children_of(hierarchy.volumes, nodes, boxes)
    leaf = np.ones(len(nodes), np.bool_)
    leaf[parent] = False
    while True:
        deeper, closer, above = children_of(hierarchy.volumes, rows, under)
        single = np.bincount(above, minlength=len(rows)) == 1
        if not single.any():
            return np.concatenate([nodes[leaf], rows]), np.concatenate([boxes[leaf], under])
        taken = single[above]
        rows[above[taken]], under[above[taken]] = deeper[taken], closer[taken]


def level_wireframe(a: MeshLike, level: int, volume: str | None = None) -> np.ndarray:
    """The volumes on a level of a hierarchy, as line segments.

    Level 0 is the volume around everything, level n those n steps below, together with the leaves above them: every
    triangle lies in one of the volumes drawn.

    Args, Raises:
        as ``hierarchy_level``.

    Returns:
        (k, 2, 3) float64 [m], in the object's frame: edges of boxes and polytopes, circles and outlines of round ones.

    Example:
        >>> import meshclash as mc
        >>> mc.lab.level_wireframe(mc.shapes.sphere(1.0), level=0).shape
        (12, 2, 3)
    """
    return hierarchy_level(a, level, volume).lines
