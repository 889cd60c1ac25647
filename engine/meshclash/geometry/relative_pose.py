"""Relative poses for culling: one object's frame in the other's, both ways, with a slack for all rounding errors.

A row contains, for the pair (a, b): b in a's frame (rotation 0:9 row-major, shift 9:12, slack 12:15), then a in b's
frame (15:24, 24:27, 27:30). Three numbers follow: ``DEFECT``, a bound of |R^T R - 1| for both; ``SHRINK``, the factor
that turns a distance in either frame into a lower bound in the world; and ``REACH``, the length of the slack in a's
frame. These frames are the frames of the hierarchies: object coordinates minus the hierarchy's origin.

Why the slack suffices. Contacts are decided on world coordinates w = fl(R x + t), which differ from R x + t by at most
4u(|R||x| + |t|) componentwise (three products, three sums; u = 2**-53). Two triangles with a common point w thus have
points x_a, x_b with R_a x_a + d_a = R_b x_b + d_b and |d| within that bound, so in a's frame their distance per axis is
at most |R_a^-1|(|d_a| + |d_b|). Computing R_a^-1 R_b, the shift and the test itself adds at most 40u of the same sizes.
64u of their sum covers both. |x| is bounded by the largest absolute coordinates of the mesh. Volumes may extend
farther, as they are rounded outward to float32: by a share of 2**-23, and near zero by 1e-37. ``_LEAST`` exceeds 40u of
that and the loss of float64 in products too small for it.
"""

import math

import numpy as np

from ..jit import inlined, kernel

ROW_LENGTH = 33
DEFECT, SHRINK, REACH = 30, 31, 32
"""Indices in a row, as described above."""
NARROW_LENGTH = 24
SLACK, PRODUCTS, ROUNDING = 21, 22, 23
"""Indices in a row of ``narrow_rows`` after the two rotations and the shift."""
SCRATCH_LENGTH = 15
_SLACK = 64.0 * 2.0**-53
_NARROW_SLACK = 64.0 * 2.0**-24
_LEAST = 1e-48  # [m]
_ROUNDING = 1e-14
_NEARLY_NOTHING = 1e-36  # more than the loss of products too small for float32
_LARGEST_SIZE = 1e12  # products of three lengths up to this stay finite in float32

# The helpers take flat arrays or pointers, and the begin of a row, so that both kinds of kernels use the same code.


@inlined
def invert_rotation(rows, at, out):
    """Write the inverse of the rotation of a pose of twelve numbers, by cofactors, as nine numbers row by row."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for axis in range(3):
            m, n = (axis + 1) % 3, (axis + 2) % 3
            out[3 * axis + i] = (
                rows[at + 4 * j + m] * rows[at + 4 * k + n] - rows[at + 4 * j + n] * rows[at + 4 * k + m]
            )
    determinant = rows[at] * out[0] + rows[at + 1] * out[3] + rows[at + 2] * out[6]
    for i in range(9):
        out[i] /= determinant


@inlined
def half(rows_a, at_a, rows_b, at_b, sizes_a, size_a, sizes_b, size_b, tolerance, scratch, out, begin):
    """Write b's frame in a's: rotation, shift and slack, as fifteen numbers of ``out``.

    Six numbers from ``size_a`` on are the origin and the reach of a; ``scratch`` has SCRATCH_LENGTH numbers.
    """
    invert_rotation(rows_a, at_a, scratch)
    for i in range(3):
        moved = 0.0
        world = abs(rows_a[at_a + 4 * i + 3]) + abs(rows_b[at_b + 4 * i + 3])
        for j in range(3):
            moved += rows_b[at_b + 4 * i + j] * sizes_b[size_b + j]
            world += abs(rows_a[at_a + 4 * i + j]) * sizes_a[size_a + 3 + j]
            world += abs(rows_b[at_b + 4 * i + j]) * sizes_b[size_b + 3 + j]
        scratch[9 + i] = moved + (rows_b[at_b + 4 * i + 3] - rows_a[at_a + 4 * i + 3])
        scratch[12 + i] = world
    for i in range(3):
        turned = 0.0
        size = sizes_a[size_a + 3 + i]
        for j in range(3):
            turned += scratch[3 * i + j] * scratch[9 + j]
            size += abs(scratch[3 * i + j]) * scratch[12 + j]
            out[begin + 3 * i + j] = (
                scratch[3 * i] * rows_b[at_b + j]
                + scratch[3 * i + 1] * rows_b[at_b + 4 + j]
                + scratch[3 * i + 2] * rows_b[at_b + 8 + j]
            )
        out[begin + 9 + i] = turned - sizes_a[size_a + i]
        out[begin + 12 + i] = _SLACK * size + tolerance * 1.001 + _LEAST


@inlined
def narrow(row, at, reach_a, at_a, reach_b, at_b, out, begin):
    """Write one row of ``relative_rows`` in float32; see ``narrow_rows``."""
    size = 0.0
    rounding = 0.0
    for i in range(3):
        reached = reach_a[at_a + i] + abs(row[at + 9 + i])
        for j in range(3):
            reached += abs(row[at + 3 * i + j]) * reach_b[at_b + j]
        size = max(size, reached)
        rounding = max(rounding, row[at + 12 + i], row[at + 27 + i])
    for i in range(12):
        out[begin + i] = np.float32(row[at + i])
    for i in range(9):
        out[begin + 12 + i] = np.float32(row[at + 15 + i])
    out[begin + SLACK] = np.float32(1.001 * (_NARROW_SLACK * size + rounding) + _NEARLY_NOTHING)
    out[begin + PRODUCTS] = np.float32(_NEARLY_NOTHING * (1.0 + 2.0 * size) if size <= _LARGEST_SIZE else np.inf)
    out[begin + ROUNDING] = np.float32(1.001 * rounding + _NEARLY_NOTHING)


@inlined
def looseness(rows, at):
    """Return the Frobenius norm of R^T R - 1 of a pose of twelve numbers."""
    total = 0.0
    for i in range(3):
        for j in range(3):
            entry = -1.0 if i == j else 0.0
            for k in range(3):
                entry += rows[at + 4 * k + i] * rows[at + 4 * k + j]
            total += entry * entry
    return math.sqrt(total)


@inlined
def shrink_of(rows_a, at_a, rows_b, at_b):
    """Return the number ``SHRINK`` of two poses."""
    return 1.0 - max(looseness(rows_a, at_a), looseness(rows_b, at_b)) - _ROUNDING


@inlined
def put_first_half(rows_a, at_a, rows_b, at_b, sizes_a, size_a, sizes_b, size_b, tolerance, scratch, out, row):
    """Write the part of a row of ``relative_rows`` for b in a's frame; the other arguments are those of ``half``."""
    half(rows_a, at_a, rows_b, at_b, sizes_a, size_a, sizes_b, size_b, tolerance, scratch, out, row)
    out[row + DEFECT] = 1.001 * (looseness(rows_a, at_a) + looseness(rows_b, at_b)) + _ROUNDING
    out[row + SHRINK] = shrink_of(rows_a, at_a, rows_b, at_b)
    out[row + REACH] = math.sqrt(out[row + 12] ** 2 + out[row + 13] ** 2 + out[row + 14] ** 2)


