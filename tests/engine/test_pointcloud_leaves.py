"""Which pairs of leaves are searched, where surfaces lie side by side: few evaluations, and no contact lost."""

from unittest import mock

import meshclash as mc
import numpy as np
import pytest
from clouds import plane, random_pose, shifted, sphere
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.jit import kernel
from meshclash.pointcloud.best_first import EVALUATION_WORK
from meshclash.pointcloud.collision import ROOT_TOLERANCE
from meshclash.pointcloud.patches import slab_beyond
from meshclash.pointcloud.searches import search_for
from oracles.cloud_borders import border_case

COUNT = 10000


@pytest.fixture(scope="module")
def sheet():
    """A square from -1 to 1 in z = 0: without noise its surface is the plane, exactly."""
    return mc.clouds.PointCloud(plane(np.random.default_rng(0), COUNT)[0])


@pytest.fixture(scope="module")
def other():
    """Another sample of the same square."""
    return mc.clouds.PointCloud(plane(np.random.default_rng(1), COUNT)[0])


@pytest.fixture(scope="module")
def bulges():
    """Two samples of a sphere, without noise."""
    rng = np.random.default_rng(2)
    return [mc.clouds.PointCloud(*sphere(rng, COUNT), surface="apss") for _ in range(2)]


def leaning(z, angle):
    """A pose z above, turned about y."""
    pose = shifted(z=z)
    pose[0, [0, 2]] = np.cos(angle), np.sin(angle)
    pose[2, [0, 2]] = -np.sin(angle), np.cos(angle)
    return pose


@pytest.mark.parametrize("gap", [0.02, 0.1, 0.3, 0.45])
def test_sheets_with_a_gap_are_told_apart_by_two_evaluations_a_pair_of_leaves(sheet, other, gap):
    answer = mc.lab.cloud_collision(sheet, other, None, shifted(z=gap * sheet.sampling_radius))
    assert not answer.colliding
    assert answer.stats.primitive_tests > 500
    assert answer.stats.exact_tests <= 3 * answer.stats.primitive_tests


