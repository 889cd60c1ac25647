"""Scenes: whatever was added, moved, deformed and removed, the answer is that of asking about every pair anew."""

import itertools

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scene_editor import BOX, Editor
from slices import limit
from solids import moved
from strategies import matrix


def pairwise(objects, **limits):
    """(a, b) -> (verdict, contacts) of all pairs that are not apart, from meshes and poses alone."""
    found = {}
    for (i, (mesh_a, pose_a)), (j, (mesh_b, pose_b)) in itertools.combinations(sorted(objects.items()), 2):
        verdict = mc.verdict(mesh_a, mesh_b, pose_a, pose_b, **limits)
        if verdict != mc.Verdict.APART:
            found[i, j] = verdict, mc.collide(mesh_a, mesh_b, pose_a, pose_b)
    return found


def assert_same(result, expected, depth_tolerance=0.0):
    assert {(pair.a, pair.b) for pair in result.pairs} == set(expected)
    for pair in result.pairs:
        verdict, contacts = expected[pair.a, pair.b]
        assert pair.verdict.name == verdict.name
        depths = pair.depth, verdict.depth
        assert depths[0] == depths[1] or depths[0] == pytest.approx(depths[1], rel=depth_tolerance)
        assert np.array_equal(pair.contacts.pairs, contacts.pairs)
        assert np.array_equal(pair.contacts.kinds, contacts.kinds)
        assert np.array_equal(pair.contacts.segments(), contacts.segments())
        assert pair.location is None or np.isfinite(pair.location).all()
    severities = [pair.verdict.severity for pair in result.pairs]
    assert severities == sorted(severities, reverse=True)


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_any_history_equals_pairs_from_scratch(seed):
    """Depths are estimates that depend on the hierarchy, which is refitted here and built anew there."""
    editor = Editor(np.random.default_rng(seed), own_trees=True)
    for _ in range(4):
        for _ in range(4):
            editor.step()
        assert len(editor.scene) == len(editor.objects)
        assert_same(editor.scene.contacts(), pairwise(editor.objects), depth_tolerance=0.05)


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, 0.6]), st.sampled_from([0.0, 0.2, 1.5]))
def test_tolerances_are_those_of_verdict(seed, permitted_overlap, touch_tolerance):
    editor = Editor(np.random.default_rng(seed))
    for _ in range(7):
        editor.add()
    limits = {"permitted_overlap": permitted_overlap, "touch_tolerance": touch_tolerance}
    assert_same(editor.scene.contacts(**limits), pairwise(editor.objects, **limits))


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_sets_and_rules_choose_among_all_pairs(seed):
    rng = np.random.default_rng(seed)
    editor = Editor(rng)
    for _ in range(8):
        editor.add()
    everything = pairwise(editor.objects)
    ids = np.array(list(editor.objects))
    set_a, set_b = (set(rng.choice(ids, rng.integers(1, 6), replace=False).tolist()) for _ in range(2))

    def chosen(pair, first, second):
        return (pair[0] in first and pair[1] in second) or (pair[1] in first and pair[0] in second)

    for first, second in ((set_a, set_b), (set_a, None), (None, set_b)):
        found = editor.scene.contacts(set_a=first, set_b=second)
        either = [set(ids.tolist()) if chosen_set is None else chosen_set for chosen_set in (first, second)]
        assert_same(found, {pair: value for pair, value in everything.items() if chosen(pair, *either)})
    found = editor.scene.contacts(keep=lambda pairs: pairs.sum(axis=1) % 2 == 0)
    assert_same(found, {pair: value for pair, value in everything.items() if sum(pair) % 2 == 0})
    found = editor.scene.contacts(touching=False)
    assert_same(found, {pair: value for pair, value in everything.items() if value[0] != mc.Verdict.TOUCHING})


def row_of_boxes(count=6):
    """Boxes that overlap their neighbours by a half."""
    scene = mc.Scene()
    mesh = mc.TriangleMesh(*BOX)
    return scene, [scene.add(mesh, matrix(shift=(0.5 * k, 0, 0))) for k in range(count)]


def names(result):
    return [(pair.a, pair.b, pair.verdict.name) for pair in result.pairs]


def test_many_near_pairs_at_once():
    scene = mc.Scene()
    mesh = mc.TriangleMesh(*BOX)
    ids = [scene.add(mesh, matrix(shift=(1.25 * k, 0, 0))) for k in range(200)]
    assert scene.contacts().pairs == []
    near = scene.contacts(touch_tolerance=0.25)
    assert names(near) == [(i, j, "TOUCHING") for i, j in itertools.pairwise(ids)]
    assert all(len(pair.contacts) == 0 and pair.location is None for pair in near.pairs)


def test_keep_is_given_pairs_of_ids():
    scene, ids = row_of_boxes()
    scene.remove(ids.pop(2))
    seen = []

    def keep(pairs):
        seen.append(pairs.copy())
        return np.zeros(len(pairs), np.bool_)

    assert scene.contacts(keep=keep).pairs == []
    assert len(seen) == 1
    assert seen[0].dtype == np.int64
    assert seen[0].shape[1] == 2
    assert set(seen[0].ravel().tolist()) <= set(ids)
    assert (seen[0][:, 0] < seen[0][:, 1]).all()


@pytest.mark.parametrize("wrong", [lambda p: True, lambda p: p, lambda p: np.zeros(1, bool), lambda p: [1] * len(p)])
def test_rules_that_return_something_else_are_refused(wrong):
    with pytest.raises(mc.UnsupportedOption, match="keep must return booleans"):
        row_of_boxes()[0].contacts(keep=wrong)


