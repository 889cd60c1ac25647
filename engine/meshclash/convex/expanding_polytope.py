"""The shortest translation that separates two convex solids: the expanding polytope algorithm (EPA), compiled.

The differences of points of both solids form a convex polytope. A translation separates the solids if it leads out of
the polytope; the shortest such translation leads to the nearest facet. The polytope is never built completely. The
algorithm starts from a simplex inside the polytope, and repeatedly moves the facet nearest to the origin out to the
farthest point beyond it, until no such point exists (van den Bergen, "Proximity queries and penetration depth
computation on 3D game objects" (2001)). At every step a polytope inside gives a lower bound, and a supporting plane
gives an upper bound. The facet's corners are differences of known points, so the origin's position on the facet gives a
point of each solid.
"""

import math
from typing import NamedTuple

import numpy as np

from ..geometry.tuples import cross, dot, minus
from ..jit import inner, kernel, parallel_kernel, prange
from ..reference import by_reference
from ..types.pose import plainly_rigid

_ROUNDING = 1e-13
"""Relative to the size: planes and points with a smaller distance count as equal."""
_MOST_STEPS = 3000
_TALL = 1e6
"""Multiple of the rounding error: height from which a known simplex is good enough to start with."""
_NEAR_FACETS = 1e-7
"""Relative to the size: tolerance for facets as near as the nearest facet; one of these facets contains the witness
point."""
_ALIGNED = 0.99
_WORTH_TRYING = 4
"""Known pairs are tried before all points are searched if there are so many times more points."""
_MARGIN = 4e-15
"""Of the coordinates: first margin added to separate touching solids, about twenty roundings."""
_LEAST_MARGIN = 1e-300
"""[m]; for points at the origin, whose size is 0."""
_DOUBLINGS = 40
_PLANE_ROUNDING = 3e-15
"""Of the coordinates: bound of the rounding error of two products with a unit vector and their difference (1.2e-15)."""
_CERTAIN = 1e-9
"""Relative to the coordinates: hulls that overlap, or are apart, by more than this need no exact decision."""

APART, OVERLAPPING, OPEN, FULL, REFUSED = range(5)
"""Results for a pose: no common volume; a translation that is proved to separate both; undecided because of rounding;
the buffers were too small; the pose needs a closer check."""
CORNERS, FACES, KNOWN, SEARCHES, COUNTS = range(5)
"""Entries of the counts, and their number."""
LENGTH, DIRECTION, LOWER, REACH, POINTS, COLUMNS = 0, 1, 4, 5, 6, 12
"""Columns of a result: a length that separates both solids [m]; a unit vector; a lower bound; the translation at which
the solids touch; points."""
_STARTS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0))


class PolytopeRoom(NamedTuple):
    """Work buffers of one search; their lengths are its limits."""

    a: np.ndarray
    """Points of a, relative to its first point and scaled to at most 1, (n, 3)."""
    b: np.ndarray
    corners: np.ndarray
    """Differences, (c, 3); ``pairs`` contains the indices of their points."""
    pairs: np.ndarray
    faces: np.ndarray
    """Corners of facets, counter-clockwise from outside, (f, 3); ``planes`` holds their normals and offsets (f, 4)."""
    planes: np.ndarray
    rim: np.ndarray
    """Edges around the visible facets, (f, 2)."""
    known: np.ndarray
    """Pairs of points of an earlier result, (c, 2)."""
    counts: np.ndarray


def new_room(points: int, corners: int = 64, shape: tuple[int, ...] = ()) -> PolytopeRoom:
    """Allocate work buffers for solids with some number of points, and a polytope with some number of corners.

    Args:
        points, corners: these numbers.
        shape: leading dimensions of the arrays: (workers,), or () for one search.
    """
    double, whole = np.float64, np.int64
    rows = (
        (points, 3, double), (points, 3, double), (corners, 3, double), (corners, 2, whole), (2 * corners, 3, whole),
        (2 * corners, 4, double), (2 * corners, 2, whole), (corners, 2, whole),
    )  # fmt: skip
    arrays = [np.empty((*shape, count, columns), kind) for count, columns, kind in rows]
    return PolytopeRoom(*[*arrays, np.zeros((*shape, COUNTS), whole)])


