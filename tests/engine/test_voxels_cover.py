"""Voxels of triangles against clipping by exact arithmetic: none missed, and none farther away than the slack."""

from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.types.steps import run
from meshclash.voxels.bricks import list_voxels, new_bricks, unite
from meshclash.voxels.marking import mark_steps
from oracles.mesh_generators import bumpy_sphere
from strategies import points
from triangles_in_voxels import triangles_near_a_region
from voxels import marked, on_grid, touches


@pytest.mark.slow
@given(triangles_near_a_region())
def test_every_voxel_that_a_triangle_touches_is_marked_and_hardly_another(case):
    triangle, low, high = case
    grid, thing = on_grid(mc.TriangleMesh(triangle, [[0, 1, 2]]), low, high, resolution=5)
    found = {tuple(v) for v in marked(grid, thing).tolist()}
    slack = Fraction(thing.worst_slack)
    for voxel in np.ndindex(*grid.size.tolist()):
        if voxel in found:
            assert touches(triangle, grid, voxel) or touches(triangle, grid, voxel, slack)
        else:
            assert not touches(triangle, grid, voxel)


@pytest.mark.slow
@given(points(st.floats(-20.0, 220.0), 3))
def test_large_triangles_in_blocks_and_bricks_are_the_same(triangle):
    """A fine grid is compared with a coarse one: a coarse voxel is marked if and only if one of its fine ones is."""
    mesh = mc.TriangleMesh(triangle, [[0, 1, 2]])
    coarse, thing = on_grid(mesh, (0, 0, 0), (207.5, 207.5, 207.5), voxel_size=8.0)
    fine, fine_thing = on_grid(mesh, (0, 0, 0), (207.5, 207.5, 207.5), voxel_size=1.0)
    above = {tuple(v) for v in (marked(fine, fine_thing) // 8).tolist()}
    below = {tuple(v) for v in marked(coarse, thing).tolist()}
    slack = Fraction(thing.worst_slack)
    for voxel in above ^ below:
        assert voxel in below
        assert touches(triangle, coarse, voxel, slack)
        assert not touches(triangle, coarse, voxel, -slack)


def test_segments_and_points_have_exactly_their_voxels():
    corners = np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 6.5], [0.5, 0.5, 3.5]])
    grid, thing = on_grid(mc.TriangleMesh(corners, [[0, 1, 2], [0, 0, 0]]), (0, 0, 0), (8, 8, 8), voxel_size=1.0)
    assert marked(grid, thing).tolist() == [[0, 0, z] for z in range(7)]


def test_a_point_on_a_corner_of_the_grid_is_in_eight_voxels():
    grid, thing = on_grid(mc.TriangleMesh([[2.0, 2, 2]], [[0, 0, 0]]), (0, 0, 0), (8, 8, 8), voxel_size=1.0)
    assert len(marked(grid, thing)) == 8


@pytest.mark.parametrize("resolution", [16, 300])
def test_the_bits_do_not_depend_on_the_number_of_threads(resolution):
    mesh = mc.TriangleMesh(*bumpy_sphere(70_000, 1))
    grid, thing = on_grid(mesh, *mesh.bounds, resolution=resolution)
    alone = marked(grid, thing)
    assert len(alone) > resolution**2
    for threads in (2, 3, 5):
        assert np.array_equal(alone, marked(grid, thing, threads))
    inside = run(mark_steps(thing, grid, 1 << 30))
    for threads in (1, 2):
        assert np.array_equal(
            alone, list_voxels(run(mark_steps(thing, grid, 1 << 30, threads, inside)), grid.brick_size)
        )


@pytest.mark.slow
def test_common_voxels_are_those_of_both():
    meshes = [mc.TriangleMesh(*bumpy_sphere(3000, seed)) for seed in (1, 2)]
    low, high = np.full(3, -1.0), np.full(3, 1.5)
    sets, things = [], []
    for mesh in meshes:
        grid, thing = on_grid(mesh, low, high, resolution=50)
        things.append(thing)
        sets.append({tuple(v) for v in marked(grid, thing).tolist()})
    first = run(mark_steps(things[0], grid, 1 << 30))
    common = list_voxels(run(mark_steps(things[1], grid, 1 << 30, 1, first)), grid.brick_size)
    assert {tuple(v) for v in common.tolist()} == sets[0] & sets[1]
    second = run(mark_steps(things[1], grid, 1 << 30))
    united = list_voxels(unite(unite(new_bricks(4), first), second), grid.brick_size)
    assert {tuple(v) for v in united.tolist()} == sets[0] | sets[1]


def test_memory_grows_with_the_surface_and_not_with_the_region():
    mesh = mc.TriangleMesh([[0.0, 0, 0], [1, 1, 1], [1, 1, 1 + 1e-6]], [[0, 1, 2]])
    grid, thing = on_grid(mesh, *mesh.bounds, resolution=1 << 17)
    bricks = run(mark_steps(thing, grid, 1 << 30))
    assert 1 << 14 <= int(bricks.used[0]) < 1 << 17
