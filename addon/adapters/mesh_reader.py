"""Read evaluated meshes as arrays: positions, triangles and the face of each triangle.

Each generic attribute takes a single memory copy; the old accessors (`vertices`, `loop_triangles`) convert item by
item. Only the corners of triangles have no attribute. The corners are stored as one int32 array in memory. The array is
read through a pointer (fast path) if a check on the same mesh succeeds, otherwise through the documented call.
"""

from __future__ import annotations

import ctypes

import bpy
import numpy as np
from meshclash.clash.errors import UnusableObject
from meshclash.clash.frame_scene import SourceMesh

_fast_path = True


def set_fast_path(enabled: bool) -> None:
    """Allow or forbid reading triangle corners through a pointer."""
    global _fast_path  # noqa: PLW0603 - a preference of the machine
    _fast_path = enabled


def read_mesh(mesh: bpy.types.Mesh, name: str, faces_are_original: bool) -> SourceMesh:
    """Copy a mesh out of Blender.

    Args:
        mesh: an evaluated mesh with at least one face.
        name: name of its object, for messages.
        faces_are_original: passed on to the result.

    Raises:
        UnusableObject: a corner refers to a vertex that does not exist, or a coordinate is not finite.
    """
    corners = corner_vertices(mesh)
    if corners.min() < 0 or corners.max() >= len(mesh.vertices):
        raise UnusableObject(
            name,
            f"its mesh is damaged, a face refers to vertex {int(corners.max())} of {len(mesh.vertices)}; repair it "
            f"with mesh.validate() in the Python console",
        )
    vertices = positions(mesh)
    finite = np.isfinite(vertices).all(axis=1)
    if not finite.all():
        raise UnusableObject(
            name,
            f"{int((~finite).sum())} of its vertices have coordinates that are NaN or infinite, the first is vertex "
            f"{int(np.argmin(finite))}; check its modifiers, drivers and shape keys",
        )
    mesh.calc_loop_triangles()
    faces = np.empty(len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangle_polygons.foreach_get("value", faces)
    return SourceMesh(vertices, corners[_triangle_corners(mesh)], faces, faces_are_original)


def corner_vertices(mesh: bpy.types.Mesh) -> np.ndarray:
    """Return the vertex of each face corner, (c,) int32."""
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    attribute = mesh.attributes.get(".corner_vert")
    if attribute is not None:
        attribute.data.foreach_get("value", corners)
    else:
        mesh.loops.foreach_get("vertex_index", corners)
    return corners


def positions(mesh: bpy.types.Mesh) -> np.ndarray:
    """Return the vertices of a mesh, (n, 3) float32."""
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)  # foreach_get needs one dimension
    attribute = mesh.attributes.get("position")
    if attribute is not None:
        attribute.data.foreach_get("vector", flat)
    else:
        mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def _triangle_corners(mesh: bpy.types.Mesh) -> np.ndarray:
    """Return the corner indices of triangles, (m, 3) int32, as a copy."""
    if _fast_path:
        corners = _corners_by_pointer(mesh)
        if corners is not None:
            return corners
    flat = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("loops", flat)
    return flat.reshape(-1, 3)


def _corners_by_pointer(mesh: bpy.types.Mesh) -> np.ndarray | None:
    """Read corners from the undocumented layout of `loop_triangles`; None if the layout is unexpected.

    The stride between the first two items and the values of the first, middle and last triangle must agree.
    """
    triangles = mesh.loop_triangles
    count = len(triangles)
    first = triangles[0].as_pointer()
    if triangles[count - 1].as_pointer() - first != (count - 1) * 3 * ctypes.sizeof(ctypes.c_int32):
        return None
    view = np.ctypeslib.as_array(ctypes.cast(first, ctypes.POINTER(ctypes.c_int32)), shape=(count, 3))
    for index in {0, count // 2, count - 1}:
        if tuple(view[index]) != tuple(triangles[index].loops):
            return None
    return view.copy()
