"""Depths of many object pairs, a few at a time."""

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ..traversal.point import new_point_workspace
from .depth import overlap_depths

DEPTH, LOWER, UPPER = range(3)
"""Columns of what is measured."""
_AT_ONCE = 4  # pairs that are measured between two chances to stop


def depth_steps(
    posed: Sequence[Any],
    overlaps: np.ndarray,
    chosen: np.ndarray,
    contacts: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    permitted: np.ndarray,
) -> Generator[None, None, np.ndarray]:
    """Depth, lower and upper bound (k, 3) [m] of the chosen pairs (n,) of solids, NaN for others; see ``depth.py``.

    Args:
        posed: arguments that all kernels on posed solids share, the objects in the order of ``pair_order.py``.
        overlaps: ``box_overlaps`` of all pairs.
        chosen: which to measure.
        contacts: start (k + 1,), pairs (m, 2) in the same order, kinds (m,), middles (m, 3).
        permitted: overlap up to which a depth need not be known, (k,) [m].
    """
    found = np.full((len(overlaps), 3), np.nan)
    work = new_point_workspace()
    for first in range(0, len(chosen), _AT_ONCE):
        overlap_depths(*posed, overlaps, chosen[first : first + _AT_ONCE], *contacts, permitted, work, found)
        yield
    return found


def box_overlaps(boxes_a: np.ndarray, boxes_b: np.ndarray) -> np.ndarray:
    """Low and high corner of what boxes (k, 6) have in common, and its least width rounded up, (k, 7) [m]."""
    low = np.maximum(boxes_a[:, :3], boxes_b[:, :3])
    high = np.minimum(boxes_a[:, 3:], boxes_b[:, 3:])
    widths = high - low
    back = high - widths
    lost = (high - (widths + back)) + (back - low)
    widths = np.where(lost != 0.0, np.nextafter(widths, np.inf), widths)
    return np.column_stack([low, high, widths.min(axis=1)])
