"""Common volume of two closed meshes: by manifold3d, and by winding numbers of a grid of points."""

from __future__ import annotations

from typing import Any

import numpy as np

from .solid_oracle import turned_alike

_STEPS = 24  # of the grid along each axis


def common_volume(manifold3d: Any, a: np.ndarray, b: np.ndarray) -> float | None:
    """Common volume [m^3] of two closed meshes, corners (m, 3, 3) [m]; None where one is no manifold."""
    corner = np.maximum(a.min(axis=(0, 1)), b.min(axis=(0, 1)))
    first, second = (_manifold(manifold3d, corners, corner) for corners in (a, b))
    if first is None or second is None:
        return None
    return max((first ^ second).volume(), (second ^ first).volume(), 0.0)


def _manifold(manifold3d: Any, corners: np.ndarray, origin: np.ndarray) -> Any | None:
    """The solid of welded triangles about an origin, outside out; None where they are no manifold."""
    corners = turned_alike(corners)
    vertices, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3)
    moved = vertices - origin
    p, q, r = (moved[triangles[:, k]] for k in range(3))
    if (np.cross(p, q) * r).sum() < 0.0:
        triangles = triangles[:, ::-1]
    solid = manifold3d.Manifold(manifold3d.Mesh64(moved, np.ascontiguousarray(triangles, np.uint64)))
    return solid if solid.status() == manifold3d.Error.NoError else None


def sampled_volume(a: np.ndarray, b: np.ndarray) -> float:
    """The share of the common box that lies in both solids [m^3], by winding numbers of a grid of points."""
    low = np.maximum(a.min(axis=(0, 1)), b.min(axis=(0, 1)))
    size = np.minimum(a.max(axis=(0, 1)), b.max(axis=(0, 1))) - low
    if (size <= 0.0).any():
        return 0.0
    steps = (np.arange(_STEPS) + 0.5) / _STEPS
    points = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3) * size
    inside = [np.abs(_windings(turned_alike(corners) - low, points)) > 0.5 for corners in (a, b)]
    return float(np.prod(size) * np.mean(inside[0] & inside[1]))


def _windings(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Winding numbers (n,) of triangles (m, 3, 3) around points (n, 3), by solid angles, a triangle at a time."""
    total = np.zeros(len(points))
    for triangle in corners:
        p, q, r = (corner - points for corner in triangle)
        lengths = [np.linalg.norm(x, axis=1) for x in (p, q, r)]
        u, v, w = ((x * y).sum(axis=1) for x, y in ((p, q), (q, r), (r, p)))
        below = lengths[0] * lengths[1] * lengths[2] + u * lengths[2] + v * lengths[0] + w * lengths[1]
        total += np.arctan2((p * np.cross(q, r)).sum(axis=1), below)
    return total / (2 * np.pi)
