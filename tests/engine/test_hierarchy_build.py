"""What ``build`` promises beyond well-formed trees: one result for every number of threads, and split "auto"."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy import build as builders
from meshclash.hierarchy.boxes import relative_points
from meshclash.hierarchy.build import SPLITS, as_hierarchy
from meshclash.hierarchy.morton import build_morton_tree
from meshclash.jit import parallel_region
from oracles.mesh_generators import MAKERS
from solids import refined, torus
from strategies import grid_meshes


def all_bytes(hierarchy):
    """Everything that queries read, as bytes."""
    return [array.tobytes() for array in (*hierarchy.tree[:3], hierarchy.volumes, *hierarchy.wide)]


def morton_order(mesh):
    """Triangles by the Morton code of the middle of their box, by plain integers; equal codes in index order."""
    origin = 0.5 * mesh.bounds[0] + 0.5 * mesh.bounds[1]
    points = (mesh.vertices - origin).astype(np.float32)[mesh.triangles]
    extent = float((mesh.bounds[1] - mesh.bounds[0]).max())
    scale = 1024.0 / extent if extent > 1e-30 else 0.0
    shift = (-(mesh.bounds[0] - origin) * scale).astype(np.float32)
    cells = (points.min(axis=1) + points.max(axis=1)) * np.float32(0.5 * scale) + shift
    codes = [
        sum((int(cell[axis]) >> bit & 1) << (3 * bit + axis) for axis in range(3) for bit in range(10))
        for cell in np.clip(cells, 0, 1023)
    ]
    return np.argsort(codes, kind="stable")


@given(grid_meshes(most_triangles=40))
def test_triangles_lie_in_the_order_of_their_morton_codes(mesh):
    mesh = mc.TriangleMesh(*mesh)
    assert np.array_equal(mc.build(mesh, split="lbvh", leaf_size=1).tree.order, morton_order(mesh))


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize("split", ["lbvh", "sah"])
@pytest.mark.parametrize("maker", MAKERS)
def test_the_number_of_threads_changes_no_byte(monkeypatch, maker, split):
    mesh = mc.TriangleMesh(*MAKERS[maker](3000, 1))
    alone = mc.build(mesh, split=split, threads=1)
    monkeypatch.setattr(builders, "PARALLEL_FROM", 1)
    together = mc.build(mesh, split=split, threads=2)
    assert all_bytes(together) == all_bytes(alone)
    moved = mesh.vertices * (1.0, 2.0, 0.5)
    together = mc.refit(together, moved)
    monkeypatch.setattr(builders, "PARALLEL_FROM", 1 << 30)
    assert all_bytes(together) == all_bytes(mc.refit(alone, moved))


@pytest.mark.needs_jit
@settings(max_examples=30)
@given(grid_meshes(most_triangles=40), st.integers(2, 7))
def test_the_number_of_parts_changes_no_tree(mesh, parts):
    """More parts than triangles, and many equal codes, included."""
    mesh = mc.TriangleMesh(*mesh)
    vertices, triangles = mesh.arrays
    points, room = relative_points(vertices, np.zeros(3)), np.empty(9 * len(triangles), np.float32)
    alone = build_morton_tree(points, triangles, mesh.bounds, 2, room, 1)
    with parallel_region(2) as count:
        assert count == 2
        together = build_morton_tree(points, triangles, mesh.bounds, 2, room, parts)
    assert together.depth == alone.depth
    assert all(np.array_equal(x, y) for x, y in zip(together[:3], alone[:3], strict=True))


@pytest.mark.needs_jit
def test_a_build_inside_a_parallel_region_is_serial(monkeypatch):
    monkeypatch.setattr(builders, "PARALLEL_FROM", 1)
    mesh = mc.TriangleMesh(*MAKERS["bumpy"](500, 1))
    with parallel_region(2):
        hierarchy = mc.build(mesh, threads=2)
    assert all_bytes(hierarchy) == all_bytes(mc.build(mesh, threads=1))


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "two"])
def test_threads_must_be_a_positive_number(threads):
    with pytest.raises(mc.UnsupportedOption, match="threads must be"):
        mc.build(mc.TriangleMesh(np.eye(3), [[0, 1, 2]]), threads=threads)


@pytest.fixture
def cheap(monkeypatch):
    """A better tree is earned by one volume test a triangle."""
    monkeypatch.setattr(builders, "TESTS_TO_IMPROVE", 1)
    monkeypatch.setattr(builders, "_FEWEST_TRIANGLES", 1)


def ring():
    return mc.TriangleMesh(*refined(torus(2, 1), 1))


SHIFT = mc.Pose.from_matrix(np.eye(4) + 0.3 * np.eye(4, k=3))


@pytest.mark.slow
@pytest.mark.parametrize("given_as", ["mesh", "hierarchy"])
def test_much_use_gives_a_better_tree_and_the_same_answers(cheap, given_as):
    mesh = ring()
    side = mesh if given_as == "mesh" else mc.build(mesh)
    tree = as_hierarchy(side)
    splits, answers = [], set()
    for _ in range(8):
        splits.append(tree.split)
        hits = mc.collide(side, side, None, SHIFT)
        answers.add((hits.pairs.tobytes(), hits.kinds.tobytes()))
        mc.lab.assert_well_formed(tree)
    assert as_hierarchy(side) is tree
    assert (splits[0], splits[-1]) == ("lbvh", "sah")
    assert splits == sorted(splits), "it is divided anew once"
    assert len(answers) == 1


def test_use_is_counted_by_volume_tests_half_for_either_side():
    a, b = mc.build(ring()), mc.build(ring())
    tests = mc.collide(a, b, None, SHIFT).stats.volume_tests
    assert a.parts.usage.volume_tests == b.parts.usage.volume_tests == tests / 2
    tests += mc.collide(a, a, None, SHIFT).stats.volume_tests
    assert a.parts.usage.volume_tests == tests - b.parts.usage.volume_tests
    assert tests < builders.TESTS_TO_IMPROVE * builders._FEWEST_TRIANGLES


def test_small_use_of_a_small_mesh_changes_nothing():
    tree = mc.build(ring())
    for _ in range(20):
        mc.collide(tree, tree, None, SHIFT)
    assert tree.split == "lbvh"


@pytest.mark.parametrize("split", ["lbvh", "sah"])
def test_a_split_that_was_chosen_stays(cheap, split):
    tree = mc.build(ring(), split=split)
    index = tree.parts
    for _ in range(8):
        mc.collide(tree, tree, None, SHIFT)
    assert tree.parts is index
    assert tree.split == split


def test_use_outlives_a_refit(cheap):
    tree = mc.build(ring())
    for _ in range(8):
        mc.collide(tree, tree, None, SHIFT)
        tree = mc.refit(tree, tree.mesh.vertices * 1.01)
    mc.lab.assert_well_formed(tree)
    assert tree.split == "sah"


def test_a_scene_takes_up_the_better_trees(cheap):
    scene, mesh = mc.Scene(), ring()
    for pose in (None, SHIFT, mc.Pose.from_matrix(np.eye(4) - 0.3 * np.eye(4, k=3))):
        scene.add(mesh, pose)
    found = [
        [(pair.a, pair.b, pair.contacts.pairs.tobytes()) for pair in scene.contacts().pairs] for _ in range(6)
    ]  # fmt: skip
    assert as_hierarchy(mesh).split == "sah"
    assert all(answer == found[0] for answer in found)


def test_a_question_that_is_under_way_keeps_its_trees(cheap):
    """Slices of one query, and a better tree in between."""
    scene, mesh = mc.Scene(), ring()
    scene.add(mesh)
    scene.add(mesh, SHIFT)
    expected = scene.contacts().pairs[0].contacts.pairs
    steps = mc.steps(scene.contacts)
    next(steps)
    for _ in range(8):
        mc.collide(mesh, mesh, None, SHIFT)
    assert as_hierarchy(mesh).split == "sah"
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            assert np.array_equal(stop.value.pairs[0].contacts.pairs, expected)
            break


@given(grid_meshes(most_triangles=30), grid_meshes(most_triangles=30))
def test_every_builder_gives_the_same_bytes(a, b):
    a, b = mc.TriangleMesh(*a), mc.TriangleMesh(*b)
    answers = set()
    for split in ("auto", *SPLITS):
        hits = mc.collide(mc.build(a, split=split), mc.build(b, split=split))
        answers.add((hits.pairs.tobytes(), hits.kinds.tobytes()))
    assert len(answers) == 1


@pytest.mark.parametrize("volume", ["aabb", "obb", "boxtree"])
def test_refitted_nodes_are_on_the_account_of_the_next_query(volume):
    """N_u of the cost model: each refit counts once, whichever hierarchy of the two it was."""
    mesh = mc.TriangleMesh(*torus(2, 0.5))
    first, second = mc.build(mesh, volume=volume), mc.build(mesh, volume=volume)
    assert mc.collide(first, second).stats.updated_nodes == 0
    mc.refit(first, mesh.vertices * 1.1, in_place=True)
    mc.refit(second, mesh.vertices * 1.2, in_place=True)
    mc.refit(second, mesh.vertices, in_place=True)
    assert mc.collide(first, second).stats.updated_nodes == first.node_count + 2 * second.node_count
    assert mc.collide(first, second).stats.updated_nodes == 0
