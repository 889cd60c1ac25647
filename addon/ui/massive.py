"""The panel of massive files."""

from __future__ import annotations

from typing import Any

from .. import running_work
from ..adapters.massive_objects import PROPERTY, massive_path
from .parts import TabPanel, draw_text


class MESHCLASH_PT_massive(TabPanel):
    """Build files of models that are too large for memory, and see which one an object stands for."""

    bl_label = "Massive Models"
    bl_order = 2
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, item = self.layout, context.active_object
        layout.enabled = running_work.running_task() is None
        column = layout.column(align=True)
        column.operator("meshclash.import_massive", icon="IMPORT")
        column.operator("meshclash.build_massive", icon="EXPORT")
        if item is None:
            return
        layout.prop(item, PROPERTY, text="File")
        if massive_path(item):
            column = layout.column(align=True)
            column.operator("meshclash.show_level", icon="MOD_DECIM")
            column.prop(context.scene.meshclash, "massive_triangles")
            draw_text(layout, "What is shown has fewer triangles. Detect tests all of them.", context.region, "INFO")


CLASSES = (MESHCLASH_PT_massive,)
