"""Common volumes and common voxels: check the box, read and filter the list, draw the voxels of a pair, move it."""

from collections.abc import Generator
from typing import Any

import bpy

from . import scenes

VOXELS = (1.0, 0.8, 0.2)  # colour of the boxes
NOTHING, SEEN = 0.0002, 0.0005
ACROSS = 24
LEAST = 1000.0  # mm³


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    window.show_research()
    window.unfold("ui.voxels", "MESHCLASH_PT_voxels")
    window.unfold("ui.panels", "MESHCLASH_PT_options", "MESHCLASH_PT_exclusions", "MESHCLASH_PT_object")
    yield from scenes.open_example(window, "gearbox")
    yield from window.open_tab(width=400)
    settings, listed = bpy.context.scene.meshclash, bpy.context.window_manager.meshclash
    yield from window.toggle("overlap_volume")
    yield from window.wait_for(lambda: settings.overlap_volume, "the box to be checked", 5)
    yield from window.detect()
    known = [row.volume for row in window.rows if row.volume >= 0.0]
    assert known, "no volume was measured"
    listed.sort_key = "MEASURE"
    assert [row.volume for row in window.rows][: len(known)] == sorted(known, reverse=True)
    yield from window.show("list")
    everything = listed.found
    listed.least_volume = LEAST
    assert 0 < listed.found < everything
    assert all(row.volume < 0.0 or row.volume >= 0.9 * LEAST for row in window.rows)

    yield from window.click_row(0)
    yield 0.5
    assert listed.active_row == 0
    before = window.colour_share(VOXELS)
    shown_things = window.module("shown_things")
    settings.voxel_resolution = ACROSS
    yield from window.press("meshclash.show_voxels")
    uid = bpy.context.scene.session_uid
    yield from window.wait_for(lambda: shown_things.voxels.of(uid) is not None, "the voxels", 300)
    shown = shown_things.voxels.of(uid)
    assert shown.count > 10 and not shown.coarser, shown
    yield from window.show("voxels")
    assert window.colour_share(VOXELS) > before + SEEN, "no voxels to be seen"
    bpy.data.objects[window.rows[0].name_a].location.x += 1.0
    yield from window.wait_for(lambda: shown.stale, "the voxels to age", 10)
    yield from window.show("stale")
    with window.context():
        bpy.ops.meshclash.hide_voxels()
    yield from window.settle()
    assert window.colour_share(VOXELS) < before + NOTHING
