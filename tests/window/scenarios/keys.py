"""Keys with the mouse over the list: next, previous, statuses; over the view they mean what they always do.

It counts the clicks and keys from Detect to the first status.
"""

from collections.abc import Generator
from typing import Any

import bpy

from . import scenes

Play = Generator[float, None, None]
MOST_CLICKS = 6
FILTER = "show_clash"


def play(window: Any) -> Play:
    """Plays the scenario."""
    yield from scenes.open_gearbox(window)
    listed, settings = bpy.context.window_manager.meshclash, bpy.context.scene.meshclash
    window.notes["clicks"] = clicks = ["open the sidebar", "choose the tab"]
    yield from window.open_tab(width=400)
    clicks.append("Detect")
    yield from window.detect()
    clicks.append("a row")
    yield from window.click_row(1)
    yield 0.5
    assert listed.active_row == 1
    clicks.append("a key")
    yield from window.key("2")
    yield from window.wait_for(lambda: len(settings.reviews) == 1, "a status by a key", 10)
    assert settings.reviews[0].status == "REVIEWED" and len(clicks) <= MOST_CLICKS
    yield from window.show("status")
    for point in (
        lambda: window.click_row(1),
        lambda: window.find(lambda: window.hovered_property() == FILTER, FILTER),
    ):
        yield from point()  # over a row, and over a button above the list
        yield from window.key("Down")
        yield from window.wait_for(lambda: listed.active_row == 2, "the next pair", 10)
        yield from window.key("Up")
        yield from window.wait_for(lambda: listed.active_row == 1, "the previous pair", 10)
    window.move(*window.view_centre)
    yield 0.5
    yield from window.key("3")
    yield from window.key("Down")
    yield 1.0
    assert listed.active_row == 1 and [review.status for review in settings.reviews] == ["REVIEWED"]