@inner
def _unit(v, otherwise):
    """Return the direction of a vector, or ``otherwise`` for a zero vector."""
    size = max(abs(v[0]), abs(v[1]), abs(v[2]))
    if size == 0.0:
        return otherwise
    x, y, z = v[0] / size, v[1] / size, v[2] / size
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@inner
def _across(u):
    """Return a unit vector perpendicular to the given vector."""
    x, y, z = abs(u[0]), abs(u[1]), abs(u[2])
    axis = (1.0, 0.0, 0.0)
    if y <= x and y <= z:
        axis = (0.0, 1.0, 0.0)
    elif z <= x and z <= y:
        axis = (0.0, 0.0, 1.0)
    return _unit(cross(u, axis), axis)


@inner
def _normal(u, v):
    """Return a unit vector perpendicular to two vectors, even if these are parallel or zero."""
    along = _unit(u, (1.0, 0.0, 0.0))
    return _unit(cross(along, _unit(v, along)), _across(along))


@inner
def _corner(room, k):
    return room.corners[k, 0], room.corners[k, 1], room.corners[k, 2]


@inner
def _put(room, k, i, j):
    """Store the difference of points i of a and j of b as a corner."""
    for axis in range(3):
        room.corners[k, axis] = room.a[i, axis] - room.b[j, axis]
    room.pairs[k, 0], room.pairs[k, 1] = i, j


@inner
def _put_farthest(room, count_a, count_b, d, k):
    """Store the farthest difference along a direction as a corner; return its extent along the direction."""
    room.counts[SEARCHES] += 1
    i, j, high, low = 0, 0, -math.inf, math.inf
    for p in range(count_a):
        height = d[0] * room.a[p, 0] + d[1] * room.a[p, 1] + d[2] * room.a[p, 2]
        if height > high:
            high, i = height, p
    for p in range(count_b):
        height = d[0] * room.b[p, 0] + d[1] * room.b[p, 1] + d[2] * room.b[p, 2]
        if height < low:
            low, j = height, p
    _put(room, k, i, j)
    return dot(d, _corner(room, k))


@inner
def _swap(room, i, j):
    for axis in range(3):
        room.corners[i, axis], room.corners[j, axis] = room.corners[j, axis], room.corners[i, axis]
    for side in range(2):
        room.pairs[i, side], room.pairs[j, side] = room.pairs[j, side], room.pairs[i, side]


@inner
def _first_face(room, count):
    """Move three corners far from each other to the front; return the unit normal of their plane."""
    best, at = -1.0, 0
    for k in range(count):
        way = minus(_corner(room, k), _corner(room, 0))
        square = dot(way, way)
        if square > best:
            best, at = square, k
    _swap(room, 1, at if at > 0 else 1)
    way = minus(_corner(room, 1), _corner(room, 0))
    along = _unit(way, (1.0, 0.0, 0.0))
    best, at = -1.0, 2
    for k in range(2, count):
        off = cross(along, minus(_corner(room, k), _corner(room, 0)))
        square = dot(off, off)
        if square > best:
            best, at = square, k
    _swap(room, 2, at)
    return _normal(way, minus(_corner(room, 2), _corner(room, 0)))


@inner
def _choose_simplex(room, count):
    """Move four corners far from each other to the front, with the faces turned outward; return the height and the
    normal of the first face.
    """
    normal = _first_face(room, count)
    best, at, sign = -1.0, 3, 1.0
    for k in range(3, count):
        height = dot(normal, minus(_corner(room, k), _corner(room, 0)))
        if abs(height) > best:
            best, at, sign = abs(height), k, height
    _swap(room, 3, at)
    if sign > 0.0:
        _swap(room, 1, 2)
    return best, normal


