"""``distance`` with limits, and what it says of where the nearest points lie, against distances without limits."""

import math

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.motion import Feature
from solids import box, refined, torus
from strategies import matrix, rotation

RING, PLATE = torus(2, 0.5), refined(box((0, 0, 0), (4, 3, 0.25)))
BOX = mc.shapes.box(1.0)


def prepared(body, volume):
    mesh = mc.TriangleMesh(*body)
    return mesh if volume is None else mc.build(mesh, volume)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), volume=st.sampled_from((None, "aabb", "sphere")), stacked=st.booleans())
def test_limits_leave_what_is_between_them_as_it_is(seed, volume, stacked):
    rng = np.random.default_rng(seed)
    a, b = prepared(RING, volume), prepared(PLATE, volume)
    pose = matrix(rotation(rng), rng.uniform(-6, 6, 3))
    poses = pose[None] if stacked else pose
    whole = mc.distance(a, b, None, pose).distance
    for share in (0.0, 0.5, 1.0, 1.5):
        limit = share * whole
        for known in (None, mc.distance(a, b, None, pose)):
            upper = mc.distance(a, b, None, poses, upper_limit=limit, start=known)
            lower = mc.distance(a, b, None, poses, lower_limit=limit, start=known)
            found, bound, least = (np.ravel(value)[0] for value in (upper.distance, upper.lower_bound, lower.distance))
            if limit >= whole:
                assert found == bound == whole
                assert whole <= least <= limit and np.ravel(lower.lower_bound)[0] <= whole
            else:
                assert found == math.inf and bound == limit and np.isnan(upper.point_a).all()
                assert np.ravel(upper.triangle_a)[0] == np.ravel(upper.triangle_b)[0] == -1
                assert np.ravel(upper.feature_b)[0] == 0 and np.isnan(upper.barycentric_a).all()
                assert least == np.ravel(lower.lower_bound)[0] == whole
                assert mc.distance(a, b, None, poses, start=upper).distance == whole


def test_a_limit_saves_work():
    ring = mc.build(mc.TriangleMesh(*refined(RING, 1)))
    near = matrix(shift=(0.3, 0.2, 1.5))
    whole = mc.distance(ring, ring, None, near)
    tests = whole.stats.volume_tests
    assert mc.distance(ring, ring, None, near, upper_limit=0.5 * whole.distance).stats.volume_tests < tests
    assert mc.distance(ring, ring, None, near, lower_limit=2 * whole.distance).stats.volume_tests < tests


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), stacked=st.booleans())
def test_nearest_points_are_told_by_their_corners(seed, stacked):
    rng = np.random.default_rng(seed)
    a, b = mc.TriangleMesh(*RING), mc.TriangleMesh(*PLATE)
    poses = [matrix(rotation(rng), rng.uniform(-6, 6, 3)) for _ in range(2)]
    found = mc.distance(a, b, *(pose[None].repeat(3, 0) if stacked else pose for pose in poses))
    sides = (a, found.triangle_a, found.barycentric_a, found.point_a, found.feature_a), (
        b, found.triangle_b, found.barycentric_b, found.point_b, found.feature_b
    )  # fmt: skip
    for (mesh, triangle, weights, point, feature), pose in zip(sides, poses, strict=True):
        corners = mesh.vertices[mesh.triangles[np.atleast_1d(triangle)]] @ pose[:3, :3].T + pose[:3, 3]
        assert np.allclose(np.einsum("nk,nkx->nx", np.atleast_2d(weights), corners), point, atol=1e-9)
        assert (np.atleast_1d(feature) == (np.atleast_2d(weights) > 2.0**-20).sum(axis=1)).all()
    if np.min(found.distance) > 1e-9:
        assert np.allclose(found.normal * np.expand_dims(found.distance, -1), found.point_b - found.point_a, atol=1e-12)


def test_features_and_normal_of_boxes():
    for shift, a, b, normal in (
        ((0.125, 0.0625, 2.0), None, None, (0, 0, 1)),
        ((2.0, 2.0, 2.0), Feature.VERTEX, Feature.VERTEX, np.full(3, 3**-0.5)),
    ):
        found = mc.distance(BOX, BOX, None, matrix(shift=shift))
        assert np.allclose(found.normal, normal, atol=1e-15)
        assert a is None or (found.feature_a, found.feature_b) == (a, b)
    crossed = matrix(rotation(np.random.default_rng(1)))
    edge = mc.distance(mc.shapes.box((9.0, 1.0, 1.0)), BOX, None, matrix(shift=(0.3, 2.0, 2.0)))
    assert edge.feature_a == Feature.EDGE and edge.feature_b in (Feature.EDGE, Feature.VERTEX)
    assert np.isnan(mc.distance(BOX, BOX, None, crossed).normal).all()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_normal_is_the_gradient_of_the_distance(seed):
    rng = np.random.default_rng(seed)
    turn, place = rotation(rng), rng.normal(size=3)
    place *= 3.0 / np.linalg.norm(place)
    step = 1e-6
    found = mc.distance(BOX, BOX, None, matrix(turn, place))
    ahead = mc.distance(BOX, BOX, None, matrix(turn, place + step * found.normal)).distance
    assert abs((ahead - found.distance) / step - 1.0) < 1e-6


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_gradients_of_signed_distances(seed):
    rng = np.random.default_rng(seed)
    pose, points, step = matrix(rotation(rng), rng.normal(size=3)), rng.normal(size=(40, 3)), 1e-6
    mesh = mc.TriangleMesh(*RING)
    found = mc.signed_distance(mesh, points, pose)
    assert np.allclose(np.linalg.norm(found.gradient, axis=1), 1.0)
    assert np.allclose(found.point + found.distance[:, None] * found.gradient, points, atol=1e-9)
    ahead = mc.signed_distance(mesh, points + step * found.gradient, pose).distance
    smooth = np.abs(found.distance) > 2 * step
    assert (np.abs((ahead - found.distance) / step - 1.0)[smooth & (found.distance > 0)] < 1e-5).all()
    corners = mesh.vertices[mesh.triangles[found.triangle]] @ pose[:3, :3].T + pose[:3, 3]
    assert np.allclose(np.einsum("nk,nkx->nx", found.barycentric, corners), found.point, atol=1e-9)


def test_on_the_surface_the_gradient_is_the_normal():
    found = mc.signed_distance(BOX, [[0.5, 0.125, 0.25], [0.0, 0.125, 0.75], [1.0, 1.0, 1.0]])
    assert found.distance[0] == 0.0 and found.gradient[:2].tolist() == [[1, 0, 0], [0, 0, 1]]
    assert np.allclose(found.gradient[2], 3**-0.5) and found.feature.tolist() == [3, 3, 1]


def test_bad_limits_are_named():
    for name in ("upper_limit", "lower_limit"):
        for wrong in (-1.0, math.nan, "far", None):
            with pytest.raises(mc.UnsupportedOption, match=name):
                mc.distance(BOX, BOX, **{name: wrong})
    cloud = mc.clouds.PointCloud(np.random.default_rng(1).normal(size=(100, 3)))
    with pytest.raises(mc.UnsupportedOption, match="point clouds do not support limits"):
        mc.distance(cloud, BOX, upper_limit=1.0)
