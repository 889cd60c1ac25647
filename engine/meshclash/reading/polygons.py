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
    parts = [corners[starts[plain, None] + np.arange(3)]]
    places = [np.flatnonzero(plain)]
    quads = np.flatnonzero(counts == 4)
    four = corners[starts[quads, None] + np.arange(4)]
    simple = _begin_with_ears(points[four])
    parts += [four[simple][:, [[3, 0, 1], [1, 2, 3]]].reshape(-1, 3)]
    places += [np.repeat(quads[simple], 2)]
    for face in np.setdiff1d(np.flatnonzero(counts > 3), quads[simple]).tolist():
        own = corners[starts[face] : starts[face] + counts[face]]
        parts.append(own[_ears(points[own])])
        places.append(np.full(len(parts[-1]), face))
    order = np.argsort(np.concatenate(places), kind="stable")
    return np.concatenate(parts)[order].astype(np.int32)


def _begin_with_ears(quads: np.ndarray) -> np.ndarray:
    """Which quads (n, 4, 3) have an ear at the first corner, as most have: `_ears` of all of them at once."""
    normals = np.cross(quads, np.roll(quads, -1, axis=1)).sum(axis=1)
    drops, rows = np.abs(normals).argmax(axis=1), np.arange(len(quads))
    kept = np.array([[1, 2], [0, 2], [0, 1]])[drops]
    back = (normals[rows, drops] < 0.0) != (drops == 1)
    kept[back] = kept[back, ::-1]
    flat = np.take_along_axis(quads, kept[:, None, :], axis=2)

    def turn(a: int, b: int, c: int) -> np.ndarray:
        first, second = flat[:, b] - flat[:, a], flat[:, c] - flat[:, a]
        return first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]

    covered = (turn(3, 0, 2) >= 0.0) & (turn(0, 1, 2) >= 0.0) & (turn(1, 3, 2) >= 0.0)
    return np.asarray((turn(3, 0, 1) > 0.0) & ~covered)


def _ears(polygon: np.ndarray) -> np.ndarray:
    """Triangles (k - 2, 3) of a polygon (k, 3) that is nearly flat."""
    following = np.roll(polygon, -1, axis=0)
    normal = np.cross(polygon, following).sum(axis=0)
    drop = int(np.abs(normal).argmax())
    flat = np.delete(polygon, drop, axis=1)
    if (normal[drop] < 0.0) != (drop == 1):
        flat = flat[:, ::-1]
    left, found = list(range(len(polygon))), []
    while len(left) > 3:
        ear = next((k for k in range(len(left)) if _is_ear(flat, left, k)), 0)
        found.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    return np.array([*found, left])


def _is_ear(flat: np.ndarray, left: list[int], k: int) -> bool:
    a, b, c = (flat[left[place % len(left)]] for place in (k - 1, k, k + 1))
    if _turn(a, b, c) <= 0.0:
        return False
    others = (flat[point] for point in left if point not in (left[k - 1], left[k], left[(k + 1) % len(left)]))
    return not any(_turn(a, b, p) >= 0.0 and _turn(b, c, p) >= 0.0 and _turn(c, a, p) >= 0.0 for p in others)


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
