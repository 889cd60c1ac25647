"""The panel of the named tests in the file."""

from __future__ import annotations

from typing import Any

from bpy.types import UIList

from .. import running_work, scene_results
from ..translations import CONTEXT
from .parts import TabPanel


class MESHCLASH_UL_tests(UIList):
    """List of named tests: whether each test is enabled, its name, and how many pairs it found."""

    def draw_item(
        self, context: Any, layout: Any, _data: Any, item: Any, _icon: int, _active_data: Any, _active: str
    ) -> None:
        result = scene_results.result_of(context.scene.session_uid)
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        row.prop(item, "name", text="", emboss=False)
        if result is not None and item.name in result.test_counts:
            count = row.row()
            count.alignment = "RIGHT"
            count.label(text=f"{result.test_counts[item.name]:,}", translate=False)


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
        layout.operator("meshclash.run_tests", icon="VIEWZOOM")
        line = layout.row(align=True)
        line.operator("meshclash.import_tests", text="Import", text_ctxt=CONTEXT, icon="IMPORT")
        line.operator("meshclash.export_tests", text="Export", text_ctxt=CONTEXT, icon="EXPORT")


CLASSES = (MESHCLASH_UL_tests, MESHCLASH_PT_tests)
