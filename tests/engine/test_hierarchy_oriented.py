"""Oriented boxes beside boxes: they contain their triangles, lose no contact, and come with use and go with refits."""

import copy
import pickle
from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy.oriented import STEPS_TO_ORIENT, oriented_boxes_of, orients_at
from meshclash.types.pose import transform_points
from meshclash.volumes import obb
from oracles.mesh_exactness import brute_force
from strategies import grid_meshes, matrix, poses, rotation

pytestmark = pytest.mark.needs_jit
seeds = st.integers(0, 2**32 - 1)


def fan(rng, n):
    """A disc, flat or a cone, in triangles around one corner of it or around its middle."""
    angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, n))
    rim = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(n)])
    height = rng.choice([0.0, 0.3])
    if rng.random() < 0.5:
        return rim, np.array([(0, i, i + 1) for i in range(1, n - 1)])
    return np.vstack([rim, [[0.0, 0.0, height]]]), np.array([(n, i, (i + 1) % n) for i in range(n)])


def lathe(rng, n):
    """Long strips around an axis, of two or three radii."""
    angles = np.arange(n) * 2.0 * np.pi / n
    levels = np.linspace(-1.0, 1.0, rng.integers(2, 4))
    rings = [r * np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]) for r in rng.uniform(0.1, 0.5, 3)]
    vertices = np.vstack([ring + np.array([0.0, 0.0, z]) for ring, z in zip(rings, levels, strict=False)])
    strips = [(k * n + i, k * n + (i + 1) % n) for k in range(len(levels) - 1) for i in range(n)]
    return vertices, np.array([t for i, j in strips for t in ((i, j, i + n), (j, j + n, i + n))])


def slivers(rng, n):
    """Long thin triangles anywhere, some without area."""
    ends = rng.normal(size=(n, 2, 3))
    third = ends[:, 0] + rng.choice([0.0, 1e-9, 1e-3, 0.1], (n, 1)) * rng.normal(size=(n, 3))
    return np.stack([ends[:, 0], ends[:, 1], third], axis=1).reshape(-1, 3), np.arange(3 * n).reshape(-1, 3)


def hierarchies(seed):
    """Two hierarchies with long thin triangles, turned and scaled, and a pose of the second one."""
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.choice([-30.0, -3.0, 0.0, 0.0, 6.0, 15.0])
    made = []
    for kind in rng.choice([fan, lathe, slivers], 2):
        vertices, triangles = kind(rng, int(rng.integers(20, 70)))
        turn = rotation(rng) if rng.random() < 0.7 else np.eye(3)
        offset = rng.choice([0.0, 0.0, 100.0]) * rng.normal(size=3)
        made.append(mc.build(mc.TriangleMesh(scale * (vertices @ turn.T + offset), triangles)))
    middles = [tree.mesh.bounds.mean(axis=0) for tree in made]
    loose = np.eye(3) + rng.choice([0.0, 1e-5]) * rng.uniform(-1.0, 1.0, (3, 3))
    turn = (rotation(rng) if rng.random() < 0.7 else np.eye(3)) @ loose
    return *made, matrix(turn, middles[0] - turn @ middles[1] + scale * rng.choice([0.0, 0.3]) * rng.normal(size=3))


def contacts(a, b, pose, **options):
    found = mc.collide(a, b, None, pose, device="cpu", **options)
    return found.pairs.tolist(), found.kinds.tolist()


def all_contacts(a, b, pose):
    """Pairs and kinds of all pairs of triangles, by another kind of arithmetic."""
    worlds = [
        transform_points(p[:3], tree.mesh.vertices)[tree.mesh.triangles] for tree, p in ((a, np.eye(4)), (b, pose))
    ]
    return tuple(part.tolist() for part in brute_force(*worlds)[1:])


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([(True, True), (True, False), (False, True)]))
def test_contacts_are_those_of_all_pairs(seed, oriented):
    *trees, pose = hierarchies(seed)
    for tree, wanted in zip(trees, oriented, strict=True):
        if wanted:
            oriented_boxes_of(tree.parts)
    expected = all_contacts(*trees, pose)
    assert contacts(*trees, pose) == expected
    assert mc.collides(*trees, pose_b=pose) == (len(expected[0]) > 0)


