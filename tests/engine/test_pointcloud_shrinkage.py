"""Points moved against the shrinkage of their surface: the definition, and what it is for."""

import meshclash as mc
import numpy as np
import pytest
from clouds import awkward_clouds, plane, random_pose, sphere, torus
from hypothesis import given, settings
from hypothesis import strategies as st

FAR_FROM_SPHERE = lambda x: np.linalg.norm(x, axis=1) - 1.0  # noqa: E731
FAR_FROM_TORUS = lambda x: np.hypot(np.hypot(x[:, 0], x[:, 1]) - 1.0, x[:, 2]) - 0.4  # noqa: E731


def moved_by_definition(points, bandwidth, horizon):
    """Carriers as the head of ``shrinkage.py`` defines them, from values of the plain surface, by whole matrices."""
    plain = mc.clouds.PointCloud(points, bandwidth=bandwidth, surface="wls")
    f, n, valid = plain.evaluate(points)
    residual = np.where(valid[:, None], -f[:, None] * n, 0.0)
    squared = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    weight = np.where(squared <= horizon**2, np.exp(-squared / bandwidth**2), 0.0)
    total = weight.sum(axis=1)
    mean = weight @ residual / total[:, None]
    spread = ((residual[None] - mean[:, None]) ** 2).sum(axis=2)
    variance = (weight**2 * spread).sum(axis=1) / total**2
    mean2 = np.maximum((mean**2).sum(axis=1), 1e-300)
    share = np.minimum(1.0 - 9.0 * variance / mean2, (residual * mean).sum(axis=1) / mean2)
    share = np.minimum(np.maximum(share, 0.0), 0.5 * bandwidth / np.sqrt(mean2))
    return points + share[:, None] * mean


@given(st.integers(0, 2**32 - 1), st.sampled_from((sphere, torus, plane)), st.sampled_from((0.0, 0.003, 0.02)))
@settings(max_examples=10)
def test_corrected_points_are_those_of_the_definition(seed, shape, noise):
    points = shape(np.random.default_rng(seed), 900, noise=noise)[0]
    cloud = mc.clouds.PointCloud(points)
    expected = moved_by_definition(points, cloud.bandwidth, cloud.horizon)
    assert np.abs(cloud.corrected_points - expected).max() < 1e-6 * cloud.bandwidth


@given(awkward_clouds())
@settings(max_examples=15)
def test_no_corrected_point_is_far_from_its_point(points):
    cloud = mc.clouds.PointCloud(points)
    moved = np.linalg.norm(cloud.corrected_points - points, axis=1)
    assert np.isfinite(moved).all() and moved.max() <= 0.5 * cloud.bandwidth * (1.0 + 1e-9)
    assert np.array_equal(cloud.points, points)
    for surface in ("wls", "apss"):
        normals = None if surface == "wls" else np.tile((0.0, 0.0, 1.0), (len(points), 1))
        tree = mc.clouds.PointCloud(points, normals, surface=surface).built.tree
        assert np.array_equal(tree.corrected, tree.points - tree.origin)


def off_the_shape(cloud, points, far):
    """How far the surface is from the shape where the points are, signed."""
    at = points.copy()
    for _ in range(4):
        f, n, valid = cloud.evaluate(at)
        at += np.where(valid, f, 0.0)[:, None] * n
    return far(at[valid])


@pytest.mark.parametrize("count", [2000, 8000])
@pytest.mark.parametrize(("shape", "far"), [(sphere, FAR_FROM_SPHERE), (torus, FAR_FROM_TORUS)])
def test_curved_surfaces_do_not_shrink(shape, far, count):
    points = shape(np.random.default_rng(count), count)[0]
    plain = off_the_shape(mc.clouds.PointCloud(points, surface="wls"), points, far)
    moved = off_the_shape(mc.clouds.PointCloud(points), points, far)
    assert plain.mean() < 0.0 and abs(moved.mean()) < 0.15 * abs(plain.mean())
    assert np.sqrt((moved**2).mean()) < 0.3 * np.sqrt((plain**2).mean())


