"""The panel of the timeline: range, scan, events, and actions on events."""

from __future__ import annotations

from typing import Any

from bpy.types import UIList
from meshclash.clash.cell_text import format_share
from meshclash.clash.errors import InputError
from meshclash.clash.events import ClashEvent
from meshclash.clash.options import format_frames
from meshclash.clash.queries.registry import test_named
from meshclash.clash.report_formats import format_moment
from meshclash.clash.verdicts import VERDICTS
from meshclash.messages import capital

from .. import events_list, running_work, scene_results, shown_things
from ..adapters.simulations import changes_in_time
from ..core.scanned import Scanned
from ..texts import depth, length, progress_text, said, verdict_in_words
from ..translations import CONTEXT, translated
from .lists import FRAMES_TIP, Cell, draw_list, draw_pair, measure_cell, name_width, shortened, verdict_cell
from .panels import advice, draw_skipped
from .parts import TabPanel, draw_facts, draw_text, named_row

BEGINS = {
    "range": "at or before the first frame "
             "of the range", "contact": "", "appears": "when one of the two objects appears",
}  # fmt: skip
ENDS = {
    "range": "at or after the last frame of the range",
    "apart": "",
    "vanishes": "when one of the two objects disappears",
}
EVENT_ROWS = 5  # number of rows
EXCLUDE_SHARE = 0.33  # share of the width for the caption of rules
CAPTION_SHARE = 0.45  # share of the width for captions of an event's facts


