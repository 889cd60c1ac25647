"""Hierarchies: well formed for every size and shape, refitted, and a check that can fail."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy.build import DEFAULT_LEAF_SIZE, SPLITS, as_hierarchy
from solids import box, refined, torus
from strategies import grid_meshes, soup

SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257)


def scattered(count, size=1.0, origin=(0.0, 0.0, 0.0), seed=1):
    rng = np.random.default_rng(seed)
    middles = rng.uniform(-1, 1, (count, 1, 3))
    return mc.TriangleMesh(*soup((middles + 0.1 * rng.normal(size=(count, 3, 3))) * size + np.array(origin)))


def repeated(triangle, count):
    return mc.TriangleMesh(*soup(np.broadcast_to(np.array(triangle, float), (count, 3, 3))))


def star(count):
    """Triangles of all sizes around one centroid."""
    rng = np.random.default_rng(2)
    corners = rng.integers(-(2**20), 2**20, (count, 2, 3)).astype(float)
    return mc.TriangleMesh(*soup(np.concatenate([corners, -corners.sum(axis=1, keepdims=True)], axis=1)))


@pytest.mark.parametrize("leaf_size", [1, 2, 3, 4, 8, 63, 64])
def test_sizes_that_straddle_the_leaf_size_and_powers_of_two(leaf_size):
    for count in {*SIZES, leaf_size, leaf_size + 1, 2 * leaf_size, 2 * leaf_size + 1}:
        hierarchy = mc.build(scattered(count), leaf_size=leaf_size)
        mc.lab.assert_well_formed(hierarchy)
        assert (hierarchy.node_count == 1) == (count <= leaf_size)
        assert hierarchy.node_count <= 2 * count - 1


@pytest.mark.parametrize("leaf_size", range(1, 65))
def test_every_leaf_size(leaf_size):
    hierarchy = mc.build(scattered(130), leaf_size=leaf_size)
    mc.lab.assert_well_formed(hierarchy)
    assert hierarchy.leaf_size == leaf_size


SHAPES = {
    "one triangle": scattered(1),
    "one point": repeated(np.zeros((3, 3)), 1),
    "identical triangles": repeated([[0, 0, 0], [1, 0, 0], [0, 1, 0]], 200),
    "identical points": repeated(np.full((3, 3), 0.1), 200),
    "all centroids equal": star(200),
    "a line": mc.TriangleMesh(*soup(np.linspace(0, 1, 200)[:, None, None] * np.ones((1, 3, 3)))),
    "a plane": mc.TriangleMesh(*soup(np.random.default_rng(3).normal(size=(200, 3, 3)) * (1, 0, 1))),
    "far away": scattered(200, 1.0, (1e6, -1e6, 1e6)),
    "farther than its size can be told": scattered(200, 1.0, (1e15, 0, -1e15)),
    "so far that all collapses": scattered(200, 1.0, (1e17, 1e17, 1e17)),
    "subnormal": scattered(200, 1e-310),
    "below float32": scattered(200, 1e-60),
    "small and far": scattered(200, 1e-9, (1e3, 1e3, 1e3)),
    "1e30": mc.TriangleMesh(*soup(np.random.default_rng(4).uniform(-1e30, 1e30, (200, 3, 3)))),
    "1e-30 to 1e30": mc.TriangleMesh(
        *soup(10.0 ** np.random.default_rng(5).uniform(-30, 30, (200, 3, 3)))
    ),
    "one far triangle": mc.TriangleMesh(
        *soup(np.concatenate([np.random.default_rng(6).normal(size=(199, 3, 3)), np.full((1, 3, 3), 1e20)]))
    ),
    "loose vertices": mc.TriangleMesh([[1e29, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 2, 3]]),
    "box": mc.TriangleMesh(*refined(box((0, 0, 0), (1, 1, 1)), 2)),
    "torus": mc.TriangleMesh(*torus(3, 1)),
}  # fmt: skip


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("leaf_size", [1, 8])
@pytest.mark.parametrize("name", SHAPES)
def test_every_shape(name, leaf_size, split):
    mc.lab.assert_well_formed(mc.build(SHAPES[name], split=split, leaf_size=leaf_size))


@given(grid_meshes(most_triangles=40), st.integers(1, 9), st.sampled_from(sorted(SPLITS)))
def test_any_mesh(mesh, leaf_size, split):
    mc.lab.assert_well_formed(mc.build(mc.TriangleMesh(*mesh), split=split, leaf_size=leaf_size))


def test_identical_triangles_give_a_balanced_tree():
    assert mc.build(SHAPES["identical triangles"], leaf_size=1).tree.depth == 8
    assert mc.build(repeated(np.eye(3), 4096), leaf_size=1).tree.depth == 12


def test_neighbours_along_the_curve_share_leaves():
    """A tree in any other order would be well formed too; its boxes would be large."""
    hierarchy = mc.build(mc.TriangleMesh(*refined(box((0, 0, 0), (1, 1, 1)), 3)), leaf_size=4)
    leaves = hierarchy.tree.count > 0
    extents = hierarchy.volumes[leaves, 3:] - hierarchy.volumes[leaves, :3]
    assert np.median(extents.max(axis=1)) < 0.2


def test_the_same_mesh_gives_the_same_tree():
    first, again = (mc.build(scattered(300), leaf_size=4) for _ in range(2))
    for x, y in zip((*first.tree, first.volumes), (*again.tree, again.volumes), strict=True):
        assert np.array_equal(x, y)


@settings(max_examples=30)
@given(st.integers(1, 100), st.integers(1, 9), st.sampled_from([1e-300, 1.0, 1e6, 1e29]), st.integers(0, 1000))
def test_refit_over_any_other_vertices(count, leaf_size, scale, seed):
    hierarchy = mc.build(scattered(count), leaf_size=leaf_size)
    before = hierarchy.volumes.copy()
    vertices = np.random.default_rng(seed).uniform(-1, 1, (3 * count, 3)) * scale
    refitted = mc.refit(hierarchy, vertices)
    mc.lab.assert_well_formed(refitted)
    assert np.array_equal(refitted.mesh.vertices, vertices)
    assert np.array_equal(hierarchy.volumes, before)
    assert refitted.tree is hierarchy.tree
    assert (refitted.volume, refitted.split, refitted.leaf_size) == ("aabb", "lbvh", leaf_size)


@settings(max_examples=30)
@given(st.integers(1, 100), st.sampled_from(sorted(SPLITS)), st.sampled_from([1e-300, 1.0, 1e29]), st.integers(0, 1000))
def test_refit_in_place_is_that_of_a_copy_and_allocates_nothing(count, split, scale, seed):
    hierarchy = mc.build(scattered(count), split=split)
    former, arrays = hierarchy.mesh, (*hierarchy.tree[:3], hierarchy.volumes, *hierarchy.wide)
    vertices = np.random.default_rng(seed).uniform(-1, 1, (3 * count, 3)) * scale
    elsewhere = mc.refit(hierarchy, vertices)
    assert mc.refit(hierarchy, vertices, in_place=True) is hierarchy
    mc.lab.assert_well_formed(hierarchy)
    now = (*hierarchy.tree[:3], hierarchy.volumes, *hierarchy.wide)
    assert all(x is y for x, y in zip(arrays, now, strict=True))
    for x, y in zip((elsewhere.volumes, *elsewhere.wide), (hierarchy.volumes, *hierarchy.wide), strict=True):
        assert x.tobytes() == y.tobytes()
    assert np.array_equal(hierarchy.mesh.vertices, vertices)
    assert np.array_equal(former.vertices, scattered(count).vertices)


@pytest.mark.slow
@settings(max_examples=20)
@given(st.sampled_from(sorted(SPLITS)), st.floats(0.0, 3.0), st.integers(0, 1000), st.booleans())
def test_queries_after_a_refit_are_those_of_a_rebuilt_tree(split, strength, seed, in_place):
    """Bent, squeezed, torn: the tree is a bad one then, and its answers the same."""
    vertices, triangles = refined(torus(2, 1), 1)
    hierarchy = mc.build(mc.TriangleMesh(vertices, triangles), split=split)
    mc.collide(hierarchy, hierarchy)
    moved = vertices + strength * np.random.default_rng(seed).normal(size=vertices.shape)
    refitted, rebuilt = mc.refit(hierarchy, moved, in_place=in_place), mc.build(mc.TriangleMesh(moved, triangles))
    pose = mc.Pose.from_matrix(np.eye(4) + 0.3 * np.eye(4, k=3))
    for ask in (lambda tree: mc.collide(tree, tree, None, pose), mc.self_collide):
        found, expected = ask(refitted), ask(rebuilt)
        assert found.pairs.tobytes() == expected.pairs.tobytes()
        assert found.kinds.tobytes() == expected.kinds.tobytes()


def test_contacts_found_before_a_refit_in_place_keep_their_mesh():
    vertices, triangles = box((0, 0, 0), (1, 1, 1))
    hierarchy = mc.build(mc.TriangleMesh(vertices, triangles))
    hits = mc.collide(hierarchy, mc.TriangleMesh(np.array(vertices) + 0.5, triangles))
    segments = hits.segments().copy()
    mc.refit(hierarchy, np.array(vertices) * 7.0, in_place=True)
    assert np.array_equal(hits.segments(), segments)


def test_refit_to_the_same_vertices_gives_the_same_volumes():
    hierarchy = mc.build(scattered(100))
    assert np.array_equal(mc.refit(hierarchy, hierarchy.mesh.vertices).volumes, hierarchy.volumes)


def test_refit_refuses_other_numbers_of_vertices_and_nan():
    hierarchy = mc.build(scattered(5))
    with pytest.raises(mc.InvalidMesh, match="15 vertices, but 4 were given"):
        mc.refit(hierarchy, np.zeros((4, 3)))
    with pytest.raises(mc.InvalidMesh, match="vertex 0"):
        mc.refit(hierarchy, np.full((15, 3), np.nan))


def test_hierarchies_are_kept_with_the_mesh():
    mesh = scattered(20)
    assert as_hierarchy(mesh) is as_hierarchy(mesh)
    own = mc.build(mesh, leaf_size=2)
    assert as_hierarchy(own) is own
    assert as_hierarchy(mesh).leaf_size == DEFAULT_LEAF_SIZE


def replace_tree(hierarchy, **parts):
    hierarchy.parts = hierarchy.parts._replace(tree=hierarchy.tree._replace(**parts))


def corrupted(change):
    """A good hierarchy of several levels with one thing made wrong."""
    hierarchy = mc.build(scattered(100), leaf_size=4)
    tree = hierarchy.tree
    replace_tree(hierarchy, **{name: getattr(tree, name).copy() for name in ("first", "count", "order")})
    change(hierarchy, int(np.flatnonzero(hierarchy.tree.count)[0]), int(np.flatnonzero(hierarchy.tree.count == 0)[-1]))
    return hierarchy


def too_small_a_leaf(hierarchy, leaf, inner):
    hierarchy.leaf_size = 1


def primitive_twice(hierarchy, leaf, inner):
    hierarchy.tree.order[0] = hierarchy.tree.order[1]


def entry_in_no_leaf(hierarchy, leaf, inner):
    hierarchy.tree.count[leaf] -= 1
    hierarchy.tree.first[leaf] += hierarchy.tree.first[leaf] == 0


def child_before_parent(hierarchy, leaf, inner):
    hierarchy.tree.first[inner] = inner - 1


def child_of_two(hierarchy, leaf, inner):
    hierarchy.tree.first[inner] = hierarchy.tree.first[0]


def wrong_depth(hierarchy, leaf, inner):
    replace_tree(hierarchy, depth=hierarchy.tree.depth - 1)


def leaf_box_an_ulp_too_small(hierarchy, leaf, inner):
    triangles = hierarchy.tree.order[hierarchy.tree.first[leaf] :][: hierarchy.tree.count[leaf]]
    highest = hierarchy.mesh.vertices[hierarchy.mesh.triangles[triangles]][..., 0].max() - hierarchy.origin[0]
    hierarchy.volumes[leaf, 3] = np.nextafter(np.float32(highest), np.float32(-np.inf))


def parent_box_an_ulp_too_small(hierarchy, leaf, inner):
    hierarchy.volumes[inner, 1] = np.nextafter(hierarchy.volumes[inner, 1], np.float32(np.inf))


def box_with_nan(hierarchy, leaf, inner):
    hierarchy.volumes[0, 0] = np.nan


def wide_words(hierarchy):
    hierarchy.parts = hierarchy.parts._replace(
        wide=hierarchy.wide._replace(nodes=hierarchy.wide.nodes.copy(), coordinates=hierarchy.wide.coordinates.copy())
    )
    return hierarchy.wide.nodes.view(np.int32)


def wide_box_too_large(hierarchy, leaf, inner):
    wide_words(hierarchy)
    hierarchy.wide.nodes[0, 0] -= 1.0


def wide_leaf_elsewhere(hierarchy, leaf, inner):
    words = wide_words(hierarchy)
    node, lane = np.argwhere(words[:, 48:56] < 0)[0]
    words[node, 48 + lane] -= 8


def wide_child_before_parent(hierarchy, leaf, inner):
    words = wide_words(hierarchy)
    lane = int(np.flatnonzero(words[0, 48:56] > 0)[0])
    words[0, 48 + lane] = 0


def wide_coordinates_moved(hierarchy, leaf, inner):
    wide_words(hierarchy)
    hierarchy.wide.coordinates[5] += 1.0


def wide_child_lost(hierarchy, leaf, inner):
    wide_words(hierarchy)[0, 56] -= 1


def no_root_at_the_end(hierarchy, leaf, inner):
    words = wide_words(hierarchy)
    words[-1, 56] = 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (wide_box_too_large, "other boxes than the tree"),
        (wide_leaf_elsewhere, "wrong leaf"),
        (wide_child_before_parent, "comes after its child"),
        (wide_coordinates_moved, "coordinates of leaf"),
        (wide_child_lost, "every leaf once|exactly one parent"),
        (no_root_at_the_end, "root alone|other boxes"),
        (too_small_a_leaf, "leaf .* holds"),
        (primitive_twice, "no permutation"),
        (entry_in_no_leaf, "lies in 0 leaves"),
        (child_before_parent, "has its children at"),
        (child_of_two, "exactly one parent|has its children at"),
        (wrong_depth, "the depth is"),
        (leaf_box_an_ulp_too_small, "the volume of leaf .* does not contain triangle"),
        (parent_box_an_ulp_too_small, "the volume of node .* does not contain that of its child"),
        (box_with_nan, "does not contain"),
    ],
)
def test_the_check_finds_each_broken_promise(change, says):
    with pytest.raises(AssertionError, match=says):
        mc.lab.assert_well_formed(corrupted(change))


def test_the_check_passes_what_was_only_copied():
    mc.lab.assert_well_formed(corrupted(lambda *_: None))
