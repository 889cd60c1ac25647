"""PointCloud and its implicit surface against NumPy and LAPACK."""

import meshclash as mc
import numpy as np
import pytest
from clouds import plane, reference_sphere, reference_value, sphere, torus
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.pointcloud.build import LEAST_WEIGHT, REACH_IN_RADII, bandwidth_of
from meshclash.pointcloud.surface import MOST_BESIDE2

SHAPES = (sphere, plane, torus)
COUNT = 4000


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(SHAPES),
    st.sampled_from((0.0, 0.01)),
    st.sampled_from((1e-3, 1.0, 1e4)),
    st.sampled_from(("wls", "twicing")),
)
@settings(max_examples=20)
def test_f_equals_the_definition_with_lapack(seed, shape, noise, scale, surface):
    """Of the points themselves, or of their corrected points (``test_pointcloud_shrinkage.py``)."""
    rng = np.random.default_rng(seed)
    points = shape(rng, COUNT, noise=noise)[0] * scale
    cloud = mc.clouds.PointCloud(points, surface=surface)
    points = points if surface == "wls" else cloud.corrected_points
    at = points[rng.integers(0, COUNT, 40)] + rng.normal(size=(40, 3)) * 0.3 * cloud.bandwidth
    values, normals, valid = cloud.evaluate(at)
    for x, f, normal, there in zip(at, values, normals, valid, strict=True):
        expected, direction, near, spectrum, mean, nearest = reference_value(points, x, cloud.bandwidth, cloud.horizon)
        beside = np.sqrt(max(0.0, mean @ mean - expected**2))
        assert there == (
            near > cloud.lengths.cutoff
            and (beside <= np.sqrt(MOST_BESIDE2) * cloud.bandwidth or nearest <= 0.5 * cloud.bandwidth)
        )
        if there and spectrum[1] - spectrum[0] > 1e-3 * spectrum[2]:
            assert abs(abs(f) - abs(expected)) <= 1e-12 * cloud.horizon
            assert abs(abs(normal @ direction) - 1.0) <= 1e-12


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=8)
def test_algebraic_spheres_equal_a_least_squares_fit(seed):
    rng = np.random.default_rng(seed)
    points, normals = torus(rng, COUNT)
    normals += 0.05 * rng.normal(size=normals.shape)
    normals = (normals / np.linalg.norm(normals, axis=1)[:, None]).astype(np.float32).astype(np.float64)
    cloud = mc.clouds.PointCloud(points, normals, surface="apss")
    at = points[:30] + 0.3 * cloud.bandwidth * rng.normal(size=(30, 3))
    values, directions, valid = cloud.evaluate(at)
    unit = cloud.normals
    for x, f, there in zip(at, values, valid, strict=True):
        if there:
            expected = reference_sphere(points, unit, x, cloud.bandwidth, cloud.horizon)
            assert f == pytest.approx(-expected, abs=1e-6 * cloud.bandwidth)
    assert np.einsum("ij,ij->i", directions, normals[:30])[valid].min() > 0.5


def test_algebraic_spheres_follow_curvature_better():
    rng = np.random.default_rng(1)
    points, normals = sphere(rng, COUNT)
    at = normals[:200] * 1.01
    plain = mc.clouds.PointCloud(points, normals, surface="wls").evaluate(at)[0]
    curved = mc.clouds.PointCloud(points, normals, surface="apss").evaluate(at)[0]
    assert np.abs(np.abs(curved) - 0.01).max() < 1e-6
    assert np.abs(np.abs(plain) - 0.01).max() > 1e-4


def test_the_surface_of_samples_is_near_the_shape():
    rng = np.random.default_rng(2)
    for shape, distance in (
        (sphere, lambda p: np.linalg.norm(p, axis=1) - 1.0),
        (torus, lambda p: np.hypot(np.hypot(p[:, 0], p[:, 1]) - 1.0, p[:, 2]) - 0.4),
    ):
        points = shape(rng, 20000, noise=0.01)[0]
        cloud = mc.clouds.PointCloud(points)
        values, normals, valid = cloud.evaluate(points)
        projected = points + values[:, None] * normals
        error = np.abs(distance(projected))
        assert valid.mean() > 0.999
        assert error.mean() < 0.5 * np.abs(distance(points)).mean(), "noise is averaged out"


