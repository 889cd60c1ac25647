"""Meshes of many kinds, so that stated probabilities are not those of a few: full and empty boxes, open, flat, torn."""

from __future__ import annotations

import numpy as np

from .mesh_generators import Mesh, bumpy_sphere
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
    vertices, triangles = _cube(count)
    return vertices * (1.0, rng.uniform(0.3, 1.0), rng.uniform(0.1, 1.0)), triangles


def clusters(count: int, seed: int = 1) -> Mesh:
    """A few bodies far apart."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(2, 7))
    bodies = [bumpy_sphere(max(24, count // number), int(rng.integers(1 << 30))) for _ in range(number)]
    sizes = rng.uniform(0.08, 0.4, number)
    return _together(
        [(size * body + rng.uniform(-1.0, 1.0, 3), faces) for size, (body, faces) in zip(sizes, bodies, strict=True)]
    )


def scaffold(count: int, seed: int = 1) -> Mesh:
    """Thin bars along the axes."""
    rng = np.random.default_rng(seed)
    number, thin = int(rng.integers(4, 30)), rng.uniform(0.01, 0.05)
    sides = np.full((number, 3), thin)
    sides[np.arange(number), rng.integers(3, size=number)] = rng.uniform(0.3, 1.0, number)
    return _boxes(count, rng.uniform(-1.0, 1.0, (number, 3)) * (1.0 - 0.9 * sides), sides)


def needles(count: int, seed: int = 1) -> Mesh:
    """Thin bars in all directions."""
    rng = np.random.default_rng(seed)
    number, thin = int(rng.integers(2, 20)), rng.uniform(0.005, 0.04)
    turns = np.linalg.qr(rng.normal(size=(number, 3, 3)))[0]
    cube, faces = _cube(max(12, count // number))
    bars = cube * np.stack([rng.uniform(0.3, 1.0, number), np.full(number, thin), np.full(number, thin)], 1)[:, None]
    return _together([(bar @ turn + rng.uniform(-0.5, 0.5, 3), faces) for bar, turn in zip(bars, turns, strict=True)])


def panels(count: int, seed: int = 1) -> Mesh:
    """Thin plates across the axes."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(2, 9))
    sides = rng.uniform(0.3, 1.0, (number, 3))
    sides[np.arange(number), rng.integers(3, size=number)] = rng.uniform(0.01, 0.05)
    return _boxes(count, rng.uniform(-1.0, 1.0, (number, 3)) * (1.0 - 0.9 * sides), sides)


def jack(count: int, seed: int = 1) -> Mesh:
    """Bars that cross in the middle, and knobs at some of their ends."""
    rng = np.random.default_rng(seed)
    thin = rng.uniform(0.02, 0.15)
    knobs = [sign * axis for axis in np.eye(3) for sign in (-1.0, 1.0) if rng.random() < 0.5]
    middles = np.concatenate([np.zeros((3, 3)), np.reshape(knobs, (-1, 3))])
    sides = np.concatenate([thin + np.eye(3), np.full((len(knobs), 3), rng.uniform(0.1, 0.35))])
    return _boxes(count, middles, sides)


def band(count: int, seed: int = 1) -> Mesh:
    """An open strip that closes to a ring, cylindrical to flat."""
    rng = np.random.default_rng(seed)
    wide, slope = rng.uniform(0.05, 0.5), rng.uniform(0.0, np.pi / 2)
    across = max(1, round(np.sqrt(count / 2.0 * wide / 6.0)))
    u, v = np.meshgrid(_turn(max(6, round(count / 2.0 / across))), np.linspace(-wide, wide, across + 1), indexing="ij")
    radius = 1.0 + v * np.cos(slope)
    return _over_grid(np.stack([radius * np.cos(u), radius * np.sin(u), v * np.sin(slope)], axis=-1), True, False)


def cup(count: int, seed: int = 1) -> Mesh:
    """A thin wall with two sides, open at one end."""
    rng = np.random.default_rng(seed)
    tall, wall = rng.uniform(0.3, 3.0), rng.uniform(0.01, 0.1)
    corners = np.array([[0, 0], [1, 0], [1, tall], [1 - wall, tall], [1 - wall, wall], [0, wall]])
    t = np.linspace(0.0, 5.0, max(6, round(np.sqrt(count / 2.0))))
    radius, height = (np.interp(t, np.arange(6), corners[:, k])[:, None] for k in range(2))
    angle = _turn(max(6, round(count / 2.0 / len(t))))
    rings = radius * np.cos(angle), radius * np.sin(angle), height + 0.0 * angle
    return _over_grid(np.stack(rings, axis=-1), False, True)


def shreds(count: int, seed: int = 1) -> Mesh:
    """Triangles at random: hardly any cell of a box holds much surface."""
    rng = np.random.default_rng(seed)
    middles = rng.uniform(-1.0, 1.0, (count, 1, 3))
    corners = middles + rng.normal(scale=1.5 / np.sqrt(count), size=(count, 3, 3))
    return corners.reshape(-1, 3), np.arange(3 * count, dtype=np.int32).reshape(-1, 3)


def _cube(count: int) -> Mesh:
    """A closed cube of side 2, its faces finely divided."""
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
    return np.concatenate(vertices), np.concatenate(triangles)


def _boxes(count: int, middles: np.ndarray, halves: np.ndarray) -> Mesh:
    """Boxes along the axes as one mesh; middles and halves of sides (n, 3)."""
    cube, faces = _cube(max(12, count // len(middles)))
    return _together([(middle + half * cube, faces) for middle, half in zip(middles, halves, strict=True)])


def _together(parts: list[Mesh]) -> Mesh:
    begins = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    triangles = [faces + begin for (_, faces), begin in zip(parts, begins, strict=False)]
    return np.concatenate([vertices for vertices, _ in parts]), np.concatenate(triangles).astype(np.int32)


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


SHAPES = {
    **MODELS, "torus": torus, "sheet": sheet, "coil": coil, "block": block, "shreds": shreds, "clusters": clusters,
    "scaffold": scaffold, "needles": needles, "panels": panels, "jack": jack, "band": band, "cup": cup,
}  # fmt: skip
"""The made meshes whose searches the fit sees."""
