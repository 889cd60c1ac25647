"""Check whether objects are unchanged since a result was computed, as often after an undo or in Edit Mode."""

from __future__ import annotations

from collections.abc import Collection

import bpy
import numpy as np
from meshclash.clash.fingerprints import (
    Fingerprint,
    Seen,
    fingerprint_steps,
    plain_places,
    plain_shapes,
    shape_steps,
)
from meshclash.clash.frame_scene import FrameScene
from meshclash.types.steps import run_to_end

from .enumeration import Enumeration, Wanted, read_object
from .massive_objects import massive_path
from .objects import SELECTION, has_shape, outside_of_views, resolve_set
from .point_reader import is_scan, read_points
from .shell_objects import is_shell

PLAIN_TYPES = ("MESH", "POINTCLOUD")


def unchanged(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, seen: Seen, names: Collection[str]
) -> frozenset[str]:
    """Return the objects that are unchanged, or that were tested neither at the time of the result nor now.

    Objects with their own mesh are read one by one. The whole graph is walked only if instances or converted curves
    are among them; even then only their meshes are read.

    Args:
        scene: the scene.
        view_layer: a layer of the scene that a window shows.
        seen: the former state of the objects.
        names: full names of objects, which may be gone.

    Raises:
        InputError: an object cannot be read, or a set is gone.
    """
    view_layer.update()
    depsgraph = view_layer.depsgraph
    present = {item.name_full: item for item in scene.objects if item is not None}
    same: set[str] = set()
    others: set[str] = set()
    with outside_of_views():
        for name in names:
            known, item = seen.objects.get(name), present.get(name)
            if known is None and (item is None or not has_shape(item)):
                same.add(name)
            elif known is None or not known.plain or (item is not None and not _is_plain(item)):
                others.add(name)
            elif item is not None and item.visible_get(view_layer=view_layer) and _is_as_before(item, known, depsgraph):
                same.add(name)
    if others:
        now = _walked(scene, view_layer, seen, others)
        same |= {name for name in others if now.get(name) == seen.objects.get(name)}
    return frozenset(same)


def _is_plain(item: bpy.types.Object) -> bool:
    """Return whether an object yields only its own mesh or points, without instances."""
    return item.type in PLAIN_TYPES and not item.is_instancer and not massive_path(item)


def _is_as_before(item: bpy.types.Object, known: Fingerprint, depsgraph: bpy.types.Depsgraph) -> bool:
    """Return whether a plain object has the matrix and mesh of the earlier result; reads the mesh only if the matrix
    agrees.
    """
    evaluated = item.evaluated_get(depsgraph)
    if plain_places(np.array(evaluated.matrix_world, np.float64)) != known.places:
        return False
    is_points = is_scan(evaluated.data) and item.mode != "EDIT"  # in Edit Mode evaluated data has no positions
    shape = read_points(evaluated.data, item.name_full) if is_points else read_object(item, evaluated)
    return shape is not None and plain_shapes(run_to_end(shape_steps(shape)), is_shell(item)) == known.shapes


def _walked(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, seen: Seen, names: Collection[str]
) -> dict[str, Fingerprint]:
    """Compute the fingerprints of some objects by a walk over the whole dependency graph."""
    result = FrameScene(scene.frame_current)
    set_a, set_b = (_set(expression, scene, view_layer, seen) for expression in (seen.set_a, seen.set_b))
    enumeration = Enumeration(scene, set_a, set_b, result)
    enumeration.run(view_layer.depsgraph)
    wanted = {item.mesh_key for item in result.objects if item.owner in names or item.source in names}
    for mesh_key in wanted & enumeration.waiting.keys():
        enumeration.read_waiting(mesh_key, view_layer.depsgraph)
    enumeration.finish()  # drops meshes that were not read
    return run_to_end(fingerprint_steps(result, names))


def _set(expression: str, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, seen: Seen) -> Wanted:
    """Evaluate a set; for a selection, use the selection at the time of the result."""
    return frozenset(seen.objects) if expression == SELECTION else resolve_set(expression, scene, view_layer)
