"""A first Detect with scans, stopped; copies, scales; deleting, undoing, renaming, hiding, saving; Live over frames."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
import numpy as np

from . import scenes

Play = Generator[float, None, None]
POINTS = 20_000
FRAMES = 40
BEYOND = (0.08, 0.36, 0.16)  # the colour of what lies farther away than the scale reaches
LIKE = 20  # steps of 255: the view's grey is not far from that


def play(window: Any) -> Play:
    """Plays the scenario."""
    window.unfold("ui.scans", "MESHCLASH_PT_scans")
    _furnish(window)
    bpy.ops.ed.undo_push(message="Scans")
    yield from window.open_tab(width=400)
    scenes.show_all(window)

    yield from _stopped_preparation(window)
    yield from _everything(window)
    yield from _legend(window)
    yield from _deleted(window)
    yield from _renamed_and_hidden(window)
    yield from _reloaded(window)
    yield from _played(window)


def _furnish(window: Any) -> None:
    """Balls of points in all kinds of objects, a box that reaches into each of them by 0.2."""
    scenes.empty()
    new_scan = window.module("adapters.point_writer").new_scan
    collection, points = bpy.context.scene.collection, _ball()
    ball = new_scan("Ball", points, None, collection, as_mesh=False)
    new_scan("Shell", points, None, collection, as_mesh=True).location = (1.2, 0.0, 0.0)
    for name, place, scale in (
        ("Twin", (0.0, 3.0, 0.0), (1.0, 0.5, 1.5)),
        ("Mirror", (0.0, -3.0, 0.0), (-1.0, 1.0, 1.0)),
    ):
        copy = ball.copy()
        copy.name, copy.location, copy.scale = name, place, scale
        collection.objects.link(copy)
    part = bpy.data.collections.new("Part")
    part.objects.link(new_scan("Member", points, None, collection, as_mesh=True))
    collection.objects.unlink(bpy.data.objects["Member"])
    empty = bpy.data.objects.new("Group", None)
    empty.instance_type, empty.instance_collection, empty.location = "COLLECTION", part, (5.0, 0.0, 0.0)
    collection.objects.link(empty)
    wire = bpy.data.meshes.new("Wire")
    wire.from_pydata([(k, 6, 0) for k in range(9)], [(k, k + 1) for k in range(8)], [])
    collection.objects.link(bpy.data.objects.new("Wire", wire))
    collection.objects.link(bpy.data.objects.new("Nothing", bpy.data.pointclouds.new("Nothing")))
    for name, place in (("Box", (-1.8, 0.0, 0.0)), ("Box twin", (-1.8, 3.0, 0.0)), ("Box mirror", (-1.8, -3.0, 0.0))):
        _add_box(name, place)
    _add_box("Box group", (6.8, 0.0, 0.0))
    mover = _add_box("Mover", (9.0, 8.0, 0.0))
    mover.keyframe_insert("location", frame=1)
    mover.location.y = -8.0
    mover.keyframe_insert("location", frame=FRAMES)
    rider = new_scan("Rider", points[::4], None, collection, as_mesh=False)
    rider.parent, rider.location = mover, (-1.8, 0.0, 0.0)
    bpy.context.scene.frame_end = FRAMES
    bpy.context.scene.frame_set(1)


def _ball() -> np.ndarray:
    k = np.arange(POINTS) + 0.5
    z, turn = 1.0 - 2.0 * k / POINTS, 2.399963 * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1).astype(np.float32)


def _add_box(name: str, place: tuple[float, float, float]) -> Any:
    bpy.ops.mesh.primitive_cube_add(location=place)
    bpy.context.object.name = name
    return bpy.context.object


def _stopped_preparation(window: Any) -> Play:
    """Where the package brought no kernels they are compiled: the window says so, and Escape ends it after a step."""
    yield from window.press("meshclash.detect")
    yield from window.wait_for(window.busy, "the start of the detection")
    task = window.module("running_work").running_task()
    yield from window.wait_for(lambda: task.ended or task.text.startswith("Compiling"), "compiling", 60)
    if not task.ended:  # nothing is compiled where the zip or a kept home has everything
        yield 0.5
        window.picture("first_use")
        window.move(*window.view_centre)
        yield from window.key("Escape")
        yield from window.wait_for(lambda: not window.busy(), "the end of what was cancelled", 60)
        assert not window.rows
        yield from window.show("first_use_stopped")


def _everything(window: Any) -> Play:
    """Every kind of scan meets its box, and two scans meet each other; what is no scan is told with the reason."""
    yield from window.detect()
    window.notes["rows"] = [f"{row.name}: {row.verdict}, {row.faces_a} and {row.faces_b}" for row in window.rows]
    yield from window.show("all")
    pairs = {frozenset((row.name_a.split("/")[0], row.name_b.split("/")[0])): row.verdict for row in window.rows}
    for pair in (
        ("Ball", "Box"), ("Ball", "Shell"), ("Twin", "Box twin"), ("Mirror", "Box mirror"), ("Group", "Box group"),
        ("Rider", "Mover"),
    ):  # fmt: skip
        assert pairs.get(frozenset(pair)) == "clash", (pair, window.notes["rows"])
    skipped = window.module("scene_results").result_of(bpy.context.scene.session_uid).report.skipped
    assert {item.name for item in skipped} >= {"Wire", "Nothing"}, skipped
    for name in ("Twin", "Mirror", "Group"):
        index = next(k for k, row in enumerate(window.rows) if name in row.name)
        yield from window.click_row(index)
        yield 0.5
        yield from window.show(f"row_{name.lower()}")
        yield from window.look_around("ALL")  # off and on again: the list scrolls away otherwise
        yield 0.3
        yield from window.look_around("ISOLATE")
        yield 0.3
    yield from window.look_around("ALL")


def _legend(window: Any) -> Play:
    """The heat map in millimetres, of several scans, with an automatic range."""
    settings, units = bpy.context.scene.meshclash, bpy.context.scene.unit_settings
    units.length_unit = "MILLIMETERS"
    settings.set_b, settings.set_b_object = "OBJECT", bpy.data.objects["Box"]
    bpy.context.view_layer.objects.active = bpy.data.objects["Ball"]  # whose panel it is
    bpy.ops.meshclash.clear_results()
    scenes.show_all(window)
    yield from window.press("meshclash.measure_deviation")
    yield from window.wait_for(lambda: _map(window), "the heat map", 600)
    yield from window.wait_for(lambda: not window.busy(), "the end of the measurement", 60)
    yield from window.show("legend_automatic")
    settings.deviation_range = 0.2
    yield from window.show("legend_200_mm")
    seen = window.colour_share(BEYOND, LIKE)
    assert seen > 0.005, seen
    bpy.data.objects["Mirror"].hide_set(True)
    yield from window.settle()
    assert 0.2 * seen < window.colour_share(BEYOND, LIKE) < 0.95 * seen, "what is hidden is not drawn, the rest is"
    bpy.data.objects["Mirror"].hide_set(False)
    yield from window.settle()


def _map(window: Any) -> Any:
    return window.module("overlay.heat_map").shown(bpy.context)


def _deleted(window: Any) -> Play:
    """A deleted scan makes the heat map old, and Detect's rows grey; undo brings the scan back."""
    bpy.context.scene.meshclash.set_b = "ALL"
    bpy.ops.ed.undo_push(message="Set B is everything")
    yield from window.detect()
    ball = bpy.data.objects["Ball"]
    bpy.context.view_layer.objects.active = ball
    for item in bpy.context.selected_objects:
        item.select_set(False)
    ball.select_set(True)
    bpy.ops.ed.undo_push(message="Ball selected")
    window.move(*window.view_centre)
    yield from window.key("Delete")
    yield from window.wait_for(lambda: "Ball" not in bpy.context.scene.objects, "the deletion", 10)
    scene_results, uid = window.module("scene_results"), bpy.context.scene.session_uid
    yield from window.wait_for(lambda: scene_results.deviation_is_stale(uid), "the old heat map", 10)
    assert "Ball" in scene_results.result_of(uid).stale
    yield from window.show("deleted")
    window.move(*window.view_centre)
    yield from window.key("ctrl+z")
    yield from window.wait_for(lambda: "Ball" in bpy.context.scene.objects, "the undone deletion", 10)
    yield from window.show("deletion_undone")
    with window.context():
        bpy.ops.meshclash.clear_deviation()


