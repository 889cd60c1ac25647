"""Review: groups, comments, common solids, kept tests and history, of an assembly and a building, saved and opened."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy

from . import looks, scenes
from .work import RED

Play = Generator[float, None, None]
APPROVED = 0.25  # where its button of all listed stands, between the borders of the tab
LAST = 0.88  # where the last icon of a row stands
FAR = "999"  # units by which a part is moved away from all others


def play(window: Any) -> Play:
    """Plays the scenario."""
    for panel in ("groups", "tests", "common_solid"):
        window.unfold(f"ui.{panel}", f"MESHCLASH_PT_{panel}")
    yield from scenes.open_gearbox(window)
    yield from window.open_tab(width=420)
    yield from _reviewed(window, "gearbox")
    bpy.ops.wm.read_homefile(load_ui=False)
    yield 1.0
    scenes.building()
    scenes.show_all(window)
    yield from _reviewed(window, "building")


def _reviewed(window: Any, name: str) -> Play:
    yield from window.detect()
    listed = bpy.context.window_manager.meshclash
    window.notes[f"{name}: groups"] = [f"{group.count} {group.name}" for group in listed.groups]
    yield from window.show(f"{name}_list")
    yield from window.toggle("active_group")
    yield 0.5
    assert listed.active_group == 0 and listed.found == listed.groups[0].count < listed.total
    yield from window.press("meshclash.set_listed_status", APPROVED, "APPROVED")
    yield 0.5
    assert list(_said().values()) == ["APPROVED"] * listed.found, _said()
    yield from looks.both(window, f"{name}_group")
    yield from window.click_row(0)
    yield from window.toggle("comment", 0.8)
    window.send("type", "--delay", 60, "Ask Ann")
    yield from window.key("Return")
    yield from window.wait_for(lambda: "Ask Ann" in _comments(), "the comment", 10)
    yield from window.press("meshclash.show_common_solid")
    yield from window.wait_for(lambda: not window.busy(), "the common solid", 60)
    yield from window.press("meshclash.clip_common_solid", 0.5)
    yield from looks.both(window, f"{name}_clipped")
    yield from _clipped_with_its_faces(window)
    yield from window.press("meshclash.clip_common_solid", 0.5)
    yield from window.press("meshclash.hide_common_solid", LAST)
    yield from window.press("meshclash.list_all", LAST)
    yield from window.look_around("ALL")
    yield from _gone(window, name)


def _clipped_with_its_faces(window: Any) -> Play:
    """What is drawn of a pair is clipped as its objects are: nothing is left where all of it lies beyond."""
    view = window.area().spaces.active.region_3d
    assert view.use_clip_planes
    seen, planes = window.colour_share(RED), [tuple(plane) for plane in view.clip_planes]
    view.clip_planes = [(0.0, 0.0, 0.0, -1.0)] * len(planes)
    yield from window.settle()
    assert window.colour_share(RED) < 0.1 * seen, "what is clipped is drawn"
    view.clip_planes = planes
    yield from window.settle()


def _gone(window: Any, name: str) -> Play:
    """A part goes far away: its pairs are gone, and all that was said is still there, in the opened file, too."""
    path, said = Path(window.out) / f"{name}.blend", _said()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    part = next(review.name_b for review in bpy.context.scene.meshclash.reviews if review.comment)
    with window.context():
        bpy.ops.object.select_all(action="DESELECT")
    bpy.data.objects[part].select_set(True)
    window.move(*window.view_centre)
    for key in ("g", "z", *FAR, "Return"):
        yield from window.key(key)
    yield 0.5
    yield from window.detect()
    histories = window.module("histories")
    gone = {clash for clash, _ in histories.gone(bpy.context.scene)}
    assert gone and all(part not in (row.name_a, row.name_b) for row in window.rows)
    yield from window.show(f"{name}_gone")
    with window.context():
        bpy.ops.meshclash.fill_matrix(by="collection")
    yield from window.press("meshclash.run_tests")
    yield from window.wait_for(lambda: not window.busy(), "the tests", 120)
    yield from looks.both(window, f"{name}_tests")
    window.notes[f"{name}: tests"] = [test.name for test in bpy.context.scene.meshclash.kept_tests]
    window.move(*window.view_centre)
    yield from window.key("ctrl+s")
    yield from window.wait_for(lambda: not bpy.data.is_dirty, "the saved file", 20)
    bpy.ops.wm.read_homefile(load_ui=False)
    yield 1.0
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    yield 1.0
    assert _said() == said and "Ask Ann" in _comments()
    assert {clash for clash, _ in histories.gone(bpy.context.scene)} >= gone
    yield from window.show(f"{name}_opened")
    yield from _large_letters(window, name)
    path.with_suffix(histories.ENDING).unlink()


def _large_letters(window: Any, name: str) -> Play:
    """Groups and tests in letters of twice the size."""
    view = bpy.context.preferences.view
    view.ui_scale = 2.0
    yield 1.0
    for found, across in (("active_test", 0.35), ("group_by", 0.55)):  # between the borders of the tab
        yield from window.find(lambda found=found: window.hovered_property() == found, found, across)
        yield from window.show(f"{name}_large_{found}")
    view.ui_scale = 1.0
    yield 1.0


def _said() -> dict[str, str]:
    """What is said of pairs."""
    return {review.name: review.status for review in bpy.context.scene.meshclash.reviews}


def _comments() -> list[str]:
    return [review.comment for review in bpy.context.scene.meshclash.reviews]
