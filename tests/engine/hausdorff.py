"""How far some surface is from another one at least: exactly in fractions, or of many points in float64."""

from fractions import Fraction

import meshclash as mc
import numpy as np
from distances import fill_distances
from exact import fractions, squared_distance_of_exact_point

SHARES = tuple(
    tuple(Fraction(x, 6) for x in share)
    for share in ((6, 0, 0), (0, 6, 0), (0, 0, 6), (3, 3, 0), (0, 3, 3), (3, 0, 3), (2, 2, 2), (4, 1, 1), (1, 4, 1))
)  # fmt: skip
"""Weights of the corners of a triangle: its points that are looked at."""


_FEW = 6


def least_square(corners, others) -> Fraction:
    """The square of a distance that some point of triangles (m, 3, 3) has to all triangles (n, 3, 3), exactly.

    Float64 only says which points, and which triangles, are worth looking at.
    """
    points = [
        tuple(sum(w * x for w, x in zip(share, xs, strict=True)) for xs in zip(*fractions(triangle), strict=True))
        for triangle in corners
        for share in SHARES
    ]
    near = _distances(np.array([[float(x) for x in point] for point in points]), others)
    most = Fraction(0)
    for k in np.argsort(near.min(axis=1))[-_FEW:]:
        chosen = np.flatnonzero(near[k] <= 1.001 * near[k].min() + 1e-6 * np.abs(others).max())
        most = max(most, min(squared_distance_of_exact_point(points[k], fractions(others[i])) for i in chosen))
    return most


def _distances(points, others) -> np.ndarray:
    result = np.empty((len(points), len(others)))
    fill_distances(np.repeat(points[:, None], 3, axis=1), np.ascontiguousarray(others, np.float64), result)
    return result


def is_too_small(bound: float, corners, others) -> bool:
    """Whether some point of triangles is farther from others than a bound says, beyond doubt."""
    return Fraction(bound) ** 2 < least_square(corners, others)


def farthest(corners, others, count=3) -> float:
    """The largest distance to triangles (n, 3, 3) of points on a grid of each of the triangles (m, 3, 3)."""
    shares = [(i, j, count - i - j) for i in range(count + 1) for j in range(count + 1 - i)]
    points = np.einsum("sk,mkx->msx", np.array(shares) / count, np.asarray(corners, np.float64)).reshape(-1, 3)
    return float(_distances(points, others).min(axis=1).max())


def as_mesh(corners) -> mc.TriangleMesh:
    """Triangles (n, 3, 3) as a mesh."""
    return mc.TriangleMesh(np.asarray(corners).reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
