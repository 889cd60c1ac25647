"""How near two clouds' surfaces come to a common point, by brute force: what `clouds` says of poses that it misses.

No hierarchy of pairs, no leaves and no root search: both functions are evaluated on a grid over everything that is near
both clouds, each from all the points of its cloud, and the grid refined where both may vanish.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from meshclash.clouds import PointCloud

COARSEST, FINEST = 0.4, 0.01
"""Widths of the first and the last cells, in sampling radii."""

_STEEPEST = 1.5  # f changes by about the way along its normal, less along others; this leaves room
_BLOCK = 0.5  # edge of the blocks in which the first cells are made, in horizons
_BLOCKS_AT_ONCE = 256


class Approach(NamedTuple):
    """What the grid says, lengths in sampling radii."""

    nearest: float
    """The least max(|f_A|, |f_B|) seen where both surfaces are; infinite where they never are together."""
    apart: bool
    """Whether no cell is left in which both functions may vanish."""
    points: int
    """Points at which they were evaluated."""


def closest_approach(
    cloud: PointCloud,
    pose: np.ndarray,
    other: PointCloud | None = None,
    coarsest: float = COARSEST,
    finest: float = FINEST,
) -> Approach:
    """Of a cloud and another one, or its own copy, in a pose (4, 4); lengths are those of the finer one.

    Cells whose centre says that neither function can vanish in them are left out, the others halved, from one width
    down to another. A cell whose centre has no surface is kept beside one where both functions may vanish.
    """
    other = cloud if other is None else other
    radius = min(cloud.sampling_radius, other.sampling_radius)
    width, cells = _first_cells(cloud, other, pose, coarsest * radius)
    best, count = np.inf, 0
    while len(cells) and width >= finest * radius:
        values = _farther_surface(cloud, other, pose, cells)
        count += len(cells)
        best = min(best, float(values.min()))
        cells = cells[_may_vanish(cells, values, width)]
        width *= 0.5
        cells = (cells[:, None] + (_lattice(range(2)) - 0.5) * width).reshape(-1, 3)
    return Approach(best / radius, len(cells) == 0, count)


def _may_vanish(cells: np.ndarray, values: np.ndarray, width: float) -> np.ndarray:
    """Which cells both functions may vanish in: by the values at their centres, or next to such a one, (k,) bool."""
    from scipy.spatial import cKDTree

    kept = values <= _STEEPEST * 0.5 * 3.0**0.5 * width
    unknown = np.flatnonzero(np.isinf(values))
    if kept.any() and len(unknown):
        kept[unknown] = cKDTree(cells[kept]).query(cells[unknown], distance_upper_bound=1.8 * width)[0] < np.inf
    return kept


def _first_cells(cloud: PointCloud, other: PointCloud, pose: np.ndarray, coarsest: float) -> tuple[float, np.ndarray]:
    """Width, at most ``coarsest`` [m], and centres of cells over everything within the horizon of both clouds."""
    from scipy.spatial import cKDTree

    points, horizon = cloud.points, cloud.horizon
    sides = (cKDTree(points), horizon), (cKDTree(other.points @ pose[:3, :3].T + pose[:3, 3]), other.horizon)
    near = points[sides[1][0].query(points, distance_upper_bound=horizon + other.horizon)[0] < np.inf]
    edge = _BLOCK * horizon
    along = max(1, int(np.ceil(edge / coarsest)))
    offsets = (_lattice(range(along)) + 0.5) * (edge / along)
    found = [np.empty((0, 3))]
    blocks = _blocks_around(near, edge)
    for begin in range(0, len(blocks), _BLOCKS_AT_ONCE):
        at = (blocks[begin : begin + _BLOCKS_AT_ONCE, None] * edge + offsets).reshape(-1, 3)
        for side, reach in sides:
            at = at[side.query(at, distance_upper_bound=reach)[0] < np.inf] if len(at) else at
        found.append(at)
    return edge / along, np.concatenate(found)


def _farther_surface(cloud: PointCloud, other: PointCloud, pose: np.ndarray, at: np.ndarray) -> np.ndarray:
    """max(|f_A|, |f_B|) at points (k, 3), infinite where one of the surfaces is not."""
    f_a, _, there_a = cloud.evaluate(at)
    f_b, _, there_b = other.evaluate((at - pose[:3, 3]) @ pose[:3, :3])
    return np.where(there_a & there_b, np.maximum(np.abs(f_a), np.abs(f_b)), np.inf)


def _lattice(numbers: range) -> np.ndarray:
    return np.stack(np.meshgrid(numbers, numbers, numbers, indexing="ij"), axis=-1).reshape(-1, 3).astype(float)


def _blocks_around(points: np.ndarray, edge: float) -> np.ndarray:
    """Corners, in edges, of all blocks within a horizon of points (k, 3)."""
    reach = int(np.ceil(1.0 / _BLOCK))
    own = np.unique(np.floor(points / edge), axis=0)
    return np.unique((own[:, None] + _lattice(range(-reach, reach + 1))).reshape(-1, 3), axis=0)
