"""Objects of several parts beside meshes that are open, but mean a solid: each part is inside or outside by itself."""

import tracemalloc

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.solid.boundary_mesh import find_boundary_mesh
from meshclash.solid.seams import cluster_steps
from meshclash.solid.solidity import intended_solid_steps
from meshclash.types.steps import run
from solids import box, joined
from strategies import matrix, rotation

pytestmark = pytest.mark.needs_jit

_ball = mc.shapes.sphere(1.0)
BALL = _ball.vertices, _ball.triangles


def ways_to_open(rng):
    """The ball, and open meshes that mean the same solid: without a face, with a loose one inside, with cracks."""
    vertices, triangles = BALL
    gone = int(rng.integers(len(triangles)))
    small = vertices[triangles[gone]] * 0.5
    inside = np.vstack([triangles, [np.arange(3) + len(vertices)]])
    corners = vertices[triangles]
    cracked = corners + 1e-3 * (corners.mean(axis=1, keepdims=True) - corners)
    return {
        "closed": mc.TriangleMesh(vertices, triangles),
        "one face missing": mc.TriangleMesh(vertices, np.delete(triangles, gone, axis=0)),
        "a loose face inside": mc.TriangleMesh(np.vstack([vertices, small]), inside),
        "cracks": mc.TriangleMesh(cracked.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)),
    }


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 3), st.integers(0, 3))
def test_parts_inside_and_outside_an_open_solid_are_judged_as_beside_the_closed_one(seed, inside, outside):
    rng = np.random.default_rng(seed)
    if inside + outside == 0:
        return
    radii, ways = rng.uniform(0.0, 0.5, inside + outside), rng.normal(size=(inside + outside, 3))
    radii[inside:] += rng.uniform(1.5, 4.0)
    centres = radii[:, None] * ways / np.linalg.norm(ways, axis=1)[:, None]
    parts = mc.TriangleMesh(*joined(*(box(centre - 0.05, centre + 0.05) for centre in centres)))
    pose = matrix(rotation(rng), rng.uniform(-5, 5, 3))
    expected = "CLASH" if inside and outside else "CONTAINED" if inside else "APART"
    for name, ball in ways_to_open(rng).items():
        found, swapped = mc.verdict(ball, parts, pose, pose), mc.verdict(parts, ball, pose, pose)
        assert found.name == swapped.name == expected, name
        assert found.certainty == swapped.certainty
        assert (found.certainty == 1.0) == (name == "closed") or not inside
        scene = mc.Scene()
        scene.add(ball, pose)
        scene.add(parts, pose)
        assert [(pair.name, pair.certainty) for pair in scene.contacts()] == [(expected, found.certainty)] * bool(
            inside
        )
        assert bool(scene.collides()) == bool(inside)


def test_two_boxes_of_which_one_is_inside_a_ball_without_a_face():
    ball = ways_to_open(np.random.default_rng(1))["one face missing"]
    inside = box((-0.1,) * 3, (0.1,) * 3)
    parts = mc.TriangleMesh(*joined(inside, box((2.0,) * 3, (2.2,) * 3)))
    for found in (mc.verdict(ball, parts), mc.verdict(parts, ball)):
        assert found == mc.Verdict.CLASH and 0.99 <= found.certainty < 1.0
        assert found.depth is None or found.depth == pytest.approx(0.2)


@pytest.mark.parametrize("sheet_size", [2.0, 20.0])
def test_a_part_inside_a_closed_part_of_a_mesh_with_a_sheet_is_not_apart(sheet_size):
    """A ball beside a sheet that is so large that the whole is no solid."""
    vertices, triangles = BALL
    sheet = np.array([[3.0, 0, 0], [3.0, sheet_size, 0], [3.0, 0, sheet_size]])
    mixed = mc.TriangleMesh(np.vstack([vertices, sheet]), np.vstack([triangles, [np.arange(3) + len(vertices)]]))
    inside, beside = box((-0.1,) * 3, (0.1,) * 3), box((-0.1, 2.0, -0.1), (0.1, 2.2, 0.1))
    found = mc.verdict(mixed, mc.TriangleMesh(*inside))
    assert found == mc.Verdict.CONTAINED and 0.9 < found.certainty < 1.0
    both = mc.verdict(mixed, mc.TriangleMesh(*joined(inside, beside)))
    assert both == mc.Verdict.CLASH and 0.9 < both.certainty < 1.0
    assert mc.verdict(mixed, mc.TriangleMesh(*beside)) == mc.Verdict.APART


def test_a_sheet_inside_an_open_solid_is_contained():
    rng = np.random.default_rng(3)
    sheet = mc.TriangleMesh([[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0]], [[0, 1, 2]])
    for name, ball in ways_to_open(rng).items():
        assert mc.verdict(ball, sheet) == mc.Verdict.CONTAINED, name


