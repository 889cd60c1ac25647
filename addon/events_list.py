"""Fill the list of events from a scan of the timeline, and show the selected event."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import bpy
from meshclash.clash.column_table import EVENT_MEASURES

from . import reactions, results, running_work, scene_results, shown_things
from .redraw import tag_redraw, tag_redraw_timelines

if TYPE_CHECKING:
    from meshclash.clash.events import ClashEvent

LISTED = 500
"""Largest number of events in Blender's list, which is slow to fill: the worst ones."""
UNKNOWN = -1.0


def list_events(context: bpy.types.Context, scene: bpy.types.Scene) -> None:
    """List the worst events of the scene; none is selected."""
    listed, scanned = context.window_manager.meshclash, scene_results.timeline_of(scene.session_uid)
    events = [] if scanned is None else scanned.events[:LISTED]
    shown_things.listed().names_of_events = tuple(name for event in events for name in event.row.names)
    listed.filling = True
    listed.events.clear()
    for event in events:
        item, row = listed.events.add(), event.row
        item.name, item.name_a, item.name_b = row.title, row.a.name, row.b.name
        item.region = row.region
        item.pair_id, item.verdict, item.flush, item.certainty = row.id, row.verdict, row.flush, row.certainty
        item.start, item.end, item.worst = event.start, event.end, event.worst_frame
        for column in EVENT_MEASURES:
            value = getattr(event, column.name)
            setattr(item, column.name, UNKNOWN if value is None else value)
    listed.active_event = -1
    listed.filling = False
    tag_redraw(context)
    tag_redraw_timelines(context)


def active_event(context: bpy.types.Context) -> ClashEvent | None:
    """Return the selected event, or None."""
    listed, scanned = context.window_manager.meshclash, scene_results.timeline_of(context.scene.session_uid)
    if scanned is None or not 0 <= listed.active_event < len(listed.events):
        return None
    item = listed.events[listed.active_event]
    shown = (item.pair_id, item.start)
    return next((event for event in scanned.events if (event.row.id, event.start) == shown), None)


@reactions.on("event chosen")
def show_event(context: bpy.types.Context) -> None:
    """Go to the worst frame of the selected event, list the events worst there, and select the event's pair."""
    event, scanned = active_event(context), scene_results.timeline_of(context.scene.session_uid)
    if event is None or scanned is None or running_work.running_task() is not None:
        return
    context.scene.frame_set(event.worst_frame)
    if running_work.running_live() is None:
        report = scanned.report_at(event.worst_frame)
        rows = [row for row in report.rows if row.id != event.row.id]
        rows = sorted([*rows, event.row], key=lambda row: row.order)
        context.window_manager.meshclash.ask_for_all()
        results.show_report(context, context.scene, replace(report, rows=rows))
        results.select_pair(context, event.row.id)
    tag_redraw(context)
    tag_redraw_timelines(context)
