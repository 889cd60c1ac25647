"""Blocks of eight triangles against eight, every pair meeting in nearly one point: what filters must not drop."""

from typing import NamedTuple

import numpy as np
from meshclash.types.pose import RIGID_TOLERANCE

SHAPES = ("fan", "coplanar", "grazing")


class Blocks(NamedTuple):
    """k blocks of each side, with poses; corners in the objects' frames."""

    corners_a: np.ndarray
    """(k, 8, 3, 3) float64."""
    corners_b: np.ndarray
    rows_a: np.ndarray
    """(k, 3, 4)."""
    rows_b: np.ndarray


def posed(rows, corners):
    """World coordinates (k, ..., 3), operation by operation as the engine defines them."""
    x, y, z = np.moveaxis(corners, -1, 0)
    extra = (1,) * (corners.ndim - 2)
    r = [[rows[:, i, j].reshape(-1, *extra) for j in range(4)] for i in range(3)]
    return np.stack([r[i][0] * x + r[i][1] * y + r[i][2] * z + r[i][3] for i in range(3)], axis=-1)


def _poses(rng, count, shift):
    rows = np.empty((count, 3, 4))
    turns = np.linalg.qr(rng.normal(size=(min(count, 200), 3, 3)))[0]
    turns = (turns * np.sign(np.linalg.det(turns))[:, None, None])[np.arange(count) % 200]
    rows[:, :, :3] = turns @ (np.eye(3) + rng.uniform(-0.2, 0.2, (count, 3, 3)) * RIGID_TOLERANCE)
    rows[:, :, 3] = rng.normal(size=(count, 3)) * shift
    return rows


def _powers(rng, low, high, shape):
    return 10.0 ** rng.uniform(low, high, shape)


def _weights(rng, count):
    """Barycentric weights (count, 8, 3) of a point that is a corner, on an edge or inside, in any order of corners."""
    weights = rng.dirichlet((1, 1, 1), (count, 8))
    kind = rng.integers(0, 3, (count, 8))
    weights[kind == 0] = (1.0, 0.0, 0.0)
    weights[kind == 1, 2] = 0.0
    return weights / weights.sum(axis=-1, keepdims=True)


def _around(rng, count, size, flat, one_sided):
    """Offsets (count, 8, 3, 3) of corners from a point of each triangle; ``flat``: (count,), all in the plane z = 0."""
    weights = _weights(rng, count)
    offsets = rng.normal(size=(count, 8, 3, 3)) * _powers(rng, -7, 0, (count, 8, 3, 1)) ** rng.integers(
        0, 2, (count, 8, 3, 1)
    )
    offsets[flat, ..., 2] = 0.0
    centre = (weights[..., None] * offsets).sum(axis=-2, keepdims=True)
    offsets -= centre
    touching = weights > 0.0
    heights = np.where(touching, 0.0, np.abs(offsets[..., 2]))
    offsets[one_sided, ..., 2] = heights[one_sided]
    turned = rng.integers(0, 3, (count, 8))[..., None]
    offsets = np.take_along_axis(offsets, ((np.arange(3) + turned) % 3)[..., None], axis=2)
    return offsets * size[:, None, None, None]


def near_contacts(seed: int, count: int) -> Blocks:
    """Blocks whose triangles all reach one point: in general position, in one plane, or one side on the other's plane.

    Sizes of triangles, distances from the objects' and the world's origins, slenderness, and noise between nothing and
    some roundings of float32 all vary by many powers of ten.
    """
    rng = np.random.default_rng(seed)
    size = _powers(rng, -4, 4, count)
    reach = size * _powers(rng, 0, 5, count)
    shift = reach[:, None] * _powers(rng, -3, 6, (count, 1))
    rows_a, rows_b = _poses(rng, count, shift), _poses(rng, count, shift)
    shape = rng.integers(0, 3, count)
    offsets_a = _around(rng, count, size, shape > 0, np.zeros(count, bool))
    offsets_b = _around(rng, count, size * _powers(rng, -2, 2, count), shape == 1, shape == 2)
    turn = _poses(rng, count, 0.0)[:, None, None, :, :3]
    meeting = rng.normal(size=(count, 3)) * reach[:, None]
    centre = posed(rows_a, meeting)[:, None, None]
    noise = rng.choice([0.0, 1e-16, 1e-8, 1e-7, 1e-6, 1e-5], (count, 1, 1, 1)) * reach[:, None, None, None]
    sides = []
    for rows, offsets in ((rows_a, offsets_a), (rows_b, offsets_b)):
        world = centre + (turn @ offsets[..., None])[..., 0] + rng.normal(size=offsets.shape) * noise
        inverse = np.linalg.inv(rows[:, :, :3])[:, None, None]
        sides.append((inverse @ (world - rows[:, None, None, :, 3])[..., None])[..., 0])
    return Blocks(sides[0], sides[1], rows_a, rows_b)
