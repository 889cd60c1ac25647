"""Meshes of cubes that were set side by side and welded: what is inside bounds nothing."""

import meshclash as mc
import numpy as np
import pytest
from cubes import FINE, Cubes, block, hollow, squares, two_solids, verdicts
from hypothesis import example, given
from hypothesis import strategies as st
from meshclash.solid.boundary_mesh import find_boundary_mesh
from strategies import matrix, rotation


def drawn_mesh(mesh: mc.TriangleMesh) -> mc.TriangleMesh:
    return find_boundary_mesh(mesh).mesh


def welded(cubes: Cubes, rng: np.random.Generator, into_world: np.ndarray, single: float = 1.0) -> mc.TriangleMesh:
    """All squares of all cubes; of two at one place the second is left out with a probability."""
    numbers: dict[tuple[int, ...], int] = {}
    seen: set[frozenset[tuple[int, ...]]] = set()
    triangles = []
    for corners in (corners for cube in sorted(cubes) for corners in squares(frozenset([cube]))):
        if frozenset(corners) in seen and rng.random() < single:
            continue
        seen.add(frozenset(corners))
        a, b, c, d = np.roll([numbers.setdefault(corner, len(numbers)) for corner in corners], rng.integers(4))
        triangles += [(a, b, c), (a, c, d)]
    vertices = np.array(list(numbers), float) @ into_world
    return mc.TriangleMesh(vertices, rng.permutation(np.array(triangles)), resolution=FINE)


def area(mesh: mc.TriangleMesh) -> float:
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


@pytest.mark.parametrize("cubes", [block(2), block(3), hollow(3), hollow(4), frozenset([(0, 0, 0), (1, 0, 0)])])
def test_only_the_faces_between_cubes_are_left_out(cubes):
    rng = np.random.default_rng(3)
    mesh = welded(cubes, rng, rotation(rng))
    assert not mesh.is_closed
    solid = drawn_mesh(mesh)
    assert solid.is_closed
    assert np.array_equal(find_boundary_mesh(mesh).faces, np.unique(find_boundary_mesh(mesh).faces))
    assert area(solid) == pytest.approx(len(squares(cubes)))


@given(seed=st.integers(0, 2**32 - 1), single=st.sampled_from([1.0, 0.5]))
def test_welded_cubes_are_judged_as_their_sets(seed, single):
    rng = np.random.default_rng(seed)
    one, other = two_solids(rng)
    if not (one and other):
        return
    into_world = rotation(rng) if rng.random() < 0.5 else np.eye(3)
    pair = [drawn_mesh(welded(cubes, rng, into_world, single)) for cubes in (one, other)]
    assert all(mesh.is_closed for mesh in pair)
    assert mc.verdict(*pair, permitted_overlap="resolution").name in verdicts(one, other)


@pytest.mark.parametrize("seed", range(20))
def test_parts_that_overlap_and_share_edges_are_united_or_left_alone(seed):
    """Two welded cubes, and a box from the bottom of one to the middle of the other, wound alike and cut anew."""
    rng = np.random.default_rng(seed)
    into_world = rotation(rng)
    both, first = frozenset([(0, 0, 0), (0, 0, 1)]), frozenset([(0, 0, 0)])
    cubes, box = welded(both, rng, into_world), welded(first, rng, into_world)
    high = (box.vertices @ into_world.T)[:, 2] > 0.5
    longer = box.vertices + 0.5 * high[:, None] * into_world[2]
    triangles = np.vstack([cubes.triangles, box.triangles + cubes.vertex_count])
    mesh = mc.TriangleMesh(np.vstack([cubes.vertices, longer]), rng.permutation(triangles))
    assert not mesh.is_closed
    solid = drawn_mesh(mesh)
    assert solid is mesh or area(solid) == pytest.approx(10.0)


def two_sided(mesh: mc.TriangleMesh, rng: np.random.Generator, other_way: bool) -> mc.TriangleMesh:
    """Every square also turned over, and there cut along its other diagonal."""
    a, b, c, _, _, d = mesh.triangles.reshape(-1, 6).T
    copy = [(b, c, d), (b, d, a)] if other_way else [(a, b, c), (a, c, d)]
    triangles = np.concatenate([np.stack(corners[::-1], axis=1) for corners in copy])
    both = np.vstack([mesh.triangles, triangles])
    return mc.TriangleMesh(mesh.vertices, rng.permutation(both), resolution=mesh.resolution)


