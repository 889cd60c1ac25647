"""Estimate the size of a scene quickly, for default lengths."""

from __future__ import annotations

import time

import bpy
import numpy as np
from meshclash.clash.units import UNITS, usual_clearance

from .objects import SHAPELESS
from .source import metres_per_unit

MOST = 500  # objects that are sampled, evenly chosen
PAUSE = 1.0  # seconds between two checks of the number of objects

_known: dict[int, tuple[float, tuple[object, ...], float]] = {}
"""Cache by the scene's session uid: time of the last check, the data on which the length depends, and the length."""


def default_clearance(scene: bpy.types.Scene) -> float:
    """Return the default clearance of a scene [Blender units].

    The length is computed again when the number of objects or the units change, not when objects move.
    """
    units, now = scene.unit_settings, time.perf_counter()
    asked = units.system, units.scale_length, units.length_unit
    looked, known, value = _known.get(scene.session_uid, (0.0, (), 0.0))
    if known[1:] == asked and now - looked < PAUSE:
        return value
    key = (len(scene.objects), *asked)
    if known != key:
        scale = metres_per_unit(scene)
        value = usual_clearance(scale * size_of(scene), shown_unit(units)) / scale
    _known[scene.session_uid] = now, key, value
    return value


def size_of(scene: bpy.types.Scene) -> float:
    """Return the diagonal of the scene's bounding box [Blender units], from a sample of many objects; 0 if empty."""
    items = [item for item in scene.objects if item is not None and item.type not in SHAPELESS]
    corners = [_corners(item) for item in items[:: 1 + len(items) // MOST]]
    points = np.concatenate(corners) if corners else np.empty((0, 3))
    points = points[np.isfinite(points).all(axis=1)]
    return float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0


def _corners(item: bpy.types.Object) -> np.ndarray:
    """Return the corners of an object's bounding box in world coordinates, (8, 3)."""
    matrix = np.array(item.matrix_world)
    return np.array(item.bound_box) @ matrix[:3, :3].T + matrix[:3, 3]


def shown_unit(units: bpy.types.UnitSettings) -> float:
    """Return the unit in which Blender shows lengths [m]."""
    if units.system == "NONE":
        return 1.0
    usual = UNITS["FEET"] if units.system == "IMPERIAL" else UNITS["METERS"]
    return UNITS.get(units.length_unit, usual)[0]
