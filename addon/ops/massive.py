"""Operators for massive files: build one from an object or a file, and show a level of it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.props import FloatProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper
from mathutils import Matrix
from meshclash.clash.errors import InputError
from meshclash.clash.frame_scene import SourceMesh
from meshclash.clash.kernel_parts import MASSIVE_PARTS
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import preferences, shown_levels, view
from ..adapters.enumeration import read_object
from ..adapters.massive_objects import massive_path, new_proxy, show
from ..core.massive_build import SOURCES, Look, ShownMassive, build_steps, show_steps
from ..core.massive_file import ENDING
from ..redraw import tag_redraw
from ..screens import largest_view
from ..texts import length
from .loading import load_steps
from .marks import own_writing
from .polls import possible
from .task import Task
from .task_operator import TaskOperator

PARTS = ("contacts", *MASSIVE_PARTS)


class MESHCLASH_OT_import_massive(TaskOperator, ImportHelper):
    """Build a massive file from a mesh of any size without loading it, and show a level of it as an object"""

    bl_idname = "meshclash.import_massive"
    bl_label = "Import Massive Model"
    bl_options = {"REGISTER", "UNDO"}

    filepath: StringProperty(name="File Path", subtype="FILE_PATH")
    filter_glob: StringProperty(default=";".join(f"*{end}" for end in (*SOURCES, ENDING)), options={"HIDDEN"})
    weld: FloatProperty(
        name="Weld Tolerance",
        description="Merge vertices up to this distance in the levels that are shown, for models whose faces share no"
                    " vertices. Detect still tests the original triangles",
        min=0.0, soft_max=0.01, default=0.0, precision=6, unit="LENGTH",
    )  # fmt: skip

    def make_task(self, context: bpy.types.Context) -> Task:
        if not self.filepath:
            raise InputError("name the file of the model")
        source = Path(bpy.path.abspath(self.filepath))
        look = Look(context.scene.meshclash.massive_triangles, self.weld, shown_levels.eye_of(_view(context), Matrix()))
        return Task(_build(source, source.with_suffix(ENDING), look, preferences.cache_folder()))

    def finish(self, context: bpy.types.Context, result: ShownMassive) -> str:
        _show(context, result, result.path.stem)
        return _told(context, result)


class MESHCLASH_OT_build_massive(TaskOperator, ExportHelper):
    """Write the active object to a massive file, add an object that shows it, and hide the active object"""

    bl_idname = "meshclash.build_massive"
    bl_label = "Build Massive File"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ENDING
    filter_glob: StringProperty(default=f"*{ENDING}", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        item = context.active_object
        mesh = item is not None and item.type == "MESH" and not massive_path(item)
        return possible(cls, mesh, "Select a mesh that is not a massive model yet") and super().poll(context)

    def make_task(self, context: bpy.types.Context) -> Task:
        item = context.active_object
        evaluated = item.evaluated_get(context.evaluated_depsgraph_get())
        mesh = read_object(item, evaluated)
        if not isinstance(mesh, SourceMesh):
            raise InputError(Sentence("object '{name}' has no faces", name=item.name))
        matrix = np.array(evaluated.matrix_world, np.float64)
        self.source = item.name_full
        look = Look(context.scene.meshclash.massive_triangles)
        return Task(self._steps(mesh, matrix, Path(bpy.path.abspath(self.filepath)), look, preferences.cache_folder()))

    def _steps(
        self, mesh: SourceMesh, matrix: np.ndarray, path: Path, look: Look, cache_folder: str | None
    ) -> Generator[Any, None, ShownMassive]:
        """Build the file; scale and shear are applied to it, because its object must have none."""
        module = yield from load_steps(cache_folder, PARTS)
        pose, stretch = module.split_matrix(matrix)
        vertices = mesh.vertices
        if stretch is not None:
            vertices = module.TriangleMesh(vertices, mesh.triangles).transformed(stretch).vertices
        self.rigid: list[list[float]] = np.asarray(pose.matrix).tolist()
        return (yield from build_steps(module, (vertices, mesh.triangles), path, look))

    def finish(self, context: bpy.types.Context, result: ShownMassive) -> str:
        item = view.find_object(context, self.source)
        proxy = _show(context, result, f"{self.source} massive")
        proxy.matrix_world = Matrix(self.rigid)
        if item is not None:
            item.hide_set(True)
        return Sentence(
            "{shown}; '{name}' is now hidden to avoid testing it twice",
            shown=_told(context, result),
            name=self.source,
        )


class MESHCLASH_OT_show_level(TaskOperator):
    """Show more detail of the active massive model near this view, up to the maximum number of triangles"""

    bl_idname = "meshclash.show_level"
    bl_label = "Refine for This View"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        massive = context.active_object is not None and massive_path(context.active_object)
        return possible(cls, massive, "Select an object that was made from a massive file") and super().poll(context)

    def make_task(self, context: bpy.types.Context) -> Task:
        item = context.active_object
        self.shown = item.name_full
        eye = shown_levels.eye_of(_view(context), item.matrix_world)
        look = Look(context.scene.meshclash.massive_triangles, 0.0, eye)
        return Task(_show_again(Path(massive_path(item)), look, preferences.cache_folder()))

    def finish(self, context: bpy.types.Context, result: ShownMassive) -> str:
        item = view.find_object(context, self.shown)
        if item is None or item.type != "MESH":
            raise InputError(Sentence("'{name}' no longer exists", name=self.shown))
        if item.data.library is not None:
            raise InputError(Sentence("'{name}' is linked from a library and cannot be written", name=self.shown))
        with own_writing(context):
            show(item.data, result.vertices, result.faces)
        shown_levels.forget()
        tag_redraw(context)
        return _told(context, result)


def _view(context: bpy.types.Context) -> bpy.types.RegionView3D | None:
    """Return the view of the context's 3D viewport, or else of the largest one."""
    area = context.area
    if area is None or area.type != "VIEW_3D":
        found = None if bpy.app.background else largest_view(context)
        area = None if found is None else found[1]
    return None if area is None else area.spaces.active.region_3d


def _build(source: Path, path: Path, look: Look, cache_folder: str | None) -> Generator[Any, None, ShownMassive]:
    module = yield from load_steps(cache_folder, PARTS)
    return (yield from build_steps(module, source, path, look))


def _show_again(path: Path, look: Look, cache_folder: str | None) -> Generator[Any, None, ShownMassive]:
    module = yield from load_steps(cache_folder, PARTS)
    return (yield from show_steps(module, path, look))


def _show(context: bpy.types.Context, result: ShownMassive, name: str) -> bpy.types.Object:
    """Create an object that shows the file, and select it."""
    item = new_proxy(name, result.vertices, result.faces, str(result.path), context.collection)
    for other in context.selected_objects:
        other.select_set(False)
    item.select_set(True)
    context.view_layer.objects.active = item
    return item


def _told(context: bpy.types.Context, result: ShownMassive) -> str:
    shown = Sentence(
        "{triangles} in {file}, {shown} shown",
        triangles=counted(result.triangles, "triangle"), file=result.path.name, shown=f"{len(result.faces):,}",
    )  # fmt: skip
    if result.error is None:
        return Sentence("{shown}, simplified for display: {why}", shown=shown, why=result.note)
    return (
        Sentence(
            "{shown}, off by at most {length}", shown=shown, length=length(result.error, context.scene.unit_settings)
        )
        if result.error
        else shown
    )


CLASSES = (MESHCLASH_OT_import_massive, MESHCLASH_OT_build_massive, MESHCLASH_OT_show_level)