def _renamed_and_hidden(window: Any) -> Play:
    """Names are what results go by: a renamed scan is grey; a hidden one takes no part."""
    bpy.data.objects["Shell"].name = "Hull"
    yield 0.5
    yield from window.show("renamed")
    bpy.data.objects["Ball"].hide_set(True)
    yield from window.detect()
    names = {name for row in window.rows for name in (row.name_a, row.name_b)}
    assert "Hull" not in names and "Ball" not in names and "Twin" in names, names
    bpy.data.objects["Ball"].hide_set(False)
    yield from window.detect()
    assert any({row.name_a, row.name_b} == {"Ball", "Hull"} for row in window.rows)


def _reloaded(window: Any) -> Play:
    """The list comes back with the file, and says which of its parts are points."""
    path = str(window.out / "scans.blend")
    count = len(window.rows)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)
    yield 1.0
    assert len(window.rows) == count
    yield from window.open_tab()
    scenes.show_all(window)
    index = next(k for k, row in enumerate(window.rows) if "Hull" in row.name)
    yield from window.click_row(index)
    yield 0.5
    yield from window.show("reloaded")


def _played(window: Any) -> Play:
    """Live follows a scan that rides on a machine while the animation plays."""
    settings = bpy.context.scene.meshclash
    settings.set_a, settings.set_a_object = "OBJECT", bpy.data.objects["Rider"]
    yield from window.press("meshclash.live", across=0.75)
    live = window.module("running_work").running_live
    yield from window.wait_for(lambda: live() is not None and live().live.ready, "Live", 600)
    yield 1.0
    with window.context():
        bpy.ops.screen.animation_play()
    frames, met = set(), set()
    for _ in range(60):
        yield 0.1
        frames.add(bpy.context.scene.frame_current)
        met |= {row.name for row in window.rows if row.verdict in ("clash", "contact")}
        if len(frames) == 10:
            window.picture("live_playing")
    with window.context():
        bpy.ops.screen.animation_cancel(restore_frame=False)
    window.notes["played"] = {"frames": len(frames), "met": sorted(met), "longest slice": live().live.longest_slice}
    yield from window.show("live_stopped")
    window.move(*window.view_centre)
    yield from window.key("Escape")
    yield from window.wait_for(lambda: live() is None, "the end of Live", 10)