def test_bandwidth_follows_the_sampling_radius():
    """Eq. 9; and the sampling radius is that of discs with the surface's area (eq. 10) where points are even."""
    rng = np.random.default_rng(3)
    cloud = mc.clouds.PointCloud(sphere(rng, 20000)[0])
    assert cloud.horizon == pytest.approx(REACH_IN_RADII * cloud.sampling_radius)
    assert np.exp(-((cloud.horizon / cloud.bandwidth) ** 2)) == pytest.approx(LEAST_WEIGHT)
    discs = np.sqrt(4.0 / 20000)
    assert discs < cloud.sampling_radius < 1.5 * discs
    half = mc.clouds.PointCloud(sphere(rng, 5000)[0])
    assert half.sampling_radius == pytest.approx(2.0 * cloud.sampling_radius, rel=0.1)
    assert mc.clouds.PointCloud(sphere(rng, 500)[0], bandwidth=0.25).bandwidth == 0.25


@pytest.mark.slow
def test_bandwidth_grows_with_noise_alone():
    """Four times the noise where that is more than eq. 9 gives; curvature and edges do not count as noise."""
    rng = np.random.default_rng(8)
    spacing = np.sqrt(4.0 * np.pi / 20000)
    for share in (0.0, 0.2, 1.0, 2.0):
        cloud = mc.clouds.PointCloud(sphere(rng, 20000, noise=share * spacing)[0])
        from_spacing = REACH_IN_RADII * cloud.sampling_radius / np.sqrt(-np.log(LEAST_WEIGHT))
        assert cloud.bandwidth == pytest.approx(max(from_spacing, 4.0 * share * spacing), rel=0.25)
    corner = np.abs(plane(rng, 9000)[0]) @ np.array(
        [[[1.0, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 0, 1], [1, 0, 0], [0, 1, 0]]]
    )
    cloud = mc.clouds.PointCloud(corner.reshape(-1, 3))
    assert cloud.bandwidth == pytest.approx(cloud.sampling_radius * REACH_IN_RADII / np.sqrt(-np.log(LEAST_WEIGHT)))


@pytest.mark.parametrize("count", [500, 4000])
def test_sheets_that_cross_are_no_noise(count):
    """Two strips that cross, two and five sampling radii wide to either side: planes, in which no point is off."""
    rng = np.random.default_rng(9)
    points = np.zeros((count, 3))
    points[:, 0] = rng.uniform(-1.0, 1.0, count)
    points[np.arange(count), 1 + np.arange(count) % 2] = rng.uniform(-0.03, 0.03, count)
    cloud = mc.clouds.PointCloud(points)
    assert cloud.bandwidth == pytest.approx(bandwidth_of(cloud.sampling_radius))


@pytest.mark.parametrize("thickness", [1.0, 2.0, 3.0, 4.0])
def test_the_two_sides_of_a_plate_are_no_noise(thickness):
    """In sampling radii: both sides are as far from the plane between them, where noise would be at any distance."""
    points, radius = plane(np.random.default_rng(10), 6000)[0], 2.0 / np.sqrt(np.pi * 3000)
    points[::2, 2] += thickness * radius
    cloud = mc.clouds.PointCloud(points)
    assert cloud.bandwidth == pytest.approx(bandwidth_of(cloud.sampling_radius))


def test_surface_ends_at_holes_and_borders():
    rng = np.random.default_rng(4)
    points = plane(rng, 20000)[0]
    points = points[np.linalg.norm(points[:, :2], axis=1) > 0.3]
    cloud = mc.clouds.PointCloud(points)
    beyond = np.array([[0.0, 0.0, 0.0], [1.0 + 0.5 * cloud.horizon, 0.0, 0.0], [0.6, 0.0, 0.9 * cloud.horizon]])
    on = np.array([[0.6, 0.0, 0.0], [0.0, -0.7, 0.0]])
    assert not cloud.evaluate(beyond)[2].any()
    assert cloud.evaluate(on)[2].all()


