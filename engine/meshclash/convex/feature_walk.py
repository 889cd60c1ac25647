"""Closest features of two convex polyhedra, by a walk from feature to feature that never returns to a state.

Sources: Lin, Canny, "A fast algorithm for incremental distance calculation" (1991); Mirtich, "V-Clip" (1998).

The state is a pair of features with their nearest points x and y. As long as y is not in the Voronoi region of x's
feature, a neighbour beyond the violated plane is nearer to y: from a vertex to an edge, from an edge to a face. The
nearest points of a pair of larger features lead to smaller features. If neither point violates a region, each point is
the nearest point of its object to the other point. Then the planes through these points, perpendicular to x - y,
separate the convex objects, and no other points are nearer.

V-Clip clips edges against regions without measuring, so it may cycle or stop too early. Here a step is taken only if
the distance decreases as a float64 number. This rule alone proves that no state occurs twice, for any rounding, also
for degenerate hulls. A point behind a face of its pair (V-Clip's "local minimum") is nearer to some other face, or
inside; then all faces are tested.

Afterwards, a separating plane proves that the walk stopped at the correct features: each hull is on one side, with
(nearly) the distance between them. If rounding leaves no such plane (very thin hulls, or gaps as small as rounding
errors), all pairs of features are compared.
"""

import math

import numpy as np

from ..geometry.triangle_distance import squared_distance
from ..geometry.tuples import cross, dot, minus
from ..jit import inner, kernel
from ..reference import by_reference
from .feature_points import (
    EDGE,
    FACE,
    VERTEX,
    closest_feature_points,
    corner_at,
    normal_at,
    point_and_feature,
)
from .support_vertex import climb, start_of

_ROUNDING = 2e-16
"""Share of the size by which a point may seem to be beyond a plane."""
_PROVED = 1e-12
"""Share of the size by which the separating plane may fall short of the distance."""

STEPS, EXHAUSTIVE, INSIDE, COUNTS = range(4)
"""Entries of the counts: steps of the walk, whether all features were compared, whether the hulls overlap."""


@inner
def _leaves_vertex(hull, v, p, q, pose, k):
    """Return whether q is beyond the plane of the k-th edge at vertex v, which is at p, and that edge."""
    e = np.int64(hull.vertex_edges[hull.vertex_begin[v] + k])
    other = np.int64(hull.edges[e, 0]) + np.int64(hull.edges[e, 1]) - v
    return dot(minus(q, p), minus(corner_at(hull, other, pose), p)) > 0.0, e


@inner
def _leaves_edge(hull, e, p, q, pose, k):
    """Return whether q is beyond the plane between an edge and the face on side k, and this face, -1 without a face."""
    f = np.int64(hull.edge_faces[e, k])
    if f < 0:
        return False, f
    way = minus(corner_at(hull, hull.edges[e, 1], pose), corner_at(hull, hull.edges[e, 0], pose))
    inward = cross(normal_at(hull, f, pose), way)
    height = dot(minus(q, p), inward)
    return (height > 0.0) if k == 0 else (height < 0.0), f


@inner
def height_above(hull, f, q, pose):
    """Return the signed height [m] of a point above the plane of a face."""
    base = corner_at(hull, hull.face_vertices[hull.face_begin[f]], pose)
    return dot(normal_at(hull, f, pose), minus(q, base))


@inner
def _is_inside(hull, q, pose, rounding):
    """Return whether a point is behind all faces."""
    faces = hull.normals.shape[0]
    for f in range(faces):
        if height_above(hull, f, q, pose) > rounding:
            return False
    return faces > 0


@inner
def _step_in(a, kind_a, index_a, x, pose_a, b, kind_b, index_b, y, pose_b, best2):
    """Return the nearest pair beyond the planes of a's feature that y violates.

    Returns:
        Returns the pair as ``closest_feature_points``, and whether it is nearer than before.
    """
    found = (x, kind_a, index_a, y, kind_b, index_b)
    is_nearer = False
    count = 0
    if kind_a == VERTEX:
        count = a.vertex_begin[index_a + 1] - a.vertex_begin[index_a]
    elif kind_a == EDGE:
        count = 2
    for k in range(count):
        if kind_a == VERTEX:
            leaves, index = _leaves_vertex(a, index_a, x, y, pose_a, k)
            kind = EDGE
        else:
            leaves, index = _leaves_edge(a, index_a, x, y, pose_a, k)
            kind = FACE
        if leaves:
            other = closest_feature_points(a, kind, index, pose_a, b, kind_b, index_b, pose_b)
            square = squared_distance(other[0], other[3])
            if square < best2:
                best2, found, is_nearer = square, other, True
    return found, is_nearer


