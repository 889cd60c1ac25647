"""6-separating voxels: those whose centre lines the surface meets, among the 26-separating ones, and without a gap."""

from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from exact import clip, fractions
from hypothesis import given
from hypothesis import strategies as st
from meshclash.types.steps import run
from meshclash.voxels.bricks import list_voxels
from meshclash.voxels.separating_voxels import separating_steps
from oracles.mesh_generators import bumpy_sphere
from solids import box, torus
from strategies import rotation
from triangles_in_voxels import triangles_near_a_region
from voxels import MEMORY, marked, on_grid

HALF = Fraction(1, 2)
FACES = [(0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0)]
ALL_AROUND = [step for step in np.ndindex(3, 3, 3) if step != (1, 1, 1)]


def thin(grid, thing):
    """The 6-separating voxels as a set."""
    return {tuple(v) for v in list_voxels(run(separating_steps(thing, grid, MEMORY)), grid.brick_size).tolist()}


def meets_a_centre_line(triangle, grid, voxel, grown=Fraction(0)):
    """Whether a triangle (3, 3) meets a line of a voxel's length through its centre along an axis, exactly.

    With ``grown``, whether it meets such a line that is grown on all sides by a part of the voxel's side.
    """
    side = Fraction(grid.voxel_size)
    for along in range(3):
        polygon = fractions(triangle)
        for axis in range(3):
            middle = Fraction(float(grid.origin[axis])) + (int(voxel[axis]) + HALF) * side
            reach = ((HALF if axis == along else 0) + grown) * side
            normal = [Fraction(int(k == axis)) for k in range(3)]
            polygon = clip(polygon, normal, middle + reach)
            polygon = clip(polygon, [-n for n in normal], reach - middle)
        if len(polygon):
            return True
    return False


@pytest.mark.slow
@given(triangles_near_a_region())
def test_every_voxel_whose_centre_lines_are_met_is_marked_and_all_are_among_the_others(case):
    triangle, low, high = case
    grid, thing = on_grid(mc.TriangleMesh(triangle, [[0, 1, 2]]), low, high, resolution=5)
    found, whole = thin(grid, thing), {tuple(v) for v in marked(grid, thing).tolist()}
    assert found <= whole
    for voxel in whole - found:
        assert not meets_a_centre_line(triangle, grid, voxel)


@given(st.integers(0, 2**32 - 1))
def test_hardly_another_voxel_is_marked(seed):
    triangle = np.random.default_rng(seed).uniform(-1.0, 9.0, (3, 3))
    grid, thing = on_grid(mc.TriangleMesh(triangle, [[0, 1, 2]]), (0, 0, 0), (8, 8, 8), resolution=8)
    for voxel in thin(grid, thing):
        assert meets_a_centre_line(triangle, grid, voxel, Fraction(thing.worst_slack))


def reached(blocked, steps):
    """Voxels (bool array) that a path of such steps reaches from the corner of the grid, round blocked ones."""
    free, found = ~blocked, np.zeros_like(blocked)
    found[0, 0, 0] = True
    while True:
        grown = np.pad(found, 1)
        wider = found.copy()
        for step in steps:
            begin = 1 - np.array(step)
            wider |= grown[tuple(slice(b, b + n) for b, n in zip(begin, found.shape, strict=True))]
        wider &= free
        if (wider == found).all():
            return found
        found = wider


def solids():
    """Closed surfaces, each with what is certainly inside: points (n, 3) -> (n,) bool."""
    sphere, doughnut = bumpy_sphere(600, 3), torus(4.0, 2.0)
    return {
        "box": (box((-1, -1, -1), (1, 1, 1)), lambda p: (np.abs(p) < 0.999).all(axis=1)),
        "plate": (box((-1, -1, -0.01), (1, 1, 0.01)), lambda p: (np.abs(p) < [0.999, 0.999, 0.0099]).all(axis=1)),
        "bumpy": (sphere, lambda p: mc.contains(mc.TriangleMesh(*sphere), p)),
        "torus": (doughnut, lambda p: mc.contains(mc.TriangleMesh(*doughnut), p)),
    }


@pytest.mark.parametrize("name", sorted(solids()))
@pytest.mark.parametrize("seed", range(4))
def test_no_path_across_faces_passes_a_closed_surface(name, seed):
    (vertices, triangles), is_inside = solids()[name]
    rng = np.random.default_rng(seed)
    turn = rotation(rng) if seed else np.eye(3)  # also along the grid's axes
    mesh = mc.TriangleMesh(vertices @ turn.T, triangles)
    low, high = mesh.bounds
    margin = 0.3 * (high - low).max()
    grid, thing = on_grid(mesh, low - margin, high + margin, resolution=14 + seed)
    size = tuple(grid.size.tolist())
    centres = grid.origin + grid.voxel_size * (np.stack(np.unravel_index(np.arange(np.prod(size)), size), axis=1) + 0.5)
    inside = is_inside(centres @ turn).reshape(size)
    counts = []
    for voxels, steps in (
        (thin(grid, thing), FACES),
        ({tuple(v) for v in marked(grid, thing).tolist()}, [tuple(np.subtract(s, 1)) for s in ALL_AROUND]),
    ):
        blocked = np.zeros(size, np.bool_)
        blocked[tuple(np.array(sorted(voxels)).T)] = True
        outside = reached(blocked, steps)
        assert not (outside & inside).any()
        assert outside.sum() > 100
        counts.append(len(voxels))
    assert counts[0] < counts[1]


def test_voxelise_gives_both_sorts():
    mesh = mc.TriangleMesh(*bumpy_sphere(2000, 1))
    pose = np.eye(4)
    pose[:3, 3] = (0.25, -3.0, 1.0)
    whole, few = (mc.voxels.voxelise(mesh, pose, resolution=40, separating=count) for count in (26, 6))
    assert {tuple(v) for v in few.voxels.tolist()} < {tuple(v) for v in whole.voxels.tolist()}
    assert few.voxels.dtype == np.int32 and len(few.voxels) < 0.7 * len(whole.voxels)
    assert whole.boxes.shape == (len(whole.voxels), 2, 3)
    assert np.allclose(whole.boxes[:, 1].max(axis=0), mesh.bounds[1] + pose[:3, 3], atol=whole.grid.voxel_size)
    two = mc.voxels.voxelise(mc.build(mesh), pose, resolution=40, threads=2)
    assert two.voxels.tobytes() == whole.voxels.tobytes()


@pytest.mark.parametrize(
    "wrong",
    [{"separating": 18}, {"separating": None}, {"separating": 6.5}, {"resolution": 0}, {"voxel_size": -1.0},
     {"voxel_size": 1e-9}, {"resolution": 1000, "memory": 1 << 16}],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(mc.UnsupportedOption):
        mc.voxels.voxelise(mc.TriangleMesh(*bumpy_sphere(2000, 1)), **wrong)