class MESHCLASH_UL_events(UIList):
    """List of events, worst first."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, _icon: int, _active_data: Any, _active: str, index: int
    ) -> None:
        frames = f"{item.start}–{item.end}" if item.end > item.start else str(item.start)
        frames = ", ".join(filter(None, (frames, format_share(item.certainty) if item.certainty < 1.0 else "")))
        cells = (
            (verdict_cell(item), Cell("", icon="BLANK1")),
            shortened(item, name_width(context), shown_things.listed().names_of_events),
            (measure_cell(context, item, ("depth", "distance")), Cell(frames, FRAMES_TIP)),
        )
        draw_pair(layout.row(align=True), context, "meshclash.pick_event", index, cells)


class MESHCLASH_PT_timeline(TabPanel):
    """Panel of the timeline: when objects clash."""

    bl_label = "Timeline"
    bl_order = 0  # after Detect, which is registered before
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return scene_results.timeline_of(context.scene.session_uid) is not None or changes_in_time(context.scene)

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.meshclash
        inputs = layout.column()
        inputs.enabled = running_work.running_task() is None
        _draw_range(inputs, context, settings)
        scanned = scene_results.timeline_of(context.scene.session_uid)
        task = running_work.running_task()
        row = layout.row(align=True)
        row.scale_y = 1.5
        if scanned is not None and scanned.running and task is not None:
            row.progress(factor=task.fraction, text=progress_text(task.fraction, task.seconds_left))
            row.operator("meshclash.stop", text="", icon="CANCEL")
            text = said("{events} so far; ESC keeps them", events=(len(scanned.events), "event"))
            draw_text(layout, text, context.region, "INFO")
            return
        row.operator("meshclash.scan_timeline", icon="TIME")
        if scanned is not None:
            _draw_scan(layout, context, scanned)
        _draw_tools(layout, context, scanned)


def _draw_range(layout: Any, context: Any, settings: Any) -> None:
    row = layout.row(align=True)
    row.prop(settings, "timeline_own", text="Custom Range", text_ctxt=CONTEXT)
    row.prop(settings, "timeline_step", text="Frame Step", text_ctxt=CONTEXT)
    if settings.timeline_own:
        row = layout.row(align=True)
        row.prop(settings, "timeline_start", text="")
        row.prop(settings, "timeline_end", text="")
    if test_named(settings.test).name == "intersection":
        layout.prop(settings, "timeline_between")
    column = named_row(layout, "Exclude", EXCLUDE_SHARE).column(align=True)
    for name in ("skip_same_armature", "skip_same_collection"):
        column.prop(settings, name, toggle=True)
    try:
        frames = settings.timeline_frames()
        named = {"range": format_frames(frames), "test": said(test_named(settings.test).label)}
        text = said("{frames}: {range}. Test: {test}", frames=(len(frames), "frame"), **named)
        draw_text(layout, text, context.region, "BLANK1")
    except InputError as error:
        draw_text(layout, capital(str(error)), context.region, "ERROR")


def _draw_scan(layout: Any, context: Any, scanned: Scanned) -> None:
    """Draw the results of the last scan."""
    listed = context.window_manager.meshclash
    test = test_named(scanned.options.test)
    looked_at = scanned.timeline.looked_at
    found = said("{events}", events=(len(scanned.events), "event")) if scanned.events else said(test.nothing)
    text = said(
        "{found} in frames {frames} ({test})",
        found=found,
        frames=format_frames(looked_at) or "–",
        test=said(test.label),
    )
    draw_text(layout, text, context.region, "TIME")
    if not scanned.complete:
        stopped = said("Stopped before frame {frame}", frame=str(scanned.timeline.frames[scanned.timeline.done]))
        draw_text(layout, stopped, context.region, "INFO")
    statistics = scanned.statistics.as_dict()
    draw_skipped(layout, scanned.timeline.skipped, statistics["no_geometry"], context.region)
    if not scanned.events:
        draw_text(layout, advice(scanned.options, statistics["objects"]), context.region, "INFO")
        return
    if len(listed.events) == 0:
        layout.operator("meshclash.show_events", icon="FILE_REFRESH")
        return
    draw_list(layout, "MESHCLASH_UL_events", listed, "events", "active_event", EVENT_ROWS)
    if len(scanned.events) > len(listed.events):
        text = said("The worst {listed} of {events}", listed=len(listed.events), events=(len(scanned.events), "event"))
        draw_text(layout, text, context.region, "INFO")
    event = events_list.active_event(context)
    if event is not None:
        _draw_event(layout, context, event)


def _draw_event(layout: Any, context: Any, event: ClashEvent) -> None:
    units, row = context.scene.unit_settings, event.row
    facts = [
        ("Worst Verdict", verdict_in_words(row)),
        ("Starts", f"{format_moment(event.start, event.start_time)} {translated(BEGINS[event.begins])}"),
        ("Ends", f"{format_moment(event.end, event.end_time)} {translated(ENDS[event.ends])}"),
        ("Worst Frame", str(event.worst_frame) if event.frames else said("between frames")),
    ]
    facts += [("Greatest Depth", overlap)] if (overlap := depth(event, units)) else []
    facts += [("Smallest Gap", length(event.distance, units))] if event.distance is not None else []
    draw_text(layout, row.title, context.region, VERDICTS[row.verdict].icon)
    draw_facts(layout, facts, context.region, CAPTION_SHARE)


def _draw_tools(layout: Any, context: Any, scanned: Scanned | None) -> None:
    column = layout.column(align=True)
    if scanned is not None and scanned.events:
        row = column.row(align=True)
        row.operator_menu_enum(
            "meshclash.event_markers", "at", text="Add Markers", text_ctxt=CONTEXT, icon="MARKER_HLT"
        )
        row.operator("meshclash.remove_markers", text="", icon="X")
        row = column.row(align=True)
        row.operator("meshclash.write_heat", icon="MOD_VERTEX_WEIGHT")
        row.operator("meshclash.remove_heat", text="", icon="X")
        column.operator("meshclash.heat_group", icon="GROUP_VERTEX")
        column.operator("meshclash.corrective_key", icon="SHAPEKEY_DATA")
    column.operator_menu_enum(
        "meshclash.bake_clearance", "of", text="Bake Clearance to Curve", text_ctxt=CONTEXT, icon="FCURVE"
    )
    if scanned is not None:
        layout.prop(context.scene.meshclash, "timeline_strip")
        layout.operator("meshclash.clear_timeline", icon="TRASH")


CLASSES = (MESHCLASH_UL_events, MESHCLASH_PT_timeline)
