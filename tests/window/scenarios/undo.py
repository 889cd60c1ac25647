"""Move, undo, redo, rename and delete objects after a detection; undo in the middle of one."""

from collections.abc import Generator
from typing import Any

import bpy

from . import scenes


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    scenes.two_heads()
    bpy.ops.ed.undo_push(message="Two heads")
    yield from window.open_tab()
    scenes.show_all(window)
    yield from window.detect()
    assert [row.verdict for row in window.rows] == ["clash"]

    right = bpy.data.objects["Right"]
    right.select_set(True)
    bpy.context.view_layer.objects.active = right
    yield from _move(window, 180)
    assert bpy.data.objects["Right"].location.length > 1.3
    yield from window.show("moved")
    yield from window.key("ctrl+z")
    yield from window.wait_for(lambda: abs(bpy.data.objects["Right"].location.x - 1.2) < 1e-6, "the undone move", 10)
    yield from window.key("ctrl+shift+z")
    yield from window.wait_for(lambda: bpy.data.objects["Right"].location.length > 1.3, "the redone move", 10)
    yield from window.key("ctrl+z")
    yield from window.wait_for(lambda: abs(bpy.data.objects["Right"].location.x - 1.2) < 1e-6, "the undone move", 10)

    yield from window.press("meshclash.detect")
    window.move(*window.view_centre)
    yield from window.key("ctrl+shift+z")  # in the middle of a detection
    yield from window.wait_for(lambda: not window.busy(), "the end of the detection", 60)
    yield from window.key("ctrl+z")
    yield 0.5

    yield from window.detect()
    bpy.data.objects["Left"].name = "Renamed"
    yield 0.5
    window.move(*window.view_centre)
    yield from window.key("Delete")
    yield from window.wait_for(lambda: "Right" not in bpy.data.objects, "the deletion", 10)
    yield from window.click_row(0)  # of a pair of which one object is gone and one has another name
    yield from window.show("gone")
    window.move(*window.view_centre)
    yield from window.key("ctrl+z")
    yield 0.5
    yield from window.detect()
    assert [row.verdict for row in window.rows] == ["clash"]


def _move(window: Any, pixels: int) -> Generator[float, None, None]:
    """Moves the selected objects with the mouse, as with the key G."""
    x, y = window.view_centre
    window.move(x, y)
    yield 0.2
    yield from window.key("g")
    for step in range(1, 5):
        window.move(x + step * pixels // 4, y)
        yield 0.15
    yield from window.click(x + pixels, y)
    yield 0.5
