"""Select faces of original meshes in Edit Mode."""

from __future__ import annotations

import bpy
import numpy as np
from meshclash.clash.errors import DetectError
from meshclash.messages import Sentence
from numpy.typing import NDArray

from .massive_objects import massive_path


def checked(candidate: bpy.types.Object | None, name: str, faces: NDArray[np.int32] | None) -> NDArray[np.int32]:
    """Return `faces` after a check that they are faces of the mesh of `candidate`.

    Raises:
        DetectError: they are not; the message names the object and the reason.
    """
    if candidate is None:
        raise DetectError(
            Sentence(
                "'{name}' is not in this view layer: it was deleted or renamed, or exists only as an instance",
                name=name,
            )
        )
    if candidate.type == "POINTCLOUD":
        raise DetectError(Sentence("'{name}' is a scan: it has points but no faces to select", name=name))
    if candidate.type != "MESH":
        raise DetectError(Sentence("'{name}' is not a mesh: convert it to a mesh to select its faces", name=name))
    if massive_path(candidate):
        raise DetectError(
            Sentence(
                "'{name}' shows only some triangles of its massive file: the contacting triangles are not "
                "among its faces",
                name=name,
            )
        )
    if faces is None:
        raise DetectError(
            Sentence(
                "the modifiers of '{name}' create new faces: the contacting faces do not exist in the original mesh",
                name=name,
            )
        )
    if candidate.library or candidate.data.library:
        raise DetectError(Sentence("'{name}' is linked from another file and cannot be edited", name=name))
    if len(faces) and faces.max() >= len(candidate.data.polygons):
        raise DetectError(Sentence("'{name}' has fewer faces than when it was tested: press Detect again", name=name))
    return faces


def selectable(candidate: bpy.types.Object | None, name: str, faces: NDArray[np.int32] | None) -> NDArray[np.int32]:
    """Return `faces` after a check that they can also be selected, because Blender cannot edit hidden objects.

    Raises:
        DetectError: as `checked`, and for a hidden object.
    """
    faces = checked(candidate, name, faces)
    if candidate is not None and not candidate.visible_get():
        raise DetectError(Sentence("'{name}' is hidden: show it to select its faces", name=name))
    return faces


def select_in_edit_mode(context: bpy.types.Context, chosen: list[tuple[bpy.types.Object, NDArray[np.int32]]]) -> None:
    """Enter Edit Mode of the objects, in face select mode, and select exactly these `selectable` faces."""
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in context.selected_objects:
        other.select_set(False)
    by_mesh: dict[str, list[NDArray[np.int32]]] = {}
    for item, faces in chosen:
        item.select_set(True)
        by_mesh.setdefault(item.data.name, []).append(faces)
    for mesh_name, parts in by_mesh.items():
        _select_faces(bpy.data.meshes[mesh_name], np.concatenate(parts))
    context.view_layer.objects.active = chosen[0][0]
    context.tool_settings.mesh_select_mode = (False, False, True)
    bpy.ops.object.mode_set(mode="EDIT")


def _select_faces(mesh: bpy.types.Mesh, faces: NDArray[np.int32]) -> None:
    """Select the faces with their edges and vertices; deselect everything else, and reveal hidden faces."""
    selected = np.zeros(len(mesh.polygons), bool)
    selected[faces] = True
    sizes = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", sizes)
    corners = np.repeat(selected, sizes)  # the corners of each face are stored contiguously
    hidden = np.zeros(len(mesh.polygons), bool)
    mesh.polygons.foreach_get("hide", hidden)
    if (hidden & selected).any():
        _unhide(mesh)
    for name, elements in (("vertex_index", mesh.vertices), ("edge_index", mesh.edges)):
        indices = np.empty(len(mesh.loops), np.int32)
        mesh.loops.foreach_get(name, indices)
        mask = np.zeros(len(elements), bool)
        mask[indices[corners]] = True
        elements.foreach_set("select", mask)
    mesh.polygons.foreach_set("select", selected)
    mesh.update()


def _unhide(mesh: bpy.types.Mesh) -> None:
    for elements in (mesh.vertices, mesh.edges, mesh.polygons):
        elements.foreach_set("hide", np.zeros(len(elements), bool))
