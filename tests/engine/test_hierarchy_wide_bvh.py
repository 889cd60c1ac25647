"""The 8-wide form: of all ways to make it from a binary tree, one whose boxes have the least area in all."""

import itertools

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy.wide_bvh import CHILD_COUNT, LANE_COUNT
from strategies import soup


def triangles(rng, count, flat):
    middles = rng.uniform(-1, 1, (count, 1, 3)) * (1, 1, 0 if flat else 1)
    return mc.TriangleMesh(*soup(middles + 0.2 * rng.normal(size=(count, 3, 3))))


def areas_of(hierarchy):
    x, y, z = (hierarchy.volumes[:, 3:6] - hierarchy.volumes[:, :3]).astype(float).T
    return x * y + y * z + z * x


def frontier(tree, chosen, node):
    """Children that a node of the 8-wide form has, when the chosen binary nodes become such nodes."""
    found, stack = [], [tree.first[node], tree.first[node] + 1]
    while stack:
        child = stack.pop()
        if tree.count[child] > 0 or child in chosen:
            found.append(child)
        else:
            stack += [tree.first[child], tree.first[child] + 1]
    return found


def least_area(hierarchy):
    """The least area of boxes that are opened, over all ways to choose them."""
    tree, areas = hierarchy.tree, areas_of(hierarchy)
    inner = [int(node) for node in np.flatnonzero(tree.count == 0) if node != 0]
    best = np.inf
    for size in range(len(inner) + 1):
        for others in itertools.combinations(inner, size):
            chosen = {0, *others}
            if all(len(frontier(tree, chosen, node)) <= LANE_COUNT for node in chosen):
                best = min(best, areas[sorted(chosen)].sum())
    return best


def opened(hierarchy):
    """Binary nodes that are nodes of the 8-wide form: inner ones among the children, the root's entry included."""
    words = hierarchy.wide.nodes.view(np.int32)
    lanes = np.arange(LANE_COUNT) < words[:, CHILD_COUNT, None]
    children = hierarchy.wide.sources[lanes]
    return children[hierarchy.tree.count[children] == 0]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(9, 13), st.booleans())
def test_no_way_to_choose_the_nodes_has_less_area(seed, count, flat):
    hierarchy = mc.build(triangles(np.random.default_rng(seed), count, flat), leaf_size=1)
    area = areas_of(hierarchy)[opened(hierarchy)].sum()
    assert area == pytest.approx(least_area(hierarchy), rel=1e-5)


@pytest.mark.parametrize("count", [2, 8, 9, 64, 65, 500])
@pytest.mark.parametrize("scale", [1.0, 1e-60, 1e20, 0.0])
def test_each_node_is_made_once_whatever_the_size(count, scale):
    rng = np.random.default_rng(count)
    hierarchy = mc.build(mc.TriangleMesh(*soup(scale * rng.normal(size=(count, 3, 3)))), leaf_size=1)
    mc.lab.assert_well_formed(hierarchy)
    words = hierarchy.wide.nodes.view(np.int32)
    nodes = opened(hierarchy)
    assert len(np.unique(nodes)) == len(nodes) == len(words) - 1
