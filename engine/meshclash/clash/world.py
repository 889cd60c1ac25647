"""Transform points from object space to world space."""

from __future__ import annotations

import numpy as np


def to_world(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Transform points (..., 3) by a matrix (4, 4); returns float64.

    The function uses no matrix product: libraries divide products among threads, which wait for each other for a tenth
    of a second when other processes use all cores, for example during compilation.
    """
    moved = np.einsum("ij,...j->...i", matrix[:3, :3], np.asarray(points, np.float64))
    moved += matrix[:3, 3]
    return moved
