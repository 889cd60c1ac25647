"""Scenes that the scenarios work on."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy


def empty() -> None:
    """No objects."""
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)


def two_heads(distance: float = 1.2) -> None:
    """Two monkey heads with some thousands of triangles, `distance` metres from each other, in front of the view."""
    empty()
    for name, x in (("Left", 0.0), ("Right", distance)):
        bpy.ops.mesh.primitive_monkey_add(location=(x, 0.0, 0.0))
        item = bpy.context.object
        item.name = name
        item.modifiers.new("Smooth", "SUBSURF").levels = 2


def open_gearbox(window: Any) -> Generator[float, None, None]:
    """The example assembly of 106 parts, a millimetre to a unit, all of it in view."""
    yield from open_example(window, "gearbox")


def open_example(window: Any, name: str) -> Generator[float, None, None]:
    """An example in millimetres, all of it in view."""
    bpy.ops.wm.open_mainfile(filepath=window.arguments[name], load_ui=False)
    yield 1.0
    show_all(window, clip=(1.0, 20000.0))
    yield 0.5


def show_all(window: Any, clip: tuple[float, float] = (0.01, 1000.0)) -> None:
    """Brings all meshes into view."""
    space = window.area().spaces.active
    space.clip_start, space.clip_end = clip
    for item in bpy.context.view_layer.objects:
        item.select_set(item.type == "MESH")
    with window.context():
        bpy.ops.view3d.view_selected(use_all_regions=False)
        bpy.ops.object.select_all(action="DESELECT")
