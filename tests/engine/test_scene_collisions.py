"""``Scene.collides``: the pairs that ``contacts`` gives, in the scene as it stands and in configurations."""

import concurrent.futures
import math
from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.broadphase.sweep import overlapping_pairs
from meshclash.jit import config
from meshclash.query.shortcuts import object_pairs
from meshclash.query.shortcuts.configuration import OneConfiguration
from meshclash.query.shortcuts.object_pairs import Meeting
from meshclash.scene import first_pair
from scene_editor import Editor
from solids import box, joined, reversed_winding, torus
from strategies import matrix, rotation

seeds = st.integers(0, 2**32 - 1)


def crowd(seed, count=8):
    editor = Editor(np.random.default_rng(seed))
    for _ in range(count):
        editor.add()
    return editor


def punctured_box(low, high):
    vertices, triangles = box(low, high)
    return vertices, triangles[1:]


LARGE, SMALL = ((0, 0, 0), (1, 1, 1)), ((0.45, 0.45, 0.45), (0.55, 0.55, 0.55))


def pairs_of(contacts):
    return {(pair.a, pair.b) for pair in contacts.pairs}


@settings(max_examples=40)
@given(seeds)
def test_pairs_are_those_of_contacts(seed):
    editor = crowd(seed)
    for _ in range(3):
        editor.step()
    found, expected = editor.scene.collides(), editor.scene.contacts()
    assert set(map(tuple, found.pairs.tolist())) == pairs_of(expected)
    assert bool(found) == bool(expected.pairs) == bool(found.any[0])
    by_ids = {(pair.a, pair.b): set(map(tuple, pair.contacts.pairs.tolist())) for pair in expected.pairs}
    for pair, triangles in zip(found.pairs.tolist(), found.triangles.tolist(), strict=True):
        contacts = by_ids[tuple(pair)]
        assert tuple(triangles) in contacts or (not contacts and triangles == [-1, -1])


@settings(max_examples=15)
@given(seeds, st.booleans())
def test_configurations_are_the_scene_with_its_objects_moved(seed, some):
    editor = crowd(seed)
    scene, rng = editor.scene, np.random.default_rng(seed)
    ids = sorted(editor.objects)
    movers = ids[::-2] if some else ids
    poses = np.tile(np.eye(4), (3, len(movers), 1, 1))
    for pose in poses.reshape(-1, 4, 4):
        pose[:3, :3], pose[:3, 3] = rotation(rng), rng.uniform(-2, 2, 3)
    found = scene.collides(poses, movers=movers if some else None)
    alone = [scene.collides(configuration, movers=movers) for configuration in poses]
    for k, configuration in enumerate(poses):
        of_this = found.pairs[found.configuration == k]
        assert np.array_equal(of_this, alone[k].pairs)
        for identifier, pose in zip(movers, configuration, strict=True):
            scene.set_pose(identifier, pose)
        assert set(map(tuple, of_this.tolist())) == pairs_of(scene.contacts())
        assert found.any[k] == (len(of_this) > 0)


@pytest.mark.parametrize("outer", [box, punctured_box])
@pytest.mark.parametrize("inner", [box, punctured_box])
def test_what_lies_inside_collides(outer, inner):
    scene = mc.Scene()
    a, b = scene.add(mc.TriangleMesh(*outer(*LARGE))), scene.add(mc.TriangleMesh(*inner(*SMALL)))
    found = scene.collides()
    assert found.pairs.tolist() == [[a, b]]
    assert found.triangles.tolist() == [[-1, -1]]
    assert pairs_of(scene.contacts()) == {(a, b)}
    scene.set_pose(b, matrix(shift=(0.0, 0.0, 5.0)))
    assert not scene.collides()


def test_a_part_in_a_cavity_does_not_collide():
    scene = mc.Scene()
    scene.add(mc.TriangleMesh(*joined(box(*LARGE), reversed_winding(box((0.25, 0.25, 0.25), (0.75, 0.75, 0.75))))))
    scene.add(mc.TriangleMesh(*box(*SMALL)))
    assert not scene.collides()
    assert not scene.contacts().pairs


