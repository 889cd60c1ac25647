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


def building(storeys: int = 3) -> None:
    """Columns that stand 20 mm deep in the slab of their storey, and pipes through its walls, in two collections."""
    empty()
    structure, services = (bpy.data.collections.new(name) for name in ("Structure", "Services"))
    for collection in (structure, services):
        bpy.context.scene.collection.children.link(collection)
    for z in (3.0 * storey for storey in range(storeys)):
        _box("Slab 30", structure, (6.0, 4.5, z - 0.15), (12.6, 9.6, 0.3))
        for k in range(12):
            _box("Column d=30", structure, (1.5 + 3.0 * (k % 4), 1.5 + 3.0 * (k // 4), z + 1.3), (0.3, 0.3, 2.64))
        for y in (0.5, 8.5):
            _box("Wall 24", structure, (6.0, y, z + 1.3), (10.0, 0.24, 2.6))
        for x in (3.0, 6.0, 9.0):
            _box("Pipe DN100", services, (x, 4.5, z + 2.2), (0.1, 8.6, 0.1))


def _box(name: str, collection: Any, middle: tuple[float, ...], size: tuple[float, ...]) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=middle)
    box = bpy.context.object
    box.name, box.scale = name, size
    bpy.context.collection.objects.unlink(box)
    collection.objects.link(box)


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
