"""Clouds in a scene: the answers are those of the queries about two objects, in any order, moved or watched."""

import meshclash as mc
import numpy as np
import pytest
from clouds import plane, shifted, sphere
from meshclash.solid.case import Limits
from solids import box

CLOSED = mc.TriangleMesh(*box((-1, -1, -1), (1, 1, 1)))
OPEN = mc.TriangleMesh([[-3, -3, 0], [3, -3, 0], [0, 3, 0]], [[0, 1, 2]])
ROUND = mc.clouds.PointCloud(sphere(np.random.default_rng(1), 4000, 0.5)[0])
FLAT = mc.clouds.PointCloud(plane(np.random.default_rng(2), 8000)[0])
POSES = {
    "crossing": shifted(1.0, 0.1, 0.0), "inside": shifted(0.1, 0.1, 0.0), "deep inside": shifted(0.7, 0.0, 0.0),
    "near": shifted(1.6, 0.0, 0.0), "far": shifted(5.0, 0.0, 0.0),
}  # fmt: skip
PAIRS = [(ROUND, CLOSED), (CLOSED, ROUND), (ROUND, OPEN), (FLAT, ROUND), (ROUND, mc.build(CLOSED))]


def scene_of(*objects):
    scene = mc.Scene()
    return scene, [scene.add(thing, pose) for thing, pose in objects]


def parts(a, b, pose):
    """Which side is a cloud in a closed mesh, and the points of it behind that mesh, by the query about points."""
    for side, (cloud, mesh, of_cloud, of_mesh) in enumerate(((a, b, pose, None), (b, a, None, pose))):
        solid = getattr(mesh, "mesh", mesh)
        if isinstance(cloud, mc.clouds.PointCloud) and not isinstance(solid, mc.clouds.PointCloud) and solid.is_closed:
            places = np.eye(4) if of_cloud is None else of_cloud
            world = cloud.points @ places[:3, :3].T + places[:3, 3]
            return side, np.flatnonzero(mc.contains(solid, world - (0 if of_mesh is None else of_mesh[:3, 3])))
    return None, np.empty(0, np.int64)


@pytest.mark.parametrize("place", POSES)
@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_contacts_are_those_of_two_objects(number, place):
    a, b = PAIRS[number]
    scene, (i, j) = scene_of((a, POSES[place]), (b, None))
    found, alone = scene.contacts(), mc.collide(a, b, POSES[place])
    side, inside = parts(a, b, POSES[place])
    assert bool(found.pairs) == bool(len(alone) or len(inside))
    for pair in found.pairs:
        assert (pair.a, pair.b) == (i, j)
        assert pair.contacts.points.tobytes() == alone.points.tobytes()
        assert pair.inside.tolist() == inside.tolist()
        for k in range(2):
            expected = np.union1d(alone.touched(k), inside) if k == side else alone.touched(k)
            assert pair.touched(k).tolist() == expected.tolist()
        whole = side is not None and not len(alone) and len(inside) == (a, b)[side].point_count
        assert pair.verdict == (mc.Verdict.CONTAINED if whole else mc.Verdict.CLASH)
        assert (pair.depth is None) == (len(inside) == 0)
    assert scene.collides().pairs.tolist() == [[p.a, p.b] for p in found.pairs]


@pytest.mark.parametrize("place", POSES)
@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_the_verdict_on_two_objects_is_that_of_their_scene(number, place):
    a, b = PAIRS[number]
    for options in ({}, {"permitted_overlap": 0.15}, {"touch_tolerance": 0.4}):
        single = mc.verdict(a, b, POSES[place], **options)
        listed = scene_of((a, POSES[place]), (b, None))[0].contacts(**options).pairs
        assert (single.a, single.b) == (0, 1) and (single != mc.Verdict.APART) == bool(listed)
        for pair in listed:
            assert single.to_dict() == pair.to_dict() and single == pair.verdict
            assert single.inside.tolist() == pair.inside.tolist()


def test_every_verdict_is_seen_by_these_pairs():
    seen = set()
    for a, b in PAIRS:
        for pose in POSES.values():
            found = scene_of((a, pose), (b, None))[0].contacts().pairs
            seen |= {pair.verdict.name for pair in found} or {"APART"}
    assert seen == {"APART", "CLASH", "CONTAINED"}


@pytest.mark.parametrize("place", POSES)
@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_distances_are_those_of_two_objects(number, place):
    a, b = PAIRS[number]
    scene, _ = scene_of((a, POSES[place]), (b, None))
    (gap,), alone = scene.distances().pairs, mc.distance(a, b, POSES[place])
    meet = scene.contacts().pairs
    if meet:
        assert gap.gap == 0.0 and gap.verdict == meet[0].verdict
        assert gap.near_a.tolist() == meet[0].touched(0).tolist()
    else:
        assert gap.gap == alone.distance > 0.0 and gap.verdict == mc.Verdict.APART
        assert gap.points.tolist() == [alone.point_a.tolist(), alone.point_b.tolist()]
        assert gap.triangles == (alone.index_a, alone.index_b)
    for tolerance in (0.5 * gap.gap, gap.gap):
        listed = scene.clearances(tolerance).pairs
        assert len(listed) == (tolerance >= gap.gap)


