"""The 3D views of the open file: those in windows, and those of workspaces that no window shows now."""

from __future__ import annotations

from collections.abc import Iterator

import bpy


def view3d_areas(context: bpy.types.Context) -> Iterator[tuple[bpy.types.Window, bpy.types.Screen, bpy.types.Area]]:
    """Each 3D view with its screen and a window for operators: the one that shows it, or else the first."""
    windows = list(context.window_manager.windows)
    shown = [window.screen for window in windows]
    hidden = [(windows[0], screen) for screen in context.blend_data.screens if windows and screen not in shown]
    for window, screen in [*zip(windows, shown, strict=True), *hidden]:
        yield from ((window, screen, area) for area in screen.areas if area.type == "VIEW_3D")
