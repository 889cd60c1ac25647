"""Write the report of the scene to a file, and import the decisions of others about its pairs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Operator
from bpy_extras.io_utils import ExportHelper, ImportHelper
from meshclash.clash.errors import InputError
from meshclash.clash.files.bcf import read_bcf
from meshclash.clash.files.topics import reviews_of
from meshclash.clash.words import counted
from meshclash.clash.writers import WRITERS
from meshclash.messages import Sentence

from .. import engine, results, reviews, scene_results
from ..translations import ChoiceProperty, translated
from .polls import has_result, possible

FORMATS = (
    ("HTML", "HTML", "Web page to search, filter and print", ".html"),
    ("CSV", "CSV", "One line per pair, for a spreadsheet", ".csv"),
    ("JSON", "JSON", "All data as JSON, with the schema meshclash.report/1", ".json"),
    ("XLSX", "XLSX", "Excel workbook; needs the Python package xlsxwriter", ".xlsx"),
    ("BCF", "BCF 3.0", "BCF 3.0 file with topics and viewpoints, for BIM programs", ".bcf"),
    ("BCF21", "BCF 2.1", "BCF 2.1 file with topics and viewpoints, for older BIM programs", ".bcfzip"),
    ("JUNIT", "JUnit", "One test case per pair, for build servers", ".xml"),
    ("SARIF", "SARIF", "Static analysis results, for code hosting sites and editors", ".sarif"),
)


class MESHCLASH_OT_export_report(Operator, ExportHelper):
    """Write the results to a file"""

    bl_idname = "meshclash.export_report"
    bl_label = "Export Report"
    bl_options = {"REGISTER"}

    filename_ext = ".html"
    filepath: StringProperty(name="File Path", subtype="FILE_PATH")
    filter_glob: StringProperty(default=";".join(f"*{item[3]}" for item in FORMATS), options={"HIDDEN"})
    listed: BoolProperty(name="Only Listed Pairs", description="Export only the pairs in the list")
    format: ChoiceProperty(name="Format", items=[item[:3] for item in FORMATS], default="HTML")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _has_answer(cls, context)

    def check(self, _context: bpy.types.Context) -> bool:
        """Return whether an option changed the file name; called by the file browser."""
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
        try:
            content = WRITERS[extension](report)
            with engine.output_file(path, "report", (extension,)) as output:
                output.commit(content)
        except (engine.EngineMissing, InputError, OSError) as error:
            self.report({"ERROR"}, translated(str(error)))
            return {"CANCELLED"}
        self.report({"INFO"}, translated(Sentence("Report written to {path}", path=path)))
        return {"FINISHED"}

    def _with_extension(self, name: str) -> str:
        """Return the file name with the extension of the chosen format; folders are unchanged."""
        return name if not name or name.endswith(("/", "\\")) else str(Path(name).with_suffix(self._chosen(name)[3]))

    def _chosen(self, name: str) -> tuple[str, str, str, str]:
        """Return the chosen format, or the format that belongs to the file's extension if none was chosen."""
        suffix = Path(name).suffix.lower()
        named = next((item for item in FORMATS if item[3] == suffix), None)
        if named is not None and not self.properties.is_property_set("format"):
            return named
        return next(item for item in FORMATS if item[0] == self.format)


class MESHCLASH_OT_import_bcf(Operator, ImportHelper):
    """Import statuses and comments of the listed pairs from a BCF file (2.1 or 3.0)"""

    bl_idname = "meshclash.import_bcf"
    bl_label = "Import BCF"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".bcf"
    filepath: StringProperty(name="File Path", subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.bcf;*.bcfzip", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _has_answer(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        path = Path(bpy.path.abspath(self.filepath))
        rows = {row.id: row for row in results.as_listed(context.scene).rows}
        try:
            file = read_bcf(path)
        except InputError as error:
            self.report({"ERROR"}, translated(str(error)))
            return {"CANCELLED"}
        said = reviews_of(file, rows)
        alike = defaultdict(list)  # groups equal decisions: each is written to the journal
        for pair, review in said.items():
            alike[review.status.upper(), review.comment, review.assignee].append(rows[pair])
        for (status, comment, assignee), pairs in alike.items():
            named = {"assignee": assignee} if assignee else {}  # a topic without an assignee changes none
            reviews.say(context.scene, pairs, status=status, comment=comment, **named)
        results.list_said(context)
        others = len(file.topics) - len(said)
        text = Sentence("{pairs} updated from {file}", pairs=counted(len(said), "pair"), file=path.name)
        if others:
            text += "; " + Sentence("{count} of its topics do not match a listed pair", count=others)
        self.report({"INFO"} if said else {"WARNING"}, translated(text))
        return {"FINISHED"}


def _has_answer(cls: type[Operator], context: bpy.types.Context) -> bool:
    """Return whether there is a complete result, for `poll`; otherwise set a tooltip with the reason."""
    result = scene_results.result_of(context.scene.session_uid)
    incomplete = result is not None and result.incomplete
    whole = possible(cls, not incomplete, "The results are incomplete: wait for Live, or press Detect")
    return whole and has_result(cls, context)


CLASSES = (MESHCLASH_OT_export_report, MESHCLASH_OT_import_bcf)