@inner
def _begin(room, count_a, count_b):
    """Build a simplex of differences; return its height, and the normal of its first face."""
    known = room.counts[KNOWN]
    if known > 3:
        for k in range(known):
            _put(room, k, room.known[k, 0], room.known[k, 1])
        height, normal = _choose_simplex(room, known)
        if height > _TALL * _ROUNDING:
            return height, normal
    for k in range(4):
        x, y, z = _STARTS[k]
        _put_farthest(room, count_a, count_b, (x, y, z), 2 * k)
        _put_farthest(room, count_a, count_b, (-x, -y, -z), 2 * k + 1)
    # Long solids have few corners far out. These may lie on a line, and a step across it first leads to a plane.
    height, normal, count = 0.0, _first_face(room, 8), 8
    for _ in range(2):
        _put_farthest(room, count_a, count_b, normal, count)
        _put_farthest(room, count_a, count_b, (-normal[0], -normal[1], -normal[2]), count + 1)
        count += 2
        height, normal = _choose_simplex(room, count)
        if height > _TALL * _ROUNDING:
            break
    return height, normal


@inner
def _add_face(room, i, j, k):
    """Add a facet and its plane; a facet without area is never the nearest."""
    f = room.counts[FACES]
    room.faces[f, 0], room.faces[f, 1], room.faces[f, 2] = i, j, k
    p = _corner(room, i)
    u, v = minus(_corner(room, j), p), minus(_corner(room, k), p)
    n = cross(u, v)
    length = math.sqrt(dot(n, n))
    if length <= 1e-14 * max(dot(u, u), dot(v, v)):
        room.planes[f, 0], room.planes[f, 1], room.planes[f, 2], room.planes[f, 3] = 0.0, 0.0, 0.0, math.inf
    else:
        inverse = 1.0 / length
        n = (n[0] * inverse, n[1] * inverse, n[2] * inverse)
        room.planes[f, 0], room.planes[f, 1], room.planes[f, 2], room.planes[f, 3] = n[0], n[1], n[2], dot(n, p)
    room.counts[FACES] = f + 1


@inner
def _add_edge(room, count, i, j):
    """Add an edge to the rim, or remove the same edge in opposite direction; return the number of edges."""
    for e in range(count):
        if room.rim[e, 0] == j and room.rim[e, 1] == i:
            room.rim[e, 0], room.rim[e, 1] = room.rim[count - 1, 0], room.rim[count - 1, 1]
            return count - 1
    room.rim[count, 0], room.rim[count, 1] = i, j
    return count + 1


@inner
def _push_out(room, k):
    """Replace the facets visible from corner k by facets to the rim around them; False if the buffers are full."""
    p = _corner(room, k)
    count, f = 0, 0
    while f < room.counts[FACES]:
        n = (room.planes[f, 0], room.planes[f, 1], room.planes[f, 2])
        if dot(n, p) <= room.planes[f, 3] - _ROUNDING:
            f += 1
            continue
        if count + 3 > room.rim.shape[0]:
            return False
        i, j, m = room.faces[f, 0], room.faces[f, 1], room.faces[f, 2]
        count = _add_edge(room, count, i, j)
        count = _add_edge(room, count, j, m)
        count = _add_edge(room, count, m, i)
        last = room.counts[FACES] - 1
        for axis in range(3):
            room.faces[f, axis] = room.faces[last, axis]
        for axis in range(4):
            room.planes[f, axis] = room.planes[last, axis]
        room.counts[FACES] = last
    if room.counts[FACES] + count > room.faces.shape[0]:
        return False
    for e in range(count):
        _add_face(room, room.rim[e, 0], room.rim[e, 1], k)
    return True


@inner
def _put_at_hand(room, normal, offset, k):
    """Return whether a known difference lies beyond an offset; if so, make the farthest such difference corner k."""
    best, at = offset, -1
    for m in range(room.counts[KNOWN]):
        i, j = room.known[m, 0], room.known[m, 1]
        height = (
            normal[0] * (room.a[i, 0] - room.b[j, 0])
            + normal[1] * (room.a[i, 1] - room.b[j, 1])
            + normal[2] * (room.a[i, 2] - room.b[j, 2])
        )
        if height > best:
            best, at = height, m
    if at < 0:
        return False
    _put(room, k, room.known[at, 0], room.known[at, 1])
    return True


