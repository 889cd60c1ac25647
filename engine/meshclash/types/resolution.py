"""How finely coordinates are known that were stored in single precision."""

from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..messages import shown
from .numbers import real_number
from .pose import checked_matrix

_OUTWARD = 1.0 + 1e-6  # covers products of two roundings, and those of this computation


def float32_resolution(largest: Any, matrix: Any = None) -> float:
    """Return how far single precision may have moved the world points of an object [m].

    Each coordinate of a mesh is off by at most half a unit in the last place (ulp) of the largest one. A matrix A, t
    that was stored in single precision as well adds its own rounding: world coordinate i is off by at most

        e_i = sum over j of (abs(A_ij) ulp(largest) + ulp(A_ij) largest) / 2 + ulp(t_i) / 2

    and the point by the length of (e_0, e_1, e_2), which is returned. Entries of A that are 0, 1 or -1 count as exact:
    they are what an object has that nobody turned or scaled.

    Args:
        largest: largest absolute coordinate of the mesh in its own frame [m], as stored in float32.
        matrix: array-like, shape (4, 4): the world matrix of the object as stored in float32; None: the mesh is in the
            world already.

    Raises:
        UnsupportedOption: ``largest`` is no finite length of single precision. InvalidPose: the matrix is of another
        shape or not finite.

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
    """``float32_resolution`` of many objects, (k,), by their largest coordinates (k,) and matrices (k, 4, 4)."""
    linear = np.abs(matrices[:, :3, :3])
    rounding = np.where(linear == 1.0, 0.0, _half_ulp(linear))
    errors = linear.sum(axis=2) * _half_ulp(largest)[:, None] + rounding.sum(axis=2) * largest[:, None]
    errors += _half_ulp(matrices[:, :3, 3])
    lengths: np.ndarray = _OUTWARD * np.sqrt((errors * errors).sum(axis=1))
    return lengths


def _half_ulp(values: Any) -> np.ndarray:
    """Half the distance of float32 numbers at the given values: the largest rounding error; 0 for 0."""
    single = np.abs(np.asarray(values)).astype(np.float32)
    return np.where(single == 0.0, 0.0, 0.5 * np.spacing(single).astype(np.float64))
