"""Operators of massive files: build one from an object, or from a file, and show where it is."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper
from mathutils import Matrix
from meshclash.detection.errors import InputError
from meshclash.detection.frame_scene import SourceMesh
from meshclash.detection.kernel_parts import MASSIVE_PARTS

from .. import preferences, view
from ..adapters.enumeration import read_object
from ..adapters.massive_objects import massive_path, new_proxy
from ..core.massive_build import SOURCES, BuiltMassive, build_steps
from ..core.massive_file import ENDING
from .loading import load_steps
from .task import Task
from .task_operator import TaskOperator

PARTS = ("contacts", *MASSIVE_PARTS)


class MESHCLASH_OT_import_massive(TaskOperator, ImportHelper):
    """Build a massive file from a mesh of any size without loading it, and show a sample of it as an object"""

    bl_idname = "meshclash.import_massive"
    bl_label = "Import Massive Model"
    bl_options = {"REGISTER", "UNDO"}

    filepath: StringProperty(name="File Path", subtype="FILE_PATH")
    filter_glob: StringProperty(default=";".join(f"*{end}" for end in (*SOURCES, ENDING)), options={"HIDDEN"})

    def make_task(self, context: bpy.types.Context) -> Task:
        if not self.filepath:
            raise InputError("name the file of the model")
        source = Path(bpy.path.abspath(self.filepath))
        return Task(_build(source, source.with_suffix(ENDING), preferences.cache_folder()))

    def finish(self, context: bpy.types.Context, result: BuiltMassive) -> str:
        _show(context, result, result.path.stem)
        return _told(result)


class MESHCLASH_OT_build_massive(TaskOperator, ExportHelper):
    """Write the active object as a massive file; a new object stands for it, and this one is hidden"""

    bl_idname = "meshclash.build_massive"
    bl_label = "Build Massive File"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ENDING
    filter_glob: StringProperty(default=f"*{ENDING}", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        item = context.active_object
        if item is not None and item.type == "MESH" and not massive_path(item):
            return super().poll(context)
        cls.poll_message_set("Select a mesh that is no massive file yet")
        return False

    def make_task(self, context: bpy.types.Context) -> Task:
        item = context.active_object
        evaluated = item.evaluated_get(context.evaluated_depsgraph_get())
        mesh = read_object(item, evaluated)
        if not isinstance(mesh, SourceMesh):
            raise InputError(f"object '{item.name}' has no faces")
        matrix = np.array(evaluated.matrix_world, np.float64)
        self.source = item.name_full
        return Task(self._steps(mesh, matrix, Path(bpy.path.abspath(self.filepath)), preferences.cache_folder()))

    def _steps(
        self, mesh: SourceMesh, matrix: np.ndarray, path: Path, cache_folder: str | None
    ) -> Generator[Any, None, BuiltMassive]:
        """Scale and shear go into the file, since its object must have none."""
        module = yield from load_steps(cache_folder, PARTS)
        pose, stretch = module.split_matrix(matrix)
        vertices = mesh.vertices
        if stretch is not None:
            vertices = module.TriangleMesh(vertices, mesh.triangles).transformed(stretch).vertices
        self.rigid: list[list[float]] = np.asarray(pose.matrix).tolist()
        return (yield from build_steps(module, (vertices, mesh.triangles), path))

    def finish(self, context: bpy.types.Context, result: BuiltMassive) -> str:
        item = view.find_object(context, self.source)
        proxy = _show(context, result, f"{self.source} massive")
        proxy.matrix_world = Matrix(self.rigid)
        if item is not None:
            item.hide_set(True)
        return f"{_told(result)}; '{self.source}' is hidden, so that it is not tested as well"


def _build(source: Path, path: Path, cache_folder: str | None) -> Generator[Any, None, BuiltMassive]:
    module = yield from load_steps(cache_folder, PARTS)
    return (yield from build_steps(module, source, path))


def _show(context: bpy.types.Context, result: BuiltMassive, name: str) -> bpy.types.Object:
    """A new object that stands for the file, selected."""
    item = new_proxy(name, result.sample, str(result.path), context.collection)
    for other in context.selected_objects:
        other.select_set(False)
    item.select_set(True)
    context.view_layer.objects.active = item
    return item


def _told(result: BuiltMassive) -> str:
    return f"{result.triangles:,} triangles in {result.path.name}, {len(result.sample):,} of them shown"


CLASSES = (MESHCLASH_OT_import_massive, MESHCLASH_OT_build_massive)
