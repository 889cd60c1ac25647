"""The panel of an object that shows a massive file."""

from __future__ import annotations

from typing import Any

from .. import running_work
from ..adapters.massive_objects import massive_path
from .parts import TabPanel, draw_text


class MESHCLASH_PT_massive(TabPanel):
    """Panel that shows how much of a massive model is displayed."""

    bl_label = "Massive Model"
    bl_order = 2
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.active_object is not None and bool(massive_path(context.active_object))

    def draw(self, context: Any) -> None:
        self.layout.enabled = running_work.running_task() is None
        column = self.layout.column(align=True)
        column.operator("meshclash.show_level", icon="MOD_DECIM")
        column.prop(context.scene.meshclash, "massive_triangles")
        draw_text(
            self.layout, "The model is shown with fewer triangles. Detect tests all of them.", context.region, "INFO"
        )


CLASSES = (MESHCLASH_PT_massive,)