def test_permitted_overlaps_and_touch_tolerances():
    scene, _ = scene_of((ROUND, shifted(1.4, 0, 0)), (CLOSED, None))  # 0.1 deep
    (pair,) = scene.contacts().pairs
    assert pair.verdict == mc.Verdict.CLASH and pair.depth == pytest.approx(0.1, abs=0.02)
    (pair,) = scene.contacts(permitted_overlap=0.15).pairs
    assert pair.verdict == mc.Verdict.TOUCHING and pair.permitted_overlap == 0.15
    assert scene.contacts(permitted_overlap=0.15, touching=False).pairs == []
    apart, _ = scene_of((ROUND, shifted(1.6, 0, 0)), (CLOSED, None))
    assert apart.contacts().pairs == []
    (pair,) = apart.contacts(touch_tolerance=0.15).pairs
    assert pair.verdict == mc.Verdict.TOUCHING and [len(pair.touched(side)) for side in range(2)] == [0, 0]
    assert np.linalg.norm(pair.location - (1.6, 0, 0)) == pytest.approx(0.5, abs=0.01), "on the cloud"


def test_the_resolution_of_coordinates_permits_nothing_to_a_cloud():
    coarse = mc.Scene()
    coarse.add(ROUND, POSES["crossing"])
    coarse.add(CLOSED, resolution=10.0)
    (pair,) = coarse.contacts(permitted_overlap="resolution").pairs
    assert pair.verdict == mc.Verdict.CLASH and pair.permitted_overlap == 0.0 and not pair.flush


