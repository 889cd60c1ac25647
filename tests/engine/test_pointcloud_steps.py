"""Clouds built and asked in slices: the same answers, and nothing lost when a generator is closed."""

from concurrent.futures import ThreadPoolExecutor

import meshclash as mc
import numpy as np
import pytest
from clouds import ball_mesh, plane, random_pose, sphere, torus
from meshclash.pointcloud import build, cloud_distance
from meshclash.pointcloud import cloud as cloud_module


def steps_until(steps, count):
    """Progress of the first ``count`` steps; then the generator is closed."""
    seen = [next(steps) for _ in range(count)]
    steps.close()
    return seen


def run_to_end(steps):
    seen = []
    while True:
        try:
            seen.append(next(steps).fraction)
        except StopIteration as stop:
            return stop.value, seen


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_build_that_is_closed_halfway_loses_nothing(count):
    points, normals = torus(np.random.default_rng(count), 5000)
    whole, stopped = mc.clouds.PointCloud(points, normals), mc.clouds.PointCloud(points, normals)
    seen = steps_until(mc.steps(stopped.build), count)
    assert [progress.fraction for progress in seen] == sorted(progress.fraction for progress in seen)
    assert np.array_equal(stopped.points, points) and stopped.has_normals
    assert np.allclose(stopped.normals, normals, atol=1e-6)
    at = points[:50] + 0.01
    for first, second in zip(whole.evaluate(at), stopped.evaluate(at), strict=True):
        assert np.allclose(first, second, atol=1e-9)
    assert np.array_equal(stopped.points, points)


def answers(cloud, at):
    return [*cloud.evaluate(at), cloud.points, cloud.normals, cloud.bounds]


def test_a_cloud_that_is_built_several_times_at_once_is_built_right():
    """Each builder has a copy of its own: the first to end counts, the others change nothing."""
    points, normals = torus(np.random.default_rng(8), 4000)
    at = points[:50] + 0.01
    expected = answers(mc.clouds.PointCloud(points, normals), at)
    cloud = mc.clouds.PointCloud(points, normals)
    steps = [mc.steps(cloud.build) for _ in range(3)]
    ends = []
    while steps:
        for one in list(steps):
            try:
                next(one)
            except StopIteration as stop:
                ends.append(stop.value)
                steps.remove(one)
    assert all(end is cloud.built for end in ends)
    assert all(np.array_equal(x, y) for x, y in zip(answers(cloud, at), expected, strict=True))
    cloud = mc.clouds.PointCloud(points, normals)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: answers(cloud, at), range(8)))
    assert all(np.array_equal(x, y) for one in found for x, y in zip(one, expected, strict=True))


