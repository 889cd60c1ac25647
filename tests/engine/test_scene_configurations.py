"""``Scene.any`` and distances of configurations: answers of ``collides``, and of a scene whose objects are moved."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.broadphase.matrix import CollisionMatrix
from scene_editor import Editor
from solids import box
from strategies import matrix, rotation

seeds = st.integers(0, 2**32 - 1)
CUBE = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))


@settings(max_examples=40)
@given(seeds)
def test_any_is_whether_a_pair_collides(seed):
    editor = Editor(np.random.default_rng(seed))
    for _ in range(5):
        editor.add()
    for _ in range(4):
        editor.step()
        scene, ids = editor.scene, list(editor.scene)
        for _ in range(2):  # the second time in the short way
            assert scene.any() is bool(scene.collides())
        if ids:
            assert scene.any(set_a=ids[:1]) is bool(scene.collides(set_a=ids[:1]))
        rules = CollisionMatrix()
        for pair in scene.collides().pairs.tolist()[::2]:
            rules.set_pair(*pair, False)
        assert scene.any(keep=rules) is bool(scene.collides(keep=rules))


@pytest.mark.parametrize("count", [3, 200])
def test_any_follows_what_moves_and_stops(count):
    scene = mc.Scene()
    for k in range(count):
        scene.add(CUBE, matrix(shift=(3.0 * k, 0, 0)))
    assert scene.any() is False and scene.any() is False
    scene.set_pose(1, matrix(shift=(0.5, 0, 0)))
    asked = []

    def keep(pairs):
        asked.append(len(pairs))
        return np.ones(len(pairs), bool)

    assert scene.any() is True and scene.any(keep=keep) is True
    assert scene.any(np.stack([[matrix(shift=(0.5, 0, 0))], [matrix(shift=(0, 5, 0))]]), [1]).tolist() == [True, False]
    scene.set_pose(1, matrix(shift=(0, 5, 0)))
    assert scene.any() is False
    assert mc.Scene().any() is False


@settings(max_examples=25)
@given(seeds, st.sampled_from([None, 1, 2]))
def test_distances_of_configurations_are_those_of_the_scene(seed, most):
    rng = np.random.default_rng(seed)
    scene = mc.Scene()
    for _ in range(4):
        scene.add(CUBE, matrix(rotation(rng), rng.uniform(-2, 2, 3)))
    poses = np.array([[matrix(rotation(rng), rng.uniform(-2, 2, 3)) for _ in range(2)] for _ in range(3)])
    found = scene.distances(most, poses=poses, movers=[1, 3])
    assert found.least.shape == (3,) and len(found) == 3 * (6 if most is None else most)
    for k, moved in enumerate(poses):
        scene.set_poses([1, 3], moved)
        expected = {(g.a, g.b): g.gap for g in scene.distances(depth=False)}
        own = found.configuration == k
        gaps = found.distance[own]
        assert gaps.tolist() == sorted(gaps.tolist())
        assert gaps == pytest.approx(sorted(expected.values())[: len(gaps)], abs=1e-12)
        assert found.least[k] == gaps[0]
        for pair, gap, (p, q) in zip(found.pairs[own].tolist(), gaps, found.points[own], strict=True):
            assert gap == pytest.approx(expected[tuple(pair)], abs=1e-12)
            assert np.isnan(p).all() if gap == 0.0 else np.linalg.norm(p - q) == pytest.approx(gap, abs=1e-12)


def test_configurations_of_clouds_are_not_measured():
    scene = mc.Scene()
    scene.add(mc.clouds.PointCloud(np.random.default_rng(1).uniform(0, 1, (100, 3))))
    with pytest.raises(mc.UnsupportedOption, match="meshes only"):
        scene.distances(poses=np.eye(4)[None])
    assert scene.any() is False