def test_meshes_and_clouds_in_one_scene_with_sets_and_rules():
    scene, ids = scene_of((CLOSED, None), (ROUND, shifted(1.0)), (CLOSED, shifted(0.5)), (ROUND, shifted(1.2)))
    found = scene.contacts()
    every = {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
    assert {(p.a, p.b) for p in found} == {tuple(pair) for pair in scene.collides().pairs.tolist()} == every
    some = scene.contacts(set_a=[ids[1]], keep=lambda pairs: pairs.sum(axis=1) < 4)
    assert {(p.a, p.b) for p in some.pairs} == {(0, 1), (1, 2)}


def test_configurations_with_clouds_equal_one_by_one():
    scene, ids = scene_of((CLOSED, None), (ROUND, None), (CLOSED, shifted(4.0)))
    stack = np.stack([np.stack([pose, shifted(0, 0, 9 * (k % 2))]) for k, pose in enumerate(POSES.values())])
    found = scene.collides(stack, [ids[1], ids[0]])
    for k, poses in enumerate(stack):
        scene.set_poses([ids[1], ids[0]], poses)
        alone = scene.collides()
        assert found.pairs[found.configuration == k].tolist() == alone.pairs.tolist()
        assert found.any[k] == bool(alone)
    assert found.any.any() and not found.any.all()


def test_watches_follow_clouds():
    scene, (cloud, mesh) = scene_of((ROUND, POSES["far"]), (CLOSED, None))
    watch, gaps = mc.motion.LiveContacts(scene), mc.motion.LiveGaps(scene, 0.2)
    for place in ("far", "crossing", "deep inside", "near", "far", "near"):
        scene.set_pose(cloud, POSES[place])
        expected, near = scene.contacts().pairs, scene.clearances(0.2).pairs
        changes, gap_changes = watch.update(), gaps.update()
        assert [pair.verdict for pair in changes.found.values()] == [pair.verdict for pair in expected]
        assert [gap.gap for gap in gap_changes.found.values()] == [gap.gap for gap in near]
        assert watch.update().found == {} and gaps.update().found == {}
    scene.remove(cloud)
    assert gaps.update().gone == {(cloud, mesh)}


@pytest.mark.parametrize("place", POSES)
@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_first_contacts_say_who_meets_and_are_completed_later(number, place):
    a, b = PAIRS[number]
    scene, pair = scene_of((a, POSES[place]), (b, None))
    pair, alone = tuple(pair), mc.collide(a, b, POSES[place])
    for watch, expected in (
        (mc.motion.LiveContacts(scene), scene.contacts().pairs),
        (mc.motion.LiveGaps(scene), scene.distances().pairs),
    ):
        first = watch.update(first_contact=True)
        assert (pair in first.meeting) == (len(alone) > 0) == watch.incomplete
        if pair in first.meeting:
            one = first.meeting[pair].contacts
            assert len(one) == 1 and (alone.points == one.points).all(axis=1).any()
            assert watch.update(first_contact=True).found == {}
        done = watch.update().found or first.found
        assert [(p.a, p.b, p.verdict, p.depth) for p in done.values()] == [
            (p.a, p.b, p.verdict, p.depth) for p in expected
        ]
        assert watch.incomplete == 0


def mixed_scene():
    places = (CLOSED, None), (ROUND, shifted(1.0)), (CLOSED, shifted(0.5)), (ROUND, shifted(1.2)), (ROUND, shifted(3.0))
    return scene_of(*places)[0]


@pytest.mark.parametrize("limit", [{}, {"budget": 1e-6}, {"budget": 10.0}, {"steps": 1}, {"steps": 5000}])
def test_within_a_budget_answers_become_those_of_single_queries(limit):
    scene, calls = mixed_scene(), 0
    before = np.empty((0, 2))
    while True:
        found = scene.time_critical(**limit)
        calls += 1
        with_clouds = [(scene.posed(a), scene.posed(b)) for a, b in found.pairs.tolist()]
        meets = np.array([mc.collides(a, b, pose_a=p, pose_b=q) for (a, p), (b, q) in with_clouds])
        assert (found.colliding == meets)[found.complete].all()
        assert ((found.probability == 1.0) == (found.complete & meets)).all()
        known = found.pairs[found.complete]
        assert {*map(tuple, before.tolist())} <= {*map(tuple, known.tolist())}, "nothing found is lost"
        before = known
        if found.exact or calls == 3000:
            break
    assert found.exact and pairs_of(found.pairs) == pairs_of(scene._objects.candidates(None, None, None, Limits()))
    assert calls > 1 or limit not in ({"budget": 1e-6}, {"steps": 1})


def test_within_a_budget_regions_of_clouds_are_points_on_both():
    scene, (cloud, mesh) = scene_of((ROUND, shifted(1.0)), (CLOSED, None))
    found = scene.time_critical()
    assert found.pairs.tolist() == [[cloud, mesh]] and found.triangles.tolist() == [[-1, -1]] and found.exact
    low, high = found.regions[0]
    assert low.tolist() == high.tolist() and low[0] == pytest.approx(1.0, abs=0.02)
    assert np.linalg.norm(low - (1.0, 0, 0)) == pytest.approx(0.5, abs=0.02)
    assert found.stats.volume_tests > 0 and scene.time_critical().stats.volume_tests == 0
    scene.set_pose(cloud, shifted(5.0))
    assert len(scene.time_critical().pairs) == 0
    scene.set_pose(cloud, shifted(1.0))
    assert scene.time_critical(set_a=[mesh], set_b=[cloud]).colliding.tolist() == [True]


def pairs_of(array):
    return set(map(tuple, array.tolist()))


@pytest.mark.parametrize("seed", range(3))
def test_steps_equal_collisions_from_scratch(seed):
    """Meshes and clouds that move, come and go: pairs are those of ``collides``, events their differences."""
    rng = np.random.default_rng(seed)
    scene, ids = scene_of((CLOSED, None), (ROUND, shifted(4.0)), (CLOSED, shifted(3.0)), (FLAT, shifted(-3.0)))
    before, seen = set(), [set(), set(), set()]
    for _ in range(12):
        for i in ids:
            if rng.random() < 0.5:
                scene.set_pose(i, shifted(*rng.uniform(-1.5, 1.5, 3)))
        if rng.random() < 0.2:
            scene.remove(ids.pop(int(rng.integers(len(ids)))))
            ids.append(scene.add(ROUND, shifted(*rng.uniform(-1.5, 1.5, 3))))
        step = scene.step()
        now = pairs_of(scene.collides().pairs)
        assert pairs_of(step.pairs) == now
        events = [pairs_of(step.begun), pairs_of(step.persisting), pairs_of(step.ended)]
        assert events == [now - before, now & before, before - now]
        assert all(tuple(pair) in now for pair in step.pairs[step.pair_of].tolist())
        assert scene.step().asleep >= 0 and pairs_of(scene.step().persisting) == now
        before = now
        seen = [old | new for old, new in zip(seen, events, strict=True)]
    assert all(seen)


def test_a_closed_step_is_found_out_again():
    scene, (cloud, mesh) = scene_of((ROUND, POSES["crossing"]), (CLOSED, None))
    total = len(list(mc.steps(scene_of((ROUND, POSES["crossing"]), (CLOSED, None))[0].step)))
    for stop in range(1, total):
        steps = mc.steps(scene.step)
        for _ in range(stop):
            next(steps)
        steps.close()
    assert scene.step().begun.tolist() == [[cloud, mesh]]
    only, _ = scene_of((ROUND, None), (ROUND, shifted(0.4)))
    assert only.step().begun.tolist() == [[0, 1]]


def test_a_cloud_has_no_vertices():
    scene, (cloud, _) = scene_of((ROUND, None), (CLOSED, None))
    with pytest.raises(mc.UnsupportedOption, match="a PointCloud, which cannot be deformed"):
        scene.set_vertices(cloud, ROUND.points)
    assert scene.posed(cloud)[0] is ROUND


def test_a_closed_generator_leaves_the_scene_as_it_is():
    scene, _ = scene_of((ROUND, POSES["crossing"]), (CLOSED, None))
    steps = mc.steps(scene.contacts)
    next(steps)
    steps.close()
    assert len(scene.contacts().pairs) == 1