@settings(max_examples=40, deadline=None)
@given(grid_meshes(40), grid_meshes(40), poses())
def test_degenerate_meshes_keep_their_contacts(a, b, pose):
    trees = [mc.build(mc.TriangleMesh(*mesh)) for mesh in (a, b)]
    for tree in trees:
        oriented_boxes_of(tree.parts)
    assert contacts(*trees, pose) == all_contacts(*trees, pose)


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_boxes_contain_their_triangles_exactly(seed):
    tree = hierarchies(seed)[0]
    boxes, wide, order = oriented_boxes_of(tree.parts), tree.wide, tree.tree.order
    origin = [Fraction(float(x)) for x in tree.origin]
    words = wide.nodes.view(np.int32)

    def check(node):
        below = []
        for k in range(words[node, 56]):
            child = int(words[node, 48 + k])
            own = order[~child >> 3 :][: (~child & 7) + 1].tolist() if child < 0 else check(child)
            volume = [Fraction(float(x)) for x in boxes[node, k::8]]
            for corner in tree.mesh.vertices[np.unique(tree.mesh.triangles[own])]:
                assert obb.contains(volume, *(Fraction(float(x)) - o for x, o in zip(corner, origin, strict=True)))
            below += own
        return below

    assert sorted(check(len(words) - 1)) == list(range(tree.mesh.triangle_count))


def disc(n, seed=1):
    """A disc whose triangles all share a corner on the rim."""
    angles = np.arange(n) * 2.0 * np.pi / n
    radius = 1.0 + 0.001 * np.random.default_rng(seed).random(n)
    rim = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), 0.1 * np.cos(3 * angles)])
    return mc.TriangleMesh(rim, [(0, i, i + 1) for i in range(1, n - 1)])


TURNED = matrix(rotation(np.random.default_rng(5)), (0.3, 0.2, 0.1))


def test_a_query_with_much_work_fits_them_on_the_way():
    tree = mc.build(disc(3000))
    assert not tree.is_oriented
    plain = mc.collide(tree.mesh, tree.mesh, None, TURNED, volume="aabb")
    found = mc.collide(tree, tree, None, TURNED)
    assert tree.is_oriented
    assert found.pairs.tolist() == plain.pairs.tolist() and len(found) > 0
    assert mc.collide(tree, tree, None, TURNED).stats.volume_tests < plain.stats.volume_tests / 4


@pytest.mark.parametrize("query", [mc.collide, mc.collides])
def test_short_queries_add_up(query):
    tree, pose = mc.build(mc.shapes.sphere(1.0)), matrix(shift=(1.0, 0.2, 0.3))
    for _ in range(10_000):
        if tree.is_oriented:
            break
        query(tree, tree, None, pose)
    assert tree.is_oriented
    assert tree.parts.usage.steps >= STEPS_TO_ORIENT * tree.mesh.triangle_count


def test_boxes_that_were_asked_for_stay_boxes():
    for options in ({"volume": "aabb"}, {"volume": "obb"}, {"volume": "aabb", "leaf_size": 16}):
        tree = mc.build(disc(1500), **options)
        mc.collide(tree, tree, None, TURNED)
        assert not tree.is_oriented and orients_at(tree.parts) == np.inf


def test_a_refit_drops_them_and_its_answers_are_those_of_a_new_tree():
    tree = mc.build(disc(1500))
    oriented_boxes_of(tree.parts)
    moved = tree.mesh.vertices * (1.0, 0.4, 2.0) + 0.01 * np.sin(tree.mesh.vertices[:, [1, 2, 0]])
    fresh = contacts(mc.TriangleMesh(moved, tree.mesh.triangles), tree.mesh, TURNED, volume="aabb")
    for in_place in (False, True):
        refitted = mc.refit(tree, moved, in_place)
        assert not refitted.is_oriented
        assert contacts(refitted, disc(1500), TURNED) == fresh
        oriented_boxes_of(refitted.parts)
        assert contacts(refitted, disc(1500), TURNED) == fresh


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))])
def test_copies_find_the_same(copied):
    tree = mc.build(disc(1500))
    before = contacts(tree, tree, TURNED)
    again = copied(tree)
    assert contacts(again, again, TURNED) == contacts(again, tree, TURNED) == before


def test_scenes_and_distances_use_trees_that_have_them():
    tree = mc.build(disc(1500))
    far = matrix(rotation(np.random.default_rng(3)), (0.0, 0.0, 4.0))
    before = mc.distance(tree, tree, None, far).distance, contacts(tree, tree, TURNED)
    oriented_boxes_of(tree.parts)
    scene = mc.Scene()
    for pose in (None, TURNED, far):
        scene.add(tree, pose)
    found = scene.contacts()
    assert mc.distance(tree, tree, None, far).distance == before[0]
    assert len(found) == 1 and len(found[0].contacts.pairs) == len(before[1][0])


def test_several_threads_find_the_same():
    a, b = (mc.build(disc(20_000)) for _ in range(2))
    assert contacts(a, a, TURNED, threads=1) == contacts(b, b, TURNED, threads=2)
