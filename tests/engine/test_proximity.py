"""Distances and clearances of scenes: those of asking about every pair alone."""

import itertools
from functools import partial

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.geometry.triangle_distance import nearest_points
from meshclash.traversal import near_engine
from scene_editor import BOX, Editor
from solids import box, torus
from strategies import matrix, rotation

APART = mc.Verdict.APART


def pairwise(objects, permitted_overlap=0.0):
    """(a, b) -> (verdict, distance [m]) of all pairs, from meshes and poses alone."""
    found = {}
    for (i, (mesh_a, pose_a)), (j, (mesh_b, pose_b)) in itertools.combinations(sorted(objects.items()), 2):
        verdict = mc.verdict(mesh_a, mesh_b, pose_a, pose_b, permitted_overlap=permitted_overlap)
        distance = mc.distance(mesh_a, mesh_b, pose_a, pose_b).distance if verdict == APART else 0.0
        found[i, j] = verdict, distance
    return found


def corners(objects, identifier, triangle):
    mesh, pose = objects[identifier]
    return mc.Pose.from_matrix(pose).apply(mesh.vertices)[mesh.triangles[triangle]]


def assert_well_placed(gap, objects):
    """The points lie on the triangles that are named, and are as far apart as the pair is."""
    if gap.points is None:
        assert gap.verdict == mc.Verdict.CONTAINED and not len(gap.contacts)
        return
    size = 1.0 + float(np.abs(gap.points).max())
    assert np.linalg.norm(gap.points[0] - gap.points[1]) == pytest.approx(gap.gap, abs=1e-12 * size)
    for identifier, triangle, point in zip((gap.a, gap.b), gap.triangles, gap.points, strict=True):
        away, _ = nearest_points(np.repeat(point[None, None], 3, axis=1), corners(objects, identifier, triangle)[None])
        assert away[0] <= 1e-12 * size


def assert_distances(result, expected, objects):
    assert {(gap.a, gap.b) for gap in result.pairs} == set(expected)
    for gap in result.pairs:
        verdict, distance = expected[gap.a, gap.b]
        assert gap.verdict == verdict
        assert gap.gap == distance
        assert gap.verdict is verdict.verdict and (verdict != APART or not len(gap.contacts))
        assert_well_placed(gap, objects)
    severities = [gap.verdict.severity for gap in result.pairs]
    assert severities == sorted(severities, reverse=True)
    lengths = [gap.gap for gap in result.pairs if gap.verdict == APART]
    assert lengths == sorted(lengths)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.2]))
def test_distances_of_any_scene_are_those_of_its_pairs(seed, permitted_overlap):
    editor = Editor(np.random.default_rng(seed), own_trees=True)
    for _ in range(3):
        for _ in range(4):
            editor.step()
        found = editor.scene.distances(permitted_overlap=permitted_overlap)
        assert found.left_out == 0 and found.beyond == np.inf
        assert_distances(found, pairwise(editor.objects, permitted_overlap), editor.objects)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, 0.5, 3.0]))
def test_clearances_of_any_scene_are_those_of_its_pairs(seed, tolerance):
    editor = Editor(np.random.default_rng(seed))
    for _ in range(7):
        editor.add()
    objects = editor.objects
    expected = {pair: value for pair, value in pairwise(objects).items() if value[1] <= tolerance}
    found = editor.scene.clearances(tolerance)
    assert_distances(found, expected, objects)
    for gap in found.pairs:
        (mesh_a, pose_a), (mesh_b, pose_b) = objects[gap.a], objects[gap.b]
        if gap.verdict == APART:
            pairs = mc.clearance(mesh_a, mesh_b, tolerance, pose_a, pose_b).pairs
        else:
            pairs = mc.collide(mesh_a, mesh_b, pose_a, pose_b).pairs
        assert gap.near_a.tolist() == np.unique(pairs[:, 0]).tolist()
        assert gap.near_b.tolist() == np.unique(pairs[:, 1]).tolist()


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_only_farther_pairs_are_left_out(seed, most):
    rng = np.random.default_rng(seed)
    scene, objects = mc.Scene(), {}
    for _ in range(9):
        mesh = mc.TriangleMesh(*BOX)
        pose = matrix(rotation(rng), rng.choice([1.0, 40.0]) * rng.uniform(-3, 3, 3))
        objects[scene.add(mesh, pose)] = mesh, pose
    every = sorted(distance for _, distance in pairwise(objects).values())
    found = scene.distances(most=most)
    assert sorted(gap.gap for gap in found.pairs) == every[:most]
    assert found.left_out == len(every) - most
    assert found.beyond == every[most - 1]


def test_sets_and_rules_choose_among_all_pairs():
    scene = mc.Scene()
    ids = [scene.add(mc.TriangleMesh(*BOX), matrix(shift=(2.0 * k, 0, 0))) for k in range(5)]
    for ask in (scene.distances, partial(scene.clearances, 9.0)):
        chosen = ask(set_a=ids[:2], set_b=ids[1:3])
        assert {(gap.a, gap.b) for gap in chosen.pairs} == {(0, 1), (0, 2), (1, 2)}
        kept = ask(keep=lambda pairs: pairs.sum(axis=1) == 4)
        assert {(gap.a, gap.b) for gap in kept.pairs} == {(0, 4), (1, 3)}
    cut = scene.distances(most=1, keep=lambda pairs: pairs.sum(axis=1) % 2 == 0)
    assert (len(cut.pairs), cut.left_out) == (1, 3)
    with pytest.raises(mc.UnknownObject):
        scene.distances(set_a=[99])


