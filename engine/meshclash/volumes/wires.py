"""Line segments that draw volumes: edges of boxes, loops, rounded outlines; plain NumPy, no kernels."""

import numpy as np

ARC = 8
"""Segments of a quarter circle."""

_EDGES = np.array([(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7)])
_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def box_edges(middles: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Return the edges (12 n, 2, 3) of boxes with centres (n, 3) and half axes (n, 3, 3), one per row."""
    corners = middles[:, None] + np.einsum("ck,nkj->ncj", _CORNERS, axes)
    return corners[:, _EDGES].reshape(-1, 2, 3)


def loops(points: np.ndarray) -> np.ndarray:
    """Return the segments (n s, 2, 3) of closed polylines through points (n, s, 3)."""
    return np.stack([points, np.roll(points, -1, axis=1)], axis=2).reshape(-1, 2, 3)


def rounded_outline(
    middles: np.ndarray, first: np.ndarray, second: np.ndarray, sides: np.ndarray, radii: np.ndarray
) -> np.ndarray:
    """Return outlines of rectangles that are enlarged by a radius, as segments (n s, 2, 3).

    Args:
        middles: centres, (n, 3).
        first, second: unit vectors along the sides, (n, 3).
        sides: half lengths of both sides, (n, 2); 0 for circles.
        radii: (n,).
    """
    angles = (np.arange(ARC + 1)[None] / ARC + np.arange(4)[:, None]) * (np.pi / 2)
    corners = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])[:, None]  # of the four quarters in turn
    turns = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    across = corners * sides[:, None, None] + turns * radii[:, None, None, None]
    across = across.reshape(len(middles), -1, 2)
    return loops(middles[:, None] + across[..., :1] * first[:, None] + across[..., 1:] * second[:, None])
