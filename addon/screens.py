"""Find the 3D views and areas of results in the open file, also in workspaces that no window shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

TABS = "show_properties_"  # options to show tabs of a Properties editor, from Blender 5.0 on
TAB = "OUTPUT"  # the tab of a scene with only its name above the panels
RETRY = 0.1  # seconds
TAB_NAME = "MeshClash"
"""Name of the sidebar's tab."""


def view3d_areas(context: bpy.types.Context) -> Iterator[tuple[bpy.types.Window, bpy.types.Screen, bpy.types.Area]]:
    """Yield each 3D view with its screen and a window for operators: the one that shows it, or else the first."""
    windows = list(context.window_manager.windows)
    shown = [window.screen for window in windows]
    hidden = [(windows[0], screen) for screen in context.blend_data.screens if windows and screen not in shown]
    for window, screen in [*zip(windows, shown, strict=True), *hidden]:
        yield from ((window, screen, area) for area in screen.areas if area.type == "VIEW_3D")


def become_results(area: bpy.types.Area, scene: bpy.types.Scene) -> None:
    """Turn an area into a list of results: a Properties editor with one tab and no header.

    The options of this area are saved with the file and identify the list later. Blender versions before 5.0 have no
    options for tabs, and the scene is pinned instead.
    """
    area.ui_type = "PROPERTIES"
    space: Any = area.spaces.active
    tabs = _tabs(space)
    for name in tabs:
        setattr(space, name, name == TABS + TAB.lower())
    if not tabs:
        space.pin_id, space.use_pin_id = scene, True
    space.show_region_header = False
    if _choose_tab() is not None:
        bpy.app.timers.register(_choose_tab, first_interval=RETRY)


def _choose_tab() -> float | None:
    """Choose the tab of lists of results; before Blender 5.0, an editor has no tabs until it is drawn."""
    areas = (area for window in bpy.context.window_manager.windows for area in window.screen.areas)
    try:
        for space in (area.spaces.active for area in areas):
            if _is_marked(space):
                space.context = TAB
    except TypeError:
        return RETRY
    return None


def shows_results(space: Any) -> bool:
    """Return whether a space is a list of results, not a Properties editor of the user."""
    return _is_marked(space) and space.context == TAB


def _is_marked(space: Any) -> bool:
    """Return whether a space has the options of a list of results."""
    if space is None or space.type != "PROPERTIES" or space.show_region_header:
        return False
    tabs = _tabs(space)
    return not any(getattr(space, name) for name in tabs if name != TABS + TAB.lower()) if tabs else space.use_pin_id


def _tabs(space: Any) -> list[str]:
    return [name for name in space.bl_rna.properties.keys() if name.startswith(TABS)]  # noqa: SIM118 - no dictionary


def result_areas(context: bpy.types.Context) -> Iterator[tuple[bpy.types.Window, bpy.types.Area]]:
    """Yield the lists of results in the windows."""
    for window in context.window_manager.windows:
        yield from ((window, area) for area in window.screen.areas if shows_results(area.spaces.active))


def largest_view(context: bpy.types.Context) -> tuple[bpy.types.Window, bpy.types.Area] | None:
    """Return the largest 3D view in the windows of the context's scene, and its window, or None."""
    windows = [window for window in context.window_manager.windows if window.scene == context.scene]
    views = [(window, area) for window in windows for area in window.screen.areas if area.type == "VIEW_3D"]
    return max(views, key=lambda view: view[1].width * view[1].height, default=None)
