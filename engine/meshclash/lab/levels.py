"""Lines that show the volumes on one level of a hierarchy. The module uses plain NumPy, so no kernel is compiled.

A level is computed from the root down, so the work depends only on the nodes above the level, not on the size of the
hierarchy.
"""

from typing import NamedTuple

import numpy as np

from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..types.numbers import whole_number
from ..volumes.registry import volume_named
from .volumes.boxtree_nodes import ROOT, children_of, root_box


class Level(NamedTuple):
    """The volumes on a level, together with the leaves above the level. They contain every triangle once."""

    number: int
    """Steps below the root, 0 to ``tree.depth``."""
    nodes: np.ndarray
    """(k,) int64. In a boxtree, a single child and its parent count as one node."""
    volumes: np.ndarray
    """(k, width) float32, relative to the hierarchy's origin; for a boxtree, its boxes."""
    hierarchy: Hierarchy

    @property
    def lines(self) -> np.ndarray:
        """Line segments (m, 2, 3) float64 [m], in the object's frame: edges of boxes and polytopes, outlines of round
        volumes."""
        return volume_named(self.hierarchy.volume).wireframe(self.volumes) + self.hierarchy.origin


def hierarchy_level(a: MeshLike, level: int, volume: str | None = None, most: int | None = None) -> Level:
    """Return the bounding volumes on one level of a hierarchy.

    Args:
        a: a mesh, or a hierarchy made by ``build``.
        level: an integer, 0 or more; from level ``tree.depth`` on, all nodes are leaves, and a level has at most
            2**level nodes.
        volume: kind of bounding volume; default: that of the hierarchy, or "aabb" for a mesh.
        most: the largest number of volumes. If the requested level has more nodes, the function returns the deepest
            level above it that has few enough nodes. None: no limit.

    Raises:
        InvalidMesh: ``a`` is neither a mesh nor a hierarchy.
        UnsupportedOption: ``level`` is not an integer of at least 0, ``most`` is not an integer of at least 1, or the
            volume is unknown or differs from that of the hierarchy.

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
    """Return the leaves among the nodes, and the children of all other nodes. Volumes are stored in the nodes, so no
    boxes are needed.
    """
    leaf = hierarchy.tree.count[nodes] > 0
    first = hierarchy.tree.first[nodes[~leaf]].astype(np.int64)
    return np.concatenate([nodes[leaf], first, first + 1]), boxes


def _restricted_below(hierarchy: Hierarchy, nodes: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the next level of a boxtree with its boxes: single children are followed down to the next branching."""
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
    """Return line segments that draw the bounding volumes on one level of a hierarchy.

    Level 0 is the bounding volume of the whole mesh. Level n contains all nodes that are n steps below the root, and
    all leaves above them. Every triangle therefore lies in one of the volumes.

    Args, Raises:
        as for ``hierarchy_level``.

    Returns:
        Returns (k, 2, 3) float64 [m], in the object's frame: edges of boxes and polytopes, circles and outlines of
            round volumes.

    Example:
        >>> import meshclash as mc
        >>> mc.lab.level_wireframe(mc.shapes.sphere(1.0), level=0).shape
        (12, 2, 3)
    """
    return hierarchy_level(a, level, volume).lines
