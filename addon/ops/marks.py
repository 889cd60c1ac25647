"""Operators that write marks to meshes, for materials, geometry nodes and renders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar

import bpy
import numpy as np
from bpy.types import Operator
from meshclash.clash.errors import DetectError
from meshclash.clash.pair_row import PairRow
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import preferences, results, running_work, scene_results, view
from ..adapters import face_marks, face_selection
from ..overlay.render_data import rows_to_draw
from ..reviews import reviews_of
from ..translations import ChoiceProperty, translated
from .polls import in_object_mode, possible

SCOPES = (
    ("ALL", "All Clashes", "Use the faces of all listed pairs that clash and are not approved"),
    ("ACTIVE", "Selected Pair", "Use the faces of the pair selected in the list"),
)

NOTHING = {
    "ALL": "No listed pair clashes or is too close. To mark another pair, select it",
    "ACTIVE": "The selected pair has no contacting faces",
}

Mark = Callable[[bpy.types.Mesh, np.ndarray], None]


@contextmanager
def own_writing(context: bpy.types.Context) -> Iterator[None]:
    """Ignore updates inside the block, because writing marks does not change shapes and must not make results stale."""
    context.view_layer.update()
    with running_work.ignored_updates():
        yield
        context.view_layer.update()


class _MarkOperator(Operator):
    """Shared by operators that write the faces of the result."""

    scope: ChoiceProperty(name="Pairs", items=SCOPES, default="ALL")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        result = scene_results.result_of(context.scene.session_uid)
        known = result is not None and not result.loaded
        return possible(cls, known, "Press Detect first") and in_object_mode(cls, context)

    def mark_all(self, context: bpy.types.Context, mark: Mark) -> set[str]:
        """Call `mark` with each mesh and its contacting faces; report meshes that cannot be marked."""
        faces, problems = faces_by_mesh(context, _rows(context, self.scope))
        marked = 0
        with own_writing(context):
            for name, indices in faces.items():
                try:
                    mark(bpy.data.meshes[name], indices)
                    marked += 1
                except DetectError as error:
                    problems.append(str(error))
        if not marked:
            self.report({"ERROR"}, translated(Sentence.joined("; ", problems) or NOTHING[self.scope]))
            return {"CANCELLED"}
        if problems:
            self.report({"WARNING"}, translated(Sentence.joined("; ", problems)))
        return {"FINISHED"}


def _rows(context: bpy.types.Context, scope: str) -> list[PairRow]:
    if scope == "ACTIVE":
        row = results.active_pair(context)
        return [] if row is None else [row]
    listed = context.window_manager.meshclash
    result = scene_results.existing_result(context.scene.session_uid)
    found = results.rows_of(result, listed.query(), context.scene)
    marked = rows_to_draw(result.table, found, reviews_of(context.scene).approved)
    return [result.report.rows[at] for at in np.flatnonzero(marked).tolist()]


def faces_by_mesh(context: bpy.types.Context, rows: list[PairRow]) -> tuple[dict[str, np.ndarray], list[str]]:
    """Return the contacting faces of all objects of each mesh, by mesh name, and why some objects are missing."""
    wanted: dict[str, list[np.ndarray | None]] = {}
    for row in rows:
        for side in row.sides:
            if not side.is_scan:
                wanted.setdefault(side.source, []).append(side.original_faces)
    found: dict[str, list[np.ndarray]] = {}
    problems: list[str] = []
    for name, parts in wanted.items():
        source = view.find_object(context, name)
        known = [part for part in parts if part is not None]
        try:
            faces = face_selection.checked(source, name, np.concatenate(known) if len(known) == len(parts) else None)
        except DetectError as error:
            problems.append(str(error))
            continue
        if source is not None:  # guaranteed by `checked`
            found.setdefault(source.data.name, []).append(faces)
    union = {name: np.unique(np.concatenate(parts)) for name, parts in found.items()}
    return {name: faces for name, faces in union.items() if len(faces)}, problems


class MESHCLASH_OT_write_attribute(_MarkOperator):
    """Store the contacting faces in a boolean face attribute, for materials and geometry nodes"""

    bl_idname = "meshclash.write_attribute"
    bl_label = "Write Face Attribute"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        name = context.scene.meshclash.attribute_name.strip()
        if not name:
            self.report({"ERROR"}, translated("Enter a name for the attribute"))
            return {"CANCELLED"}
        with own_writing(context):
            for mesh in face_marks.meshes_of(context.scene):
                face_marks.remove_attribute(mesh, name)
        return self.mark_all(context, lambda mesh, faces: face_marks.write_attribute(mesh, name, faces))


class MeshCleaner(Operator):
    """Base of operators that remove their marks from all meshes of the scene."""

    done: ClassVar[str]
    """Message with the number of meshes as {meshes}."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context)

    def clean(self, context: bpy.types.Context, mesh: bpy.types.Mesh) -> bool:
        """Remove the marks from a mesh; return whether the mesh had any."""
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> set[str]:
        with own_writing(context):
            cleaned = [self.clean(context, mesh) for mesh in face_marks.meshes_of(context.scene)]
        self.report({"INFO"}, translated(Sentence(self.done, meshes=counted(sum(cleaned), "mesh"))))
        return {"FINISHED"} if any(cleaned) else {"CANCELLED"}


class MESHCLASH_OT_remove_attribute(MeshCleaner):
    """Remove the boolean face attribute from all meshes of the scene"""

    bl_idname = "meshclash.remove_attribute"
    bl_label = "Remove Face Attribute"
    bl_options = {"REGISTER", "UNDO"}
    done = "Removed from {meshes}"

    def clean(self, context: bpy.types.Context, mesh: bpy.types.Mesh) -> bool:
        """Implement `MeshCleaner.clean`."""
        return face_marks.remove_attribute(mesh, context.scene.meshclash.attribute_name.strip())


class MESHCLASH_OT_assign_material(_MarkOperator):
    """Assign a highlight material to the contacting faces. Restore Materials removes it"""

    bl_idname = "meshclash.assign_material"
    bl_label = "Assign Highlight Material"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        with own_writing(context):
            for mesh in face_marks.meshes_of(context.scene):
                face_marks.restore_material(mesh)
        material = face_marks.highlight_material(preferences.of(context).colour_a)
        return self.mark_all(context, lambda mesh, faces: face_marks.assign_material(mesh, faces, material))


class MESHCLASH_OT_restore_materials(MeshCleaner):
    """Restore the materials that faces had before Assign Highlight Material"""

    bl_idname = "meshclash.restore_materials"
    bl_label = "Restore Materials"
    bl_options = {"REGISTER", "UNDO"}
    done = "Restored on {meshes}"

    def clean(self, _context: bpy.types.Context, mesh: bpy.types.Mesh) -> bool:
        """Implement `MeshCleaner.clean`."""
        return face_marks.restore_material(mesh)


CLASSES = (
    MESHCLASH_OT_write_attribute,
    MESHCLASH_OT_remove_attribute,
    MESHCLASH_OT_assign_material,
    MESHCLASH_OT_restore_materials,
)
