"""Lower bounds of the distances of objects from their extents: their oriented boxes and bounding spheres.

Both contain an object as a whole: its surface, all that its surface encloses, and the surface that an open mesh lacks.
So two objects whose extents are apart have no common point.
"""

import math

import numpy as np

from ..jit import inner, kernel
from .sweep import STRETCH

_LEAST = 1e-12
"""Axes whose squared length is smaller are left out: they are products of almost parallel directions."""
_LEAST_SQUARE = 1e-280
_ROUNDING = 2.0**-40
"""Generous bound of the rounding error, relative to the coordinates."""


@inner
def _gap_along(x, y, z, d0, d1, d2, a, size_a, b, size_b):
    """Return how far two boxes are apart along an axis (x, y, z), negative if they overlap; the axis has any length.

    Args:
        d0, d1, d2: the difference of the centres.
        a, b: rotations (3, 3), whose columns are the directions of the edges.
        size_a, size_b: half the length of the edges.
    """
    square = x * x + y * y + z * z
    if not square > _LEAST:
        return -np.inf
    reach = 0.0
    for j in range(3):
        reach += size_a[j] * abs(x * a[0, j] + y * a[1, j] + z * a[2, j])
        reach += size_b[j] * abs(x * b[0, j] + y * b[1, j] + z * b[2, j])
    return (abs(x * d0 + y * d1 + z * d2) - reach) / math.sqrt(square)


@kernel
def _extent_gaps(bounds, radii, rows, pairs, gaps):
    half_a, half_b, centre = np.empty(3), np.empty(3), np.empty(3)
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        a, b = rows[i], rows[j]
        size = 0.0
        for axis in range(3):
            half_a[axis] = 0.5 * (bounds[i, 1, axis] - bounds[i, 0, axis])
            half_b[axis] = 0.5 * (bounds[j, 1, axis] - bounds[j, 0, axis])
        for axis in range(3):
            centre[axis] = b[axis, 3] - a[axis, 3]
            extent_a, extent_b = abs(a[axis, 3]), abs(b[axis, 3])
            for n in range(3):
                centre[axis] += b[axis, n] * (0.5 * bounds[j, 0, n] + 0.5 * bounds[j, 1, n])
                centre[axis] -= a[axis, n] * (0.5 * bounds[i, 0, n] + 0.5 * bounds[i, 1, n])
                extent_a += abs(a[axis, n]) * max(abs(bounds[i, 0, n]), abs(bounds[i, 1, n]))
                extent_b += abs(b[axis, n]) * max(abs(bounds[j, 0, n]), abs(bounds[j, 1, n]))
            size = max(size, extent_a + extent_b)
        d0, d1, d2 = centre[0], centre[1], centre[2]
        square = d0 * d0 + d1 * d1 + d2 * d2
        best = -np.inf
        if square > _LEAST_SQUARE:
            best = math.sqrt(square) - STRETCH * (radii[i] + radii[j])
        for m in range(3):
            best = max(best, _gap_along(a[0, m], a[1, m], a[2, m], d0, d1, d2, a, half_a, b, half_b))
            best = max(best, _gap_along(b[0, m], b[1, m], b[2, m], d0, d1, d2, a, half_a, b, half_b))
            best = max(
                best, _gap_along(1.0 * (m == 0), 1.0 * (m == 1), 1.0 * (m == 2), d0, d1, d2, a, half_a, b, half_b)
            )
        for m in range(3):
            if best > 0.0:  # the products of edges are seldom much better
                break
            for n in range(3):
                x = a[1, m] * b[2, n] - a[2, m] * b[1, n]
                y = a[2, m] * b[0, n] - a[0, m] * b[2, n]
                z = a[0, m] * b[1, n] - a[1, m] * b[0, n]
                best = max(best, _gap_along(x, y, z, d0, d1, d2, a, half_a, b, half_b))
        gaps[k] = best - _ROUNDING * size


def extent_gaps(bounds: np.ndarray, radii: np.ndarray, rows: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return lower bounds of the distances of pairs of objects, (k,) float64 [m], rounded down; negative if unknown.

    The boxes are projected onto the directions of their edges and the products of these (Gottschalk, Lin, Manocha,
    "OBBTree", 1996, section 5), and onto the axes of the world. Any direction gives a lower bound, so poses need not be
    rigid.

    Args:
        bounds: bounds of the objects in their own coordinates, (n, 2, 3) [m].
        radii: largest distance of the vertices from the middle of the bounds, (n,) [m]; infinite if unknown.
        rows: poses (n, 3, 4).
        pairs: indices of the objects, (k, 2) int64.
    """
    gaps = np.empty(len(pairs))
    _extent_gaps(bounds, radii, rows, np.ascontiguousarray(pairs), gaps)
    return gaps
