"""Proved bounds of the distance between two convex shapes: a compiled algorithm of Gilbert, Johnson and Keerthi (GJK).

The differences of points of both shapes form a convex set, and its distance from the origin is that of the shapes. A
simplex of differences approaches the origin; each step adds the difference that is farthest in the direction of the
origin (Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between complex objects in
three-dimensional space" (1988)). The simplex's nearest point gives the upper bound. The plane through that difference,
across the direction of the search, gives the lower bound. Rounding may end a search early, but both bounds are still
valid, up to ``ROUNDING`` times the size: shapes that are proved to be apart are apart.
"""

import math
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import numpy as np

from ..geometry.tuples import cross, dot, minus
from ..jit import inner, is_compiled, kernel, parallel_kernel, parallel_region, prange
from ..reference import by_reference
from ..traversal import wide_engine
from ..traversal.nearest_triangles import parts_of
from ..types.pose import RIGID_TOLERANCE
from .supports import POINTS, farthest_round, half_extents

ROUNDING = 2.0**-48
"""Share of the size by which both bounds may be wrong: 32 roundings of the coordinates relative to a's origin."""
_EQUAL = 2.0**-52
"""Share of the size up to which two bounds count as equal within rounding."""
_ENOUGH = 2.0**-43
"""Fraction of the size by which bounds may differ without another search."""
_MARGIN = 2.0**-40
"""Share of the size: a lower bound that exceeds the one that is enough by more is far beyond rounding."""
LEAST = 2.0**-1060
"""[m]: largest error by underflow, where numbers no longer have full precision."""
_SEARCHES = 8
_BARELY = 2.0**-30
"""Share of the size: shapes that overlap by no more may be apart."""
_NEAR = 2.0**-16
"""Share of the size: shapes that are nearer count as nearly touching."""
_MOVE = 2.0**-12
"""Share of the size by which b is moved away if shapes nearly touch, and the number of searches that follow."""
_BESIDE = 4
_PART = 256
"""Number of consecutive poses that one worker measures."""
_PARTS_OF_WORKER = 4
"""Parts of each worker in one call of the kernel: some milliseconds."""
_MOST_STEPS = 256
_MOST_RESTARTS = 3
"""Maximum number of consecutive restarts without progress: after these restarts, only rounding errors change."""

_NO_BALLS = np.empty((2, 5))

LOWER, UPPER, POINT_A, POINT_B, SIZE, ACROSS, COLUMNS = 0, 1, 2, 5, 8, 9, 12
"""Columns of an answer: bounds of the distance [m], the lower one negative if shapes certainly overlap; the nearest
points, world; the largest coordinate relative to a's origin [m]; a vector from a to b, of any length, normal to the
planes that prove the lower bound, or zero if this bound is 0."""


class Placed(NamedTuple):
    """A shape in a pose, which kernels also read by reference."""

    local: np.ndarray
    """Its points relative to a's origin, scaled, (n, 3)."""
    form: np.ndarray
    """See ``supports.py``, (4,)."""
    pose: np.ndarray
    """(3, 4)"""


class SearchSpace(NamedTuple):
    """Arrays of a search; kernels read them by reference to avoid the cost of reference counting."""

    corners: np.ndarray
    """Corners of the simplex, (4, 3), and the points of a and b whose differences they are."""
    of_a: np.ndarray
    of_b: np.ndarray
    weights: np.ndarray
    """Weights of the corners at the nearest point, (4,)."""
    other: np.ndarray
    """A second answer, (COLUMNS,)."""
    local_a: np.ndarray
    """Points of a and of b relative to a's origin, scaled, (n, 3) and (m, 3)."""
    local_b: np.ndarray


@inner
def space_of(room, count_a):
    """Return the SearchSpace of a room (5 + n + m, 4, 3), which the caller must own while it is used by reference."""
    return SearchSpace(
        room[0], room[1], room[2], room[3].reshape(12), room[4].reshape(12), room[5 : 5 + count_a, 0],
        room[5 + count_a :, 0],
    )  # fmt: skip


@inner
def turned_back(pose, u):
    """Return a world vector in the frame of a posed object; the pose must be rigid."""
    return (
        u[0] * pose[0, 0] + u[1] * pose[1, 0] + u[2] * pose[2, 0],
        u[0] * pose[0, 1] + u[1] * pose[1, 1] + u[2] * pose[2, 1],
        u[0] * pose[0, 2] + u[1] * pose[1, 2] + u[2] * pose[2, 2],
    )


