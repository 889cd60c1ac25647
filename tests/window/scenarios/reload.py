"""Save a file with results, open it again, and open another one in the middle of a detection."""

from collections.abc import Generator
from typing import Any

import bpy

from . import scenes


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    yield from scenes.open_gearbox(window)
    bpy.context.scene.meshclash.permitted_overlap = 0.1  # millimetres: the press fits only touch
    yield from window.open_tab()
    yield from window.detect()
    before = [(row.pair_id, row.verdict) for row in window.rows]
    path = str(window.out / "Prüfung 検査.blend")  # not everything is ASCII
    bpy.ops.wm.save_as_mainfile(filepath=path)

    bpy.ops.wm.open_mainfile(filepath=path)
    yield 1.0
    assert abs(bpy.context.scene.meshclash.permitted_overlap - 0.1) < 1e-6
    yield from window.open_tab()
    yield from window.show("opened")
    yield from window.detect()
    assert [(row.pair_id, row.verdict) for row in window.rows] == before

    yield from window.press("meshclash.detect")
    yield from window.wait_for(window.busy, "the start of the detection")
    bpy.ops.wm.open_mainfile(filepath=window.arguments["gearbox"], load_ui=False)
    yield 1.0
    assert not window.busy(), "opening a file ends a detection"
    assert not window.rows, "results of the other file"
    yield from window.open_tab()
    yield from window.detect()
    assert window.rows
