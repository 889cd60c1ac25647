"""The precision of coordinates that were stored in single precision."""

from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..messages import shown
from .numbers import real_number
from .pose import checked_matrix

_OUTWARD = 1.0 + 1e-6  # covers products of two rounding errors, and the rounding of this computation


def float32_resolution(largest: Any, matrix: Any = None) -> float:
    """Return the largest error [m] that storage in single precision can cause in the world coordinates of an object.

    In single precision, the error of each coordinate of a mesh is at most half a unit in the last place (ulp) of the
    largest coordinate. A matrix (A, t) that was also stored in single precision adds its own rounding: the error of
    world coordinate i is at most

        e_i = sum over j of (abs(A_ij) ulp(largest) + ulp(A_ij) largest) / 2 + ulp(t_i) / 2

    The function returns the length of (e_0, e_1, e_2). If an entry of A is 0, 1 or -1, it counts as exact, because it
    belongs to an object that was not rotated or scaled.

    Args:
        largest: largest absolute coordinate of the mesh in its own frame [m], as stored in float32.
        matrix: array-like, shape (4, 4): the world matrix of the object as stored in float32. None: the mesh already
            has world coordinates.

    Raises:
        UnsupportedOption: ``largest`` is not a finite length in single precision.
        InvalidPose: the matrix has another shape or is not finite.

    Example:
        >>> import meshclash as mc
        >>> mc.float32_resolution(1000.0) < 0.001
        True
    """
    size = real_number(largest)
    if not 0.0 <= size <= float(np.finfo(np.float32).max):
        raise UnsupportedOption(f"the largest coordinate must be a length that float32 can hold, not {shown(largest)}")
    array = np.eye(4) if matrix is None else checked_matrix(matrix)
    return float(float32_resolutions(np.array([size]), array[None])[0])


def float32_resolutions(largest: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """Return ``float32_resolution`` of k objects, (k,), from largest coordinates (k,) and matrices (k, 4, 4)."""
    linear = np.abs(matrices[:, :3, :3])
    rounding = np.where(linear == 1.0, 0.0, _half_ulp(linear))
    errors = linear.sum(axis=2) * _half_ulp(largest)[:, None] + rounding.sum(axis=2) * largest[:, None]
    errors += _half_ulp(matrices[:, :3, 3])
    lengths: np.ndarray = _OUTWARD * np.sqrt((errors * errors).sum(axis=1))
    return lengths


def _half_ulp(values: Any) -> np.ndarray:
    """Return half the spacing of float32 numbers at the given values: the largest rounding error; 0 for 0."""
    single = np.abs(np.asarray(values)).astype(np.float32)
    return np.where(single == 0.0, 0.0, 0.5 * np.spacing(single).astype(np.float64))
