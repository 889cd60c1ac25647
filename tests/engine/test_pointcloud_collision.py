"""Collisions of clouds with clouds and meshes, where the right answer is known from the shapes."""

from unittest import mock

import meshclash as mc
import numpy as np
import pytest
from clouds import awkward_clouds, ball_mesh, grid_mesh, plane, random_pose, shifted, sphere, torus
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.pointcloud.best_first import EVALUATIONS, LEAF_TESTS, VOLUME_TESTS
from meshclash.pointcloud.collision import ROOT_TOLERANCE
from meshclash.pointcloud.searches import one_pose, search_for

NOISE = 0.004
COUNT = 20000


@pytest.fixture(scope="module")
def shapes():
    rng = np.random.default_rng(0)
    return {
        "sphere": mc.clouds.PointCloud(*sphere(rng, COUNT, noise=NOISE)),
        "plane": mc.clouds.PointCloud(plane(rng, COUNT, noise=NOISE)[0]),
        "torus": mc.clouds.PointCloud(torus(rng, COUNT, noise=NOISE)[0]),
        "wall": grid_mesh(),
        "ball": ball_mesh(),
    }


def gap_pose(second, gap):
    """A pose of the second shape with a known gap to a unit sphere about the origin; negative: they cross."""
    if second in ("sphere", "ball"):
        return shifted(2.0 + gap)
    if second in ("plane", "wall"):
        return shifted(z=-1.0 - gap)
    return shifted(2.4 + gap)  # the torus, seen along its ring


def certain(surface, pose, point):
    """Whether a world point lies on the surface of a whole cloud as near as the search in two leaves asked for."""
    local = np.linalg.inv(pose) @ np.append(point, 1.0)
    f, _, valid = surface.evaluate(local[None, :3])
    return bool(valid[0]) and abs(f[0]) <= (1.0 + 1e-6) * ROOT_TOLERANCE * surface.sampling_radius


@pytest.mark.slow
@given(
    st.sampled_from(("sphere", "plane", "torus", "wall", "ball")),
    st.floats(2.05, 12.0),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=60)
def test_decisions_are_right_when_the_gap_exceeds_twice_the_noise(shapes, second, multiple, crossing, seed):
    gap = -multiple * NOISE if crossing else multiple * NOISE
    ours = random_pose(seed, (3.0, -2.0, 1.0))
    other = ours @ gap_pose(second, gap)
    a, b = shapes["sphere"], shapes[second]
    assert mc.collides(a, b, ours, other) == crossing
    assert mc.collides(b, a, other, ours) == crossing
    answer = mc.lab.cloud_collision(a, b, ours, other)
    assert (answer.colliding, answer.complete, answer.probability) == (crossing, True, float(crossing))
    if crossing:
        assert certain(a, ours, answer.point)
        if second in ("sphere", "plane", "torus"):
            assert certain(b, other, answer.point)
        else:
            assert lies_on_mesh(second, other, answer.point)


def lies_on_mesh(name, pose, point):
    """On the square, or between the spheres around and inside the ball's mesh."""
    local = (np.linalg.inv(pose) @ np.append(point, 1.0))[:3]
    return abs(local[2]) < 1e-9 if name == "wall" else 0.999 < np.linalg.norm(local) < 1.0 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 1.0, 2.0])
def test_decisions_are_right_with_noise_up_to_twice_the_spacing(share):
    rng = np.random.default_rng(5)
    noise = share * np.sqrt(4.0 * np.pi / COUNT)
    a = mc.clouds.PointCloud(sphere(rng, COUNT, noise=noise)[0])
    for second, points in (("plane", plane(rng, COUNT, noise=noise)[0]), ("torus", torus(rng, COUNT, noise=noise)[0])):
        b = mc.clouds.PointCloud(points)
        for multiple in (-5.0, -2.05, 2.05, 5.0):
            pose = random_pose(3, (1.0, 2.0, 3.0))
            assert mc.collides(a, b, pose, pose @ gap_pose(second, multiple * noise)) == (multiple < 0), (
                second,
                multiple,
            )


