"""Octree sphere trees: every level covers the surface, and a search finds the pairs that a look at all pairs finds."""

import meshclash as mc
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from meshclash.lab.volumes.octree_spheres import meeting_spheres, octree_spheres
from strategies import rotation, soup

SEEDS = st.integers(0, 2**32 - 1)


def random_mesh(rng):
    count = int(rng.integers(1, 40))
    corners = rng.normal(size=(count, 1, 3)) + 10.0 ** rng.uniform(-3, 0) * rng.normal(size=(count, 3, 3))
    return mc.TriangleMesh(*soup(corners + rng.choice([0.0, 1e4])))


def random_pose(rng):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation(rng), rng.normal(size=3) * rng.choice([0.0, 0.5, 4.0])
    return pose


@given(SEEDS, st.integers(1, 24))
def test_every_level_covers_the_surface_and_lies_within_the_one_above(seed, resolution):
    rng = np.random.default_rng(seed)
    mesh = random_mesh(rng)
    tree = octree_spheres(mesh, resolution)
    weights = rng.dirichlet(np.ones(3), 60)
    points = (weights[:, None, :] @ mesh.vertices[mesh.triangles[rng.integers(mesh.triangle_count, size=60)]])[:, 0]
    for middles, radius in zip(tree.middles, tree.radii, strict=True):
        assert (np.linalg.norm(points[:, None] - middles, axis=2).min(axis=1) <= radius).all()
    for level, begins in enumerate(tree.begins):
        assert begins[0] == 0 and begins[-1] == len(tree.middles[level + 1]) and (np.diff(begins) > 0).all()
        parents = np.repeat(tree.middles[level], np.diff(begins), axis=0)
        assert (np.linalg.norm(tree.middles[level + 1] - parents, axis=1) < 0.51 * tree.radii[level]).all()


@given(SEEDS, st.integers(1, 12), st.integers(1, 12))
def test_a_search_finds_the_pairs_of_a_look_at_all(seed, resolution_a, resolution_b):
    rng = np.random.default_rng(seed)
    mesh_a, mesh_b, pose = random_mesh(rng), random_mesh(rng), random_pose(rng)
    a, b = octree_spheres(mesh_a, resolution_a), octree_spheres(mesh_b, resolution_b)
    pairs, _ = meeting_spheres(a, b, pose)
    turned = b.middles[-1] @ pose[:3, :3].T + pose[:3, 3]
    apart = np.linalg.norm(a.middles[-1][:, None] - turned, axis=2)
    expected = np.argwhere(apart <= a.radii[-1] + b.radii[-1])
    assert set(map(tuple, pairs.tolist())) == set(map(tuple, expected.tolist()))
    if mc.collides(mesh_a, mesh_b, None, pose):
        assert len(pairs)
