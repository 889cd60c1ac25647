"""Ghosting: make everything in a 3D view transparent except the selected pair, which the overlay draws solid.

Blender's X-Ray makes the ghosts, for any number of objects at no cost, without changing objects or materials. The
changed settings of the view are stored and restored.
"""

from __future__ import annotations

from collections.abc import Mapping

import bpy

from . import shown_things
from .screens import view3d_areas

ALPHA = 0.22  # opacity of ghosts
SHADINGS = ("WIREFRAME", "SOLID", "MATERIAL", "RENDERED")
GHOSTED = {"type": "SOLID", "show_xray": True, "xray_alpha": ALPHA}
"""Settings of a view's shading. The order matters: X-Ray is an option of solid shading."""


def enter(area: bpy.types.Area) -> None:
    """Make everything in a 3D view transparent."""
    shading, views = area.spaces.active.shading, shown_things.ghosted_views()
    if area.as_pointer() in views:
        return
    before: dict[str, object] = {"type": shading.type}
    for name, value in GHOSTED.items():
        before.setdefault(name, getattr(shading, name))
        setattr(shading, name, value)
    views[area.as_pointer()] = before


def is_ghosted(area: bpy.types.Area | None) -> bool:
    """Return whether a view shows ghosts."""
    return area is not None and area.as_pointer() in shown_things.ghosted_views()


def leave(context: bpy.types.Context) -> None:
    """Restore the views; changes by the user in the meantime are kept."""
    views = shown_things.ghosted_views()
    for _window, _screen, area in view3d_areas(context):
        before = views.get(area.as_pointer(), {})
        shading = area.spaces.active.shading
        for name in reversed(GHOSTED):
            if name in before and _same(getattr(shading, name), GHOSTED[name]):
                setattr(shading, name, before[name])
    views.clear()


def is_shading(before: Mapping[str, object]) -> bool:
    """Return whether values are valid settings as stored by `enter`."""
    known = before.keys() <= GHOSTED.keys() and before.get("type", "SOLID") in SHADINGS
    return known and all(isinstance(value, type(GHOSTED[name])) for name, value in before.items())


def suspend(context: bpy.types.Context) -> None:
    """Restore the views until `resume`, while a file is saved."""
    ghosted = tuple(shown_things.ghosted_views())
    leave(context)
    shown_things.suspend_ghosts(ghosted)


def resume(context: bpy.types.Context) -> None:
    """Make the views transparent again after `suspend`."""
    suspended = shown_things.suspended_ghosts()
    shown_things.suspend_ghosts(())
    for _window, _screen, area in view3d_areas(context):
        if area.as_pointer() in suspended:
            enter(area)


def _same(value: object, other: object) -> bool:
    return abs(value - other) < 1e-6 if isinstance(value, float) and isinstance(other, float) else value == other