@pytest.mark.slow
@given(awkward_clouds(), awkward_clouds(), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_a_collision_of_any_clouds_comes_with_a_point_on_both_surfaces(p, q, seed):
    a, b = mc.clouds.PointCloud(p), mc.clouds.PointCloud(q)
    pose = random_pose(seed, np.random.default_rng(seed).normal(size=3))
    answer = mc.lab.cloud_collision(a, b, None, pose)
    assert answer.complete
    assert answer.colliding == mc.collides(a, b, None, pose) == (answer.point is not None)
    for point in [answer.point] if answer.colliding else []:
        assert certain(a, np.eye(4), point)
        assert certain(b, pose, point)
    hits = mc.collide(a, b, None, pose)
    assert (len(hits) > 0) == answer.colliding
    assert all(certain(a, np.eye(4), point) and certain(b, pose, point) for point in hits.points[:20])


def test_fins_closer_than_the_horizon_are_shape_and_no_noise():
    """A bandwidth that grows with them blurs all into one leaf, whose surface is nowhere."""
    rng, fins = np.random.default_rng(3), []
    for low in np.linspace(0.0, 0.9, 10):
        points = rng.random((600, 3)) * (1.0, 1.0, 0.03) + (0.0, 0.0, low)
        points[:, 2] = np.where(rng.random(600) < 0.5, low, low + 0.03)
        fins.append(points)
    cloud = mc.clouds.PointCloud(np.concatenate(fins))
    assert (cloud.built.tree.count > 0).sum() > 100
    for place, meets in (((0.31, 0.27, 0.013), True), ((0.5, 0.5, 0.9), True), ((1.5, 0.0, 0.0), False)):
        assert mc.collides(cloud, cloud, None, shifted(*place)) == meets


def test_noise_free_shapes_at_small_gaps():
    """Without noise only the smoothing of the surface is left: a twentieth of the sampling radius."""
    rng = np.random.default_rng(1)
    a = mc.clouds.PointCloud(*sphere(rng, COUNT), surface="apss")
    b = mc.clouds.PointCloud(*sphere(rng, COUNT), surface="apss")
    for gap in (-0.02, -0.01, -0.005, 0.0005, 0.001, 0.01):
        for seed in range(4):
            pose = random_pose(seed, (0, 0, 0))
            shift = (2.0 + gap) * random_pose(seed + 9, (0, 0, 0))[:3, 0]
            pose[:3, 3] = shift
            assert mc.collides(a, b, None, pose) == (gap < 0), gap


def test_a_surface_collides_with_itself_and_touching_ones_meet(shapes):
    for name in ("sphere", "plane", "torus"):
        assert mc.collides(shapes[name], shapes[name])
        assert mc.collides(shapes[name], shapes[name], random_pose(3, (1, 2, 3)), random_pose(3, (1, 2, 3)))
    assert mc.collides(shapes["plane"], shapes["wall"])
    assert mc.collides(shapes["ball"], shapes["sphere"])


def test_nothing_collides_inside_a_hole_or_behind_a_border():
    """A pipe through a hole in a wall, and two sheets side by side: surfaces with borders end there."""
    rng = np.random.default_rng(2)
    wall = plane(rng, 40000)[0]
    wall = mc.clouds.PointCloud(wall[np.linalg.norm(wall[:, :2], axis=1) > 0.4])
    pipe = mc.clouds.PointCloud(sphere(rng, 8000, radius=0.3)[0])
    assert not mc.collides(wall, pipe)
    assert mc.collides(wall, pipe, None, shifted(0.35))
    sheet = mc.clouds.PointCloud(plane(rng, 20000)[0])
    clear = 2.0 + 2.0 * sheet.horizon
    assert not mc.collides(sheet, sheet, None, shifted(clear))
    assert not mc.collides(wall, ball_mesh(0.3, 16))
    assert mc.collides(wall, ball_mesh(0.45, 16))


def test_clouds_of_very_different_density():
    rng = np.random.default_rng(3)
    coarse = mc.clouds.PointCloud(plane(rng, 2000, size=4.0)[0])
    fine = mc.clouds.PointCloud(sphere(rng, 60000, radius=0.5)[0])
    assert coarse.sampling_radius > 5 * fine.sampling_radius
    for z, expected in ((0.4, True), (-0.4, True), (0.45, True), (0.55, False), (-0.55, False), (0.0, True)):
        pose = shifted(0.3, -0.2, z)
        assert mc.collides(coarse, fine, None, pose) == expected
        assert mc.collides(fine, coarse, pose, None) == expected
    needle = mc.clouds.PointCloud(sphere(rng, 4000, radius=0.01)[0])
    assert mc.collides(coarse, needle, None, shifted(0.1, 0.1, 0.005))
    assert mc.collides(needle, grid_mesh(4.0, 3), shifted(0.1, 0.1, 0.005), None)


def test_answers_do_not_depend_on_where_the_world_is(shapes):
    a, b = shapes["sphere"], shapes["torus"]
    far = mc.clouds.PointCloud(a.points + np.array([4e6, 5e6, 100.0]))
    for gap in (-0.05, 0.05):
        pose = shifted(2.4 + gap)
        moved = shifted(4e6, 5e6, 100.0) @ pose
        assert mc.collides(a, b, None, pose) == mc.collides(far, b, None, moved) == (gap < 0)


def test_stacks_of_poses(shapes):
    a, b = shapes["sphere"], shapes["plane"]
    stack = np.stack([gap_pose("plane", gap) for gap in (-0.05, 0.05, -0.2)])
    assert mc.collides(a, b, None, stack).tolist() == [True, False, True]
    assert mc.collides(b, a, stack, np.stack([np.eye(4)] * 3)).tolist() == [True, False, True]
    assert mc.collides(a, shapes["wall"], None, stack).tolist() == [True, False, True]
    with pytest.raises(mc.UnsupportedOption, match="3 and 2 poses"):
        mc.collides(a, b, stack, stack[:2])
    with pytest.raises(mc.UnsupportedOption, match="one pose"):
        mc.lab.cloud_collision(a, b, None, stack)


@pytest.mark.slow
@pytest.mark.parametrize("second", ["torus", "wall"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_stack_of_poses_gives_what_each_of_them_gives(shapes, second, swapped):
    a, b = shapes["sphere"], shapes[second]
    stack = np.stack([random_pose(seed, (0.1 * seed, 0.2, 0.9)) for seed in range(3)] + [shifted(9.0), shifted(1.2)])

    def ask(query, poses):
        return query(b, a, poses, shifted(y=0.1)) if swapped else query(a, b, shifted(y=0.1), poses)

    hits, single = ask(mc.collide, stack), [ask(mc.collide, pose) for pose in stack]
    assert len(hits) > 20 and hits.pose.dtype == np.int32
    assert np.array_equal(hits.pose, np.repeat(np.arange(5), [len(one) for one in single]))
    assert np.array_equal(hits.points, np.concatenate([one.points for one in single]))
    assert hits.region_count == sum(one.region_count for one in single)
    for k, one in enumerate(single):
        mine = hits.region[hits.pose == k]
        assert np.array_equal(mine - mine.min(initial=99), one.region) and not one.pose.any()
    for side in (0, 1):
        everything = np.unique(np.concatenate([one.touched(side) for one in single]))
        assert np.array_equal(hits.touched(side), everything) and len(everything)
    assert hits.stats.exact_tests == sum(one.stats.exact_tests for one in single)
    with pytest.raises(mc.UnsupportedOption, match="one pose"):
        hits.depths(1 if swapped else 0)
    gaps, single = ask(mc.distance, stack), [ask(mc.distance, pose) for pose in stack]
    assert gaps.distance.shape == (5,) and gaps.point_a.shape == (5, 3)
    for name in ("distance", "point_a", "point_b", "sample_distance", "index_a", "index_b"):
        assert np.array_equal(getattr(gaps, name), [getattr(one, name) for one in single])
    assert gaps.stats.volume_tests == sum(one.stats.volume_tests for one in single) > 0


def test_contact_points_lie_on_the_circle_where_sphere_and_plane_meet(shapes):
    a = shapes["sphere"]
    for other in ("plane", "wall"):
        for swapped in (False, True):
            pose = shifted(z=0.6)
            b = shapes[other]
            hits = mc.collide(b, a, pose, None) if swapped else mc.collide(a, b, None, pose)
            radius = np.linalg.norm(hits.points[:, :2], axis=1)
            assert np.abs(hits.points[:, 2] - 0.6).max() < 2 * NOISE
            assert np.abs(radius - 0.8).max() < 6 * NOISE
            angles = np.sort(np.arctan2(hits.points[:, 1], hits.points[:, 0]))
            assert np.diff(angles).max() < 0.3
            assert (hits.region_count, set(hits.region)) == (1, {0})
            own = hits.touched(1 if swapped else 0)
            touched = a.points[own]
            assert np.array_equal(own, np.unique(own))
            assert len(own) > 100
            assert np.abs(touched[:, 2] - 0.6).max() < 8 * a.sampling_radius


def test_touched_triangles_and_separate_regions(shapes):
    """A torus cut by a wall across its ring: two circles."""
    turned = np.eye(4)
    turned[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    hits = mc.collide(shapes["torus"], shapes["wall"], None, turned)
    assert hits.region_count == 2
    assert np.array_equal(
        np.unique(np.sign(hits.points[hits.region == hits.region[0], 1])), [np.sign(hits.points[0, 1])]
    )
    mesh = shapes["wall"]
    corners = mesh.vertices[mesh.triangles[hits.touched(1)]] @ turned[:3, :3].T
    ring = np.abs(np.hypot(np.abs(corners[..., 1]) - 1.0, corners[..., 2]) - 0.4)
    assert ring.min(axis=1).max() < 0.13
    none = mc.collide(shapes["torus"], shapes["wall"], None, shifted(z=5.0))
    assert (len(none), none.region_count, len(none.touched(0)), len(none.touched(1))) == (0, 0, 0, 0)


@pytest.mark.slow
@given(
    st.sampled_from(("sphere", "torus", "plane", "wall", "ball")),
    st.sampled_from(("sphere", "torus", "plane")),
    st.integers(0, 2**32 - 1),
    st.floats(0.0, 2.2),
)
@settings(max_examples=30)
def test_answers_do_not_depend_on_which_object_is_named_first(shapes, first, second, seed, gap):
    a, b = shapes[first], shapes[second]
    poses = random_pose(seed, (3.0, 0.0, 0.0)), random_pose(seed + 1, (3.0 + gap, 0.0, 0.0))
    one, other = mc.collide(a, b, *poses), mc.collide(b, a, *poses[::-1])
    assert mc.collides(a, b, *poses) == mc.collides(b, a, *poses[::-1]) == (len(one) > 0)
    assert sorted(map(tuple, one.points)) == sorted(map(tuple, other.points))
    assert one.region_count == other.region_count
    for side in (0, 1):
        assert np.array_equal(one.touched(side), other.touched(1 - side))
        assert len(one.touched(side)) > 0 or not len(one)
    near, back = mc.distance(a, b, *poses), mc.distance(b, a, *poses[::-1])
    assert (near.distance, near.sample_distance) == (back.distance, back.sample_distance)
    assert np.array_equal(near.point_a, back.point_b) and near.index_a == back.index_b
    assert (near.distance == 0.0) == (len(one) > 0)


@pytest.fixture(scope="module")
def coarse():
    rng = np.random.default_rng(5)
    return [mc.clouds.PointCloud(sphere(rng, count)[0]) for count in (300, 500, 3000)]


@given(st.integers(0, 2), st.integers(0, 2**32 - 1), st.floats(1e-6, 0.1))
def test_blades_through_a_surface_are_found_between_its_points(coarse, which, seed, width):
    """Leaves of a coarse cloud are steep to their mean plane, and a thin triangle passes its points at a distance."""
    blade = mc.TriangleMesh([(0, 0, 0), (3, -width, 0), (3, width, 0)], [(0, 1, 2)])
    within = mc.TriangleMesh(0.25 * blade.vertices, [(0, 1, 2)])
    pose = random_pose(seed, (0.0, 0.0, 0.0))
    assert mc.collides(coarse[which], blade, None, pose)
    assert not mc.collides(coarse[which], within, None, pose)


@pytest.mark.parametrize("side", [2, -1, None, "a", 0.0, True])
def test_sides_are_0_and_1(shapes, side):
    hits = mc.collide(shapes["torus"], shapes["wall"])
    for question in (hits.touched, hits.depths):
        with pytest.raises(mc.UnsupportedOption, match="side must be 0"):
            question(side)


def test_depths_of_points_behind_a_surface(shapes):
    rng = np.random.default_rng(4)
    probe = mc.clouds.PointCloud(sphere(rng, 3000, radius=0.5)[0])
    pose = shifted(1.3)
    expected = 1.0 - np.linalg.norm(probe.points + np.array([1.3, 0, 0]), axis=1)
    for other, slack in (("ball", 2e-3), ("sphere", 3 * NOISE)):
        hits = mc.collide(probe, shapes[other], pose, None)
        index, depth = hits.depths(0)
        assert np.abs(depth - expected[index]).max() < 0.02
        assert np.median(np.abs(depth - expected[index])) < slack
        assert set(np.flatnonzero(expected > 0.02)) <= set(index) <= set(np.flatnonzero(expected > -0.02))
    with pytest.raises(mc.UnsupportedOption, match="no normals"):
        mc.collide(probe, shapes["plane"], pose, None).depths(0)
    with pytest.raises(mc.UnsupportedOption, match="open or a shell"):
        mc.collide(probe, shapes["wall"], pose, None).depths(0)
    with pytest.raises(mc.UnsupportedOption, match="not a cloud"):
        mc.collide(probe, shapes["ball"], pose, None).depths(1)


@pytest.mark.parametrize("second", ["plane", "wall"])
def test_a_resolution_never_misses_and_counts_work_down(shapes, second):
    a, b = shapes["sphere"], shapes[second]
    work = []
    for resolution in (0.8, 0.4, 0.2, 0.1, 0.05):
        answers = [
            mc.lab.cloud_collision(a, b, None, gap_pose(second, gap), node_size=resolution) for gap in (-0.05, 0.02)
        ]
        assert answers[0].colliding
        work.append(sum(answer.stats.volume_tests for answer in answers))
    assert work == sorted(work)
    assert not mc.lab.cloud_collision(a, b, None, gap_pose(second, 0.3), node_size=0.05).colliding


def test_a_budget_always_gives_an_answer(shapes):
    a, b = shapes["sphere"], shapes["torus"]
    for gap in (-0.3, -0.02, 0.02, 0.3):
        for budget in (1e-9, 1e-4, 1.0):
            answer = mc.lab.cloud_collision(a, b, None, shifted(2.4 + gap), budget=budget)
            assert 0.0 <= answer.probability <= 1.0
            assert answer.colliding == (answer.probability >= 0.5)
            assert (answer.point is not None) <= (answer.probability == 1.0)
        assert answer.complete
        assert answer.colliding == (gap < 0)
    assert not mc.lab.cloud_collision(a, b, None, shifted(2.0), budget=1e-9).complete


@pytest.mark.parametrize("second", ["torus", "sphere", "wall"])
def test_a_search_goes_one_way_whatever_its_slices(shapes, second):
    for gap in np.linspace(-0.3, 0.3, 13):
        pose = gap_pose(second, gap)
        complete = mc.lab.cloud_collision(shapes["sphere"], shapes[second], None, pose)
        ends = []
        for slices in (3.0, 40.0, 1e9):
            search = search_for(shapes["sphere"], shapes[second], *one_pose(None, pose, "collide"), True)[0]
            while not search.advance(slices):
                assert not search.hit and 0.0 < search.probability() < 1.0, "it knows only what is proved"
            assert search.hit == complete.colliding
            ends.append((search.hit, search.state[[VOLUME_TESTS, LEAF_TESTS, EVALUATIONS]].tolist()))
        assert ends[0] == ends[1] == ends[2]


class WorkClock:
    """A processor that does ten million units of work a second, so that budgets mean the same in every run."""

    def __init__(self, search):
        self.thread_time = lambda: search.work_done * 1e-7


def within(a, b, pose, budget):
    """(complete, answer) of a query with a budget on a WorkClock."""
    search = search_for(a, b, *one_pose(None, pose, "collide"), True)[0]
    with mock.patch("meshclash.pointcloud.pair_search.time", WorkClock(search)):
        search.spend(budget, 0.0)
    return search.complete, search.hit or search.probability() >= 0.5


@given(
    st.sampled_from(("sphere", "plane", "torus", "wall", "ball")),
    st.floats(-0.3, 0.1),
    st.floats(1e-5, 3e-3),
    st.floats(1.1, 10.0),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=60)
def test_a_larger_budget_never_turns_a_proven_answer_around(shapes, second, gap, budget, more, seed):
    a, b = shapes["sphere"], shapes[second]
    pose = gap_pose(second, gap)
    pose[:3] = random_pose(seed, (0.0, 0.0, 0.0))[:3, :3] @ pose[:3]
    truth = mc.collides(a, b, None, pose)
    smaller, larger = within(a, b, pose, budget), within(a, b, pose, more * budget)
    if smaller[0]:
        assert larger == smaller == (True, truth)
    assert within(a, b, pose, 10.0) == (True, truth)


@pytest.mark.parametrize("query", [mc.collide, mc.collides, mc.distance])
def test_options_that_say_nothing_about_clouds_are_checked_all_the_same(shapes, query):
    a, b = shapes["sphere"], shapes["wall"]
    for options in ({"volume": "nonsense"}, {"threads": 0}, {"device": "gpu"}):
        with pytest.raises(mc.UnsupportedOption):
            query(a, b, **options)
    with pytest.raises(mc.DeviceUnavailable):
        query(a, b, device="cuda")


def test_bad_options_are_refused(shapes):
    a, mesh = shapes["sphere"], shapes["wall"]
    for options, message in (
        ({"budget": 0.0}, "budget must be a finite number of seconds above 0"),
        ({"budget": 10**400}, "budget"),
        ({"budget": "1"}, "budget"),
        ({"node_size": np.nan}, "node_size"),
        ({"method": "fast"}, "root, paper"),
        ({"method": ["root"]}, "root, paper"),
        ({"control": mc.lab.PaperControl(1.0)}, "can be used only with method"),
        ({"control": 0.001, "method": "paper"}, "control must be a PaperControl, not a float"),
    ):
        with pytest.raises(mc.UnsupportedOption, match=message):
            mc.lab.cloud_collision(a, a, **options)
    with pytest.raises(mc.UnsupportedOption, match="two clouds"):
        mc.lab.cloud_collision(a, mesh, method="paper")
    with pytest.raises(mc.UnsupportedOption, match="needs a PointCloud"):
        mc.lab.cloud_collision(mesh, mesh)
    for query in (mc.collides, mc.collide, mc.distance, mc.lab.cloud_collision, mc.lab.cloud_distance):
        for pair in ((a, "no mesh"), (None, a)):
            with pytest.raises(
                mc.InvalidMesh, match=r"PointCloud.*TriangleMesh.*not with a (str|None)|TriangleMesh.*not (a str|None)"
            ):
                query(*pair)
    for start in ("near", mc.collide(a, mesh)):
        with pytest.raises(mc.UnsupportedOption, match="start must be the result of an earlier distance query"):
            mc.distance(a, mesh, start=start)
    assert mc.distance(a, mesh, start=mc.distance(a, mesh)).distance == mc.distance(a, mesh).distance
    with pytest.raises(mc.InvalidPose):
        mc.collides(a, a, np.diag([2.0, 1, 1, 1]))


def test_counts_repeat(shapes):
    pose = shifted(2.3)
    first, second = (mc.collide(shapes["sphere"], shapes["torus"], None, pose) for _ in range(2))
    assert first.points.tobytes() == second.points.tobytes()
    assert first.stats.volume_tests == second.stats.volume_tests
    assert first.stats.exact_tests == second.stats.exact_tests
