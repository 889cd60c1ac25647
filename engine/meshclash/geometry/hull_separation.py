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
_TALL = 1e6  # times the rounding: a simplex at hand that high will do to begin with
_X = np.array([1.0, 0.0, 0.0])
_STARTS = np.array(
    [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (1, 1, 1), (-1, -1, -1)], float
)


class Separation(NamedTuple):
    """How far the second hull must be moved, and which way."""

    length: float
    """[m], an upper bound that is reached: the hulls touch after this translation; negative where they are apart."""
    direction: np.ndarray
    """Unit vector, (3,)."""
    lower: float
    """No translation shorter than this [m] separates the hulls; equal to ``length`` up to rounding unless given up."""
    pairs: np.ndarray
    """Points of a and of b whose differences are the polytope's corners, (k, 2) int64, for a later question."""
    searches: int
    """How often all points were looked through."""


class _Differences:
    """Differences of points of two sets, the farthest along a direction first; those of ``known`` pairs are at hand."""

    def __init__(self, a: np.ndarray, b: np.ndarray, known: np.ndarray) -> None:
        self._a, self._b = a, b
        self._known = known
        self._points = a[known[:, 0]] - b[known[:, 1]]
        self.searches = 0

    def farthest(self, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The farthest difference of all, and its pair (2,)."""
        self.searches += 1
        pair = np.array([int((self._a @ direction).argmax()), int((self._b @ direction).argmin())])
        return self._a[pair[0]] - self._b[pair[1]], pair

    def beyond(self, direction: np.ndarray, offset: float) -> tuple[np.ndarray, np.ndarray] | None:
        """A difference at hand that is farther than an offset, and its pair; None where there is none."""
        if not len(self._points):
            return None
        heights = self._points @ direction
        best = int(heights.argmax())
        return (self._points[best], self._known[best]) if heights[best] > offset else None

    def simplex(self, rounding: float) -> tuple[np.ndarray, np.ndarray]:
        """Four differences that are not in one plane, if there are any, (4, 3), and their pairs (4, 2)."""
        if len(self._points) > 3:
            corners, chosen = _simplex(self._points)
            if _height(corners)[0] > _TALL * rounding:
                return corners, self._known[chosen]
        found = [self.farthest(direction) for direction in _STARTS]
        points, pairs = (np.array(part) for part in zip(*found, strict=True))
        normal = _first_face(points)[1]
        sides = [self.farthest(normal), self.farthest(-normal)]
        points = np.concatenate([points, [point for point, _ in sides]])
        pairs = np.concatenate([pairs, [pair for _, pair in sides]])
        corners, chosen = _simplex(points)
        return corners, pairs[chosen]


def hull_separation(a: np.ndarray, b: np.ndarray, known: np.ndarray | None = None) -> Separation:
    """The shortest translation of b that separates the hulls of two point sets.

    Args:
        a, b: (n, 3) and (m, 3) float64 [m]. Points in one plane, all together, are separated by leaving it.
        known: pairs of points (k, 2) that an answer for nearly the same question gave: their differences are tried
            before all points are looked through. The answer is the same, up to rounding.
    """
    origin = a[0].copy()
    a, b = a - origin, b - origin
    scale = float(np.abs(a).max() + np.abs(b).max())
    rounding = _ROUNDING * scale
    differences = _Differences(a, b, np.empty((0, 2), np.int64) if known is None else known)
    corners, pairs = differences.simplex(rounding)
    height, across = _height(corners)
    if height <= rounding:
        return Separation(0.0, across, 0.0, pairs, differences.searches)
    faces = np.array([(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)])
    normals, offsets = _planes(corners, faces)
    best, direction = np.inf, _X
    lower = 0.0
    for _ in range(_MOST_STEPS):
        nearest = int(offsets.argmin())
        normal, offset = normals[nearest], float(offsets[nearest])
        at_hand = differences.beyond(normal, offset + 4.0 * rounding)
        point, pair = differences.farthest(normal) if at_hand is None else at_hand
        if at_hand is None:
            reach = float(point @ normal)
            if reach < best:
                best, direction = reach, normal
            if best < -rounding or best - offset <= 4.0 * rounding or reach - offset <= 4.0 * rounding:
                lower = max(lower, min(offset, best))
                break
        lower = max(lower, min(offset, best))
        seen = normals @ point > offsets - rounding
        rim = _rim(faces[seen])
        corners, pairs = np.vstack([corners, point]), np.vstack([pairs, pair])
        added = np.column_stack([rim, np.full(len(rim), len(corners) - 1)])
        more_normals, more_offsets = _planes(corners, added)
        faces = np.concatenate([faces[~seen], added])
        normals = np.concatenate([normals[~seen], more_normals])
        offsets = np.concatenate([offsets[~seen], more_offsets])
    return Separation(best, direction, lower, pairs[np.unique(faces)], differences.searches)


def _first_face(points: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Three points far from each other, and the unit normal of their plane (3,)."""
    first = 0
    offsets = points - points[first]
    second = int((offsets**2).sum(axis=1).argmax())
    along = _unit(offsets[second], _X)
    across = offsets - np.outer(offsets @ along, along)
    third = int((across**2).sum(axis=1).argmax())
    return [first, second, third], _normal(offsets[second], offsets[third])


def _normal(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A unit vector across two vectors, also where these are parallel or zero."""
    along = _unit(u, _X)
    return _unit(np.cross(u, v), _unit(np.cross(along, np.eye(3)[np.abs(along).argmin()]), _X))


def _unit(vector: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """The direction of a vector, or another one where it has none."""
    length = np.linalg.norm(vector)
    return vector / length if length > 0.0 else otherwise


def _simplex(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Four points far from each other, (4, 3), turned so that their faces look outward, and which ones, (4,)."""
    chosen, normal = _first_face(points)
    heights = (points - points[chosen[0]]) @ normal
    fourth = int(np.abs(heights).argmax())
    order = np.array([*chosen, fourth])
    if heights[fourth] > 0.0:
        order = order[[0, 2, 1, 3]]
    return points[order], order


def _height(corners: np.ndarray) -> tuple[float, np.ndarray]:
    """Height of a simplex (4, 3) over its first face, and that face's unit normal."""
    normal = _normal(corners[1] - corners[0], corners[2] - corners[0])
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
