"""The shortest translation that separates the convex hulls of two point sets.

The differences of points of both hulls form a convex polytope, and a translation separates the hulls when it leads out
of it; the shortest one leads to the nearest of its facets. The polytope is never built: from a simplex inside it, the
facet nearest to the origin is pushed out to the farthest point beyond it, until there is none (the expanding polytope
algorithm; van den Bergen, "Proximity queries and penetration depth computation on 3D game objects" (2001)). A polytope
inside gives a lower bound, a supporting plane an upper one, at every step.
"""

from typing import NamedTuple

import numpy as np

_ROUNDING = 1e-13
_MOST_STEPS = 3000
_STARTS = np.array(
    [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (1, 1, 1), (-1, -1, -1)], float
)


class Separation(NamedTuple):
    """How far the second hull must be moved, and which way."""

    length: float
    """[m], an upper bound that is reached: the hulls touch after this translation."""
    direction: np.ndarray
    """Unit vector, (3,)."""
    lower: float
    """No translation shorter than this [m] separates the hulls; equal to ``length`` up to rounding unless given up."""


def hull_separation(a: np.ndarray, b: np.ndarray) -> Separation:
    """The shortest translation of b that separates the hulls of two point sets whose hulls overlap.

    Args:
        a, b: (n, 3) and (m, 3) float64 [m]. Points in one plane, all together, are separated by leaving it.
    """
    origin = a[0].copy()
    a, b = a - origin, b - origin
    scale = float(np.abs(a).max() + np.abs(b).max())
    rounding = _ROUNDING * scale
    corners = _simplex(a, b)
    height, across = _height(corners)
    if height <= rounding:
        return Separation(0.0, across, 0.0)
    faces = np.array([(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)])
    normals, offsets = _planes(corners, faces)
    best, direction = np.inf, np.array([1.0, 0.0, 0.0])
    lower = 0.0
    for _ in range(_MOST_STEPS):
        nearest = int(offsets.argmin())
        normal = normals[nearest]
        point = _support(a, b, normal)
        reach = float(point @ normal)
        if reach < best:
            best, direction = reach, normal
        lower = max(lower, min(float(offsets[nearest]), best))
        if best - float(offsets[nearest]) <= 4.0 * rounding or reach - float(offsets[nearest]) <= 4.0 * rounding:
            break
        seen = normals @ point > offsets - rounding
        rim = _rim(faces[seen])
        corners = np.vstack([corners, point])
        added = np.column_stack([rim, np.full(len(rim), len(corners) - 1)])
        more_normals, more_offsets = _planes(corners, added)
        faces = np.concatenate([faces[~seen], added])
        normals = np.concatenate([normals[~seen], more_normals])
        offsets = np.concatenate([offsets[~seen], more_offsets])
    return Separation(best, direction, lower)


def _support(a: np.ndarray, b: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The farthest difference of points along a direction."""
    return a[int((a @ direction).argmax())] - b[int((b @ direction).argmin())]


def _simplex(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Four farthest differences that are not in one plane, (4, 3), turned so that their faces look outward."""
    points = np.array([_support(a, b, d) for d in _STARTS])
    first = points[0]
    second = points[int(((points - first) ** 2).sum(axis=1).argmax())]
    along = (second - first) / np.linalg.norm(second - first)
    offsets = points - first
    across = offsets - np.outer(offsets @ along, along)
    third = points[int((across**2).sum(axis=1).argmax())]
    normal = np.cross(second - first, third - first)
    normal /= np.linalg.norm(normal)
    sides = [_support(a, b, normal), _support(a, b, -normal)]
    heights = [float((p - first) @ normal) for p in sides]
    fourth = sides[int(np.abs(heights).argmax())]
    corners = np.array([first, second, third, fourth])
    if float((fourth - first) @ normal) > 0.0:
        corners = corners[[0, 2, 1, 3]]
    return corners


def _height(corners: np.ndarray) -> tuple[float, np.ndarray]:
    """Height of a simplex (4, 3) over its first face, and that face's unit normal."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal = normal / np.linalg.norm(normal)
    return abs(float((corners[3] - corners[0]) @ normal)), normal


def _planes(corners: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Outward unit normals and offsets of faces; a face without area is never the nearest."""
    p, q, r = (corners[faces[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    lengths = np.linalg.norm(normals, axis=1)
    edges = np.maximum(np.linalg.norm(q - p, axis=1), np.linalg.norm(r - p, axis=1))
    flat = lengths <= 1e-14 * edges * edges
    normals = normals / np.where(flat, 1.0, lengths)[:, None]
    offsets = (normals * p).sum(axis=1)
    offsets[flat] = np.inf
    return normals, offsets


def _rim(faces: np.ndarray) -> np.ndarray:
    """Directed edges of faces whose opposite is not among them, (k, 2)."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there = {(int(p), int(q)) for p, q in edges}
    return np.array([(p, q) for p, q in edges.tolist() if (q, p) not in there])
