"""Advice for objects that are not meshes: how to convert other libraries' classes, files and parts.

Classes are recognised by name, so that no library has to be imported.
"""

from os import PathLike
from typing import Any

import numpy as np

_READ = "meshclash.read(path) reads a file into parts, each with a mesh and a pose"
_BLENDER = (
    "after mesh.calc_loop_triangles() use meshclash.TriangleMesh([v.co for v in mesh.vertices], "
    "[t.vertices[:] for t in mesh.loop_triangles]) with pose or matrix of the object; MeshClash's panel reads it itself"
)
_WAYS: dict[tuple[str, str], str] = {
    ("trimesh", "Scene"): "meshclash.Scene.from_trimesh(scene) takes its objects with their poses",
    ("trimesh", "PointCloud"): "use meshclash.clouds.PointCloud(cloud.vertices)",
    ("open3d", "PointCloud"): "use meshclash.clouds.PointCloud(np.asarray(cloud.points))",
    ("vedo", "Points"): "use meshclash.clouds.PointCloud(points.vertices)",
    ("meshio", "Mesh"): "take its triangles: meshclash.TriangleMesh(mesh.points, mesh.cells_dict['triangle'])",
    ("pyvista", "DataSet"): "take its surface: mesh.extract_surface().triangulate()",
    ("bpy_types", "Mesh"): _BLENDER,
    ("bpy_types", "Object"): f"take its mesh, object.to_mesh(); {_BLENDER}",
    ("bpy", "Mesh"): _BLENDER,
    ("bpy", "Object"): f"take its mesh, object.to_mesh(); {_BLENDER}",
    ("meshclash", "Parts"): "take mesh and pose of each part: for part in parts: scene.add(part.mesh, part.pose)",
    ("meshclash", "MeshPart"): "use part.mesh, with part.pose as its pose",
    ("meshclash", "Scene"): "ask the scene itself: scene.contacts(), scene.distances()",
    ("meshclash", "ProgressiveMeshes"): "use the ClusteredMesh, progressive.mesh",
    ("meshclash", "MeshLevels"): "use one level: levels.level(error)",
}
"""Advice by the first part of the module's name and the name of the class or of a base class."""


def way_for(thing: Any) -> str:
    """Return advice to append to an error message; "" if no advice is known."""
    if isinstance(thing, str | bytes | PathLike):
        return f": {_READ}"
    if isinstance(thing, list | dict | np.ndarray):
        return ": a mesh is meshclash.TriangleMesh(vertices, triangles), or a tuple of both"
    for kind in type(thing).__mro__:
        way = _WAYS.get((kind.__module__.partition(".")[0], kind.__qualname__))
        if way is not None:
            return f": {way}"
    return ""
