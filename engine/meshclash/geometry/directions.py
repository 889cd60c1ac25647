"""Directions of the axes, corners and edges of a cube."""

import numpy as np

CUBE_DIRECTIONS = np.array(
    [
        (1, 0, 0), (0, 1, 0), (0, 0, 1),
        (1, 1, 1), (1, 1, -1), (1, -1, 1), (-1, 1, 1),
        (1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1),
    ],
    np.float64,
)  # fmt: skip
"""3 axes, 4 corners and 6 edges, one of each opposite pair, (13, 3)."""
