"""Verdicts of small solids by ``shortcuts/prepared_verdict.py``: the same bytes as by ``judge.py``, in hard cases."""

import concurrent.futures

import meshclash as mc
import numpy as np
import pytest
from meshclash.jit import config
from meshclash.query.shortcuts.prepared_verdict import verdict_of_records
from meshclash.query.shortcuts.record import record_of
from meshclash.query.solvers import meshes
from meshclash.types.steps import UNANSWERED
from solids import box as box_arrays
from solids import joined, moved, sheet, shell, torus
from strategies import matrix, rotation
from verdict_cases import all_cases

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="uncompiled code has no records")
CASES = all_cases()


def fields(verdict):
    public = (name for name in verdict.__slots__ if not name.startswith("_"))
    return {name: (type(getattr(verdict, name)), getattr(verdict, name)) for name in public}


def prepared(*arrays):
    """Meshes with a record each."""
    meshes = [mc.TriangleMesh(*mesh) for mesh in arrays]
    for mesh in meshes:
        mc.collides(mesh, meshes[0])
    return meshes


class Ways:
    """Asks both ways and counts how often the shorter one told."""

    def __init__(self, monkeypatch):
        self._monkeypatch, self.told, self.left = monkeypatch, 0, 0

    def agree(self, a, b, pose_a=None, pose_b=None, **options):
        records = record_of(a), record_of(b)
        short = UNANSWERED if None in records else verdict_of_records(*records, pose_a, pose_b, **options)
        self.told, self.left = self.told + (short is not UNANSWERED), self.left + (short is UNANSWERED)
        found = mc.verdict(a, b, pose_a, pose_b, **options)
        with self._monkeypatch.context() as patch:
            patch.setattr(meshes, "verdict_of_records", lambda *question, **options: UNANSWERED)
            wanted = mc.run(mc.steps(mc.verdict, a, b, pose_a, pose_b, **options))
        assert fields(found) == fields(wanted)
        if short is not UNANSWERED:
            assert fields(short) == fields(wanted)
        return found.name


@pytest.fixture
def ways(monkeypatch):
    return Ways(monkeypatch)


@pytest.mark.slow
def test_every_constructed_case_has_the_same_verdict(ways):
    for case in CASES:
        if case.permitted_overlap == case.touch_tolerance == 0.0:
            a, b = prepared(case.a, case.b)
            for pair in ((a, b), (b, a), (b, a)):  # the second time pockets are known
                assert ways.agree(*pair) == case.verdict
    assert ways.told > 300 and ways.left > 50


@pytest.mark.slow
def test_random_poses_far_away_and_flush_have_the_same_verdict(ways):
    rng = np.random.default_rng(3)
    bodies = prepared(
        box_arrays((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)), torus(0.6, 0.25, 12, 6),
        box_arrays((-0.2, -0.2, -0.2), (0.2, 0.2, 0.2)), shell((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5), 0.1),
        joined(box_arrays((-0.5, -0.5, -0.5), (0, 0, 0)), box_arrays((0.25, 0.25, 0.25), (0.5, 0.5, 0.5))),
    )  # fmt: skip
    names = set()
    for k in range(400):
        a, b = (bodies[i] for i in rng.integers(0, len(bodies), 2))
        far = rng.normal(size=3) * (0.0, 1e3, 1e6)[k % 3]
        turn = rotation(rng) if k % 2 else np.eye(3)
        shift = rng.normal(size=3) * rng.choice([0.1, 0.4, 1.0])
        if k % 5 == 0:
            shift = np.round(2.0 * shift) / 2.0
        poses = matrix(np.eye(3), far), matrix(turn, far + shift)
        for depth in (True, False):
            names.add(ways.agree(a, b, *poses, depth=depth))
            ways.agree(b, a, *poses[::-1], depth=depth)
    assert names == {"APART", "TOUCHING", "CONTAINED", "DUPLICATE", "CLASH"}
    assert ways.told > 0.8 * (ways.told + ways.left)


def test_gaps_and_overlaps_of_one_ulp_have_the_same_verdict(ways):
    body, small = prepared(box_arrays((0, 0, 0), (1, 1, 1)), box_arrays((0, 0.25, 0.25), (0.5, 0.75, 0.75)))
    for at in (1.0, 1000.0, 2.0**20 + 1.0):
        origin = matrix(np.eye(3), (at - 1.0, 0.0, 0.0))
        for x in (np.nextafter(at, 0.0), at, np.nextafter(at, 2.0 * at)):
            wanted = "CLASH" if x < at else "TOUCHING" if x == at else "APART"
            for other in (body, small):
                assert ways.agree(body, other, origin, matrix(np.eye(3), (x, 0.0, 0.0))) == wanted
                assert ways.agree(other, body, matrix(np.eye(3), (x, 0.0, 0.0)), origin) == wanted
    assert ways.agree(body, small) == "CONTAINED"
    assert ways.agree(body, small, None, matrix(np.eye(3), (-1e-17, 0.0, 0.0))) == "CLASH"
    assert ways.told > ways.left


def test_what_is_rare_is_left(ways):
    body, other, open_one = prepared(
        box_arrays((0, 0, 0), (1, 1, 1)), moved(box_arrays((0, 0, 0), (1, 1, 1)), (0.5, 0.5, 0.5)),
        sheet((-1, -1), (2, 2), 0.5),
    )  # fmt: skip
    assert ways.agree(body, body) == "DUPLICATE"
    assert ways.agree(body, open_one) == "CLASH"
    assert ways.told == 0
    assert ways.agree(body, open_one, None, matrix(np.eye(3), (0.0, 0.0, 9.0))) == "APART"
    assert ways.told == 0
    assert ways.agree(body, other, depth=False) == "CLASH"
    assert ways.told == 1
    with pytest.raises(mc.InvalidPose):
        mc.verdict(body, other, None, np.full((4, 4), np.nan))
    with pytest.raises(mc.UnsupportedOption):
        mc.verdict(body, other, None, np.stack([np.eye(4)] * 2))


def test_a_refitted_hierarchy_is_looked_at_anew(ways):
    body = mc.TriangleMesh(*box_arrays((0, 0, 0), (1, 1, 1)))
    hierarchy = mc.build(body)
    shift = matrix(np.eye(3), (1.5, 0.0, 0.0))
    for _ in range(2):
        assert mc.verdict(hierarchy, body, None, shift).name == "APART"
    mc.refit(hierarchy, body.vertices * 2.0, in_place=True)
    for _ in range(2):
        assert mc.verdict(hierarchy, body, None, shift).name == "CLASH"


def test_verdicts_of_several_threads_do_not_mix():
    bodies = prepared(box_arrays((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)), torus(0.6, 0.25, 12, 6))
    rng = np.random.default_rng(5)
    poses = [matrix(rotation(rng), rng.normal(size=3) * 0.8) for _ in range(80)]

    def ask(_):
        return [fields(mc.verdict(*bodies, None, pose)) for pose in poses]

    wanted = ask(0)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(found == wanted for found in pool.map(ask, range(4)))
