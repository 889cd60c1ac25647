"""The shortest translation that separates two sets of points, and its direction."""

import numpy as np

_SPREADS = (0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4)
"""Angles by which directions around the best direction are rotated, in several rounds [rad]."""
_AROUND = 8
_ONE_SIDED = 1e-3
"""Length of the weighted sum of normals, relative to the weights, above which surfaces count as facing one way."""
_EQUAL = 1e-9
"""Difference up to which translations count as equally short, relative to the size of the points."""


def shortest_translation(
    a: np.ndarray, b: np.ndarray, tried: np.ndarray, facing: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the direction of the shortest translation that separates b from a, among given directions and directions
    around the best of them.

    Along d, b is separated from a after max(a.d) - min(b.d): the smallest such width of the Minkowski difference
    (Cameron 1997).

    Args:
        a, b: (n, 3), (m, 3) points [m].
        tried: (k, 3) unit vectors to try; their opposites are tried, too.
        facing: (3,) direction in which a's surface faces and b's surface does not, at most 1 long. b moves into this
            half-space of directions; for flush surfaces the direction decides. Near 0 if the surfaces face all
            directions.

    Returns:
        Return the unit vector, and the length [m], which is negative if the points are apart along the vector.
    """
    middle = 0.5 * (a.mean(axis=0) + b.mean(axis=0))
    a, b = a - middle, b - middle
    size = max(float(np.abs(a).max()), float(np.abs(b).max()))
    best, length = _best(a, b, np.concatenate([tried, -tried]), facing, size)
    for spread in _SPREADS:
        u, v = across(best)
        angles = 2.0 * np.pi * np.arange(_AROUND) / _AROUND
        turned = best + spread * (np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * v)
        turned /= np.linalg.norm(turned, axis=1, keepdims=True)
        other, shorter = _best(a, b, turned, facing, size)
        if shorter < length - _EQUAL * size:
            best, length = other, shorter
    return best, length


def _best(a: np.ndarray, b: np.ndarray, tried: np.ndarray, facing: np.ndarray, size: float) -> tuple[np.ndarray, float]:
    if np.linalg.norm(facing) > _ONE_SIDED:
        ahead = tried[tried @ facing > 0.0]
        tried = ahead if len(ahead) else tried
    lengths = (a @ tried.T).max(axis=0) - (b @ tried.T).min(axis=0)
    short = np.flatnonzero(lengths <= lengths.min() + _EQUAL * size)
    chosen = short[np.argmax(np.round(tried[short] @ facing, 9))]
    return tried[chosen], float(lengths[chosen])


def across(direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two unit vectors that are perpendicular to a unit vector and to each other."""
    axis = np.zeros(3)
    axis[np.argmin(np.abs(direction))] = 1.0
    u = np.cross(direction, axis)
    u /= np.linalg.norm(u)
    return u, np.cross(direction, u)