@inner
def placed(pose, p):
    """Return the world coordinates of a point, as defined by ``Pose.apply``."""
    x, y, z = p
    return (
        pose[0, 0] * x + pose[0, 1] * y + pose[0, 2] * z + pose[0, 3],
        pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z + pose[1, 3],
        pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z + pose[2, 3],
    )


@inner
def _point(points, i):
    return points[i, 0], points[i, 1], points[i, 2]


@inner
def _place(points, form, pose, origin, local):
    """Write the points of a shape relative to an origin; return its largest coordinate."""
    size = 0.0
    if form[0] == POINTS:
        for i in range(points.shape[0]):
            p = placed(pose, _point(points, i))
            for k in range(3):
                local[i, k] = p[k] - origin[k]
                size = max(size, abs(local[i, k]))
        return size
    half = half_extents(form)
    for k in range(3):
        reach = abs(pose[k, 3] - origin[k])
        for j in range(3):
            reach += abs(pose[k, j]) * half[j]
        size = max(size, reach)
    return size


@inner
def _scale(local, count, scale):
    for i in range(count):
        for k in range(3):
            local[i, k] *= scale


@inner
def _farthest(shape, count, shift, scale, u):
    """Return the point of a shape farthest along a world direction, relative to the origin and scaled."""
    local, form, pose = shape.local, shape.form, shape.pose
    if form[0] == POINTS:
        best, at = -math.inf, 0
        for i in range(count):
            height = u[0] * local[i, 0] + u[1] * local[i, 1] + u[2] * local[i, 2]
            if height > best:
                best, at = height, i
        return local[at, 0], local[at, 1], local[at, 2]
    x, y, z = farthest_round(
        form,
        turned_back(pose, u),
    )
    return (
        scale * (pose[0, 0] * x + pose[0, 1] * y + pose[0, 2] * z + shift[0]),
        scale * (pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z + shift[1]),
        scale * (pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z + shift[2]),
    )


@inner
def _on_segment(p, q):
    """Return the weights of a segment's ends at its point nearest to the origin."""
    d = minus(q, p)
    square = dot(d, d)
    if square == 0.0:
        return 1.0, 0.0
    t = -dot(p, d) / square
    if t <= 0.0:
        return 1.0, 0.0
    if t >= 1.0:
        return 0.0, 1.0
    if t > 0.5:  # relative to the nearer end, rounding errors are smaller
        s = min(max(dot(q, d) / square, 0.0), 1.0)
        return s, 1.0 - s
    return 1.0 - t, t


@inner
def _combined(x, p, y, q, z, r):
    return (
        x * p[0] + y * q[0] + z * r[0],
        x * p[1] + y * q[1] + z * r[1],
        x * p[2] + y * q[2] + z * r[2],
    )


@inner
def _on_triangle(p, q, r):
    """Return the weights of a triangle's corners at its point nearest to the origin, and the squared distance."""
    best = math.inf
    weights = (1.0, 0.0, 0.0)
    for k in range(3):
        a, b = (p, q) if k == 0 else ((q, r) if k == 1 else (r, p))
        s, t = _on_segment(a, b)
        v = _combined(s, a, t, b, 0.0, b)
        square = dot(v, v)
        if square < best:
            best = square
            weights = (s, t, 0.0) if k == 0 else ((0.0, s, t) if k == 1 else (t, 0.0, s))
    pq, qr, rp = minus(q, p), minus(r, q), minus(p, r)
    n = cross(pq, qr)
    z, x, y = -dot(n, cross(pq, p)), -dot(n, cross(qr, q)), -dot(n, cross(rp, r))
    if x > 0.0 and y > 0.0 and z > 0.0:
        total = x + y + z
        x, y, z = x / total, y / total, z / total
        v = _combined(x, p, y, q, z, r)
        square = dot(v, v)
        if square < best:
            best, weights = square, (x, y, z)
    return weights, best


@inner
def _corner(corners, k):
    return corners[k, 0], corners[k, 1], corners[k, 2]


@inner
def _keep(k, corners, of_a, of_b, weights, at, weight):
    """Move corner k and its weight to the index ``at``, which is at most k."""
    for axis in range(3):
        corners[at, axis], of_a[at, axis], of_b[at, axis] = corners[k, axis], of_a[k, axis], of_b[k, axis]
    weights[at] = weight


