"""Clearances and distances: choose the test, read gaps in the list, look at one; then the volumes of a hierarchy."""

from collections.abc import Generator
from typing import Any

import bpy

from . import scenes

WITHIN = 10.0  # mm
VERDICTS = {"clash": 1, "contained": 1, "touching": 1, "near": 4}  # built so: examples/pipe_rack.py
PAIRS = 13 * 12 // 2
CURVE = (1.0, 0.9, 0.25)  # of gaps and their ends
LEVEL = (0.35, 1.0, 0.55)  # of bounding volumes
NOTHING = 0.0005


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    yield from scenes.open_example(window, "rack")
    yield from window.open_tab(width=400)
    settings, listed = bpy.context.scene.meshclash, bpy.context.window_manager.meshclash
    yield from _choose(window, "clearance")
    settings.tolerance = WITHIN
    yield from window.detect()
    verdicts = [row.verdict for row in window.rows]
    assert {kind: verdicts.count(kind) for kind in VERDICTS} == VERDICTS, verdicts
    yield from window.show("gaps")

    listed.search = "Pipe A Pipe B"  # the list is too low for all pairs
    yield 0.5
    index = next(k for k, row in enumerate(window.rows) if (row.name_a, row.name_b) == ("Pipe A", "Pipe B"))
    assert abs(window.rows[index].distance - 8.0) < 1e-3, window.rows[index].distance
    yield from window.click_row(index)
    yield 0.5
    assert listed.active_row == index, listed.active_row
    assert {item.name for item in bpy.context.selected_objects} == {"Pipe A", "Pipe B"}
    yield from window.show("gap")
    assert window.colour_share(CURVE) > 0.0002, "the gap is not drawn"
    settings.overlay_curves = False
    yield from window.show("without_gap")
    assert window.colour_share(CURVE) < 0.0001
    settings.overlay_curves = True
    listed.search = ""
    yield from window.look_around("ALL")

    yield from _choose(window, "distance")
    yield from window.detect()
    assert len(window.rows) == PAIRS, len(window.rows)
    yield from window.show("distances")

    yield from _look_at_hierarchy(window, settings)


def _choose(window: Any, test: str) -> Generator[float, None, None]:
    """Chooses a test from the menu by the underlined letter, which is its first."""
    settings = bpy.context.scene.meshclash
    yield from window.toggle("test")
    yield 1.0
    yield from window.key(test[0])
    yield from window.wait_for(lambda: settings.test == test, f"the test {test}", 5)


def _look_at_hierarchy(window: Any, settings: Any) -> Generator[float, None, None]:
    bpy.ops.meshclash.clear_results()
    scenes.two_heads()
    bpy.data.objects["Right"].hide_set(True)
    left = bpy.data.objects["Left"]
    bpy.context.view_layer.objects.active = left
    scenes.show_all(window)
    yield from window.settle()
    assert window.colour_share(LEVEL) < NOTHING
    shown_things = window.module("shown_things")
    settings.hierarchy_volume, settings.hierarchy_level = "obb", 5
    with window.context():
        bpy.ops.meshclash.show_hierarchy("INVOKE_DEFAULT")
    yield from window.wait_for(lambda: shown_things.shown_hierarchy() is not None, "the hierarchy", 300)
    yield from window.show("hierarchy")
    shown = shown_things.shown_hierarchy()
    assert shown.level == 5 and 16 < shown.count <= 32, shown
    assert window.colour_share(LEVEL) > 0.001, "no volumes to be seen"
    with window.context():
        bpy.ops.meshclash.hide_hierarchy()
    yield from window.settle()
    assert window.colour_share(LEVEL) < NOTHING