def test_sets_and_rules_choose_pairs():
    scene = mc.Scene()
    ids = [scene.add(mc.TriangleMesh(*box(*LARGE))) for _ in range(4)]
    assert len(scene.collides().pairs) == 6
    assert scene.collides(set_a=ids[:1], set_b=ids[2:]).pairs.tolist() == [[ids[0], ids[2]], [ids[0], ids[3]]]
    assert scene.collides(keep=lambda pairs: pairs[:, 1] == ids[1]).pairs.tolist() == [ids[:2]]
    assert not scene.collides(keep=lambda pairs: np.zeros(len(pairs), bool))


def test_empty_scenes_and_no_configurations():
    assert not mc.Scene().collides()
    assert mc.Scene().collides().any.tolist() == [False]
    scene = mc.Scene()
    scene.add(mc.TriangleMesh(*box(*LARGE)))
    found = scene.collides(np.empty((0, 1, 4, 4)))
    assert not found and found.any.shape == (0,)


def test_wrong_arguments_are_named():
    scene = mc.Scene()
    a = scene.add(mc.TriangleMesh(*box(*LARGE)))
    with pytest.raises(mc.UnsupportedOption, match="movers are given"):
        scene.collides(movers=[a])
    with pytest.raises(mc.UnknownObject, match="7"):
        scene.collides(np.eye(4)[None], movers=[7])
    with pytest.raises(mc.UnsupportedOption, match="once"):
        scene.collides(np.tile(np.eye(4), (2, 1, 1)), movers=[a, a])
    with pytest.raises(mc.InvalidPose, match="1 movers"):
        scene.collides(np.eye(4))
    with pytest.raises(mc.InvalidPose, match="rigid"):
        scene.collides(2.0 * np.eye(4)[None] - np.diag([0, 0, 0, 1.0]))
    with pytest.raises(mc.UnsupportedOption, match="keep"):
        scene.collides(keep=5)


@settings(max_examples=15)
@given(seeds)
def test_verdicts_without_depths_are_the_same(seed):
    editor = crowd(seed)
    full, short = editor.scene.contacts(), editor.scene.contacts(depth=False)
    names = [{(pair.a, pair.b): pair.verdict.name for pair in result.pairs} for result in (full, short)]
    assert names[0] == names[1]
    assert all(pair.depth is None for pair in short.pairs)
    permitted = [editor.scene.contacts(permitted_overlap=0.2, depth=depth) for depth in (True, False)]
    names = [{(pair.a, pair.b): pair.verdict.name for pair in result.pairs} for result in permitted]
    assert names[0] == names[1]


