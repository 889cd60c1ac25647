"""The panel for methods of the papers that no test needs."""

from __future__ import annotations

from typing import Any

from .. import running_work, shown_things
from .parts import ResearchPanel, draw_facts, draw_text, named_row

CAPTION_SHARE = 0.5  # share of the width for captions


class MESHCLASH_PT_methods(ResearchPanel):
    """Runs a method on two objects."""

    bl_label = "Methods"
    bl_parent_id = "MESHCLASH_PT_hierarchy"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        column = layout.column()
        column.enabled = running_work.running_task() is None
        named_row(column, "Method").prop(settings, "method", text="")
        if settings.method == "clouds":
            column.prop(settings, "method_node_size")
        column.operator("meshclash.run_method", icon="TIME")
        found = shown_things.method_run()
        if found is None or found.method != settings.method:
            return
        draw_text(layout, " × ".join(found.names), context.region, "NONE")
        draw_facts(layout, list(found.lines), context.region, CAPTION_SHARE)


CLASSES = (MESHCLASH_PT_methods,)
