"""A level of a hierarchy as lines to draw: how its volumes close in on the mesh. Plain NumPy, nothing is compiled."""

import numpy as np

from ..errors import UnsupportedOption
from ..types.mesh import TriangleMesh
from ..volumes.registry import volume_named
from .build import as_hierarchy
from .bvh import Hierarchy, Tree


def level_nodes(tree: Tree, level: int) -> np.ndarray:
    """Nodes on a level of a tree, (k,) int64, with the leaves above it: together they hold every triangle once."""
    nodes = np.zeros(1, np.int64)
    for _ in range(min(level, tree.depth)):
        inner = tree.count[nodes] == 0
        left = tree.first[nodes[inner]].astype(np.int64)
        nodes = np.concatenate([nodes[~inner], left, left + 1])
    return nodes


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
    volumes = hierarchy.volumes[level_nodes(hierarchy.tree, int(level))]
    return volume_named(hierarchy.volume).wireframe(volumes) + hierarchy.origin