def test_meshes_of_very_different_sizes_in_one_question():
    """A pair of triangles of one object pair names nothing in the next."""
    scene, objects = mc.Scene(), {}
    meshes = [mc.TriangleMesh(*torus(2, 0.5)), mc.TriangleMesh(*box((0, 0, 0), (0.1, 0.1, 0.1)))]
    for k in range(6):
        pose = matrix(shift=(7.0 * k, 0, 0))
        objects[scene.add(meshes[k % 2], pose)] = meshes[k % 2], pose
    assert_distances(scene.distances(), pairwise(objects), objects)


@pytest.mark.parametrize("count", [0, 1])
def test_no_pairs(count):
    scene = mc.Scene()
    for _ in range(count):
        scene.add(mc.TriangleMesh(*BOX))
    for found in (scene.distances(), scene.distances(most=3), scene.clearances(1.0)):
        assert found.pairs == [] and found.left_out == 0


def test_an_object_inside_another_is_at_no_distance():
    scene = mc.Scene()
    scene.add(mc.TriangleMesh(*box((0, 0, 0), (4, 4, 4))))
    scene.add(mc.TriangleMesh(*box((1, 1, 1), (1, 1, 1))))
    (gap,) = scene.clearances(0.0).pairs
    assert (gap.verdict, gap.gap, gap.points, gap.triangles) == (mc.Verdict.CONTAINED, 0.0, None, None)
    assert len(gap.near_a) == len(gap.near_b) == 0


def test_portions_hold_every_pair_once(monkeypatch):
    a, b = mc.TriangleMesh(*torus(2, 0.5)), mc.TriangleMesh(*torus(2, 0.5))
    pose = matrix(shift=(0.0, 0.0, 1.25))
    whole = mc.clearance(a, b, 0.5, pose_b=pose)
    scene = mc.Scene()
    scene.add(a)
    scene.add(b, pose)
    (gap,) = scene.clearances(0.5).pairs
    monkeypatch.setattr(near_engine, "_CHUNK", 64)
    parted = mc.clearance(a, b, 0.5, pose_b=pose)
    assert len(whole) > 1000
    assert np.array_equal(whole.pairs, parted.pairs) and np.array_equal(whole.distances, parted.distances)
    (again,) = scene.clearances(0.5).pairs
    assert np.array_equal(gap.near_a, again.near_a) and np.array_equal(gap.near_b, again.near_b)


def test_closing_leaves_the_scene_as_it_was():
    scene = mc.Scene()
    for shift in (0.0, 0.5, 2.0, 4.0):
        scene.add(mc.TriangleMesh(*BOX), matrix(shift=(shift, 0, 0)))
    whole = [gap.gap for gap in scene.distances().pairs]
    for make in (lambda scene: mc.steps(scene.distances), lambda scene: mc.steps(scene.clearances, 9.0)):
        fractions = [step.fraction for step in make(scene)]
        assert len(fractions) > 1 and fractions == sorted(fractions) and fractions[-1] <= 1.0
        for count in range(1, len(fractions)):
            steps = make(scene)
            for _ in range(count):
                next(steps)
            steps.close()
        assert [gap.gap for gap in scene.distances().pairs] == whole


@pytest.mark.parametrize("tolerance", [-1.0, float("nan"), float("inf"), "wide"])
def test_wrong_tolerances_are_refused(tolerance):
    with pytest.raises(mc.UnsupportedOption, match="tolerance"):
        mc.Scene().clearances(tolerance)


@pytest.mark.parametrize("most", [0, -1, True, 1.5, "all"])
def test_wrong_numbers_of_pairs_are_refused(most):
    with pytest.raises(mc.UnsupportedOption, match="most"):
        mc.Scene().distances(most=most)


def test_sets_that_can_be_read_once_are_sets():
    scene = mc.Scene()
    cube = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    for k in range(6):
        scene.add(cube, matrix(shift=(10.0 * k, 0, 0)))
    expected = scene.distances(most=2, set_a=[0, 1], set_b=[3, 4, 5])
    found = scene.distances(most=2, set_a=iter([0, 1]), set_b=iter([3, 4, 5]))
    assert [(gap.a, gap.b, gap.gap) for gap in found.pairs] == [(g.a, g.b, g.gap) for g in expected.pairs]
    assert (found.left_out, found.beyond) == (expected.left_out, expected.beyond)
    assert expected.left_out == 4


def test_functions_ask_about_surfaces_and_scenes_about_solids():
    """What the first lines of their docstrings say."""
    room, inner = mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2))), mc.TriangleMesh(*box((0.5, 0.5, 0.5), (1.5, 1.5, 1.5)))
    scene = mc.Scene()
    scene.add(room)
    scene.add(inner)
    assert not mc.collides(room, inner) and scene.collides() and mc.verdict(room, inner) == mc.Verdict.CONTAINED
    assert mc.distance(room, inner).distance == 0.5 and scene.distances().pairs[0].gap == 0.0
    assert len(mc.clearance(room, inner, 0.25)) == 0 and scene.clearances(0.25).pairs[0].gap == 0.0
    for asked, word in ((mc.collides, "surfaces"), (mc.distance, "surfaces"), (mc.clearance, "surfaces")):
        assert word in asked.__doc__.split("\n")[0]
    for asked in (mc.Scene.collides, mc.Scene.distances, mc.Scene.clearances):
        assert "solids" in asked.__doc__.split("\n")[0]