@inner
def _step_around(a, kind_a, index_a, x, pose_a, b, kind_b, index_b, y, pose_b, best2):
    """Like ``_step_in``, from y behind a face of a to the nearest of all faces."""
    found = (x, kind_a, index_a, y, kind_b, index_b)
    is_nearer = False
    for f in range(a.normals.shape[0]):
        if height_above(a, f, y, pose_a) > 0.0:
            z, kind, index = point_and_feature(y, a, FACE, np.int64(f), pose_a)
            square = squared_distance(y, z)
            if square < best2:
                best2, found, is_nearer = square, (z, kind, index, y, kind_b, index_b), True
    return found, is_nearer


@inner
def _seen_from(pose, n, sign):
    """Return a world direction in the frame of a hull."""
    return (
        sign * (n[0] * pose[0, 0] + n[1] * pose[1, 0] + n[2] * pose[2, 0]),
        sign * (n[0] * pose[0, 1] + n[1] * pose[1, 1] + n[2] * pose[2, 1]),
        sign * (n[0] * pose[0, 2] + n[1] * pose[1, 2] + n[2] * pose[2, 2]),
    )


@inner
def _support(hull, pose, n, sign, at):
    """Return the maximum of sign * n . p over all vertices, found from vertex ``at``."""
    best = climb(hull, _seen_from(pose, n, sign), at)[0]
    return best + sign * (n[0] * pose[0, 3] + n[1] * pose[1, 3] + n[2] * pose[2, 3])


@inner
def _first_vertex(hull, pose, n, sign):
    """Return the vertex farthest along sign * n."""
    u = _seen_from(pose, n, sign)
    return climb(hull, u, start_of(hull, u))[1]


@inner
def _corner_of(hull, kind, index):
    """Return a vertex of a feature."""
    if kind == VERTEX:
        return index
    if kind == EDGE:
        return np.int64(hull.edges[index, 0])
    return np.int64(hull.face_vertices[hull.face_begin[index]])


@inner
def _direction(a, kind_a, index_a, x, pose_a, b, kind_b, index_b, y, pose_b):
    """Return the unit vector from x to y: normal to a face or two edges if possible, which tiny gaps do not spoil."""
    way = minus(y, x)
    n = way
    if kind_a == FACE:
        n = normal_at(a, index_a, pose_a)
    elif kind_b == FACE:
        n = normal_at(b, index_b, pose_b)
    elif kind_a == EDGE and kind_b == EDGE:
        d = minus(corner_at(a, a.edges[index_a, 1], pose_a), corner_at(a, a.edges[index_a, 0], pose_a))
        e = minus(corner_at(b, b.edges[index_b, 1], pose_b), corner_at(b, b.edges[index_b, 0], pose_b))
        n = cross(d, e)
        if dot(n, n) <= 1e-4 * dot(d, d) * dot(e, e):
            n = way
    length = math.sqrt(dot(n, n))
    if length == 0.0:
        return n
    if dot(n, way) < 0.0:
        length = -length
    return n[0] / length, n[1] / length, n[2] / length


@inner
def _size(hull, pose):
    """Return a bound of the world coordinates."""
    size = 0.0
    for k in range(3):
        for m in range(4):
            size = max(size, abs(pose[k, m]) if m == 3 else 0.0)
    return size + 2.0 * hull.reach


