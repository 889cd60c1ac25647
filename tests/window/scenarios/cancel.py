"""Stop a detection with the Escape key: while the engine is compiled or loaded, and while pairs are tested."""

from collections.abc import Generator
from typing import Any

import bpy

from . import scenes

STOP_BUTTON = 0.88  # of the sidebar's width: right of the progress, which stands where Detect was


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    yield from scenes.open_gearbox(window)
    yield from window.open_tab()
    before = set(bpy.context.selected_objects)
    for _ in range(2):
        yield from window.press("meshclash.detect")
        yield from window.wait_for(window.busy, "the start of the detection")
        window.move(*window.view_centre)
        yield from window.key("Escape")
        yield from window.wait_for(lambda: not window.busy(), "the end of a cancelled detection", 120)
        assert not window.rows, [row.name for row in window.rows]
        assert set(bpy.context.selected_objects) == before
    yield from window.show("cancelled")

    yield from window.detect()  # the next one is not disturbed
    found = len(window.rows)
    _, y = yield from window.press("meshclash.detect")
    yield from window.wait_for(window.busy, "the start of the detection")
    region = window.region()
    yield from window.click(region.x + int(STOP_BUTTON * region.width), y)
    yield from window.wait_for(lambda: not window.busy(), "the end of a stopped detection", 120)
    assert len(window.rows) == found, "the results of the last detection must stay"