@inner
def _weigh_inside(p, q, r, o, weights):
    """Return the weights of the corners of a tetrahedron that contains the origin: the volumes opposite to them."""
    weights[0], weights[1] = abs(dot(q, cross(r, o))), abs(dot(p, cross(r, o)))
    weights[2], weights[3] = abs(dot(p, cross(q, o))), abs(dot(p, cross(q, r)))
    total = weights[0] + weights[1] + weights[2] + weights[3]
    for k in range(4):
        weights[k] = weights[k] / total if total > 0.0 else 0.25


@inner
def _sum(rows, weights, count):
    x, y, z = 0.0, 0.0, 0.0
    for k in range(count):
        x += weights[k] * rows[k, 0]
        y += weights[k] * rows[k, 1]
        z += weights[k] * rows[k, 2]
    return x, y, z


@inner
def _reduce(corners, of_a, of_b, weights, count, outside):
    """Keep the corners of a simplex that determine its point nearest to the origin; return their number.

    If the simplex contains the origin, all four corners are kept, and the result is -1 if this is certain, or 0 if
    rounding may have decided. ``outside``: the origin is known to be outside, which rounding hides for flat simplices.
    """
    p = _corner(corners, 0)
    if count == 1:
        weights[0] = 1.0
        return 1
    q = _corner(corners, 1)
    if count == 2:
        s, t = _on_segment(p, q)
        x, y, z, w = s, t, 0.0, 0.0
    elif count == 3:
        (x, y, z), _ = _on_triangle(p, q, _corner(corners, 2))
        w = 0.0
    else:
        r, o = _corner(corners, 2), _corner(corners, 3)
        best = math.inf
        x, y, z, w = 1.0, 0.0, 0.0, 0.0
        for k in range(4):
            a, b, c, d = (q, r, o, p) if k == 0 else ((p, o, r, q) if k == 1 else (p, q, o, r))
            if k == 3:
                a, b, c, d = p, r, q, o
            n = cross(minus(b, a), minus(c, a))
            outside = outside or dot(n, a) * dot(n, minus(d, a)) >= 0.0  # the fourth corner is on the other side
            (s, t, u), square = _on_triangle(a, b, c)  # test all faces: for flat simplices rounding hides which is near
            if square < best:
                best = square
                if k == 0:
                    x, y, z, w = 0.0, s, t, u
                elif k == 1:
                    x, y, z, w = s, 0.0, u, t
                elif k == 2:
                    x, y, z, w = s, t, 0.0, u
                else:
                    x, y, z, w = s, u, t, 0.0
        if not outside:
            _weigh_inside(p, q, r, o, weights)
            v = _sum(corners, weights, 4)
            if (
                best < _BARELY * _BARELY or dot(v, v) > best
            ):  # rounding may have turned a face, and this is a point of that face
                weights[0], weights[1], weights[2], weights[3] = x, y, z, w
                return 0
            return -1
    kept = 0
    for k in range(count):
        weight = x if k == 0 else (y if k == 1 else (z if k == 2 else w))
        if weight > 0.0:
            _keep(k, corners, of_a, of_b, weights, kept, weight)
            kept += 1
    return kept


@inner
def _largest(v):
    return max(abs(v[0]), abs(v[1]), abs(v[2]))


@inner
def _length(v):
    largest = _largest(v)
    if largest == 0.0:
        return 0.0
    x, y, z = v[0] / largest, v[1] / largest, v[2] / largest
    return largest * math.sqrt(x * x + y * y + z * z)


@inner
def _without(v, along):
    """Return a vector without its component along another vector."""
    square = dot(along, along)
    t = dot(v, along) / square if square > 0.0 else 0.0
    return v[0] - t * along[0], v[1] - t * along[1], v[2] - t * along[2]


@inner
def _across(corners, count, v):
    """Return the vector from the nearest point of a segment or triangle to the origin, made perpendicular to it again.

    If shapes nearly touch, this vector is as short as the rounding errors of the corners, which change its direction.
    Flat faces need a search direction perpendicular to them: a small angle reduces the lower bound by the length of the
    face times this angle.
    """
    if count != 2 and count != 3:
        return v
    p, q = _corner(corners, 0), _corner(corners, 1)
    first = minus(q, p)
    if count == 3:
        r = _corner(corners, 2)
        second, third = minus(r, p), minus(r, q)
        if dot(second, second) > dot(first, first):
            first, second = second, first
        if dot(third, third) > dot(first, first):
            first, second = third, first
        second = _without(second, first)
        if dot(second, second) > dot(v, v):
            u = _without(_without(v, first), second)
            u = _without(_without(u, first), second)
            return u if dot(u, u) > 0.25 * dot(v, v) else v
    u = _without(_without(v, first), first)
    return u if dot(u, u) > 0.25 * dot(v, v) else v


