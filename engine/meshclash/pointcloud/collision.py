"""Traversals of two clouds, and of a cloud and a mesh."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..geometry.relative_pose import relative_rows
from ..hierarchy.bvh import Hierarchy
from ..types.copying import Copyable
from .cloud import PointCloud
from .contact_probability import CLOUD_WEIGHTS, MESH_WEIGHTS
from .mesh_traverse import MeshScratch, traverse_mesh
from .pair_search import PairSearch, largest_coordinates, pose_rows
from .patches import new_patch
from .rim_search import CUBES
from .surface import MARGIN, SAMPLING_RADIUS
from .traverse import CloudScratch, traverse
from .tree import PointTree

ROOT_TOLERANCE = 1e-3
"""Largest distance of a contact point from either surface, in sampling radii of the finer cloud."""

_KEPT = 2048  # cached values of each surface: a power of two


def cloud_scratch(a: PointCloud, b: PointCloud) -> CloudScratch:
    """Return the work arrays of a traversal of two clouds."""
    return CloudScratch(
        new_patch(a.built.largest_patch, a.built.tree.parameters, _KEPT),
        new_patch(b.built.largest_patch, b.built.tree.parameters, _KEPT),
        np.empty(6),
        np.zeros(2, np.int64),
        np.empty((CUBES, 4)),
    )


@dataclass(frozen=True, eq=False)
class CloudWalk(Copyable):
    """Advances the traversal of two clouds."""

    advance: ClassVar[Callable[..., bool]] = staticmethod(traverse)
    tree_a: PointTree
    tree_b: Any
    """A ``PointTree``; in a ``MeshWalk`` a ``MeshTree``."""
    relative: np.ndarray
    scratch: Any

    def __call__(self, settings: np.ndarray, state: np.ndarray, heap: Any, output: Any) -> bool:
        """Advance the traversal, with the interface of ``Kernel``."""
        return self.advance(self.tree_a, self.tree_b, self.relative, settings, state, heap, self.scratch, output)


class MeshWalk(CloudWalk):
    """Advances the traversal of a cloud and a mesh."""

    advance = staticmethod(traverse_mesh)


def cloud_search(
    a: PointCloud,
    b: PointCloud,
    rows_a: np.ndarray,
    rows_b: np.ndarray,
    first_only: bool,
    walk: type[CloudWalk] = CloudWalk,
    scratch: Any = None,
) -> PairSearch:
    """Return the traversal of two clouds in poses (3, 4).

    Pass ``walk`` and ``scratch`` together to replace the default ``CloudWalk`` and its work arrays.
    """
    tree_a, tree_b = a.built.tree, b.built.tree
    margin = float(tree_a.parameters[MARGIN] + tree_b.parameters[MARGIN])
    relative = relative_rows(
        pose_rows(rows_a), pose_rows(rows_b), tree_a.origin[None], tree_b.origin[None],
        largest_coordinates(a.bounds), largest_coordinates(b.bounds), margin,
    )[0]  # fmt: skip
    kernel = walk(tree_a, tree_b, relative, cloud_scratch(a, b) if scratch is None else scratch)
    tolerance = ROOT_TOLERANCE * finer_radius(a, b)
    return PairSearch(kernel, rows_a, tree_a.origin, tolerance, first_only, CLOUD_WEIGHTS)


def finer_radius(a: PointCloud, b: PointCloud) -> float:
    """Return the smaller sampling radius of two clouds [m]."""
    return float(min(a.built.tree.parameters[SAMPLING_RADIUS], b.built.tree.parameters[SAMPLING_RADIUS]))


class MeshTree(NamedTuple):
    """The arrays of a mesh and its boxes, as the traversal reads them."""

    vertices: np.ndarray
    """(v, 3) float64 [m]."""
    triangles: np.ndarray
    """(m, 3) int32."""
    origin: np.ndarray
    """(3,) float64 [m], origin of the volumes."""
    first: np.ndarray
    count: np.ndarray  # type: ignore[assignment]  # tuple.count is not needed
    order: np.ndarray
    volumes: np.ndarray
    """(n, 6) float32."""
    largest: int
    """Largest number of triangles of a leaf."""


def mesh_tree(hierarchy: Hierarchy) -> MeshTree:
    """Return the arrays of a mesh and its boxes."""
    tree = hierarchy.tree
    return MeshTree(
        *hierarchy.mesh.arrays, hierarchy.origin, tree.first, tree.count, tree.order, hierarchy.volumes,
        hierarchy.leaf_size,
    )  # fmt: skip


def mesh_search(
    cloud: PointCloud, hierarchy: Hierarchy, rows_cloud: np.ndarray, rows_mesh: np.ndarray, first_only: bool
) -> PairSearch:
    """Return the traversal of a cloud and a mesh in poses (3, 4)."""
    tree, mesh = cloud.built.tree, hierarchy.mesh
    margin = float(tree.parameters[MARGIN])
    relative = relative_rows(
        pose_rows(rows_cloud), pose_rows(rows_mesh), tree.origin[None], hierarchy.origin[None],
        largest_coordinates(cloud.bounds), largest_coordinates(mesh.bounds), margin,
    )[0]  # fmt: skip
    tree_b = mesh_tree(hierarchy)
    patch = new_patch(cloud.built.largest_patch, tree.parameters)
    scratch = MeshScratch(patch, np.empty(6), np.empty((3, 4)), np.zeros(2, np.int64))
    walk = MeshWalk(tree, tree_b, relative, scratch)
    tolerance = ROOT_TOLERANCE * cloud.sampling_radius
    return PairSearch(walk, rows_cloud, tree.origin, tolerance, first_only, MESH_WEIGHTS, tree_b.largest)
