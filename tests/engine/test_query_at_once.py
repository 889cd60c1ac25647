"""Contacts of two meshes at once (``query/shortcuts``): the bytes and counters of a question that is asked."""

from concurrent.futures import ThreadPoolExecutor

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.answering.answer import answer_steps
from meshclash.jit import config
from meshclash.query.operands import question_about
from meshclash.query.shortcuts import prepared_contacts
from meshclash.query.shortcuts.kernels import REFUSED
from meshclash.query.shortcuts.record import records_of
from meshclash.query.shortcuts.workspace import PairWorkspace
from meshclash.query.shortcuts.workspace_pool import WorkspacePool
from meshclash.types.pose import matched_poses
from meshclash.types.steps import run
from solids import box, refined, torus
from strategies import grid_meshes, matrix, poses, rotation

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="uncompiled code has no records")
RING = mc.TriangleMesh(*refined(torus(1.0, 0.4), 1))
BESIDE = matrix(shift=(0.9, 0.0, 0.2))


def asked(a, b, pose_a, pose_b, crossing_only, threads=1):
    rows_a, rows_b, _ = matched_poses(pose_a, pose_b)
    question, _ = question_about(a, b, (rows_a, rows_b), None, crossing_only=crossing_only, threads=threads)
    return run(answer_steps(question))


def told(a, b, pose_a, pose_b, crossing_only, threads=1):
    records = records_of(a, b, None)
    found = prepared_contacts.contacts_of_records(*records, pose_a, pose_b, touching=not crossing_only, threads=threads)
    assert found is not None
    stats = found.stats
    return found.pairs, found.kinds, found.pose, stats.volume_tests, stats.primitive_tests, stats.exact_tests


def assert_same(one, other):
    for x, y in zip(one[:3], other[:3], strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
    assert one[3:6] == other[3:6]


@pytest.fixture
def little_room(monkeypatch):
    """Workspaces that stop soon: after some steps, or with room for few contacts."""

    def give(steps, most):
        monkeypatch.setattr(prepared_contacts, "_spare", WorkspacePool(lambda: PairWorkspace(most)))
        monkeypatch.setattr(prepared_contacts, "STEPS", steps)
        monkeypatch.setattr(prepared_contacts, "STEPS_ALONE", steps)

    return give


@given(grid_meshes(), grid_meshes(), poses(), poses(), st.booleans())
def test_small_meshes(one, other, pose_a, pose_b, crossing_only):
    """Vertices of a grid: they touch, coincide, and need exact predicates."""
    a, b = mc.TriangleMesh(*one), mc.TriangleMesh(*other)
    assert_same(told(a, b, pose_a, pose_b, crossing_only), asked(a, b, pose_a, pose_b, crossing_only))


@pytest.mark.parametrize("steps", [1, 2, 3, 17, 400, 1 << 14])
@pytest.mark.parametrize("most", [1, 70, 1 << 15])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_engine_goes_on_from_any_step_and_any_number_of_contacts(steps, most, threads, little_room):
    little_room(steps, most)
    for crossing_only in (False, True):
        expected = asked(RING, RING, None, BESIDE, crossing_only)
        assert len(expected.kinds) > 300
        assert_same(told(RING, RING, None, BESIDE, crossing_only, threads), expected)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_one_workspace_for_many_questions(seed):
    """What the question before left in it changes nothing."""
    rng = np.random.default_rng(seed)
    for _ in range(4):
        pose_a, pose_b = (
            matrix(rotation(rng), rng.uniform(-0.8, 0.8, 3)) if rng.random() < 0.7 else None for _ in "ab"
        )
        crossing_only = bool(rng.integers(2))
        assert_same(told(RING, RING, pose_a, pose_b, crossing_only), asked(RING, RING, pose_a, pose_b, crossing_only))


def test_what_was_found_stays_when_the_next_question_is_asked():
    first = mc.collide(RING, RING, None, BESIDE)
    kept = first.pairs.copy(), first.kinds.copy(), first.segments()
    mc.collide(RING, RING, None, matrix(shift=(0.5, 0.1, 0.0)))
    assert (first.pairs == kept[0]).all() and (first.kinds == kept[1]).all() and (first.segments() == kept[2]).all()


def test_bad_poses_are_refused_as_ever():
    cube = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    mc.collide(cube, cube)
    for pose in (2.0 * np.eye(4), np.full((4, 4), np.nan), np.diag([-1.0, 1.0, 1.0, 1.0]), "above", np.eye(2)):
        for given_poses in ((pose, None), (None, pose)):
            with pytest.raises(mc.InvalidPose):
                mc.collide(cube, cube, *given_poses)
    with pytest.raises(mc.UnsupportedOption):
        mc.collide(cube, cube, touching="yes")


def test_it_is_what_collide_takes_for_prepared_meshes(monkeypatch):
    """And for hierarchies, of boxes only; a stack is a question."""
    used, find = [], PairWorkspace.find

    def counted(*given):
        answer = find(*given)
        used.extend([answer] if answer != REFUSED else [])
        return answer

    monkeypatch.setattr(PairWorkspace, "find", counted)
    mc.collide(RING, RING, None, BESIDE)
    mc.collide(mc.build(RING), RING, None, BESIDE, engine="hierarchies")
    assert len(used) == 2
    mc.collide(RING, RING, None, np.stack([BESIDE]))
    mc.collide(RING, RING, None, BESIDE, volume="obb")
    mc.collide(RING, RING, None, BESIDE, engine="voxels")
    assert len(used) == 2


def test_a_refitted_hierarchy_is_asked_as_it_is_now():
    tree = mc.build(mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1))))
    other = mc.TriangleMesh(*box((2, 0, 0), (3, 1, 1)))
    assert len(mc.collide(tree, other)) == 0
    mc.refit(tree, tree.mesh.arrays[0] + (1.5, 0.0, 0.0), in_place=True)
    found = mc.collide(tree, other)
    assert len(found) and found.stats.updated_nodes > 0
    assert mc.collide(tree, other).stats.updated_nodes == 0


def test_threads_of_python_have_workspaces_of_their_own():
    angles = np.linspace(0.1, 1.2, 64)
    moves = [matrix(shift=(angle, 0.1, 0.0)) for angle in angles]
    expected = [asked(RING, RING, None, move, False) for move in moves]
    with ThreadPoolExecutor(4) as pool:
        for found, right in zip(
            pool.map(lambda move: told(RING, RING, None, move, False), moves), expected, strict=True
        ):
            assert_same(found, right)
