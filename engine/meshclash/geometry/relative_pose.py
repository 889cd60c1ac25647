"""Relative poses for culling: one object's frame in the other's, both ways, with a slack for every rounding.

A row holds, for the pair (a, b): b in a's frame (rotation 0:9 row-major, shift 9:12, slack 12:15), then a in b's frame
(15:24, 24:27, 27:30). Frames are those of the hierarchies: object coordinates minus the hierarchy's origin.

Why the slack suffices. Contacts are decided on world coordinates w = fl(R x + t), which differ from R x + t by at most
4u(|R||x| + |t|) componentwise (three products, three sums; u = 2**-53). Two triangles with a common point w thus have
points x_a, x_b with R_a x_a + d_a = R_b x_b + d_b and |d| within that bound, so in a's frame their distance per axis is
at most |R_a^-1|(|d_a| + |d_b|). Computing R_a^-1 R_b, the shift and the test itself adds at most 40u of the same sizes.
64u of their sum covers both. |x| is bounded by the largest absolute coordinates of the mesh.
"""

import numpy as np

ROW_LENGTH = 30
NARROW_LENGTH = 23
_SLACK = 64.0 * 2.0**-53
_NARROW_SLACK = 64.0 * 2.0**-24
_NEARLY_NOTHING = 1e-36  # what products lose that are too small for float32
_LARGEST_SIZE = 1e12  # products of three lengths up to this stay finite in float32


def relative_rows(
    rows_a: np.ndarray,
    rows_b: np.ndarray,
    origin_a: np.ndarray,
    origin_b: np.ndarray,
    reach_a: np.ndarray,
    reach_b: np.ndarray,
    tolerance: float = 0.0,
) -> np.ndarray:
    """Relative poses of many pairs.

    Args:
        rows_a, rows_b: poses, (k, 3, 4) float64.
        origin_a, origin_b: origins of the hierarchies, (k, 3) float64 [m].
        reach_a, reach_b: largest absolute object coordinates per axis, (k, 3) float64 [m].
        tolerance: volumes closer than this count as overlapping [m].

    Returns:
        (k, 30) float64.
    """
    result = np.empty((len(rows_a), ROW_LENGTH))
    _half(rows_a, rows_b, origin_a, origin_b, reach_a, reach_b, tolerance, result[:, :15])
    _half(rows_b, rows_a, origin_b, origin_a, reach_b, reach_a, tolerance, result[:, 15:])
    return result


def narrow_rows(relative: np.ndarray, reach_a: np.ndarray, reach_b: np.ndarray) -> np.ndarray:
    """Relative poses in float32, with the slacks of ``lane_filters.py``, where the bounds are derived.

    Args:
        relative: rows of ``relative_rows``, (k, 30) float64.
        reach_a, reach_b: largest absolute coordinates of the root boxes, relative to the origins, (k, 3) float32.

    Returns:
        (k, 23) float32: b in a's frame (rotation 0:9, shift 9:12), rotation of a's frame in b's 12:21, slack [m] 21,
        and the slack of products 22, infinite where products of three lengths might overflow.
    """
    rotation = np.abs(relative[:, :9].reshape(-1, 3, 3))
    reached = reach_a + _apply(rotation, reach_b.astype(np.float64)) + np.abs(relative[:, 9:12])
    size = reached.max(axis=1)
    rounding = np.maximum(relative[:, 12:15].max(axis=1), relative[:, 27:30].max(axis=1))
    result = np.empty((len(relative), NARROW_LENGTH), np.float32)
    result[:, :12] = relative[:, :12]
    result[:, 12:21] = relative[:, 15:24]
    result[:, 21] = 1.001 * (_NARROW_SLACK * size + rounding) + _NEARLY_NOTHING
    result[:, 22] = np.where(size <= _LARGEST_SIZE, _NEARLY_NOTHING * (1.0 + 2.0 * size), np.inf)
    return result


def _half(rows_a, rows_b, origin_a, origin_b, reach_a, reach_b, tolerance, out):
    """b's frame in a's: rotation, shift and slack, into ``out`` (k, 15)."""
    rotation_a, shift_a = rows_a[:, :, :3], rows_a[:, :, 3]
    rotation_b, shift_b = rows_b[:, :, :3], rows_b[:, :, 3]
    inverse = np.linalg.inv(rotation_a)
    out[:, :9] = (inverse @ rotation_b).reshape(-1, 9)
    out[:, 9:12] = _apply(inverse, _apply(rotation_b, origin_b) + (shift_b - shift_a)) - origin_a
    world = (
        _apply(np.abs(rotation_a), reach_a) + np.abs(shift_a) + _apply(np.abs(rotation_b), reach_b) + np.abs(shift_b)
    )
    out[:, 12:15] = _SLACK * (_apply(np.abs(inverse), world) + reach_a) + tolerance * 1.001


def _apply(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Matrix times vector for stacks (k, 3, 3) and (k, 3)."""
    return np.einsum("kij,kj->ki", matrices, vectors)
