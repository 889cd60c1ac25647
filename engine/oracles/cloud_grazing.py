"""What the search misses of surfaces that just touch: beside Newton's method from every point nearby, by whole clouds.

Two copies of a cloud are moved apart in random directions until the search finds no contact; around that distance both
are asked. The oracle knows neither leaves nor patches, and tries thousands of starts where the search tries two.
"""

from __future__ import annotations

import numpy as np
from meshclash import collides
from meshclash.clouds import PointCloud
from meshclash.lab import cloud_collision

from . import Row
from .cloud_sweep import Shape, random_way

OFFSETS = (-0.4, -0.2, -0.1, -0.05, -0.02, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Distances asked about, in sampling radii, from the largest one at which the search finds a contact."""

_STARTS = 4000
_JITTER = 0.7  # in sampling radii
_STEPS = 15
_LONGEST = 0.5
_TOLERANCE = 1e-4
_LEAST_SINE2 = 1e-3


def grazing_row(shape: Shape, directions: int) -> Row:
    """Counts over some directions of a shape."""
    touching = missed = evaluations = asked = 0
    for direction in range(directions):
        rng = np.random.default_rng([direction, len(shape.name)])
        for pose in _poses(shape.cloud, rng):
            found = cloud_collision(shape.cloud, shape.cloud, None, pose)
            touch = found.colliding or newton_meets(shape.cloud, pose, rng)
            asked += 1
            touching += touch
            missed += touch and not found.colliding
            evaluations += found.stats.exact_tests
    return {
        "shape": shape.name,
        "poses": asked,
        "surfaces touch": touching,
        "missed": missed,
        "evaluations": evaluations / asked,
    }


def _poses(cloud: PointCloud, rng: np.random.Generator) -> list[np.ndarray]:
    pose = random_way(rng)
    coarse = np.linspace(0.2, 2.5, 24)
    hits = [k for k, d in enumerate(coarse) if collides(cloud, cloud, None, pose(d))]
    near, far = coarse[max(hits, default=0)], coarse[min(max(hits, default=0) + 1, len(coarse) - 1)]
    while far - near > 1e-4 * cloud.sampling_radius:
        middle = 0.5 * (near + far)
        hit = collides(cloud, cloud, None, pose(middle))
        near, far = (middle, far) if hit else (near, middle)
    return [pose(near + offset * cloud.sampling_radius) for offset in OFFSETS]


def newton_meets(cloud: PointCloud, pose: np.ndarray, rng: np.random.Generator) -> bool:
    """Whether Newton's method onto both surfaces ends on a common point from any of the points within a horizon."""
    from scipy.spatial import cKDTree

    radius, points = cloud.sampling_radius, cloud.points
    moved = points @ pose[:3, :3].T + pose[:3, 3]
    near = [
        mine[cKDTree(other).query(mine, distance_upper_bound=cloud.horizon)[0] < np.inf]
        for mine, other in ((points, moved), (moved, points))
    ]
    start = np.concatenate(near)
    if len(start) > _STARTS:
        start = start[rng.choice(len(start), _STARTS, replace=False)]
    at = np.concatenate([start, start + _JITTER * radius * rng.normal(size=start.shape)])
    for _ in range(_STEPS):
        if not len(at):
            break
        at, rest = _newton_step(cloud, pose, at)
        if len(rest) and rest.min() <= _TOLERANCE * radius:
            return True
    return False


def _newton_step(cloud: PointCloud, pose: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points where both surfaces are, moved; and how far they were from the farther of the two."""
    f_a, n_a, there_a = cloud.evaluate(at)
    f_b, n_b, there_b = cloud.evaluate((at - pose[:3, 3]) @ pose[:3, :3])
    n_b = n_b @ pose[:3, :3].T
    cosine = (n_a * n_b).sum(axis=1)
    sine2 = np.maximum(1.0 - cosine * cosine, _LEAST_SINE2)
    step = ((f_a - cosine * f_b) / sine2)[:, None] * n_a + ((f_b - cosine * f_a) / sine2)[:, None] * n_b
    length = np.linalg.norm(step, axis=1)
    step *= np.minimum(1.0, _LONGEST * cloud.sampling_radius / np.maximum(length, 1e-300))[:, None]
    there = there_a & there_b
    return (at + step)[there], np.maximum(np.abs(f_a), np.abs(f_b))[there]