@pytest.mark.parametrize("noise", [0.003, 0.01, 0.03])
def test_noise_is_not_followed(noise):
    points = sphere(np.random.default_rng(5), 6000, noise=noise)[0]
    plain = off_the_shape(mc.clouds.PointCloud(points, surface="wls"), points, FAR_FROM_SPHERE)
    moved = off_the_shape(mc.clouds.PointCloud(points), points, FAR_FROM_SPHERE)
    assert np.sqrt((moved**2).mean()) < 1.02 * np.sqrt((plain**2).mean())
    assert np.quantile(np.abs(moved), 0.999) < 1.1 * np.quantile(np.abs(plain), 0.999)


def test_flat_pieces_beside_an_edge_stay_and_the_edge_is_rounded_less():
    """Two squares at a right angle: x = 0 and z = 0."""
    rng = np.random.default_rng(6)
    points = rng.uniform(0.0, 1.0, (8000, 3))
    points[np.arange(8000), np.arange(8000) % 2 * 2] = 0.0
    inner = points[:, 1] * (1.0 - points[:, 1]) > 0.1

    def far(x):
        return np.minimum(np.abs(x[:, 0]), np.abs(x[:, 2]))

    errors = [np.sqrt((off_the_shape(mc.clouds.PointCloud(points, surface=s), points[inner], far) ** 2).mean())
              for s in ("wls", "twicing")]  # fmt: skip
    assert errors[1] < 0.8 * errors[0]
    cloud = mc.clouds.PointCloud(points)
    moved = np.linalg.norm(cloud.corrected_points - points, axis=1)
    away = np.maximum(points[:, 0], points[:, 2]) > 2.1 * cloud.horizon
    assert moved[away].max() < 1e-7 * cloud.bandwidth < moved.max()


def test_a_spot_of_many_points_is_moved_by_some_of_them():
    """Thousands of points within one horizon: of each leaf and its border about a thousand count."""
    rng = np.random.default_rng(7)
    points = np.concatenate([sphere(rng, 1500)[0], 0.05 * sphere(rng, 5000)[0]])
    cloud = mc.clouds.PointCloud(points)
    moved = np.linalg.norm(cloud.corrected_points - points, axis=1)
    assert cloud.built.largest_patch > 2000 and np.isfinite(moved).all()
    assert moved.max() <= 0.5 * cloud.bandwidth * (1.0 + 1e-9)


@pytest.mark.parametrize(("count", "noise"), [(2000, 0.006), (5000, 0.002), (5000, 0.01), (20000, 0.001)])
def test_decisions_are_right_beyond_twice_the_largest_noise(count, noise):
    """Spheres, planes and tori, each point at most ``noise`` off: from far larger than what the surface shrinks by to
    far smaller."""
    rng = np.random.default_rng(count)

    def rough(shape):
        points, normals = shape(rng, count)
        return mc.clouds.PointCloud(points + normals * rng.uniform(-noise, noise, (count, 1)))

    ball, other, ring, floor = rough(sphere), rough(sphere), rough(torus), rough(plane)
    for seed, multiple in enumerate((-6.0, -3.0, -2.1, 2.1, 3.0, 6.0)):
        gap = multiple * noise
        for turn in (seed, seed + 50):
            pose = random_pose(turn, (0.0, 0.0, 0.0))
            along = pose[:3, 0]
            at = random_pose(turn + 1, (2.0 + gap) * along)
            assert mc.collides(ball, other, pose, at) == (gap < 0.0), ("spheres", multiple)
            at = random_pose(turn + 2, (0.1, 0.2, 1.0 + gap))
            assert mc.collides(floor, ball, None, at) == (gap < 0.0), ("sphere on plane", multiple)
            outward = np.array([np.cos(turn), np.sin(turn), 0.0])
            at = random_pose(turn + 3, (2.4 + gap) * outward)
            assert mc.collides(ring, ball, None, at) == (gap < 0.0), ("sphere beside torus", multiple)
