"""The verdict of two closed meshes by integers and fractions."""

from __future__ import annotations

import numpy as np
from meshclash import TriangleMesh
from meshclash.types.pose import transform_points

from .oracle import APART, CROSSING, classify_pairs
from .point_oracle import exact_windings
from .solid_oracle import have_common_volume

MOST_NEAR = 400
"""Triangles in the common box up to which surfaces that touch without crossing are judged."""
_ROWS = 64


def exact_verdict(a: TriangleMesh, b: TriangleMesh, pose: np.ndarray) -> str | None:
    """The verdict of two closed meshes that do not cross themselves, exactly; None: too many triangles to ask."""
    points = a.vertices, transform_points(pose, b.vertices)
    first, second = (p[mesh.triangles] for p, mesh in zip(points, (a, b), strict=True))
    low = np.maximum(first.min(axis=(0, 1)), second.min(axis=(0, 1)))
    high = np.minimum(first.max(axis=(0, 1)), second.max(axis=(0, 1)))
    if (low > high).any():
        return "APART"
    if np.array_equal(first, second):
        return "DUPLICATE"
    kinds = _kinds(first, second, low, high)
    if (kinds == CROSSING).any():
        return "CLASH"
    if (kinds != APART).any():
        near = sum(len(_near(corners, low, high)) for corners in (first, second))
        flat = (low >= high).any()
        if not flat and near > MOST_NEAR:
            return None
        return None if not flat and have_common_volume(first, second) else "TOUCHING"
    a_in_b = exact_windings(second, points[0][np.unique(a.triangles)]) != 0
    b_in_a = exact_windings(first, points[1][np.unique(b.triangles)]) != 0
    if not a_in_b.any() and not b_in_a.any():
        return "APART"
    only_a, only_b = (not a_in_b.all() or b_in_a.any()), (not b_in_a.all() or a_in_b.any())
    return "CLASH" if only_a and only_b else "CONTAINED"


def _near(corners: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Triangles (k,) whose boxes meet a box."""
    meet = (corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)
    return np.flatnonzero(meet.all(axis=1))


def _kinds(first: np.ndarray, second: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Kinds of all pairs of triangles whose boxes meet, up to the first portion with one that crosses."""
    rows, columns = _near(first, low, high), _near(second, low, high)
    b_low, b_high = second[columns].min(axis=1), second[columns].max(axis=1)
    kinds = [np.empty(0, np.int64)]
    for begin in range(0, len(rows), _ROWS):
        part = rows[begin : begin + _ROWS]
        meet = (first[part].min(axis=1)[:, None] <= b_high) & (first[part].max(axis=1)[:, None] >= b_low)
        i, j = np.nonzero(meet.all(axis=2))
        kinds.append(np.asarray(classify_pairs(first[part[i]], second[columns[j]])))
        if (kinds[-1] == CROSSING).any():
            break
    return np.concatenate(kinds)
