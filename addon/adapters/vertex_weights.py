"""Write vertex groups, and shape keys with animation curves."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from meshclash.clash.errors import InputError
from meshclash.messages import Sentence
from numpy.typing import NDArray

GROUP, KEY = "MeshClash Heat", "MeshClash Corrective"
BASIS = "Basis"
FADE = 3
"""Number of frames over which a shape key fades in and out."""


def write_group(item: bpy.types.Object, warmth: NDArray[np.float32]) -> None:
    """Create the vertex group of an object: each vertex gets the greatest weight of its faces.

    Args:
        item: a mesh object.
        warmth: weights of faces, 0 to 1; faces beyond the end have 0.
    """
    mesh = item.data
    corners, vertices = np.empty(len(mesh.polygons), np.int32), np.empty(len(mesh.loops), np.int32)
    mesh.polygons.foreach_get("loop_total", corners)
    mesh.loops.foreach_get("vertex_index", vertices)
    of_faces = np.zeros(len(mesh.polygons), np.float32)
    of_faces[: len(warmth)] = warmth
    weights = np.zeros(len(mesh.vertices), np.float32)
    np.maximum.at(weights, vertices, np.repeat(of_faces, corners))
    remove_group(item)
    group = item.vertex_groups.new(name=GROUP)
    for vertex in np.flatnonzero(weights).tolist():
        group.add([vertex], float(weights[vertex]), "REPLACE")


def remove_group(item: bpy.types.Object) -> bool:
    """Remove the vertex group; return whether there was one."""
    group = item.vertex_groups.get(GROUP)
    if group is not None:
        item.vertex_groups.remove(group)
    return group is not None


def vertices_to_move(item: bpy.types.Object) -> NDArray[np.float64]:
    """Return the vertices of an object's mesh without modifiers, (n, 3).

    Raises:
        InputError: the mesh is in a library, or other objects use it, too.
    """
    mesh = item.data
    if not mesh.is_editable:
        raise InputError(Sentence("'{name}' is linked from a library: a shape key cannot be added", name=item.name))
    if sum(other.data == mesh for other in bpy.data.objects) > 1:
        raise InputError(
            Sentence("'{name}' shares its mesh with other objects: make it single-user first", name=item.name)
        )
    values = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", values)
    return values.reshape(-1, 3).astype(np.float64)


def write_key(item: bpy.types.Object, places: NDArray[np.float64], frames: Iterable[tuple[int, int]]) -> str:
    """Add a shape key to an object, which fades in and out around ranges of frames; return its name.

    Args:
        item: a mesh object.
        places: vertices at the full strength of the key, (n, 3).
        frames: first and last frame of each range.
    """
    if item.data.shape_keys is None:
        item.shape_key_add(name=BASIS, from_mix=False)
    key = item.shape_key_add(name=KEY, from_mix=False)
    key.data.foreach_set("co", places.astype(np.float32).ravel())
    for frame, value in keyed(frames):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    return str(key.name)


def keyed(frames: Iterable[tuple[int, int]]) -> list[tuple[int, float]]:
    """Return frames and values of a curve that is 1 inside ranges of frames, and 0 outside them."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(frames):
        if joined and first - FADE <= joined[-1][1] + FADE:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    ends = ((first - FADE, first, last, last + FADE) for first, last in joined)
    return [pair for four in ends for pair in dict(zip(four, (0.0, 1.0, 1.0, 0.0), strict=True)).items()]
