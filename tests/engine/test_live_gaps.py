"""A watch of gaps lists after every update what the scene would measure anew, and measures only what changed."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.scene import gaps as gaps_module
from scene_editor import BOX, Editor
from solids import torus
from strategies import matrix
from watch_follower import Follower


def described(gaps):
    """Everything that does not depend on which of several nearest pairs of triangles was found first."""
    return sorted(
        (gap.a, gap.b, gap.verdict.name, gap.depth, gap.gap, gap.near_a.tolist(), gap.near_b.tolist(),
         gap.contacts.pairs.tolist())
        for gap in gaps
    )  # fmt: skip


def cold(scene, tolerance=None, most=None, **sets):
    """What a question without a memory finds."""
    return scene.distances(most=most, **sets) if tolerance is None else scene.clearances(tolerance, **sets)


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, 0.0, 0.3, 2.0]), st.sampled_from([1, 3, 256]))
def test_any_history_of_updates_equals_the_scene_measured_anew(seed, tolerance, batch):
    """Updates in either mode, given up at any step or run to the end, then one that completes."""
    rng = np.random.default_rng(seed)
    editor = Editor(rng)
    follower = Follower(mc.motion.LiveGaps(editor.scene, tolerance))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gaps_module, "_BATCH", batch)
        for _ in range(5):
            for _ in range(rng.integers(1, 5)):
                editor.step()
            first_contact = bool(rng.integers(2))
            follower.update(rng.integers(0, 12), first_contact=first_contact)
            if rng.random() < 0.7:
                follower.take()
        follower.update()
    assert follower.watch.incomplete == 0 and not follower.meeting
    assert described(follower.found.values()) == described(cold(editor.scene, tolerance).pairs)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_the_nearest_pairs_stay_the_nearest(seed, most):
    rng = np.random.default_rng(seed)
    scene, mesh = mc.Scene(), mc.TriangleMesh(*BOX)
    ids = [scene.add(mesh, matrix(shift=rng.uniform(-9, 9, 3))) for _ in range(8)]
    follower = Follower(mc.motion.LiveGaps(scene, most=most))
    for _ in range(4):
        scene.set_pose(int(rng.choice(ids)), matrix(shift=rng.uniform(-9, 9, 3)))
        follower.update()
        fresh = cold(scene, most=most)
        lengths = sorted(gap.gap for gap in follower.found.values())
        assert lengths == sorted(gap.gap for gap in fresh.pairs)
        assert (follower.watch.left_out, follower.watch.beyond) == (fresh.left_out, fresh.beyond)


def row(count, mesh=BOX, step=2.0):
    """Objects along x."""
    scene, shared = mc.Scene(), mc.TriangleMesh(*mesh)
    return scene, [scene.add(shared, matrix(shift=(step * k, 0.1 * k, 0.0))) for k in range(count)]


@pytest.fixture
def measured_pairs(monkeypatch):
    """Collects the pairs of ids that are measured, of a scene."""

    def watch(scene):
        asked = []
        original = scene._objects.case_steps

        def spy(pairs, *rest):
            asked.extend(map(tuple, pairs.tolist()))
            return original(pairs, *rest)

        monkeypatch.setattr(scene._objects, "case_steps", spy)
        return asked

    return watch


@pytest.mark.parametrize("options", [{"tolerance": 1.5}, {}])
def test_only_pairs_of_changed_objects_are_measured_again(measured_pairs, options):
    scene, ids = row(6)
    watch = mc.motion.LiveGaps(scene, **options)
    asked = measured_pairs(scene)
    first = watch.update()
    assert set(asked) >= first.found.keys() == {(i, i + 1) for i in ids[:-1]} or not options
    asked.clear()
    changes = watch.update()
    assert asked == [] and not (changes.found or changes.gone or changes.meeting)
    scene.set_pose(ids[2], matrix(shift=(4.1, 0.2, 0.0)))
    changes = watch.update()
    assert all(ids[2] in pair for pair in asked)
    assert set(asked) >= changes.found.keys() >= {(ids[1], ids[2]), (ids[2], ids[3])}


def test_a_measurement_starts_from_the_triangles_that_were_nearest():
    """The second look at two tori that hardly moved takes a part of the tests of the first."""
    scene, ids = row(2, torus(2, 0.5, 64, 32), step=5.5)
    watch = mc.motion.LiveGaps(scene)
    costs = []
    for k in range(2):
        scene.set_pose(ids[1], matrix(shift=(5.5 + 1e-4 * k, 0.1, 0.0)))
        watch.update()
        costs.append(watch.stats)
    assert costs[1].primitive_tests < costs[0].primitive_tests


def test_in_a_hurry_it_knows_who_meets_and_how_far_apart_the_others_are(measured_pairs):
    scene, ids = row(3)
    scene.set_pose(ids[1], matrix(shift=(0.75, 0.1, 0.0)))
    inner = scene.add(mc.TriangleMesh(BOX[0] * 0.1 + 0.3, BOX[1]))
    watch = mc.motion.LiveGaps(scene, 3.0)
    changes = watch.update(first_contact=True)
    complete = {(gap.a, gap.b): gap for gap in cold(scene, 3.0).pairs}
    assert changes.meeting.keys() == {(ids[0], ids[1])}
    assert changes.meeting.keys() | changes.found.keys() == complete.keys()
    for pair, gap in changes.found.items():
        assert (gap.gap, gap.verdict) == (complete[pair].gap, complete[pair].verdict)
    assert not len(changes.found[ids[1], ids[2]].near_a)
    asked = measured_pairs(scene)
    changes = watch.update()
    assert (ids[0], inner) not in asked  # known as well as it ever will be
    assert changes.found.keys() == set(asked) and watch.incomplete == 0


def test_sets_rules_and_removals():
    scene, ids = row(5)
    follower = Follower(mc.motion.LiveGaps(scene, 9.0))
    for sets in (
        {},
        {"set_a": ids[:1]},
        {"set_a": ids[3:], "set_b": ids[:4]},
        {"keep": lambda p: p[:, 0] != ids[1]},
        {},
    ):
        follower.update(**sets)
        assert described(follower.found.values()) == described(cold(scene, 9.0, **sets).pairs)
    scene.remove(ids[0])
    assert follower.watch.update().gone == {(ids[0], other) for other in ids[1:]}


@pytest.mark.parametrize(
    ("options", "name"),
    [({"tolerance": -1.0}, "tolerance"), ({"tolerance": float("nan")}, "tolerance"), ({"most": 0}, "most"),
     ({"permitted_overlap": -1.0}, "permitted_overlap")],
)  # fmt: skip
def test_wrong_options_are_refused(options, name):
    with pytest.raises(mc.UnsupportedOption, match=name):
        mc.motion.LiveGaps(mc.Scene(), **options)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_other_limits_say_what_a_new_watch_would(seed):
    rng = np.random.default_rng(seed)
    editor = Editor(rng)
    watch = mc.motion.LiveGaps(editor.scene)
    listed = {}
    for _ in range(4):
        for _ in range(rng.integers(0, 4)):
            editor.step()
        permitted, tolerance = [0.0, 0.1, 0.3, "resolution"][rng.integers(4)], [None, 0.1, 0.5][rng.integers(3)]
        watch.change_limits(permitted, tolerance)
        changes = watch.update()
        listed = {pair: gap for pair, gap in {**listed, **changes.found}.items() if pair not in changes.gone}
        fresh = mc.motion.LiveGaps(editor.scene, tolerance, permitted_overlap=permitted).update().found
        assert judged(listed) == judged(fresh)


def judged(gaps):
    return {
        pair: (gap.verdict.name, gap.flush, round(gap.gap, 9), gap.near_a.tolist(), gap.near_b.tolist())
        for pair, gap in gaps.items()
    }