def test_unknown_ids():
    scene, ids = row_of_boxes(2)
    scene.remove(ids[0])
    for unknown in (ids[0], 99, -1, "a", None, [1]):
        for action in (
            lambda u=unknown: scene.remove(u),
            lambda u=unknown: scene.set_pose(u, None),
            lambda u=unknown: scene.set_vertices(u, BOX[0]),
        ):
            with pytest.raises(mc.UnknownObject, match="no object"):
                action()
    for unknown in (ids[0], 99, "a"):
        with pytest.raises(mc.UnknownObject, match="no object"):
            scene.contacts(set_a=[unknown])
        with pytest.raises(mc.UnknownObject, match="no object"):
            scene.contacts(set_b=[ids[1], unknown])
    assert len(scene) == 1


def test_ids_are_never_given_twice():
    scene, ids = row_of_boxes(3)
    scene.remove(ids[2])
    assert scene.add(mc.TriangleMesh(*BOX)) not in ids


def test_what_fails_leaves_the_scene_as_it_was():
    scene, ids = row_of_boxes()
    before = names(scene.contacts())
    with pytest.raises(mc.InvalidPose):
        scene.set_pose(ids[0], np.diag([2.0, 1, 1, 1]))
    with pytest.raises(mc.InvalidMesh, match="8 vertices, but 3 were given"):
        scene.set_vertices(ids[0], BOX[0][:3])
    with pytest.raises(mc.InvalidMesh, match="vertex 0"):
        scene.set_vertices(ids[0], BOX[0] * np.nan)
    with pytest.raises(mc.InvalidPose):
        scene.add(mc.TriangleMesh(*BOX), np.eye(3))
    assert names(scene.contacts()) == before


def test_deforming_one_of_several_that_share_a_mesh_leaves_the_others():
    scene, ids = row_of_boxes(3)
    scene.set_vertices(ids[1], BOX[0] * 0.25 + (0, 0, 9))
    assert names(scene.contacts()) == [(ids[0], ids[2], "TOUCHING")]


def test_scenes_without_pairs():
    assert mc.Scene().contacts().pairs == []
    scene = mc.Scene()
    scene.add(mc.TriangleMesh(*BOX))
    assert scene.contacts().pairs == []
    scene.add(mc.TriangleMesh(*moved(BOX, (9, 9, 9))))
    result = scene.contacts()
    assert result.pairs == []
    assert result.stats.primitive_tests == 0
    assert scene.contacts(set_a=[], set_b=[]).pairs == []


@pytest.fixture
def tiny_slices(monkeypatch):
    limit(monkeypatch, steps=3, seconds=0.0)


def drained(steps):
    progress = []
    while True:
        try:
            progress.append(next(steps))
        except StopIteration as stop:
            return progress, stop.value


def test_slices_give_the_same_as_one_go(tiny_slices):
    scene, _ = row_of_boxes()
    progress, result = drained(mc.steps(scene.contacts))
    assert len(progress) > 20
    fractions = [step.fraction for step in progress]
    assert fractions == sorted(fractions)
    assert fractions[0] >= 0.0
    assert fractions[-1] <= 1.0
    assert all(step.text for step in progress)
    assert names(result) == names(row_of_boxes()[0].contacts())


def test_closing_at_any_step_leaves_the_scene_usable(tiny_slices):
    expected = names(row_of_boxes()[0].contacts())
    count = len(drained(mc.steps(row_of_boxes()[0].contacts))[0])
    for stop_after in range(0, count, 5):
        scene, ids = row_of_boxes()  # anew: a scene remembers what it has built
        steps = mc.steps(scene.contacts)
        for _ in itertools.islice(steps, stop_after):  # fewer, when meshes are known from the last time
            pass
        steps.close()
        assert names(scene.contacts()) == expected
    scene.set_pose(ids[0], matrix(shift=(50, 0, 0)))
    assert all(ids[0] not in pair[:2] for pair in names(scene.contacts()))


def test_results_stay_what_they_were_when_the_scene_changes():
    scene, ids = row_of_boxes()
    result = scene.contacts()
    before = [pair.contacts.segments() for pair in result.pairs]
    for identifier in ids:
        scene.set_pose(identifier, matrix(shift=(0, 0, 7)))
        scene.set_vertices(identifier, BOX[0] * 3)
    for pair, segments in zip(result.pairs, before, strict=True):
        assert np.array_equal(pair.contacts.segments(), segments)


def test_two_runs_give_the_same_bytes_and_counts():
    def snapshot(result):
        rows = [(*row, pair.depth, pair.location.tobytes(), pair.contacts.pairs.tobytes())
                for row, pair in zip(names(result), result.pairs, strict=True)]  # fmt: skip
        return rows, result.stats.volume_tests, result.stats.primitive_tests, result.stats.exact_tests

    scene, _ = row_of_boxes()
    assert snapshot(scene.contacts()) == snapshot(scene.contacts()) == snapshot(row_of_boxes()[0].contacts())


def test_timings_cover_the_stages():
    scene, _ = row_of_boxes()
    result = scene.contacts()
    assert {"broad phase", "building", "traversal", "verdicts"} <= set(result.stats.timings)
    assert all(seconds >= 0.0 for seconds in result.stats.timings.values())
    assert result.stats.primitive_tests > 0