def same_as_of_many(scene, poses):
    """What few objects collide is what many would, in a stack and in single configurations."""
    few = [scene.collides(poses), *(scene.collides(p) for p in poses)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(object_pairs, "MOST_OBJECTS", 0)
        scene._objects.packer = type(scene._objects.packer)()
        many = [scene.collides(poses), *(scene.collides(p) for p in poses)]
    for one, other in zip(few, many, strict=True):
        for field in ("pairs", "triangles", "configuration", "any"):
            assert getattr(one, field).tolist() == getattr(other, field).tolist()


@pytest.mark.slow
@settings(max_examples=25)
@given(seeds)
def test_object_pairs_are_answered_as_many_are(seed):
    """With other counts of tests: of a few objects, oriented boxes are asked after some steps only."""
    editor = crowd(seed, 10)
    scene, rng = editor.scene, np.random.default_rng(seed)
    for low, high in (LARGE, SMALL):
        scene.add(mc.TriangleMesh(*box(low, high)))
        scene.add(mc.TriangleMesh(*punctured_box(low, high)))
    poses = np.tile(np.eye(4), (5, len(scene), 1, 1))
    poses[1:, :, :3, :3] = [[rotation(rng) for _ in range(len(scene))] for _ in range(4)]
    poses[1:, :, :3, 3] = rng.uniform(-1, 1, (4, len(scene), 3))
    same_as_of_many(scene, poses)


def test_long_and_undecided_pairs_are_answered_as_of_many_objects(monkeypatch):
    """Rings in one another, whose surfaces are near everywhere, and bodies too small for products of differences."""
    scene, rng, calls, advance = mc.Scene(), np.random.default_rng(3), [], Meeting.advance
    for thickness in (20.0, 19.75):
        corners, triangles = torus(60.0, thickness, 128, 64)
        scene.add(mc.TriangleMesh(corners / 60.0, triangles))
    for inner in (box, punctured_box):
        scene.add(mc.TriangleMesh(*inner((0.9, -0.1, -0.1), (1.1, 0.1, 0.1))))
        scene.add(mc.TriangleMesh(*inner(*SMALL)))
    tiny, (corners, triangles) = 2.0**-260 * rotation(rng), box(*LARGE)
    for shift in (0.0, 0.5, 1.0, 3.0):
        scene.add(mc.TriangleMesh(np.add(corners, [shift, 0.0, 0.0]) @ tiny, triangles))
    poses = np.tile(np.eye(4), (3, len(scene), 1, 1))
    poses[1:, 2:, :3, 3] = rng.uniform(-0.25, 0.25, (2, len(scene) - 2, 3))
    poses[2, 0, :3, 3] = 1e-3

    def noted(self):
        calls.append((advance(self), self.result[1]))
        return calls[-1][0]

    monkeypatch.setattr(Meeting, "advance", noted)
    same_as_of_many(scene, poses)
    if not config.DISABLE_JIT:
        assert (False, False) in calls and (True, True) in calls  # one is long, and one is left to a question
    assert scene.collides().pairs.tolist()[0] == [0, 1] and scene.collides().triangles[0].tolist() == [-1, -1]


def test_objects_that_come_and_go_are_not_taken_for_others():
    scene = mc.Scene()
    ids = [scene.add(mc.TriangleMesh(*box(*LARGE)), matrix(shift=(3.0 * k, 0, 0))) for k in range(4)]
    onto_last = matrix(shift=(9.5, 0, 0))[None]
    for _ in range(2):
        assert scene.collides(onto_last, [ids[0]]).pairs.tolist() == [[ids[0], ids[3]]]
        assert scene.collides(onto_last, [ids[1]]).pairs.tolist() == [[ids[1], ids[3]]]
        assert not scene.collides(onto_last, [ids[0]], set_a=[ids[1]])
    scene.remove(ids[3])
    assert not scene.collides(onto_last, [ids[0]])
    with pytest.raises(mc.UnknownObject):
        scene.collides(onto_last, [ids[3]])
    new = scene.add(mc.TriangleMesh(*box(*LARGE)), matrix(shift=(9.0, 0, 0)))
    assert scene.collides(onto_last, [ids[0]]).pairs.tolist() == [[ids[0], new]]
    movers = [ids[0]]
    scene.collides(onto_last, movers)
    movers[0] = ids[1]
    assert scene.collides(onto_last, movers).pairs.tolist() == [[ids[1], new]]


def asked_at_once(monkeypatch):
    """Counts the configurations that went the shortest way."""
    answers, find = [], OneConfiguration.find

    def counted(self, *question):
        answers.append(find(self, *question))
        return answers[-1]

    monkeypatch.setattr(OneConfiguration, "find", counted)
    return answers


def some_scene(seed=1):
    rng, scene = np.random.default_rng(seed), mc.Scene()
    bodies = [mc.TriangleMesh(*mesh) for mesh in (box(*LARGE), box(*SMALL), torus(0.6, 0.2, 12, 8))]
    ids = [
        scene.add(bodies[k % 3], matrix(rotation(rng) if k % 2 else np.eye(3), rng.uniform(-1, 1, 3))) for k in range(9)
    ]
    poses = np.tile(np.eye(4), (60, 3, 1, 1))
    poses[::2, :, :3, :3] = [[rotation(rng) for _ in range(3)] for _ in range(30)]
    poses[:, :, :3, 3] = np.round(4 * rng.uniform(-1, 1, (60, 3, 3))) / 4  # some flush
    return scene, ids, poses


def same(found, stack, k):
    own = stack.configuration == k
    assert found.pairs.tolist() == stack.pairs[own].tolist()
    assert found.triangles.tolist() == stack.triangles[own].tolist()
    assert found.any.tolist() == [stack.any[k]] and not found.configuration.any()
    assert [x.dtype for x in vars(found).values() if isinstance(x, np.ndarray)] == [
        x.dtype for x in vars(stack).values() if isinstance(x, np.ndarray)
    ]


def test_single_configurations_are_those_of_a_stack(monkeypatch):
    scene, ids, poses = some_scene()
    movers, others, asked = [ids[7], ids[0], ids[4]], [ids[1], ids[2], ids[4], ids[8]], []

    def keep(pairs):
        asked.append(pairs)
        return (pairs.sum(axis=1) % 5) != 0

    answers = asked_at_once(monkeypatch)
    for options in ({}, {"keep": keep}, {"set_a": movers}, {"set_a": movers, "set_b": others, "keep": keep}):
        stack = scene.collides(poses, movers, **options)
        for k, pose in enumerate(poses):
            kinds = pose, np.asfortranarray(pose), pose[::-1].copy()[::-1]
            same(scene.collides(kinds[k % 3], movers, **options), stack, k)
    if not config.DISABLE_JIT:
        assert len(answers) > 200 and sum(answer is None for answer in answers) < 20
    before = asked[-1].copy()
    scene.collides(poses[0], movers, set_a=movers, set_b=others, keep=lambda pairs: np.zeros(len(pairs), np.bool_))
    assert asked[-1].tolist() == before.tolist()  # what keep was given is its own


def test_single_configurations_see_what_changed_between_them():
    scene, ids, poses = some_scene(2)
    movers, rng = ids[:3], np.random.default_rng(4)
    for k in range(len(poses)):
        if k % 4 == 0:
            scene.set_pose(ids[5], matrix(rotation(rng), rng.uniform(-1, 1, 3)))
        if k % 7 == 0:
            scene.set_vertices(ids[6], box(*LARGE)[0] * rng.uniform(0.8, 1.2))
        if k % 11 == 0:
            scene.contacts(set_a=ids[:2], set_b=ids[2:4])
        if k % 13 == 0:
            ids.append(scene.add(mc.TriangleMesh(*box(*SMALL)), matrix(shift=rng.uniform(-1, 1, 3))))
        same(scene.collides(poses[k], movers), scene.collides(poses[k : k + 1], movers), 0)


def test_a_hierarchy_refitted_in_place_is_seen():
    body, scene = mc.TriangleMesh(*box(*LARGE)), mc.Scene()
    hierarchy = mc.build(body)
    moved, _ = scene.add(hierarchy), scene.add(body, matrix(shift=(1.5, 0, 0)))
    for _ in range(3):
        assert not scene.collides() and not scene.collides(np.eye(4)[None], [moved])
    mc.refit(hierarchy, body.vertices * 2.0, in_place=True)
    for _ in range(3):
        assert scene.collides() and scene.collides(np.eye(4)[None], [moved])


def test_wrong_poses_are_refused_as_at_first():
    scene, ids, poses = some_scene(3)
    wrong = (
        np.full((3, 4, 4), np.nan), np.stack([np.diag([2.0, 1, 1, 1])] * 3), poses[0][:2], np.eye(4), poses[0] + 0j,
        np.stack([np.diag([-1.0, 1, 1, 1])] * 3), "poses", poses[0] * 1e31,
    )  # fmt: skip
    for _ in range(2):
        for pose in wrong:
            with pytest.raises(mc.InvalidPose):
                scene.collides(pose, ids[:3])
        for names in ([ids[0], ids[0], ids[1]], [ids[0], ids[1]]):
            with pytest.raises(mc.MeshClashError):
                scene.collides(poses[0], names)
        with pytest.raises(mc.UnknownObject):
            scene.collides(poses[0], [ids[0], ids[1], 999])
        with pytest.raises(mc.UnsupportedOption):
            scene.collides(poses[0], ids[:3], keep=lambda pairs: pairs)
        with pytest.raises(mc.UnsupportedOption):
            scene.collides(poses[0], ids[:3], keep=3)
        scene.collides(poses[0], ids[:3])
        scene.collides(poses[0], ids[:3])


def test_single_configurations_of_several_threads_do_not_mix():
    scene, ids, poses = some_scene(5)
    movers = ids[:3]
    scene.collides(poses[0], movers)
    stack = scene.collides(poses, movers)

    def ask(_):
        for k, pose in enumerate(poses):
            same(scene.collides(pose, movers), stack, k)
        return True

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(8)))


