"""Import a scan, test it against a machine, measure its deviations; undo, redo and Escape for each of these."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
from meter import StallMeter

from . import scenes

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
FRAME = 18  # the exhaust in the low pipe, the motor in nothing
STEP = 0.0087  # between two rays, half a degree: the screen is drawn by software
RANGE = 1.0  # metres
COPIES = 30  # of the scan in the file whose import is cancelled, so that there is time to cancel it
SCALE_ENDS = ((0.36, 0.06, 0.48), (0.05, 0.36, 0.14))  # colours of the lowest and the highest deviation
LIKE = 20  # steps of 255: the view's grey is not far from the green
Play = Generator[float, None, None]


def play(window: Any) -> Play:
    """Plays the scenario."""
    window.unfold("ui.scans", "MESHCLASH_PT_scans")
    yield from scenes.open_example(window, "room")
    bpy.context.preferences.view.filebrowser_display_type = "SCREEN"  # the virtual screen has no window manager
    example = _example()
    points = example.scan(step=STEP)
    files = {"room": window.out / "room.ply", "large": window.out / "large.xyz"}
    files["room"].write_bytes(_ply(points))
    files["large"].write_bytes(_text(np.concatenate([points] * COPIES)))
    bpy.data.objects.remove(bpy.data.objects[example.SCAN])
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    bpy.context.scene.frame_set(FRAME)
    bpy.ops.ed.undo_push(message="A machine without a room")
    yield from window.open_tab(width=400)

    yield from _cancelled_import(window, files["large"])
    yield from _import(window, files["room"], len(points))
    yield from _detect(window)
    yield from _cancelled_deviation(window)
    yield from _deviation(window)


def _example() -> ModuleType:
    sys.path.insert(0, str(EXAMPLES))
    return importlib.import_module("plant_room")


def _ply(points: np.ndarray) -> bytes:
    names = "".join(f"property double {axis}\n" for axis in "xyz")
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n{names}end_header\n"
    return head.encode() + points.astype("<f8").tobytes()


def _text(points: np.ndarray) -> bytes:
    return "\n".join(f"{x:.4f} {y:.4f} {z:.4f}" for x, y, z in points.tolist()).encode()


def is_scan(item: Any) -> bool:
    """Whether an object is a scan: points, and no faces."""
    return item.type == "POINTCLOUD" or (item.type == "MESH" and not item.data.polygons)


def _scans() -> list[Any]:
    """The scans of the scene: objects with points and nothing else."""
    return [item for item in bpy.context.scene.objects if item.name.startswith(("room", "large"))]


def _data() -> set[str]:
    return {data.name for kind in (bpy.data.meshes, bpy.data.pointclouds) for data in kind}


def _cancelled_import(window: Any, path: Path) -> Play:
    before = _data()
    yield from window.choose_file("import scan", path)
    yield from window.show("file_browser")
    window.point_at_files()
    yield from window.key("Return")
    yield from window.wait_for(window.busy, "the start of the import", 30)
    yield from _press_escape(window, "importing")
    assert not _scans() and _data() == before, (_scans(), _data() - before)
    yield from window.show("import_cancelled")


def _press_escape(window: Any, picture: str) -> Play:
    """Takes a picture in the middle of a task, presses Escape, notes how long the task went on."""
    task = window.module("running_work").running_task()
    yield from window.wait_for(lambda: task.ended or task.fraction > 0.1, "some progress", 120)
    yield 0.3
    window.picture(picture)
    assert window.busy(), f"over before Escape: {task.text}"
    window.move(*window.view_centre)
    yield from window.key("Escape")
    yield from window.wait_for(lambda: not window.busy(), "the end of what was cancelled", 10)


def _import(window: Any, path: Path, count: int) -> Play:
    yield from window.choose_file("import scan", path)
    meter = StallMeter(window.module("ops.task_operator"))
    yield from window.key("Return")
    yield from window.wait_for(_scans, "the imported scan", 120)
    yield from window.wait_for(lambda: not window.busy(), "the end of the import", 10)
    window.notes["import"] = meter.stop()
    (scan,) = _scans()
    assert _point_count(scan) == count and scan == bpy.context.active_object and scan.select_get()
    scenes.show_all(window)
    yield from window.show("imported")
    yield from _undone_and_redone(window, lambda: not _scans(), "the imported scan")
    (scan,) = _scans()
    assert _point_count(scan) == count


def _point_count(scan: Any) -> int:
    return len(scan.data.vertices if scan.type == "MESH" else scan.data.points)


def _undone_and_redone(window: Any, is_undone: Callable[[], bool], what: str) -> Play:
    """Ctrl+Z and Ctrl+Shift+Z over the view; looks each time."""
    window.move(*window.view_centre)
    yield from window.key("ctrl+z")
    yield from window.wait_for(is_undone, f"{what} undone", 20)
    yield from window.settle()
    window.move(*window.view_centre)
    yield from window.key("ctrl+shift+z")
    yield from window.wait_for(lambda: not is_undone(), f"{what} done again", 20)
    yield from window.settle()


def _detect(window: Any) -> Play:
    settings = bpy.context.scene.meshclash
    settings.set_a, settings.set_a_object = "OBJECT", _scans()[0]
    bpy.ops.ed.undo_push(message="The scan is set A")
    x, y = yield from window.find_button("meshclash.detect")
    meter = StallMeter(window.module("ops.detect"))
    yield from window.click(x, y)
    yield from window.wait_for(lambda: meter.calls, "the start of the detection")
    yield from window.wait_for(lambda: not window.busy(), "the end of the detection", 600)
    window.notes["detect"] = meter.stop()
    found = {(row.name_a, row.name_b): row for row in window.rows}
    window.notes["rows"] = [f"{row.name}: {row.verdict}, {row.faces_a} and {row.faces_b}" for row in window.rows]
    assert ("room", "Exhaust") in found and found["room", "Exhaust"].verdict == "clash", window.notes["rows"]
    assert ("room", "Motor") not in found
    yield from window.show("contacts")

    yield from window.click_row(window.rows.index(found["room", "Exhaust"]))
    yield 0.5
    assert [item.name for item in bpy.context.selected_objects] == ["Exhaust"], "outlines of points would hide all"
    yield from window.show("contact")
    with_overlay = window.view_pixels()
    settings.overlay = False
    yield from window.show("contact_without_overlay")
    assert _reddened(with_overlay, window.view_pixels()) > 0.001, "the points in contact are hidden"
    settings.overlay = True
    yield from window.look_around("ALL")
    yield 0.5
    scenes.show_all(window)

    window.move(*window.view_centre)
    count = len(window.rows)
    yield from window.key("ctrl+z")  # Detect is no step of its own: this undoes the choice of set A
    yield from window.wait_for(lambda: bpy.context.scene.meshclash.set_a != "OBJECT", "the undone choice", 20)
    yield from window.show("detect_undone")
    yield from window.key("ctrl+shift+z")
    yield from window.wait_for(lambda: bpy.context.scene.meshclash.set_a == "OBJECT", "the choice again", 20)
    assert len(window.rows) == count, "results are no part of the file's history"


def _reddened(after: np.ndarray, before: np.ndarray) -> float:
    """The share of pixels that are redder than before: points in contact shine through what hides them."""
    redness = [picture[..., 0] - picture[..., 1:].max(axis=-1) for picture in (after, before)]
    return float((redness[0] > redness[1] + 30).mean())


def _cancelled_deviation(window: Any) -> Play:
    bpy.context.view_layer.objects.active = _scans()[0]  # whose panel it is
    yield from window.press("meshclash.measure_deviation")
    yield from window.wait_for(window.busy, "the start of the measurement", 60)
    yield from _press_escape(window, "measuring")
    assert not _measured() and not _map(window)


def _measured() -> bool:
    return "meshclash_deviation" in _scans()[0].data.attributes


def _map(window: Any) -> Any:
    return window.module("overlay.heat_map").shown(bpy.context)


def _deviation(window: Any) -> Play:
    bpy.ops.meshclash.clear_results()
    bpy.context.scene.meshclash.deviation_range = RANGE
    scenes.show_all(window)
    meter = StallMeter(window.module("ops.task_operator"))
    yield from window.press("meshclash.measure_deviation")
    yield from window.wait_for(lambda: window.busy() or _measured(), "the start of the measurement", 60)
    yield from window.wait_for(lambda: not window.busy(), "the end of the measurement", 600)
    window.notes["deviation"] = meter.stop()
    assert _measured() and _map(window)
    yield from window.show("heat_map")
    window.notes["ends of the scale"] = [round(window.colour_share(colour, LIKE), 5) for colour in SCALE_ENDS]
    yield from _undone_and_redone(window, lambda: not _measured(), "the measured values")
    assert _map(window), "the heat map comes back with the values"
    yield from window.show("heat_map_again")
