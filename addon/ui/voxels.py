"""The panel for the common voxels of a pair."""

from __future__ import annotations

from typing import Any

from .. import results, running_work, shown_things
from ..texts import length
from ..translations import CONTEXT
from .parts import ResearchPanel, draw_facts, draw_text

CAPTION_SHARE = 0.4  # share of the width for captions


class MESHCLASH_PT_voxels(ResearchPanel):
    """Panel that draws the voxels that the selected pair shares."""

    bl_label = "Common Voxels"
    bl_parent_id = "MESHCLASH_PT_results"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        shown = shown_things.voxels.of(context.scene.session_uid)
        return super().poll(context) and (results.active_pair(context) is not None or shown is not None)

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        shown = shown_things.voxels.of(context.scene.session_uid)
        column = layout.column(align=True)
        column.enabled = running_work.running_task() is None
        by_number = column.column(align=True)
        by_number.active = settings.voxel_size == 0.0
        by_number.prop(settings, "voxel_resolution")
        column.prop(settings, "voxel_size")
        row = layout.row(align=True)
        row.operator(
            "meshclash.show_voxels", text="Show Selected Pair" if shown is None else "Update", text_ctxt=CONTEXT
        )
        if shown is None:
            return
        row.operator("meshclash.hide_voxels", text="", icon="X")
        lines = [("Objects", " × ".join(shown.names)), ("Common Voxels", f"{shown.count:,}")]
        if shown.size is not None:
            lines.append(("Voxel Size", length(shown.size, context.scene.unit_settings)))
        draw_facts(layout, lines, context.region, CAPTION_SHARE)
        if not shown.count:
            draw_text(layout, "The surfaces are certainly apart", context.region, "CHECKMARK")
        if shown.coarser:
            draw_text(layout, "Too many voxels to draw: use larger ones", context.region, "INFO")
        if shown.stale:
            draw_text(layout, "An object has moved or changed: press Update", context.region, "INFO")


CLASSES = (MESHCLASH_PT_voxels,)
