"""Keys for Blender data that stay valid when undo or loading a file frees the data."""

from __future__ import annotations

import bpy

ObjectKey = tuple[str, str | None]


def object_key(item: bpy.types.Object) -> ObjectKey:
    """Return the name and library of an original object."""
    return item.name, item.library.filepath if item.library else None


def find_object(key: ObjectKey) -> bpy.types.Object | None:
    """Return the object of a key, or None if it is gone."""
    name, library = key
    return bpy.data.objects.get(name) if library is None else bpy.data.objects.get((name, library))


def object_named(name: str) -> bpy.types.Object | None:
    """Return the object with a full name, which includes its library; None if there is none."""
    item = bpy.data.objects.get(name)
    if item is not None or not name.endswith("]"):
        return item
    return next((other for other in bpy.data.objects if other.name_full == name), None)


def scene_with(uid: int) -> bpy.types.Scene | None:
    """Return the scene with a session uid; None if it is gone."""
    return next((scene for scene in bpy.data.scenes if scene.session_uid == uid), None)