@inner
def _put(rows, k, p):
    for axis in range(3):
        rows[k, axis] = p[axis]


@inner
def _is_known(corners, count, w):
    found = False
    for k in range(count):
        found = found or (corners[k, 0] == w[0] and corners[k, 1] == w[1] and corners[k, 2] == w[2])
    return found


@inner
def _search(shape_a, shift_a, shape_b, shift_b, scale, counts, move, space, start, ends, row):
    """Run one search for two placed shapes, scaled to a size of about 1; improve a row's bounds and nearest points.

    ``move`` is added to b's points; ``start`` is the direction of the first step. The search ends with a lower bound
    above the first of ``ends``, or an upper bound below the second.
    """
    enough, met_below = ends
    count_a, count_b = counts
    corners, of_a, of_b, weights = space.corners, space.of_a, space.of_b, space.weights
    u, count, restarts, best = start, 0, 0, math.inf
    x, y, v = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for _ in range(_MOST_STEPS):
        if row[UPPER] < met_below:
            break
        largest = _largest(u)
        u = (u[0] / largest, u[1] / largest, u[2] / largest)
        p = _farthest(shape_a, count_a, shift_a, scale, u)
        q = _farthest(shape_b, count_b, shift_b, scale, (-u[0], -u[1], -u[2]))
        q = (q[0] + move[0], q[1] + move[1], q[2] + move[2])
        w = minus(p, q)
        bound = -dot(u, w) / math.sqrt(dot(u, u))
        if bound > row[LOWER]:
            row[LOWER] = bound
            row[ACROSS], row[ACROSS + 1], row[ACROSS + 2] = u
        if row[UPPER] - row[LOWER] <= _EQUAL or row[LOWER] > enough:
            break
        progress = not _is_known(corners, count, w)
        if progress:
            _put(corners, count, w)
            _put(of_a, count, p)
            _put(of_b, count, q)
            count = _reduce(corners, of_a, of_b, weights, count + 1, row[LOWER] > 0.0)
            if count <= 0:
                x, y = _sum(of_a, weights, 4), _sum(of_b, weights, 4)
                length = _length(minus(y, x))
                row[UPPER] = length
                if count < 0:
                    row[UPPER], row[LOWER] = 0.0, -_BARELY
                for k in range(3):
                    row[POINT_A + k], row[POINT_B + k] = x[k], y[k]
                break
            v = _sum(corners, weights, count)
            length = _length(v)
            progress = length < best
            if progress:
                best, restarts = length, 0
                x, y = _sum(of_a, weights, count), _sum(of_b, weights, count)
                if length < row[UPPER]:
                    row[UPPER] = length
                    for k in range(3):
                        row[POINT_A + k], row[POINT_B + k] = x[k], y[k]
                if length == 0.0:
                    break
        if not progress:  # rounding spoils such a flat simplex: continue from its nearest point so far
            restarts += 1
            if restarts > _MOST_RESTARTS:
                break
            v = minus(x, y)
            _put(corners, 0, v)
            _put(of_a, 0, x)
            _put(of_b, 0, y)
            weights[0], count = 1.0, 1
            if _largest(v) == 0.0:
                break
        u = _across(corners, count, (-v[0], -v[1], -v[2]))


@inner
def _start(k):
    """Return the direction of the first step of search k; each search has its own."""
    if k == 0:
        return 0.0, 0.0, 1.0
    return (1.0 if k & 1 else -1.0), (0.7 if k & 2 else -0.7), (0.4 if k & 4 else -0.4)


@inner
def first_direction():
    """Return the direction in which a search begins if nothing is known of the shapes."""
    return _start(0)


@inner
def _clear(row):
    row[LOWER], row[UPPER] = 0.0, math.inf
    row[ACROSS] = row[ACROSS + 1] = row[ACROSS + 2] = 0.0


