"""Triangles of polygons that need not be convex, by cutting ears. Meisters, "Polygons have ears" (1975)."""

import numpy as np


def triangulated(points: np.ndarray, counts: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Triangles (m, 3) int32 of faces; faces of fewer than three corners give none.

    Args:
        points: (n, 3).
        counts: (f,) corners of each face.
        corners: their indices, one face after another.
    """
    starts = np.concatenate(([0], np.cumsum(counts)[:-1])) if len(counts) else np.empty(0, np.int64)
    plain = counts == 3
    parts = [corners[starts[plain, None] + np.arange(3)]] if plain.any() else []
    places = [np.flatnonzero(plain)]
    quads = np.flatnonzero(counts == 4)
    if len(quads):
        parts.append(_halves(points, corners[starts[quads, None] + np.arange(4)]))
        places.append(np.repeat(quads, 2))
    for face in np.flatnonzero(counts > 4).tolist():
        own = corners[starts[face] : starts[face] + counts[face]]
        parts.append(own[_ears(points[own])])
        places.append(np.full(len(parts[-1]), face))
    if not parts:
        return np.empty((0, 3), np.int32)
    order = np.argsort(np.concatenate(places[0 if plain.any() else 1 :]), kind="stable")
    return np.concatenate(parts)[order].astype(np.int32)


def _halves(points: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Two triangles (2 q, 3) of each of the quads (q, 4); those that are not convex are cut at their inner corner."""
    a, b, c, d = (points[quads[:, k]] for k in range(4))
    same = (np.cross(a - d, b - d) * np.cross(c - b, d - b)).sum(axis=1) > 0.0
    cut = np.where(same[:, None], quads[:, [3, 0, 1, 1, 2, 3]], quads[:, [0, 1, 2, 0, 2, 3]])
    return cut.reshape(-1, 3)


def _ears(polygon: np.ndarray) -> np.ndarray:
    """Triangles (k - 2, 3) of a polygon (k, 3) that is nearly flat."""
    following = np.roll(polygon, -1, axis=0)
    normal = np.cross(polygon, following).sum(axis=0)
    drop = int(np.abs(normal).argmax())
    flat = np.delete(polygon, drop, axis=1)
    if (normal[drop] < 0.0) != (drop == 1):
        flat = flat[:, ::-1]
    if _is_convex(flat):
        first = np.arange(len(polygon) - 2)
        return np.column_stack([np.full_like(first, len(polygon) - 1), first, first + 1])
    rows = flat.tolist()
    left, found = list(range(len(polygon))), []
    while len(left) > 3:
        ear = next((k for k in range(len(left)) if _is_ear(rows, left, k)), 0)
        found.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    return np.array([*found, left])


def _is_convex(flat: np.ndarray) -> bool:
    """Whether a polygon (k, 2) turns left at every corner, once around in all."""
    before, after = flat - np.roll(flat, 1, axis=0), np.roll(flat, -1, axis=0) - flat
    turns = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    angles = np.arctan2(turns, (before * after).sum(axis=1))
    return bool((turns > 0.0).all() and angles.sum() < 3.0 * np.pi)


def _is_ear(flat: list[list[float]], left: list[int], k: int) -> bool:
    a, b, c = (flat[left[place % len(left)]] for place in (k - 1, k, k + 1))
    if _turn(a, b, c) <= 0.0:
        return False
    corners = {left[k - 1], left[k], left[(k + 1) % len(left)]}
    for point in left:
        p = flat[point]
        if _turn(a, b, p) >= 0.0 and _turn(b, c, p) >= 0.0 and _turn(c, a, p) >= 0.0 and point not in corners:
            return False
    return True


def _turn(a: list[float], b: list[float], c: list[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
