"""Operators on the named tests in the file: add, change, run, import and export them."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Operator
from bpy_extras.io_utils import ExportHelper, ImportHelper
from meshclash.clash.cloud_scene import Prepare
from meshclash.clash.errors import InputError
from meshclash.clash.matrix_files import to_matrix
from meshclash.clash.named_tests import NamedTest, read_tests, to_json
from meshclash.clash.report import DetectReport
from meshclash.clash.tests_job import tests_steps
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import engine, kept_tests, preferences, scene_results
from ..adapters import mesh_reader
from ..adapters.source import BlenderSource, metres_per_unit
from ..translations import ChoiceProperty, translated
from .detect import MESHCLASH_OT_detect, accept, answer_steps, begin, handle, parts_of, run_at_once
from .loading import load_steps
from .polls import possible
from .task import Task

JSON, MATRIX = ENDINGS = (".json", ".csv")
"""Extensions of files of tests: all options of tests, or a matrix as a spreadsheet."""
FILES = ";".join(f"*{ending}" for ending in ENDINGS)
DISCIPLINES = (
    ("collection", "Collection", "Use the topmost collections that each contain some of the objects"),
    (kept_tests.WORD, "Name", "Use the first word of each name, such as PIPE in PIPE-012"),
    ("material", "Material", "Use the material of each object"),
    ("class", "IFC Class", "Use the IFC class of each object"),
    ("storey", "Storey", "Use the storey of each object"),
    ("PROPERTY", "Custom Property", "Use a custom property of each object"),
)


def prepare_tests(context: bpy.types.Context) -> Task:
    """Return the task that runs all enabled tests.

    Raises:
        InputError: a test is damaged, or the list is empty.
    """
    tests = kept_tests.tests_of(context.scene, enabled=True)
    mesh_reader.set_fast_path(preferences.of(context).fast_path)
    engine.use_gpu_from(preferences.gpu_from(context))
    parts = tuple(dict.fromkeys(part for test in tests for part in parts_of(context, test.options)))
    source, ways = BlenderSource.from_context(context), partial(load_steps, preferences.cache_folder())
    loading = ways(parts, gpu=preferences.gpu_from(context) is not None)
    scene_results.forget_followed()  # it belongs to other sets
    steps = _steps(source, tests, loading, ways)
    return Task(answer_steps(context.scene.session_uid, steps, context.window_manager.meshclash.group_by))


def _steps(
    source: BlenderSource, tests: list[NamedTest], loading: Generator[Any, None, Any], ways: Prepare
) -> Generator[Any, None, DetectReport]:
    module = yield from loading
    return (yield from tests_steps(source, tests, module, prepare=ways, remember=True))


class MESHCLASH_OT_run_tests(Operator):
    """Run all enabled tests and list their results together"""

    bl_idname = "meshclash.run_tests"
    bl_label = "Run Tests"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        some = len(context.scene.meshclash.kept_tests)
        return possible(cls, some, "There are no tests yet: add one, or a matrix") and MESHCLASH_OT_detect.poll(context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return self.execute(context) if bpy.app.background else begin(self, context, prepare_tests)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return handle(self, context, event, lambda answer: accept(context, self.run.scene_uid, answer))

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator itself: a file is loaded or the window is closed."""
        self.run.end(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        take = partial(accept, context, context.scene.session_uid)
        return run_at_once(self, context, prepare_tests, take)


class MESHCLASH_OT_keep_test(Operator):
    """Save the current settings of Detect as a named test"""

    bl_idname = "meshclash.keep_test"
    bl_label = "Add Test"
    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(
        name="Name", description="Name of the new test. A test with the same name is replaced", maxlen=200
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        known, number = context.scene.meshclash.kept_tests, len(context.scene.meshclash.kept_tests) + 1
        while known.find(f"Test {number}") >= 0:
            number += 1
        self.name = f"Test {number}"
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = context.scene
        if not self.name.strip():
            self.report({"ERROR"}, translated("A test needs a name"))
            return {"CANCELLED"}
        try:
            options = scene.meshclash.checked_options(metres_per_unit(scene))
        except InputError as error:
            self.report({"ERROR"}, translated(str(error)))
            return {"CANCELLED"}
        kept_tests.keep(scene, [kept_tests.as_test(self.name.strip(), options)])
        return {"FINISHED"}


class OfActiveTest(Operator):
    """Base of the operators on the chosen test."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        settings = context.scene.meshclash
        return possible(cls, 0 <= settings.active_test < len(settings.kept_tests), "Choose a test first")


class MESHCLASH_OT_use_test(OfActiveTest):
    """Copy the settings of the test to the panel Detect"""

    bl_idname = "meshclash.use_test"
    bl_label = "Edit Test in Detect"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = context.scene.meshclash
        try:
            settings.take_options(settings.kept_tests[settings.active_test].named_test().options)
        except InputError as error:
            self.report({"ERROR"}, translated(str(error)))
            return {"CANCELLED"}
        return {"FINISHED"}


class MESHCLASH_OT_remove_test(OfActiveTest):
    """Remove the test, or all of them"""

    bl_idname = "meshclash.remove_test"
    bl_label = "Remove Test"
    bl_options = {"REGISTER", "UNDO"}

    every: BoolProperty(name="All Tests", options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = context.scene.meshclash
        if self.every:
            settings.kept_tests.clear()
        else:
            settings.kept_tests.remove(settings.active_test)
        settings.active_test = min(settings.active_test, len(settings.kept_tests) - 1)
        return {"FINISHED"}


class MESHCLASH_OT_fill_matrix(Operator):
    """Add one test for each pair of disciplines, with the current settings of Detect"""

    bl_idname = "meshclash.fill_matrix"
    bl_label = "Matrix of Disciplines"
    bl_options = {"REGISTER", "UNDO"}

    by: ChoiceProperty(name="Disciplines By", description="How to find the discipline of an object", items=DISCIPLINES)
    key: StringProperty(name="Property", description="Name of the custom property")
    within: BoolProperty(name="Also Within Disciplines", description="Also test each discipline against itself")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw the dialog."""
        self.layout.prop(self, "by")
        if self.by == "PROPERTY":
            self.layout.prop(self, "key")
        self.layout.prop(self, "within")

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = context.scene
        try:
            if self.by == "PROPERTY" and not self.key:
                raise InputError("Name the custom property")
            options = scene.meshclash.detect_options(metres_per_unit(scene))
            by = self.key if self.by == "PROPERTY" else self.by
            found = kept_tests.make_matrix(scene, by, options, self.within)
        except InputError as error:
            self.report({"ERROR"}, translated(str(error)))
            return {"CANCELLED"}
        kept_tests.keep(scene, found)
        self.report({"INFO"}, translated(Sentence("{tests} added from the matrix", tests=counted(len(found), "test"))))
        return {"FINISHED"}


class MESHCLASH_OT_export_tests(Operator, ExportHelper):
    """Export the tests to a JSON file or a matrix (CSV) for the command line option --tests"""

    bl_idname = "meshclash.export_tests"
    bl_label = "Export Tests"
    bl_options = {"REGISTER"}

    filename_ext = JSON
    filepath: StringProperty(name="File Path", subtype="FILE_PATH")
    filter_glob: StringProperty(default=FILES, options={"HIDDEN"})

    def check(self, context: bpy.types.Context) -> bool:
        """Keep the extension .csv, which asks for a matrix; called by the file browser."""
        self.filename_ext = _ending(self.filepath)
        return bool(super().check(context))

    def execute(self, context: bpy.types.Context) -> set[str]:
        path = Path(bpy.path.abspath(self.filepath))
        try:
            tests = kept_tests.tests_of(context.scene)
            content = to_matrix(tests) if _ending(path.name) == MATRIX else to_json(tests)
            with engine.output_file(path, "tests", ENDINGS) as output:
                output.commit(content)
        except (engine.EngineMissing, InputError, OSError) as error:
            self.report({"ERROR"}, translated(str(error)))
            return {"CANCELLED"}
        self.report({"INFO"}, translated(Sentence("Tests written to {path}", path=path)))
        return {"FINISHED"}


def _ending(name: str) -> str:
    """Return the extension of the format in which tests are written to a file."""
    return MATRIX if Path(name).suffix.lower() == MATRIX else JSON


class MESHCLASH_OT_import_tests(Operator, ImportHelper):
    """Import tests from a JSON file, a matrix (CSV) or clash sets of IfcClash. Tests with the same name are replaced"""

    bl_idname = "meshclash.import_tests"
    bl_label = "Import Tests"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = JSON
    filepath: StringProperty(name="File Path", subtype="FILE_PATH")
    filter_glob: StringProperty(default=FILES, options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            found = read_tests(Path(bpy.path.abspath(self.filepath)))
        except InputError as error:
            self.report({"ERROR"}, translated(str(error)))
            return {"CANCELLED"}
        kept_tests.keep(context.scene, found)
        self.report({"INFO"}, translated(Sentence("{tests} imported", tests=counted(len(found), "test"))))
        return {"FINISHED"}


CLASSES = (
    MESHCLASH_OT_run_tests,
    MESHCLASH_OT_keep_test,
    MESHCLASH_OT_use_test,
    MESHCLASH_OT_remove_test,
    MESHCLASH_OT_fill_matrix,
    MESHCLASH_OT_export_tests,
    MESHCLASH_OT_import_tests,
)
