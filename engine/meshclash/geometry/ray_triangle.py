"""Exact test whether a ray crosses a triangle, so that a surface has no gaps and no double hits.

The ray is o + t d, t >= 0, of float64 numbers without rounding. If a line meets an edge or a vertex, the line is
treated as moved sideways by an infinitely small step along one axis and an infinitely smaller step along another axis;
neither axis is the one along which the line advances most. Then every line passes through triangles or misses them, but
never lies in a triangle. Among the triangles around an edge or a vertex that separate two sides, it crosses as many as
any line near it. The result depends only on coordinates, so it is consistent for triangles whose corners have equal
positions. (Edelsbrunner and Mücke, "Simulation of simplicity" (1990).) Triangles that the line sees edge-on, or that
have no area, are never crossed.

The sign of a corner pair is that of det(d, a - o, b - o). A step e changes it by -det(d, e, b - a).

The first computation is in float64, in coordinates sheared along d (Woop, Benthin, Wald, "Watertight ray/triangle
intersection" (2013)). With u = 2**-53, M the largest coordinate of the corners relative to o and L the largest of the
sheared ones, these are off by 6 u M, and their cross products by 24 u M L + 4 u L**2. If the error bound leaves a sign
undecided, expansions decide the sign.
"""

import math
from typing import NamedTuple

from ..jit import inner
from .predicates import UNCERTAIN, exact_orient3d, expanded_turn, expanded_turn2d

MISSED = 0
_UNIT = 2.0**-53
_LEAST = 1e-290
"""Added to error bounds: more than products too small for float64 lose."""
_SURE = 1e9
"""The doubled area along the ray must be at least so many error bounds, or it is recomputed, since it is a divisor."""


class Line(NamedTuple):
    """A ray, prepared for comparisons with triangles."""

    o: tuple[float, float, float]
    d: tuple[float, float, float]
    i: int
    j: int
    k: int
    """The axes in cyclic order; along k it advances most."""
    f: float
    g: float
    """d[i] / d[k] and d[j] / d[k]."""
    stretch: float
    """The length of d divided by the magnitude of d[k]."""


@inner
def line_of(o, d):
    """Return the Line from o along d, which is not zero."""
    k = 0
    for axis in range(1, 3):
        k = axis if abs(d[axis]) > abs(d[k]) else k
    i, j = (k + 1) % 3, (k + 2) % 3
    f, g = d[i] / d[k], d[j] / d[k]
    return Line(o, d, i, j, k, f, g, math.sqrt(1.0 + f * f + g * g))


@inner
def _turn(line, a, b, work):
    """Return (sign for the moved line, value for the unmoved line, whether both are known) of a corner pair.

    The value is det(d, a - o, b - o) / d[k]; the sign is 0 if a and b coincide in the projection along the line.
    """
    d, i, j, k = line.d, line.i, line.j, line.k
    value, known = expanded_turn(d, line.o, a, b, work)
    if value != 0.0 or not known:
        return (1 if value > 0.0 else -1), value / d[k], known
    sign = -expanded_turn2d(d[k], d[j], a[k], a[j], b[k], b[j], work)
    if sign == 0:
        sign = -expanded_turn2d(d[i], d[k], a[i], a[k], b[i], b[k], work)
    return sign, 0.0, True


@inner
def _sides(line, a, b, c, work):
    """Like ``_cross_sheared``, by expansions."""
    p, u, known_u = _turn(line, b, c, work)
    q, v, known_v = _turn(line, c, a, work)
    r, w, known_w = _turn(line, a, b, work)
    if not (known_u and known_v and known_w):
        return UNCERTAIN, u, v, w
    if p == 0 or p != q or p != r:
        return MISSED, u, v, w
    return (p if u + v + w != 0.0 else UNCERTAIN), u, v, w


@inner
def cross_triangle(line, a, b, c, work):
    """Return how a ray crosses a triangle: (how, distance, weights of a and of b).

    ``how`` is 1 along the triangle's normal, -1 against it, MISSED, or UNCERTAIN if coordinates are out of the
    predicates' range.
    """
    o, i, j, k = line.o, line.i, line.j, line.k
    az, bz, cz = a[k] - o[k], b[k] - o[k], c[k] - o[k]
    ax, bx, cx = a[i] - o[i], b[i] - o[i], c[i] - o[i]
    ay, by, cy = a[j] - o[j], b[j] - o[j], c[j] - o[j]
    size = max(abs(ax), abs(bx), abs(cx), abs(ay), abs(by), abs(cy), abs(az), abs(bz), abs(cz))
    ax, bx, cx = ax - line.f * az, bx - line.f * bz, cx - line.f * cz
    ay, by, cy = ay - line.g * az, by - line.g * bz, cy - line.g * cz
    largest = max(abs(ax), abs(bx), abs(cx), abs(ay), abs(by), abs(cy))
    bound = (32.0 * _UNIT) * (size * largest) + (8.0 * _UNIT) * (largest * largest) + _LEAST
    u, v, w = bx * cy - by * cx, cx * ay - cy * ax, ax * by - ay * bx
    most, least = max(u, v, w), min(u, v, w)
    if most > bound and least < -bound:
        return MISSED, 0.0, 0.0, 0.0
    total = u + v + w
    forward = line.d[k] > 0.0
    if forward:
        if az < 0.0 and bz < 0.0 and cz < 0.0:
            return MISSED, 0.0, 0.0, 0.0
    elif az > 0.0 and bz > 0.0 and cz > 0.0:
        return MISSED, 0.0, 0.0, 0.0
    if (least > bound or most < -bound) and abs(total) > _SURE * bound:
        how = 1 if (total > 0.0) == forward else -1
    else:
        how, u, v, w = _sides(line, a, b, c, work)
        if how in (MISSED, UNCERTAIN):
            return how, 0.0, 0.0, 0.0
        total = u + v + w
    side = how
    if (az < 0.0 or bz < 0.0 or cz < 0.0) if forward else (az > 0.0 or bz > 0.0 or cz > 0.0):
        side = exact_orient3d(a, b, c, o, work)
        if side == UNCERTAIN:
            return UNCERTAIN, 0.0, 0.0, 0.0
        if side == -how:
            return MISSED, 0.0, 0.0, 0.0
    u, v, w = u / total, v / total, w / total
    depth = u * az + v * bz + w * cz
    distance = (depth if forward else -depth) * line.stretch
    return how, (0.0 if side == 0 or distance < 0.0 else distance), u, v