def surface(cubes: Cubes, into_world: np.ndarray) -> mc.TriangleMesh:
    """Squares in pairs of triangles, in their order."""
    corners = [corner for square in squares(cubes) for corner in square]
    first = 4 * np.arange(len(corners) // 4)[:, None]
    triangles = np.hstack([first, first + 1, first + 2, first, first + 2, first + 3]).reshape(-1, 3)
    return mc.TriangleMesh(np.array(corners, float) @ into_world, triangles, resolution=FINE, weld=True)


@given(seed=st.integers(0, 2**32 - 1), other_way=st.booleans())
@example(seed=2654435761, other_way=False)  # a hollow that meets the outside along an edge
def test_two_sided_bodies_are_judged_as_their_sets(seed, other_way):
    rng = np.random.default_rng(seed)
    one, other = two_solids(rng)
    if not (one and other):
        return
    into_world = rotation(rng) if rng.random() < 0.5 else np.eye(3)
    first = drawn_mesh(two_sided(surface(one, into_world), rng, other_way))
    second = drawn_mesh(surface(other, into_world))
    assert first.is_closed
    assert mc.verdict(first, second, permitted_overlap="resolution").name in verdicts(one, other)


@pytest.mark.parametrize("other_way", [False, True])
def test_of_a_two_sided_sheet_one_layer_is_left(other_way):
    rng = np.random.default_rng(7)
    into_world = rotation(rng)
    box = surface(block(2), into_world)
    sheet = mc.TriangleMesh(box.vertices, box.triangles.reshape(-1, 2, 3)[::3].reshape(-1, 3))
    mesh = two_sided(sheet, rng, other_way)
    assert mesh.is_closed == other_way
    layer = drawn_mesh(mesh)
    assert not layer.is_closed and area(layer) == pytest.approx(area(sheet))
    across = surface(frozenset([(0, 0, 0)]), into_world).transformed(matrix(shift=(0.25, 0.25, 0.25)))
    assert mc.verdict(layer, across) == mc.verdict(sheet, across) == mc.Verdict.CLASH


def test_a_two_sided_part_does_not_hide_behind_one_that_is_not():
    rng = np.random.default_rng(8)
    near, far = surface(block(1), np.eye(3)), surface(block(1), np.eye(3)).transformed(matrix(shift=(5.0, 0.0, 0.0)))
    part = two_sided(near, rng, other_way=False)
    joined = mc.TriangleMesh(
        np.vstack([part.vertices, far.vertices]), np.vstack([part.triangles, far.triangles + part.vertex_count])
    )
    small = near.transformed(np.diag([0.5, 0.5, 0.5, 1.0])).transformed(matrix(shift=(0.25, 0.25, 0.25)))
    found = mc.verdict(drawn_mesh(joined), small)
    assert found == mc.Verdict.CONTAINED and found.certainty == 1.0


def test_a_box_beside_one_that_is_inside_out_is_no_sheet():
    box = surface(block(2), np.eye(3))
    beside = box.transformed(matrix(shift=(2.0, 0.0, 0.0)))
    triangles = np.vstack([box.triangles, beside.triangles[:, ::-1] + box.vertex_count])
    both = mc.TriangleMesh(np.vstack([box.vertices, beside.vertices]), triangles)
    assert drawn_mesh(both) is both


@given(seed=st.integers(0, 2**32 - 1))
def test_copies_and_flat_faces_do_not_open_a_solid(seed):
    rng = np.random.default_rng(seed)
    one, other = two_solids(rng)
    if not (one and other):
        return
    into_world = rotation(rng) if rng.random() < 0.5 else np.eye(3)
    mesh, second = surface(one, into_world), drawn_mesh(surface(other, into_world))
    chosen = mesh.triangles[rng.integers(0, mesh.triangle_count, 2)]
    flat = np.column_stack([chosen[:, :2], mesh.vertex_count + np.arange(2)])
    vertices = np.vstack([mesh.vertices, mesh.vertices[chosen[:, :2]].mean(axis=1)])
    triangles = np.vstack([mesh.triangles, chosen[:1] if rng.random() < 0.5 else chosen[:1, ::-1], flat])
    first = drawn_mesh(mc.TriangleMesh(vertices, rng.permutation(triangles), resolution=FINE))
    assert first.is_closed
    assert mc.verdict(first, second, permitted_overlap="resolution").name in verdicts(one, other)


def test_what_is_no_solid_stays_as_it_is():
    rng = np.random.default_rng(5)
    mesh = welded(block(2), rng, np.eye(3))
    closed, open_mesh = drawn_mesh(mesh), mc.TriangleMesh(mesh.vertices, mesh.triangles[1:])
    assert drawn_mesh(closed) is closed
    assert drawn_mesh(open_mesh) is open_mesh
    shell = mc.TriangleMesh(mesh.vertices, mesh.triangles, shell=True)
    assert drawn_mesh(shell) is shell
