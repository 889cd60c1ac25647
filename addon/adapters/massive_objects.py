"""Objects that show a massive file: store the path of the file, and create such an object."""

from __future__ import annotations

import bpy
import numpy as np

PROPERTY = "meshclash_massive"


def attach() -> None:
    """Register the object property that names the file."""
    bpy.types.Object.meshclash_massive = bpy.props.StringProperty(
        name="Massive File",
        description="File with a clustered mesh that is tested instead of this object's mesh",
        subtype="FILE_PATH",
        update=_note,
    )


def _note(item: bpy.types.Object, _context: bpy.types.Context) -> None:
    """Make Blender evaluate the object again, so that results become stale and Live reads the object."""
    item.update_tag()


def detach() -> None:
    """Unregister the property; its values stay in files."""
    del bpy.types.Object.meshclash_massive


def massive_path(item: bpy.types.Object) -> str:
    """Return the absolute path of the massive file that an object shows; "" if the object shows no file."""
    named = getattr(item, PROPERTY, "")
    return bpy.path.abspath(named, library=item.library) if named else ""


def new_proxy(
    name: str, vertices: np.ndarray, faces: np.ndarray, path: str, collection: bpy.types.Collection
) -> bpy.types.Object:
    """Create an object that shows a massive file.

    Args:
        name: name of the object and its mesh.
        vertices, faces: the mesh to show, (n, 3) and (m, 3).
        path: path of the file.
        collection: collection for the object.
    """
    mesh = bpy.data.meshes.new(name)
    show(mesh, vertices, faces)
    item = bpy.data.objects.new(name, mesh)
    item.meshclash_massive = path
    collection.objects.link(item)
    return item


def show(mesh: bpy.types.Mesh, vertices: np.ndarray, faces: np.ndarray) -> None:
    """Replace the vertices (n, 3) and triangles (m, 3) of a mesh."""
    mesh.clear_geometry()
    mesh.vertices.add(len(vertices))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(vertices, np.float32).ravel())
    mesh.loops.add(3 * len(faces))
    mesh.loops.foreach_set("vertex_index", np.ascontiguousarray(faces, np.int32).ravel())
    mesh.polygons.add(len(faces))
    mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * len(faces), 3, dtype=np.int32))
    mesh.update(calc_edges=True)
    mesh.validate()