@inner
def _search_beside(shape_a, shift_a, shape_b, shift_b, scale, counts, space, start, other, row):
    """Improve the bounds for shapes that nearly touch, by searches with b moved away.

    The vector between such shapes is so short that rounding changes its direction. Moved along the way, b has the same
    nearest point, and the way there is long enough to determine its direction. If the move was not exactly along the
    way, the direction found is better by the ratio of the move to the radius of the surface; then another search
    follows.
    """
    count_a, count_b = counts
    n = (row[ACROSS], row[ACROSS + 1], row[ACROSS + 2])
    length = _length(n)
    if length == 0.0:
        n = (row[POINT_B] - row[POINT_A], row[POINT_B + 1] - row[POINT_A + 1], row[POINT_B + 2] - row[POINT_A + 2])
        length = _length(n)
    if length == 0.0:
        return
    move = (_MOVE * n[0] / length, _MOVE * n[1] / length, _MOVE * n[2] / length)
    _clear(other)
    _search(shape_a, shift_a, shape_b, shift_b, scale, counts, move, space, start, (math.inf, -math.inf), other)
    u = (other[ACROSS], other[ACROSS + 1], other[ACROSS + 2])
    length = _length(u)
    if length == 0.0:
        return
    p = _farthest(shape_a, count_a, shift_a, scale, u)
    q = _farthest(shape_b, count_b, shift_b, scale, (-u[0], -u[1], -u[2]))
    bound = dot(u, minus(q, p)) / length
    row[LOWER] = max(row[LOWER], bound)
    row[ACROSS], row[ACROSS + 1], row[ACROSS + 2] = u
    x = (other[POINT_A], other[POINT_A + 1], other[POINT_A + 2])
    y = (other[POINT_B] - move[0], other[POINT_B + 1] - move[1], other[POINT_B + 2] - move[2])
    length = _length(minus(y, x))
    if length < row[UPPER]:
        row[UPPER] = length
        for k in range(3):
            row[POINT_A + k], row[POINT_B + k] = x[k], y[k]


@inner
def _find(direction, ends, shape_a, shift_a, shape_b, shift_b, scale, counts, space, other, row):
    """Compute the bounds and nearest points of two placed shapes: by one search, or more if rounding ended it early.

    ``direction`` is that of the first search; for ``ends`` see ``_search``.
    """
    _clear(row)
    still = (0.0, 0.0, 0.0)
    for k in range(_SEARCHES):
        start = _start(k) if k > 0 else direction
        _search(shape_a, shift_a, shape_b, shift_b, scale, counts, still, space, start, ends, row)
        if row[UPPER] - row[LOWER] <= _ENOUGH or row[LOWER] < 0.0:
            break
        if row[LOWER] > ends[0] or row[UPPER] < ends[1]:
            break
        if row[UPPER] < _NEAR:
            for j in range(_BESIDE):
                start = _start(j)
                _search_beside(
                    shape_a, shift_a, shape_b, shift_b, scale, counts, space, start,
                    other, row,
                )  # fmt: skip
            if k == 2:
                break
    row[LOWER] = min(row[LOWER], row[UPPER])


@inner
def measure_from(direction, ends, corners_a, form_a, pose_a, corners_b, form_b, pose_b, space, row):
    """Write the result for one pair into a row; ``space`` is a SearchSpace by reference.

    The search begins along ``direction``, from a to b, which changes only how long it takes. It ends with a lower bound
    above the first of ``ends`` [m], before the upper bound is known, or with an upper bound below the second, before
    the lower bound is known.
    """
    other, local_a, local_b = space.other, space.local_a, space.local_b
    count_a, count_b = corners_a.shape[0], corners_b.shape[0]
    is_hull = form_a[0] == POINTS
    origin = placed(pose_a, _point(corners_a, 0)) if is_hull else (pose_a[0, 3], pose_a[1, 3], pose_a[2, 3])
    size = max(_place(corners_a, form_a, pose_a, origin, local_a), _place(corners_b, form_b, pose_b, origin, local_b))
    scale = 1.0
    if size > 0.0:
        scale = math.ldexp(1.0, min(max(-math.frexp(size)[1], -1000), 1000))
    _scale(local_a, count_a, scale)
    _scale(local_b, count_b, scale)
    shape_a, shape_b = by_reference(Placed(local_a, form_a, pose_a)), by_reference(Placed(local_b, form_b, pose_b))
    shift_a = (pose_a[0, 3] - origin[0], pose_a[1, 3] - origin[1], pose_a[2, 3] - origin[2])
    shift_b = (pose_b[0, 3] - origin[0], pose_b[1, 3] - origin[1], pose_b[2, 3] - origin[2])
    counts = (count_a, count_b)
    ends = (ends[0] * scale + _MARGIN, ends[1] * scale - _MARGIN)
    _find(direction, ends, shape_a, shift_a, shape_b, shift_b, scale, counts, space, other, row)
    row[LOWER] /= scale
    row[UPPER] /= scale
    row[SIZE] = size
    for k in range(3):
        row[POINT_A + k] = row[POINT_A + k] / scale + origin[k]
        row[POINT_B + k] = row[POINT_B + k] / scale + origin[k]


