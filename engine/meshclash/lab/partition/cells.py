"""Shared code of the space partitions: the region that both sides reach, and a growing list of pairs.

Cells are found by one monotone map from coordinates to whole numbers. So the cell of a common point of two boxes is
among the cells of both boxes: a pair is reported only in the cell that contains the highest of their lowest corners.
"""

from collections.abc import Callable

import numpy as np

from ...jit import inlined

_ROOM = 1 << 12
NOTHING = 1e-280
"""Extents [m] below this value count as zero, because their inverses would not be finite."""
CHECKS = 0
"""Entry of the counts that kernels keep: pairs of boxes compared."""


@inlined
def boxes_meet(boxes_a, i, boxes_b, j):
    """Return whether two closed boxes have a common point."""
    for k in range(3):  # noqa: SIM110 - kernels cannot compile the generator expression
        if boxes_a[i, k] > boxes_b[j, k + 3] or boxes_b[j, k] > boxes_a[i, k + 3]:
            return False
    return True


@inlined
def cell_of(value, low, scale, most):
    """Return the cell of a coordinate along an axis, 0 to ``most``."""
    return np.int64(min(max((value - low) * scale, 0.0), np.float64(most)))


def common_region(boxes_a: np.ndarray, boxes_b: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the lowest and highest corner (3,) of the region that two sets of boxes share; None without a common
    region.
    """
    low = np.maximum(boxes_a[:, :3].min(axis=0), boxes_b[:, :3].min(axis=0))
    high = np.minimum(boxes_a[:, 3:].max(axis=0), boxes_b[:, 3:].max(axis=0))
    return (low, high) if (low <= high).all() else None


def within(boxes: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the indices (k,) int64 of the boxes that reach a region."""
    return np.flatnonzero((boxes[:, :3] <= high).all(axis=1) & (boxes[:, 3:] >= low).all(axis=1))


def all_pairs(find: Callable[[np.ndarray, np.ndarray], int]) -> tuple[np.ndarray, int]:
    """Call ``find(pairs, counts)``, which returns the total number of pairs, with larger arrays until all pairs fit.

    Returns:
        pairs (k, 2) int32, boxes compared.
    """
    room = _ROOM
    while True:
        pairs, counts = np.empty((room, 2), np.int32), np.zeros(1, np.int64)
        found = find(pairs, counts)
        if found <= room:
            return pairs[:found].copy(), int(counts[CHECKS])
        room = found
