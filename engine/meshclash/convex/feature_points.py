"""The nearest points of two features of convex polyhedra, and the smallest features that contain them.

A feature is a kind (vertex, edge or face) and an index. Features are closed: an edge includes its ends, a face its rim.
All lengths are float64 in one frame. If the features cross, both nearest points are the same point.
"""

import math

import numpy as np

from ..geometry.triangle_distance import parameters_of_segments, squared_distance
from ..geometry.tuples import cross, dot, minus
from ..jit import inner

VERTEX, EDGE, FACE = range(3)


@inner
def corner_at(hull, v, pose):
    """Return the world position of a vertex; ``pose`` is (3, 4)."""
    x, y, z = hull.vertices[v, 0], hull.vertices[v, 1], hull.vertices[v, 2]
    return (
        pose[0, 0] * x + pose[0, 1] * y + pose[0, 2] * z + pose[0, 3],
        pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z + pose[1, 3],
        pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z + pose[2, 3],
    )


@inner
def along(a, b, t):
    """Return the point of ab at t, from 0 to 1; exactly a or b at the ends."""
    if t <= 0.0:
        return a
    if t >= 1.0:
        return b
    return a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])


@inner
def normal_at(hull, f, pose):
    """Return the world unit normal of a face, transformed by the cofactors: poses may be slightly off a rotation."""
    x, y, z = hull.normals[f, 0], hull.normals[f, 1], hull.normals[f, 2]
    a = (pose[0, 0], pose[1, 0], pose[2, 0])
    b = (pose[0, 1], pose[1, 1], pose[2, 1])
    c = (pose[0, 2], pose[1, 2], pose[2, 2])
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    n = (
        bc[0] * x + ca[0] * y + ab[0] * z,
        bc[1] * x + ca[1] * y + ab[1] * z,
        bc[2] * x + ca[2] * y + ab[2] * z,
    )
    length = math.sqrt(dot(n, n))
    return (n[0] / length, n[1] / length, n[2] / length) if length > 0.0 else n


@inner
def _part_of_edge(hull, e, t):
    """Return the vertex or edge that contains a point of an edge."""
    if t <= 0.0:
        return VERTEX, np.int64(hull.edges[e, 0])
    if t >= 1.0:
        return VERTEX, np.int64(hull.edges[e, 1])
    return EDGE, e


@inner
def _ends(hull, e, pose):
    return corner_at(hull, hull.edges[e, 0], pose), corner_at(hull, hull.edges[e, 1], pose)


@inner
def point_and_edge(p, hull, e, pose):
    """Return (nearest point of an edge to p, kind and index of the feature that contains it)."""
    a, b = _ends(hull, e, pose)
    d = minus(b, a)
    length2 = dot(d, d)
    t = dot(minus(p, a), d) / length2 if length2 > 0.0 else 0.0
    if t > 0.5:  # relative to the nearer end, rounding errors are smaller
        t = 1.0 + dot(minus(p, b), d) / length2
    t = min(max(t, 0.0), 1.0)
    kind, index = _part_of_edge(hull, e, t)
    return along(a, b, t), kind, index


@inner
def point_and_face(p, hull, f, pose):
    """Return (nearest point of a face to p, kind and index of the feature that contains it)."""
    n = normal_at(hull, f, pose)
    begin, end = hull.face_begin[f], hull.face_begin[f + 1]
    a = corner_at(hull, hull.face_vertices[end - 1], pose)
    is_inside = dot(n, n) > 0.0
    for k in range(begin, end):
        b = corner_at(hull, hull.face_vertices[k], pose)
        if dot(cross(n, minus(b, a)), minus(p, a)) < 0.0:
            is_inside = False
            break
        a = b
    if is_inside:
        height = dot(n, minus(p, a))
        return (p[0] - height * n[0], p[1] - height * n[1], p[2] - height * n[2]), FACE, f
    best, kind, index = p, FACE, f
    best2 = math.inf
    for k in range(begin, end):
        x, of, which = point_and_edge(p, hull, np.int64(hull.face_edges[k]), pose)
        square = squared_distance(p, x)
        if square < best2:
            best2, best, kind, index = square, x, of, which
    return best, kind, index


@inner
def _edge_and_edge(a, e, pose_a, b, f, pose_b):
    p1, q1 = _ends(a, e, pose_a)
    p2, q2 = _ends(b, f, pose_b)
    s, t = parameters_of_segments(p1, q1, p2, q2)
    kind_a, index_a = _part_of_edge(a, e, s)
    kind_b, index_b = _part_of_edge(b, f, t)
    return along(p1, q1, s), kind_a, index_a, along(p2, q2, t), kind_b, index_b