@inner
def _expand(room, count_a, count_b, between, enough):
    """Return length and direction of the shortest translation and the lower bound, scaled, and whether the buffers
    sufficed.

    ``between`` is the vector from the centre of a to that of b: its direction is tested first, and the search ends if
    it shows that the solids are apart by more than ``enough``. In this case the known pairs are kept.
    """
    room.counts[SEARCHES] = room.counts[FACES] = room.counts[CORNERS] = 0
    direction = _unit(between, (1.0, 0.0, 0.0))
    reach = _put_farthest(room, count_a, count_b, direction, 0)
    if reach < -enough:
        return reach, direction, 0.0, True
    height, across = _begin(room, count_a, count_b)
    room.counts[CORNERS] = 4
    if height <= _ROUNDING:
        return 0.0, across, 0.0, True
    _add_face(room, 0, 1, 2)
    _add_face(room, 0, 3, 1)
    _add_face(room, 1, 3, 2)
    _add_face(room, 2, 3, 0)
    best, direction, lower = math.inf, (1.0, 0.0, 0.0), 0.0
    spares = _WORTH_TRYING * room.counts[KNOWN] < count_a + count_b
    for _ in range(_MOST_STEPS):
        nearest, offset = 0, math.inf
        for f in range(room.counts[FACES]):
            if room.planes[f, 3] < offset:
                nearest, offset = f, room.planes[f, 3]
        normal = (room.planes[nearest, 0], room.planes[nearest, 1], room.planes[nearest, 2])
        k = room.counts[CORNERS]
        if k == room.corners.shape[0]:
            return best, direction, lower, False
        if not (spares and _put_at_hand(room, normal, offset + 4.0 * _ROUNDING, k)):
            reach = _put_farthest(room, count_a, count_b, normal, k)
            if reach < best:
                best, direction = reach, normal
            if best < -_ROUNDING or best - offset <= 4.0 * _ROUNDING or reach - offset <= 4.0 * _ROUNDING:
                lower = max(lower, min(offset, best))
                break
        lower = max(lower, min(offset, best))
        room.counts[CORNERS] = k + 1
        if not _push_out(room, k):
            return best, direction, lower, False
    return best, direction, lower, True


@inner
def _weights(p, u, v, w, n):
    """Return the weights of the corners u, v, w of a facet with normal n at a point p in its plane."""
    area = dot(n, cross(minus(v, u), minus(w, u)))
    x = dot(n, cross(minus(v, p), minus(w, p))) / area
    y = dot(n, cross(minus(w, p), minus(u, p))) / area
    return x, y, 1.0 - x - y


@inner
def _witness(room, best, direction):
    """Return the facet around the end of the translation, and the weights of its corners; -1 without such a facet."""
    p = (best * direction[0], best * direction[1], best * direction[2])
    found, weights, inside = -1, (1.0, 0.0, 0.0), -math.inf
    for f in range(room.counts[FACES]):
        n = (room.planes[f, 0], room.planes[f, 1], room.planes[f, 2])
        if room.planes[f, 3] <= best + _NEAR_FACETS and dot(n, direction) > _ALIGNED:
            i, j, k = room.faces[f, 0], room.faces[f, 1], room.faces[f, 2]
            here = _weights(p, _corner(room, i), _corner(room, j), _corner(room, k), n)
            least = min(here[0], here[1], here[2])
            if least > inside:
                found, weights, inside = f, here, least
    x, y, z = max(weights[0], 0.0), max(weights[1], 0.0), max(weights[2], 0.0)
    total = x + y + z
    return found, (x / total, y / total, z / total)


@inner
def _keep_known(room):
    """Store the pairs of the corners that facets use as known pairs, or of all corners without facets."""
    count, used = 0, room.rim
    for k in range(room.counts[CORNERS]):
        used[k, 0] = room.counts[FACES] == 0
    for f in range(room.counts[FACES]):
        for corner in range(3):
            used[room.faces[f, corner], 0] = 1
    for k in range(room.counts[CORNERS]):
        if used[k, 0] != 0:
            room.known[count, 0], room.known[count, 1] = room.pairs[k, 0], room.pairs[k, 1]
            count += 1
    room.counts[KNOWN] = count


