"""The short way of ``Scene.distances`` against the long one."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.types.steps import UNANSWERED
from solids import box, torus
from strategies import matrix, rotation

SHAPES = [mc.TriangleMesh(*torus(1.0, 0.3, 12, 8)), mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1))), mc.shapes.sphere(0.5)]


def told(gaps):
    return (
        [(g.a, g.b, g.name_a, g.gap, g.verdict, g.triangles, g.near_a.tolist(), g.near_b.tolist()) for g in gaps],
        [g.points.tolist() for g in gaps], [g.location.tolist() for g in gaps], [len(g.contacts) for g in gaps],
        gaps.left_out, gaps.beyond, gaps.to_dicts(), len(gaps.unanswered),
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(0, 14), most=st.sampled_from((None, 1, 3)))
def test_both_ways_tell_the_same(seed, count, most):
    rng = np.random.default_rng(seed)
    scene, reach = mc.Scene(), rng.choice((2.0, 4.0, 8.0))
    keys = [scene.add(SHAPES[rng.integers(3)], name=f"part {k}" if k % 2 else None) for k in range(count)]
    scene.any()
    for _ in range(2):
        for key in keys:
            scene.set_pose(key, matrix(rotation(rng), rng.uniform(-reach, reach, 3)))
        short, long = scene.distances(most), mc.run(mc.steps(scene.distances, most))
        if len(short) and short[-1].verdict == mc.Verdict.APART == short[0].verdict:
            assert told(short) == told(long)
        assert [g.gap for g in short] == [g.gap for g in long]


def test_the_short_way_is_taken_and_follows_edits():
    scene = mc.Scene()
    fixed, moved = scene.add(SHAPES[1]), scene.add(SHAPES[1], matrix(shift=(3, 0, 0)))
    scene.any()
    for gap in (2.0, 0.5, 4.0):
        scene.set_pose(moved, matrix(shift=(1 + gap, 0, 0)))
        assert scene._distances_at_once()[0].gap == scene.distances(depth=False)[0].gap == gap
    scene.set_pose(moved, matrix(shift=(0.5, 0, 0)))
    assert scene._distances_at_once() is UNANSWERED and scene.distances()[0].verdict == mc.Verdict.CLASH
    scene.set_pose(moved, matrix(shift=(3, 0, 0)))
    scene.set_vertices(fixed, 0.5 * SHAPES[1].vertices)
    assert scene.distances()[0].gap == 2.5
    with pytest.raises(mc.UnsupportedOption):
        scene.distances(0)
    with pytest.raises(mc.UnsupportedOption):
        scene.distances(depth="deep")
