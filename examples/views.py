"""How an example looks when its file is opened: everything in view, nothing cut off by the clip distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
from mathutils import Vector

FROM = Vector((0.7, -1.0, 0.6))  # three quarters from the front, from above
DISTANCE = 1.5  # of the eye, in diagonals of what is looked at, through Blender's lens of 50 mm
NEAREST, FARTHEST = 1e-3, 10.0  # clip distances in diagonals


def look_at_everything() -> None:
    """Turns every 3D view of the file to all objects with faces or points."""
    bpy.context.view_layer.update()
    items = [item for item in bpy.context.scene.objects if item.type in ("MESH", "POINTCLOUD")]
    corners = [item.matrix_world @ Vector(corner) for item in items for corner in item.bound_box]
    low, high = (Vector([pick(corner[k] for corner in corners) for k in range(3)]) for pick in (min, max))
    size = (high - low).length
    look((low + high) / 2 + DISTANCE * size * FROM.normalized(), (low + high) / 2, size)


def look(eye: Sequence[float], target: Sequence[float], size: float, lens: float = 50.0) -> None:
    """Puts the eye of every 3D view of the file somewhere.

    Args:
        eye, target: points of the world.
        size: of the scene, by which the clip distances are chosen.
        lens: focal length [mm].
    """
    line = Vector(target) - Vector(eye)
    for space in _views():
        space.clip_start, space.clip_end, space.lens = NEAREST * size, FARTHEST * size, lens
        view = space.region_3d
        view.view_perspective = "PERSP"
        view.view_location, view.view_distance = Vector(target), line.length
        view.view_rotation = line.to_track_quat("-Z", "Y")


def _views() -> Iterator[bpy.types.SpaceView3D]:
    for screen in bpy.data.screens:
        for area in screen.areas:
            yield from (space for space in area.spaces if space.type == "VIEW_3D" and space.region_3d is not None)
