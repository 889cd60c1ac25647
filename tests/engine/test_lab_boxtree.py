"""Restricted boxtrees: eight bytes a node, boxes derived on the way down that are those one would compute directly."""

from functools import cache

import meshclash as mc
import numpy as np
import pytest
from coinciding_points import coinciding_points
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.geometry.relative_pose import relative_rows
from meshclash.hierarchy.build import SPLITS
from meshclash.jit import kernel
from meshclash.lab.volumes import boxtree_nodes as builder
from meshclash.lab.volumes.boxtree import DERIVED, ROOT, begin, derive, gap, nodes_of, overlap
from meshclash.lab.volumes.boxtree_nodes import references, restricted_boxes
from meshclash.traversal.forest import pack_trees
from oracles.mesh_generators import bumpy_sphere, machined_part, scan
from solids import torus
from strategies import grid_meshes, matrix, rotation, soup

RING = mc.TriangleMesh(*torus(2, 0.5))


@kernel
def _walk(forest_a, forest_b, relative, choices, carried, met, gaps):
    """Descend two trees side by side; row k of the results is what is carried after k choices."""
    begin(forest_a.volumes, 0, forest_b.volumes, 0, relative, carried)
    nodes_a, nodes_b = nodes_of(forest_a), nodes_of(forest_b)
    met[0], gaps[0] = overlap(carried[0, 0], carried[0, 1], relative), gap(carried[0, 0], carried[0, 1], relative)
    for k in range(choices.shape[0]):
        into_a, into_b = choices[k, 0] >= 0, choices[k, 1] >= 0
        derive(
            nodes_a, 0, choices[k, 0], into_a, nodes_b, 0, choices[k, 1], into_b, relative, carried, k, k + 1,
        )  # fmt: skip
        a, b = carried[k + 1]
        met[k + 1], gaps[k + 1] = overlap(a, b, relative), gap(a, b, relative)


def walk(a, b, relative, choices):
    """(carried rows (k, 2, 12), overlaps, gaps) at the roots and after each choice (k - 1, 2), -1: stay."""
    carried = np.full((len(choices) + 1, 2, DERIVED.carried), np.nan)
    met, gaps = np.zeros(len(carried), np.bool_), np.zeros(len(carried))
    _walk(
        pack_trees([a]).forest,
        pack_trees([b]).forest,
        relative,
        np.array(choices, np.int64).reshape(-1, 2),
        carried,
        met,
        gaps,
    )
    return carried, met, gaps


MESHES = ("ring", "needles", "far", "flat")


@cache
def meshes():
    rng = np.random.default_rng(5)
    needles = np.repeat(rng.normal(size=(30, 1, 3)), 3, axis=1) + rng.normal(size=(30, 3, 3)) * (1e-9, 3.0, 1e-4)
    far = np.array((1e6, -1e6, 1e3)) + rng.normal(size=(40, 3, 3))
    flat = rng.normal(size=(40, 3, 3)) * (1.0, 1.0, 0.0)
    soups = (mc.TriangleMesh(*soup(corners)) for corners in (needles, far, flat))
    every = zip(MESHES, (RING, *soups), strict=True)
    return {name: mc.build(mesh, volume="boxtree") for name, mesh in every}


def relative_row(a, b, row_a, row_b):
    """The row of two hierarchies in poses (3, 4)."""
    origins = (h.origin[None] for h in (a, b))
    reaches = (np.abs(h.mesh.bounds).max(axis=0)[None] for h in (a, b))
    return relative_rows(row_a[None].copy(), row_b[None].copy(), *origins, *reaches)[0]


STILL = np.eye(4)[:3]


def end_of_singles(row, first, number):
    while number[row] == 1:
        row = int(first[row])
    return row


