"""Read the objects, poses and names from a ``trimesh.Scene``."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidMesh, InvalidPose, UnsupportedOption
from ..messages import a_type, shown
from ..types.foreign_meshes import as_own
from ..types.mesh import TriangleMesh
from ..types.pose import pose_stack


class PlacedMesh(NamedTuple):
    """An object to add to a scene."""

    mesh: TriangleMesh
    pose: np.ndarray
    """(4, 4)."""
    name: str


def placed_meshes(scene: Any) -> Iterator[PlacedMesh]:
    """Iterate over the objects of a ``trimesh.Scene``. A node whose pose is not rigid gets a transformed mesh.

    Raises:
        UnsupportedOption: ``scene`` is not a ``trimesh.Scene``; InvalidMesh: a geometry is not a triangle mesh.
    """
    graph, geometry = getattr(scene, "graph", None), getattr(scene, "geometry", None)
    if graph is None or geometry is None:
        raise UnsupportedOption(f"expected a trimesh.Scene, not {a_type(scene)}")
    for node in graph.nodes_geometry:
        pose, name = graph[node]
        mesh = as_own(geometry[name])
        if not isinstance(mesh, TriangleMesh):
            raise InvalidMesh(f"geometry {shown(name)} is {a_type(mesh)}, not a triangle mesh: leave it out")
        yield _placed(mesh, np.array(pose, np.float64), str(node))


def _placed(mesh: TriangleMesh, pose: np.ndarray, name: str) -> PlacedMesh:
    try:
        pose_stack(pose)
    except InvalidPose:
        moved = mesh.vertices @ pose[:3, :3].T + pose[:3, 3]
        triangles = mesh.triangles[:, ::-1] if np.linalg.det(pose[:3, :3]) < 0.0 else mesh.triangles
        return PlacedMesh(TriangleMesh(moved, triangles), np.eye(4), name)
    return PlacedMesh(mesh, pose, name)