@given(st.integers(0, 2**32 - 1), st.sampled_from((0.0, 1e6, 5e6)))
@settings(max_examples=8)
def test_georeferenced_clouds_lose_nothing(seed, offset):
    """Points on a grid of 2^-20 m: moving them 1e6 m is exact, so everything that is computed must stay the same."""
    rng = np.random.default_rng(seed)
    points = np.round(sphere(rng, 2000)[0] * 2**20) / 2**20
    near, far = mc.clouds.PointCloud(points), mc.clouds.PointCloud(points + offset)
    assert np.array_equal(far.points, points + offset)
    assert far.bandwidth == pytest.approx(near.bandwidth, rel=1e-12)
    at = np.round((points[:50] + 0.005) * 2**20) / 2**20
    assert np.allclose(np.abs(near.evaluate(at)[0]), np.abs(far.evaluate(at + offset)[0]), rtol=0, atol=1e-13)


def test_points_and_normals_come_back_in_their_order():
    rng = np.random.default_rng(5)
    points, normals = sphere(rng, 1000)
    for cloud in (
        mc.clouds.PointCloud(points, 3 * normals),
        mc.clouds.PointCloud(points.tolist(), normals.astype(np.float32)),
    ):
        before = cloud.points, cloud.normals
        assert cloud.nbytes > 0
        assert np.array_equal(cloud.points, points)
        assert np.array_equal(before[0], points)
        assert np.array_equal(before[1], cloud.normals)
        assert np.abs(cloud.normals - normals).max() < 1e-6
        assert (cloud.point_count, cloud.has_normals) == (1000, True)
    assert mc.clouds.PointCloud(points).normals is None


def test_a_baked_matrix_moves_points_and_normals():
    rng = np.random.default_rng(6)
    points, normals = sphere(rng, 2000)
    matrix = np.diag([2.0, 1.0, 0.5, 1.0])
    matrix[:3, 3] = (5, 6, 7)
    moved = mc.clouds.PointCloud(points, normals, bandwidth=0.1).transformed(matrix)
    assert np.allclose(moved.points, points * (2, 1, 0.5) + (5, 6, 7))
    expected = normals / (2, 1, 0.5)
    assert np.allclose(moved.normals, expected / np.linalg.norm(expected, axis=1)[:, None], atol=1e-6)
    assert moved.bandwidth == pytest.approx(0.1)
    for bad in (np.eye(3), np.zeros((4, 4)), "no", 10**400, [[10**400] * 4] * 4, np.full((4, 4), np.inf)):
        with pytest.raises(mc.clouds.InvalidPointCloud):
            moved.transformed(bad)


GOOD = sphere(np.random.default_rng(7), 50)[0]


def with_point(index, value):
    points = GOOD.copy()
    points[index] = value
    return points


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.zeros((20, 3)), "all 20 points are equal"),
        (np.full((20, 3), 1e6), "all 20 points are equal"),
        (np.linspace(0, 1, 30)[:, None] * (1.0, 2.0, 3.0), "on a line"),
        (np.linspace(0, 1, 30)[:, None] * (1.0, 2.0, 3.0) + 1e6, "on a line"),
        (GOOD[:1], "at least 8 points, not 1"),
        (np.empty((0, 3)), "at least 8 points, not 0"),
        (with_point(7, np.nan), "point 7 is .*nan.*1 in total"),
        (with_point(3, (0, np.inf, 0)), "point 3 is"),
        (with_point(3, (0, 1e31, 0)), "at most 1e[+]30"),
        (GOOD[:, :2], r"shape \(n, 3\)"),
        (GOOD.ravel(), r"shape \(n, 3\)"),
        ([["a", "b", "c"]], "cannot be read as numbers"),
        ([[10**400, 0, 0]] * 20, "cannot be read as numbers: int too large"),
        (GOOD.astype(complex), "cannot be read as numbers"),
        (np.zeros(20, [("x", "f8"), ("y", "f8"), ("z", "f8")]), "fields x, y, z"),
        (GOOD.T, r"shape \(n, 3\), not \(3, 50\): transpose it"),
    ],
)
def test_bad_points_are_refused(points, message):
    with pytest.raises(mc.clouds.InvalidPointCloud, match=message):
        mc.clouds.PointCloud(points)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"normals": GOOD[:10]}, mc.clouds.InvalidPointCloud, "50 points, but 10 normals"),
        ({"normals": with_point(4, 0.0)}, mc.clouds.InvalidPointCloud, "normal 4"),
        ({"normals": with_point(4, np.nan)}, mc.clouds.InvalidPointCloud, "normal 4"),
        ({"surface": "apss"}, mc.clouds.InvalidPointCloud, "needs normals"),
        ({"surface": "mesh"}, mc.UnsupportedOption, "twicing, wls, apss"),
        ({"bandwidth": 0.0}, mc.UnsupportedOption, "number of metres from 1e-30"),
        ({"bandwidth": "x"}, mc.UnsupportedOption, "number of metres"),
        ({"bandwidth": 10**400}, mc.UnsupportedOption, "number of metres"),
        ({"bandwidth": [0.1]}, mc.UnsupportedOption, r"not \[0.1\]"),
        ({"surface": ["wls"]}, mc.UnsupportedOption, "twicing, wls, apss"),
    ],
)
def test_bad_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        mc.clouds.PointCloud(GOOD, **options)


