"""Welding with a tolerance: vertices near each other become one, so that parts with cracks between them are joined.

To be near is not transitive. So each vertex takes the place of the nearest one that stands for others already, if that
is within the tolerance, and else stands for itself: none moves farther than the tolerance, however long a chain is.
"""

import math

import numpy as np

from ..jit import inner, kernel

_FINEST = 2.0**-40
"""Of the size of a piece, that cells have at least: their numbers are whole ones."""
_PRIMES = 73856093, 19349663, 83492791


@inner
def _slot(x, y, z, count):
    return (x * _PRIMES[0] ^ y * _PRIMES[1] ^ z * _PRIMES[2]) & (count - 1)


@inner
def _nearest(vertices, i, x, y, z, most, heads, nexts):
    """The nearest of those that stand for others, in the cells around one, no farther than the root of ``most``."""
    found = np.int32(-1)
    for k in range(27):
        slot = _slot(x + k // 9 - 1, y + k // 3 % 3 - 1, z + k % 3 - 1, heads.shape[0])
        other = heads[slot]
        while other >= 0:
            dx = vertices[other, 0] - vertices[i, 0]
            dy = vertices[other, 1] - vertices[i, 1]
            dz = vertices[other, 2] - vertices[i, 2]
            way = dx * dx + dy * dy + dz * dz
            if way < most or (way == most and found < 0):
                most, found = way, other
            other = nexts[other]
    return found


@kernel
def _weld(vertices, low, cell, most, heads, nexts, stands):
    for i in range(vertices.shape[0]):
        x = np.int64(np.floor((vertices[i, 0] - low[0]) / cell))
        y = np.int64(np.floor((vertices[i, 1] - low[1]) / cell))
        z = np.int64(np.floor((vertices[i, 2] - low[2]) / cell))
        stands[i] = _nearest(vertices, i, x, y, z, most, heads, nexts)
        if stands[i] < 0:
            slot = _slot(x, y, z, heads.shape[0])
            stands[i] = i
            nexts[i] = heads[slot]
            heads[slot] = i


def welded(vertices: np.ndarray, tolerance: float) -> tuple[np.ndarray, float]:
    """Which vertex stands for each within a tolerance, and how far any is from that.

    Args:
        vertices: (n, 3) float64 [m], all different; the answer depends on their order.
        tolerance: [m], more than 0.

    Returns:
        The numbers of those that stand for each, (n,) int32, and the farthest way [m], rounded up.
    """
    low = vertices.min(axis=0)
    cell = max(tolerance, _FINEST * float(np.ptp(vertices, axis=0).max()), math.ulp(0.0) * 2.0**60)
    heads = np.full(1 << max(4, len(vertices).bit_length()), -1, np.int32)
    nexts, stands = np.full(len(vertices), -1, np.int32), np.empty(len(vertices), np.int32)
    _weld(vertices, low, cell, tolerance * tolerance, heads, nexts, stands)
    moved = vertices - vertices[stands]
    way = float(np.sqrt((moved * moved).sum(axis=1)).max())
    return stands, math.nextafter(way * (1.0 + 2.0**-48), math.inf) if way > 0.0 else 0.0
