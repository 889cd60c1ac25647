"""Time-critical: a small budget leaves guesses in list and view; Live keeps to it and refines until all is certain."""

from collections.abc import Generator
from typing import Any

import bpy
from meter import StallMeter

from . import scenes

BUDGET = 1.0  # ms, for all pairs of the assembly together
CERTAIN = {"meets"}


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    yield from scenes.open_gearbox(window)
    yield from window.open_tab(width=400)
    settings = bpy.context.scene.meshclash
    settings.test, settings.budget = "time-critical", BUDGET
    yield from window.detect()
    verdicts = [row.verdict for row in window.rows]
    assert set(verdicts) - CERTAIN, verdicts
    assert all(0.0 < row.probability <= 1.0 for row in window.rows)
    window.notes["after one budget"] = {kind: verdicts.count(kind) for kind in sorted(set(verdicts))}
    yield from window.show("guesses")

    yield from window.press("meshclash.live", across=0.75)
    live = window.module("running_work").running_live
    yield from window.wait_for(lambda: live() is not None and live().live.ready, "the first answer of Live", 600)
    meter = StallMeter(window.module("ops.live"))
    yield from window.wait_for(lambda: {row.verdict for row in window.rows} == CERTAIN, "certain answers", 60)
    window.notes["refining"] = meter.stop()
    window.notes["certain"] = len(window.rows)
    yield from window.show("certain")
    window.move(*window.view_centre)
    yield from window.key("Escape")
    yield from window.wait_for(lambda: live() is None, "the end of Live", 10)
