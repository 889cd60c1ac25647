"""Writes the report of the scene to a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Operator
from bpy_extras.io_utils import ExportHelper
from meshclash.detection.errors import InputError
from meshclash.detection.writers import WRITERS

from .. import engine, results, scene_results

FORMATS = (
    ("JSON", "JSON", "All data, schema meshclash.report/1", ".json"),
    ("CSV", "CSV", "One line per pair, for a spreadsheet", ".csv"),
    ("HTML", "HTML", "A page to read and print", ".html"),
)


class MESHCLASH_OT_export_report(Operator, ExportHelper):
    """Write the results to a file"""

    bl_idname = "meshclash.export_report"
    bl_label = "Export Report"
    bl_options = {"REGISTER"}

    filename_ext = ".json"
    filepath: StringProperty(name="File Path", subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.json;*.csv;*.html", options={"HIDDEN"})
    listed: BoolProperty(name="Only Listed Pairs", description="Leave out pairs that the list does not show")
    format: EnumProperty(name="Format", items=[item[:3] for item in FORMATS], default="JSON")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        result = scene_results.result_of(context.scene.session_uid)
        if result is not None and result.incomplete:
            cls.poll_message_set("The answer is incomplete: wait for Live, or press Detect")
            return False
        return result is not None

    def check(self, _context: bpy.types.Context) -> bool:
        """The file browser asks whether an option changed the file name."""
        wanted = self._with_extension(self.filepath)
        changed = wanted != self.filepath
        self.filepath = wanted
        return changed

    def execute(self, context: bpy.types.Context) -> set[str]:
        report = results.as_listed(context.scene)
        if self.listed:
            pairs = {row.id for row in results.chosen_rows(context)}
            report = replace(report, rows=[row for row in report.rows if row.id in pairs])
        name = bpy.path.abspath(self.filepath)
        path, extension = Path(self._with_extension(name)), self._chosen(name)[3]
        text = WRITERS[extension](report)
        try:
            with engine.output_file(path, "report", (extension,)) as output:
                output.commit(text)
        except (engine.EngineMissing, InputError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Report written to {path}")
        return {"FINISHED"}

    def _with_extension(self, name: str) -> str:
        """The file name with the ending of the chosen format; a folder stays as it is."""
        return name if not name or name.endswith(("/", "\\")) else str(Path(name).with_suffix(self._chosen(name)[3]))

    def _chosen(self, name: str) -> tuple[str, str, str, str]:
        """The format that was chosen, or that of the file's name where none was."""
        suffix = Path(name).suffix.lower()
        named = next((item for item in FORMATS if item[3] == suffix), None)
        if named is not None and not self.properties.is_property_set("format"):
            return named
        return next(item for item in FORMATS if item[0] == self.format)


CLASSES = (MESHCLASH_OT_export_report,)