def test_a_hierarchy_that_was_refitted_in_place_is_seen():
    corners, triangles = box((0, 0, 0), (1, 1, 1))
    hierarchy, scene = mc.build(mc.TriangleMesh(corners, triangles)), mc.Scene()
    scene.add(hierarchy)
    scene.add(mc.TriangleMesh(*box((0.5, 0, 0), (1.5, 1, 1))))
    for shift, meeting in ((0.0, True), (5.0, False), (0.25, True)):
        mc.refit(hierarchy, corners + np.array([shift, 0.0, 0.0]), in_place=True)
        assert scene.collides().any.tolist() == [meeting]
        assert len(scene.contacts(depth=False).pairs) == len(scene.contacts().pairs) == int(meeting)


def test_other_bounds_and_resolutions_are_seen():
    scene = mc.Scene()
    corners, triangles = box((0, 0, 0), (1, 1, 1))
    first, second = (
        scene.add(mc.TriangleMesh(corners, triangles)),
        scene.add(mc.TriangleMesh(*box((3, 0, 0), (4, 1, 1)))),
    )
    assert not scene.contacts().pairs
    scene.set_vertices(first, corners + np.array([2.5, 0.0, 0.0]))
    (pair,) = scene.contacts(permitted_overlap="resolution").pairs
    assert pair.verdict == mc.Verdict.CLASH and pair.permitted_overlap == 0.0
    scene.set_pose(second, None, resolution=0.75)
    (pair,) = scene.contacts(permitted_overlap="resolution").pairs
    assert pair.verdict == mc.Verdict.TOUCHING and pair.permitted_overlap == 0.75
    third = scene.add(mc.TriangleMesh(*box((3.25, 0.25, 0.25), (3.5, 0.5, 0.5))))
    scene.remove(first)
    (pair,) = scene.contacts().pairs
    assert (pair.a, pair.b, pair.verdict) == (second, third, mc.Verdict.CONTAINED)


