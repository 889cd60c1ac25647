"""Steps of a scene against asking everything anew: moving, deforming, coming, going, teleporting, rules that change."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy.quality import WORN, expected_tests
from oracles.followed_scenes import check_followed
from solids import box, sheet
from strategies import matrix, rotation

CUBE = mc.TriangleMesh(*box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)))
SMALL = mc.TriangleMesh(*box((-0.1, -0.1, -0.1), (0.1, 0.1, 0.1)))
SHEET = mc.TriangleMesh(*sheet((-0.6, -0.6), (0.6, 0.6), 0.0, cells=4))


def as_set(pairs):
    return set(map(tuple, pairs.tolist()))


def check(scene, step, before, keep=None, first_only=True):
    """Compare a step with ``collides``; returns the pairs that touch."""
    truth = as_set(scene.collides(keep=keep).pairs)
    assert as_set(step.pairs) == truth
    assert as_set(step.begun) == truth - before
    assert as_set(step.persisting) == truth & before
    assert as_set(step.ended) == before - truth
    for number, (i, j) in enumerate(step.pairs.tolist()):
        found = step.triangles[step.pair_of == number]
        a, b = scene.posed(i), scene.posed(j)
        hits = mc.collide(a[0], b[0], a[1], b[1], device="cpu").pairs
        if first_only:
            assert len(found) == min(len(hits), 1) and as_set(found) <= as_set(hits)
        else:
            assert np.array_equal(found, hits)
    return truth


@pytest.mark.parametrize("seed", range(4))
def test_random_scenes_say_what_asking_anew_says(seed):
    rng = np.random.default_rng(seed)
    scene, before, asleep = mc.Scene(), set(), 0
    ids = [scene.add(mesh, matrix(rotation(rng), rng.uniform(0, 4, 3))) for mesh in (CUBE, SMALL, SHEET) * 8]
    for frame in range(60):
        draw = rng.random()
        if draw < 0.05:
            scene.remove(ids.pop(int(rng.integers(len(ids)))))
        elif draw < 0.1:
            ids.append(scene.add(SHEET, matrix(rotation(rng), rng.uniform(0, 4, 3))))
        elif draw < 0.15:
            scene.set_pose(ids[0], matrix(rotation(rng), rng.uniform(0, 4, 3)))
        moved = [i for i in ids if rng.random() < 0.5]
        poses = []
        for i in moved:
            pose = scene.posed(i)[1].matrix
            pose[:3, 3] += rng.normal(size=3) * 0.02
            pose[:3, :3] = pose[:3, :3] @ matrix(rotation(rng))[:3, :3] if rng.random() < 0.05 else pose[:3, :3]
            poses.append(pose)
        scene.set_poses(moved, np.array(poses).reshape(-1, 4, 4))
        if rng.random() < 0.2 and len(_mesh(scene, ids[-1]).vertices) == len(SHEET.vertices):
            scene.set_vertices(ids[-1], SHEET.vertices + rng.normal(size=SHEET.vertices.shape) * 0.05)
        step = scene.step(first_only=bool(frame % 2))
        before = check(scene, step, before, first_only=bool(frame % 2))
        asleep += step.asleep
    assert asleep > 0


def _mesh(scene, identifier):
    thing = scene.posed(identifier)[0]
    return thing.mesh if isinstance(thing, mc.Hierarchy) else thing


def test_one_inside_another_touches_without_a_contact():
    scene = mc.Scene()
    scene.add(CUBE)
    scene.add(SMALL)
    step = scene.step()
    assert step.pairs.tolist() == [[0, 1]] == step.begun.tolist() and len(step.triangles) == 0


def test_rules_switch_pairs_on_and_off():
    scene, rules = mc.Scene(), mc.CollisionMatrix()
    ids = [scene.add(CUBE, matrix(shift=(0.4 * k, 0, 0))) for k in range(3)]
    assert len(scene.step(rules).begun) == 3
    rules.assign(ids[:2], "robot")
    rules.set_rule("robot", "robot", False)
    step = scene.step(rules)
    assert step.ended.tolist() == [[0, 1]] and step.near == 2
    rules.set_pair(0, 1, True)
    assert scene.step(rules).begun.tolist() == [[0, 1]]


@pytest.mark.slow
def test_what_stays_apart_sleeps_and_wakes_in_time():
    """A wall with a corner box beside it: boxes overlap, surfaces come nearer by a hundredth a step."""
    scene = mc.Scene()
    scene.add(mc.TriangleMesh(*sheet((-1, -1), (1, 1), 0.0)), matrix(turned()))
    moving = scene.add(SMALL)
    asleep, begun = 0, None
    for frame in range(80):
        scene.set_pose(moving, matrix(shift=(0, 0.6 - 0.01 * frame, 0)))
        step = scene.step()
        asleep += step.asleep
        if len(step.begun):
            begun = frame
            assert len(scene.collides().pairs)
            scene.set_pose(moving, matrix(shift=(0, 0.6 - 0.01 * (frame - 1), 0)))
            assert not scene.collides()
            break
    assert begun is not None and asleep > 10


def turned():
    """A quarter turn's half about x, so that a sheet's box is thick."""
    c = np.sqrt(0.5)
    return np.array([[1, 0, 0], [0, c, -c], [0, c, c]])


def pot():
    """A box of edge 4 and height 2 with a square hole of edge 1 in its lid."""
    grid = np.array([[x, y, 2.0] for x in range(9) for y in range(9)]) * (0.5, 0.5, 1.0)
    cells = [i * 9 + j for i in range(8) for j in range(8) if not (i in (3, 4) and j in (3, 4))]
    lid = np.array([[[a, a + 9, a + 10], [a, a + 10, a + 1]] for a in cells]).reshape(-1, 3)
    vertices, triangles = box((0, 0, 0), (4, 4, 2))
    sides = triangles[(vertices[triangles][:, :, 2] != 2.0).any(axis=1)]
    return mc.TriangleMesh(np.concatenate([grid, vertices]), np.concatenate([lid, sides + len(grid)]))


def test_what_enters_an_open_mesh_through_its_hole_wakes_in_time():
    """The surfaces stay a length apart, but the small box is soon in the solid that the open mesh means."""
    scene, turn = mc.Scene(), matrix(turned())
    scene.add(pot(), turn)
    small = scene.add(SMALL)
    live, seen, known = mc.motion.LiveContacts(scene), 0, set()
    for frame in range(90):
        pose = turn @ matrix(shift=(2.0, 2.0, 2.15 - 0.01 * max(frame - 20, 0)))
        pose[0, 3] += 1e-6 * (frame % 2)
        scene.set_pose(small, pose)
        truth = as_set(scene.collides().pairs)
        assert as_set(scene.step().pairs) == truth
        changes = live.update(first_contact=True)
        known = (known - changes.gone) | changes.found.keys() | changes.meeting.keys()
        assert known == truth
        seen += len(truth)
    assert 0 < seen < 90


def test_a_removed_object_ends_its_pairs_and_an_empty_scene_is_one():
    scene = mc.Scene()
    a, b = scene.add(CUBE), scene.add(CUBE, matrix(shift=(0.5, 0, 0)))
    assert scene.step().begun.tolist() == [[a, b]]
    scene.remove(b)
    assert scene.step().ended.tolist() == [[a, b]]
    scene.remove(a)
    step = scene.step()
    assert not step and len(step.ended) == 0


def test_a_step_that_is_given_up_loses_no_event():
    scene = mc.Scene()
    for k in range(3):
        scene.add(CUBE, matrix(shift=(0.3 * k, 0, 0)))
    steps = mc.steps(scene.step)
    next(steps, None)
    steps.close()
    assert len(scene.step().begun) == 3


def test_a_hierarchy_that_deforming_has_spoiled_is_built_anew():
    cells = 24
    flat = mc.TriangleMesh(*sheet((-1, -1), (1, 1), 0.0, cells=cells))
    scene = mc.Scene()
    identifier = scene.add(flat)
    scene.collides()
    rng = np.random.default_rng(3)
    scene.set_vertices(identifier, flat.vertices + np.array([0, 0, 0.001]))
    good = expected_tests(scene.posed(identifier)[0])
    scrambled = flat.vertices[rng.permutation(len(flat.vertices))]
    scene.set_vertices(identifier, scrambled)
    loose = expected_tests(mc.refit(mc.build(flat), scrambled))
    assert loose > WORN * good
    assert expected_tests(scene.posed(identifier)[0]) <= loose
    mc.lab.assert_well_formed(scene.posed(identifier)[0])


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_set_poses_is_many_times_set_pose(seed):
    rng = np.random.default_rng(seed)
    one, many = mc.Scene(), mc.Scene()
    poses = np.array([matrix(rotation(rng), rng.normal(size=3)) for _ in range(3)])
    for scene in (one, many):
        for _ in range(3):
            scene.add(CUBE)
    lengths = [1e-6, 1e-5, 1e-4] if seed % 2 else None
    for k in range(3):
        one.set_pose(k, poses[k], None if lengths is None else lengths[k])
    many.set_poses(range(3), poses, lengths)
    assert all(np.array_equal(one.posed(k)[1].rows, many.posed(k)[1].rows) for k in range(3))
    assert np.array_equal(one.revisions(np.arange(3)), many.revisions(np.arange(3)))
    before = many.revisions(np.arange(3))
    many.set_poses(range(3), poses, lengths)
    assert np.array_equal(many.revisions(np.arange(3)), before)  # nothing is another
    many.set_poses([1], poses[1:2], [1e-3])
    assert (many.revisions(np.arange(3)) - before).tolist() == [0, 1, 0]


def test_the_resolutions_of_set_poses_are_asked_with():
    scene = mc.Scene()
    for place in (0.0, 1.0 - 1e-5):
        scene.add(CUBE, matrix(shift=(place, 0.0, 0.0)), resolution=0.0)
    found = scene.contacts(permitted_overlap="resolution")
    assert [pair.verdict for pair in found] == [mc.Verdict.CLASH]
    scene.set_poses([0, 1], [scene.posed(k)[1] for k in (0, 1)], [1e-4, 1e-4])
    found = scene.contacts(permitted_overlap="resolution")
    assert [pair.verdict for pair in found] == [mc.Verdict.TOUCHING]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda s: s.set_poses([0], np.stack([np.eye(4)] * 2)), mc.UnsupportedOption),
        (lambda s: s.set_poses([7], np.eye(4)[None]), mc.UnknownObject),
        (lambda s: s.set_poses(5, np.eye(4)[None]), mc.UnsupportedOption),
        (lambda s: s.set_poses([0], np.eye(4)[None], [-1.0]), mc.InvalidMesh),
        (lambda s: s.set_poses([0], np.eye(4)[None], 1e-6), mc.UnsupportedOption),
        (lambda s: s.set_poses([0], np.eye(4)[None], [0.0, 0.0]), mc.UnsupportedOption),
        (lambda s: s.step(keep=5), mc.UnsupportedOption),
        (lambda s: s.step(first_only="x"), mc.UnsupportedOption),
    ],
)
def test_wrong_arguments_are_refused(call, error):
    scene = mc.Scene()
    scene.add(CUBE)
    with pytest.raises(error):
        call(scene)


def test_pairs_that_stand_still_are_not_asked_again():
    scene = mc.Scene()
    ids = [scene.add(mc.shapes.box(1.0), matrix(shift=(0.9 * k, 0, 0))) for k in range(6)]
    first = scene.step(first_only=False)
    poses = np.stack([scene.posed(i)[1].matrix for i in ids])
    scene.set_poses(ids, poses)
    again = scene.step(first_only=False)
    assert len(again.pairs) == 5 and again.persisting.tolist() == first.pairs.tolist()
    assert again.triangles.tolist() == first.triangles.tolist() and again.pair_of.tolist() == first.pair_of.tolist()
    assert again.stats.primitive_tests == again.stats.volume_tests == 0 < first.stats.volume_tests
    poses[5, 0, 3] += 0.01
    scene.set_poses(ids, poses)
    moved = scene.step(first_only=False)
    assert len(moved.pairs) == 5 and 0 < moved.stats.volume_tests < first.stats.volume_tests
    assert len(scene.step().triangles) == 5  # another question is asked anew


@pytest.mark.slow
def test_what_follows_a_scene_says_what_a_new_scene_says():
    """Some hundred frames; the bench ``motion --followed`` checks any number."""
    rows = [check_followed(seed) for seed in range(12)]
    assert sum(row["wrong"] for row in rows) == 0 and sum(row["changes"] for row in rows) > 500
