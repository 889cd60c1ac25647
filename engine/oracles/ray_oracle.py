"""Rays against triangles by fractions, with a step aside that is tiny but a number.

The engine moves a ray by infinitely small steps and reads signs of determinants. Here the origin is moved by the
fractions 2**-STEP and 2**-(2 STEP) along the two axes after that along which the ray advances most; then the point in
which the line goes through the plane is solved for, and told whether it lies in the triangle. All numbers of float64
between 2**-200 and 2**100 are whole multiples of steps many thousand times as large, so no sign changes on the way.
A point that lies strictly inside or strictly outside of a triangle stays there, so only others are moved.
"""

from fractions import Fraction

import numpy as np

STEP = 4000
Vector = tuple[Fraction, Fraction, Fraction]


def crossings_of(o, d, corners) -> list[tuple[int, Fraction]]:
    """(triangle, t) of each of the triangles (m, 3, 3) that the ray o + t d crosses, t >= 0, in their order."""
    o, d = np.asarray(o, float), np.asarray(d, float)
    axis = int(np.abs(d).argmax())
    start, way = _exact(o), _exact(d)
    moved = list(start)
    moved[(axis + 1) % 3] += Fraction(1, 1 << STEP)
    moved[(axis + 2) % 3] += Fraction(1, 1 << (2 * STEP))
    found = []
    for t in near_line(o, d, corners):
        a, b, c = (_exact(corner) for corner in corners[t])
        first, second = _minus(b, a), _minus(c, a)
        normal = _cross(first, second)
        speed = _dot(normal, way)
        if speed == 0:
            continue
        inside = _least_weight(a, first, second, normal, _met(a, normal, speed, start, way))
        if inside == 0:
            inside = _least_weight(a, first, second, normal, _met(a, normal, speed, moved, way))
        time = _dot(normal, _minus(a, start)) / speed
        if inside >= 0 and time >= 0:
            found.append((t, time))
    return found


def near_line(o, d, corners) -> list[int]:
    """Triangles that are not far off the line: others are beside it, seen along an axis, by much more than rounding."""
    axis = int(np.abs(d).argmax())
    away = corners - o
    slack = 1e-9 * np.abs(away).max(axis=(1, 2)) + 1e-250
    near = np.ones(len(corners), bool)
    for k in ((axis + 1) % 3, (axis + 2) % 3):
        beside = away[:, :, k] - d[k] / d[axis] * away[:, :, axis]
        near &= (beside.min(axis=1) <= slack) & (beside.max(axis=1) >= -slack)
    return np.flatnonzero(near).tolist()


def _met(a: Vector, normal: Vector, speed: Fraction, o, d: Vector) -> Vector:
    """Where a line goes through the plane of a triangle."""
    t = _dot(normal, _minus(a, o)) / speed
    return o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2]


def _least_weight(a: Vector, first: Vector, second: Vector, normal: Vector, p: Vector) -> Fraction:
    """The least barycentric coordinate of a point of the plane of a triangle: below 0 outside of it."""
    size, away = _dot(normal, normal), _minus(p, a)
    v = _dot(_cross(away, second), normal) / size
    w = _dot(_cross(first, away), normal) / size
    return min(v, w, 1 - v - w)


def _exact(p) -> Vector:
    x, y, z = (Fraction(float(value)) for value in p)
    return x, y, z


def _minus(p, q) -> Vector:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _dot(p, q) -> Fraction:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def _cross(p, q) -> Vector:
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]