@given(st.integers(0, 2**32 - 1), st.integers(-30, 29))
@settings(max_examples=20)
def test_lengths_scale_with_the_points(seed, power):
    points = 10.0 * sphere(np.random.default_rng(seed), 300)[0]
    unit = 10.0**power / 10.0
    cloud, scaled = mc.clouds.PointCloud(points), mc.clouds.PointCloud(points * unit)
    assert np.allclose(np.divide(scaled.lengths[:4], cloud.lengths[:4]), unit, rtol=1e-6)
    apart = 0.01 * unit * 1000.0
    assert mc.collides(scaled, scaled, None, np.diag([1.0, 1, 1, 1]) + apart * np.eye(4, k=3))
    assert not mc.collides(scaled, scaled, None, np.diag([1.0, 1, 1, 1]) + 2.5 * apart * np.eye(4, k=3))


def test_points_too_close_to_each_other_are_refused():
    with pytest.raises(
        mc.clouds.InvalidPointCloud, match=r"lie within 1.96e-31 m, but a surface needs at least 1e-30 m"
    ):
        mc.clouds.PointCloud(sphere(np.random.default_rng(0), 100)[0] * 1e-31)
    rng = np.random.default_rng(1)
    few, many = sphere(rng, 50)[0], 1e-40 * sphere(rng, 2000)[0]
    lengths = mc.clouds.PointCloud(np.concatenate([few, many])).lengths
    assert lengths.sampling_radius > 0.1  # the many count as one point


@pytest.mark.parametrize("bandwidth", [1e-300, 1e-31, 1e31, 1e200])
def test_bandwidths_of_no_use_are_refused(bandwidth):
    with pytest.raises(mc.UnsupportedOption, match=r"from 1e-30 to 1e[+]30"):
        mc.clouds.PointCloud(GOOD, bandwidth=bandwidth)


def test_a_bandwidth_without_any_surface_is_refused():
    cloud = mc.clouds.PointCloud(sphere(np.random.default_rng(0), 2000)[0], bandwidth=1e-3)
    with pytest.raises(
        mc.clouds.InvalidPointCloud, match=r"0.001 m uses points within 0.00215 m, but no point has 8 others nearer"
    ):
        mc.collides(cloud, cloud)


@given(st.integers(-300, 300))
def test_normals_may_have_any_length(power):
    points, normals = sphere(np.random.default_rng(0), 20)
    assert np.abs(mc.clouds.PointCloud(points, normals * 10.0**power).normals - normals).max() < 1e-7


def test_only_duplicates_are_refused_with_a_reason():
    corners = np.repeat(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), 20, axis=0)
    with pytest.raises(mc.clouds.InvalidPointCloud, match="coincide"):
        _ = mc.clouds.PointCloud(corners).bandwidth
