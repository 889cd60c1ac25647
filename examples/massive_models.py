"""Models of any number of triangles for the massive examples, made band by band, so that none is held in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

DENTS = 0.03
"""Depth of the dents of a ball of radius 1, and of the ground."""
GROUND = 3.0
"""Half the width of the ground [m]."""


def ball(triangles: int, radius: float = 1.0) -> Iterator[np.ndarray]:
    """A ball with dents: between (1 - DENTS) times the radius and the radius everywhere; corners (n, 3, 3)."""
    down = max(4, math.isqrt(triangles // 4))
    around = np.linspace(0.0, 2.0 * math.pi, 2 * down + 1)
    around[-1] = 0.0  # the seam is closed
    yield from _bands(down, lambda row: _ring(row / down, around, radius))


def ground(triangles: int) -> Iterator[np.ndarray]:
    """A square with dents around the origin: z between -DENTS and 0 everywhere; corners (n, 3, 3)."""
    side = max(4, math.isqrt(triangles // 2))
    x = np.linspace(-GROUND, GROUND, side + 1)

    def row(number: int) -> np.ndarray:
        y = np.full(len(x), x[number])
        dents = 0.5 * (1.0 + np.sin(9.0 * x) * np.cos(7.0 * y))
        return np.stack([x, y, -DENTS * dents], axis=1)

    yield from _bands(side, row)


def _ring(share: float, around: np.ndarray, radius: float) -> np.ndarray:
    """Points of a ball at a share of the way from pole to pole, (n, 3)."""
    angle = math.pi * share
    sine = math.sin(angle) if 0.0 < share < 1.0 else 0.0
    # The corners of a triangle lie on a ball, but its middle within: half the dents are left for that.
    size = radius * (1.0 - 0.5 * DENTS * 0.5 * (1.0 + np.sin(11.0 * around) * sine * math.cos(8.0 * angle)))
    return size[:, None] * np.stack(
        [sine * np.cos(around), sine * np.sin(around), np.full(len(around), math.cos(angle))], axis=1
    )


def _bands(count: int, row: Callable[[int], np.ndarray]) -> Iterator[np.ndarray]:
    above = row(0)
    for number in range(count):
        below = row(number + 1)
        a, b, c, d = above[:-1], above[1:], below[1:], below[:-1]
        yield np.concatenate([np.stack([a, d, c], axis=1), np.stack([a, c, b], axis=1)])
        above = below