def random_descent(rng, a, b):
    """Choices down to two leaves, and the nodes reached (with single children) after each."""
    trees = [references(h.volumes) for h in (a, b)]
    at = [ROOT, ROOT]
    choices, reached = [], [(ROOT, ROOT)]
    while True:
        inner = [side for side in range(2) if trees[side][1][at[side]] == 2]
        if not inner:
            return choices, reached
        side = int(rng.choice(inner))
        child = int(trees[side][0][at[side]]) + int(rng.integers(2))
        choices.append([child if s == side else -1 for s in range(2)])
        at[side] = end_of_singles(child, *trees[side])
        reached.append(tuple(at))


def projected(box, turn, shift):
    """The extent of a box (6,) along the axes that the rows of ``turn`` are, directly."""
    middle, half = 0.5 * (box[:3] + box[3:]), 0.5 * (box[3:] - box[:3])
    return np.concatenate([turn @ middle + shift - np.abs(turn) @ half, turn @ middle + shift + np.abs(turn) @ half])


@pytest.mark.slow
@pytest.mark.parametrize("first", MESHES)
@pytest.mark.parametrize("second", ["ring", "needles"])
def test_what_is_carried_is_what_one_would_compute(first, second):
    """Boxes exactly; extents enclose the direct ones, and are within 1e-12 of the size of it all, at every depth."""
    a, b = meshes()[first], meshes()[second]
    boxes = [restricted_boxes(h.volumes).astype(float) for h in (a, b)]
    rng = np.random.default_rng(3)
    for _ in range(60):
        pose = matrix(rotation(rng), rng.normal(size=3) * 2.0)
        row = relative_row(a, b, STILL, pose[:3])
        choices, reached = random_descent(rng, a, b)
        carried, _, _ = walk(a, b, row, choices)
        for (node_a, node_b), (own_a, own_b) in zip(reached, carried, strict=True):
            for node, own, every, at in ((node_a, own_a, boxes[0], 15), (node_b, own_b, boxes[1], 0)):
                assert (own[:6] == every[node]).all()
                turn, shift, slack = row[at : at + 9].reshape(3, 3), row[at + 9 : at + 12], row[at + 12 : at + 15]
                direct = projected(every[node], turn, shift)
                size = np.abs(shift) + np.abs(turn) @ np.abs(every[ROOT].reshape(2, 3)).sum(axis=0)
                inside = np.concatenate([direct[:3] - own[6:9], own[9:] - direct[3:]]) - np.tile(slack, 2)
                assert (inside >= 0.0).all()
                assert (inside <= 1e-12 * np.tile(size, 2)).all()


@pytest.mark.parametrize(("size_a", "size_b", "shift"), [(1.0, 1.0, 1.0), (1e-3, 1e3, 1e6), (1.0, 1.0, 1e9)])
def test_a_contact_in_one_point_is_never_lost(size_a, size_b, shift):
    for row_a, row_b, p, q in zip(*coinciding_points(3, 30, size_a, size_b, shift, 0.9), strict=True):
        a, b = (mc.build(mc.TriangleMesh(np.stack([x, x, x]), [[0, 1, 2]]), volume="boxtree") for x in (p, q))
        _, met, gaps = walk(a, b, relative_row(a, b, row_a, row_b), [])
        assert met[0]
        assert gaps[0] == 0.0


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from((0.0, 2e-5)))
def test_the_gap_is_a_lower_bound_of_every_distance(seed, looseness):
    """Of the leaves' corners, in poses that are rotations and in some that are not quite; and none is forgotten."""
    rng = np.random.default_rng(seed)
    a, b = meshes()["ring"], meshes()["needles"]
    turn = rotation(rng) @ (np.eye(3) + looseness * rng.uniform(-1, 1, (3, 3)))
    pose = mc.Pose.from_matrix(matrix(turn, rng.normal(size=3) * 2))
    row = relative_row(a, b, STILL, pose.rows)
    for _ in range(20):
        choices, reached = random_descent(rng, a, b)
        _, met, gaps = walk(a, b, row, choices)
        t, u = (int(references(h.volumes)[0][node]) for h, node in zip((a, b), reached[-1], strict=True))
        p, q = a.mesh.vertices[a.mesh.triangles[t]], pose.apply(b.mesh.vertices[b.mesh.triangles[u]])
        nearest = np.linalg.norm(p[:, None] - q[None], axis=-1).min()
        assert (gaps <= nearest).all()
        assert (met | (gaps > 0.0)).all()


