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
_SLACK = 64.0 * 2.0**-53


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
