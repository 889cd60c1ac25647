"""Many pairs of objects that share a budget: exact in the end, most likely pairs first, and nothing found is lost."""

import math
from functools import cache

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy.build import as_hierarchy
from meshclash.solid.case import Limits
from oracles.pipes import MODELS
from strategies import matrix, rotation

pytestmark = pytest.mark.needs_jit


@cache
def mesh(kind="part", count=600):
    return mc.TriangleMesh(*MODELS[kind](count, 1))


def random_scene(seed, count=8, kinds=("part", "scan")):
    """Objects that overlap here and there, and their ids."""
    rng = np.random.default_rng(seed)
    scene = mc.Scene()
    for k in range(count):
        scene.add(mesh(kinds[k % len(kinds)]), matrix(rotation(rng), rng.uniform(-1.2, 1.2, 3)))
    return scene


def truth_of(scene, pairs):
    return np.array([by_engine(scene, a, b) for a, b in pairs.tolist()], bool)


def by_engine(scene, a, b):
    (mesh_a, pose_a), (mesh_b, pose_b) = scene.posed(a), scene.posed(b)
    return mc.collides(mesh_a, mesh_b, pose_a, pose_b)


def until_exact(scene, calls=10_000, **options):
    for _ in range(calls):
        found = scene.time_critical(**options)
        if found.exact:
            return found
    raise AssertionError("the answers did not become exact")


@settings(max_examples=15)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from([{}, {"p_min": 0.3, "k_min": 1}, {"p_min": 0.5, "count": "antichain"}])
)
def test_refined_from_call_to_call_the_answers_become_exact(seed, criterion):
    scene = random_scene(seed)
    found = until_exact(scene, steps=40, **criterion)
    assert np.array_equal(found.pairs, scene._objects.candidates(None, None, None, Limits()))
    assert np.array_equal(found.colliding, truth_of(scene, found.pairs))
    assert np.array_equal(found.probability, found.colliding.astype(float))
    assert np.array_equal(np.isnan(found.regions).all(axis=(1, 2)), ~found.colliding)
    assert ((found.triangles >= 0).all(axis=1) == found.colliding).all()
    for (a, b), (i, j) in zip(
        found.pairs[found.colliding].tolist(), found.triangles[found.colliding].tolist(), strict=True
    ):
        (mesh_a, pose_a), (mesh_b, pose_b) = scene.posed(a), scene.posed(b)
        hits = mc.collide(mesh_a, mesh_b, pose_a, pose_b)
        assert [i, j] in hits.pairs.tolist()


def test_what_is_complete_stays_and_costs_nothing_again():
    scene = random_scene(3)
    first = until_exact(scene, steps=100)
    again = scene.time_critical(steps=100)
    assert again.stats.volume_tests == again.stats.primitive_tests == 0
    assert np.array_equal(first.probability, again.probability)
    assert np.array_equal(first.regions, again.regions, equal_nan=True)


def test_only_pairs_of_changed_objects_are_asked_again():
    scene = random_scene(4)
    before = until_exact(scene, steps=1000)
    scene.set_pose(2, matrix(rotation(np.random.default_rng(1)), (0.1, 0.0, 0.2)))
    found = scene.time_critical(steps=0)
    fresh = (found.pairs == 2).any(axis=1)
    assert fresh.any() and not fresh.all()
    assert found.complete[~fresh].all()
    assert (found.stats.volume_tests, found.stats.primitive_tests) == (fresh.sum(), 0)
    kept = {tuple(p): c for p, c in zip(before.pairs.tolist(), before.colliding.tolist(), strict=True)}
    assert all(
        kept[tuple(p)] == c for p, c in zip(found.pairs[~fresh].tolist(), found.colliding[~fresh].tolist(), strict=True)
    )
    found = until_exact(scene, steps=1000)
    assert np.array_equal(found.colliding, truth_of(scene, found.pairs))


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1), st.data())
def test_under_any_changes_the_answers_are_those_of_a_fresh_scene(seed, data):
    """Objects move, deform, come and go between calls that are too short for them."""
    scene = random_scene(seed, 6)
    rng = np.random.default_rng(seed)
    alive = list(range(6))
    for _ in range(data.draw(st.integers(1, 6))):
        scene.time_critical(steps=data.draw(st.sampled_from([0, 30, 300])))
        change = data.draw(st.sampled_from(["move", "bend", "remove", "add", "nothing"]))
        if change == "add" or not alive:
            alive.append(scene.add(mesh("bumpy"), matrix(rotation(rng), rng.uniform(-1, 1, 3))))
            continue
        chosen = data.draw(st.sampled_from(alive))
        if change == "move":
            scene.set_pose(chosen, matrix(rotation(rng), rng.uniform(-1, 1, 3)))
        elif change == "bend":
            vertices = np.asarray(as_hierarchy(scene.posed(chosen)[0]).mesh.vertices)
            scene.set_vertices(chosen, vertices * rng.uniform(0.7, 1.3, 3) + 0.1 * np.sin(3.0 * vertices[:, ::-1]))
        elif change == "remove":
            scene.remove(chosen)
            alive.remove(chosen)
    found = until_exact(scene, steps=10_000)
    assert set(found.pairs.ravel().tolist()) <= set(alive)
    assert np.array_equal(found.pairs, scene._objects.candidates(None, None, None, Limits()))
    assert np.array_equal(found.colliding, truth_of(scene, found.pairs))


