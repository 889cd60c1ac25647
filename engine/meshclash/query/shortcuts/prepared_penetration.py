"""Fast path of ``penetration`` for prepared convex solids."""

from typing import Any

import numpy as np

from ...convex.convexity import convex_points
from ...convex.expanding_polytope import APART, DIRECTION, LENGTH, LOWER, OPEN, POINTS
from ...convex.hull_separation import part_at_once
from ...types.steps import UNANSWERED, Unanswered
from ..results import Penetration, no_penetration
from .record import Record


def penetration_of_records(
    a: Record, b: Record, pose_a: Any, pose_b: Any, *, start: Any = None, **others: Any
) -> Penetration | Unanswered:
    """Return the penetration of two convex solids; ``UNANSWERED`` to use the general path.

    Args:
        a, b: records of their meshes.
        pose_a, pose_b: one pose each, in a form that ``put_single_pose`` accepts.
        start: as for ``penetration``; not checked.
        others: options that this fast path does not support.
    """
    if others:
        return UNANSWERED
    points_a, points_b = convex_points(a.parts.mesh), convex_points(b.parts.mesh)
    if points_a is None or points_b is None or (start is not None and type(start) is not Penetration):
        return UNANSWERED
    found = part_at_once(points_a, points_b, pose_a, pose_b, known_pairs(start, points_a, points_b))
    if found is None or found[0] == OPEN:
        return UNANSWERED
    told, row, pairs = found
    if told == APART:
        return no_penetration(pairs)
    length, lower = row.item(LENGTH), row.item(LOWER)
    return Penetration(
        length, row[DIRECTION : DIRECTION + 3], lower, None, pairs, row[POINTS : POINTS + 3], row[POINTS + 3 :]
    )


def known_pairs(start: Penetration | None, points_a: np.ndarray, points_b: np.ndarray) -> np.ndarray | None:
    """Return the pairs of points that decided the previous query; None if there is no such query, or it was about other
    meshes.
    """
    pairs = None if start is None else start.pairs
    return None if pairs is None or (pairs >= (len(points_a), len(points_b))).any() else pairs