# Seams


@pytest.mark.parametrize("coarse", [0.0, 0.01, 0.1, 0.4, 3.0])
@pytest.mark.parametrize("sides", [4, 12])
def test_what_is_open_is_not_closed_by_a_coarse_resolution(coarse, sides):
    """Troughs, and tubes of a radius of 0.15 m, whose resolution may exceed the width of their openings."""
    angles = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    ring = 0.15 * np.stack([np.cos(angles), np.sin(angles), np.zeros(sides)], axis=1)
    number = np.arange(sides)
    after = (number + 1) % sides
    tube = np.concatenate(
        [np.stack([number, after, after + sides], 1), np.stack([number, after + sides, number + sides], 1)]
    )
    tube = mc.TriangleMesh(np.vstack([ring, ring + np.array([0.0, 0.0, 2.0])]), tube, coarse)
    vertices, triangles = box((0, 0, 0), (2.0, 0.3, 0.3))
    keep = ~(vertices[triangles][:, :, 2] == 0.3).all(axis=1)
    trough = mc.TriangleMesh(vertices, triangles[keep], coarse)
    rod = mc.TriangleMesh(*box((0.2, 0.1, 0.1), (1.8, 0.2, 0.2)))
    for mesh in (tube, trough):
        assert find_boundary_mesh(mesh).mesh is mesh
        assert not mc.solidity(mesh).closed
    assert mc.verdict(trough, rod) == mc.Verdict.APART


def test_a_seam_that_is_not_much_wider_than_the_resolution_is_told_but_not_for_certain():
    vertices, triangles = box((0, 0, 0), (1, 1, 1))
    corners = vertices[triangles]
    for share, sure in ((1e-3, True), (0.05, False)):
        rng = np.random.default_rng(1)
        torn = corners + rng.uniform(-1, 1, corners.shape) * share * 0.5
        mesh = mc.TriangleMesh(torn.reshape(-1, 3), np.arange(36).reshape(-1, 3), share)
        told = mc.solidity(mesh)
        assert told.closed and told.joined > 0 and (told.certainty == 1.0) == sure
        found = mc.verdict(mesh, mc.TriangleMesh(*box((0.4, 0.4, 0.4), (0.6, 0.6, 0.6))))
        assert found == mc.Verdict.CONTAINED and (found.certainty == 1.0) == sure


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.sampled_from([1e-12, 1e-3, 0.1]))
def test_clusters_are_those_of_all_pairs_in_any_order(seed, count, near):
    """By brute force: single links join clusters, and short ones collapse."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 6, (count, 3)) * 0.9 * near + rng.uniform(-1, 1, 3)
    points = np.unique(points, axis=0)
    group = np.arange(len(points))
    for i in range(len(points)):
        for j in range(i):
            if np.abs(points[i] - points[j]).max() <= near:
                group[group == group[i]] = group[j]
    expected = np.arange(len(points))
    for one in np.unique(group):
        rows = np.flatnonzero(group == one)
        if np.ptp(points[rows], axis=0).max() <= 2.0 * near:
            expected[rows] = rows[np.lexsort(points[rows].T[::-1])[0]]
    if not len(points):
        return
    assert (run(cluster_steps(points, near)) == expected).all()
    order = rng.permutation(len(points))
    again = run(cluster_steps(points[order], near))
    assert (order[again] == expected[order]).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["crowd", "fan", "random"])
def test_unordered_triangles_take_memory_in_proportion_and_can_be_stopped(kind):
    """4,000 triangles with coinciding corners took 4 GB, and 20,000 around one edge did not end; 500 bytes each now."""
    rng, count = np.random.default_rng(0), 100_000
    vertices, triangles = rng.random((3 * count, 3)), np.arange(3 * count).reshape(-1, 3)
    if kind == "crowd":
        vertices = vertices * 1e-12 + np.eye(3)[np.arange(3 * count) % 3]
    if kind == "fan":
        angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
        around = np.stack([np.cos(angles), np.sin(angles), np.full(count, 0.5)], axis=1)
        vertices = np.vstack([[[0, 0, 0], [0, 0, 1]], around])
        triangles = np.stack([np.zeros(count), np.ones(count), np.arange(count) + 2], axis=1).astype(int)
    told = mc.solidity(mc.TriangleMesh(vertices, triangles, resolution=1e-9))  # also compiles the kernels
    mesh = mc.TriangleMesh(vertices, triangles, resolution=1e-9)
    tracemalloc.start()
    for _ in intended_solid_steps(mesh):
        pass
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not told.solid and told.reason and most < 500 * count + 4_000_000