@inner
def _towards(pose_a, pose_b):
    """Return the direction from the origin of one pose to that of another; any direction if they are the same."""
    way = (pose_b[0, 3] - pose_a[0, 3], pose_b[1, 3] - pose_a[1, 3], pose_b[2, 3] - pose_a[2, 3])
    return first_direction() if _largest(way) == 0.0 else way


@inner
def _compare_balls(pose_a, pose_b, balls, reach, row):
    """Return whether balls around or inside of two shapes decide if they are within the reach; if so, write the bounds.

    The margins cover the deviation of poses from rigid ones, and the rounding of coordinates.
    """
    p = placed(pose_a, (balls[0, 0], balls[0, 1], balls[0, 2]))
    q = placed(pose_b, (balls[1, 0], balls[1, 1], balls[1, 2]))
    around = (balls[0, 3] + balls[1, 3]) * (1.0 + 3.0 * RIGID_TOLERANCE)
    inside = (balls[0, 4] + balls[1, 4]) * (1.0 - 3.0 * RIGID_TOLERANCE)
    size = around + reach
    for k in range(3):
        size += abs(p[k]) + abs(q[k]) + abs(pose_a[k, 3]) + abs(pose_b[k, 3])
    length, margin = _length(minus(q, p)), _MARGIN * size + LEAST
    row[SIZE] = size
    if length - around > reach + margin:
        row[LOWER] = row[UPPER] = length - around
        return True
    if length - inside < reach - margin:
        row[UPPER], row[LOWER] = max(length - inside, 0.0), (0.0 if length > inside else -_BARELY)
        return True
    return False


@inner
def _measure_range(points_a, form_a, rows_a, points_b, form_b, rows_b, reach, balls, first, end, room, answers):
    space = by_reference(space_of(room, points_a.shape[1]))
    only_met = reach < math.inf
    ends = (reach, reach if only_met else -math.inf)
    for m in range(first, end):
        pose_a, pose_b = rows_a[min(m, rows_a.shape[0] - 1)], rows_b[min(m, rows_b.shape[0] - 1)]
        if only_met and _compare_balls(pose_a, pose_b, balls, reach, answers[m]):
            continue
        corners_a, corners_b = points_a[min(m, points_a.shape[0] - 1)], points_b[min(m, points_b.shape[0] - 1)]
        way = _towards(pose_a, pose_b)
        measure_from(way, ends, corners_a, form_a, pose_a, corners_b, form_b, pose_b, space, answers[m])


@kernel
def convex_distances(points_a, form_a, rows_a, points_b, form_b, rows_b, reach, balls, first, end, answers):
    """Compute bounds of the distances between two convex shapes in a stack of poses, or between several shapes.

    Args:
        points_a: corners, (k, n, 3), or (1, n, 3) for all; see ``supports.py``.
        form_a: the kind of shape and its lengths, (4,).
        rows_a: poses, (k, 3, 4) float64, or (1, 3, 4) for all.
        points_b, form_b, rows_b: these data of the other shapes.
        reach: a search ends when its bounds show whether the distance is within this length [m]; then the nearest
            points are not known. If infinite, both bounds are found.
        balls: for a finite reach, a ball around each shape and one inside it, (2, 5): their centre in the frame of the
            shape, and both radii [m].
        first, end: the range of results to compute.
        answers: (k, COLUMNS) float64.
    """
    room = np.empty((5 + points_a.shape[1] + points_b.shape[1], 4, 3))
    _measure_range(points_a, form_a, rows_a, points_b, form_b, rows_b, reach, balls, first, end, room, answers)


