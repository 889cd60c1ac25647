"""Relative poses for culling: one object's frame in the other's, both ways, with a slack for every rounding.

A row holds, for the pair (a, b): b in a's frame (rotation 0:9 row-major, shift 9:12, slack 12:15), then a in b's frame
(15:24, 24:27, 27:30); then how rigid this is: ``DEFECT``, a bound of |R^T R - 1| for both, ``SHRINK``, by
which a distance in either frame must be multiplied to be a lower bound in the world, and ``REACH``, the length of the
slack in a's frame. Frames are those of the hierarchies: object coordinates minus the hierarchy's origin.

Why the slack suffices. Contacts are decided on world coordinates w = fl(R x + t), which differ from R x + t by at most
4u(|R||x| + |t|) componentwise (three products, three sums; u = 2**-53). Two triangles with a common point w thus have
points x_a, x_b with R_a x_a + d_a = R_b x_b + d_b and |d| within that bound, so in a's frame their distance per axis is
at most |R_a^-1|(|d_a| + |d_b|). Computing R_a^-1 R_b, the shift and the test itself adds at most 40u of the same sizes.
64u of their sum covers both. |x| is bounded by the largest absolute coordinates of the mesh.
"""

import math

import numpy as np

from ..jit import inlined, kernel

ROW_LENGTH = 33
DEFECT, SHRINK, REACH = 30, 31, 32
"""Entries of a row, as above."""
NARROW_LENGTH = 23
_SLACK = 64.0 * 2.0**-53
_NARROW_SLACK = 64.0 * 2.0**-24
_ROUNDING = 1e-14
_NEARLY_NOTHING = 1e-36  # what products lose that are too small for float32
_LARGEST_SIZE = 1e12  # products of three lengths up to this stay finite in float32


@inlined
def _invert(rows, out):
    """Inverse of the rotation of a pose (3, 4), by cofactors, into nine numbers row by row."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for axis in range(3):
            m, n = (axis + 1) % 3, (axis + 2) % 3
            out[3 * axis + i] = rows[j, m] * rows[k, n] - rows[j, n] * rows[k, m]
    determinant = rows[0, 0] * out[0] + rows[0, 1] * out[3] + rows[0, 2] * out[6]
    for i in range(9):
        out[i] /= determinant


@inlined
def _half(rows_a, rows_b, origin_a, origin_b, reach_a, reach_b, tolerance, out):
    """b's frame in a's: rotation, shift and slack, into fifteen numbers."""
    inverse = np.empty(9)
    shift = np.empty(3)
    world = np.empty(3)
    _invert(rows_a, inverse)
    for i in range(3):
        moved = 0.0
        world[i] = abs(rows_a[i, 3]) + abs(rows_b[i, 3])
        for j in range(3):
            moved += rows_b[i, j] * origin_b[j]
            world[i] += abs(rows_a[i, j]) * reach_a[j] + abs(rows_b[i, j]) * reach_b[j]
        shift[i] = moved + (rows_b[i, 3] - rows_a[i, 3])
    for i in range(3):
        turned = 0.0
        size = reach_a[i]
        for j in range(3):
            turned += inverse[3 * i + j] * shift[j]
            size += abs(inverse[3 * i + j]) * world[j]
            out[3 * i + j] = (
                inverse[3 * i] * rows_b[0, j] + inverse[3 * i + 1] * rows_b[1, j] + inverse[3 * i + 2] * rows_b[2, j]
            )
        out[9 + i] = turned - origin_a[i]
        out[12 + i] = _SLACK * size + tolerance * 1.001


@inlined
def _looseness(rows):
    """Frobenius norm of R^T R - 1 of a pose (3, 4)."""
    total = 0.0
    for i in range(3):
        for j in range(3):
            entry = rows[0, i] * rows[0, j] + rows[1, i] * rows[1, j] + rows[2, i] * rows[2, j] - (i == j)
            total += entry * entry
    return math.sqrt(total)


@kernel
def _relative(rows_a, rows_b, origin_a, origin_b, reach_a, reach_b, tolerance, out):
    for k in range(out.shape[0]):
        _half(
            rows_a[k], rows_b[k], origin_a[k], origin_b[k], reach_a[k], reach_b[k], tolerance, out[k, :15]
        )  # fmt: skip
        _half(
            rows_b[k], rows_a[k], origin_b[k], origin_a[k], reach_b[k], reach_a[k], tolerance, out[k, 15:]
        )  # fmt: skip
        row = out[k]
        loose_a, loose_b = _looseness(rows_a[k]), _looseness(rows_b[k])
        row[DEFECT] = 1.001 * (loose_a + loose_b) + _ROUNDING
        row[SHRINK] = 1.0 - max(loose_a, loose_b) - _ROUNDING
        row[REACH] = math.sqrt(row[12] * row[12] + row[13] * row[13] + row[14] * row[14])


@kernel
def _narrow(relative, reach_a, reach_b, out):
    for k in range(out.shape[0]):
        row = relative[k]
        size = 0.0
        rounding = 0.0
        for i in range(3):
            reached = reach_a[k, i] + abs(row[9 + i])
            for j in range(3):
                reached += abs(row[3 * i + j]) * reach_b[k, j]
            size = max(size, reached)
            rounding = max(rounding, row[12 + i], row[27 + i])
        for i in range(12):
            out[k, i] = row[i]
        for i in range(9):
            out[k, 12 + i] = row[15 + i]
        out[k, 21] = 1.001 * (_NARROW_SLACK * size + rounding) + _NEARLY_NOTHING
        out[k, 22] = _NEARLY_NOTHING * (1.0 + 2.0 * size) if size <= _LARGEST_SIZE else np.inf


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
        (k, 33) float64.
    """
    result = np.empty((len(rows_a), ROW_LENGTH))
    _relative(rows_a, rows_b, origin_a, origin_b, reach_a, reach_b, float(tolerance), result)
    return result


def narrow_rows(relative: np.ndarray, reach_a: np.ndarray, reach_b: np.ndarray) -> np.ndarray:
    """Relative poses in float32, with the slacks of ``lane_filters.py``, where the bounds are derived.

    Args:
        relative: rows of ``relative_rows``, (k, 33) float64.
        reach_a, reach_b: largest absolute coordinates of the root boxes, relative to the origins, (k, 3) float32.

    Returns:
        (k, 23) float32: b in a's frame (rotation 0:9, shift 9:12), rotation of a's frame in b's 12:21, slack [m] 21,
        and the slack of products 22, infinite where products of three lengths might overflow.
    """
    result = np.empty((len(relative), NARROW_LENGTH), np.float32)
    _narrow(relative, reach_a, reach_b, result)
    return result
