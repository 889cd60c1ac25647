"""How long an installed zip's steps hold Blender, where there is none with a window for it: processor time of each.

python -S tests/addon/held_without_window.py ZIP GEARBOX.blend ROOM.blend    # PYTHONPATH: packages without Numba

Detect and other tasks run in slices as between two beats of a timer; first from an empty cache.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp()
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "window"))

import bpy  # isort: skip
from scenarios import massive, scan, scenes

MODULE = "bl_ext.user_default.meshclash"
MOVES = 40
HELD: dict[str, float] = {}


def timed(act: Callable[[], Any], say: Callable[[], str]) -> Any:
    """Runs a step, and keeps the longest of its kind in milliseconds."""
    began = time.thread_time()
    result = act()
    HELD[say()] = max(HELD.get(say(), 0.0), 1e3 * (time.thread_time() - began))
    return result


def in_slices(task: Any) -> Any:
    """Runs a task as its modal operator does."""
    while not timed(task.run_slice, lambda: task.text.partition(" ")[0]):
        pass
    return task.result


def measured(name: str, act: Callable[[], Any]) -> None:
    """Prints what an act took."""
    HELD.clear()
    began = time.thread_time()
    act()
    seconds = time.thread_time() - began
    longest = ", ".join(f"{text} {most:.0f}" for text, most in sorted(HELD.items(), key=lambda item: -item[1])[:4])
    print(f"{name}: {seconds:.2f} s, longest steps [ms]: {longest}", flush=True)


def follow() -> None:
    """Follows an object that moves."""
    live = sys.modules[f"{MODULE}.ops.live"]
    run = live.LiveRun(bpy.context)
    beat = SimpleNamespace(type="TIMER", value="NOTHING")
    for step in range(MOVES):
        bpy.data.objects["Right"].location.x = 5.0 - 0.1 * step
        bpy.context.view_layer.update()
        for _ in range(200):
            timed(lambda: run.step(bpy.context, beat), lambda: run.live.text.partition(" ")[0] or "Following")
            if run.live.ready and not run.live.busy:
                break
    run.end()


def main(zip_path: str, gearbox: str, room: str) -> None:
    """Installs the zip and measures."""
    bpy.ops.extensions.package_install_files(filepath=zip_path, repo="user_default", enable_on_install=True)
    for _ in sys.modules[f"{MODULE}.engine"].bytecode():  # what a window does soon after that
        pass
    sys.modules[f"{MODULE}.ops.task"].Task.run = in_slices
    ops, settings = bpy.ops.meshclash, lambda: bpy.context.scene.meshclash
    bpy.ops.wm.open_mainfile(filepath=gearbox)
    measured("detect", ops.detect)
    settings().overlap_volume = True
    measured("overlap volume", ops.detect)
    settings().overlap_volume, settings().test = False, "distance"
    measured("distance", ops.detect)
    bpy.ops.wm.open_mainfile(filepath=room)
    measured("scan", ops.detect)
    settings().set_a = "OBJECT"
    settings().set_a_object = next(item for item in bpy.context.scene.objects if scan.is_scan(item))
    measured("deviation", ops.measure_deviation)
    settings().set_a = "ALL"
    scenes.two_heads(distance=5.0)
    model = Path(tempfile.mkdtemp()) / "model.stl"
    massive.write(model, massive.COARSE)
    measured("massive import", lambda: ops.import_massive(filepath=str(model)))
    measured("live", follow)
    origins = sys.modules[f"{MODULE}.meshclash.kernels.cache"].origins
    print(
        bpy.app.version_string,
        {name: kind for name, kind in origins.items() if kind != "shipped"} or "all kernels shipped",
    )


main(*sys.argv[1:4])
