"""Scan Timeline: progress, events, a click on one, markers, the strip, a curve, the heat map; the Escape key."""

from collections.abc import Generator
from typing import Any

import bpy
import numpy as np

from . import scenes

CURVE = "meshclash_clearance"


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    window.unfold("ui.timeline", "MESHCLASH_PT_timeline")
    yield from _open(window, "gears")
    yield from _enlarge_timeline(window)
    scene = bpy.context.scene
    scene.frame_set(17, subframe=0.25)
    yield from _scan(window, "progress", 30)
    assert (scene.frame_current, round(scene.frame_subframe, 3)) == (17, 0.25)
    scanned = window.module("scene_results").timeline_of(scene.session_uid)
    assert sorted((event.start, event.end) for event in scanned.events) == [(38, 45), (45, 47), (77, 84), (105, 107)]
    yield from window.show("events")

    yield from window.click_row(1, "active_event")
    yield 0.5
    event = scanned.events[1]
    assert scene.frame_current == event.worst_frame, (scene.frame_current, event.worst_frame)
    chosen = {item.name for item in bpy.context.selected_objects}
    assert chosen == {event.row.a.name, event.row.b.name}, chosen
    yield from window.show("event")

    with window.context():
        bpy.ops.meshclash.event_markers(at="START")
    assert len(scene.timeline_markers) == 4
    yield from window.show("markers")
    yield from _curve(window)
    yield from _heat(window)
    yield from _escape(window)


def _open(window: Any, name: str) -> Generator[float, None, None]:
    bpy.ops.wm.open_mainfile(filepath=window.arguments[name], load_ui=False)
    yield 1.0
    scenes.show_all(window)
    yield 0.5
    if window.region().width <= 1:
        yield from window.open_tab(width=400)
    bpy.context.window_manager.meshclash.around = "ALL"


def _enlarge_timeline(window: Any, by: int = 110) -> Generator[float, None, None]:
    """The timeline at the bottom is not high enough for markers."""
    area = window.area("DOPESHEET_EDITOR")
    before = area.height
    edge = {"x": area.x + area.width // 2, "y": area.y + area.height, "delta": by}
    with bpy.context.temp_override(window=window.window, area=area):
        bpy.ops.screen.area_move(**edge)
    yield 1.0
    assert area.height > before, "the timeline keeps its height"


def _scan(window: Any, picture: str, frames: int) -> Generator[float, None, None]:
    """Scans to the end, with a picture when so many frames are done."""
    running_work, scene_results, uid = (
        window.module("running_work"),
        window.module("scene_results"),
        bpy.context.scene.session_uid,
    )
    yield from window.press("meshclash.scan_timeline", across=0.4)
    window.move(window.window.width - 1, window.window.height - 1)
    yield from window.wait_for(lambda: scene_results.timeline_of(uid) is not None, "the scan to begin", 10)
    scanned = scene_results.timeline_of(uid)
    yield from window.wait_for(lambda: scanned.timeline.done >= frames or scanned.complete, "frames", 1800)
    if not scanned.complete:
        window.picture(picture)
    yield from window.wait_for(lambda: running_work.running_task() is None, "the end of the scan", 900)
    yield 0.5
    assert scanned.complete


def _curve(window: Any) -> Generator[float, None, None]:
    """The clearance of the selected event's pair, seen in the graph editor."""
    running_work, scene_results = window.module("running_work"), window.module("scene_results")
    with window.context():
        bpy.ops.meshclash.bake_clearance("INVOKE_DEFAULT")
    yield from window.wait_for(lambda: running_work.running_task() is None, "the curve", 900)
    yield 0.5
    keyed = [item for item in bpy.context.scene.objects if CURVE in item]
    assert len(keyed) == 1 and keyed[0].select_get(), keyed
    fcurves = window.module("adapters.fcurves")
    baked = fcurves.curve_of(keyed[0], f'["{CURVE}"]')
    for curve in fcurves._curves(keyed[0]):
        curve.hide, curve.select = curve != baked, curve == baked
    area = window.area()
    area.ui_type = "FCURVES"
    yield 0.5
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window.window, area=area, region=region):
        bpy.ops.graph.view_all()
    yield from window.show("curve")
    area.ui_type = "VIEW_3D"
    yield 0.5
    result = scene_results.result_of(bpy.context.scene.session_uid)
    assert not result.stale, result.stale  # the measuring has put back the frame


def _heat(window: Any) -> Generator[float, None, None]:
    """The heat map of the walking character, in the colours of the viewport."""
    yield from _open(window, "walk")
    yield from _scan(window, "progress_walk", 20)
    bpy.context.scene.frame_set(6)
    bpy.context.scene.meshclash.overlay = False
    with window.context():
        assert bpy.ops.meshclash.write_heat() == {"FINISHED"}
    window.area().spaces.active.shading.color_type = "VERTEX"
    yield from window.show("heat")
    skirt = bpy.data.objects["Skirt"].data
    often = np.empty(len(skirt.polygons), np.float32)
    skirt.attributes["meshclash_often"].data.foreach_get("value", often)
    assert 0.0 < often.max() < 0.5 and (often == 0.0).any()


def _escape(window: Any) -> Generator[float, None, None]:
    """The Escape key keeps what was found, and puts the frame back."""
    yield from _open(window, "parts")
    scene, running_work, scene_results = (
        bpy.context.scene,
        window.module("running_work"),
        window.module("scene_results"),
    )
    scene.frame_set(11)
    yield from window.press("meshclash.scan_timeline", across=0.4)
    window.move(*window.view_centre)
    yield from window.wait_for(
        lambda: scene_results.timeline_of(scene.session_uid) is not None, "the scan to begin", 10
    )
    scanned = scene_results.timeline_of(scene.session_uid)
    yield from window.wait_for(lambda: scanned.timeline.done >= 14, "frames", 900)
    yield from window.key("Escape")
    yield from window.wait_for(lambda: running_work.running_task() is None, "the end of the scan", 60)
    assert scanned.timeline.done < 48 and scanned.events and scene.frame_current == 11
    yield from window.show("stopped")
