"""Split rules from the literature: each takes the plane that its own formula, written in NumPy, finds cheapest."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.lab.heuristics import HEURISTICS
from scipy.spatial import ConvexHull
from strategies import rotation, soup

BINS = 16


def boxes_of(triangles):
    return triangles.min(axis=1), triangles.max(axis=1)


def cost(rule, low, high, side):
    x, y, z = high.max(axis=0) - low.min(axis=0)
    volume = x * y * z
    if rule == "kah":
        volume += 0.75 * side * 2 * (x * y + y * z + z * x) + 1.5 * side**2 * (x + y + z)
    return volume if rule == "volume" else len(low) * volume


def cheapest(rule, triangles):
    low, high = boxes_of(triangles)
    side = 0.6 * (high.max(axis=0) - low.min(axis=0)).mean()
    middles = low + high
    cells = ((middles - middles.min(axis=0)) * (BINS / np.ptp(middles, axis=0))).astype(int).clip(0, BINS - 1)
    best = np.inf
    for axis in range(3):
        for plane in range(1, BINS):
            left = cells[:, axis] < plane
            if left.any() and not left.all():
                sides = (cost(rule, low[s], high[s], side) for s in (left, ~left))
                best = min(best, sum(sides))
    return best, side


@pytest.mark.parametrize("rule", ["volume", "volume_n", "kah"])
@pytest.mark.parametrize("seed", range(4))
def test_the_root_is_divided_where_the_rule_says(rule, seed):
    rng = np.random.default_rng(seed)
    triangles = rng.normal(size=(60, 1, 3)) * (3, 1, 2) + rng.normal(size=(60, 3, 3)) * 0.3
    tree = mc.build(mc.TriangleMesh(*soup(triangles)), split=rule, leaf_size=59).tree
    assert tree.count[0] == 0
    low, high = boxes_of(triangles)
    parts = [tree.order[tree.first[k] : tree.first[k] + tree.count[k]] for k in (1, 2)]
    expected, side = cheapest(rule, triangles)
    assert sum(cost(rule, low[p], high[p], side) for p in parts) == pytest.approx(expected, rel=1e-5)


def test_flat_meshes_are_divided_by_area():
    """Every volume is zero there; ties go to the smaller surface, so strips do not come about."""
    rng = np.random.default_rng(1)
    corners = rng.uniform(0, 1, (400, 1, 3)) * (1, 1, 0) + rng.normal(size=(400, 3, 3)) * (0.02, 0.02, 0)
    hierarchy = mc.build(mc.TriangleMesh(*soup(corners)), split="volume", leaf_size=4)
    mc.lab.assert_well_formed(hierarchy)
    assert hierarchy.tree.depth <= 20


def test_the_median_halves():
    rng = np.random.default_rng(2)
    triangles = rng.normal(size=(64, 3, 3)) * (5, 1, 1)
    tree = mc.build(mc.TriangleMesh(*soup(triangles)), split="median", leaf_size=1).tree
    assert tree.depth == 6
    left = mc.build(mc.TriangleMesh(*soup(triangles)), split="median", leaf_size=32).tree
    first, second = (left.order[left.first[k] : left.first[k] + left.count[k]] for k in (1, 2))
    low, high = boxes_of(triangles)
    axis = int(np.ptp(low + high, axis=0).argmax())
    assert len(first) == len(second) == 32
    assert (low + high)[first, axis].max() <= (low + high)[second, axis].min()


def parted_at_the_mean(triangles, rows, leaf_size):
    """Leaves of the tree by definition: sets of rows of (n, 3, 3), cut along their own longest axis at the mean."""
    own = triangles[rows]
    if len(rows) <= leaf_size:
        return {frozenset(rows.tolist())}
    area = np.linalg.norm(np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0]), axis=1)
    middles, share = own.mean(axis=1), area / area.sum()
    moments = 9.0 * middles[:, :, None] * middles[:, None] + np.einsum("nci,ncj->nij", own, own)
    mean = share @ middles
    covariance = np.einsum("n,nij->ij", share, moments) / 12.0 - np.outer(mean, mean)
    axes = np.linalg.eigh(covariance)[1].T
    axis = axes[np.ptp(own.reshape(-1, 3) @ axes.T, axis=0).argmax()]
    along = middles @ axis
    left = along < along.mean()
    return parted_at_the_mean(triangles, rows[left], leaf_size) | parted_at_the_mean(triangles, rows[~left], leaf_size)


@given(st.integers(0, 2**32 - 1), st.integers(2, 120), st.integers(1, 8))
def test_the_mean_splitter_cuts_every_node_at_the_mean_of_its_middles(seed, total, leaf_size):
    triangles = np.float64(np.float32(np.random.default_rng(seed).normal(size=(total, 3, 3)) * (5, 1, 2)))
    tree = mc.build(mc.TriangleMesh(*soup(triangles)), split="mean", leaf_size=leaf_size).tree
    leaves = np.flatnonzero(tree.count[: len(tree.first)])
    found = {frozenset(tree.order[tree.first[k] : tree.first[k] + tree.count[k]].tolist()) for k in leaves}
    assert found == parted_at_the_mean(triangles, np.arange(total), leaf_size)


def parted_on_a_side(middles, rows, leaf_size):
    """Leaves of the tree by definition: sets of rows, cut on the widest axis at the mean (n, 3)."""
    own = middles[rows]
    if len(rows) <= leaf_size:
        return {frozenset(rows.tolist())}
    axis = int(np.ptp(own, axis=0).argmax())
    left = own[:, axis] < own[:, axis].mean()
    return parted_on_a_side(middles, rows[left], leaf_size) | parted_on_a_side(middles, rows[~left], leaf_size)


@given(st.integers(0, 2**32 - 1), st.integers(2, 120), st.integers(1, 8))
def test_the_mean_of_a_side_cuts_every_node_at_the_mean_of_its_middles(seed, total, leaf_size):
    triangles = np.float64(np.float32(np.random.default_rng(seed).normal(size=(total, 3, 3)) * (5, 1, 2)))
    tree = mc.build(mc.TriangleMesh(*soup(triangles)), split="mean_side", leaf_size=leaf_size).tree
    leaves = np.flatnonzero(tree.count[: len(tree.first)])
    found = {frozenset(tree.order[tree.first[k] : tree.first[k] + tree.count[k]].tolist()) for k in leaves}
    low, high = boxes_of(triangles)
    assert found == parted_on_a_side(low + high, np.arange(total), leaf_size)


@pytest.mark.parametrize("split", ["mean", "mean_side"])
def test_triangles_whose_middles_coincide_are_halved_by_the_mean_splitters(split):
    corners = np.repeat(np.random.default_rng(4).normal(size=(1, 3, 3)), 64, axis=0)
    assert mc.build(mc.TriangleMesh(*soup(corners)), split=split, leaf_size=1).tree.depth == 6


def test_the_kinematic_cost_is_the_mean_volume_of_minkowski_sums():
    """Of a box and a cube in random orientations: V + V_B + (S E_B + S_B E) / 4, by which ``kah`` is derived."""
    rng = np.random.default_rng(3)
    edges, side = np.array([1.0, 0.2, 0.1]), 0.5
    units = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    volumes = []
    for _ in range(400):
        cube = side * units @ rotation(rng)
        volumes.append(hull_volume(edges * units, cube))
    x, y, z = edges
    area = 2 * (x * y + y * z + z * x)
    expected = x * y * z + side**3 + (area * 3 * side + 6 * side**2 * edges.sum()) / 4
    assert np.mean(volumes) == pytest.approx(expected, rel=0.02)
    assert set(HEURISTICS) == {"volume", "volume_n", "kah", "median", "mean", "mean_side"}


def hull_volume(a, b):
    return ConvexHull((a[:, None] + b[None]).reshape(-1, 3)).volume