@inner
def _world(points, i, pose, m):
    """Return the world coordinates of a point in pose m."""
    x, y, z = points[i, 0], points[i, 1], points[i, 2]
    return (
        pose[m, 0, 0] * x + pose[m, 0, 1] * y + pose[m, 0, 2] * z + pose[m, 0, 3],
        pose[m, 1, 0] * x + pose[m, 1, 1] * y + pose[m, 1, 2] * z + pose[m, 1, 3],
        pose[m, 2, 0] * x + pose[m, 2, 1] * y + pose[m, 2, 2] * z + pose[m, 2, 3],
    )


@inner
def _moved(points, i, pose, m, t):
    """Return the world coordinates of a point after a translation of its pose."""
    x, y, z = points[i, 0], points[i, 1], points[i, 2]
    return (
        pose[m, 0, 0] * x + pose[m, 0, 1] * y + pose[m, 0, 2] * z + (pose[m, 0, 3] + t[0]),
        pose[m, 1, 0] * x + pose[m, 1, 1] * y + pose[m, 1, 2] * z + (pose[m, 1, 3] + t[1]),
        pose[m, 2, 0] * x + pose[m, 2, 1] * y + pose[m, 2, 2] * z + (pose[m, 2, 3] + t[2]),
    )


@inner
def _are_parted(points_a, rows_a, points_b, rows_b, m, n, length):
    """Return whether a plane normal to n certainly separates both solids after b is moved along n."""
    t = (length * n[0], length * n[1], length * n[2])
    high, low, size = -math.inf, math.inf, 0.0
    for i in range(points_a.shape[0]):
        p = _world(points_a, i, rows_a, m)
        high = max(high, dot(n, p))
        size = max(size, abs(p[0]), abs(p[1]), abs(p[2]))
    for i in range(points_b.shape[0]):
        p = _moved(points_b, i, rows_b, m, t)
        low = min(low, dot(n, p))
        size = max(size, abs(p[0]), abs(p[1]), abs(p[2]))
    return low - high > _PLANE_ROUNDING * size


@inner
def _put_solid(local, points, rows, m, origin):
    """Write the points of a solid in pose m, relative to an origin; return its largest coordinate and their mean."""
    size, x, y, z = 0.0, 0.0, 0.0, 0.0
    for i in range(points.shape[0]):
        p = _world(points, i, rows, m)
        size = max(size, abs(p[0]), abs(p[1]), abs(p[2]))
        u, v, w = p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]
        local[i, 0], local[i, 1], local[i, 2] = u, v, w
        x, y, z = x + u, y + v, z + w
    count = points.shape[0]
    return size, x / count, y / count, z / count


@inner
def _extent(local, count):
    """Return the largest coordinate of points relative to an origin."""
    extent = 0.0
    for i in range(count):
        extent = max(extent, abs(local[i, 0]), abs(local[i, 1]), abs(local[i, 2]))
    return extent


@inner
def _place(room, points_a, rows_a, points_b, rows_b, m):
    """Write both solids into the room; return sizes, the scale, a's first point and the vector between both middles.

    The size is the largest coordinate in the world.
    """
    origin = _world(points_a, 0, rows_a, m)
    size_a, x, y, z = _put_solid(room.a, points_a, rows_a, m, origin)
    size_b, u, v, w = _put_solid(room.b, points_b, rows_b, m, origin)
    extent_a, extent_b = _extent(room.a, points_a.shape[0]), _extent(room.b, points_b.shape[0])
    between = (u - x, v - y, w - z)
    size = max(size_a, size_b)
    scale, inverse = 1.0, 1.0
    if extent_a + extent_b > 0.0:
        exponent = min(max(math.frexp(extent_a + extent_b)[1], -1000), 1000)
        scale, inverse = math.ldexp(1.0, exponent), math.ldexp(1.0, -exponent)
    for i in range(points_a.shape[0]):
        for axis in range(3):
            room.a[i, axis] *= inverse
    for i in range(points_b.shape[0]):
        for axis in range(3):
            room.b[i, axis] *= inverse
    return size, scale, origin, between


