"""Triangles around one vertex: ``self_collide`` compares their directions and finds what all pairs give."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.geometry.neighbours import meet_beyond_shared
from meshclash.geometry.triangle_pair import whole_numbers
from meshclash.traversal import stars
from meshclash.types.pose import transform_points
from strategies import matrix, poses, rotation

seeds = st.integers(0, 2**32 - 1)


def all_pairs(mesh, pose):
    """Pairs that meet in more than what they share, in exact numbers."""
    world = transform_points(pose[:3], mesh.vertices)
    found = []
    for i in range(mesh.triangle_count):
        for j in range(i + 1, mesh.triangle_count):
            a, b = mesh.triangles[i], mesh.triangles[j]
            corners = whole_numbers(world[a], world[b])
            if meet_beyond_shared(a.tolist(), corners[:3], b.tolist(), corners[3:]):
                found.append([i, j])
    return found


def star_mesh(seed):
    """Triangles around one or two vertices: fans, cones, random ones, on a grid or anywhere, some without an area."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(6, 22))
    kind = rng.integers(0, 4)
    angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, count))
    if kind == 0:
        rim = np.column_stack([np.cos(angles), np.sin(angles), np.full(count, rng.choice([0.0, 0.5]))])
    elif kind == 1:
        rim = rng.integers(-2, 3, (count, 3)).astype(float)
    elif kind == 2:
        rim = rng.normal(size=(count, 3)) * (1.0, 1.0, rng.choice([0.0, 1e-12, 1.0]))
    else:
        rim = rng.normal(size=(count, 1)) * rng.choice([-1.0, 1.0], (count, 3)) + 1e-9 * rng.normal(size=(count, 3))
    apexes = np.vstack([[0.0, 0.0, 0.0], rng.integers(-1, 2, 3)])
    vertices = np.vstack([apexes, rim]) * 10.0 ** rng.choice([-200.0, 0.0, 0.0, 25.0])
    fans = [(0, 2 + i, 2 + (i + 1) % count) for i in range(count)]
    others = [(rng.integers(0, 2), *rng.integers(0, len(vertices), 2)) for _ in range(rng.integers(0, 12))]
    triangles = np.array(fans + others)
    triangles = np.array([np.roll(t, rng.integers(0, 3)) for t in triangles])
    return mc.TriangleMesh(vertices, triangles)


@settings(max_examples=60, deadline=None)
@given(seeds, poses(), st.sampled_from(["aabb", "obb"]))
def test_pairs_of_stars_are_those_of_all_pairs(seed, pose, volume):
    mesh = star_mesh(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stars, "FEWEST", 3)
        assert stars.stars_of(mesh) is not None
        found = mc.self_collide(mesh, pose, volume=volume, device="cpu")
    expected = all_pairs(mesh, pose)
    assert found.pairs.tolist() == expected
    crossing = mc.self_collide(mesh, pose, touching=False, device="cpu")
    assert crossing.pairs.tolist() == found.pairs[found.kinds == mc.ContactKind.CROSSING].tolist()


def cone(count, height=0.5):
    angles = np.arange(count) * 2.0 * np.pi / count
    rim = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(count)])
    vertices = np.vstack([[[0.0, 0.0, height]], rim])
    return vertices, np.array([(0, 1 + i, 1 + (i + 1) % count) for i in range(count)])


@pytest.mark.parametrize("height", [0.0, 0.5])
def test_a_large_fan_has_no_contacts_and_few_tests(height):
    found = mc.self_collide(mc.TriangleMesh(*cone(5000, height)), matrix(rotation(np.random.default_rng(1))))
    assert len(found) == 0
    assert found.stats.primitive_tests < 5000


def test_a_fold_in_a_large_fan_is_found():
    vertices, triangles = cone(600)
    folded = np.vstack([triangles, [(0, 1, 31)]])
    mesh = mc.TriangleMesh(vertices * (1.0, 1.0, 0.0), folded)
    pairs = mc.self_collide(mesh).pairs.tolist()
    assert pairs == [[i, 600] for i in range(30)]


def test_a_stack_of_poses_and_slices():
    mesh = mc.TriangleMesh(*cone(200))
    vertices = mesh.vertices.copy()
    vertices[50] = vertices[120]
    bent = mc.TriangleMesh(vertices, mesh.triangles)
    rng = np.random.default_rng(2)
    stack = np.stack([matrix(rotation(rng), rng.normal(size=3)) for _ in range(3)])
    each = [mc.self_collide(bent, pose).pairs.tolist() for pose in stack]
    together = mc.self_collide(bent, stack)
    assert each[0] and [together.pairs[together.pose == k].tolist() for k in range(3)] == each
    assert mc.run(mc.steps(mc.self_collide, bent, stack)).pairs.tolist() == together.pairs.tolist()


def test_a_book_is_compared_in_slices():
    """All pages meet in one edge: every pair is a candidate, and a query can be stopped between slices."""
    count = 400
    angles = np.arange(count) * 2.0 * np.pi / count
    vertices = np.vstack(
        [[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])]
    )
    mesh = mc.TriangleMesh(vertices, [(0, 1, 2 + i) for i in range(count)])
    assert len(list(mc.steps(mc.self_collide, mesh))) > 10
    assert len(mc.self_collide(mesh)) == 0
