"""How near two clouds' surfaces come to a common point, by brute force: what `clouds` says of poses that it misses.

No hierarchy of pairs, no leaves and no root search: both functions are evaluated on a grid over everything that is near
both clouds, each from all the points of its cloud.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import PointCloud

STEP = 0.2
"""Width of the grid's cells, in sampling radii."""

_BLOCK = 0.5  # edge of the blocks in which the grid is looked at, in horizons
_BLOCKS_AT_ONCE = 256


class Approach(NamedTuple):
    """What the grid says, lengths in sampling radii."""

    nearest: float
    """The least max(|f_A|, |f_B|) where both surfaces are; infinite where they never are together."""
    half_diagonal: float
    """How far a point can be from the nearest grid point. No common point is left if ``nearest`` is larger, since f
    changes by about the way along its normal, and by less along others."""
    points: int
    """Points of the grid."""


def closest_approach(cloud: PointCloud, pose: np.ndarray, step: float = STEP) -> Approach:
    """Of a cloud and its own copy in a pose (4, 4)."""
    from scipy.spatial import cKDTree

    radius, horizon = cloud.sampling_radius, cloud.horizon
    points = cloud.points
    moved = points @ pose[:3, :3].T + pose[:3, 3]
    tree, other = cKDTree(points), cKDTree(moved)
    near = points[other.query(points, distance_upper_bound=2.0 * horizon)[0] < np.inf]
    edge = _BLOCK * horizon
    along = max(1, int(np.ceil(edge / (step * radius))))
    offsets = (_lattice(range(along)) + 0.5) * (edge / along)
    best, count = np.inf, 0
    blocks = _blocks_around(near, edge)
    for begin in range(0, len(blocks), _BLOCKS_AT_ONCE):
        at = (blocks[begin : begin + _BLOCKS_AT_ONCE, None] * edge + offsets).reshape(-1, 3)
        for side in (tree, other):
            at = at[side.query(at, distance_upper_bound=horizon)[0] < np.inf] if len(at) else at
        count += len(at)
        if len(at):
            best = min(best, _least(cloud, pose, at))
    return Approach(best / radius, 0.5 * 3.0**0.5 * edge / along / radius, count)


def _least(cloud: PointCloud, pose: np.ndarray, at: np.ndarray) -> float:
    f_a, _, there_a = cloud.evaluate(at)
    f_b, _, there_b = cloud.evaluate((at - pose[:3, 3]) @ pose[:3, :3])
    both = np.maximum(np.abs(f_a), np.abs(f_b))[there_a & there_b]
    return float(both.min()) if len(both) else np.inf


def _lattice(numbers: range) -> np.ndarray:
    return np.stack(np.meshgrid(numbers, numbers, numbers, indexing="ij"), axis=-1).reshape(-1, 3).astype(float)


def _blocks_around(points: np.ndarray, edge: float) -> np.ndarray:
    """Corners, in edges, of all blocks within a horizon of points (k, 3)."""
    reach = int(np.ceil(1.0 / _BLOCK))
    own = np.unique(np.floor(points / edge), axis=0)
    return np.unique((own[:, None] + _lattice(range(-reach, reach + 1))).reshape(-1, 3), axis=0)
