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


def object_named(name: str) -> bpy.types.Object | None:
    """The object with that full name, which says its library; None where there is none."""
    item = bpy.data.objects.get(name)
    if item is not None or not name.endswith("]"):
        return item
    return next((other for other in bpy.data.objects if other.name_full == name), None)


def scene_with(uid: int) -> bpy.types.Scene | None:
    """The scene of a session uid; None where it is gone."""
    return next((scene for scene in bpy.data.scenes if scene.session_uid == uid), None)
