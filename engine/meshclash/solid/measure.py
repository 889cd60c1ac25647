"""Depths of many object pairs, a few at a time."""

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ..traversal.forest import Forest
from ..traversal.point import new_point_workspace
from .climb import new_search_room
from .depth import overlap_depths

DEPTH, LOWER, UPPER = range(3)
"""Columns of what is measured."""
_AT_ONCE = 2048  # triangles of pairs that are measured in one step


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
    room, work = new_search_room(), new_point_workspace()
    for some in _portions(posed[0], posed[4], chosen):
        overlap_depths(*posed, overlaps, some, *contacts, permitted, room, work, found)
        yield
    return found


def _portions(forest: Forest, jobs: np.ndarray, chosen: np.ndarray) -> list[np.ndarray]:
    """The chosen pairs in groups of about as many triangles as are measured at once, larger pairs by themselves."""
    if not len(chosen):
        return []
    trees = jobs[chosen]
    effort = np.cumsum((forest.triangle_end[trees] - forest.triangle_start[trees]).sum(axis=1))
    return np.split(chosen, np.flatnonzero(np.diff(effort // _AT_ONCE)) + 1)


def box_overlaps(boxes_a: np.ndarray, boxes_b: np.ndarray) -> np.ndarray:
    """Low and high corner of what boxes (k, 6) have in common, and its least width rounded up, (k, 7) [m]."""
    low = np.maximum(boxes_a[:, :3], boxes_b[:, :3])
    high = np.minimum(boxes_a[:, 3:], boxes_b[:, 3:])
    widths = high - low
    back = high - widths
    lost = (high - (widths + back)) + (back - low)
    widths = np.where(lost != 0.0, np.nextafter(widths, np.inf), widths)
    return np.column_stack([low, high, widths.min(axis=1)])