@pytest.mark.parametrize("split", sorted(SPLITS))
@pytest.mark.parametrize("maker", [bumpy_sphere, scan, machined_part])
def test_the_memory_that_was_promised(maker, split):
    mesh = mc.TriangleMesh(*maker(1500))
    tree = mc.build(mesh, volume="boxtree", split=split)
    count = mesh.triangle_count
    singles = int((references(tree.volumes)[1] == 1).sum())
    assert tree.volumes[0].nbytes == 8
    arrays = (tree.volumes, tree.tree.first, tree.tree.count, tree.tree.order)
    assert sum(array.nbytes for array in arrays) <= 16 * count + 32 + 8 * singles
    assert singles <= 0.5 * count
    assert tree.node_count == len(tree.volumes)


@pytest.mark.parametrize("maker", [bumpy_sphere, scan, machined_part])
def test_tests_are_not_many_more_than_those_of_full_boxes(maker):
    """Within 1.6 of an AABB tree by the same split rule, with as many triangles a leaf."""
    mesh = mc.TriangleMesh(*maker(1500))
    rng = np.random.default_rng(1)
    poses = np.stack([matrix(rotation(rng), rng.normal(size=3) * 0.3) for _ in range(12)])
    for split in ("sah", "lbvh"):
        tests = []
        for volume in ("boxtree", "dop6"):  # dop6 are the boxes of the binary engine
            tree = mc.build(mesh, volume=volume, split=split, leaf_size=1)
            tests.append(mc.collide(tree, tree, None, poses).stats.volume_tests)
        assert tests[1] < tests[0] <= 1.6 * tests[1]


@pytest.mark.parametrize("name", MESHES)
def test_boxes_contain_what_is_below_also_after_a_refit(name):
    tree = meshes()[name]
    mc.lab.assert_well_formed(tree)
    vertices = tree.mesh.vertices[:, [1, 2, 0]] * 1.5
    mc.lab.assert_well_formed(mc.refit(tree, vertices))
    mc.lab.assert_well_formed(tree)
    own = mc.build(tree.mesh, volume="boxtree")
    assert mc.refit(own, vertices, in_place=True) is own
    mc.lab.assert_well_formed(own)


def test_a_plane_in_the_wrong_place_is_noticed():
    tree = mc.build(RING, volume="boxtree")
    leaf = int(np.flatnonzero(references(tree.volumes)[1][ROOT:] == 0)[5]) + ROOT
    box = restricted_boxes(tree.volumes)[leaf]
    tree.volumes[leaf, 0] = 0.5 * (box[:3] + box[3:])[int(tree.volumes.view(np.int32)[leaf, 1]) & 3]
    with pytest.raises(AssertionError, match="does not contain"):
        mc.lab.assert_well_formed(tree)


@settings(max_examples=25)
@given(grid_meshes(), st.integers(0, 2**32 - 1))
def test_an_object_against_itself(mesh, seed):
    tree = mc.build(mc.TriangleMesh(*mesh), volume="boxtree", split=sorted(SPLITS)[seed % len(SPLITS)])
    mc.lab.assert_well_formed(tree)
    found, expected = mc.self_collide(tree), mc.self_collide(tree.mesh)
    assert found.pairs.tobytes() == expected.pairs.tobytes()
    assert found.kinds.tobytes() == expected.kinds.tobytes()


def test_leaves_hold_one_triangle_whatever_was_asked_for():
    assert mc.build(RING, volume="boxtree", leaf_size=8).leaf_size == 1


def test_more_triangles_than_references_can_tell(monkeypatch):
    monkeypatch.setattr(builder, "MOST_ROWS", 1000)
    with pytest.raises(mc.InvalidMesh, match="can contain at most 400 triangles, not 576"):
        mc.build(RING, volume="boxtree")
