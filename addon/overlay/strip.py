"""Draw events in timelines and dope sheets: a bar from the first frame to the last, and a mark at the worst one."""

from __future__ import annotations

from typing import Any

import bpy
from meshclash.clash.events import ClashEvent
from meshclash.clash.verdicts import CLASH_VERDICTS, QUIET_VERDICTS

from .. import events_list, scene_results
from ..core.scanned import Scanned
from . import draw
from .handlers import DrawHandlers

LANES, MOST = 6, 400
"""Number of bars above each other, and largest number of events drawn, the worst ones."""
LANE, GAP, BOTTOM = 5.0, 1.0, 5.0  # [px at scale 1]; the timeline at the bottom of Blender's window is not high
LEAST_WIDTH = 3.0
CLASH_COLOUR, NEAR_COLOUR, QUIET_COLOUR = (0.9, 0.15, 0.12, 0.9), (0.95, 0.6, 0.1, 0.9), (0.35, 0.6, 0.35, 0.8)
WORST_COLOUR, ACTIVE_COLOUR, SCANNED_COLOUR = (1.0, 1.0, 1.0, 0.9), (1.0, 1.0, 1.0, 0.35), (0.3, 0.55, 0.9, 0.35)

Rectangle = tuple[float, float, float, float]
Colour = tuple[float, float, float, float]


def _draw() -> None:
    context = bpy.context
    scanned = scene_results.timeline_of(context.scene.session_uid)
    if scanned is None or draw.failure() or not context.scene.meshclash.timeline_strip:
        return
    view, scale = context.region.view2d, context.preferences.system.ui_scale

    def place(frame: float) -> float:
        return float(view.view_to_region(frame, 0.0, clip=False)[0])

    with draw.guarded(context):
        _draw_rectangles(rectangles(scanned, place, scale, context.region.width, events_list.active_event(context)))


def rectangles(
    scanned: Scanned, place: Any, scale: float, width: float, active: ClashEvent | None
) -> list[tuple[Rectangle, Colour]]:
    """Return the rectangles to draw, the lowest first.

    Args:
        scanned: the scan.
        place: function that returns the position of a frame [px].
        scale: scale of the interface.
        width: width of the region [px].
        active: the selected event, or None.

    Returns:
        Rectangles (left, bottom, right, top) [px] with their colours.
    """
    found: list[tuple[Rectangle, Colour]] = []
    looked_at = scanned.timeline.looked_at
    if len(looked_at):
        bottom = (BOTTOM - 3.0) * scale
        found.append(((place(looked_at[0]), bottom, place(looked_at[-1]), bottom + 2.0 * scale), SCANNED_COLOUR))
    ends = [float("-inf")] * LANES
    for event in sorted(scanned.events[:MOST], key=lambda item: (item.start, item.order)):
        left = place(event.start if event.start_time is None else event.start_time)
        right = place(event.end if event.end_time is None else event.end_time)
        right = max(right, left + LEAST_WIDTH * scale)
        lane = next((k for k, end in enumerate(ends) if end < left), None)
        if lane is None:
            continue
        ends[lane] = right
        if right < 0.0 or left > width:
            continue
        bottom = (BOTTOM + lane * (LANE + GAP)) * scale
        top = bottom + LANE * scale
        if active is not None and (active.row.id, active.start) == (event.row.id, event.start):
            found.append(((left - 2.0 * scale, bottom - 2.0, right + 2.0 * scale, top + 2.0), ACTIVE_COLOUR))
        found.append(((left, bottom, right, top), _colour(event)))
        worst = place(event.worst_frame)
        found.append(((worst - scale, bottom, worst + scale, top), WORST_COLOUR))
    return found


def _colour(event: ClashEvent) -> Colour:
    if event.row.verdict in CLASH_VERDICTS:
        return CLASH_COLOUR
    return QUIET_COLOUR if event.row.verdict in QUIET_VERDICTS else NEAR_COLOUR


def _draw_rectangles(found: list[tuple[Rectangle, Colour]]) -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    if not found:
        return
    corners, colours = [], []
    for (left, bottom, right, top), colour in found:
        corners += [(left, bottom), (right, bottom), (right, top), (left, bottom), (right, top), (left, top)]
        colours += [colour] * 6
    shader = gpu.shader.from_builtin("FLAT_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": corners, "color": colours})
    with draw.restored_state():
        batch.draw(shader)


HANDLERS = DrawHandlers(bpy.types.SpaceDopeSheetEditor, ((_draw, (), "POST_PIXEL"),), lambda: None)
