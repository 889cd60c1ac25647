"""The panel of scans."""

from __future__ import annotations

from typing import Any

from bpy.types import Panel

from .. import session
from ..adapters.point_writer import stored_origin
from .text import counted, length, wrapped


class MESHCLASH_PT_scans(Panel):
    """Import, point budget, deviations."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "MeshClash"
    bl_label = "Scans"
    bl_order = 2
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        layout.enabled = session.running_task() is None
        layout.operator("meshclash.import_scan", icon="IMPORT")
        origin = stored_origin(context.scene)
        if origin is not None:
            text = f"Origin at {', '.join(f'{x:.12g}' for x in origin)} m"
            for line in wrapped(text, context.region):
                layout.label(text=line)
        column = layout.column(align=True)
        column.prop(settings, "point_budget")
        column.prop(settings, "display_points")
        _draw_deviation(layout, context, settings)


def _draw_deviation(layout: Any, context: Any, settings: Any) -> None:
    column = layout.column(align=True)
    column.label(text="Deviation of set A from set B")
    column.prop(settings, "deviation_attribute", text="")
    row = column.row(align=True)
    row.operator("meshclash.measure_deviation", text="Measure", icon="DRIVER_DISTANCE")
    row.operator("meshclash.clear_deviation", text="", icon="TRASH")
    found = session.deviation_of(context.scene.session_uid)
    if found is None:
        return
    column = layout.column(align=True)
    column.prop(settings, "deviation_overlay")
    column.prop(settings, "deviation_range")
    box = layout.box().column(align=True)
    if session.deviation_is_stale(context.scene.session_uid):
        box.label(text="Objects have changed since", icon="INFO")
    box.label(text=counted(len(found.values), "point"))
    box.label(text=f"95 % within {length(found.usual_range, context.scene.unit_settings)}")


CLASSES = (MESHCLASH_PT_scans,)
