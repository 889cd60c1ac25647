"""A watch knows after every update what the scene would answer anew, and asks only pairs that changed."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.messages import counting
from meshclash.scene import live_contacts as watch_module
from scene_editor import BOX, Editor
from strategies import matrix
from watch_follower import Follower


def described(results):
    return {(pair.a, pair.b): (pair.verdict.name, pair.depth, pair.contacts.pairs.tobytes()) for pair in results}


def assert_complete(follower, scene, **sets):
    assert follower.meeting == {}
    assert described(follower.found.values()) == described(scene.contacts(**sets).pairs)


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 256]))
def test_any_history_of_updates_equals_the_scene_asked_anew(seed, batch):
    """Updates in either mode, given up at any step or run to the end, then one that completes."""
    rng = np.random.default_rng(seed)
    editor = Editor(rng)
    follower = Follower(mc.motion.LiveContacts(editor.scene))
    patch = pytest.MonkeyPatch()
    patch.setattr(watch_module, "_BATCH", batch)
    for _ in range(5):
        for _ in range(rng.integers(1, 5)):
            editor.step()
        first_contact = bool(rng.integers(2))
        follower.update(rng.integers(0, 12), first_contact=first_contact)
        if rng.random() < 0.7:
            follower.take()
    follower.update()
    patch.undo()
    assert follower.watch.incomplete == 0
    assert_complete(follower, editor.scene)


def row(count):
    """Boxes along x, each meeting the next ones with some overlap."""
    scene = mc.Scene()
    mesh = mc.TriangleMesh(*BOX)
    return scene, [scene.add(mesh, matrix(shift=(0.75 * k, 0.1 * k, 0.0))) for k in range(count)]


def asked_pairs(scene, monkeypatch):
    """Collects the pairs of ids that reach the triangle tests."""
    asked = []
    original = scene._objects.case_steps

    def spy(pairs, *rest):
        asked.extend(map(tuple, pairs.tolist()))
        return original(pairs, *rest)

    monkeypatch.setattr(scene._objects, "case_steps", spy)
    return asked


def test_only_pairs_of_changed_objects_are_asked_again(monkeypatch):
    scene, ids = row(8)
    watch = mc.motion.LiveContacts(scene)
    asked = asked_pairs(scene, monkeypatch)
    watch.update()
    assert len(asked) == 7
    asked.clear()
    watch.update()
    assert asked == []
    scene.set_pose(ids[3], matrix(shift=(2.3, 0.3, 0.0)))
    changes = watch.update()
    assert asked == [(ids[2], ids[3]), (ids[3], ids[4])]
    assert changes.found.keys() == set(asked)
    asked.clear()
    scene.set_pose(ids[3], matrix(shift=(90.0, 0.0, 0.0)))
    changes = watch.update()
    assert asked == []
    assert changes.gone == {(ids[2], ids[3]), (ids[3], ids[4])}
    assert not changes.found


def test_first_contact_mode_knows_who_meets_and_is_completed_later(monkeypatch):
    scene, ids = row(6)
    inner = scene.add(mc.TriangleMesh(BOX[0] * 0.1 + 0.3, BOX[1]))
    watch = mc.motion.LiveContacts(scene)
    changes = watch.update(first_contact=True)
    complete = {(pair.a, pair.b): pair for pair in scene.contacts().pairs}
    assert changes.meeting.keys() | changes.found.keys() == complete.keys()
    assert changes.found[ids[0], inner].verdict == mc.Verdict.CONTAINED  # no surface meets: nothing is left open
    assert watch.incomplete == len(changes.meeting) == 5
    for pair, first in changes.meeting.items():
        assert len(first.contacts) == 1
        assert first.contacts.pairs[0].tolist() in complete[pair].contacts.pairs.tolist()
    asked = asked_pairs(scene, monkeypatch)
    assert watch.update().found.keys() == set(asked) == set(changes.meeting)
    assert watch.incomplete == 0


def test_sets_and_rules_may_change_between_updates():
    scene, ids = row(5)
    follower = Follower(mc.motion.LiveContacts(scene))
    for sets in (
        {},
        {"set_a": ids[:1]},
        {"set_a": ids[3:], "set_b": ids[:4]},
        {"keep": lambda p: p[:, 0] != ids[1]},
        {},
    ):
        follower.update(**sets)
        assert_complete(follower, scene, **sets)


def test_limits_are_those_of_the_scene():
    scene, ids = row(3)
    scene.set_pose(ids[0], matrix(shift=(-0.3, 0.0, 0.0)))
    limits = {"permitted_overlap": 0.3, "touch_tolerance": 0.1}
    found = mc.motion.LiveContacts(scene, **limits).update().found.values()
    assert described(found) == described(scene.contacts(**limits).pairs)
    assert {pair.verdict for pair in found} == {mc.Verdict.TOUCHING}
    with pytest.raises(mc.UnsupportedOption, match="touch_tolerance"):
        mc.motion.LiveContacts(scene, touch_tolerance=-1.0)


def test_a_removed_object_takes_its_pairs_along():
    scene, ids = row(3)
    watch = mc.motion.LiveContacts(scene)
    watch.update()
    scene.remove(ids[1])
    assert watch.update().gone == {(ids[0], ids[1]), (ids[1], ids[2])}
    scene.remove(ids[0])
    scene.remove(ids[2])
    changes = watch.update()
    assert not (changes.gone or changes.found or changes.meeting)


def test_a_pair_that_comes_and_goes_untold_is_never_told():
    scene, ids = row(2)
    watch = mc.motion.LiveContacts(scene)
    untold = mc.steps(watch.update)
    while not watch._changes.found:
        next(untold)
    untold.close()
    scene.set_pose(ids[0], matrix(shift=(9.0, 0.0, 0.0)))
    changes = watch.update()
    assert not (changes.gone or changes.found or changes.meeting)


LENGTHS = st.sampled_from([0.0, 1e-9, 0.1, 0.3, 0.6, "resolution"])


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.lists(st.tuples(LENGTHS, st.sampled_from([0.0, 0.3])), min_size=1, max_size=4))
def test_other_limits_say_what_a_new_watch_would(seed, lengths):
    """Also between edits, and where an update is given up."""
    rng = np.random.default_rng(seed)
    editor = Editor(rng)
    follower = Follower(mc.motion.LiveContacts(editor.scene))
    for permitted, touch in lengths:
        for _ in range(rng.integers(0, 4)):
            editor.step()
        follower.watch.change_limits(permitted, touch)
        if rng.random() < 0.3:
            follower.update(rng.integers(0, 8))
            continue
        follower.update()
        fresh = editor.scene.contacts(permitted_overlap=permitted, touch_tolerance=touch).pairs
        assert judged(follower.found.values()) == judged(fresh)


def judged(results):
    return {(pair.a, pair.b): (pair.verdict.name, pair.flush) for pair in results}


def test_other_limits_ask_only_pairs_that_they_may_change(monkeypatch):
    scene = mc.Scene()
    mesh = mc.TriangleMesh(*BOX)
    for shift in (0.0, 0.75, 1.74, 2.74, 10.0):  # overlaps of .25 and .01, a touch, and one alone
        scene.add(mesh, matrix(shift=(shift, 0.0, 0.0)))
    watch = mc.motion.LiveContacts(scene)
    watch.update()
    asked = asked_pairs(scene, monkeypatch)
    for permitted, expected in ((0.005, []), (0.02, [(1, 2)]), (0.03, []), (0.3, [(0, 1)]), (0.02, [(0, 1)])):
        watch.change_limits(permitted)
        watch.update()
        assert asked == expected
        asked.clear()
    with pytest.raises(mc.errors.UnsupportedOption):
        watch.change_limits(-1.0)


@pytest.mark.parametrize("permitted", [0.0, 0.05, 0.1, 0.2, 0.4])
def test_other_limits_of_open_meshes(permitted):
    """A box without its lid counts as the solid that it means; its depth has no bounds."""
    scene = mc.Scene()
    vertices, triangles = BOX
    for mesh, shift in ((BOX, 0.0), ((vertices, triangles[:-2]), 0.85), ((vertices, triangles[2:]), 1.5)):
        scene.add(mc.TriangleMesh(*mesh), matrix(shift=(shift, 0.1, 0.07)))
    follower = Follower(mc.motion.LiveContacts(scene))
    for length in (0.3, 0.0, permitted):
        follower.watch.change_limits(length)
        follower.update()
        assert judged(follower.found.values()) == judged(scene.contacts(permitted_overlap=length).pairs)


@settings(max_examples=10)
@given(st.permutations([0.0, 5e-8, 1e-3, "resolution"]), st.sampled_from([1e-7, 1e-3]))
def test_other_limits_of_surfaces_that_bound_no_solid(lengths, crossing):
    """A stated length permits them their rounding, as the resolution does, and no more; nothing permits nothing."""
    scene = mc.Scene()
    vertices, triangles = BOX
    scene.add(mc.TriangleMesh(vertices, triangles), resolution=5e-7)
    plate = np.array([[-3.0, -3.0, 0.0], [3.0, -3.0, 0.0], [3.0, 3.0, 0.0], [-3.0, 3.0, 0.0]])
    scene.add(mc.TriangleMesh(plate, [[0, 1, 2], [0, 2, 3]]), matrix(shift=(0, 0, 1.0 - crossing)), resolution=5e-7)
    follower = Follower(mc.motion.LiveContacts(scene))
    for length in lengths:
        follower.watch.change_limits(length)
        follower.update()
        rounding = crossing < 1e-6 and length not in (0.0, 5e-8)
        assert judged(follower.found.values()) == {(0, 1): ("TOUCHING", True) if rounding else ("CLASH", False)}


def test_poses_that_are_the_same_ask_nothing():
    scene = mc.Scene()
    ids = [scene.add(mc.shapes.box(1.0), matrix(shift=(0.9 * k, 0, 0))) for k in range(6)]
    live_contacts = mc.motion.LiveContacts(scene)
    assert len(live_contacts.update().found) == 5
    scene.set_poses(ids, np.stack([scene.posed(i)[1].matrix for i in ids]))
    changes = live_contacts.update()
    assert not (changes.found or changes.meeting or changes.gone) and live_contacts.stats.volume_tests == 0


@pytest.mark.parametrize("first_contact", [False, True])
def test_what_stays_apart_is_not_asked_until_it_may_meet(first_contact):
    """Two turned bars whose boxes overlap come nearer by a hundredth in each frame."""
    scene, half = mc.Scene(), np.sqrt(0.5)
    bar = mc.TriangleMesh(BOX[0] * (4.0, 0.2, 0.2), BOX[1])
    turn = np.array([[half, -half, 0], [half, half, 0], [0, 0, 1]])
    scene.add(bar, matrix(turn))
    moving = scene.add(bar, matrix(turn))
    live, asked = mc.motion.LiveContacts(scene), 0
    for frame in range(100):
        scene.set_pose(moving, matrix(turn, (1.0 - 0.01 * frame, -1.0 + 0.01 * frame, 0.0)))
        changes = live.update(first_contact=first_contact)
        met = bool(changes.found or changes.meeting)
        assert met == bool(scene.collides())
        asked += live.stats.volume_tests > 0
        if met:
            break
    assert frame > 50 and asked <= 3


def test_texts_of_progress_are_made_once_a_slice(monkeypatch):
    """An update yields far more often than a user can read: within a slice, its progress has one text, and the last."""
    made = []

    class Endless:
        over = False

    def counted(*values):
        made.append(counting(*values))
        return made[-1]

    monkeypatch.setattr(watch_module, "Slice", Endless)
    monkeypatch.setattr(watch_module, "counting", counted)
    monkeypatch.setattr("meshclash.scene.verdict_stage._PORTION_PAIRS", 1)
    scene, ids = row(12)
    told = []
    mc.run(mc.steps(mc.motion.LiveContacts(scene).update), told.append)
    assert [text.template for text in made] == ["{task} {done} of {count}"] * 3
    assert sum(progress.text == made[1] for progress in told) >= len(ids) - 2
    assert told[-1].text == made[2] == counting("judging object pair", len(ids) - 1, len(ids) - 1)
