"""Compute the intersection of two triangles: the segment of the intersection curve, and the outline of a coplanar
overlap.

It is already known exactly that the triangles meet. The points here are ordinary float64 constructions for drawing and
for depths.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from ..reference import by_reference
from .triangle_distance import closest_of_triangles, closest_on_triangle, squared_distance
from .triangle_pair import COPLANAR

_MOST_CORNERS = 9  # three corners, and one more for each clipping edge, with a safety margin


class Room(NamedTuple):
    """Work buffers of ``meeting``, passed ``by_reference`` in kernels."""

    ends: np.ndarray
    """Ends of the last segment found, (2, 3)."""
    near_a: np.ndarray
    near_b: np.ndarray
    points: np.ndarray
    polygon: np.ndarray
    buffer: np.ndarray


def new_room() -> Room:
    """Allocate a ``Room``."""
    return Room(*(np.empty((rows, 3)) for rows in (2, 3, 3, 4, _MOST_CORNERS, _MOST_CORNERS)))


@inner
def _copy(source, target):
    for k in range(3):
        target[k] = source[k]


@inner
def _corner(triangle, i):
    return triangle[i, 0], triangle[i, 1], triangle[i, 2]


@inner
def _normal(t):
    ux = t[1, 0] - t[0, 0]
    uy = t[1, 1] - t[0, 1]
    uz = t[1, 2] - t[0, 2]
    vx = t[2, 0] - t[0, 0]
    vy = t[2, 1] - t[0, 1]
    vz = t[2, 2] - t[0, 2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@inner
def _height(n, t, p):
    """Return n . (p - t[0]): height of p above the plane of t, scaled by |n|."""
    return n[0] * (p[0] - t[0, 0]) + n[1] * (p[1] - t[0, 1]) + n[2] * (p[2] - t[0, 2])


@inner
def _cut(t, other, n, points):
    """Write the two points where edges of t meet the plane of ``other`` (normal n); False if there are no such
    points.
    """
    found = 0
    for i in range(3):
        p = _corner(t, i)
        q = _corner(t, (i + 1) % 3)
        hp = _height(n, other, p)
        hq = _height(n, other, q)
        through = (hp < 0.0 and hq > 0.0) or (hp > 0.0 and hq < 0.0)
        if found == 2 or not (through or hp == 0.0):
            continue
        s = hp / (hp - hq) if through else 0.0
        for k in range(3):
            points[found, k] = p[k] + s * (q[k] - p[k])
        found += 1
    if found == 1:
        _copy(points[0], points[1])
    return found > 0


@inner
def _common_segment(a, b, points, out):
    """Write the common part of the segments in which two triangles cut the common line of their planes; False if
    rounding hides the common part.
    """
    na = _normal(a)
    nb = _normal(b)
    if not (_cut(a, b, nb, points[:2]) and _cut(b, a, na, points[2:])):
        return False
    dx = abs(na[1] * nb[2] - na[2] * nb[1])
    dy = abs(na[2] * nb[0] - na[0] * nb[2])
    dz = abs(na[0] * nb[1] - na[1] * nb[0])
    axis = 0 if (dx >= dy and dx >= dz) else (1 if dy >= dz else 2)
    for first in (0, 2):
        if points[first, axis] > points[first + 1, axis]:
            for k in range(3):
                points[first, k], points[first + 1, k] = points[first + 1, k], points[first, k]
    start = 0 if points[0, axis] >= points[2, axis] else 2
    end = 1 if points[1, axis] <= points[3, axis] else 3
    if points[start, axis] > points[end, axis]:
        return False
    for k in range(3):
        out[0, k] = points[start, k]
        out[1, k] = points[end, k]
    return True


@inner
def _clip(a, b, polygon, buffer):
    """Clip a by b, both in one plane; return the number of corners (Sutherland and Hodgman 1974)."""
    n = _normal(b)
    count = 3
    for i in range(3):
        for k in range(3):
            polygon[i, k] = a[i, k]
    for edge in range(3):
        e = _corner(b, edge)
        f = _corner(b, (edge + 1) % 3)
        d = (f[0] - e[0], f[1] - e[1], f[2] - e[2])
        m = (n[1] * d[2] - n[2] * d[1], n[2] * d[0] - n[0] * d[2], n[0] * d[1] - n[1] * d[0])
        kept = 0
        for i in range(count):
            j = (i + 1) % count
            hi = 0.0
            hj = 0.0
            for k in range(3):
                hi += m[k] * (polygon[i, k] - e[k])
                hj += m[k] * (polygon[j, k] - e[k])
            if hi >= 0.0:
                _copy(polygon[i], buffer[kept])
                kept += 1
            if (hi > 0.0 and hj < 0.0) or (hi < 0.0 and hj > 0.0):
                s = hi / (hi - hj)
                for k in range(3):
                    buffer[kept, k] = polygon[i, k] + s * (polygon[j, k] - polygon[i, k])
                kept += 1
        count = kept
        for i in range(count):
            _copy(buffer[i], polygon[i])
    return count


@inner
def _longest_span(polygon, count, out):
    """Write the two corners of a polygon that are farthest apart."""
    best = -1.0
    for i in range(count):
        for j in range(i, count):
            length = 0.0
            for k in range(3):
                length += (polygon[i, k] - polygon[j, k]) ** 2
            if length > best:
                best = length
                for k in range(3):
                    out[0, k] = polygon[i, k]
                    out[1, k] = polygon[j, k]


@inner
def _nearest_point(a, b, out):
    """Write the midpoint of the nearest points of two triangles, for contacts too thin for other constructions."""
    _, x, y = closest_of_triangles(
        _corner(a, 0), _corner(a, 1), _corner(a, 2), _corner(b, 0), _corner(b, 1), _corner(b, 2), False
    )
    for k in range(3):
        out[0, k] = 0.5 * (x[k] + y[k])
        out[1, k] = out[0, k]


@inner
def _without_area(t):
    """Return whether a triangle is a segment or a point, up to the rounding of its normal."""
    n = _normal(t)
    longest = 0.0
    for i in range(3):
        p = _corner(t, i)
        longest = max(longest, squared_distance(p, _corner(t, (i + 1) % 3)))
    return abs(n[0]) + abs(n[1]) + abs(n[2]) <= 1e-14 * longest


@inner
def _same_plane(a, b):
    """Return whether b's corners lie in a's plane within rounding; this only chooses the construction."""
    n = _normal(a)
    scale = (abs(n[0]) + abs(n[1]) + abs(n[2])) * 1e-12
    for i in range(3):
        p = _corner(b, i)
        reach = 0.0
        for k in range(3):
            reach = max(reach, abs(p[k] - a[0, k]))
        if abs(_height(n, a, p)) > scale * reach:
            return False
    return True


@inner
def _average(points, count):
    x, y, z = 0.0, 0.0, 0.0
    for i in range(count):
        x += points[i, 0]
        y += points[i, 1]
        z += points[i, 2]
    return x / count, y / count, z / count


@inner
def _on_both(a, b, ends):
    """Return whether both ends of a segment lie on both triangles, up to a billionth of their size."""
    size2 = 0.0
    for i in range(3):
        size2 = max(size2, squared_distance(_corner(a, i), _corner(a, (i + 1) % 3)))
    for i in range(2):
        p = _corner(ends, i)
        for t in (a, b):
            q = closest_on_triangle(p, _corner(t, 0), _corner(t, 1), _corner(t, 2))
            if not squared_distance(p, q) <= 1e-18 * size2:  # also true for NaN
                return False
    return True


@inner
def _meeting_place(a, b, kind, room):
    """Write the segment in which two triangles meet; return the number of corners of a coplanar overlap in
    ``room.polygon``, otherwise 0.
    """
    out = room.ends
    if not (_without_area(a) or _without_area(b)):
        if kind == COPLANAR or _same_plane(a, b) or _same_plane(b, a):
            count = _clip(a, b, room.polygon, room.buffer)
            if count > 0:
                _longest_span(room.polygon, count, out)
                return count
        elif _common_segment(a, b, room.points, out) and _on_both(a, b, out):
            return 0
    _nearest_point(a, b, out)
    return 0


@inner
def meeting(a, b, kind, room):
    """Return the midpoint of the contact of two triangles, given by three points (x, y, z) each; the ends of the
    segment are in ``room.ends``.

    Both triangles are moved so that a corner is the origin, to avoid cancellation far from the world's origin.
    """
    o = a[0]
    for j in range(3):
        for k in range(3):
            room.near_a[j, k] = a[j][k] - o[k]
            room.near_b[j, k] = b[j][k] - o[k]
    count = _meeting_place(room.near_a, room.near_b, kind, room)
    x, y, z = _average(room.polygon, count) if count > 0 else _average(room.ends, 2)
    for i in range(2):
        for k in range(3):
            room.ends[i, k] += o[k]
    return x + o[0], y + o[1], z + o[2]


@inner
def _points(triangle):
    return _corner(triangle, 0), _corner(triangle, 1), _corner(triangle, 2)


@kernel
def _segments(a, b, kinds, room, out, middles):
    room = by_reference(room)
    for i in range(a.shape[0]):
        middles[i, 0], middles[i, 1], middles[i, 2] = meeting(_points(a[i]), _points(b[i]), kinds[i], room)
        for k in range(3):
            out[i, 0, k] = room.ends[0, k]
            out[i, 1, k] = room.ends[1, k]


@kernel
def _outlines(a, b, polygons, counts):
    buffer = np.empty((_MOST_CORNERS, 3))
    for i in range(a.shape[0]):
        counts[i] = _clip(a[i], b[i], polygons[i], buffer)


def contact_segments(a: np.ndarray, b: np.ndarray, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the segment in which each pair of triangles meets, and a point in the middle of the contact.

    Args:
        a, b: world triangles, (n, 3, 3) float64 [m]; each pair is known to meet.
        kinds: (n,) uint8.

    Returns:
        Segments (n, 2, 3) float64 [m], both ends: equal if the pair meets in a point, the longest span of a coplanar
        overlap. Middles (n, 3) float64 [m]: of the segment, or the mean corner of a flat overlap.
    """
    out = np.zeros((len(a), 2, 3))
    middles = np.zeros((len(a), 3))
    _segments(a, b, kinds, new_room(), out, middles)
    return out, middles


def overlap_outlines(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """Return the outlines (m, 3) float64 [m] of the overlaps of coplanar pairs a, b (n, 3, 3)."""
    polygons, counts = _overlaps(a, b)
    return [polygon[:count].copy() for polygon, count in zip(polygons, counts, strict=True)]


def overlap_edges(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges (m, 2, 3) float64 [m] of the overlaps of coplanar pairs, in order, and the pair of each edge,
    (m,) int64.
    """
    polygons, counts = _overlaps(a, b)
    place = np.arange(_MOST_CORNERS)
    used = place < counts[:, None]
    pair, corner = np.nonzero(used)
    following = np.where(corner + 1 < counts[pair], corner + 1, 0)
    return np.stack((polygons[used], polygons[pair, following]), axis=1), pair


def _overlaps(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return corners (n, 9, 3) of the overlaps of coplanar pairs, and how many of each are used, (n,)."""
    polygons = np.zeros((len(a), _MOST_CORNERS, 3))
    counts = np.zeros(len(a), np.int64)
    _outlines(a, b, polygons, counts)
    return polygons, counts
