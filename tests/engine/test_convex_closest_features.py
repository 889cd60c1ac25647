"""Closest features: an independent solver over random hulls, few steps after small motions, an end in all cases."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.convex.support_vertex import climb, start_of
from meshclash.jit import inner, kernel
from meshclash.motion.motion_piece import rotation_about
from oracles.convex_pairs import CLASSES, check_pair, random_points
from solids import box
from strategies import matrix, rotation


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_equals_all_pairs_of_triangles(block):
    """Some hundred pairs; the bench ``motion`` checks any number."""
    rows = [check_pair(1000 * block + seed) for seed in range(100)]
    assert [1000 * block + seed for seed, row in enumerate(rows) if row["wrong"]] == []
    assert check_pair(96261)["wrong"] == 0  # a point 1e-6 inside a needle: a linear program cannot tell
    most = 400  # no walk is longer than the features there are
    assert max(row["steps"] for row in rows) < most


@given(st.integers(0, 2**32 - 1), st.sampled_from(CLASSES), st.sampled_from(CLASSES))
def test_any_start_leads_to_the_same_distance(seed, first, second):
    rng = np.random.default_rng(seed)
    a, b = mc.shapes.ConvexHull(random_points(first, rng)), mc.shapes.ConvexHull(random_points(second, rng))
    pose = matrix(rotation(rng), rng.normal(size=3) * 2)
    found = mc.shapes.closest_features(a, b, None, pose)
    for _ in range(3):
        other = matrix(rotation(rng), rng.normal(size=3) * 2)
        start = mc.shapes.closest_features(a, b, None, other)
        assert mc.shapes.closest_features(a, b, None, pose, start=start).distance == pytest.approx(
            found.distance, abs=1e-12
        )
    swapped = mc.shapes.closest_features(b, a, pose, None)
    assert swapped.distance == pytest.approx(found.distance, abs=1e-12)


@inner
def _both_ways(hull, u, at):
    return climb(hull, u, at), climb(hull, u, start_of(hull, u))


@kernel
def climbs(hull, u, at, found):
    for k in range(at.shape[0]):
        one, other = _both_ways(hull, (u[k, 0], u[k, 1], u[k, 2]), at[k])
        found[k, 0], found[k, 1] = one[0], other[0]


@given(st.integers(0, 2**32 - 1), st.sampled_from((*CLASSES, "large", "round")))
def test_a_climb_ends_at_the_highest_vertex_of_all(seed, name):
    """As float64 numbers: also on plateaus, such as along a face, an edge, or a rim of more corners than are kept."""
    rng = np.random.default_rng(seed)
    if name == "round":
        turns = 2 * np.pi * np.arange(150) / 150
        points = np.column_stack([np.cos(turns), np.sin(turns), np.repeat([0.0, 1.0], 75)])
    else:
        points = rng.normal(size=(400, 3)) if name == "large" else random_points(name, rng)
    hull = mc.shapes.ConvexHull(points + rng.choice([0.0, 1e3]) * rng.normal(size=3))
    ends = hull.vertices[hull.edges[:, 1]] - hull.vertices[hull.edges[:, 0]]
    ways = np.vstack([rng.normal(size=(40, 3)), np.eye(3), -np.eye(3), hull.features.normals[:40]])
    if len(ends):
        across = np.cross(ends[rng.integers(len(ends), size=40)], rng.normal(size=(40, 3)))
        ways = np.vstack([ways, across])
    found = np.empty((len(ways), 2))
    climbs(hull.features, ways, rng.integers(len(hull.vertices), size=len(ways)), found)
    x, y, z = hull.vertices.T
    expected = [(u[0] * x + u[1] * y + u[2] * z).max() for u in ways]
    assert np.allclose(found, np.array(expected)[:, None], rtol=1e-15, atol=1e-16)


def test_large_hulls_take_no_more_steps_than_small_ones():
    points = np.random.default_rng(3).normal(size=(5000, 3))
    hull = mc.shapes.ConvexHull(points / np.linalg.norm(points, axis=1)[:, None])
    found, steps = None, []
    for degree in range(60):
        pose = matrix(rotation_about(np.array([0.6, 0.0, 0.8]), np.radians(degree)), (2.1, 0.3, 0.1))
        found = mc.shapes.closest_features(hull, hull, None, pose, start=found)
        assert found.distance == pytest.approx(mc.shapes.closest_features(hull, hull, None, pose).distance, abs=1e-12)
        assert not found.exhaustive
        steps.append(found.steps)
    assert np.mean(steps[1:]) < 4.0 and (hull.features.starts >= 0).all() and hull.features.starts.shape[1] > 10


def test_a_degree_a_frame_takes_few_steps():
    rng = np.random.default_rng(5)
    steps, frames = 0, 0
    for _ in range(10):
        a, b = (
            mc.shapes.ConvexHull(random_points("sphere", np.random.default_rng(rng.integers(99)))) for _ in range(2)
        )
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        found = None
        for degree in range(180):
            pose = matrix(rotation_about(axis, np.radians(degree)), (2.5, 0.3, 0.1))
            found = mc.shapes.closest_features(a, b, None, pose, start=found)
            if degree:
                steps, frames = steps + found.steps, frames + 1
    assert steps / frames <= 3.0


def test_features_are_named():
    cube = mc.shapes.ConvexHull(box((0, 0, 0), (1, 1, 1))[0])
    corner = mc.shapes.ConvexHull([[0, 0, 0], [1, 1, 1], [1, -1, 1], [-1, 0, 1]])
    found = mc.shapes.closest_features(cube, corner, None, matrix(shift=(0.4, 0.4, 3.0)))
    assert found.distance == 2.0 and found.feature_a[0] == "face" and found.feature_b[0] == "vertex"
    assert np.allclose(found.point_a, (0.4, 0.4, 1.0)) and np.allclose(found.point_b, (0.4, 0.4, 3.0))
    far = mc.shapes.closest_features(cube, corner, matrix(shift=(1e6, 0, 0)), matrix(shift=(1e6 + 0.4, 0.4, 3.0)))
    assert far.distance == pytest.approx(2.0, abs=1e-12)
    inside = mc.shapes.closest_features(cube, mc.shapes.ConvexHull([[0.5, 0.5, 0.5]]))
    assert inside.overlap and inside.distance == 0.0


def test_what_does_not_belong_together_is_refused():
    cube, point = mc.shapes.ConvexHull(box((0, 0, 0), (1, 1, 1))[0]), mc.shapes.ConvexHull([[5.0, 5, 5]])
    start = mc.shapes.closest_features(cube, cube, None, matrix(shift=(5, 5, 5)))
    with pytest.raises(mc.InvalidMesh, match="ConvexHull"):
        mc.shapes.closest_features(cube, mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1))))
    with pytest.raises(mc.UnsupportedOption, match="stack"):
        mc.shapes.closest_features(cube, cube, np.stack([np.eye(4)] * 2))
    with pytest.raises(mc.UnsupportedOption, match="start"):
        mc.shapes.closest_features(cube, cube, start=5)
    with pytest.raises(mc.UnsupportedOption, match="does not exist"):
        mc.shapes.closest_features(point, point, start=start)
