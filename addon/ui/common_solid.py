"""The panel for looking at common solids."""

from __future__ import annotations

from typing import Any

from .. import results, shown_things
from ..texts import length, volume
from ..translations import CONTEXT
from .parts import TabPanel, draw_facts, draw_text

CAPTION_SHARE = 0.25  # share of the width for captions


class MESHCLASH_PT_common_solid(TabPanel):
    """Draws and measures the solid that the selected pair has in common."""

    bl_label = "Common Solid"
    bl_parent_id = "MESHCLASH_PT_results"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        shown = shown_things.solid.of(context.scene.session_uid)
        return results.active_pair(context) is not None or shown is not None

    def draw(self, context: Any) -> None:
        layout, units = self.layout, context.scene.unit_settings
        shown = shown_things.solid.of(context.scene.session_uid)
        row = layout.row(align=True)
        row.operator(
            "meshclash.show_common_solid", text="Show Selected Pair" if shown is None else "Update", text_ctxt=CONTEXT
        )
        if shown is None:
            return
        row.operator("meshclash.hide_common_solid", text="", icon="X")
        lines = [("Objects", " × ".join(shown.names)), ("Volume", volume(shown.volume, shown.volume, units))]
        if shown.box is not None:
            lines.append(("Dimensions", " × ".join(length(side, units, like=shown.sides[0]) for side in shown.sides)))
        draw_facts(layout, lines, context.region, CAPTION_SHARE)
        if shown.contradicts:
            text = "This value contradicts the proved bounds in the list, which are correct"
            draw_text(layout, text, context.region, "ERROR")
        if shown.stale:
            draw_text(layout, "An object has moved or changed: press Update", context.region, "INFO")
        if shown.box is not None:
            ways = layout.row(align=True)
            ways.operator("meshclash.frame_common_solid", text="Frame Solid", text_ctxt=CONTEXT, icon="ZOOM_SELECTED")
            clips = context.space_data is not None and context.space_data.type == "VIEW_3D"
            clipped = clips and context.space_data.region_3d.use_clip_planes
            ways.operator("meshclash.clip_common_solid", text="Clip", text_ctxt=CONTEXT, icon="CUBE", depress=clipped)
            ways.operator("meshclash.make_common_solid", icon="MESH_DATA")


CLASSES = (MESHCLASH_PT_common_solid,)
