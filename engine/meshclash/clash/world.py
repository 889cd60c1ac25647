"""Transform points from object space to world space."""

from __future__ import annotations

import numpy as np


def to_world(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Transform points (..., 3) by a matrix (4, 4); returns float64.

    Not as a product of matrices: libraries for these divide it among threads, which wait for one another for a tenth
    of a second when other processes keep the cores busy, as those that compile do.
    """
    moved = np.einsum("ij,...j->...i", matrix[:3, :3], np.asarray(points, np.float64))
    moved += matrix[:3, 3]
    return moved