@given(st.floats(-0.03, 0.03), st.floats(-3.0, 3.0), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_leaning_sheets_meet_where_planes_do(sheet, other, angle, radii, seed):
    """Clearly inside of the squares, or clearly beyond them."""
    radius = sheet.sampling_radius
    frame = random_pose(seed, (1.0, 2.0, 3.0))
    answer = mc.collides(sheet, other, frame, frame @ leaning(radii * radius, angle))
    crossing = abs(radii) * radius / np.tan(abs(angle)) if angle else np.inf
    if crossing < 0.97:
        assert answer
    elif crossing > 1.0 + 2.0 * radius and abs(radii) > 0.05:
        assert not answer


@pytest.mark.parametrize("depth", [0.01, 0.03, 0.1])
def test_a_leaning_sheet_that_only_just_touches_is_found(sheet, other, depth):
    """Its border is as many sampling radii below the other one; nearly all of it is above."""
    radius = sheet.sampling_radius
    for angle in (0.01, 0.1, 0.5, 1.2):
        z = 0.98 * np.sin(angle) - depth * radius
        answer = mc.lab.cloud_collision(sheet, other, None, leaning(z, angle))
        assert answer.colliding, angle
        assert abs(answer.point[2]) < 1e-2 * radius


@pytest.mark.parametrize("gap", [0.1, 0.3, 0.45])
@pytest.mark.parametrize("angle", [0.5 * np.pi, 1.2, 0.9])
def test_borders_reach_beyond_their_points(sheet, other, gap, angle):
    """The upright sheet's points end above the other one's; its surface goes on, as its own function says."""
    radius = sheet.sampling_radius
    pose = leaning(np.sin(angle) + gap * radius, angle)
    along = np.linspace(-0.5, 0.5, 201)
    low = np.cos(angle) + gap * radius / np.tan(angle)
    below = np.stack([np.full(201, low), along, np.zeros(201)], axis=1)
    f, _, there = other.evaluate((below - pose[:3, 3]) @ pose[:3, :3])
    assert there.sum() > 10 and np.abs(f[there]).max() < 1e-6 * radius, "the surfaces do meet there"
    assert mc.collides(sheet, other, None, pose)
    assert mc.collides(other, sheet, pose, None)


@pytest.mark.parametrize("number", [10101, 10145, 10355, 10383, 10559, 10687, 10859, 10935])
def test_rims_that_meet_only_beyond_all_points_are_found(number):
    """Corners, and sheets side by side, whose common points no point of theirs leads to; some are a hair long."""
    case = border_case(number)
    zero = 1.01e-3 * min(case.first.sampling_radius, case.second.sampling_radius)
    for answer in (
        mc.lab.cloud_collision(case.first, case.second, None, case.pose),
        mc.lab.cloud_collision(case.second, case.first, case.pose, None),
    ):
        assert answer.colliding
        at = answer.point[None], (answer.point[None] - case.pose[:3, 3]) @ case.pose[:3, :3]
        for cloud, place in zip((case.first, case.second), at, strict=True):
            f, _, there = cloud.evaluate(place)
            assert there[0] and abs(f[0]) <= zero


@pytest.mark.parametrize("gap", [1.6, 2.2, 2.8])
def test_sheets_whose_leaves_have_no_point_to_try_are_told_apart_without_an_evaluation(sheet, other, gap):
    answer = mc.lab.cloud_collision(sheet, other, None, shifted(z=gap * sheet.sampling_radius))
    assert not answer.colliding and answer.stats.primitive_tests > 500 and answer.stats.exact_tests == 0


def test_bulges_that_touch_are_found_and_others_are_not(bulges):
    """Two spheres whose surfaces lie nearly side by side around the one place where they touch."""
    a, b = bulges
    for seed in range(6):
        for gap in (-0.3, -0.1, 0.1, 0.3):
            pose = random_pose(seed, (0.0, 0.0, 0.0))
            pose[:3, 3] = (2.0 + gap * a.sampling_radius) * random_pose(seed + 9, (0, 0, 0))[:3, 0]
            assert mc.collides(a, b, None, pose) == (gap < 0.0), (seed, gap)


@given(st.floats(-0.5, 0.1), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_values_that_are_kept_change_no_answer(bulges, gap, seed):
    a, b = bulges
    pose = random_pose(seed, (0.0, 0.0, 0.0))
    pose[:3, 3] = (2.0 + gap) * random_pose(seed + 1, (0.0, 0.0, 0.0))[:3, 0]
    kept = mc.lab.cloud_collision(a, b, None, pose), mc.collide(a, b, None, pose)
    with mock.patch("meshclash.pointcloud.collision._KEPT", 1):
        plain = mc.lab.cloud_collision(a, b, None, pose), mc.collide(a, b, None, pose)
    assert kept[0].colliding == plain[0].colliding
    assert np.array_equal(kept[1]._pairs, plain[1]._pairs) and np.array_equal(kept[1].region, plain[1].region)
    for found in (kept[1], plain[1]):  # where a pair of leaves has several points, either may be the one
        places = found.points, (found.points - pose[:3, 3]) @ pose[:3, :3]
        for cloud, points in zip((a, b), places, strict=True):
            values, _, there = cloud.evaluate(points)
            assert there.all() and np.abs(values).max(initial=0.0) <= 1.1 * ROOT_TOLERANCE * a.sampling_radius
    assert kept[1].stats.exact_tests <= plain[1].stats.exact_tests
    if len(kept[1]) > 50:
        assert kept[1].stats.exact_tests < 0.8 * plain[1].stats.exact_tests


@kernel
def call_slab_beyond(region, u, offsets_p, n, offsets_q):
    plane_p = ((u[0], u[1], u[2]), offsets_p[0], offsets_p[1])
    plane_q = ((n[0], n[1], n[2]), offsets_q[0], offsets_q[1])
    return slab_beyond(region, plane_p, plane_q)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=200)
def test_a_slab_beyond_another_one_has_no_point_of_the_region_on_its_other_side(seed):
    rng = np.random.default_rng(seed)
    low = rng.uniform(-2.0, 0.0, 3)
    region = np.concatenate([low, low + rng.uniform(0.0, 2.0, 3)])
    u, n = rng.normal(size=(2, 3)) * (1.0, 0.2, 0.2)
    u /= np.linalg.norm(u)
    n /= np.linalg.norm(n)
    slab_p, slab_q = np.sort(rng.uniform(-2.0, 2.0, (2, 2)), axis=1)
    points = rng.uniform(region[:3], region[3:], (4000, 3))
    points = np.concatenate([points, np.array(np.meshgrid(*zip(low, region[3:], strict=True))).reshape(3, -1).T])
    points = points[(points @ u >= slab_p[0]) & (points @ u <= slab_p[1])]
    beyond = bool((points @ n > slab_q[1]).all() or (points @ n < slab_q[0]).all())
    assert call_slab_beyond(region, u, slab_p, n, slab_q) <= beyond


def test_slabs_side_by_side_are_told_apart_though_the_region_spans_both():
    region = np.array([-3.0, -2.0, -2.0, 3.0, 2.0, 2.0])
    x = np.array([1.0, 0.0, 0.0])
    turned = np.array([np.cos(0.1), np.sin(0.1), 0.0])
    near, far = np.array([-0.1, 0.1]), np.array([0.5, 0.7])
    assert call_slab_beyond(region, x, near, turned, far)
    assert call_slab_beyond(region, turned, far, x, near)
    assert not call_slab_beyond(region, x, near, turned, np.array([0.2, 0.7]))
    assert not call_slab_beyond(region, x, near, np.array([0.0, 1.0, 0.0]), far)


def test_a_dense_spot_is_tried_from_some_of_its_points():
    """Or a pair of leaves there takes seconds, which no budget and no ESC ends."""
    rng = np.random.default_rng(4)
    spot = rng.normal(size=(2000, 3)) * (0.02, 0.02, 0.0) + (0.0, 0.0, 1.0)
    points = np.concatenate([sphere(rng, 8000)[0], spot / np.linalg.norm(spot, axis=1)[:, None]])
    cloud, pose = mc.clouds.PointCloud(points), np.diag([1.0, -1.0, -1.0, 1.0])
    assert cloud.built.largest_patch > 1000
    for gap, meets in ((-0.3, True), (0.3, False)):
        pose[2, 3] = 2.0 + gap * cloud.sampling_radius
        search, _ = search_for(cloud, cloud, np.eye(4)[:3], pose[:3], True)
        before, most = 0.0, 0.0
        while not search.advance(1.0):
            before, most = search.work_done, max(most, search.work_done - before)
        assert most <= 4 * 256 * EVALUATION_WORK
        assert search.hit == meets