@inner
def _edge_and_face(a, e, pose_a, b, f, pose_b):
    """Return the nearest points of edge e of a and face f of b."""
    p, q = _ends(a, e, pose_a)
    n = normal_at(b, f, pose_b)
    base = corner_at(b, b.face_vertices[b.face_begin[f]], pose_b)
    at_p, at_q = dot(n, minus(p, base)), dot(n, minus(q, base))
    y, kind_b, index_b = point_and_face(p, b, f, pose_b)
    x, kind_a, index_a = p, VERTEX, np.int64(a.edges[e, 0])
    best2 = squared_distance(p, y)
    z, of, which = point_and_face(q, b, f, pose_b)
    square = squared_distance(q, z)
    if square < best2:
        best2, x, kind_a, index_a, y, kind_b, index_b = square, q, VERTEX, np.int64(a.edges[e, 1]), z, of, which
    if (at_p > 0.0) != (at_q > 0.0) and at_p != at_q:
        t = at_p / (at_p - at_q)
        middle = along(p, q, t)
        z, of, which = point_and_face(middle, b, f, pose_b)
        if of == FACE:
            own, mine = _part_of_edge(a, e, t)
            return middle, own, mine, middle, FACE, f
    for k in range(b.face_begin[f], b.face_begin[f + 1]):
        u, own, mine, v, of, which = _edge_and_edge(a, e, pose_a, b, np.int64(b.face_edges[k]), pose_b)
        square = squared_distance(u, v)
        if square < best2:
            best2, x, kind_a, index_a, y, kind_b, index_b = square, u, own, mine, v, of, which
    return x, kind_a, index_a, y, kind_b, index_b


@inner
def _face_and_face(a, e, pose_a, b, f, pose_b):
    x, kind_a, index_a, y, kind_b, index_b = _edge_and_face(
        a, np.int64(a.face_edges[a.face_begin[e]]), pose_a, b, f, pose_b
    )
    best2 = squared_distance(x, y)
    for k in range(a.face_begin[e] + 1, a.face_begin[e + 1]):
        u, own, mine, v, of, which = _edge_and_face(a, np.int64(a.face_edges[k]), pose_a, b, f, pose_b)
        square = squared_distance(u, v)
        if square < best2:
            best2, x, kind_a, index_a, y, kind_b, index_b = square, u, own, mine, v, of, which
    for k in range(b.face_begin[f], b.face_begin[f + 1]):
        v, of, which, u, own, mine = _edge_and_face(b, np.int64(b.face_edges[k]), pose_b, a, e, pose_a)
        square = squared_distance(u, v)
        if square < best2:
            best2, x, kind_a, index_a, y, kind_b, index_b = square, u, own, mine, v, of, which
    return x, kind_a, index_a, y, kind_b, index_b


@inner
def point_and_feature(p, hull, kind, index, pose):
    """Return (nearest point of a feature to p, kind and index of the smallest feature that contains it)."""
    if kind == VERTEX:
        return corner_at(hull, index, pose), VERTEX, index
    if kind == EDGE:
        return point_and_edge(p, hull, index, pose)
    return point_and_face(p, hull, index, pose)


@inner
def closest_feature_points(a, kind_a, index_a, pose_a, b, kind_b, index_b, pose_b):
    """Return the nearest points of two features: (x in a, its feature's kind and index, y in b, its kind and index)."""
    if kind_a == VERTEX:
        x = corner_at(a, index_a, pose_a)
        y, of, which = point_and_feature(x, b, kind_b, index_b, pose_b)
        return x, VERTEX, index_a, y, of, which
    if kind_b == VERTEX:
        y = corner_at(b, index_b, pose_b)
        x, of, which = point_and_feature(y, a, kind_a, index_a, pose_a)
        return x, of, which, y, VERTEX, index_b
    if kind_a == EDGE and kind_b == EDGE:
        return _edge_and_edge(a, index_a, pose_a, b, index_b, pose_b)
    if kind_a == EDGE:
        return _edge_and_face(a, index_a, pose_a, b, index_b, pose_b)
    if kind_b == EDGE:
        y, of, which, x, own, mine = _edge_and_face(b, index_b, pose_b, a, index_a, pose_a)
        return x, own, mine, y, of, which
    return _face_and_face(a, index_a, pose_a, b, index_b, pose_b)
