"""Open a file, press Detect, read the list, click a row, look at it alone, switch the display's options."""

import time
from collections.abc import Callable, Generator
from typing import Any

import bpy
from meter import StallMeter

from . import scenes

PAIRS = {"clash": 10, "contained": 1, "duplicate": 1}  # planted in the assembly, press fits among them

RED = (1.0, 0.22, 0.13)  # of highlighted faces


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    window.unfold("ui.panels", "MESHCLASH_PT_display")
    yield from scenes.open_gearbox(window)
    yield from window.open_tab(width=400)
    yield from window.show("before")

    yield from _measured_detection(window, "first")
    yield from window.show("list")
    shown = window.colour_share(RED)
    verdicts = [row.verdict for row in window.rows]
    assert {kind: verdicts.count(kind) for kind in PAIRS} == PAIRS, verdicts
    assert shown > 0.0003, "no highlighted faces to be seen"

    yield from window.click_row(1)
    yield 0.5
    listed, view = bpy.context.window_manager.meshclash, window.area().spaces.active
    assert listed.active_row == 1, listed.active_row
    chosen = window.rows[1]
    assert {item.name for item in bpy.context.selected_objects} == {chosen.name_a, chosen.name_b}
    assert listed.around == "ISOLATE" and view.local_view is not None
    yield from window.show("isolated")

    yield from window.look_around("ALL")
    yield 0.5
    assert view.local_view is None
    yield from window.show("among_others")
    yield from _ghosts(window)
    listed.active_row = -1  # beside a selected pair all others are faint
    for option in ("overlay_xray", "overlay_curves"):
        before = getattr(bpy.context.scene.meshclash, option)
        yield from window.toggle(option)
        assert getattr(bpy.context.scene.meshclash, option) != before, option
    yield from window.show("plain_display")
    shown = window.colour_share(RED)
    yield from window.toggle("overlay", across=0.11)
    yield from window.show("no_overlay")
    left = window.colour_share(RED)  # outlines of what is selected
    assert left < 0.5 * shown, "faces are highlighted although the display is off"
    yield from window.toggle("overlay", across=0.11)
    yield from _measured_detection(window, "next")


def _ghosts(window: Any) -> Generator[float, None, None]:
    """Everything but the pair becomes transparent; the view is as before afterwards, and what is saved is, too."""
    shading, listed = window.area().spaces.active.shading, bpy.context.window_manager.meshclash
    before = shading.type, shading.show_xray, shading.xray_alpha
    yield from window.look_around("GHOST")
    yield 0.5
    assert listed.around == "GHOST" and shading.show_xray and shading.xray_alpha < 0.5
    yield from window.show("ghosts")
    seen = []
    bpy.app.handlers.save_pre.append(lambda *_: seen.append((shading.type, shading.show_xray, shading.xray_alpha)))
    bpy.ops.wm.save_as_mainfile(filepath=str(window.out / "saved.blend"), copy=True)
    bpy.app.handlers.save_pre.pop()
    assert seen == [before], "the file would open with ghosts"
    assert shading.show_xray, "the window keeps its ghosts"
    yield from window.look_around("ALL")
    yield 0.5
    assert (shading.type, shading.show_xray, shading.xray_alpha) == before
    assert listed.selected, "the pair stays selected"


def _measured_detection(window: Any, name: str) -> Generator[float, None, None]:
    """Clicks Detect; notes how long it took from the click and how long it held the window, and takes a picture."""
    x, y = yield from window.find_button("meshclash.detect")
    idle = StallMeter()
    yield 2.0
    window.notes[f"idle_before_{name}_detection"] = idle.stop()
    meter = StallMeter(window.module("ops.detect"))
    ready = _noted_when_it_is_ready(window, meter, name)
    yield from window.click(x, y)
    yield from window.wait_for(lambda: meter.calls, "the start of the detection")
    yield 0.5
    window.picture("running" if name == "first" else "running_again")
    yield from window.wait_for(lambda: not window.busy(), "the end of the detection", 600)
    window.notes[f"{name}_detection"] = meter.stop()
    ready()
    kinds = list(window.kernels.values())
    window.notes[f"kernels_after_{name}_detection"] = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
    yield 0.5


def _noted_when_it_is_ready(window: Any, meter: StallMeter, name: str) -> Callable[[], None]:
    """Notes what the press of Detect costs until the first frame is read; gives what ends the watch.

    Processor time of the calls is this extension's; that of the whole process contains what Blender draws meanwhile.
    """
    job = window.module("meshclash.clash.job")
    usual, processor = job._now_steps, time.process_time()

    def frame_steps(*arguments: Any) -> Any:
        window.notes[f"{name}_detection_is_ready"] = {
            "seconds": round(time.perf_counter() - meter.started, 2),
            "processor_seconds_in_earlier_calls": round(meter.processor, 2),
            "processor_seconds_of_the_process": round(time.process_time() - processor, 2),
        }
        job._now_steps = usual
        return usual(*arguments)

    job._now_steps = frame_steps

    def end() -> None:
        job._now_steps = usual

    return end