@parallel_kernel
def convex_distances_together(
    points_a, form_a, rows_a, points_b, form_b, rows_b, reach, balls, parts, answers, workers
):  # fmt: skip
    """Run ``convex_distances`` in parallel for ranges ``parts`` (p, 2); each worker takes every ``workers``-th
    range.
    """
    rooms = np.empty((workers, 5 + points_a.shape[1] + points_b.shape[1], 4, 3))
    for w in prange(workers):
        for k in range(w, parts.shape[0], workers):
            _measure_range(
                points_a, form_a, rows_a, points_b, form_b, rows_b, reach, balls, parts[k, 0], parts[k, 1], rooms[w],
                answers,
            )  # fmt: skip


@inner
def _measure_in(room, enough, corners_a, form_a, pose_a, corners_b, form_b, pose_b, answer):
    """Measure one pair in the room of the caller."""
    space, ends = by_reference(space_of(room, corners_a.shape[0])), (enough, -math.inf)
    way = _towards(pose_a, pose_b)
    measure_from(way, ends, corners_a, form_a, pose_a, corners_b, form_b, pose_b, space, answer)


@kernel
def convex_distance_beside(points_a, form_a, pose_a, points_b, form_b, pose_b, enough, answer):
    """Run ``convex_distances`` for one pair in poses (4, 4), with coordinates relative to a's origin.

    So rounding errors do not grow with the distance from the world's origin. The points are in the world. The search
    may end with a lower bound that exceeds ``enough`` [m] by more than ``_MARGIN`` times the size.
    """
    room = np.empty((5 + points_a.shape[1] + points_b.shape[1], 4, 3))
    rows = np.empty((2, 3, 4))
    for i in range(3):
        for j in range(3):
            rows[0, i, j], rows[1, i, j] = pose_a[i, j], pose_b[i, j]
        rows[0, i, 3], rows[1, i, 3] = 0.0, pose_b[i, 3] - pose_a[i, 3]
    _measure_in(room, enough, points_a[0], form_a, rows[0], points_b[0], form_b, rows[1], answer)
    for k in range(3):
        answer[POINT_A + k] += pose_a[k, 3]
        answer[POINT_B + k] += pose_a[k, 3]


def bounds_steps(
    points_a: np.ndarray, form_a: np.ndarray, rows_a: np.ndarray, points_b: np.ndarray, form_b: np.ndarray,
    rows_b: np.ndarray, threads: int = 1, reach: float = math.inf, balls: np.ndarray = _NO_BALLS,
) -> Generator[float, None, np.ndarray]:  # fmt: skip
    """Return the results (k, COLUMNS) of ``convex_distances``, which documents the arguments, in slices, on several
    threads; yields the finished fraction.
    """
    counts = len(points_a), len(rows_a), len(points_b), len(rows_b)
    answers = np.empty((max(counts) if min(counts) else 0, COLUMNS))
    asked = points_a, form_a, rows_a, points_b, form_b, rows_b, reach, balls
    yield from stack_steps((convex_distances, convex_distances_together), asked, (answers,), _PART, threads)
    return answers


def stack_steps(
    kernels: tuple[Callable[..., None], Callable[..., None]],
    asked: tuple[Any, ...],
    answers: tuple[np.ndarray, ...],
    part: int,
    threads: int,
) -> Generator[float, None, None]:
    """Fill the answers for a stack of poses in slices, on several threads; yields the finished fraction.

    Args:
        kernels: one for a range of poses, called with (*asked, first, end, *answers); and one for ranges (p, 2) in
            parallel, called with (*asked, ranges, *answers, workers).
        asked: arguments of the kernels.
        answers: arrays with a row for each pose.
        part: number of consecutive poses that one worker measures.
        threads: maximum number of threads.
    """
    alone, together = kernels
    count, begin, calls = len(answers[0]), 0, 0
    while begin < count:
        if begin:
            yield begin / count
        calls += 1
        may_share = threads > 1 and calls > 1 and count - begin > part
        if may_share and not (calls > wide_engine.CALLS_TO_COMPILE or is_compiled(together)):
            may_share = False
        with parallel_region(threads if may_share else 1) as workers:
            end = min(begin + part * _PARTS_OF_WORKER * workers, count)
            if workers > 1:
                together(*asked, parts_of(begin, end, part), *answers, workers)
            else:
                alone(*asked, begin, end, *answers)
        begin = end
