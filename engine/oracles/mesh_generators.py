"""Closed meshes of any number of triangles, made with a seed: smooth, noisy, and with long thin triangles.

Each maker takes the number of triangles wished for and a seed, and returns vertices (n, 3) float64, which are float32
values as in files of models, and triangles (m, 3) int32 with m near that number. Sizes are about one metre.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]


def bumpy_sphere(count: int, seed: int = 1) -> Mesh:
    """A sphere with smooth bumps, its triangles of even size."""
    directions, triangles = _cube_sphere(count)
    return _as_stored(directions * (1.0 + 0.25 * _waves(directions, seed, frequency=4.0, octaves=1))), triangles


def scan(count: int, seed: int = 1) -> Mesh:
    """A flattened body with folds of every size and the noise of a scanner, its triangles uneven."""
    directions, triangles = _cube_sphere(count)
    rng = np.random.default_rng(seed)
    edge = np.sqrt(8.0 * np.pi / len(triangles))
    body = directions * (1.0 + 0.5 * _waves(directions, seed, frequency=2.0, octaves=5))
    body = body * (1.0, 0.7, 0.45) + rng.normal(scale=0.12 * edge, size=directions.shape)
    return _as_stored(body), triangles


def machined_part(count: int, seed: int = 1) -> Mesh:
    """A toothed ring with fillets: long triangles across flat faces, small ones in the fillets, steps at the teeth."""
    fillet = max(1, round(np.sqrt(count / 8.0) / 8.0))
    profile, outer = _filleted_profile(fillet)
    around = max(3, round(count / (2 * len(profile))))
    angle = np.arange(around) * (2.0 * np.pi / around)
    teeth = 12 + seed % 8
    raised = (angle * teeth / (2.0 * np.pi)) % 1.0 < 0.5
    radius = profile[:, 0] + np.outer(raised, 0.08 * outer)
    vertices = np.stack(
        [radius * np.cos(angle)[:, None], radius * np.sin(angle)[:, None], np.tile(profile[:, 1], (around, 1))], axis=-1
    )
    index = np.arange(around * len(profile), dtype=np.int32).reshape(around, -1)
    beside, above = np.roll(index, -1, axis=0), np.roll(index, -1, axis=1)
    across = np.roll(beside, -1, axis=1)
    triangles = np.concatenate([np.stack([index, beside, across], -1), np.stack([index, across, above], -1)])
    return _as_stored(vertices.reshape(-1, 3)), triangles.reshape(-1, 3)


MAKERS: dict[str, Callable[[int, int], Mesh]] = {"bumpy": bumpy_sphere, "part": machined_part, "scan": scan}


def _as_stored(vertices: np.ndarray) -> np.ndarray:
    return vertices.astype(np.float32).astype(np.float64)


def _cube_sphere(count: int) -> Mesh:
    """Unit vectors and triangles of a cube's grid blown up to a sphere: 12 k**2 triangles."""
    k = max(1, round(np.sqrt(count / 12.0)))
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(k), np.arange(k), indexing="ij"))
    squares = np.stack([[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]])  # (corner, axis, square)
    corners = []
    for axis in range(3):
        for side in (0, k):
            place = np.full((4, 3, k * k), side)
            place[:, (axis + 1) % 3], place[:, (axis + 2) % 3] = squares[:, 0], squares[:, 1]
            corners.append(place if side else place[::-1])  # outward on both sides of the cube
    places = np.concatenate(corners, axis=2).transpose(2, 0, 1)  # (square, corner, axis)
    keys, index = np.unique(places @ np.array([(k + 1) ** 2, k + 1, 1]), return_inverse=True)
    index = index.reshape(-1, 4).astype(np.int32)
    grid = np.stack([keys // (k + 1) ** 2, keys // (k + 1) % (k + 1), keys % (k + 1)], axis=1)
    points = np.tan((grid * (2.0 / k) - 1.0) * (np.pi / 4))
    directions = points / np.linalg.norm(points, axis=1, keepdims=True)
    return directions, np.concatenate([index[:, [0, 1, 2]], index[:, [0, 2, 3]]])


def _waves(directions: np.ndarray, seed: int, frequency: float, octaves: int) -> np.ndarray:
    """A sum of waves in random directions, each octave twice as fine and half as high; about -1 to 1."""
    rng = np.random.default_rng(seed)
    height = np.zeros((len(directions), 1))
    for octave in range(octaves):
        for _ in range(6):
            wave = rng.normal(size=3) * frequency * 2.0**octave
            phase = rng.uniform(0.0, 2.0 * np.pi)
            height[:, 0] += np.sin(directions @ wave + phase) * 0.5**octave / 6.0
    return height


def _filleted_profile(fillet: int) -> tuple[np.ndarray, np.ndarray]:
    """An L-shaped section in (r, z), counter-clockwise, and which of its points lie on the toothed rim."""
    corners = np.array(
        [[0.5, -0.1], [1.0, -0.1], [1.0, 0.1], [0.7, 0.1], [0.7, 0.4], [0.6, 0.4], [0.6, 0.1], [0.5, 0.1]]
    )
    size = 0.02
    points = []
    for before, corner, after in zip(np.roll(corners, 1, 0), corners, np.roll(corners, -1, 0), strict=True):
        start = corner + size * (before - corner) / np.linalg.norm(before - corner)
        end = corner + size * (after - corner) / np.linalg.norm(after - corner)
        t = np.linspace(0.0, 1.0, fillet + 1)[:-1, None] if fillet > 1 else np.array([[0.5]])
        points.append((1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * end)
    profile = np.concatenate(points)
    return profile, (profile[:, 0] > 0.9).astype(np.float64)
