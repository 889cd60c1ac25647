"""Live while an object is dragged with the mouse: the highlight follows; the Escape key ends it."""

from collections.abc import Generator
from typing import Any

import bpy
from meter import StallMeter

from . import scenes

CURVE = (0.95, 0.82, 0.45)  # of intersection curves, among the greys of the scene


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    scenes.two_heads(distance=5.0)
    right = bpy.data.objects["Right"]
    bpy.ops.ed.undo_push(message="Two heads")
    yield from window.open_tab()
    scenes.show_all(window)
    right.select_set(True)
    bpy.context.view_layer.objects.active = right

    yield from window.press("meshclash.live", across=0.75)
    live = window.module("running_work").running_live
    yield from window.wait_for(lambda: live() is not None and live().live.ready, "the first answer of Live", 600)
    assert not [row for row in window.rows if row.verdict == "clash"]
    apart = window.colour_share(CURVE)
    meter = StallMeter(window.module("ops.live"))
    yield from _drag(window)
    assert abs(right.location.x - 1.0) < 0.9, right.location
    yield from window.wait_for(_clash(window), "a clash in the list while dragging", 30)
    window.notes["dragging"] = meter.stop()
    # where a complete answer takes longer than the budget, the curves come when the mouse has rested
    yield from window.wait_for(lambda: window.colour_share(CURVE) > apart + 0.0003, "curves while dragging", 30)
    yield from window.settle()
    window.picture("dragging")
    yield from window.click(*window.view_centre)  # confirms the move at another place
    yield 0.5

    yield from window.key("ctrl+z")
    yield from window.wait_for(lambda: not _clash(window)(), "the answer after undo", 30)
    yield from window.show("undone")
    assert live() is not None, "undo does not end Live"
    yield from _follow_a_gap(window)
    window.move(*window.view_centre)
    yield from window.key("Escape")
    yield from window.wait_for(lambda: live() is None, "the end of Live", 10)
    yield from window.show("ended")
    yield from window.detect()


def _follow_a_gap(window: Any) -> Generator[float, None, None]:
    """Another test while Live is on: the length of a gap follows the mouse."""
    settings = bpy.context.scene.meshclash
    settings.test = "distance"
    yield from window.wait_for(lambda: [row.verdict for row in window.rows] == ["apart"], "the gap in the list", 60)
    before = window.rows[0].distance
    meter = StallMeter(window.module("ops.live"))
    yield from _drag(window, 3.5)
    yield from window.wait_for(lambda: 0.0 < window.rows[0].distance < before - 0.5, "a shorter gap while dragging", 30)
    window.notes["dragging, distance"] = meter.stop()
    window.picture("gap")
    yield from window.key("Escape")  # ends the move, not Live
    yield from window.wait_for(lambda: abs(window.rows[0].distance - before) < 1e-4, "the gap after the move", 30)


def _drag(window: Any, to: float = 1.0) -> Generator[float, None, None]:
    """Takes hold of the selected object with the key G and moves it along x towards the other head, from 5."""
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    view = window.region("WINDOW")
    start, end = (
        location_3d_to_region_2d(view, window.area().spaces.active.region_3d, (x, 0.0, 0.0)) for x in (5.0, to)
    )
    window.move(view.x + int(start.x), view.y + int(start.y))
    yield 0.3
    yield from window.key("g")
    yield from window.key("x")
    for step in range(1, 13):
        point = start.lerp(end, step / 12)
        window.move(view.x + int(point.x), view.y + int(point.y))
        yield 0.15


def _clash(window: Any) -> Any:
    return lambda: any(row.verdict in ("clash", "contact") for row in window.rows)
