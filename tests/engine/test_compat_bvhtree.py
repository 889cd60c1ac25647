"""Blender's BVHTree without Blender: its methods, errors and answers."""

import math

import exact
import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.compat.bvhtree import BVHTree
from oracles.ray_oracle import crossings_of

CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
NOTHING = (None, None, None, None)


@pytest.fixture
def tree():
    return BVHTree.FromPolygons(CORNERS, [(0, 1, 2, 3), (1, 4, 5, 2)])


def test_rays_and_points_are_told_as_blender_tells_them(tree):
    assert tree.ray_cast((0.25, 0.5, 1), (0, 0, -2)) == ((0.25, 0.5, 0.0), (0.0, 0.0, 1.0), 0, 1.0)
    assert tree.ray_cast((1.75, 0.5, -1), [0, 0, 3]) == ((1.75, 0.5, 0.0), (0.0, 0.0, 1.0), 1, 1.0)
    assert tree.ray_cast((9, 9, 9), (0, 0, 1)) == tree.ray_cast((0.5, 0.25, 1), (0, 0, 0)) == NOTHING
    for limit, hit in ((0.5, False), (1.0, False), (1.001, True), (-1.0, False), (math.inf, True)):
        assert (tree.ray_cast(np.array([0.5, 0.25, 1]), (0, 0, -1), limit)[2] == 0) == hit
        assert (tree.find_nearest((0.5, 0.25, 1), limit)[2] == 0) == hit
    assert tree.find_nearest((1.5, 0.25, 5)) == ((1.5, 0.25, 0.0), (0.0, 0.0, 1.0), 1, 5.0)
    near = tree.find_nearest_range((0.875, 0.5, 0.5), 0.55)
    assert [(hit[2], hit[3]) for hit in near] == [(0, 0.5), (1, math.hypot(0.125, 0.5))]
    assert len(tree.find_nearest_range((0, 0, 0))) == 4  # each triangle of a polygon


def test_polygons_are_cut_and_have_their_own_normals():
    arrow = BVHTree.FromPolygons([(0, 0, 0), (4, 0, 0), (4, 4, 0), (2, 1, 0), (0, 4, 0)], [(0, 1, 2, 3, 4)])
    assert arrow.ray_cast((2, 3, 1), (0, 0, -1)) == NOTHING
    assert arrow.ray_cast((2, 0.5, 1), (0, 0, -1))[2] == 0
    warped = BVHTree.FromPolygons([(0, 0, 0), (1, 0, 0), (1, 1, 0.5), (0, 1, 0)], [(0, 1, 2, 3)])
    normal = warped.ray_cast((0.25, 0.5, 1), (0, 0, -1))[1]
    assert normal == pytest.approx((-0.2357022603955158, -0.2357022603955158, 0.9428090415820634))
    line = BVHTree.FromPolygons([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])
    assert line.find_nearest((0.5, 0, 1)) == ((0.5, 0.0, 0.0), (0.0, 0.0, 0.0), 0, 1.0)


def test_overlaps_are_pairs_of_polygons(tree):
    other = BVHTree.FromPolygons(np.array([(0.25, 0.25, -1), (0.75, 0.5, -1), (1.5, 0.5, 1.0)]), np.array([[0, 1, 2]]))
    assert tree.overlap(other) == [(0, 0), (1, 0)]
    assert other.overlap(tree) == [(0, 0), (0, 1)]
    assert tree.overlap(tree) == []
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.2, -1), (0.2, 0.2, 1), (0.4, 0.4, 1), (0, 0, 1), (0.5, 0.5, 1)]
    crossing = BVHTree.FromPolygons(corners, [(0, 1, 2), (3, 4, 5), (0, 6, 7), (0, 1, 6)])
    assert {(0, 1), (1, 0)} <= set(crossing.overlap(crossing))
    assert all((b, a) in crossing.overlap(crossing) for a, b in crossing.overlap(crossing))


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), grid=st.booleans())
def test_all_answers_are_those_of_fractions(seed, grid):
    rng = np.random.default_rng(seed)
    corners = rng.integers(-8, 9, (30, 3)) / 4.0 if grid else rng.normal(size=(30, 3))
    faces = np.array([rng.choice(30, 3, replace=False) for _ in range(15)])
    made = BVHTree.FromPolygons(corners, faces.tolist(), all_triangles=True)
    triangles = corners[faces]
    for o, d in zip(3.0 * rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), strict=True):
        crossed = sorted((time, triangle) for triangle, time in crossings_of(o, d, triangles))
        assert made.ray_cast(o, d)[2] == (crossed[0][1] if crossed else None)
        distances = [exact.distance_to_triangle(o, triangle) for triangle in triangles]
        assert made.find_nearest(o)[3] == pytest.approx(min(distances), abs=1e-12)
        within = sorted(distance for distance in distances if distance < 2.5)
        assert [near[3] for near in made.find_nearest_range(o, 2.5)] == pytest.approx(within, abs=1e-12)


def test_ranges_of_many_triangles_are_complete():
    mesh = mc.shapes.sphere(1.0, 0.1)
    made = BVHTree.FromPolygons(mesh.vertices, mesh.triangles)
    near = made.find_nearest_range((0.0, 0.0, 0.1))
    assert len(near) == mesh.triangle_count
    assert [hit[3] for hit in near] == sorted(hit[3] for hit in near)


def test_what_is_empty_meets_nothing():
    for empty in (BVHTree(), BVHTree.FromPolygons([], []), BVHTree.FromPolygons(CORNERS, [(0, 1)])):
        assert empty.ray_cast((0, 0, 0), (0, 0, 1)) == empty.find_nearest((0, 0, 0)) == NOTHING
        assert empty.find_nearest_range((0, 0, 0)) == empty.overlap(empty) == []


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda tree: BVHTree.FromPolygons(CORNERS, [(0, 1, 9)]), "index 9 must be less than 6"),
        (lambda tree: BVHTree.FromPolygons(CORNERS, [(0, -1, 2)]), "index -1"),
        (lambda tree: BVHTree.FromPolygons(CORNERS, [(0, 1, 2.5)]), "whole numbers"),
        (
            lambda tree: BVHTree.FromPolygons(CORNERS, [(0, 1, 2, 3)], True),
            "non triangle found at index 0 with length of 4",
        ),
        (lambda tree: tree.ray_cast((0, 0), (0, 0, 1)), "origin must be three numbers"),
        (lambda tree: tree.ray_cast((0, 0, 0), "up"), "direction must be three numbers"),
        (lambda tree: tree.ray_cast((0, 0, math.nan), (0, 0, 1)), "origin must be finite"),
        (lambda tree: tree.find_nearest(None), "origin must be three numbers"),
        (lambda tree: tree.find_nearest((0, 0, 0), "far"), "distance must be a number"),
        (lambda tree: tree.overlap(3), "Expected a BVHTree argument"),
    ],
)
def test_wrong_arguments_raise_value_errors(tree, ask, says):
    with pytest.raises(ValueError, match=says):
        ask(tree)