boxes_of_scenes = st.lists(st.lists(st.integers(0, 6), min_size=6, max_size=6), min_size=2, max_size=12)


@given(boxes_of_scenes, st.booleans())
def test_the_most_overlapping_boxes_come_first_and_no_pair_is_lost(corners, endless):
    boxes = np.array([np.concatenate(np.sort(np.reshape(box, (2, 3)), axis=0)) for box in corners], float)
    if endless:
        boxes[0] = [-np.inf] * 3 + [np.inf] * 3
    pairs = overlapping_pairs(boxes, *np.ones((2, len(boxes)), np.bool_))
    found = first_pair._most_overlapping_first(boxes, pairs)
    assert sorted(found.tolist()) == pairs.tolist()
    shares = []
    for a, b in found.tolist():
        low_a, high_a, low_b, high_b = np.clip(boxes[[a, b]], -100, 100).astype(int).reshape(4, 3).tolist()
        common = math.prod(min(high_a[k], high_b[k]) - max(low_a[k], low_b[k]) for k in range(3))
        smaller = min(
            math.prod(high_a[k] - low_a[k] for k in range(3)), math.prod(high_b[k] - low_b[k] for k in range(3))
        )
        shares.append(Fraction(common, smaller) if smaller else None)
    known = [share for share in shares if share is not None]
    assert known == sorted(known, reverse=True)
    assert all(share is None for share in shares[len(known) :])


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.4, 0.7, 1.5]))
def test_whether_any_collide_does_not_depend_on_the_order(seed, crowded):
    """Also where only the last of many pairs of boxes collides, or none."""
    rng = np.random.default_rng(seed)
    scene, ring = mc.Scene(), mc.TriangleMesh(*torus(0.5, 0.05, 8, 4))
    for _ in range(80):
        scene.add(ring, matrix(rotation(rng), rng.uniform(0.0, 3.0 / crowded, 3)))
    for a, b in scene.collides().pairs.tolist():
        if rng.random() < 0.98 and a in scene and b in scene:
            scene.remove(a)
    assert scene.any() == bool(len(scene.collides().pairs))
