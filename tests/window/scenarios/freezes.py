"""From an empty cache: how long our calls hold the window between two beats of a timer, in processor time.

Kernels come with the zip, or a process beside compiles them; no call may take long. The import of Numba, which cannot
be cut, and what Blender draws by software are listed apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any

import bpy
from meter import StallMeter

from . import massive, scan, scenes

LONGEST = 0.2  # seconds
NUMBA = "Loading"
MOVES = 40
Play = Generator[float, None, None]


def play(window: Any) -> Play:
    """Plays the scenario."""
    settings = lambda: bpy.context.scene.meshclash  # noqa: E731 - of the file that is open then
    task = window.module("ops.task")
    task.LONGEST_SLICE = task.SLICE_SECONDS  # slices grow where redraws are slow, as here: this measures single steps
    yield from scenes.open_gearbox(window)
    yield from window.open_tab(width=400)
    yield from _measured(window, "detect", _pressed(window, "detect"))
    assert len(window.rows) > 10
    settings().overlap_volume = True
    yield from _measured(window, "overlap volume", _pressed(window, "detect"))
    settings().overlap_volume = False
    settings().test = "distance"
    yield from _measured(window, "distance", _pressed(window, "detect"))
    settings().test = "intersection"

    yield from scenes.open_example(window, "room")
    yield from _measured(window, "scan", _pressed(window, "detect"))
    scans = [item for item in bpy.context.scene.objects if scan.is_scan(item)]
    settings().set_a, settings().set_a_object = "OBJECT", scans[0]
    yield from _measured(window, "deviation", _pressed(window, "measure_deviation"))

    settings().set_a = "ALL"
    scenes.two_heads(distance=5.0)
    model = window.out / "model.stl"
    massive.write(model, massive.COARSE)
    yield from _measured(window, "massive import", _pressed(window, "import_massive", filepath=str(model)))
    yield from _measured(window, "live", _live(window))
    window.notes["held"] = {name: ms for name, ms in window.notes["held"].items() if ms > 0}
    late = {name: ms for name, ms in window.notes["held"].items() if ms > 1e3 * LONGEST and NUMBA not in name}
    assert not late, late


def _pressed(window: Any, name: str, **options: Any) -> Callable[[], Play]:
    """Presses a button, and waits for the end of what it begins."""

    def press() -> Play:
        with window.context():
            getattr(bpy.ops.meshclash, name)("INVOKE_DEFAULT" if not options else "EXEC_DEFAULT", **options)
        yield from window.wait_for(lambda: not window.busy(), f"the end of {name}", 900)

    return press


def _live(window: Any) -> Callable[[], Play]:
    """Follows an object that moves."""
    running = window.module("running_work").running_live

    def follow() -> Play:
        with window.context():
            bpy.ops.meshclash.live("INVOKE_DEFAULT")
        yield from window.wait_for(lambda: running() is not None and running().live.ready, "Live", 900)
        for step in range(MOVES):
            bpy.data.objects["Right"].location.x = 5.0 - 0.1 * step
            yield 0.05
        yield from window.wait_for(lambda: any(row.verdict == "clash" for row in window.rows), "a clash", 60)
        window.module("running_work").stop_live()

    return follow


def _measured(window: Any, name: str, act: Callable[[], Play]) -> Play:
    work = window.module("running_work")

    def doing() -> str:
        task, live = work.running_task(), work.running_live()
        text = task.text if task else live.live.text if live else ""
        return text.partition(" ")[0].rstrip(":")

    modules = [window.module(f"ops.{module}") for module in ("detect", "scans", "massive", "live", "task_operator")]
    yield 1.0
    meter, processor, began = StallMeter(*modules, doing=doing), time.process_time(), time.perf_counter()
    yield from act()
    yield 0.2
    meter.stop()
    window.notes[name] = {
        "seconds": round(time.perf_counter() - began, 1),
        "processor_seconds": round(time.process_time() - processor, 2),
        "processor_seconds_in_calls": round(meter.processor, 2),
        "longest_outside_of_calls_ms": round(1e3 * meter.drawing),
        "longest_ms": {text: round(1e3 * most) for text, most in meter.held.items()},
    }
    held = window.notes.setdefault("held", {})
    held.update({f"{name}, {text}": round(1e3 * most) for text, most in meter.held.items()})
    kinds = list(window.kernels.values())
    window.notes[f"kernels after {name}"] = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
