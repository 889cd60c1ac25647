"""Voxelisers of other libraries, where they can be imported."""

from __future__ import annotations

from typing import Any

from meshclash.types.mesh import TriangleMesh

from .peers import installed
from .timing import called


def voxelisers(mesh: TriangleMesh, voxel_size: float) -> dict[str, Any]:
    """Name -> how many voxels of that size [m] a library finds, from vertices and triangles.

    They sample (trimesh subdivides triangles until their corners are dense enough) or test boxes (Open3D), or fill a
    band around the surface with distances (OpenVDB), so the numbers differ.
    """
    found = {"trimesh": _trimesh, "open3d": _open3d, "openvdb": _openvdb}
    sides = {}
    for ask in installed(found.values(), mesh, voxel_size):
        sides[ask.__qualname__.partition(".")[0].lstrip("_")] = called(ask)
    return sides


def _trimesh(mesh: TriangleMesh, voxel_size: float) -> Any:
    import trimesh

    def ask() -> int:
        made = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
        return int(made.voxelized(voxel_size).filled_count)

    return ask


def _open3d(mesh: TriangleMesh, voxel_size: float) -> Any:
    import open3d

    def ask() -> int:
        made = open3d.geometry.TriangleMesh(
            open3d.utility.Vector3dVector(mesh.vertices), open3d.utility.Vector3iVector(mesh.triangles)
        )
        return len(open3d.geometry.VoxelGrid.create_from_triangle_mesh(made, voxel_size).get_voxels())

    return ask


def _openvdb(mesh: TriangleMesh, voxel_size: float) -> Any:
    import openvdb

    def ask() -> int:
        made = openvdb.FloatGrid.createLevelSetFromPolygons(
            mesh.vertices, triangles=mesh.triangles, transform=openvdb.createLinearTransform(voxel_size), halfWidth=1.0
        )
        return int(made.activeVoxelCount())

    return ask
