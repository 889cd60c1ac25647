"""Levels of hierarchies as lines to draw."""

import meshclash as mc
import numpy as np
import pytest
from meshclash.lab import levels
from meshclash.lab.volumes.boxtree_nodes import references, restricted_boxes
from meshclash.volumes.registry import VOLUMES, volume_named
from solids import box, moved, refined, torus
from strategies import rotation

RING = mc.TriangleMesh(*moved(torus(2, 0.5), (100.0, 3.0, 0.0)))
POLYTOPES = [name for name in sorted(VOLUMES) if name.startswith("dop")]
STRAIGHT = {"aabb", "boxtree", "obb", "obb_hull", *POLYTOPES}


def triangles_below(tree, node):
    count = int(tree.count[node])
    if count:
        return tree.order[tree.first[node] : tree.first[node] + count].tolist()
    return triangles_below(tree, int(tree.first[node])) + triangles_below(tree, int(tree.first[node]) + 1)


@pytest.mark.parametrize("level", [0, 1, 3, 6, 99])
def test_a_level_holds_every_triangle_once(level):
    hierarchy = mc.build(RING)
    tree = hierarchy.tree
    nodes = mc.lab.hierarchy_level(hierarchy, level).nodes
    assert len(nodes) <= 2**level
    assert sorted(t for node in nodes for t in triangles_below(tree, node)) == list(range(RING.triangle_count))
    if level == 99:
        assert (tree.count[nodes] > 0).all()


@pytest.mark.parametrize("name", sorted(VOLUMES))
@pytest.mark.parametrize("level", [0, 4])
def test_lines_lie_on_the_volumes_and_enclose_them(name, level):
    """Every end lies on the surface of a volume up to rounding; edges of boxes and polytopes enclose the whole mesh."""
    hierarchy = mc.build(RING, volume=name)
    lines = mc.lab.level_wireframe(hierarchy, level)
    assert lines.shape[1:] == (2, 3)
    assert lines.dtype == np.float64
    contains = volume_named(name).contains
    found = mc.lab.hierarchy_level(hierarchy, level)
    every = restricted_boxes(hierarchy.volumes) if name == "boxtree" else hierarchy.volumes
    assert np.array_equal(found.volumes, every[found.nodes])
    volumes = found.volumes.astype(float)
    points = (lines - hierarchy.origin).reshape(-1, 3)[:: 7 if level else 1]
    middles = volumes[:, :3]
    if "dop" in name or "box" in name or name == "aabb":
        middles = 0.5 * (volumes[:, :3] + volumes[:, volumes.shape[1] // 2 :][:, :3])
    for point in points:
        inside = [contains(v, *(m + (1.0 - 1e-4) * (point - m))) for v, m in zip(volumes, middles, strict=True)]
        outside = [not contains(v, *(m + (1.0 + 1e-4) * (point - m))) for v, m in zip(volumes, middles, strict=True)]
        assert np.logical_and(inside, outside).any()
    if name in STRAIGHT:
        assert (lines.min(axis=(0, 1)) <= RING.bounds[0] + 1e-5).all()
        assert (lines.max(axis=(0, 1)) >= RING.bounds[1] - 1e-5).all()


def test_edges_of_a_box_are_those_of_the_box():
    rng = np.random.default_rng(0)
    mesh = mc.TriangleMesh(*box((0, 0, 0), (1, 2, 3)))
    straight = {tuple(sorted(map(tuple, edge))) for edge in mc.lab.level_wireframe(mesh, 0).round(4).tolist()}
    corners = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)]
    assert straight == {(p, q) for p in corners for q in corners if p < q and np.count_nonzero(np.subtract(p, q)) == 1}
    for name in POLYTOPES:
        cut = {tuple(sorted(map(tuple, edge))) for edge in mc.lab.level_wireframe(mesh, 0, name).round(4).tolist()}
        assert straight <= cut
    turn = rotation(rng)
    turned = mc.TriangleMesh(mesh.vertices @ turn.T, mesh.triangles)
    edges = mc.lab.level_wireframe(turned, 0, "obb") @ turn
    assert np.allclose(np.sort(np.linalg.norm(edges[:, 0] - edges[:, 1], axis=1)), np.repeat([1, 2, 3], 4), atol=1e-4)


@pytest.mark.parametrize("level", [0, 1, 5, 99])
def test_a_level_of_a_boxtree_holds_every_triangle_once(level):
    """Single children are one node with what is above them: a level shows what they have cut down to."""
    hierarchy = mc.build(RING, "boxtree")
    first, number = references(hierarchy.volumes)

    def below(row):
        if number[row] == 0:
            return [int(first[row])]
        return [t for child in range(first[row], first[row] + number[row]) for t in below(child)]

    nodes = mc.lab.hierarchy_level(hierarchy, level).nodes
    assert len(nodes) <= 2**level and (number[nodes] != 1).all()
    assert sorted(t for node in nodes for t in below(node)) == list(range(RING.triangle_count))
    if level == 99:
        assert (number[nodes] == 0).all()


@pytest.mark.parametrize("name", ["aabb", "boxtree", "sphere"])
def test_of_levels_with_too_many_volumes_the_last_one_before(name):
    hierarchy = mc.build(RING, name)
    counts = [len(mc.lab.hierarchy_level(hierarchy, level).nodes) for level in range(hierarchy.tree.depth + 1)]
    assert counts == sorted(counts)
    for most in (1, 2, 10, counts[-1] - 1, counts[-1]):
        found = mc.lab.hierarchy_level(hierarchy, 99, most=most)
        assert found.number == max(level for level, count in enumerate(counts) if count <= most)
        assert len(found.nodes) == counts[found.number]


@pytest.mark.parametrize("name", ["aabb", "boxtree"])
def test_a_level_costs_what_lies_above_it(name, monkeypatch):
    """However deep a level is wanted: not much more than what may be shown is looked at on each level on the way."""
    looked_at = []

    def counted(step):
        def take(hierarchy, nodes, boxes):
            looked_at.append(len(nodes))
            return step(hierarchy, nodes, boxes)

        return take

    for step in ("_below", "_restricted_below"):
        monkeypatch.setattr(levels, step, counted(getattr(levels, step)))
    hierarchy = mc.build(mc.TriangleMesh(*refined(torus(2, 0.6), 2)), name)
    mc.lab.hierarchy_level(hierarchy, 99, most=32)
    assert looked_at and max(looked_at) <= 32 and len(looked_at) <= hierarchy.tree.depth


@pytest.mark.parametrize("level", [-1, 1.0, "2", None, True])
def test_levels_that_make_no_sense(level):
    with pytest.raises(mc.UnsupportedOption, match="level must be a whole number"):
        mc.lab.level_wireframe(RING, level)


def test_other_volumes_than_the_hierarchy_has():
    with pytest.raises(mc.UnsupportedOption, match="built with volume"):
        mc.lab.level_wireframe(mc.build(RING), 0, "obb")
    with pytest.raises(mc.UnsupportedOption, match="expected one of"):
        mc.lab.level_wireframe(RING, 0, "egg")
    with pytest.raises(mc.InvalidMesh):
        mc.lab.level_wireframe(np.eye(3), 0)
