"""Pictures to look at, on the dark and the light theme: list, tooltip, large faces, ghosts, heat map, volumes, labels.

Of the scenes that `--scene NAME=FILE` names, else of the plant room and the gearbox.
"""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from . import scenes

Play = Generator[float, None, None]
LIGHT = "Blender_Light.xml"
NOISE = 0.002  # of the size of a part: how far the points of its scan lie beside it
MOST_POINTS = 20_000
SHARE_NEAR = 0.02  # of the scene's size: the tolerance of clearances
TOOLTIP = 2.5  # seconds until a tooltip stands
OWN = "own-"  # before the names of scenes that the command line gives


def play(window: Any) -> Play:
    """Plays the scenario."""
    given = {name.removeprefix(OWN): path for name, path in window.arguments.items() if name.startswith(OWN)}
    width = 400
    for name, path in (given or {name: window.arguments[name] for name in ("gearbox", "room")}).items():
        bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)
        yield 1.0
        yield from window.open_tab(width)
        width = 0  # it stays as it is
        size = _fitted(window)
        yield from _pair(window, name)
        yield from _labels(window, name, size)
        yield from _volumes(window, name)
        yield from _heat_map(window, name)


def both(window: Any, name: str) -> Play:
    """A picture on each theme."""
    yield from window.show(f"{name}_dark")
    (preset,) = [path for folder in bpy.utils.preset_paths("interface_theme") for path in Path(folder).glob(LIGHT)][:1]
    with window.context():
        bpy.ops.script.execute_preset(filepath=str(preset), menu_idname="USERPREF_MT_interface_theme_presets")
    yield 0.5
    yield from window.show(f"{name}_light")
    with window.context():
        bpy.ops.preferences.reset_default_theme()
    yield 0.5


def _fitted(window: Any) -> float:
    """All of the scene in view; returns its size."""
    corners = [item.matrix_world @ Vector(corner) for item in _meshes() for corner in item.bound_box]
    size = float(np.linalg.norm(np.ptp(np.array(corners), axis=0)))
    scenes.show_all(window, clip=(1e-4 * size, 20.0 * size))
    _beside_the_sidebar(window)
    return size


def _beside_the_sidebar(window: Any) -> None:
    """Moves the view so that its subject is in the middle of what the sidebar leaves."""
    view, shift = window.area().spaces.active.region_3d, window.module("view")._beside_panels(window.area())
    view.view_location += view.view_rotation @ Vector((shift, 0.0, 0.0))


def _meshes() -> list[Any]:
    return [item for item in bpy.context.view_layer.objects if item.type == "MESH"]


def _done(window: Any, operator: str, **options: Any) -> Play:
    """Runs an operator that works in the background, to its end."""
    kind, name = operator.split(".")
    with window.context():
        getattr(getattr(bpy.ops, kind), name)("INVOKE_DEFAULT", **options)
    yield from window.wait_for(lambda: not window.busy(), f"the end of {operator}", 600)
    yield 0.5


def _pair(window: Any, name: str) -> Play:
    """The list, its tooltip, the worst pair of large faces alone and among ghosts."""
    yield from _done(window, "meshclash.detect")
    yield from both(window, f"{name}_list")
    if bpy.context.window_manager.meshclash.found == 0:
        return
    bpy.context.preferences.view.show_tooltips = True
    yield from window.find_button("meshclash.pick_row", across=0.2)
    yield TOOLTIP
    window.picture(f"{name}_tooltip")
    window.move(*window.view_centre)
    yield TOOLTIP
    bpy.context.preferences.view.show_tooltips = False
    listed = bpy.context.window_manager.meshclash
    result = window.module("scene_results").result_of(bpy.context.scene.session_uid)
    clashes = [row for row in result.report.rows if row.verdict == "clash"]
    few = min(clashes or result.report.rows, key=lambda row: row.a.count + row.b.count)
    with window.context():
        listed.around = "ISOLATE"
        window.module("results").select_pair(bpy.context, few.id)
    yield 0.5
    yield from both(window, f"{name}_isolated")
    with window.context():
        listed.around = "GHOST"
    yield 0.5
    yield from both(window, f"{name}_ghosts")
    with window.context():
        listed.around = "ALL"
        window.module("results").select_pair(bpy.context, None)
    _fitted(window)


def _labels(window: Any, name: str, size: float) -> Play:
    """The lengths of all narrow gaps."""
    settings = bpy.context.scene.meshclash
    settings.test, settings.tolerance = "clearance", SHARE_NEAR * size
    yield from _done(window, "meshclash.detect")
    yield from both(window, f"{name}_gaps")
    settings.test = "intersection"
    bpy.ops.meshclash.clear_results()


def _volumes(window: Any, name: str) -> Play:
    """The hierarchy of the part of most faces."""
    part = max(_meshes(), key=lambda item: len(item.data.polygons))
    bpy.context.scene.meshclash.hierarchy_volume = "obb"
    bpy.context.scene.meshclash.hierarchy_level = 4
    bpy.context.view_layer.objects.active = part
    yield from _done(window, "meshclash.show_hierarchy")
    _alone(window, part)
    yield from both(window, f"{name}_hierarchy")
    with window.context():
        bpy.ops.meshclash.hide_hierarchy()
    for item in bpy.context.view_layer.objects:
        item.hide_set(False)


def _alone(window: Any, part: Any, *others: Any) -> None:
    """One part fills the view, all else is hidden."""
    for item in bpy.context.view_layer.objects:
        item.hide_set(item not in (part, *others))
        item.select_set(item == part)
    with window.context():
        bpy.ops.view3d.view_selected(use_all_regions=False)
        bpy.ops.object.select_all(action="DESELECT")
    _beside_the_sidebar(window)


def _heat_map(window: Any, name: str) -> Play:
    """What the points of a part, moved a little, deviate from it."""
    part = max(_meshes(), key=lambda item: len(item.data.vertices))
    places = np.empty(3 * len(part.data.vertices), np.float32)
    part.data.vertices.foreach_get("co", places)
    places = places.reshape(-1, 3)[:: 1 + len(part.data.vertices) // MOST_POINTS]
    size = float(np.linalg.norm(np.ptp(places, axis=0)))
    places = places + np.random.default_rng(16).normal(0.0, NOISE * size, places.shape)
    mesh = bpy.data.meshes.new("Scan")
    mesh.from_pydata(places.tolist(), [], [])
    scan = bpy.data.objects.new("Scan", mesh)
    scan.matrix_world = part.matrix_world
    bpy.context.scene.collection.objects.link(scan)
    settings = bpy.context.scene.meshclash
    settings.set_a, settings.set_a_object = "OBJECT", scan
    settings.set_b, settings.set_b_object = "OBJECT", part
    yield 0.5
    yield from _done(window, "meshclash.measure_deviation")
    _alone(window, part, scan)
    yield from both(window, f"{name}_heat_map")
