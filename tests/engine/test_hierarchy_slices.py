"""Building in slices: the same bytes as at once, however small the slices are, and progress that never goes back."""

import contextlib
from unittest import mock

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy import refit, sah
from meshclash.hierarchy.build import SPLITS
from meshclash.lab import heuristics
from solids import refined, torus
from strategies import grid_meshes

VOLUMES = ["aabb", "dop14", "obb", "boxtree"]  # with lanes, grown, fitted at once, derived


def in_slices(size, mesh, *options):
    """A hierarchy whose builders stop after so many primitives, and the shares that were told."""
    shares = []
    with contextlib.ExitStack() as limits:
        for module in (sah, heuristics, refit):
            limits.enter_context(mock.patch.object(module, "SLICE", size))
        return mc.run(mc.steps(mc.build, mesh, *options), lambda told: shares.append(told.fraction)), shares


def same(one, other):
    """Whether everything that queries read has the same bytes."""
    pairs = [*zip(one.tree[:3], other.tree[:3], strict=True), (one.volumes, other.volumes)]
    pairs += [] if one.wide is None else zip(one.wide, other.wide, strict=True)
    return one.tree.depth == other.tree.depth and all(a.tobytes() == b.tobytes() for a, b in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("split", sorted(SPLITS))
@settings(max_examples=25)
@given(grid_meshes(most_triangles=40), st.sampled_from(VOLUMES), st.integers(1, 60), st.integers(1, 9))
def test_slices_change_no_byte(split, mesh, volume, size, leaf_size):
    mesh = mc.TriangleMesh(*mesh)
    whole = mc.build(mesh, volume, split, leaf_size)
    sliced, shares = in_slices(size, mesh, volume, split, leaf_size)
    mc.lab.assert_well_formed(sliced)
    assert same(sliced, whole)
    assert shares == sorted(shares) and all(0.0 <= share <= 1.0 for share in shares)


@pytest.mark.needs_jit
@pytest.mark.parametrize("volume", VOLUMES)
@pytest.mark.parametrize("split", sorted(set(SPLITS) - {"lbvh"}))
def test_a_slice_is_a_part_of_the_work(split, volume):
    """No call looks at much more than it may, but for single nodes: so there are many calls."""
    mesh = mc.TriangleMesh(*refined(torus(2, 0.6), 2))
    _, shares = in_slices(mesh.triangle_count // 4, mesh, volume, split)
    levels = np.log2(mesh.triangle_count / 8)
    assert len(shares) > levels


def test_closing_a_build_leaves_the_mesh_as_it_was():
    mesh = mc.TriangleMesh(*torus(2, 0.6))
    steps = mc.steps(mc.build, mesh, "aabb", "sah")
    next(steps)
    steps.close()
    assert same(mc.build(mesh, "aabb", "sah"), mc.build(mc.TriangleMesh(*torus(2, 0.6)), "aabb", "sah"))


def test_bad_requests_are_named():
    mesh = mc.TriangleMesh(*torus(2, 0.6))
    for options, message in (
        (("egg",), "volume 'egg'"),
        (("aabb", "best"), "split 'best'"),
        ((None, "sah", 0), "leaf"),
    ):
        with pytest.raises(mc.UnsupportedOption, match=message):
            next(mc.steps(mc.build, mesh, *options))
    with pytest.raises(mc.InvalidMesh, match="TriangleMesh"):
        next(mc.steps(mc.build, mc.build(mesh)))
