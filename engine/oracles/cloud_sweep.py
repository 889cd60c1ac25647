"""The distance sweep of Klein and Zachmann (2004), section 6: shapes, poses, and answers beside those of the meshes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from meshclash import TriangleMesh, collides, distance
from meshclash.clouds import PointCloud
from meshclash.geometry.relative_pose import relative_rows
from meshclash.pointcloud.surface import MARGIN
from meshclash.volumes.aabb import overlap

from .cloud_shapes import sample

_CUT_OFF = 2.0  # sampling radii of a corner that a cloud's surface lacks, at most (docs/point-clouds.md)
_BEYOND = 0.5  # bandwidths that it reaches beyond a border, at most
DISTANCES = np.round(np.arange(0.6, 2.01, 0.1), 1)


class Query(NamedTuple):
    """One pose, with the reference's answer and ours."""

    distance: float
    pose: np.ndarray
    truth: bool
    answer: bool
    seconds: float


class Shape(NamedTuple):
    """A shape as the bench asks about it."""

    name: str
    kind: str
    mesh: TriangleMesh
    cloud: PointCloud
    points: np.ndarray


def prepare(name: str, kind: str, mesh, count: int) -> Shape:
    """The mesh of a shape, and a cloud of so many points of it."""
    points = sample(mesh, count, seed=1)
    return Shape(name, kind, TriangleMesh(*mesh), PointCloud(points), points)


def pose_at(distance: float, angle: float) -> np.ndarray:
    """Turned about z and moved along x, (4, 4)."""
    matrix = np.eye(4)
    matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    matrix[0, 3] = distance
    return matrix


def random_way(rng: np.random.Generator) -> Callable[[float], np.ndarray]:
    """Poses (4, 4) with one random rotation, some way along a random direction."""
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    rotation *= np.sign(np.linalg.det(rotation))
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)

    def pose_at(length: float) -> np.ndarray:
        matrix = np.eye(4)
        matrix[:3, :3] = rotation
        matrix[:3, 3] = length * way
        return matrix

    return pose_at


def roots_overlap(cloud: PointCloud, pose: np.ndarray) -> bool:
    """Whether the root boxes of a cloud and its copy in a pose overlap."""
    tree = cloud.built.tree
    reach = np.abs(cloud.bounds).max(axis=0)[None]
    origin = tree.origin[None]
    margin = 2.0 * float(tree.parameters[MARGIN])
    row = relative_rows(np.eye(4)[None, :3].copy(), pose[None, :3].copy(), origin, origin, reach, reach, margin)[0]
    return bool(overlap(tree.boxes[0], tree.boxes[0], row))


def sweep(shape: Shape, angles: int) -> list[Query]:
    """The poses of a shape whose root boxes overlap, so many turns at each distance, with both answers."""
    queries = []
    for way in DISTANCES:
        for k in range(angles):
            pose = pose_at(float(way), 2.0 * np.pi * (k + 0.5) / angles)
            if not roots_overlap(shape.cloud, pose):
                continue
            truth = bool(collides(shape.mesh, shape.mesh, None, pose))
            start = time.thread_time()
            answer = bool(collides(shape.cloud, shape.cloud, None, pose))
            queries.append(Query(float(way), pose, truth, answer, time.thread_time() - start))
    return queries


def within_resolution(shape: Shape, query: Query) -> bool:
    """Whether the meshes' own answer is another one within what a cloud of such points tells apart.

    Meshes that meet are parted by a move, along an axis or a diagonal, as long as a corner may be cut off; meshes that
    are apart are no farther so than a border may reach.
    """
    if not query.truth:
        return distance(shape.mesh, shape.mesh, None, query.pose).distance <= _BEYOND * shape.cloud.bandwidth
    for way in np.ndindex(3, 3, 3):
        moved = query.pose.copy()
        step = np.array(way) - 1.0
        moved[:3, 3] += step * (_CUT_OFF * shape.cloud.sampling_radius / max(np.linalg.norm(step), 1.0))
        if not collides(shape.mesh, shape.mesh, None, moved):
            return True
    return False
