"""What a first user does: looks at a pair and back, marks all faces, lists one status, raises what is permitted."""

from collections.abc import Generator
from typing import Any

import bpy

from . import scenes

ATTRIBUTE = "meshclash_contact"
FILTER_BUTTON = 68.0  # from the right border of the sidebar to the button of the popover [px at scale 1]
STATUS_ABOVE = (219.0, 101.0, 96.0, 106.0)  # from there up to the first status [px at scale 1]
TOOLTIP = 2.5  # seconds until a tooltip stands


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    yield from scenes.open_gearbox(window)
    window.unfold("ui.panels", "MESHCLASH_PT_marks")
    yield from window.open_tab(width=400)
    listed, seen = bpy.context.window_manager.meshclash, window.area().spaces.active.region_3d
    before = seen.view_distance
    yield from window.detect()
    yield from window.show("detected")

    yield from window.click_row(1)
    yield 0.5
    assert window.area().spaces.active.local_view is not None and seen.view_distance < before
    yield from window.press("meshclash.write_attribute")
    yield 0.5
    marked = [mesh.name for mesh in bpy.data.meshes if ATTRIBUTE in mesh.attributes]
    assert len(marked) > 2, f"only {marked} are marked while a pair is isolated"
    yield from window.look_around("ALL")
    yield 0.5
    assert abs(seen.view_distance - before) < 1e-3 * before, "one is left close to the pair"
    yield from _among_others(window, listed)
    yield from _one_status(window, listed)
    yield from _tooltip_of_numbers(window)
    scenes.show_all(window, clip=(1.0, 20000.0))
    before = seen.view_distance
    listed.around = "ISOLATE"
    yield from window.click_row(0)
    assert seen.view_distance < 0.9 * before
    yield from window.detect()
    assert abs(seen.view_distance - before) < 1e-3 * before, "Detect leaves one close to the pair"


def _among_others(window: Any, listed: Any) -> Generator[float, None, None]:
    """The selected pair beside all others, on its own, and among ghosts: pictures to look at."""
    kinds = [row.verdict for row in window.rows]
    for kind in dict.fromkeys(kinds):
        with window.context():
            listed.active_row = kinds.index(kind)
        yield 0.5
        yield from window.show(f"{kind}_among_others")
    for state in (True, False):
        with window.context():
            listed.around = "GHOST" if state else "ALL"
        yield from window.show("ghosts" if state else "without_ghosts")


def _one_status(window: Any, listed: Any) -> Generator[float, None, None]:
    """Chooses the first status in the popover beside the search."""
    _, y = yield from window.find(lambda: window.hovered_property() == "search", "search")
    scale = bpy.context.preferences.system.ui_scale
    x = window.region().x + window.region().width - round(FILTER_BUTTON * scale)
    yield from window.click(x, y)
    yield 0.7
    window.picture("filter")
    for above in STATUS_ABOVE:
        yield from window.click(x - round(FILTER_BUTTON * scale), y + round(above * scale))
        yield 0.5
        if len(listed.statuses) == 1:
            break
    window.move(*window.view_centre)
    yield 0.5
    assert len(listed.statuses) == 1, f"a click on one status lists {listed.statuses}"
    yield from window.show("one_status")
    listed.show_all()
    window.module("results").relist(bpy.context, bpy.context.scene)


def _tooltip_of_numbers(window: Any) -> Generator[float, None, None]:
    bpy.context.preferences.view.show_tooltips = True
    yield from window.find_button("meshclash.pick_row", across=0.2)
    yield TOOLTIP
    window.picture("tooltip")
    bpy.context.preferences.view.show_tooltips = False
