"""Meshes of cubes that were set side by side and welded: what is inside bounds nothing."""

import meshclash as mc
import numpy as np
import pytest
from cubes import FINE, Cubes, block, hollow, squares, two_solids, verdicts
from hypothesis import given
from hypothesis import strategies as st
from meshclash.detection.inner_faces import without_inner_faces
from strategies import rotation


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
    solid = without_inner_faces(mesh)
    assert solid.is_closed and solid.triangle_count == mesh.triangle_count
    assert area(solid) == pytest.approx(len(squares(cubes)))


@given(seed=st.integers(0, 2**32 - 1), single=st.sampled_from([1.0, 0.5]))
def test_welded_cubes_are_judged_as_their_sets(seed, single):
    rng = np.random.default_rng(seed)
    one, other = two_solids(rng)
    if not (one and other):
        return
    into_world = rotation(rng) if rng.random() < 0.5 else np.eye(3)
    pair = [without_inner_faces(welded(cubes, rng, into_world, single)) for cubes in (one, other)]
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
    solid = without_inner_faces(mesh)
    assert solid is mesh or area(solid) == pytest.approx(10.0)


def test_what_is_no_solid_stays_as_it_is():
    rng = np.random.default_rng(5)
    mesh = welded(block(2), rng, np.eye(3))
    closed, open_mesh = without_inner_faces(mesh), mc.TriangleMesh(mesh.vertices, mesh.triangles[1:])
    assert without_inner_faces(closed) is closed
    assert without_inner_faces(open_mesh) is open_mesh
    shell = mc.TriangleMesh(mesh.vertices, mesh.triangles, shell=True)
    assert without_inner_faces(shell) is shell
