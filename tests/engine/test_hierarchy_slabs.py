"""Slabs contain what their boxes hold, in float64, and bound how far it reaches along any direction."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.geometry.lane_slabs import SLAB_WORDS, reach_of_eight, reach_of_one
from meshclash.geometry.lanes import floats, splat, store
from meshclash.hierarchy.slabs import slabs_of
from meshclash.hierarchy.wide_bvh import CHILD_COUNT, CHILDREN
from meshclash.jit import kernel
from solids import box, refined, torus
from strategies import grid_meshes, soup

pytestmark = pytest.mark.needs_jit


@kernel
def _reaches(slabs_array, directions, extents, eight, one):
    slabs, out = floats(slabs_array.ctypes.data), floats(eight.ctypes.data)
    for node in range(slabs_array.shape[0]):
        for d in range(directions.shape[0]):
            x, y, z = directions[d, 0], directions[d, 1], directions[d, 2]
            for k in range(8):
                u, v, w = extents[node, k, 0], extents[node, k, 1], extents[node, k, 2]
                one[node, d, k] = reach_of_one(slabs, SLAB_WORDS * node + k, x, y, z, u, v, w)
                lanes = reach_of_eight(slabs, SLAB_WORDS * node, x, y, z, splat(u), splat(v), splat(w))
                store(out, 64 * (node * directions.shape[0] + d) + 8 * k, lanes)


def children_of(hierarchy):
    """(node, lane, corners (n, 3, 3) seen from the middle of the box, half extents) of every box of the 8-wide form."""
    nodes, words = hierarchy.wide.nodes, hierarchy.wide.nodes.view(np.int32)
    vertices, triangles = hierarchy.mesh.arrays
    held = {}
    for node in [*range(len(nodes) - 2, -1, -1), len(nodes) - 1]:
        below = []
        for k in range(words[node, CHILD_COUNT]):
            child = int(words[node, CHILDREN + k])
            own = held[child] if child >= 0 else hierarchy.tree.order[~child >> 3 :][: (~child & 7) + 1]
            below.append(own)
            low, high = nodes[node, k:24:8], nodes[node, 24 + k : 48 : 8]
            middle = (low + high) * np.float32(0.5)
            yield node, k, vertices[triangles[own]] - hierarchy.origin - middle, (high - low) * np.float32(0.5)
        held[node] = np.concatenate(below)


def assert_slabs_contain(hierarchy):
    slabs = slabs_of(hierarchy.parts).astype(np.float64)
    for node, k, corners, _ in children_of(hierarchy):
        m, (middle, half) = slabs[node, k:24:8], slabs[node, [24 + k, 32 + k]]
        if np.isnan(m).any():  # then the box counts
            continue
        rounding = 1e-15 * np.abs(corners).max()
        assert (np.abs(corners @ m - middle) <= half + rounding).all() or not m.any()


def scattered(count, size=1.0, shift=0.0):
    rng = np.random.default_rng(count)
    return mc.TriangleMesh(
        *soup((rng.normal(size=(count, 1, 3)) + 0.1 * rng.normal(size=(count, 3, 3))) * size + shift)
    )


MESHES = {
    "torus": mc.TriangleMesh(*torus(3, 1)),
    "box": mc.TriangleMesh(*refined(box((0, 0, 0), (1, 1, 1)), 2)),
    "scattered": scattered(300),
    "far away": scattered(300, 1.0, 1e6),
    "tiny": scattered(300, 1e-25),
    "huge": scattered(300, 1e25),
    "subnormal": scattered(300, 1e-310),
    "one": scattered(1),
    "points": mc.TriangleMesh(*soup(np.repeat(np.random.default_rng(1).normal(size=(40, 1, 3)), 3, axis=1))),
}


@pytest.mark.parametrize("split", ["lbvh", "sah"])
@pytest.mark.parametrize("name", MESHES)
def test_every_slab_contains_its_triangles(name, split):
    assert_slabs_contain(mc.build(MESHES[name], split=split))


@settings(max_examples=60)
@given(grid_meshes(), st.integers(1, 8))
def test_slabs_of_awkward_meshes_contain_their_triangles(mesh, leaf_size):
    assert_slabs_contain(mc.build(mc.TriangleMesh(*mesh), leaf_size=leaf_size))


def test_smooth_pieces_have_thin_slabs():
    hierarchy = mc.build(mc.TriangleMesh(*refined(box((0, 0, 0), (1, 1, 1)), 3)))
    halves = slabs_of(hierarchy.parts)[:, 32:]
    sizes = np.zeros_like(halves)
    for node, k, _, extents in children_of(hierarchy):
        sizes[node, k] = extents.max()
    flat = halves < 1e-4 * sizes
    assert flat.sum() > 0.3 * (sizes > 0.0).sum()


@pytest.mark.parametrize("name", [name for name in MESHES if name != "subnormal"])
def test_no_corner_reaches_farther_than_said(name):
    hierarchy = mc.build(MESHES[name])
    slabs = slabs_of(hierarchy.parts)
    rng = np.random.default_rng(3)
    normals = slabs.reshape(-1, 5, 8)[:, :3].transpose(0, 2, 1).reshape(-1, 3)
    normals = normals[np.isfinite(normals).all(axis=1) & normals.any(axis=1)][:20]
    directions = np.concatenate([rng.normal(size=(20, 3)), normals + 0.03 * rng.normal(size=normals.shape), np.eye(3)])
    directions = np.concatenate([directions, -directions, normals])
    directions = (directions / np.linalg.norm(directions, axis=1)[:, None]).astype(np.float32)
    extents = np.zeros((len(slabs), 8, 3), np.float32)
    children = list(children_of(hierarchy))
    for node, k, _, half in children:
        extents[node, k] = half
    eight = np.empty((len(slabs), len(directions), 8, 8), np.float32)
    one = np.empty((len(slabs), len(directions), 8), np.float32)
    _reaches(slabs, directions, extents, eight, one)
    tighter = 0
    for node, k, corners, half in children:
        reached = (corners.reshape(-1, 3) @ directions.T.astype(np.float64)).max(axis=0)
        by_box = np.abs(directions).astype(np.float64) @ half
        allowed = one[node, :, k] + 1e-6 * (by_box + np.finfo(np.float32).tiny)  # 16 u: what the query's slack is for
        assert (reached <= allowed).all()
        assert np.array_equal(one[node, :, k], eight[node, :, k, k])
        assert (one[node, :, k] <= by_box * (1 + 1e-6)).all()
        tighter += (one[node, :, k] < 0.9 * by_box).sum()
    assert tighter > 0 or name in ("one", "points", "tiny", "huge")


@pytest.mark.parametrize("in_place", [False, True])
def test_refitted_hierarchies_have_slabs_of_their_own(in_place):
    hierarchy = mc.build(MESHES["torus"])
    before = slabs_of(hierarchy.parts)
    assert slabs_of(hierarchy.parts) is before
    bent = hierarchy.mesh.vertices * (1.0, 1.0, 0.2) + 0.1 * np.sin(3 * hierarchy.mesh.vertices[:, ::-1])
    moved = mc.refit(hierarchy, bent, in_place=in_place)
    assert slabs_of(moved.parts) is not before
    assert_slabs_contain(moved)
