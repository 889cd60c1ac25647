"""Read `depsgraph.updates`: find objects that moved or changed shape among all other updates."""

from __future__ import annotations

import itertools

import bpy
import numpy as np

from ..core.changes import Changes
from .objects import has_shape

ONLY_MOVED = np.array([[False], [True], [False]])
"""Whether geometry, transform and shading are updated when an object does nothing but move."""


def changes_of(depsgraph: bpy.types.Depsgraph) -> Changes:
    """Return what the last evaluation changed.

    An object without any flag was renamed, or a driver changed one of its settings. Other operations on objects appear
    as an update of the scene. Hiding and selecting cause only this update; a new parent, mesh or instancer also causes
    updates of objects; linking and deleting also cause an update of a collection. A collection alone is updated if it
    is instanced and an object in it moves. Animated visibility appears as shading. So only updates that contain nothing
    but transforms leave the entries of the graph unchanged.
    """
    updates, changes = depsgraph.updates, Changes()
    flags = np.empty((3, len(updates)), np.bool_)
    for column, name in zip(flags, ("geometry", "transform", "shading"), strict=True):
        updates.foreach_get(f"is_updated_{name}", column)
    moved = (flags == ONLY_MOVED).all(axis=0)
    found = [update.id for update in updates]
    for data in itertools.compress(found, moved.tolist()):
        changes.transformed = True
        if isinstance(data, bpy.types.Object):
            name = changes.named[data.original.session_uid] = data.name_full
            if has_shape(data):
                changes.names.add(name)
    if not moved.all():
        _note_others(changes, found, flags, moved)
    return changes


def _note_others(changes: Changes, found: list[bpy.types.ID], flags: np.ndarray, moved: np.ndarray) -> None:
    """Add changes other than movements: changed data `found` with `flags`, for objects of which some have only
    `moved`.
    """
    kinds = set(map(type, found))
    scene = bpy.types.Scene in kinds
    changes.visible = True
    changes.structure = scene and bpy.types.Collection in kinds
    for data, (geometry, transform, shading), simple in zip(found, flags.T.tolist(), moved.tolist(), strict=True):
        if not isinstance(data, bpy.types.Object) or (simple and not scene):
            continue
        changes.named[_uid(data)] = data.name_full
        renamed = not (geometry or transform or shading)
        if geometry:
            changes.deformed.add(_uid(data))
        if renamed or (transform and scene):
            changes.moved.add(_uid(data))
        if (geometry or transform) and has_shape(data):
            changes.names.add(data.name_full)
        changes.transformed |= transform
        changes.structure |= renamed


def _uid(item: bpy.types.Object) -> int:
    """Return the session uid; only originals have one."""
    return item.original.session_uid
