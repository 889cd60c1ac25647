"""Distances and deviations of clouds against brute force and against the shapes."""

import meshclash as mc
import numpy as np
import pytest
from clouds import ball_mesh, grid_mesh, plane, random_pose, shifted, sphere
from hypothesis import given, settings
from hypothesis import strategies as st


def world(points, pose):
    return points @ pose[:3, :3].T + pose[:3, 3]


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 3.0))
@settings(max_examples=20)
def test_sample_distance_equals_brute_force(seed, shift):
    rng = np.random.default_rng(seed)
    p, q = sphere(rng, 700)[0], plane(rng, 500)[0]
    pose_a, pose_b = random_pose(seed, (1, 2, 3)), random_pose(seed + 1, (1, 2, 3 + shift))
    answer = mc.lab.cloud_distance(mc.clouds.PointCloud(p), mc.clouds.PointCloud(q), pose_a, pose_b)
    apart = np.linalg.norm(world(p, pose_a)[:, None] - world(q, pose_b), axis=2)
    assert answer.sample_distance == pytest.approx(apart.min(), rel=1e-9, abs=1e-12)
    assert apart[answer.index_a, answer.index_b] == pytest.approx(apart.min(), rel=1e-9, abs=1e-12)


def test_distance_of_surfaces_is_that_of_the_shapes():
    rng = np.random.default_rng(1)
    a = mc.clouds.PointCloud(*sphere(rng, 20000), surface="apss")
    b = mc.clouds.PointCloud(*sphere(rng, 5000, radius=0.5), surface="apss")
    for seed in range(4):
        pose = random_pose(seed, (0, 0, 0))
        pose[:3, 3] = 2.0 * pose[:3, 0]
        answer = mc.lab.cloud_distance(a, b, None, pose)
        assert answer.distance == pytest.approx(0.5, abs=1e-4)
        assert answer.sample_distance >= answer.distance - 1e-4
        assert np.linalg.norm(answer.point_a - pose[:3, 0]) < 0.02
        assert np.linalg.norm(answer.point_b - 1.5 * pose[:3, 0]) < 0.02
    meeting = mc.lab.cloud_distance(a, b, None, shifted(1.2))
    assert meeting.distance == 0.0
    assert np.array_equal(meeting.point_a, meeting.point_b)


def test_distance_to_a_mesh_both_ways():
    rng = np.random.default_rng(2)
    cloud, mesh = mc.clouds.PointCloud(sphere(rng, 4000)[0]), grid_mesh()
    pose = shifted(z=-1.25)
    answer = mc.lab.cloud_distance(cloud, mesh, None, pose)
    lowest = int(cloud.points[:, 2].argmin())
    assert answer.sample_distance == pytest.approx(cloud.points[lowest, 2] + 1.25, rel=1e-12)
    assert answer.index_a == lowest
    assert answer.distance == pytest.approx(0.25, abs=5e-3)
    corners = mesh.vertices[mesh.triangles[answer.index_b]]
    assert (corners[:, :2].min(axis=0) <= cloud.points[lowest, :2] + 1e-12).all()
    back = mc.lab.cloud_distance(mesh, cloud, pose, None)
    assert (back.index_b, back.index_a) == (answer.index_a, answer.index_b)
    assert back.sample_distance == answer.sample_distance
    with pytest.raises(mc.UnsupportedOption, match="needs a PointCloud"):
        mc.lab.cloud_distance(mesh, mesh)


def test_deviation_from_a_mesh():
    rng = np.random.default_rng(3)
    points = rng.uniform(-1.5, 1.5, (3000, 3))
    cloud, mesh = mc.clouds.PointCloud(points), ball_mesh(1.0, 48)
    pose = random_pose(3, (0.1, 0.2, 0.3))
    signed = mc.clouds.deviation(cloud, mesh, pose, pose, signed=True)
    radius = np.linalg.norm(points, axis=1)
    assert np.abs(signed - (radius - 1.0)).max() < 3e-3
    assert np.allclose(mc.clouds.deviation(cloud, mesh, pose, pose), np.abs(signed))
    with pytest.raises(mc.UnsupportedOption, match="open or a shell"):
        mc.clouds.deviation(cloud, grid_mesh(), signed=True)
    with pytest.raises(mc.clouds.InvalidPointCloud):
        mc.clouds.deviation(mesh, cloud)


def test_deviation_from_a_cloud():
    rng = np.random.default_rng(4)
    target = mc.clouds.PointCloud(*sphere(rng, 20000, noise=0.002))
    points = sphere(rng, 2000)[0] * rng.uniform(0.9, 1.1, (2000, 1))
    pose_a, pose_b = random_pose(5, (1, 2, 3)), random_pose(6, (0, 0, 0))
    relative = np.linalg.inv(pose_a) @ pose_b
    cloud = mc.clouds.PointCloud(world(points, relative))
    signed = mc.clouds.deviation(cloud, target, pose_a, pose_b, signed=True)
    expected = np.linalg.norm(points, axis=1) - 1.0
    assert np.abs(signed - expected).max() < 0.03, "the nearest point counts where there is no surface"
    near = np.abs(expected) < 0.5 * target.horizon
    assert np.quantile(np.abs(signed - expected)[near], 0.99) < 0.006
    assert (np.sign(signed) == np.sign(expected))[np.abs(expected) > 0.005].all()
    unsigned = mc.clouds.deviation(cloud, mc.clouds.PointCloud(target.points), pose_a, pose_b)
    assert np.allclose(unsigned, np.abs(signed), atol=1e-9)
    with pytest.raises(mc.UnsupportedOption, match="no normals"):
        mc.clouds.deviation(cloud, mc.clouds.PointCloud(target.points), signed=True)


def test_answers_can_be_compared_and_kept_in_sets():
    cloud = mc.clouds.PointCloud(sphere(np.random.default_rng(0), 500)[0])
    for query in (mc.distance, mc.lab.cloud_collision):
        one, other = query(cloud, cloud), query(cloud, cloud)
        assert one != other and len({one, other, one}) == 2
