"""Work through a list: isolate, save, detect again, select faces, undo, exclude, change settings, approve, reopen."""

from collections.abc import Generator
from typing import Any

import bpy

from . import scenes

PAIRS = 3  # of three heads in a row, each of which reaches into both others
RED = (1.0, 0.22, 0.13)  # of highlighted faces


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    _heads()
    yield from window.open_tab(width=400)
    yield from window.detect()
    assert [row.verdict for row in window.rows] == ["clash"] * PAIRS, [row.verdict for row in window.rows]
    path = str(window.out / "saved.blend")

    yield from _isolation(window, path)
    yield from _own_acts(window)
    yield from _moved_and_undone(window)
    yield from _excluded(window)
    yield from _settings_and_approval(window)

    yield from window.click_row(0)
    assert _isolated(window)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)  # with its windows
    yield 1.0
    assert not _isolated(window), "the saved file opens isolated"
    yield from window.open_tab()  # as wide as it was saved
    yield from window.show("reopened")
    for name in ("report.html", "report.csv", "report.json"):
        assert bpy.ops.meshclash.export_report.poll(), "the list of the file cannot be exported"
        bpy.ops.meshclash.export_report(filepath=str(window.out / name))
        assert "approved" in (window.out / name).read_text("utf-8"), name


def _heads() -> None:
    """A row of monkey heads, each in the next one."""
    scenes.two_heads()
    for name in ("Left", "Right"):
        bpy.data.objects[name].modifiers.clear()  # the faces in contact are those of the mesh itself
    last = bpy.data.objects["Right"].copy()
    last.name, last.location.x = "Third", 2.4
    bpy.context.collection.objects.link(last)
    bpy.ops.ed.undo_push(message="Heads")


def _isolated(window: Any) -> bool:
    return window.area().spaces.active.local_view is not None


def _stale(window: Any) -> frozenset[str]:
    return window.module("scene_results").result_of(bpy.context.scene.session_uid).stale


def _isolation(window: Any, path: str) -> Generator[float, None, None]:
    scenes.show_all(window)
    yield from window.click_row(0)
    yield 0.5
    assert _isolated(window)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    yield 0.3
    assert _isolated(window), "saving has ended the isolation"
    yield from window.show("isolated")
    yield from window.detect()
    assert not _isolated(window), "Detect leaves its user in local view"
    scenes.show_all(window)
    yield from window.show("detected_again")


def _own_acts(window: Any) -> Generator[float, None, None]:
    yield from window.click_row(0)
    yield from window.press("meshclash.select_faces", 0.15)
    yield from window.wait_for(lambda: bpy.context.mode == "EDIT_MESH", "Edit Mode", 40)
    yield 1.0
    assert not _stale(window), "selecting faces counts as a change"
    yield from window.show("selected_faces")
    window.move(*window.view_centre)
    yield from window.key("Tab")
    yield from window.wait_for(lambda: bpy.context.mode == "OBJECT", "Object Mode", 40)
    yield from window.wait_for(lambda: not _stale(window), "unchanged objects to be known again", 40)
    yield from window.look_around("ALL")


def _moved_and_undone(window: Any) -> Generator[float, None, None]:
    with window.context():
        bpy.ops.object.select_all(action="DESELECT")
    last = bpy.data.objects["Third"]
    last.select_set(True)
    bpy.context.view_layer.objects.active = last
    x, y = window.view_centre
    window.move(x, y)
    yield 0.2
    for key in ("g", "x", "1", "Return"):  # one metre along x
        yield from window.key(key)
    yield from window.wait_for(lambda: _stale(window) == {"Third"}, "the mark of a moved object", 40)
    yield from window.show("moved")
    yield from window.key("ctrl+z")
    yield from window.wait_for(lambda: not _stale(window), "the end of the mark after undo", 40)
    assert abs(bpy.data.objects["Third"].location.x - 2.4) < 1e-6


def _excluded(window: Any) -> Generator[float, None, None]:
    listed = bpy.context.window_manager.meshclash
    listed.around = "ISOLATE"
    yield from window.click_row(0)
    names, ids = ([getattr(row, name) for row in window.rows] for name in ("name", "pair_id"))
    yield from window.press("meshclash.exclude_pair", 0.25)
    yield 0.5
    assert [row.name for row in window.rows] == names[1:]
    assert listed.selected == ids[1], "no next row is selected"
    assert _isolated(window)
    yield from window.show("excluded")
    window.move(*window.view_centre)
    yield from window.key("ctrl+z")
    yield from window.wait_for(lambda: [row.name for row in window.rows] == names, "the pair to come back", 40)


def _settings_and_approval(window: Any) -> Generator[float, None, None]:
    settings = bpy.context.scene.meshclash
    settings.touch_tolerance = 0.01
    yield from window.show("settings_changed")
    settings.touch_tolerance = 0.0
    listed = bpy.context.window_manager.meshclash
    listed.around = "ALL"
    listed.active_row = -1
    scenes.show_all(window)
    yield from window.settle()
    before = window.colour_share(RED)
    for index in range(PAIRS):
        listed.active_row = index
        bpy.ops.meshclash.set_status(status="APPROVED")
    listed.active_row = -1
    scenes.show_all(window)
    yield from window.show("approved")
    assert window.colour_share(RED) < 0.2 * before, "approved pairs are drawn as clashes"
    listed.around = "ISOLATE"
