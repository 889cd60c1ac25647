"""Animation curves of objects, for Blender versions with and without layered actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
from meshclash.clash.errors import InputError
from meshclash.messages import Sentence


def bake_property(item: bpy.types.Object, name: str, values: Mapping[int, float], description: str) -> None:
    """Create a custom property of an object and animate it; an earlier curve of the property is removed.

    Args:
        item: the object.
        name: name of the property.
        values: values by frame.
        description: description of the property.

    Raises:
        InputError: the object's action cannot be changed.
    """
    path = f'["{bpy.utils.escape_identifier(name)}"]'
    _remove_curve(item, path)
    item[name] = next(iter(values.values()))
    item.id_properties_ui(name).update(description=description)
    for frame, value in values.items():
        item[name] = value
        if not item.keyframe_insert(path, frame=frame):
            raise InputError(
                Sentence("'{name}' cannot be animated: its action is locked or linked from a library", name=item.name)
            )
    curve = curve_of(item, path)
    if curve is not None:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
        curve.update()


def curve_of(item: bpy.types.Object, path: str) -> Any:
    """Return the curve of a property, or None."""
    found = _curves(item)
    return None if found is None else next((curve for curve in found if curve.data_path == path), None)


def _remove_curve(item: bpy.types.Object, path: str) -> None:
    curve = curve_of(item, path)
    if curve is not None:
        _curves(item).remove(curve)


def _curves(item: bpy.types.Object) -> Any:
    """Return the collection of curves that animate an object, or None."""
    data = item.animation_data
    action = None if data is None else data.action
    if action is None:
        return None
    if bpy.app.version < (4, 4, 0):
        return action.fcurves
    if data.action_slot is None:
        return None
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(data.action_slot)
            if bag is not None:
                return bag.fcurves
    return None
