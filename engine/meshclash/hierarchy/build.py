"""``build``: from a mesh to a hierarchy, and refit after its vertices moved."""

from collections.abc import Callable

import numpy as np

from ..errors import InvalidMesh, UnsupportedOption
from ..types.mesh import TriangleMesh
from ..volumes.registry import DEFAULT_VOLUME, volume_named
from .bvh import Hierarchy, Tree
from .morton import build_morton_tree
from .refit import fit_volumes
from .sah import build_sah_tree

SPLITS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray, int], Tree]] = {
    "lbvh": build_morton_tree,
    "sah": build_sah_tree,
}
DEFAULT_LEAF_SIZE = 8
_LARGEST_LEAF = 64


def build(
    mesh: TriangleMesh, volume: str | None = None, split: str = "lbvh", leaf_size: int = DEFAULT_LEAF_SIZE
) -> Hierarchy:
    """Build a hierarchy over a mesh.

    Args:
        mesh: a TriangleMesh.
        volume: kind of bounding volume, default "aabb"; others are "sphere", "dop6", "dop14", "dop18", "dop26" (k fixed
            directions), "obb" (oriented boxes), "pss", "lss", "rss" (spheres swept along a point, segment, rectangle),
            and "ssv" (the cheapest of these three for each node).
        split: split rule; "lbvh" sorts along a Morton curve and builds fast, "sah" divides by the surface area
            heuristic, builds several times slower and answers with fewer tests.
        leaf_size: most triangles of a leaf, 1 to 64.

    Raises:
        InvalidMesh: ``mesh`` is not a TriangleMesh.
        UnsupportedOption: an option that this version does not know.
    """
    if not isinstance(mesh, TriangleMesh):
        raise InvalidMesh(f"a hierarchy is built over a TriangleMesh, not over a {type(mesh).__name__}")
    width = volume_named(volume).width
    if not isinstance(split, str) or split not in SPLITS:
        raise UnsupportedOption(f"split {split!r} is not known; known are {', '.join(sorted(SPLITS))}")
    if not isinstance(leaf_size, int | np.integer) or not 1 <= leaf_size <= _LARGEST_LEAF:
        raise UnsupportedOption(f"leaf_size must be a whole number from 1 to {_LARGEST_LEAF}, not {leaf_size!r}")
    vertices, triangles = mesh.arrays
    tree = SPLITS[split](vertices, triangles, mesh.bounds, int(leaf_size))
    origin = 0.5 * mesh.bounds[0] + 0.5 * mesh.bounds[1]
    name = volume or DEFAULT_VOLUME
    volumes = np.empty((len(tree.first), width), np.float32)
    fit_volumes(tree, vertices, triangles, origin, name, volumes)
    return Hierarchy(mesh, tree, volumes, origin, (name, split, int(leaf_size)))


def refit(hierarchy: Hierarchy, vertices: np.ndarray) -> Hierarchy:
    """The same tree over moved vertices: volumes are fitted anew, nothing is sorted.

    Args:
        hierarchy: what ``build`` made; it stays as it is.
        vertices: (n, 3) [m], as many as before.

    Raises:
        InvalidMesh: as TriangleMesh, or another number of vertices.
    """
    mesh = hierarchy.mesh.with_vertices(vertices)
    volumes = np.empty_like(hierarchy.volumes)
    origin = 0.5 * mesh.bounds[0] + 0.5 * mesh.bounds[1]
    fit_volumes(hierarchy.tree, *mesh.arrays, origin, hierarchy.volume, volumes)
    return Hierarchy(mesh, hierarchy.tree, volumes, origin, (hierarchy.volume, hierarchy.split, hierarchy.leaf_size))


def as_hierarchy(mesh: "TriangleMesh | Hierarchy", volume: str | None = None) -> Hierarchy:
    """The hierarchy of a mesh, kept with the mesh after the first time; a hierarchy is passed through.

    Raises:
        InvalidMesh: neither a mesh nor a hierarchy.
        UnsupportedOption: a hierarchy of another volume than asked for.
    """
    if isinstance(mesh, Hierarchy):
        if volume is not None and volume != mesh.volume:
            raise UnsupportedOption(
                f"the hierarchy was built with volume {mesh.volume!r}, but {volume!r} was asked for"
            )
        return mesh
    if not isinstance(mesh, TriangleMesh):
        raise InvalidMesh(f"expected a TriangleMesh or a Hierarchy, not a {type(mesh).__name__}")
    key = f"hierarchy {volume or DEFAULT_VOLUME}"
    if key not in mesh.derived:
        mesh.derived[key] = build(mesh, volume)
    return mesh.derived[key]


def as_boxes(mesh: "TriangleMesh | Hierarchy") -> Hierarchy:
    """``as_hierarchy`` for queries that only boxes answer: for another kind, the hierarchy of boxes of its mesh."""
    if isinstance(mesh, Hierarchy) and mesh.volume != DEFAULT_VOLUME:
        return as_hierarchy(mesh.mesh)
    return as_hierarchy(mesh)
