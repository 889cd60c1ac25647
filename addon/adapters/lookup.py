"""Keys for Blender's data that stay valid when the data itself is freed: undo and file loading free it."""

from __future__ import annotations

import bpy

ObjectKey = tuple[str, str | None]


def object_key(item: bpy.types.Object) -> ObjectKey:
    """Name and library of an original object."""
    return item.name, item.library.filepath if item.library else None


def find_object(key: ObjectKey) -> bpy.types.Object | None:
    """The object of a key, or None when it is gone."""
    name, library = key
    return bpy.data.objects.get(name) if library is None else bpy.data.objects.get((name, library))