@inner
def _compare_all(a, pose_a, b, pose_b, found):
    """Return the nearest of all pairs of the largest features of both hulls, and of a known pair."""
    best2 = squared_distance(found[0], found[3])
    kind_a = FACE if a.normals.shape[0] > 0 else (EDGE if a.edges.shape[0] > 0 else VERTEX)
    kind_b = FACE if b.normals.shape[0] > 0 else (EDGE if b.edges.shape[0] > 0 else VERTEX)
    count_a = a.normals.shape[0] if kind_a == FACE else max(a.edges.shape[0], 1)
    count_b = b.normals.shape[0] if kind_b == FACE else max(b.edges.shape[0], 1)
    for i in range(count_a):
        for j in range(count_b):
            other = closest_feature_points(a, kind_a, np.int64(i), pose_a, b, kind_b, np.int64(j), pose_b)
            square = squared_distance(other[0], other[3])
            if square < best2:
                best2, found = square, other
    return found


@kernel
def follow_features(a, b, pose_a, pose_b, pair, points, counts):
    """Walk from a pair of features to the closest one.

    Args:
        a, b: ``Features`` of both hulls.
        pose_a, pose_b: (3, 4) float64.
        pair: kind and index of each feature, (4,) int64. On entry the start, with kind -1 for none; on return the
            result.
        points: (2, 3) float64: the nearest points, world.
        counts: (3,) int64, see ``COUNTS``.

    Returns:
        The distance [m]; 0 if the hulls overlap.
    """
    a = by_reference(a)
    b = by_reference(b)
    counts[:] = 0
    size = max(_size(a, pose_a), _size(b, pose_b))
    if pair[0] < 0:
        way = minus(corner_at(b, 0, pose_b), corner_at(a, 0, pose_a))
        pair[0] = pair[2] = VERTEX
        pair[1] = _first_vertex(a, pose_a, way, 1.0)
        pair[3] = _first_vertex(b, pose_b, way, -1.0)
    found = closest_feature_points(a, pair[0], pair[1], pose_a, b, pair[2], pair[3], pose_b)
    best2 = squared_distance(found[0], found[3])
    inside = False
    while best2 > 0.0:
        x, kind_a, index_a, y, kind_b, index_b = found
        found, moved = _step_in(a, kind_a, index_a, x, pose_a, b, kind_b, index_b, y, pose_b, best2)
        if not moved:
            other, moved = _step_in(b, kind_b, index_b, y, pose_b, a, kind_a, index_a, x, pose_a, best2)
            if moved:
                found = (other[3], other[4], other[5], other[0], other[1], other[2])
        if not moved and kind_a == FACE and height_above(a, index_a, y, pose_a) < 0.0:
            inside = _is_inside(a, y, pose_a, 0.0)
            if inside:
                break
            found, moved = _step_around(a, kind_a, index_a, x, pose_a, b, kind_b, index_b, y, pose_b, best2)
        if not moved and kind_b == FACE and height_above(b, index_b, x, pose_b) < 0.0:
            inside = _is_inside(b, x, pose_b, 0.0)
            if inside:
                break
            other, moved = _step_around(b, kind_b, index_b, y, pose_b, a, kind_a, index_a, x, pose_a, best2)
            if moved:
                found = (other[3], other[4], other[5], other[0], other[1], other[2])
        if not moved:
            break
        best2 = squared_distance(found[0], found[3])
        counts[STEPS] += 1
    if best2 > 0.0 and not inside:
        n = _direction(a, found[1], found[2], found[0], pose_a, b, found[4], found[5], found[3], pose_b)
        below = _support(a, pose_a, n, 1.0, _corner_of(a, found[1], found[2]))
        gap = -_support(b, pose_b, n, -1.0, _corner_of(b, found[4], found[5])) - below
        if not gap >= math.sqrt(best2) - _PROVED * size:
            counts[EXHAUSTIVE] = 1
            inside = _is_inside(a, corner_at(b, 0, pose_b), pose_a, _ROUNDING * size)
            inside = inside or _is_inside(b, corner_at(a, 0, pose_a), pose_b, _ROUNDING * size)
            found = _compare_all(a, pose_a, b, pose_b, found)
            best2 = squared_distance(found[0], found[3])
    for k in range(3):
        points[0, k], points[1, k] = found[0][k], found[3][k]
    pair[0], pair[1], pair[2], pair[3] = found[1], found[2], found[4], found[5]
    counts[INSIDE] = inside or best2 == 0.0
    return 0.0 if inside else math.sqrt(best2)
