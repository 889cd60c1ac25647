"""A level of a hierarchy as lines to draw: how its volumes close in on the mesh. Plain NumPy, nothing is compiled."""

import numpy as np

from ..errors import UnsupportedOption
from ..types.mesh import TriangleMesh
from ..volumes.boxtree import ROOT
from ..volumes.registry import volume_named
from .boxtree import references, restricted_boxes
from .build import as_hierarchy
from .bvh import Hierarchy


def level_nodes(hierarchy: Hierarchy, level: int) -> np.ndarray:
    """Nodes on a level, (k,) int64, with the leaves above it: together they hold every triangle once.

    Single children of a boxtree count as one node with what is above them.
    """
    nodes, first, number = _references(hierarchy)
    for _ in range(min(level, hierarchy.tree.depth)):
        inner = nodes[number[nodes] > 0]
        nodes = np.concatenate([nodes[number[nodes] == 0], first[inner], first[inner] + 1])
        while (number[nodes] == 1).any():
            nodes = np.where(number[nodes] == 1, first[nodes], nodes)
    return nodes


def _references(hierarchy: Hierarchy) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The root (1,), and of each node its first child and its number of children, int64."""
    if volume_named(hierarchy.volume).derived:
        return np.array([ROOT]), *references(hierarchy.volumes)
    tree = hierarchy.tree
    return np.array([0]), tree.first.astype(np.int64), np.where(tree.count > 0, 0, 2)


def level_wireframe(a: TriangleMesh | Hierarchy, level: int, volume: str | None = None) -> np.ndarray:
    """The volumes on a level of a hierarchy, as line segments.

    Level 0 is the volume around everything, level n those n steps below, together with the leaves above them: every
    triangle lies in one of the volumes drawn. There are at most 2**n; levels from ``tree.depth`` on show the leaves.

    Args:
        a: a mesh, or a hierarchy made by ``build``.
        level: a whole number from 0 on.
        volume: kind of bounding volume, default that of the hierarchy, or "aabb".

    Returns:
        (k, 2, 3) float64 [m], in the object's frame: edges of boxes and polytopes, circles and outlines of round ones.

    Raises:
        InvalidMesh; UnsupportedOption: a level that is no whole number from 0 on, an unknown volume, or another one
        than that of the hierarchy.
    """
    if not isinstance(level, int | np.integer) or isinstance(level, bool) or level < 0:
        raise UnsupportedOption(f"level must be a whole number from 0 on, not {level!r}")
    hierarchy = as_hierarchy(a, volume)
    derived = volume_named(hierarchy.volume).derived
    every = restricted_boxes(hierarchy.volumes) if derived else hierarchy.volumes
    volumes = every[level_nodes(hierarchy, int(level))]
    return volume_named(hierarchy.volume).wireframe(volumes) + hierarchy.origin
