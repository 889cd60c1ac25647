"""Bounding spheres: centre, radius. Rotating an object does not change the spheres, so a pose does not make them
looser.

Source: Hubbard, "Approximating polyhedra with spheres for time-critical collision detection" (1996), for the use of
spheres; Badoiu and Clarkson, "Smaller core-sets for balls" (2003), for the fit.
"""

import math

import numpy as np

from ...geometry.principal_axes import largest_size
from ...jit import portable
from ...volumes.rounding import round_up
from ...volumes.wires import rounded_outline

WIDTH = 4
"""Number of float32 values of a volume."""

_STEPS = 12
_ROUNDING = 16.0 * 2.0**-53


@portable
def _farthest(points, x, y, z):
    """Return (squared distance, index) of the point farthest from (x, y, z)."""
    best = -1.0
    index = 0
    for i in range(points.shape[0]):
        dx = points[i, 0] - x
        dy = points[i, 1] - y
        dz = points[i, 2] - z
        square = dx * dx + dy * dy + dz * dz
        if square > best:
            best = square
            index = i
    return best, index


@portable
def fit(points, volume):
    """Fit a small sphere around points (n, 3) float64: from the box's centre, with decreasing steps towards the
    farthest point.
    """
    low = np.empty(3)
    high = np.empty(3)
    for k in range(3):
        low[k] = points[:, k].min()
        high[k] = points[:, k].max()
    x, y, z = 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])
    least = math.inf
    for step in range(_STEPS):
        square, i = _farthest(points, x, y, z)
        if square < least:
            least = square
            volume[0], volume[1], volume[2] = x, y, z
        share = 1.0 / (step + 2.0)
        x += share * (points[i, 0] - x)
        y += share * (points[i, 1] - y)
        z += share * (points[i, 2] - z)
    square, i = _farthest(points, np.float64(volume[0]), np.float64(volume[1]), np.float64(volume[2]))
    radius = math.sqrt(square)
    volume[3] = round_up(radius + _ROUNDING * (radius + largest_size(points)))


@portable
def size(volume):
    """Return a measure that grows with the volume; traversals descend into the larger of two volumes first."""
    return volume[3]


@portable
def _middles_distance(a, b, m):
    bx, by, bz = np.float64(b[0]), np.float64(b[1]), np.float64(b[2])
    x = m[0] * bx + m[1] * by + m[2] * bz + m[9] - np.float64(a[0])
    y = m[3] * bx + m[4] * by + m[5] * bz + m[10] - np.float64(a[1])
    z = m[6] * bx + m[7] * by + m[8] * bz + m[11] - np.float64(a[2])
    return math.sqrt(x * x + y * y + z * z)


@portable
def overlap(a, b, relative):
    """Return whether two spheres may meet; b's is enlarged by the deviation of its pose from a rigid one."""
    reach = np.float64(a[3]) + np.float64(b[3]) * (1.0 + relative[30]) + relative[32]
    return _middles_distance(a, b, relative) <= reach


@portable
def gap(a, b, relative):
    """Return a lower bound [m] of the world distance between the contents of two spheres."""
    reach = np.float64(a[3]) + np.float64(b[3]) * (1.0 + relative[30]) + relative[32]
    return max(_middles_distance(a, b, relative) - reach, 0.0) * relative[31]


def contains(volume, x, y, z):
    """Return whether a sphere contains a point; exact for fractions."""
    return (x - volume[0]) ** 2 + (y - volume[1]) ** 2 + (z - volume[2]) ** 2 <= volume[3] ** 2


def wireframe(volumes):
    """Return three great circles of each sphere (n, 4): segments (k, 2, 3) float64."""
    volumes = np.float64(volumes)
    middles, radii, none = volumes[:, :3], volumes[:, 3], np.zeros((len(volumes), 2))
    x, y, z = (np.broadcast_to(axis, middles.shape) for axis in np.eye(3))
    return np.concatenate([rounded_outline(middles, *pair, none, radii) for pair in ((x, y), (y, z), (z, x))])