@inner
def _answer_one(points_a, rows_a, points_b, rows_b, m, room, row):
    """Return the result for one pose; its numbers are written into a row."""
    size, scale, origin, between = _place(room, points_a, rows_a, points_b, rows_b, m)
    count_a, count_b = points_a.shape[0], points_b.shape[0]
    enough = max(_CERTAIN * size / scale, _ROUNDING)
    reach, n, lower, fits = _expand(room, count_a, count_b, between, enough)
    if not fits:
        return FULL
    row[REACH], row[LOWER] = reach * scale, lower * scale
    row[LENGTH] = row[REACH]
    found, weights = _witness(room, reach, n)
    for axis in range(3):
        row[DIRECTION + axis] = n[axis]
        row[POINTS + axis] = row[POINTS + 3 + axis] = math.nan
        if found >= 0 and reach > 0.0:
            row[POINTS + axis] = row[POINTS + 3 + axis] = origin[axis]
            for k in range(3):
                corner = room.faces[found, k]
                row[POINTS + axis] += scale * weights[k] * room.a[room.pairs[corner, 0], axis]
                row[POINTS + 3 + axis] += scale * weights[k] * room.b[room.pairs[corner, 1], axis]
    if room.counts[CORNERS] > 0:
        _keep_known(room)
    if row[REACH] < -_CERTAIN * size:
        return APART
    if not row[LOWER] > _CERTAIN * size:
        return OPEN
    margin = max(_MARGIN * (size + row[REACH]), _LEAST_MARGIN)
    for _ in range(_DOUBLINGS):
        length = row[REACH] + margin
        if _are_parted(points_a, rows_a, points_b, rows_b, m, n, length):
            row[LENGTH] = length
            row[LOWER] = min(row[LOWER], row[LENGTH])
            return OVERLAPPING
        margin *= 2.0
    return OPEN


@inner
def _answer_part(points_a, rows_a, points_b, rows_b, look, first, end, room, numbers, told):
    """Compute the results for the poses from ``first`` to ``end``; return the pose for which the buffers were too
    small.
    """
    for m in range(first, end):
        if look and not (plainly_rigid(rows_a[m].reshape(16)) and plainly_rigid(rows_b[m].reshape(16))):
            told[m] = REFUSED
            continue
        told[m] = _answer_one(points_a, rows_a, points_b, rows_b, m, room, numbers[m])
        if told[m] == FULL:
            return m
    return end


@kernel
def part_convex(points_a, rows_a, points_b, rows_b, look, first, end, room, numbers, told):
    """Find the shortest translations that separate two convex solids in a stack of poses, each search starting from the
    result before.

    Args:
        points_a, points_b: corners of the solids, (n, 3) and (m, 3) float64.
        rows_a, rows_b: poses, (k, 3, 4) or (k, 4, 4) float64.
        look: whether to check poses (4, 4) first: the result is ``REFUSED`` if they are not plainly rigid.
        first, end: the range of poses; known pairs are in the room.
        room: ``new_room`` for at least this number of points.
        numbers: (k, COLUMNS) float64.
        told: (k,) int64, receives the result for each pose.

    Returns:
        The index of the pose for which the buffers were too small, or ``end``.
    """
    return _answer_part(points_a, rows_a, points_b, rows_b, look, first, end, by_reference(room), numbers, told)


@parallel_kernel
def part_convex_together(points_a, rows_a, points_b, rows_b, parts, done, rooms, numbers, told):
    """Run ``part_convex`` in parallel for parts of a stack.

    Args:
        points_a, rows_a, points_b, rows_b, numbers, told: as for ``part_convex``.
        parts: ranges of poses, (p, 2) int64. Each part begins without known pairs.
        done: (p,) int64, receives the index of the pose for which the buffers were too small, or the end of the part.
        rooms: buffers with one more dimension in front: (workers, ...). Worker w does every w-th part.
    """
    workers = rooms.counts.shape[0]
    for w in prange(workers):
        room = by_reference(
            PolytopeRoom(
                rooms.a[w], rooms.b[w], rooms.corners[w], rooms.pairs[w], rooms.faces[w], rooms.planes[w],
                rooms.rim[w], rooms.known[w], rooms.counts[w],
            )
        )  # fmt: skip
        for k in range(w, parts.shape[0], workers):
            room.counts[KNOWN] = 0
            done[k] = _answer_part(
                points_a, rows_a, points_b, rows_b, False, parts[k, 0], parts[k, 1], room, numbers, told
            )
