"""Triangulate polygons that need not be convex by ear clipping. Meisters, "Polygons have ears" (1975)."""

import numpy as np

from ..errors import InvalidMesh

MOST_WORK, _TURN_WORK = 20_000_000, 10
"""Largest number of points that are tested for one polygon, which takes some seconds; a corner counts as ten."""


def triangulated(points: np.ndarray, counts: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Triangulate polygons, and return the triangles, (m, 3) int32. If a polygon has fewer than three corners, it gives
    no triangles.

    Args:
        points: (n, 3).
        counts: (f,) corners of each face.
        corners: vertex indices of the corners, one face after another.

    Raises:
        InvalidMesh: a face has thousands of corners and crosses itself.
    """
    starts = np.concatenate(([0], np.cumsum(counts)[:-1])) if len(counts) else np.empty(0, np.int64)
    plain = counts == 3
    parts = [corners[starts[plain, None] + np.arange(3)]]
    places = [np.flatnonzero(plain)]
    quads = np.flatnonzero(counts == 4)
    if len(quads):
        parts.append(_halves(points, corners[starts[quads, None] + np.arange(4)]))
        places.append(np.repeat(quads, 2))
    for face in np.flatnonzero(counts > 4).tolist():
        own = corners[starts[face] : starts[face] + counts[face]]
        parts.append(own[_ears(points[own])])
        places.append(np.full(len(parts[-1]), face))
    order = np.argsort(np.concatenate(places), kind="stable")
    return np.concatenate(parts)[order].astype(np.int32)


def _halves(points: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Return two triangles (2 q, 3) for each quad (q, 4); quads that are not convex are cut at their reflex corner."""
    a, b, c, d = (points[quads[:, k]] for k in range(4))
    same = (np.cross(a - d, b - d) * np.cross(c - b, d - b)).sum(axis=1) > 0.0
    cut = np.where(same[:, None], quads[:, [3, 0, 1, 1, 2, 3]], quads[:, [0, 1, 2, 0, 2, 3]])
    return cut.reshape(-1, 3)


def _ears(polygon: np.ndarray) -> np.ndarray:
    """Return the triangles (k - 2, 3) of a nearly flat polygon (k, 3)."""
    following = np.roll(polygon, -1, axis=0)
    normal = np.cross(polygon, following).sum(axis=0)
    drop = int(np.abs(normal).argmax())
    flat = np.delete(polygon, drop, axis=1)
    if (normal[drop] < 0.0) != (drop == 1):
        flat = flat[:, ::-1]
    if _is_convex(flat):
        first = np.arange(len(polygon) - 2)
        return np.column_stack([np.full_like(first, len(polygon) - 1), first, first + 1])
    return np.array(_Ears(flat.tolist()).cut())


class _Ears:
    """Clips ears, which are convex corners whose triangle contains no other corner, until three corners are left."""

    def __init__(self, flat: list[list[float]]) -> None:
        self._flat, self._left = flat, list(range(len(flat)))
        self._inner = {k for k in range(len(flat)) if self._turn_at(k) <= 0.0}
        self._work = 0

    def cut(self) -> list[tuple[int, int, int]]:
        """Return the triangles; raises InvalidMesh."""
        left, found, k, misses = self._left, list[tuple[int, int, int]](), 0, 0
        while len(left) > 3:
            k %= len(left)
            if misses < len(left) and not self._is_ear(k):
                k, misses = k + 1, misses + 1
                continue
            found.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
            self._inner.discard(left.pop(k))
            for place in (k - 1, k % len(left)):
                if self._turn_at(place) > 0.0:
                    self._inner.discard(left[place])
            misses = 0
        return [*found, (left[0], left[1], left[2])]

    def _is_ear(self, k: int) -> bool:
        flat, left = self._flat, self._left
        corners = left[k - 1], left[k], left[(k + 1) % len(left)]
        a, b, c = (flat[corner] for corner in corners)
        self._work += _TURN_WORK
        if _turn(a, b, c) <= 0.0:
            return self._afford()
        self._work += len(self._inner)
        self._afford()
        for point in self._inner:
            p = flat[point]
            if _turn(a, b, p) >= 0.0 and _turn(b, c, p) >= 0.0 and _turn(c, a, p) >= 0.0 and point not in corners:
                return False
        return True

    def _afford(self) -> bool:
        """Return False, or raise InvalidMesh if the limit of work is exceeded."""
        if self._work > MOST_WORK:
            raise InvalidMesh(f"a face with {len(self._flat)} corners intersects itself too often to be triangulated")
        return False

    def _turn_at(self, k: int) -> float:
        flat, left = self._flat, self._left
        return _turn(flat[left[k - 1]], flat[left[k]], flat[left[(k + 1) % len(left)]])


def _is_convex(flat: np.ndarray) -> bool:
    """Return whether a polygon (k, 2) turns left at every corner and winds around once."""
    before, after = flat - np.roll(flat, 1, axis=0), np.roll(flat, -1, axis=0) - flat
    turns = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    angles = np.arctan2(turns, (before * after).sum(axis=1))
    return bool((turns > 0.0).all() and angles.sum() < 3.0 * np.pi)


def _turn(a: list[float], b: list[float], c: list[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
