"""Meshes of many kinds, so that stated probabilities are not those of a few: full and empty boxes, open, flat, torn."""

from __future__ import annotations

import numpy as np

from .mesh_generators import Mesh
from .pipes import MODELS


def torus(count: int, seed: int = 1) -> Mesh:
    """A torus of even thickness; about ``count`` triangles."""
    rng = np.random.default_rng(seed)
    around = max(3, round(np.sqrt(count / 6.0)))
    u, v = np.meshgrid(_turn(3 * around), _turn(around), indexing="ij")
    thickness = rng.uniform(0.1, 0.5)
    ring = 1.0 + thickness * np.cos(v)
    return _over_grid(np.stack([ring * np.cos(u), ring * np.sin(u), thickness * np.sin(v)], axis=-1), True, True)


def sheet(count: int, seed: int = 1) -> Mesh:
    """An open wavy surface."""
    rng = np.random.default_rng(seed)
    side = max(2, round(np.sqrt(count / 2.0)) + 1)
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, side), np.linspace(-1.0, 1.0, side), indexing="ij")
    waves = np.sin(5.0 * x + rng.uniform(0.0, 6.0)) * np.cos(4.0 * y + rng.uniform(0.0, 6.0))
    return _over_grid(np.stack([x, y, rng.uniform(0.05, 0.3) * waves], axis=-1), False, False)


def coil(count: int, seed: int = 1) -> Mesh:
    """An open tube around a helix."""
    rng = np.random.default_rng(seed)
    turns, thickness = rng.integers(3, 8), rng.uniform(0.02, 0.12)
    t = np.linspace(0.0, turns * 2.0 * np.pi, max(20, count // 12))
    outward = np.stack([np.cos(t), np.sin(t), np.zeros(len(t))], axis=1)
    middle = outward + np.stack([0.0 * t, 0.0 * t, t / (turns * np.pi) - 1.0], axis=1)
    angle = _turn(6)
    ring = np.cos(angle)[:, None] * outward[:, None] + np.sin(angle)[:, None] * np.array([0.0, 0.0, 1.0])
    return _over_grid(middle[:, None] + thickness * ring, False, True)


def block(count: int, seed: int = 1) -> Mesh:
    """A closed box with finely divided faces, of random proportions."""
    rng = np.random.default_rng(seed)
    side = max(1, round(np.sqrt(count / 12.0))) + 1
    steps = np.linspace(-1.0, 1.0, side)
    vertices, triangles = [], []
    for axis in range(3):
        for end in (-1.0, 1.0):
            place = np.full((side, side, 3), end)
            place[..., (axis + 1) % 3], place[..., (axis + 2) % 3] = np.meshgrid(steps, steps, indexing="ij")
            face = _over_grid(place if end > 0.0 else place[::-1], False, False)
            triangles.append(face[1] + len(vertices) * side * side)
            vertices.append(face[0])
    proportions = (1.0, rng.uniform(0.3, 1.0), rng.uniform(0.1, 1.0))
    return np.concatenate(vertices) * proportions, np.concatenate(triangles)


def shreds(count: int, seed: int = 1) -> Mesh:
    """Triangles at random: hardly any cell of a box holds much surface."""
    rng = np.random.default_rng(seed)
    middles = rng.uniform(-1.0, 1.0, (count, 1, 3))
    corners = middles + rng.normal(scale=1.5 / np.sqrt(count), size=(count, 3, 3))
    return corners.reshape(-1, 3), np.arange(3 * count, dtype=np.int32).reshape(-1, 3)


def _turn(steps: int) -> np.ndarray:
    return np.arange(steps) * (2.0 * np.pi / steps)


def _over_grid(points: np.ndarray, closed_u: bool, closed_v: bool) -> Mesh:
    """Two triangles for each square of a grid of points (n, m, 3), which may be closed either way."""
    index = np.arange(points.shape[0] * points.shape[1], dtype=np.int32).reshape(points.shape[:2])
    beside, above = np.roll(index, -1, axis=0), np.roll(index, -1, axis=1)
    across = np.roll(beside, -1, axis=1)
    inside = np.s_[: None if closed_u else -1, : None if closed_v else -1]
    squares = [(index, beside, across), (index, across, above)]
    triangles = [np.stack(corners, axis=-1)[inside].reshape(-1, 3) for corners in squares]
    return points.reshape(-1, 3), np.concatenate(triangles)


SHAPES = {**MODELS, "torus": torus, "sheet": sheet, "coil": coil, "block": block, "shreds": shreds}
"""The made meshes whose searches the fit sees."""
