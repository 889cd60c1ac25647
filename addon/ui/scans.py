"""The panel of scans, shown if a scan is active or has been measured."""

from __future__ import annotations

from typing import Any

from .. import running_work, scene_results
from ..adapters.point_reader import is_scan
from ..adapters.point_writer import stored_origin
from ..props import WINDOW_OPTIONS
from ..texts import length, said
from ..translations import CONTEXT
from .parts import TabPanel, draw_table, draw_text


class MESHCLASH_PT_scans(TabPanel):
    """Panel of scans: their origin, how they are read, and measured deviations."""

    bl_label = "Scans"
    bl_order = 2
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        item = context.active_object
        return (item is not None and is_scan(item.data)) or _measured(context) is not None

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.enabled = running_work.running_task() is None
        origin = stored_origin(context.scene)
        if origin is not None:
            draw_text(
                layout,
                said("Origin at {place}", place=", ".join(f"{x:.12g}" for x in origin) + " m"),
                context.region,
                "NONE",
            )
        settings, column = context.scene.meshclash, layout.column(align=True)
        for name in (option.name for option in WINDOW_OPTIONS if option.of_scans):
            column.prop(settings, name)
        _draw_deviation(layout, context, settings)


def _measured(context: Any) -> Any:
    """Return the deviations of the scene, or None."""
    return scene_results.deviation_of(context.scene.session_uid, context.scene.meshclash.deviation_serial)


def _draw_deviation(layout: Any, context: Any, settings: Any) -> None:
    column = layout.column(align=True)
    column.label(text="Deviation of set A from set B", text_ctxt=CONTEXT)
    row = column.row(align=True)
    row.operator("meshclash.measure_deviation", icon="DRIVER_DISTANCE")
    row.operator("meshclash.clear_deviation", text="", icon="TRASH")
    split = column.split(factor=0.3, align=True)
    split.label(text="Attribute", text_ctxt=CONTEXT)
    split.prop(settings, "deviation_attribute", text="")
    found = _measured(context)
    if found is None:
        return
    layout.prop(settings, "deviation_overlay")
    options = layout.column(align=True)
    options.active = settings.deviation_overlay
    options.prop(settings, "deviation_range")
    options.prop(settings, "display_points")
    if scene_results.deviation_is_stale(context.scene.session_uid):
        draw_text(layout, "Objects have changed since", context.region, "INFO")
    facts, units = found.summary(1.0), context.scene.unit_settings
    sizes = (("Median Deviation", "median_size"), ("95th Percentile", "usual_size"), ("Largest", "largest_size"))
    told = ((title, length(facts[name], units, like=facts["usual_size"])) for title, name in sizes)
    lines = [("Points", f"{facts['points']:,}"), *told]
    if found.signed:
        lines.append(("Inside", f"{facts['inside']:,}"))
    draw_table(layout, lines)


CLASSES = (MESHCLASH_PT_scans,)
