"""Welding with a tolerance: merge vertices that are close to each other, so that parts with cracks between them are
connected.

Nearness is not transitive. So each vertex is replaced by the nearest representative found so far, if it is within the
tolerance; otherwise the vertex becomes a representative itself. No vertex moves farther than the tolerance, even in a
long chain of near vertices.
"""

import math

import numpy as np

from ..jit import inner, kernel

_FINEST = 2.0**-40
"""Minimum size of a cell, as a fraction of the size of a piece, so that cell numbers are exact integers."""
_PRIMES = 73856093, 19349663, 83492791


@inner
def _slot(x, y, z, count):
    return (x * _PRIMES[0] ^ y * _PRIMES[1] ^ z * _PRIMES[2]) & (count - 1)


@inner
def _nearest(vertices, i, x, y, z, most, heads, nexts):
    """Return the nearest representative in the grid cells around a vertex whose squared distance is at most
    ``most``.
    """
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
    """Find a representative vertex within a tolerance for each vertex, and the largest distance between a vertex and
    its representative.

    Args:
        vertices: (n, 3) float64 [m], all different; the result depends on their order.
        tolerance: [m], above 0.

    Returns:
        (index of the representative of each vertex (n,) int32, largest distance [m], rounded up).
    """
    low = vertices.min(axis=0)
    cell = max(tolerance, _FINEST * float(np.ptp(vertices, axis=0).max()), math.ulp(0.0) * 2.0**60)
    heads = np.full(1 << max(4, len(vertices).bit_length()), -1, np.int32)
    nexts, stands = np.full(len(vertices), -1, np.int32), np.empty(len(vertices), np.int32)
    _weld(vertices, low, cell, tolerance * tolerance, heads, nexts, stands)
    moved = vertices - vertices[stands]
    way = float(np.sqrt((moved * moved).sum(axis=1)).max())
    return stands, math.nextafter(way * (1.0 + 2.0**-48), math.inf) if way > 0.0 else 0.0
