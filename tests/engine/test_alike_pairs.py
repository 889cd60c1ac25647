"""Pairs of objects that are equal to other pairs: all have the answer that each of them has alone."""

import itertools

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.scene.alike_pairs import alike_pairs, equal_meshes_steps, kinds_of_objects
from meshclash.types.steps import run
from solids import box, torus
from strategies import matrix, rotation

_SHAPES = [box((0, 0, 0), (1, 1, 1)), box((0.2, 0.2, 0.2), (0.7, 0.7, 0.7)), torus(1.0, 0.4, 8, 5)]
_OPEN = (_SHAPES[0][0], _SHAPES[0][1][1:])


def copies(seed, count=9):
    """Return a scene with many copies in the same places, and (mesh, pose, resolution) of each object."""
    rng = np.random.default_rng(seed)
    meshes = [mc.TriangleMesh(*shape) for shape in (*_SHAPES, _OPEN)]
    poses = [np.eye(4), matrix(rotation(rng), rng.normal(0.0, 0.3, 3)), matrix(shift=(0.0, 0.0, 0.5))]
    scene, objects = mc.Scene(), {}
    for _ in range(count):
        mesh = meshes[rng.integers(len(meshes))]
        if rng.random() < 0.5:  # the same numbers in arrays of its own
            mesh = mc.TriangleMesh(mesh.vertices.copy(), mesh.triangles.copy())
        pose, resolution = poses[rng.integers(len(poses))], float(rng.choice([0.0, 0.25]))
        objects[scene.add(mesh, pose, resolution=resolution)] = mesh, pose, resolution
    return scene, objects


def facts(pair):
    measured = pair.verdict, pair.depth, pair.depth_lower, pair.depth_upper, pair.certainty, pair.flush
    place = None if pair.location is None else pair.location.tobytes()
    return *measured, pair.permitted_overlap, place, pair.contacts.pairs.tolist(), pair.contacts.kinds.tolist()


def alone(objects, a, b, ask):
    """Return what a scene of only these two objects answers."""
    scene = mc.Scene()
    for mesh, pose, resolution in (objects[a], objects[b]):
        scene.add(mc.TriangleMesh(mesh.vertices, mesh.triangles), pose, resolution=resolution)
    return ask(scene)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, "resolution"]))
def test_many_copies_are_answered_as_each_pair_alone(seed, permitted_overlap):
    scene, objects = copies(seed)

    def ask(one):
        return {(pair.a, pair.b): facts(pair) for pair in one.contacts(permitted_overlap=permitted_overlap)}

    found = ask(scene)
    for a, b in itertools.combinations(objects, 2):
        assert found.get((a, b)) == alone(objects, a, b, ask).get((0, 1))


@settings(max_examples=8)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_copies_that_are_followed_have_the_answers_of_a_scene(seed, first_contact):
    scene, objects = copies(seed)
    rng, watch, known = np.random.default_rng(seed), mc.motion.LiveContacts(scene), {}
    for _ in range(3):
        if first_contact:
            changes = watch.update(first_contact=True)
            meeting = {pair for pair, found in known.items() if found is None} | changes.meeting.keys()
            assert meeting | changes.found.keys() | known.keys() >= {(p.a, p.b) for p in scene.contacts()}
            known.update(dict.fromkeys(changes.meeting))
            known.update(changes.found)
            for pair in changes.gone:
                del known[pair]
        changes = watch.update()
        known.update(changes.found)
        for pair in changes.gone:
            del known[pair]
        assert {pair: facts(found) for pair, found in known.items()} == {(p.a, p.b): facts(p) for p in scene.contacts()}
        moved = rng.choice(list(objects), 2)
        scene.set_pose(int(moved[0]), scene.posed(int(moved[1]))[1].matrix)


@settings(max_examples=8)
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, 0.4]))
def test_gaps_of_copies_are_those_of_each_pair_alone(seed, tolerance):
    scene, objects = copies(seed, 7)

    def ask(one):
        found = one.distances() if tolerance is None else one.clearances(tolerance)
        return {(gap.a, gap.b): (gap.gap, gap.verdict, gap.near_a.tolist(), gap.near_b.tolist()) for gap in found}

    found = ask(scene)
    for a, b in itertools.combinations(objects, 2):
        assert found.get((a, b)) == alone(objects, a, b, ask).get((0, 1))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40))
def test_groups_hold_each_pair_once_and_begin_with_their_first(kinds):
    kinds = np.array(kinds, np.int64).reshape(-1, 2)
    pairs = np.stack([np.arange(len(kinds)), np.arange(len(kinds)) + 100], axis=1)
    alike = alike_pairs(pairs, kinds)
    assert sorted(alike.pairs.tolist()) == pairs.tolist()
    assert alike.first.tolist() == sorted(alike.first.tolist())
    seen = set()
    for first, begin, end in zip(alike.first.tolist(), alike.start[:-1], alike.start[1:], strict=True):
        group = alike.pairs[begin:end, 0]
        assert group[0] == first[0] == group.min()
        (kind,) = {tuple(kinds[place]) for place in group.tolist()}
        assert kind not in seen
        seen.add(kind)


def test_objects_with_one_hash_and_other_numbers_are_different_kinds():
    rows = np.tile(np.eye(3, 4), (3, 1, 1))
    trees, resolutions = np.array([0, 0, 1]), np.array([0.0, 0.0, 0.0])
    assert kinds_of_objects(trees, rows, resolutions).tolist() in ([0, 0, 1], [1, 1, 0])
    resolutions[1] = -0.0  # other bits: a kind of its own costs time, and changes no answer
    assert len(set(kinds_of_objects(trees, rows, resolutions).tolist())) == 3


def test_equal_arrays_are_found_and_shells_and_hierarchies_stand_for_themselves():
    solid, open_mesh = mc.TriangleMesh(*_SHAPES[0]), mc.TriangleMesh(*_OPEN)
    things = [
        solid, open_mesh, mc.TriangleMesh(*_SHAPES[0]), mc.TriangleMesh(*_SHAPES[0], shell=True), mc.build(solid),
        mc.TriangleMesh(_SHAPES[0][0][::-1], 7 - _SHAPES[0][1]),
    ]  # fmt: skip
    found = run(equal_meshes_steps(things))
    assert [next(k for k, thing in enumerate(things) if thing is one) for one in found] == [0, 1, 0, 3, 4, 5]


@pytest.mark.parametrize("ask", [mc.Scene.contacts, lambda scene: mc.motion.LiveContacts(scene).update()])
def test_progress_counts_all_pairs(ask):
    scene = mc.Scene()
    for _ in range(40):
        scene.add(mc.TriangleMesh(*_SHAPES[0]))
    asked = scene.contacts if ask is mc.Scene.contacts else mc.motion.LiveContacts(scene).update
    told = []
    found = mc.run(mc.steps(asked), told.append)
    assert len(found if ask is mc.Scene.contacts else found.found) == 780
    assert all(0.0 <= one.fraction <= 1.0 for one in told)
    if ask is not mc.Scene.contacts:
        assert told[-1].text == "judging object pair 780 of 780"
