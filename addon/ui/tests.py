"""The panel of the named tests in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpy.types import UIList

from .. import kept_tests, running_work, scene_results
from ..translations import CONTEXT
from .parts import TabPanel

NAMES_SHARE = 0.4
"""Share of the width that names of a matrix take."""


class MESHCLASH_UL_tests(UIList):
    """List of named tests: whether each test is enabled, its name, and how many pairs it found."""

    def draw_item(
        self, context: Any, layout: Any, _data: Any, item: Any, _icon: int, _active_data: Any, _active: str
    ) -> None:
        counts = _counts(context)
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        row.prop(item, "name", text="", emboss=False)
        if item.name in counts:
            count = row.row()
            count.alignment = "RIGHT"
            count.label(text=f"{counts[item.name]:,}", translate=False)


class MESHCLASH_PT_tests(TabPanel):
    """Panel of named tests, which are saved from Detect or created as a matrix, and run together."""

    bl_label = "Tests"
    bl_parent_id = "MESHCLASH_PT_detect"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        layout.enabled = running_work.running_task() is None
        row = layout.row()
        row.template_list("MESHCLASH_UL_tests", "", settings, "kept_tests", settings, "active_test", rows=4)
        buttons = row.column(align=True)
        buttons.operator("meshclash.keep_test", text="", icon="ADD")
        buttons.operator("meshclash.remove_test", text="", icon="REMOVE")
        buttons.separator()
        buttons.operator("meshclash.use_test", text="", icon="GREASEPENCIL")
        buttons.operator("meshclash.fill_matrix", text="", icon="LIGHTPROBE_VOLUME")
        _draw_matrix(layout, settings, _counts(context))
        layout.operator("meshclash.run_tests", icon="VIEWZOOM")
        line = layout.row(align=True)
        line.operator("meshclash.import_tests", text="Import", text_ctxt=CONTEXT, icon="IMPORT")
        line.operator("meshclash.export_tests", text="Export", text_ctxt=CONTEXT, icon="EXPORT")


def _counts(context: Any) -> Mapping[str, int]:
    """Return how many pairs each test found; empty before a run."""
    result = scene_results.result_of(context.scene.session_uid)
    return {} if result is None else {test.name: 0 for test in result.report.tests} | result.test_counts


def _draw_matrix(layout: Any, settings: Any, counts: Mapping[str, int]) -> None:
    """Draw the tests as a matrix, if they are one: a cell is a test, with the number of pairs that it found.

    Columns have the numbers of rows, because names are too long for a column.
    """
    names, cells = kept_tests.grid(settings.kept_tests)
    if not names:
        return
    matrix = layout.box().column(align=True)
    for row, name in enumerate(("", *names)):
        line = matrix.split(factor=NAMES_SHARE)
        line.label(text=f"{row}  {name}" if row else "", translate=False)
        places = line.row(align=True)
        for column in range(len(names)):
            test = cells.get((min(row - 1, column), max(row - 1, column)))
            if not row:
                places.label(text=str(column + 1), translate=False)
            elif test is None or column < row - 1:
                places.label(text="")
            else:
                found = f"{counts[test.name]:,}" if test.name in counts else ""
                places.prop(test, "enabled", text=found, translate=False)


CLASSES = (MESHCLASH_UL_tests, MESHCLASH_PT_tests)