@pytest.mark.parametrize("rows", [1, 7, 400, 10**6])
def test_checks_in_slices_find_what_checks_at_once_find(monkeypatch, rows):
    monkeypatch.setattr(cloud_module, "_SLICE_ROWS", rows)
    points, normals = torus(np.random.default_rng(9), 400)
    cloud, seen = run_to_end(mc.steps(mc.clouds.PointCloud.make, points, normals, 0.3, surface="apss"))
    assert seen == sorted(seen) and len(seen) == 2 * max(1, -(-400 // rows))
    assert (cloud.bandwidth, cloud.surface) == (0.3, "apss")
    assert np.array_equal(cloud.points, points) and np.allclose(cloud.normals, normals, atol=1e-6)
    assert np.array_equal(cloud.bounds, [points.min(axis=0), points.max(axis=0)])
    points[[3, 399]], normals[[8, 9, 300]] = np.nan, 0.0
    bad_points, bad_normals = r"point 3 is .*\(2 in total", r"normal 8 is .*\(3 in total"
    for given, message in (((points,), bad_points), ((cloud.points, normals), bad_normals)):
        with pytest.raises(mc.clouds.InvalidPointCloud, match=message):
            run_to_end(mc.steps(mc.clouds.PointCloud.make, *given))


@pytest.mark.parametrize("rows", [7, 10**6])
@pytest.mark.parametrize("built", [False, True], ids=["as given", "built"])
def test_a_cloud_is_moved_in_slices_as_its_points_are(monkeypatch, rows, built):
    monkeypatch.setattr(cloud_module, "_SLICE_ROWS", rows)
    points, normals = torus(np.random.default_rng(5), 400)
    cloud = mc.clouds.PointCloud(points, normals, 0.3, surface="apss")
    if built:
        assert cloud.built
    matrix = np.array([[2.0, 0.5, 0.0, 3.0], [0.0, -1.0, 0.25, 1.0], [0.0, 0.0, 4.0, -7.0], [0.0, 0.0, 0.0, 1.0]])
    moved, seen = run_to_end(mc.steps(cloud.transformed, matrix))
    assert seen == sorted(seen) and len(seen) == 3 * max(1, -(-400 // rows))
    assert (moved.surface, moved.bandwidth) == ("apss", pytest.approx(0.6))
    assert np.allclose(moved.points, points @ matrix[:3, :3].T + matrix[:3, 3], rtol=0, atol=1e-12)
    expected = normals @ np.linalg.inv(matrix[:3, :3])
    assert np.allclose(moved.normals, expected / np.linalg.norm(expected, axis=1)[:, None], atol=1e-6)
    assert np.array_equal(moved.points, cloud.transformed(matrix).points)


@pytest.mark.slow
@pytest.mark.parametrize("spot", [0, 3000])
def test_a_hierarchy_does_not_depend_on_its_slices(monkeypatch, spot):
    """A dense spot makes leaves tiny, so that the tree is made twice; room for borders grows on the way."""
    rng = np.random.default_rng(spot)
    points, normals = torus(rng, 4000)
    dense, upward = plane(rng, spot, size=0.05)
    points, normals = np.concatenate([points, dense]), np.concatenate([normals, upward])
    trees, steps = [], []
    for slices in (10**9, 700, 41):
        for name in ("_SLICE_POINTS", "_SLICE_NORMALS", "_SLICE_NODES"):
            monkeypatch.setattr(build, name, slices)
        monkeypatch.setattr(build, "_SLICE_NEIGHBOURS", 100 * slices)
        monkeypatch.setattr(build, "_USUAL_BORDER", 8 if slices > 1000 else 1)
        built, seen = run_to_end(mc.steps(mc.clouds.PointCloud(points, normals).build))
        assert seen == sorted(seen)
        trees.append([*built.tree, built.order])
        steps.append(len(seen))
    assert steps[0] < 30 and steps[1] > 50 and steps[2] > 5 * steps[1]
    assert seen.count(0.0) >= 2 * (len(points) // 41), "the first cut alone, box and sorting, is many slices"
    for other in trees[1:]:
        assert all(np.array_equal(first, second) for first, second in zip(trees[0], other, strict=True))


def test_contacts_in_slices_are_those_at_once():
    rng = np.random.default_rng(0)
    a, b = mc.clouds.PointCloud(sphere(rng, 8000)[0]), mc.clouds.PointCloud(torus(rng, 8000)[0])
    pose = random_pose(1, (1.1, 0.0, 0.2))
    found, seen = run_to_end(mc.steps(mc.collide, a, b, None, pose))
    assert np.array_equal(found.points, mc.collide(a, b, None, pose).points) and len(found)
    assert all(0.0 <= fraction <= 1.0 for fraction in seen)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_points_inside_a_mesh_are_those_with_a_negative_deviation(seed):
    """Only leaves that reach into the mesh's box are looked at, whatever the poses."""
    rng = np.random.default_rng(seed)
    cloud, ball = mc.clouds.PointCloud(rng.uniform(-2, 2, (6000, 3))), ball_mesh(radius=0.7, rings=12)
    poses = random_pose(seed, rng.uniform(-1, 1, 3)), random_pose(seed + 9, rng.uniform(-1, 1, 3))
    signed, seen = run_to_end(mc.steps(mc.clouds.deviation, cloud, ball, *poses, signed=True))
    assert np.array_equal(signed, mc.clouds.deviation(cloud, ball, *poses, signed=True)) and seen == sorted(seen)
    indices, depths = mc.collide(cloud, ball, *poses).depths(0)
    assert np.array_equal(indices, np.flatnonzero(signed < 0.0)) and len(indices) > 20
    assert np.array_equal(depths, -signed[indices])


def test_a_scene_gives_an_object_and_its_pose():
    scene, mesh, pose = mc.Scene(), ball_mesh(rings=4), random_pose(3, (1, 2, 3))
    key = scene.add(mesh, pose)
    found, placed = scene.posed(key)
    assert found is mesh and np.array_equal(placed.matrix, pose)
    with pytest.raises(mc.UnknownObject):
        scene.posed(key + 1)


@pytest.mark.parametrize("with_mesh", [True, False])
def test_distances_in_slices_are_those_at_once(monkeypatch, with_mesh):
    rng = np.random.default_rng(5)
    cloud = mc.clouds.PointCloud(*sphere(rng, 3000))
    other = ball_mesh() if with_mesh else mc.clouds.PointCloud(*torus(rng, 3000))
    pose = random_pose(rng, (5.0, 0.0, 0.0))
    whole = mc.distance(cloud, other, None, pose)
    monkeypatch.setattr(cloud_distance, "_LEAVES", 2)
    # Turned around, the other point slides first.
    for first, second, poses, turned in ((cloud, other, (None, pose), False), (other, cloud, (pose, None), True)):
        parted, seen = run_to_end(mc.steps(mc.lab.cloud_distance, first, second, *poses))
        assert len(seen) > 10 and seen == sorted(seen)
        assert parted.sample_distance == pytest.approx(whole.sample_distance, rel=1e-12)
        assert parted.distance == pytest.approx(whole.distance, rel=1e-3 if turned else 1e-12)
        index = (parted.index_b, parted.index_a) if turned else (parted.index_a, parted.index_b)
        assert index == (whole.index_a, whole.index_b)
