"""Build a massive file and its levels, stop that by Escape, refine what is shown, detect, look at what is touched."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from meter import StallMeter

from . import scenes

FINE, COARSE = 700, 120  # segments of the model, and of the ball that it meets
SHOWN = 60_000  # triangles of the model that are shown at a time
Play = Generator[float, None, None]


def play(window: Any) -> Play:
    """Plays the scenario."""
    window.unfold("ui.massive", "MESHCLASH_PT_massive")
    scenes.empty()
    bpy.context.scene.meshclash.massive_triangles = SHOWN
    bpy.context.preferences.view.filebrowser_display_type = "SCREEN"  # the virtual screen has no window manager
    model = window.out / "model.stl"
    count = write(model, FINE)
    yield from _add_ball(window)
    yield from window.open_tab(width=400)

    yield from window.choose_file("import massive", model)
    yield from window.key("Return")
    yield from window.wait_for(window.busy, "the start of the build", 600)
    yield from window.wait_for(lambda: _is_begun(model) or not window.busy(), "the first of the build", 600)
    window.picture("building")
    assert window.busy(), "over before Escape"
    window.move(*window.view_centre)
    yield from window.key("Escape")
    yield from window.wait_for(lambda: not window.busy(), "the end of what was cancelled", 600)
    assert len(bpy.data.objects) == 1 and not model.with_suffix(".mcl").exists()
    assert _is_begun(model), "what is finished stays, and the next build goes on"

    yield from window.choose_file("import massive", model)
    meter = StallMeter(window.module("ops.task_operator"))
    yield from window.key("Return")
    yield from window.wait_for(lambda: len(bpy.data.objects) == 2 and not window.busy(), "the massive file", 600)
    window.notes["build"] = meter.stop()
    item = bpy.context.active_object
    assert item.name == "model" and Path(item.meshclash_massive) == model.with_suffix(".mcl")
    shown = len(item.data.polygons)
    assert 10_000 < shown <= SHOWN < count, "a level is shown"
    scenes.show_all(window)
    yield from window.show("built")
    yield from window.press("meshclash.show_level")
    yield from window.wait_for(lambda: len(item.data.polygons) != shown and not window.busy(), "another level", 600)
    assert len(item.data.polygons) <= SHOWN
    yield from window.show("refined")

    yield from window.detect()
    (row,) = window.rows
    assert row.verdict == "clash" and row.faces_a > 100, (row.verdict, row.faces_a)
    yield from window.show("detected")
    item.hide_set(True)
    scenes.show_all(window)
    yield from window.show("region")


def _add_ball(window: Any) -> Play:
    bpy.ops.mesh.primitive_uv_sphere_add(segments=COARSE, ring_count=COARSE // 2, location=(1.2, 0.0, 0.3))
    bpy.context.object.name = "Ball"
    scenes.show_all(window)
    yield 0.5


def _is_begun(model: Path) -> bool:
    return any(model.parent.glob("*.building"))


def write(path: Path, segments: int) -> int:
    """A ball of two triangles for each of segments^2 / 2 cells as a binary STL; how many triangles."""
    around, down = np.meshgrid(np.linspace(0, 2 * np.pi, segments + 1), np.linspace(0, np.pi, segments // 2 + 1))
    points = np.stack([np.sin(down) * np.cos(around), np.sin(down) * np.sin(around), np.cos(down)], axis=-1)
    a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]
    corners = np.concatenate([np.stack(t, axis=2).reshape(-1, 3, 3) for t in ((a, d, c), (a, c, b))])
    facets = np.zeros(len(corners), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    facets["corners"] = corners
    path.write_bytes(bytes(80) + np.uint32(len(facets)).tobytes() + facets.tobytes())
    return len(facets)
