"""Exact winding numbers of closed meshes by another way than the engine's, for benches and tests.

A ray runs upward from each point; triangles are found by a grid over x and y, and signs come from float64 with an
error bound, else from fractions. Where the ray meets an edge, the point is moved by (h, h**2) for an infinitely small
h, which leaves the winding number of a point off the surface as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

_CELLS = 128
_BOUND_2D, _BOUND_3D = 4.0 * 2.0**-53, 9.0 * 2.0**-53
_SAFE = 1e-150


def exact_windings(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Winding numbers (n,) int64 of the closed surface of triangles (m, 3, 3) around points (n, 3) that are off it."""
    at, t = _candidates(corners, points)
    p = points[at]
    a, b, c = (corners[t, k] for k in range(3))
    turns = [_turn(u, v, p) for u, v in ((a, b), (b, c), (c, a))]
    hit = (turns[0] == turns[1]) & (turns[1] == turns[2]) & (turns[0] != 0)
    above = np.zeros(len(t), np.int64)
    rows = np.flatnonzero(hit)
    side = _signs(_orient3d, _rational_orient3d, a[rows], b[rows], c[rows], p[rows])
    # Seen from above, a triangle that turns left has its normal upward; orient3d is positive for points below it.
    above[rows] = np.where(side == turns[0][rows], turns[0][rows], 0)
    return np.bincount(at, above, len(points)).astype(np.int64)


def lies_on_surface(corners: np.ndarray, p: np.ndarray) -> bool:
    """Whether a point (3,) lies on one of the closed triangles (m, 3, 3), by fractions."""
    near = ((corners.min(axis=1) <= p) & (corners.max(axis=1) >= p)).all(axis=1)
    return any(_on_triangle([[Fraction(float(x)) for x in q] for q in (*t, p)]) for t in corners[near])


def _on_triangle(rows: list[list[Fraction]]) -> bool:
    """Whether the last of four points is a mean of the others with weights that are not negative."""
    a, b, c, p = rows
    u, v, w = ([x - y for x, y in zip(q, a, strict=True)] for q in (b, c, p))
    uu, uv, vv, uw, vw = (
        sum(x * y for x, y in zip(q, r, strict=True)) for q, r in ((u, u), (u, v), (v, v), (u, w), (v, w))
    )
    determinant = uu * vv - uv * uv
    if determinant == 0:
        return any(_on_segment(q, r, p) for q, r in ((a, b), (b, c), (c, a)))
    s, t = (vv * uw - uv * vw) / determinant, (uu * vw - uv * uw) / determinant
    foot = [x + s * y + t * z for x, y, z in zip(a, u, v, strict=True)]
    return foot == p and s >= 0 and t >= 0 and s + t <= 1


def _on_segment(a: list[Fraction], b: list[Fraction], p: list[Fraction]) -> bool:
    d, w = ([x - y for x, y in zip(q, a, strict=True)] for q in (b, p))
    length2 = sum(x * x for x in d)
    s = sum(x * y for x, y in zip(d, w, strict=True)) / length2 if length2 else Fraction(0)
    return 0 <= s <= 1 and [x + s * y for x, y in zip(a, d, strict=True)] == p


def _candidates(corners: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (point, triangle) whose boxes meet in x and y, the triangle not below the point."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    first, size = low.min(axis=0)[:2], np.maximum((high.max(axis=0) - low.min(axis=0))[:2], 1e-300)

    def cell(x: np.ndarray) -> np.ndarray:
        return np.clip((x - first) / size * _CELLS, 0, _CELLS - 1).astype(np.int64)

    begin, end = cell(low[:, :2]), cell(high[:, :2])
    across = end - begin + 1
    count = across.prod(axis=1)
    t = np.repeat(np.arange(len(corners)), count)
    step = np.arange(len(t)) - np.repeat(np.cumsum(count) - count, count)
    key = (begin[t, 0] + step // across[t, 1]) * _CELLS + begin[t, 1] + step % across[t, 1]
    order = np.argsort(key, kind="stable")
    key, t = key[order], t[order]
    wanted = cell(points[:, :2]) @ np.array([_CELLS, 1])
    start, stop = np.searchsorted(key, wanted), np.searchsorted(key, wanted + 1)
    at = np.repeat(np.arange(len(points)), stop - start)
    found = t[np.arange(len(at)) + np.repeat(start - np.cumsum(stop - start) + (stop - start), stop - start)]
    keep = (low[found, :2] <= points[at, :2]).all(axis=1) & (high[found] >= points[at]).all(axis=1)
    return at[keep], found[keep]


def _turn(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> np.ndarray:
    """1 where a, b, p turn left seen from above, -1 where right; decided for points moved by (h, h**2)."""
    sign = _signs(_orient2d, _rational_orient2d, a, b, p)
    sign = np.where(sign == 0, -np.sign(b[:, 1] - a[:, 1]).astype(np.int64), sign)
    return np.where(sign == 0, np.sign(b[:, 0] - a[:, 0]).astype(np.int64), sign)


def _signs(floats: Callable, rationals: Callable, *given: np.ndarray) -> np.ndarray:
    """Signs (n,) of a determinant, by fractions where float64 leaves them open."""
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        value, bound, size = floats(*given)
        sure = (np.abs(value) > bound) & (size > _SAFE) & (size < 1.0 / _SAFE)
    sign = np.sign(np.where(sure, value, 0.0)).astype(np.int64)
    for i in np.flatnonzero(~sure):
        x = rationals(*([Fraction(float(q)) for q in rows[i]] for rows in given))
        sign[i] = (x > 0) - (x < 0)
    return sign


def _orient2d(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    left = (b[:, 0] - a[:, 0]) * (p[:, 1] - a[:, 1])
    right = (b[:, 1] - a[:, 1]) * (p[:, 0] - a[:, 0])
    size = np.abs(left) + np.abs(right)
    return left - right, _BOUND_2D * size, size


def _orient3d(a: np.ndarray, b: np.ndarray, c: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    u, v, w = a - p, b - p, c - p
    value, size = np.zeros(len(p)), np.zeros(len(p))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        plus, minus = v[:, j] * w[:, k], v[:, k] * w[:, j]
        value += u[:, i] * (plus - minus)
        size += np.abs(u[:, i]) * (np.abs(plus) + np.abs(minus))
    return value, _BOUND_3D * size, size


def _rational_orient2d(a: list[Fraction], b: list[Fraction], p: list[Fraction]) -> Fraction:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def _rational_orient3d(a: list[Fraction], b: list[Fraction], c: list[Fraction], p: list[Fraction]) -> Fraction:
    u, v, w = ([x - y for x, y in zip(q, p, strict=True)] for q in (a, b, c))
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])
