"""Look at the volumes of a large object and measure which ones suit two; Escape in the middle of both."""

from collections.abc import Callable, Generator
from typing import Any

import bpy
from meter import StallMeter

from . import scenes

SUBDIVISIONS = 4  # of the left head: 126,000 triangles
LEVEL = (0.35, 1.0, 0.55)  # of bounding volumes
Play = Generator[float, None, None]


def play(window: Any) -> Play:
    """Plays the scenario."""
    window.show_research()
    window.unfold("ui.hierarchy", "MESHCLASH_PT_hierarchy", "MESHCLASH_PT_advisor")
    scenes.two_heads()
    left, right = (bpy.data.objects[name] for name in ("Left", "Right"))
    left.modifiers["Smooth"].levels = SUBDIVISIONS
    scenes.show_all(window)
    bpy.context.view_layer.objects.active = left
    settings, shown_things = bpy.context.scene.meshclash, window.module("shown_things")
    settings.hierarchy_volume, settings.hierarchy_split, settings.hierarchy_level = "obb_hull", "kah", 5
    yield from window.open_tab(width=400)

    yield from _stopped(window, "meshclash.show_hierarchy", "Building", "building")
    assert shown_things.shown_hierarchy() is None
    yield from _measured(window, "meshclash.show_hierarchy", lambda: shown_things.shown_hierarchy() is not None)
    yield from window.show("hierarchy")
    assert shown_things.shown_hierarchy().level == 5
    assert window.colour_share(LEVEL) > 0.001, "no volumes to be seen"
    settings.hierarchy_volume = "sphere"  # builds anew by itself
    yield from window.wait_for(lambda: shown_things.shown_hierarchy().volume == "sphere", "other volumes", 300)
    yield from window.show("spheres")

    left.select_set(True)
    right.select_set(True)
    yield from _stopped(window, "meshclash.advise", "Trying", "trying")
    assert shown_things.advice() is None
    yield from _measured(window, "meshclash.advise", lambda: shown_things.advice() is not None)
    with window.context():
        bpy.ops.meshclash.hide_hierarchy()
    yield from window.find_button("meshclash.advise")
    yield from window.show("advice")
    assert len(shown_things.advice().candidates) == 12


def _stopped(window: Any, operator: str, doing: str, picture: str) -> Play:
    """Presses a button, takes a picture in the middle of the work, presses Escape."""
    yield from window.press(operator)
    yield from window.wait_for(window.busy, "the start", 30)
    task = window.module("running_work").running_task()
    yield from window.wait_for(lambda: task.ended or task.text.startswith(doing), f"{doing} to begin", 500)
    window.picture(picture)
    assert window.busy(), f"over before Escape: {task.text}"
    window.move(*window.view_centre)
    yield from window.key("Escape")
    yield from window.wait_for(lambda: not window.busy(), "the end of what was cancelled", 10)


def _measured(window: Any, operator: str, done: Callable[[], bool]) -> Play:
    """Presses a button, waits for the end, notes how long the window was held."""
    x, y = yield from window.find_button(operator)
    meter = StallMeter(window.module("ops.hierarchy"))
    yield from window.click(x, y)
    yield from window.wait_for(done, f"the end of {operator}", 500)
    window.notes[operator] = meter.stop()
