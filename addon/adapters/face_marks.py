"""Mark faces of original meshes: with a boolean attribute, or with a material that can be removed again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy
import numpy as np
from meshclash.clash.errors import DetectError
from meshclash.messages import Sentence
from numpy.typing import NDArray

MATERIAL = "MeshClash Contact"
FORMER_MATERIAL = "meshclash_former_material"  # face attribute: the slot that each face had


def meshes_of(scene: bpy.types.Scene) -> Iterator[bpy.types.Mesh]:
    """Yield the writable meshes of the scene's objects, each once."""
    seen = set()
    for item in scene.objects:
        mesh = item.data if item is not None and item.type == "MESH" else None
        if mesh is not None and mesh.session_uid not in seen and mesh.library is None and not mesh.is_editmode:
            seen.add(mesh.session_uid)
            yield mesh


def write_attribute(mesh: bpy.types.Mesh, name: str, faces: NDArray[np.int32]) -> None:
    """Set the boolean face attribute to true on `faces` and to false on all other faces.

    Raises:
        DetectError: the mesh has a different attribute of that name.
    """
    attribute = mesh.attributes.get(name)
    if attribute is None:
        attribute = mesh.attributes.new(name, "BOOLEAN", "FACE")
    elif not _is_mark(attribute):
        raise DetectError(
            Sentence(
                "'{mesh}' already has an attribute called '{name}' with other data: choose another name",
                mesh=mesh.name,
                name=name,
            )
        )
    attribute.data.foreach_set("value", _mask(mesh, faces))
    mesh.update()


def remove_attribute(mesh: bpy.types.Mesh, name: str) -> bool:
    """Remove the boolean face attribute; return whether there was one."""
    attribute = mesh.attributes.get(name)
    if attribute is None or not _is_mark(attribute):
        return False
    mesh.attributes.remove(attribute)
    mesh.update()
    return True


def assign_material(mesh: bpy.types.Mesh, faces: NDArray[np.int32], material: bpy.types.Material) -> None:
    """Assign the material to `faces` in a slot of its own; store their former slots in an attribute."""
    restore_material(mesh)
    former = _material_indices(mesh)
    attribute = mesh.attributes.new(FORMER_MATERIAL, "INT", "FACE")
    attribute.data.foreach_set("value", former)
    if not len(mesh.materials):
        mesh.materials.append(None)  # an empty slot, as faces without a material have
    mesh.materials.append(material)
    _set_material_indices(mesh, np.where(_mask(mesh, faces), np.int32(len(mesh.materials) - 1), former))


def restore_material(mesh: bpy.types.Mesh) -> bool:
    """Restore the former materials of `assign_material`, and remove its slot; return whether there was one.

    Faces that were assigned another slot in the meantime keep it.
    """
    attribute = mesh.attributes.get(FORMER_MATERIAL)
    if attribute is None:
        return False
    former = np.empty(len(mesh.polygons), np.int32)
    attribute.data.foreach_get("value", former)
    mesh.attributes.remove(attribute)
    slot = next((index for index in reversed(range(len(mesh.materials))) if _is_highlight(mesh.materials[index])), None)
    if slot is not None:
        current = _material_indices(mesh)
        mesh.materials.pop(index=slot)
        if len(mesh.materials) == 1 and mesh.materials[0] is None:
            mesh.materials.clear()
        _set_material_indices(mesh, np.where(current == slot, former, current - (current > slot)).astype(np.int32))
    return True


def highlight_material(colour: Iterable[float]) -> bpy.types.Material:
    """Return the material for contacting faces; it is created on first use."""
    material = next((found for found in bpy.data.materials if _is_highlight(found) and found.library is None), None)
    if material is None:
        material = bpy.data.materials.new(MATERIAL)
        material["meshclash"] = True  # identifies it if it is renamed
        red, green, blue = tuple(colour)[:3]
        material.diffuse_color = (red, green, blue, 1.0)
        if bpy.app.version < (5, 0, 0):
            material.use_nodes = True  # later versions: always on
        shader = material.node_tree.nodes.get("Principled BSDF")
        shader.inputs["Base Color"].default_value = (red, green, blue, 1.0)
        shader.inputs["Emission Color"].default_value = (red, green, blue, 1.0)
        shader.inputs["Emission Strength"].default_value = 0.5
    return material


def _is_highlight(material: bpy.types.Material | None) -> bool:
    return material is not None and bool(material.get("meshclash"))


def _is_mark(attribute: bpy.types.Attribute) -> bool:
    return attribute.data_type == "BOOLEAN" and attribute.domain == "FACE"


def _mask(mesh: bpy.types.Mesh, faces: NDArray[np.int32]) -> NDArray[np.bool_]:
    mask = np.zeros(len(mesh.polygons), np.bool_)
    mask[faces] = True
    return mask


def _material_indices(mesh: bpy.types.Mesh) -> NDArray[np.int32]:
    """Return material indices (n,) int32; all 0 if the attribute is missing."""
    indices = np.zeros(len(mesh.polygons), np.int32)
    attribute = mesh.attributes.get("material_index")
    if attribute is not None:
        attribute.data.foreach_get("value", indices)
    return indices


def _set_material_indices(mesh: bpy.types.Mesh, indices: NDArray[np.int32]) -> None:
    attribute = mesh.attributes.get("material_index")
    if attribute is None:
        attribute = mesh.attributes.new("material_index", "INT", "FACE")
    attribute.data.foreach_set("value", np.ascontiguousarray(indices, np.int32))
    mesh.update()
