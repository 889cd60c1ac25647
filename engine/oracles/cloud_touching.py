"""How deep surfaces must overlap, or how far apart they must be, for two clouds to be answered as their meshes are.

Two clouds of one mesh, from different random points, come together in random directions, turned at random, until the
meshes touch for the first time: mostly with a tip, a corner or an edge, where a smooth surface is least like a mesh.
From there they are moved on, or back, by parts of the sampling radius.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from meshclash import TriangleMesh, collides, distance
from meshclash.clouds import PointCloud

from . import Row
from .cloud_shapes import sample
from .cloud_sweep import Shape, random_way

OFFSETS = (-2.0, -1.0, -0.5, -0.2, -0.1, 0.1, 0.2, 0.5, 1.0)
"""Moves in sampling radii from where the meshes touch first; negative ones let them overlap."""

_FAR = 4.0
_TOUCHING = 1e-7


def touching_row(shape: Shape, directions: int) -> Row:
    """Answers that differ from the meshes', of so many directions, for each offset."""
    vertices, triangles = shape.mesh.vertices, shape.mesh.triangles
    other = PointCloud(sample((vertices, triangles), len(shape.points), seed=2))
    wrong = np.zeros(len(OFFSETS), np.int64)
    for direction in range(directions):
        pose_at = random_way(np.random.default_rng([direction, len(shape.name)]))
        touch = _first_touch(shape.mesh, pose_at)
        for k, offset in enumerate(OFFSETS):
            pose = pose_at(touch + offset * shape.cloud.sampling_radius)
            wrong[k] += collides(shape.cloud, other, None, pose) != collides(shape.mesh, shape.mesh, None, pose)
    row: Row = {"shape": shape.name, "directions": directions}
    return row | {f"{offset:+g}": int(count) for offset, count in zip(OFFSETS, wrong, strict=True)}


def _first_touch(mesh: TriangleMesh, pose_at: Callable[[float], np.ndarray]) -> float:
    """Length at which a mesh and its copy first touch, coming from afar by their distance at a time."""
    length = _FAR
    while (gap := distance(mesh, mesh, None, pose_at(length)).distance) > _TOUCHING and length > 0.0:
        length -= gap
    return length
