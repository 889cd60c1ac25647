"""A point, a line or a direction against eight boxes or triangles at once, in float32: lower bounds that are never too
high.

Let u = 2**-24. All numbers are relative to the hierarchy's origin. No number overflows, because callers pass sizes up
to ``LARGEST``. An underflow loses at most 1e-37. To cover underflow, margins are enlarged by ``LEAST``, and limits by
the square of ``LEAST``.

*Point and boxes.* The point is off by u times its largest coordinate and by the caller's slack; the sum is the margin.
Differences, squares and their sum have a relative error below 8 u, which ``near_square`` takes into account.

*Point and triangles*, relative to the lowest corner of their leaf's box. Let d be any vector whose absolute components
add up to 1, and c the corners of a triangle. Then no point of the triangle is nearer to p than min d.(p - c) / |d|. So
d need not be precise: it is the vector from the nearest point in float32. Let S be the sum of the largest coordinates
of p and of the leaf. Coordinates are off by u S each, a difference by another u S, the two products by 3 u S each,
their difference by 2 u S, and the sum of abs(d), 1 + 4 u, multiplies all: less than 12 u S. The margin is 16 u S and
the caller's slack.

*Line and boxes.* With the middle c and half extents h of a box, the line o + t f misses the box if |((c - o) x f)_k| >
h_i |f_j| + h_j |f_i| for some k (i and j are the other axes). The requested part of the line also misses the box if all
of this part is beyond the box in one coordinate. Let f have the largest component 1 and M be the sum of the largest
coordinates of o and of any box. Then c - o is at most M and off by 5 u M; each product on the left is off by 7 u M,
their difference by 16 u M; each product on the right by 4 u M, their sum by 10 u M. The margin is 48 u M and twice the
slack, by which each of two components may be off.

*Line and triangles.* Corners are moved along the line into a coordinate plane: P_i = A_i - (f_i / f_k) A_k with A = c -
o and |f_k| = 1. With S as above, A is off by 3 u S, the product by 5 u S, P by 10 u S and twice the slack: less than e
= 16 u S and twice the slack. The line meets the triangle only if the cross products of P around it do not differ in
sign. If the components of P are at most L, each cross product is off by 4 e L + 2 e**2 because of P, and by 4 u L**2
from its own rounding. If all A_k are on one side of zero, farther than e, the triangle is behind o.

*Direction and boxes or triangles.* They reach along m, whose components are at most 1, as far as m.c + sum |m_k| h_k,
or the maximum of m.c over three corners. Products and sums are off by less than 64 u M, with the largest coordinate M
of any box; the caller takes this into account.
"""

import numpy as np

from ..jit import inlined
from .lane_boxes import extent, middle
from .lanes import above, choose, higher, load, lower, splat

UNIT = 2.0**-24
LARGEST = 1e15
LEAST = 1e-18
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_TWICE = np.float32(2.0)
_FOUR = np.float32(4.0)
_EIGHT_UNITS = np.float32(8.0 * UNIT)
_SHORTEST = np.float32(1e-30)
_NEVER = np.float32(np.inf)

POINT, MARGIN = 0, 3
"""Entries of a query about boxes: a point, and the margin."""
ALONG, LOW, HIGH, LINE_MARGIN = 3, 6, 9, 12
"""For a line, the entries behind its point: f, the rounded bounds of the requested part, and the margin."""
QUERY_LENGTH = 16


@inlined
def near_square(length):
    """Return the squared gap above which everything is farther than a length [m], float32."""
    return np.float32(length * length * 1.00001 + LEAST * LEAST)


@inlined
def _positive(lanes):
    """Return the lanes, with 0 for negative numbers and NaN."""
    return higher(lanes, splat(_ZERO))


@inlined
def squared_gaps_of_boxes(nodes, at, query):
    """Return lower bounds (Lanes [m2]) of the squared distances between a point and the eight boxes of a node."""
    margin = splat(query[MARGIN])
    x, y, z = splat(query[POINT]), splat(query[POINT + 1]), splat(query[POINT + 2])
    dx = _positive(higher(load(nodes, at) - x, x - load(nodes, at + 24)) - margin)
    dy = _positive(higher(load(nodes, at + 8) - y, y - load(nodes, at + 32)) - margin)
    dz = _positive(higher(load(nodes, at + 16) - z, z - load(nodes, at + 40)) - margin)
    return dx * dx + dy * dy + dz * dz


