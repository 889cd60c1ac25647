"""Read `depsgraph.updates`: find objects that moved or changed shape among all other updates."""

from __future__ import annotations

import bpy

from ..core.changes import Changes
from .objects import has_shape


def changes_of(depsgraph: bpy.types.Depsgraph) -> Changes:
    """Return what the last evaluation changed.

    An object without any flag was renamed. Other operations on objects appear as an update of the scene: hiding and
    selecting as an update of the scene only, linking and deleting together with an update of a collection. A
    collection alone is updated if it is instanced and an object in it moves.
    """
    changes = Changes()
    collections = False
    for update in depsgraph.updates:
        data = update.id
        if isinstance(data, bpy.types.Object):
            _note_object(changes, update)
        elif isinstance(data, bpy.types.Scene):
            changes.visible = True
        elif isinstance(data, bpy.types.Collection):
            collections = True
    changes.structure |= changes.visible and collections
    return changes


def _note_object(changes: Changes, update: bpy.types.DepsgraphUpdate) -> None:
    # Only originals have a session uid.
    uid, geometry, transform = update.id.original.session_uid, update.is_updated_geometry, update.is_updated_transform
    renamed = not (geometry or transform or update.is_updated_shading)
    if geometry:
        changes.deformed.add(uid)
    if transform or renamed:
        changes.moved.add(uid)
    if (geometry or transform) and has_shape(update.id):
        changes.names.add(update.id.name_full)
    changes.structure |= renamed
