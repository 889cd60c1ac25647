"""Exact hulls: every point behind every face by fractions, faces flat and convex, degenerate input of all sorts."""

from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.convex_pairs import CLASSES, random_points
from oracles.hull_sets import check_hull
from scipy.spatial import ConvexHull as Qhull
from strategies import any_points, nudged_points, points


def exact(array):
    return [[Fraction(float(x)) for x in row] for row in array]


def side(a, b, c, d):
    """Sign of the determinant by fractions: positive behind a face that is counter-clockwise from outside."""
    u, v, w = ([x - y for x, y in zip(p, d, strict=True)] for p in (a, b, c))
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + v[0] * (w[1] * u[2] - w[2] * u[1]) + w[0] * (u[1] * v[2] - u[2] * v[1])


def check(hull, given_points):
    vertices, everyone = exact(hull.vertices), exact(given_points)
    assert np.array_equal(given_points[hull.indices], hull.vertices)
    faces = [face.tolist() for face in hull.faces]
    for face in faces:
        assert len(face) > 2 and len(set(face)) == len(face)
        for k in range(len(face)):
            a, b, c = (vertices[face[(k + m) % len(face)]] for m in range(3))
            heights = [side(a, b, c, p) for p in everyone]
            assert min(heights) == 0, "a corner is not convex, or a point is outside"
            on = {tuple(p) for p, height in zip(everyone, heights, strict=True) if height == 0}
            assert {tuple(vertices[v]) for v in face} <= on
    if faces:
        assert len(vertices) - len(hull.edges) + len(faces) == 2
        assert {v for face in faces for v in face} == set(range(len(vertices)))
        directed = [(u, v) for face in faces for u, v in zip(face, [*face[1:], face[0]], strict=True)]
        assert len(set(directed)) == len(directed) == 2 * len(hull.edges)
        assert all((v, u) in set(directed) for u, v in directed)
    else:
        assert len(vertices) == len(hull.edges) + 1 <= 2


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 14).flatmap(lambda n: st.one_of(any_points(max(n, 2)), points(st.integers(0, 2).map(float), n))))
def test_no_point_is_outside_and_every_vertex_is_one(given_points):
    assume_range = np.abs(given_points[given_points != 0.0])
    if len(assume_range) and (assume_range.max() > 1e90 or assume_range.min() < 1e-70):
        return  # determinants of such numbers are refused in words, see below
    check(mc.shapes.ConvexHull(given_points), given_points)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(nudged_points(12))
def test_points_an_ulp_from_a_plane_are_told_from_those_in_it(given_points):
    given_points = np.where(np.abs(given_points) < 1e-300, 0.0, given_points)
    check(mc.shapes.ConvexHull(given_points), given_points)


@pytest.mark.parametrize("name", CLASSES)
def test_volumes_and_areas_are_those_of_qhull(name):
    rng = np.random.default_rng(3)
    for _ in range(10):
        cloud = random_points(name, rng)
        hull = mc.shapes.ConvexHull(cloud)
        if name in ("flat", "segment", "point", "slivers", "needle"):
            continue
        if len(hull.faces) > 2:
            peer = Qhull(cloud)
            corners = hull.vertices[hull.mesh().triangles]
            volume = np.linalg.det(corners).sum() / 6
            assert volume == pytest.approx(peer.volume, rel=1e-9)
            assert set(hull.indices) <= set(range(len(cloud)))


@pytest.mark.slow
def test_sets_of_all_sorts_by_integers_and_beside_qhull():
    """Some hundred sets; the bench ``motion --hulls`` checks any number."""
    assert [(seed, row["faults"]) for seed in range(400) if (row := check_hull(seed))["wrong"]] == []


def test_a_large_hull_is_locally_convex_everywhere_and_has_every_point_of_a_sphere():
    points = np.random.default_rng(4).normal(size=(3000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = mc.shapes.ConvexHull(points)
    assert len(hull.vertices) == 3000 and len(hull.faces) == 5996 and len(hull.edges) == 8994
    assert hull.mesh().is_closed
    for (f, g), edge in zip(hull.features.edge_faces[::20].tolist(), hull.edges[::20].tolist(), strict=True):
        across = (set(hull.faces[g].tolist()) - set(edge)).pop()
        assert side(*exact(hull.vertices[[*hull.faces[f], across]])) > 0


def test_faces_in_one_plane_are_one_face():
    grid = np.array([[x, y, z] for x in range(4) for y in range(4) for z in range(4)], float)
    hull = mc.shapes.ConvexHull(np.vstack([grid, grid]))
    assert (len(hull.vertices), len(hull.edges), len(hull.faces)) == (8, 12, 6)
    assert hull.mesh().is_closed


@pytest.mark.parametrize(
    ("given_points", "counts"),
    [
        ([[1, 2, 3]], (1, 0, 0)),
        ([[1, 2, 3]] * 5, (1, 0, 0)),
        ([[0, 0, 0], [3, 3, 3], [1, 1, 1]], (2, 1, 0)),
        ([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0.5, 0.5, 1], [0.5, 0, 1]], (4, 4, 2)),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], (4, 6, 4)),
    ],
)
def test_degenerate_sets(given_points, counts):
    hull = mc.shapes.ConvexHull(given_points)
    assert (len(hull.vertices), len(hull.edges), len(hull.faces)) == counts


@pytest.mark.parametrize("bad", [np.empty((0, 3)), [[0, 0]], [[np.nan, 0, 0]], [[1e31, 0, 0]], "x"])
def test_what_is_no_set_of_points_is_refused(bad):
    with pytest.raises(mc.InvalidMesh):
        mc.shapes.ConvexHull(bad)