@inlined
def whole_row(rows_a, at_a, rows_b, at_b, sizes_a, size_a, sizes_b, size_b, tolerance, scratch, out, row):
    """Write one row of ``relative_rows``, from ``row`` on in ``out``; the other arguments are those of ``half``."""
    put_first_half(rows_a, at_a, rows_b, at_b, sizes_a, size_a, sizes_b, size_b, tolerance, scratch, out, row)
    half(rows_b, at_b, rows_a, at_a, sizes_b, size_b, sizes_a, size_a, tolerance, scratch, out, row + 15)


@kernel
def _relative(rows_a, rows_b, sizes_a, sizes_b, tolerance, out):
    scratch = np.empty(SCRATCH_LENGTH)
    for k in range(out.shape[0] // ROW_LENGTH):
        whole_row(
            rows_a, 12 * k, rows_b, 12 * k, sizes_a, 6 * k, sizes_b, 6 * k, tolerance, scratch, out, ROW_LENGTH * k
        )


@kernel
def _narrow(relative, reach_a, reach_b, out):
    for k in range(out.shape[0] // NARROW_LENGTH):
        narrow(relative, ROW_LENGTH * k, reach_a, 3 * k, reach_b, 3 * k, out, NARROW_LENGTH * k)


def relative_rows(
    rows_a: np.ndarray,
    rows_b: np.ndarray,
    origin_a: np.ndarray,
    origin_b: np.ndarray,
    reach_a: np.ndarray,
    reach_b: np.ndarray,
    tolerance: float = 0.0,
) -> np.ndarray:
    """Return the relative poses of many pairs.

    Args:
        rows_a, rows_b: poses, (k, 3, 4) float64.
        origin_a, origin_b: origins of the hierarchies, (k, 3) float64 [m].
        reach_a, reach_b: largest absolute object coordinates per axis, (k, 3) float64 [m].
        tolerance: volumes with a smaller distance count as overlapping [m].

    Returns:
        (k, 33) float64.
    """
    result = np.empty((len(rows_a), ROW_LENGTH))
    sizes = (np.hstack([origin, reach]).ravel() for origin, reach in ((origin_a, reach_a), (origin_b, reach_b)))
    _relative(rows_a.ravel(), rows_b.ravel(), *sizes, float(tolerance), result.reshape(-1))
    return result


def narrow_rows(relative: np.ndarray, reach_a: np.ndarray, reach_b: np.ndarray) -> np.ndarray:
    """Return relative poses in float32, with the slacks of ``lane_boxes.py``, where the bounds are derived.

    Args:
        relative: rows of ``relative_rows``, (k, 33) float64.
        reach_a, reach_b: largest absolute coordinates of the root boxes, relative to the origins, (k, 3) float32.

    Returns:
        (k, 24) float32: b in a's frame (rotation 0:9, shift 9:12), rotation of a's frame in b's 12:21, slack [m] 21,
        the slack of products 22, infinite where products of three lengths might overflow, and the largest slack of
        the relative pose [m] 23.
    """
    result = np.empty((len(relative), NARROW_LENGTH), np.float32)
    _narrow(relative.ravel(), reach_a.ravel(), reach_b.ravel(), result.reshape(-1))
    return result
