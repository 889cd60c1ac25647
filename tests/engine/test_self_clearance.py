"""What of one mesh comes near to itself, against all pairs by brute force."""

import itertools

import exact
import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.types.pose import matched_poses, transform_points
from solids import box, torus
from strategies import GRID, grid_meshes, points, poses


def segment_distance(p, q, r, s):
    """The distance of two segments, by trying all ends and the common perpendicular."""
    u, v, w = q - p, s - r, r - p
    across = np.cross(u, v)
    square = across @ across
    candidates = [(t, None) for t in (0.0, 1.0)] + [(None, t) for t in (0.0, 1.0)]
    if square > 0.0:
        t = np.clip([np.cross(w, v) @ across / square, np.cross(w, u) @ across / square], -1.0, 2.0)
        if ((t >= 0.0) & (t <= 1.0)).all():
            candidates.append(tuple(t))
    best = np.inf
    for a, b in candidates:
        first = place_on_line(r + b * v, p, u) if a is None else a
        second = place_on_line(p + a * u, r, v) if b is None else b
        best = min(best, np.linalg.norm(p + first * u - r - second * v))
    return best


def place_on_line(x, p, u):
    """Where the point of the segment p + t u, 0 <= t <= 1, that is nearest to x lies."""
    return np.clip((x - p) @ u / (u @ u), 0.0, 1.0) if u @ u > 0.0 else 0.0


def check(vertices, triangles, tolerance, pose=None):
    world = transform_points(matched_poses(pose, None)[0][0], vertices)
    mesh = mc.TriangleMesh(vertices, triangles)
    found = mc.near_features(mesh, tolerance, pose)
    margin = 1e-9 * (1.0 + np.abs(world).max())
    sides = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    edges = np.unique(sides, axis=0)
    assert np.array_equal(found.edges, edges)
    told = {tuple(pair): d for pair, d in zip(found.vertex_face.tolist(), found.vertex_face_distance, strict=True)}
    assert len(told) == len(found.vertex_face)
    for v, t in itertools.product(np.unique(triangles).tolist(), range(len(triangles))):
        distance = exact.distance_to_triangle(world[v], world[triangles[t]])
        check_pair(told.pop((v, t), None), distance, tolerance, margin, v in triangles[t])
    assert not told
    told = {tuple(pair): d for pair, d in zip(found.edge_edge.tolist(), found.edge_edge_distance, strict=True)}
    for a, b in itertools.combinations(range(len(edges)), 2):
        distance = segment_distance(*world[edges[a]], *world[edges[b]])
        check_pair(told.pop((a, b), None), distance, tolerance, margin, bool(set(edges[a]) & set(edges[b])))
    assert not told
    assert len(found) == len(found.vertex_face) + len(found.edge_edge)


def check_pair(told, distance, tolerance, margin, excluded):
    if excluded or distance > tolerance + margin:
        assert told is None
    elif distance < tolerance - margin:
        assert told == pytest.approx(distance, abs=margin)


@settings(max_examples=40)
@given(grid_meshes(8), st.sampled_from((0.25, 0.9, 1.1)))
def test_features_on_a_grid_are_those_of_brute_force(mesh, tolerance):
    check(*mesh, tolerance)


@settings(max_examples=10)
@given(points(st.floats(-1.0, 1.0), 12), poses(), st.sampled_from((0.2, 0.6)))
def test_features_of_posed_triangles_are_those_of_brute_force(vertices, pose, tolerance):
    check(vertices, np.arange(12).reshape(4, 3), tolerance, pose)


@settings(max_examples=20)
@given(points(GRID, 9), st.sampled_from((0.0, 0.5, 1.1)))
def test_triangles_near_each_other_are_those_of_clearance(vertices, tolerance):
    triangles = np.array([[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8], [8, 0, 3]])
    found = mc.self_clearance(mc.TriangleMesh(vertices, triangles), tolerance)
    told = {tuple(pair): d for pair, d in zip(found.pairs.tolist(), found.distances.tolist(), strict=True)}
    for i, j in itertools.combinations(range(5), 2):
        one, other = (mc.TriangleMesh(vertices[triangles[t]], [[0, 1, 2]]) for t in (i, j))
        distance = mc.distance(one, other).distance
        expected = distance <= tolerance and not set(triangles[i]) & set(triangles[j])
        assert told.pop((i, j), None) == (pytest.approx(distance, abs=1e-12) if expected else None)
    assert not told


def test_points_of_the_pairs_and_a_thick_plate():
    mesh = mc.TriangleMesh(*box((0, 0, 0), (10, 10, 0.25)))
    found = mc.self_clearance(mesh, 0.3)
    assert len(found) > 0
    assert (found.distances.max(), len(found)) == (0.25, len(np.unique(found.pairs, axis=0)))
    assert np.allclose(np.linalg.norm(np.diff(found.points(), axis=1)[:, 0], axis=1), found.distances)
    assert len(mc.self_clearance(mc.TriangleMesh(*torus(3, 1)), 1e-3)) == 0
