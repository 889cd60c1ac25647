"""The results at full width: opened by a button, a row picked there, saved and loaded, in no editor of the user's."""

from collections.abc import Generator
from typing import Any

import bpy

from . import scenes

Play = Generator[float, None, None]


def play(window: Any) -> Play:
    """Plays the scenario."""
    yield from scenes.open_gearbox(window)
    yield from window.open_tab(width=400)
    yield from window.detect()
    yield from window.press("meshclash.open_results", across=0.75)
    yield from window.wait_for(lambda: _lists(window), "the window of results", 10)
    yield 2.0
    yield from window.show("window")
    _user_editors_stay(window)
    second, area = _lists(window)[0]
    listed = bpy.context.window_manager.meshclash
    with bpy.context.temp_override(window=second, screen=second.screen, area=area):
        bpy.ops.meshclash.pick_row(index=2, side="a")
    yield 0.5
    assert listed.active_row == 2
    assert window.area().spaces.active.local_view is not None, "the pair is not isolated in the view"
    yield from window.show("pair")
    with bpy.context.temp_override(window=second, screen=second.screen, area=area):
        bpy.ops.meshclash.sort_rows(key="A")
    yield 0.5
    assert listed.sort_key == "A"
    yield from window.show("by_name")
    with bpy.context.temp_override(window=second):
        bpy.ops.wm.window_close()
    yield 1.0

    with window.context():
        bpy.ops.meshclash.open_results(place="AREA")
    yield 1.0
    assert len(_lists(window)) == 1
    yield from window.show("area")
    path = str(window.out / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    yield 2.0
    assert len(_lists(window)) == 1, "the list does not come with the file"
    yield from window.show("loaded")


def _lists(window: Any) -> list[tuple[Any, Any]]:
    return list(window.module("screens").result_areas(bpy.context))


def _user_editors_stay(window: Any) -> None:
    """No other Properties editor shows the list, whatever its tab is."""
    screens = window.module("screens")
    areas = [area for area in window.window.screen.areas if area.type == "PROPERTIES"]
    assert areas
    for area in areas:
        before = area.spaces.active.context
        area.spaces.active.context = screens.TAB
        assert not screens.shows_results(area.spaces.active)
        area.spaces.active.context = before
