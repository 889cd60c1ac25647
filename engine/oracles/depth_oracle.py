"""The largest ball inside two solids between proved bounds, by branch and bound over signed distances.

f, how deep a point lies in both solids, changes by no more than the point moves: a cell of half diagonal r around c
holds no value above f(c) + r. Cells that could beat the best by more than a share are cut in eight, from cells of the
common box on. 64 climbs from the deepest cells then show what a search can find. Nothing here knows of contacts,
normals, widths or the engine's search; only the signed distances are the engine's, and have an oracle of their own
(``bench signed-distance``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from meshclash import Hierarchy, signed_distance

Depths = Callable[[np.ndarray], np.ndarray]
"""How deep points (n, 3) lie in both of two solids, (n,); below 0 outside one of them."""

STARTS = 64
TIGHT = 0.05
"""Cells are cut until none can beat the best by more than this share of it."""
MOST_QUERIES = 50_000
_STEPS = 12  # of a climb
_LEAST_CELL = 1e-9  # of the common box; balls of the size of roundings are not looked for
_EIGHT = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


@dataclass(frozen=True)
class LargestBall:
    """Diameters [m]: of the largest ball that was found, of that the climbs found, and what none exceeds."""

    found: float
    climbed: float
    most: float
    queries: int


def depths_in(a: Hierarchy, b: Hierarchy, pose: np.ndarray) -> Depths:
    """How deep points lie in a, and in b in a pose (4, 4)."""
    return lambda points: -np.maximum(signed_distance(a, points).distance, signed_distance(b, points, pose).distance)


def largest_ball(depths: Depths, low: np.ndarray, high: np.ndarray, rng: np.random.Generator) -> LargestBall:
    """The largest ball with a centre in a box (3,), (3,) that holds the common volume."""
    half = float((high - low).max()) / 4
    counts = np.maximum(1, np.ceil((high - low) / (2 * half))).astype(int)
    cells = low + (2 * np.argwhere(np.ones(counts)) + 1) * half
    best, queries, most = 0.0, 0, 0.0
    deepest, values = np.empty((0, 3)), np.empty(0)
    while len(cells):
        found = depths(cells)
        queries += len(cells)
        best = max(best, float(found.max()))
        deepest, values = np.concatenate([deepest, cells]), np.concatenate([values, found])
        chosen = np.argsort(-values, kind="stable")[:STARTS]
        deepest, values = deepest[chosen], values[chosen]
        bounds = found + half * np.sqrt(3.0)
        left = bounds > (1 + TIGHT) * best
        if queries > MOST_QUERIES or half < _LEAST_CELL * (high - low).max():
            most = float(bounds[left].max(initial=0.0))
            break
        cells = (cells[left][:, None] + 0.5 * half * _EIGHT).reshape(-1, 3)
        half *= 0.5
    climbed = _climbed(depths, deepest[values > 0.0], values[values > 0.0], rng)
    best = max(best, climbed)
    return LargestBall(2 * best, 2 * climbed, 2 * max(most, (1 + TIGHT) * best), queries)


def _climbed(depths: Depths, points: np.ndarray, values: np.ndarray, rng: np.random.Generator) -> float:
    """The largest of the depths that steps from some points lead to, each along the axes of random frames."""
    if not len(points):
        return 0.0
    steps = 0.25 * values
    for _ in range(_STEPS):
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tried = points[:, None] + steps[:, None, None] * np.concatenate([frame, -frame])
        found = depths(tried.reshape(-1, 3)).reshape(len(points), 6)
        choice, rows = found.argmax(axis=1), np.arange(len(points))
        gains = found[rows, choice] > values
        points = np.where(gains[:, None], tried[rows, choice], points)
        values = np.where(gains, found[rows, choice], values)
        steps = np.where(gains, steps, 0.5 * steps)
    return float(values.max())
