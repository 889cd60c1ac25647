"""The surface area builder: well-formed trees of bounded depth, and the same answers as any other builder."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.mesh_exactness import bumpy_sphere, random_poses


def soup(corners):
    """A mesh of separate triangles, corners (m, 3, 3)."""
    return mc.TriangleMesh(np.reshape(corners, (-1, 3)), np.arange(3 * len(corners)).reshape(-1, 3))


@pytest.mark.parametrize("leaf_size", [1, 2, 7, 8, 64])
@pytest.mark.parametrize("count", [1, 2, 8, 9, 64, 65, 300])
def test_trees_are_well_formed(count, leaf_size):
    mesh = soup(np.random.default_rng(count).normal(size=(count, 3, 3)))
    mc.lab.assert_well_formed(mc.build(mesh, split="sah", leaf_size=leaf_size))


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.sampled_from([1e-30, 1.0, 1e6, 1e29]))
def test_grids_with_many_equal_middles_are_well_formed(count, seed, scale):
    corners = np.random.default_rng(seed).integers(0, 3, (count, 3, 3)) * scale
    mc.lab.assert_well_formed(mc.build(soup(corners), split="sah", leaf_size=1))


def test_equal_triangles_are_halved():
    hierarchy = mc.build(soup(np.ones((256, 3, 3))), split="sah", leaf_size=1)
    mc.lab.assert_well_formed(hierarchy)
    assert hierarchy.tree.depth == 8


def test_triangles_that_shrink_towards_a_point_do_not_make_a_deep_tree():
    sizes = 0.25 ** np.arange(60)[:, None, None]
    hierarchy = mc.build(soup(np.repeat(np.eye(3)[None], 60, axis=0) * sizes), split="sah", leaf_size=1)
    mc.lab.assert_well_formed(hierarchy)
    assert hierarchy.tree.depth <= 64 + 6


def test_answers_are_those_of_the_morton_builder_with_fewer_volume_tests():
    rng = np.random.default_rng(5)
    mesh = mc.TriangleMesh(*bumpy_sphere(24)(rng))
    trees = {split: mc.build(mesh, split=split) for split in ("lbvh", "sah")}
    volume_tests = dict.fromkeys(trees, 0)
    for pose_a, pose_b in random_poses(rng, 40):
        found = {split: mc.collide(tree, tree, pose_a, pose_b) for split, tree in trees.items()}
        assert found["lbvh"].pairs.tobytes() == found["sah"].pairs.tobytes()
        assert found["lbvh"].kinds.tobytes() == found["sah"].kinds.tobytes()
        for split, contacts in found.items():
            volume_tests[split] += contacts.stats.volume_tests
    assert volume_tests["sah"] < volume_tests["lbvh"]
