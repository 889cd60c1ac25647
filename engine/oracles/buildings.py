"""A made building of tens of thousands of elements, whose pairs are known by construction.

A bay of the building has five elements: a slab, a column and a wall between slabs, a pipe through the wall, and a
sleeve inside the slab. Slabs lie side by side, so they touch their neighbours in faces and edges. All coordinates are
multiples of 1/64 m, so nothing hangs on rounding.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from meshclash.types.verdict import CLASH, CONTAINED, TOUCHING

from .mesh_exactness import CUBE_CORNERS, CUBE_TRIANGLES

PARTS = 5  # elements of a bay
_BAY, _STOREY = 4.0, 3.0  # [m]
_SIDES = 16  # of a pipe

Arrays = tuple[np.ndarray, np.ndarray]


def bays(count: int) -> tuple[int, int, int]:
    """Bays along x and y, and storeys, of a building of about so many elements."""
    total = max(1, round(count / PARTS))
    storeys = max(1, round(total ** (1 / 3)))
    along = max(1, round(math.sqrt(total / storeys)))
    return max(1, round(total / storeys / along)), along, storeys


def elements(shape: tuple[int, int, int]) -> list[Arrays]:
    """Vertices (n, 3) [m] and triangles (m, 3) of all elements in the world, bay by bay."""
    parts = (
        _box((0, 0, 0), (_BAY, _BAY, 0.25)),
        _box((0.5, 0.5, 0.25), (1, 1, _STOREY)),
        _box((1.5, 0.5, 0.25), (3.5, 0.75, _STOREY)),
        _pipe(0.125, 0.25, 3.75, (2.5, 1.5)),
        _box((2, 2, 0.0625), (2.125, 2.125, 0.1875)),
    )
    shifts = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3)
    return [(vertices + shift, triangles) for shift in shifts * (_BAY, _BAY, _STOREY) for vertices, triangles in parts]


def expected_verdicts(shape: tuple[int, int, int]) -> Counter[str]:
    """How many pairs of each verdict such a building has, beside those that are apart."""
    x, y, z = shape
    total = x * y * z
    slabs = z * ((x - 1) * y + x * (y - 1) + 2 * (x - 1) * (y - 1))
    upright = 2 * (total + x * y * (z - 1))  # columns and walls stand on their own slab and carry the next one
    return Counter({TOUCHING.name: slabs + upright, CLASH.name: total, CONTAINED.name: total})


def _box(low: tuple[float, ...], high: tuple[float, ...]) -> Arrays:
    return np.array(low) + CUBE_CORNERS * (np.array(high) - low), CUBE_TRIANGLES


def _pipe(radius: float, begin: float, end: float, centre: tuple[float, float]) -> Arrays:
    """A prism along y, its corners on a grid of 1/64 m."""
    turn = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    ring = np.round(64.0 * radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)) / 64.0 + centre
    vertices = np.concatenate([np.insert(ring, 1, y, axis=1) for y in (begin, end)])
    i = np.arange(_SIDES)
    j = (i + 1) % _SIDES
    sides = np.concatenate([np.stack([i, j, _SIDES + i], 1), np.stack([j, _SIDES + j, _SIDES + i], 1)])
    fan = np.stack([np.zeros(_SIDES - 2, int), i[2:], i[1:-1]], axis=1)
    return vertices, np.concatenate([sides, fan, _SIDES + fan[:, ::-1]])
