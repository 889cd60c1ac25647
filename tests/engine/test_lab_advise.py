"""``advise`` measures what it says it measures."""

import meshclash as mc
import numpy as np
import pytest
from solids import moved, torus
from strategies import matrix


def test_candidates_are_those_asked_for_and_sorted():
    a, b = mc.TriangleMesh(*torus(2, 0.6)), mc.TriangleMesh(*moved(torus(2, 0.6), (2.3, 0.4, 0.3)))
    poses = np.stack([matrix(shift=(x, 0, 0)) for x in (0.0, 0.1)])
    advice = mc.lab.advise(a, b, None, poses, volumes=["aabb", "sphere"], splits=["lbvh", "median"])
    names = {(c.volume, c.split) for c in advice.candidates}
    assert names == {(v, s) for v in ("aabb", "sphere") for s in ("lbvh", "median")}
    times = [c.query_seconds for c in advice.candidates]
    assert times == sorted(times)
    assert advice.best is advice.candidates[0]
    assert advice.best_once in advice.candidates
    for c in advice.candidates:
        trees = [mc.build(mesh, c.volume, c.split) for mesh in (a, b)]
        stats = mc.collide(*trees, None, poses).stats
        assert (c.volume_tests, c.primitive_tests) == (stats.volume_tests / 2, stats.primitive_tests / 2)
        assert c.bytes_per_triangle > 4.0
    assert str(advice).count("\n") == 4


def test_slices_measure_the_same_and_tell_how_far_they_are():
    a, b = mc.TriangleMesh(*torus(2, 0.6)), mc.TriangleMesh(*moved(torus(2, 0.6), (2.3, 0.4, 0.3)))
    steps, told = mc.steps(mc.lab.advise, a, b, volumes=["aabb", "sphere"], splits=["median"]), []
    while True:
        try:
            told.append(next(steps))
        except StopIteration as done:
            advice = done.value
            break
    fractions = [progress.fraction for progress in told]
    assert fractions == sorted(fractions) and fractions[0] >= 0.0 and fractions[-1] <= 1.0
    assert list(dict.fromkeys(progress.text for progress in told)) == [
        "trying aabb by median",
        "trying sphere by median",
    ]
    at_once = mc.lab.advise(a, b, volumes=["aabb", "sphere"], splits=["median"])
    counts = [{c.volume: (c.volume_tests, c.primitive_tests) for c in found.candidates} for found in (advice, at_once)]
    assert counts[0] == counts[1]


def test_bad_requests_are_named():
    a = mc.TriangleMesh(*torus(2, 0.6))
    with pytest.raises(mc.UnsupportedOption, match="expected one of"):
        mc.lab.advise(a, a, volumes=["egg"])
    with pytest.raises(mc.UnsupportedOption, match="at least one"):
        mc.lab.advise(a, a, volumes=[])
    with pytest.raises(mc.UnsupportedOption, match="split 'best'"):
        mc.lab.advise(a, a, volumes=["aabb"], splits=["best"])
    for wrong in ({"volumes": "aabb"}, {"splits": "sah"}, {"volumes": 3}):
        with pytest.raises(mc.UnsupportedOption, match="must be a list of names"):
            mc.lab.advise(a, a, **wrong)
    with pytest.raises(mc.InvalidMesh, match="TriangleMesh"):
        mc.lab.advise(mc.build(a), a)


def test_bad_requests_are_refused_before_anything_is_built(monkeypatch):
    a = mc.TriangleMesh(*torus(2, 0.6))
    monkeypatch.setattr("meshclash.lab.advice.build", None)
    with pytest.raises(mc.UnsupportedOption, match="split 'best'"):
        mc.lab.advise(a, a, volumes=["aabb"], splits=["sah", "best"])
    with pytest.raises(mc.InvalidPose):
        mc.lab.advise(a, a, np.eye(3))


@pytest.mark.parametrize("corners", [np.eye(3), np.zeros((3, 3))])
def test_one_triangle_and_open_meshes_get_advice(corners):
    a, far = mc.TriangleMesh(corners, [[0, 1, 2]]), matrix(shift=(9, 9, 9))
    for pose in (None, far):
        advice = mc.lab.advise(a, a, None, pose, volumes=["aabb", "boxtree"], splits=["sah"])
        assert len(advice.candidates) == 2
        assert all(c.bytes_per_triangle > 0.0 and c.query_seconds >= 0.0 for c in advice.candidates)
