"""Nearest triangle of a small solid, by comparing all triangles, eight at a time, instead of descending a tree.

A search for the largest ball measures some hundred distances to one pair of solids. If a solid has few triangles they
are stored once in a table, together with planes that give lower bounds of distances: two across each triangle, one
along each of its edges. A point that is h beyond a plane of the first kind and e beyond one of the second kind is at
least sqrt(h**2 + e**2) away. Triangles that may be nearest according to these bounds are measured as in
``nearest_points.py``. If several triangles are equally near within rounding, the result has to be the triangle that the
tree visits first; ``look_at_all`` then reports that it cannot decide. So both methods give identical results, bit for
bit.

Heights are float32. Their error is less than 8 u of the coordinates added (three products, whose factors are rounded,
and the offset), u = 2**-24. ``_MARGIN`` is twice this error and is subtracted before squares are compared. So triangles
that are left out are farther away by much more than ``_ALIKE``.
"""

import math

import numpy as np

from ..geometry.lanes import above, bits_of, doubles, floats, higher, load, lowest_bit, splat
from ..geometry.triangle_distance import closest_on_triangle, squared_distance
from ..geometry.tuples import cross, dot, minus
from ..hierarchy.wide_bvh import LANE_COUNT
from ..jit import config, inlined, inner

MOST_PLACED = 0 if config.DISABLE_JIT else 128
"""Most triangles of a solid that is stored in a table; 0 without compilation, which the SIMD lanes need."""
_BLOCKS = 16
_SIZE, _COUNT, _CORNERS = 0, 1, 2  # table entries: largest coordinate, triangle count, nine numbers per triangle
_OFFSET = 3 * LANE_COUNT  # of a plane, behind its normal
_PLANE = 4 * LANE_COUNT  # numbers of eight planes
_BLOCK = 5 * _PLANE
_HEIGHTS = _CORNERS + 9 * LANE_COUNT * _BLOCKS  # where the planes begin
PLACED_LENGTH = _HEIGHTS + _BLOCK * _BLOCKS // 2
"""Length of a table in float64 numbers."""
_MARGIN = 16.0 * 2.0**-24
_ALIKE = 2.0**-44  # of the coordinates: more than the rounding errors of distances and of tree tests
_OUTWARD = 1.0 + 2.0**-18
_LEAST, _MOST = 1e-12, 1e12  # sizes whose squares are normal in float32
_SHORTEST = 1e-100  # vectors whose squares underflow have no direction
_ACROSS = 0.99  # least squared sine between an edge and the normal for a plane
_ZERO = np.float32(0.0)


@inner
def _direction(v):
    """Return the unit vector in the direction of a vector, or zero."""
    length = math.sqrt(dot(v, v))
    scale = 1.0 / length if length > _SHORTEST else 0.0
    return v[0] * scale, v[1] * scale, v[2] * scale


@inner
def _put_plane(planes, at, n, a, b, c):
    """Write the plane with this normal such that the whole triangle is on the back of the plane."""
    for k in range(3):
        planes[at + LANE_COUNT * k] = np.float32(n[k])
    planes[at + _OFFSET] = np.float32(max(dot(n, a), dot(n, b), dot(n, c)))


@inner
def put_triangle(address, t, a, b, c):
    """Write a triangle, relative to an origin, into the table at an address.

    Returns the sum of its largest coordinates along the three axes.
    """
    table, planes = doubles(address), floats(address + 8 * _HEIGHTS)
    size = 0.0
    for k in range(3):
        table[_CORNERS + 9 * t + k] = a[k]
        table[_CORNERS + 9 * t + 3 + k] = b[k]
        table[_CORNERS + 9 * t + 6 + k] = c[k]
        size += max(abs(a[k]), abs(b[k]), abs(c[k]))
    at = t // LANE_COUNT * _BLOCK + t % LANE_COUNT
    n = _direction(cross(minus(b, a), minus(c, a)))
    _put_plane(planes, at, n, a, b, c)
    _put_plane(planes, at + _PLANE, (-n[0], -n[1], -n[2]), a, b, c)
    edges = (minus(b, a), minus(c, b), minus(a, c))
    for k in range(3):
        outward = cross(_direction(edges[k]), n)
        if dot(outward, outward) < _ACROSS:
            outward = (0.0, 0.0, 0.0)
        _put_plane(planes, at + (2 + k) * _PLANE, _direction(outward), a, b, c)
    return size


@inner
def close_table(address, count, size):
    """Write the number of triangles and their largest size; return whether float32 is precise enough for them."""
    table = doubles(address)
    table[_SIZE], table[_COUNT] = size, count
    return _LEAST < size < _MOST


@inlined
def _beyond(planes, at, px, py, pz):
    """Return how far a point lies in front of each of eight planes."""
    along = load(planes, at) * px + load(planes, at + LANE_COUNT) * py + load(planes, at + 2 * LANE_COUNT) * pz
    return along - load(planes, at + _OFFSET)


@inlined
def _squared_bounds(planes, at, px, py, pz, margin):
    """Return lower bounds of the squared distances between a point and eight triangles."""
    h = higher(_beyond(planes, at, px, py, pz), _beyond(planes, at + _PLANE, px, py, pz)) - margin
    e = higher(_beyond(planes, at + 2 * _PLANE, px, py, pz), _beyond(planes, at + 3 * _PLANE, px, py, pz))
    e = higher(e, _beyond(planes, at + 4 * _PLANE, px, py, pz)) - margin
    h, e = higher(h, splat(_ZERO)), higher(e, splat(_ZERO))
    return h * h + e * e


@inner
def _measured(table, x, t):
    """Return the point of triangle t nearest to x, and its distance."""
    at = _CORNERS + 9 * t
    a, b = (table[at], table[at + 1], table[at + 2]), (table[at + 3], table[at + 4], table[at + 5])
    y = closest_on_triangle(x, a, b, (table[at + 6], table[at + 7], table[at + 8]))
    return y, math.sqrt(squared_distance(x, y))


@inner
def look_at_all(address, x, hint, enough):
    """Return (known, distance, point, triangle) of the nearest triangle, with the same results as ``nearest_from``.

    ``known`` is False if several triangles are equally near within rounding.
    """
    table, planes = doubles(address), floats(address + 8 * _HEIGHTS)
    count = np.int64(table[_COUNT])
    size = table[_SIZE] + abs(x[0]) + abs(x[1]) + abs(x[2])
    best_point, best = _measured(table, x, hint)
    best_triangle, second = hint, math.inf
    if best <= enough:
        return True, best, best_point, best_triangle
    limit = np.float32(best * best * _OUTWARD)
    margin = splat(np.float32(_MARGIN * size))
    px, py, pz = splat(np.float32(x[0])), splat(np.float32(x[1])), splat(np.float32(x[2]))
    for first in range(0, count, LANE_COUNT):
        bounds = _squared_bounds(planes, first // LANE_COUNT * _BLOCK, px, py, pz, margin)
        near = 255 ^ bits_of(above(bounds, splat(limit)))
        while near != 0:
            t = first + lowest_bit(near)
            near &= near - 1
            if t == hint or t >= count:
                continue
            y, distance = _measured(table, x, t)
            if distance < best:
                best, best_point, best_triangle, second = distance, y, t, best
                limit = np.float32(max(best, enough) ** 2 * _OUTWARD)
            else:
                second = min(second, distance)
    rounding = _ALIKE * size
    known = second > max(best, enough) + rounding and abs(best - enough) > rounding
    return known or best_triangle == hint, best, best_point, best_triangle