def test_by_steps_the_answer_is_the_same_in_slices_or_at_once(monkeypatch):
    whole = random_scene(5).time_critical(steps=700)
    monkeypatch.setattr(mc.timecritical.shared_budget, "SLICE_SECONDS", 1e-5)
    steps = mc.steps(random_scene(5).time_critical, steps=700)
    slices = 0
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            sliced = stop.value
            break
        slices += 1
    assert slices > 1
    assert np.array_equal(whole.probability, sliced.probability)
    assert np.array_equal(whole.complete, sliced.complete)
    assert not whole.exact and whole.complete.any()


def test_the_most_likely_pairs_come_first():
    """One pair lies deep in each other, of the others only corners of boxes do: it is known before most of them."""
    scene = mc.Scene()
    scene.add(mesh("bumpy"))
    scene.add(mesh("bumpy"), matrix(shift=(0.3, 0.0, 0.0)))
    for corner in np.ndindex(2, 2, 2):
        scene.add(mesh("bumpy"), matrix(shift=2.6 * np.array(corner) - 1.3))
    known = None
    while known is None or not known[0]:
        found = scene.time_critical(steps=20)
        assert found.pairs[0].tolist() == [0, 1]
        known = found.complete
    assert len(known) > 10 and known.sum() < len(known) / 2


def test_closed_in_the_middle_nothing_is_lost():
    scene = random_scene(6)
    steps = mc.steps(scene.time_critical, steps=100)
    steps.close()
    found = until_exact(scene, steps=500)
    assert np.array_equal(found.colliding, truth_of(scene, found.pairs))


def test_sets_and_rules_choose_the_pairs():
    scene = random_scene(7)
    found = scene.time_critical(set_a=[0, 1], set_b=[5, 6, 7], keep=lambda pairs: pairs[:, 1] != 6)
    assert set(found.pairs[:, 0].tolist()) <= {0, 1} and set(found.pairs[:, 1].tolist()) <= {5, 7}
    with pytest.raises(mc.errors.UnknownObject):
        scene.time_critical(set_a=[99])


def test_empty_scenes_and_objects_far_apart():
    scene = mc.Scene()
    assert scene.time_critical(budget=0.01).exact
    scene.add(mesh())
    scene.add(mesh(), matrix(shift=(9.0, 0.0, 0.0)))
    found = scene.time_critical(budget=0.01)
    assert found.exact and len(found.pairs) == 0


@pytest.mark.parametrize("scale", [1e-200, 1e29])
def test_coordinates_that_doubles_cannot_multiply(scale):
    rng = np.random.default_rng(2)
    scene = mc.Scene()
    for _ in range(4):
        vertices = rng.integers(0, 4, (90, 3)) * scale
        scene.add(mc.TriangleMesh(vertices, np.arange(90).reshape(-1, 3)))
    found = until_exact(scene, steps=1000)
    assert np.array_equal(found.colliding, truth_of(scene, found.pairs))


@pytest.mark.parametrize(
    "option",
    [
        {"budget": 0}, {"budget": -1.0}, {"budget": math.nan}, {"budget": math.inf}, {"budget": "1"}, {"p_min": 0.0},
        {"p_min": -0.5}, {"p_min": math.nan}, {"p_min": math.inf}, {"k_min": 0}, {"k_min": -3}, {"k_min": 1.5},
        {"count": "both"}, {"steps": -1}, {"steps": 1.5},
    ],
)  # fmt: skip
def test_options_out_of_range_are_named(option):
    scene = random_scene(1, 3)
    with pytest.raises(mc.UnsupportedOption, match=next(iter(option))):
        scene.time_critical(**option)
    assert scene.time_critical(budget=1.0).exact


def test_an_answer_in_time_says_what_it_does_not_know():
    """With no time at all every pair is said to be as likely as not, and none is called exact."""
    scene = random_scene(8, 8, ("bumpy",))
    found = scene.time_critical(steps=0)
    unknown = ~found.complete
    assert unknown.any()
    assert ((found.probability[unknown] > 0.0) & (found.probability[unknown] < 1.0)).all()
    assert not np.isnan(found.regions[unknown]).any()
