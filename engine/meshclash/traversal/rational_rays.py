"""Cast rays with rational arithmetic, for coordinates whose products exceed float64. Slow: a ray tests a whole mesh.

The results and the rule for edges and vertices are the same as in ``geometry/ray_triangle.py``.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

Vector = tuple[Fraction, Fraction, Fraction]
_UNIT = 2.0**-53


class Crossing(NamedTuple):
    """The crossing of a ray with a triangle."""

    triangle: int
    distance: float
    """[m]"""
    u: float
    v: float
    """Barycentric weights of the first two corners."""
    along: int
    """1 if the ray goes along the normal of the triangle, -1 if against it."""


def crossings_by_fractions(o: np.ndarray, d: np.ndarray, length: float, corners: np.ndarray) -> list[Crossing]:
    """Return the crossings of a ray with triangles (m, 3, 3), in the order of the triangles.

    Args:
        o, d: origin and direction of the ray, (3,).
        length: maximum distance of a crossing [m].
        corners: the triangles.
    """
    start, way = _vector(o), _vector(d)
    found = []
    for t in np.flatnonzero(_may_cross(o, d, corners)).tolist():
        crossing = _crossing(start, way, t, [_vector(corner) for corner in corners[t]])
        if crossing is not None and crossing.distance <= length:
            found.append(crossing)
    return found


def _vector(point: np.ndarray) -> Vector:
    x, y, z = (Fraction(float(value)) for value in point)
    return x, y, z


def _may_cross(o: np.ndarray, d: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return which triangles (m,) the ray does not certainly miss, with the error bound of ``ray_triangle.py``."""
    k = int(np.abs(d).argmax())
    i, j = (k + 1) % 3, (k + 2) % 3
    seen = corners - o
    x, y = (seen[:, :, axis] - d[axis] / d[k] * seen[:, :, k] for axis in (i, j))
    size, largest = np.abs(seen).max(axis=(1, 2)), np.maximum(np.abs(x), np.abs(y)).max(axis=1)
    bound = 32.0 * _UNIT * size * largest + 8.0 * _UNIT * largest**2 + 1e-290
    turns = np.stack([x[:, a] * y[:, b] - y[:, a] * x[:, b] for a, b in ((1, 2), (2, 0), (0, 1))], axis=1)
    passed: np.ndarray = (turns.max(axis=1) > bound) & (turns.min(axis=1) < -bound)
    return ~passed


def _dot(p: Vector, q: Vector) -> Fraction:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def _cross(p: Vector, q: Vector) -> Vector:
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


def _minus(p: Vector, q: Vector) -> Vector:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


def _crossing(o: Vector, d: Vector, triangle: int, corners: list[Vector]) -> Crossing | None:
    k = max(range(3), key=lambda axis: (abs(d[axis]), -axis))
    i, j = (k + 1) % 3, (k + 2) % 3
    seen = [_minus(corner, o) for corner in corners]
    turns, signs = [], []
    for a, b in ((1, 2), (2, 0), (0, 1)):
        turns.append(_dot(d, _cross(seen[a], seen[b])))
        edge = _minus(seen[b], seen[a])
        moved = _sign(turns[-1]) or -_sign(d[k] * edge[j] - d[j] * edge[k]) or -_sign(d[i] * edge[k] - d[k] * edge[i])
        signs.append(moved)
    if signs[0] == 0 or signs.count(signs[0]) != 3:
        return None
    u, v, w = (turn / sum(turns) for turn in turns)
    depth = (u * seen[0][k] + v * seen[1][k] + w * seen[2][k]) / d[k]
    if depth < 0:
        return None
    squares = _dot(d, d) / (d[k] * d[k])  # d[k] may be so small that its square underflows
    distance = float(depth * abs(d[k])) * float(squares) ** 0.5
    return Crossing(triangle, distance, float(u), float(v), signs[0])