@inlined
def _corner(coordinates, at, count, i, j, k):
    return load(coordinates, at + i * count), load(coordinates, at + j * count), load(coordinates, at + k * count)


@inlined
def _corners(coordinates, at, count, i, j, k):
    """Return coordinates i, j, k of all three corners of the triangles of a leaf."""
    a = _corner(coordinates, at, count, i, j, k)
    b = _corner(coordinates, at + 3 * count, count, i, j, k)
    return *a, *b, *_corner(coordinates, at + 6 * count, count, i, j, k)


@inlined
def _within(lanes):
    """Return the lanes, clamped to 0 to 1; 0 for NaN."""
    return lower(_positive(lanes), splat(_ONE))


@inlined
def _product(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@inlined
def _nearest_weights(s, t, m, d, e):
    """Return approximate weights of b and c at the point of each triangle nearest to p.

    ``s``, ``t`` and ``m`` are the products of ab and ac with themselves and each other, ``d`` and ``e`` those with ap.
    """
    one, two = splat(_ONE), splat(_TWICE)
    v, w = _within(d / s), splat(_ZERO)
    best = v * (v * s - two * d)
    y = _within(e / t)
    square = y * (y * t - two * e)
    nearer = above(best, square)
    v, w, best = choose(nearer, w, v), choose(nearer, y, w), lower(square, best)
    y = _within((s - m - d + e) / (s + t - two * m))
    x = one - y
    square = x * (x * s - two * d) + y * (y * t - two * e) + two * x * y * m
    nearer = above(best, square)
    v, w = choose(nearer, x, v), choose(nearer, y, w)
    x, y, whole = t * d - m * e, s * e - m * d, s * t - m * m
    off = above(splat(_ZERO), lower(lower(x, y), whole - x - y))
    share = one / choose(above(whole, splat(_ZERO)), whole, one)
    off = off | above(splat(_SHORTEST), whole)
    return choose(off, v, x * share), choose(off, w, y * share)


@inlined
def squared_gaps_of_triangles(coordinates, at, count, x, y, z, margin):
    """Return lower bounds (Lanes [m2]) of the squared distances between a point and the triangles of a leaf.

    The point and the margin, float32 [m], are relative to the lowest corner of the leaf's box.
    """
    ax, ay, az, bx, by, bz, cx, cy, cz = _corners(coordinates, at, count, 0, 1, 2)
    bx, by, bz, cx, cy, cz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    ax, ay, az = splat(x) - ax, splat(y) - ay, splat(z) - az
    v, w = _nearest_weights(
        _product(bx, by, bz, bx, by, bz), _product(cx, cy, cz, cx, cy, cz), _product(bx, by, bz, cx, cy, cz),
        _product(bx, by, bz, ax, ay, az), _product(cx, cy, cz, ax, ay, az),
    )  # fmt: skip
    dx, dy, dz = ax - v * bx - w * cx, ay - v * by - w * cy, az - v * bz - w * cz
    length = abs(dx) + abs(dy) + abs(dz)
    known = above(length, splat(_SHORTEST))
    scale = choose(known, splat(_ONE) / length, splat(_ZERO))
    dx, dy, dz = dx * scale, dy * scale, dz * scale
    height = _product(ax, ay, az, dx, dy, dz)
    most = higher(_product(bx, by, bz, dx, dy, dz), _product(cx, cy, cz, dx, dy, dz))
    gap = _positive(height - _positive(most) - splat(margin))
    return _positive(gap * gap / _product(dx, dy, dz, dx, dy, dz))


@inlined
def _beside(x, y, f, g, u, v, margin):
    """Return the mask of the boxes that a line passes by, in the projection along an axis.

    x, y are the boxes' middles relative to o, u, v their half extents.
    """
    return above(abs(x * splat(g) - y * splat(f)), u * splat(abs(g)) + v * splat(abs(f)) + splat(margin))


@inlined
def boxes_off_line(nodes, at, query):
    """Return 0 (Lanes) for the boxes of a node that a line may meet, infinity for others."""
    margin, fx, fy, fz = query[LINE_MARGIN], query[ALONG], query[ALONG + 1], query[ALONG + 2]
    off = above(load(nodes, at), splat(query[HIGH])) | above(splat(query[LOW]), load(nodes, at + 24))
    off = off | above(load(nodes, at + 8), splat(query[HIGH + 1])) | above(splat(query[LOW + 1]), load(nodes, at + 32))
    off = off | above(load(nodes, at + 16), splat(query[HIGH + 2])) | above(splat(query[LOW + 2]), load(nodes, at + 40))
    x, y = middle(nodes, at, 0) - splat(query[POINT]), middle(nodes, at, 1) - splat(query[POINT + 1])
    z = middle(nodes, at, 2) - splat(query[POINT + 2])
    u, v, w = extent(nodes, at, 0), extent(nodes, at, 1), extent(nodes, at, 2)
    off = off | _beside(x, y, fx, fy, u, v, margin) | _beside(y, z, fy, fz, v, w, margin)
    return choose(off | _beside(z, x, fz, fx, w, u, margin), splat(_NEVER), splat(_ZERO))


@inlined
def triangles_off_line(coordinates, at, count, i, j, k, x, y, z, f, g, sign, margin):
    """Return 0 (Lanes) for the triangles of a leaf that a line may meet, infinity for others.

    i, j, k are the axes; along k the line advances most, with that ``sign``. x, y, z is o, and f, g, sign is the line's
    direction along these axes, float32.
    """
    ax, ay, az, bx, by, bz, cx, cy, cz = _corners(coordinates, at, count, i, j, k)
    f, g = splat(f * sign), splat(g * sign)
    x, y, z = splat(x), splat(y), splat(z)
    az, bz, cz = az - z, bz - z, cz - z
    ax, bx, cx = ax - x - f * az, bx - x - f * bz, cx - x - f * cz
    ay, by, cy = ay - y - g * az, by - y - g * bz, cy - y - g * cz
    largest = higher(higher(higher(abs(ax), abs(bx)), higher(abs(cx), abs(ay))), higher(abs(by), abs(cy)))
    limit = splat(_FOUR * margin) * (largest + splat(margin)) + splat(_EIGHT_UNITS) * largest * largest
    a, b, c = ax * by - ay * bx, bx * cy - by * cx, cx * ay - cy * ax
    off = above(higher(higher(a, b), c), limit) & above(-limit, lower(lower(a, b), c))
    sign = splat(sign)
    behind = above(splat(-margin), higher(higher(sign * az, sign * bz), sign * cz))
    return choose(off | behind, splat(_NEVER), splat(_ZERO))


@inlined
def short_of_boxes(nodes, at, query):
    """Return how far (Lanes [m]) the boxes of a node reach along a direction, times -1."""
    x, y, z = splat(query[POINT]), splat(query[POINT + 1]), splat(query[POINT + 2])
    reach = higher(load(nodes, at) * x, load(nodes, at + 24) * x)
    reach = reach + higher(load(nodes, at + 8) * y, load(nodes, at + 32) * y)
    return -(reach + higher(load(nodes, at + 16) * z, load(nodes, at + 40) * z))


@inlined
def short_of_triangles(coordinates, at, count, query, low):
    """Return how far the triangles of a leaf reach along a direction, times -1.

    ``low`` is the reach of the leaf's lowest corner.
    """
    x, y, z = splat(query[POINT]), splat(query[POINT + 1]), splat(query[POINT + 2])
    ax, ay, az, bx, by, bz, cx, cy, cz = _corners(coordinates, at, count, 0, 1, 2)
    a, b = _product(x, y, z, ax, ay, az), _product(x, y, z, bx, by, bz)
    return -(higher(higher(a, b), _product(x, y, z, cx, cy, cz)) + splat(low))
