"""Voxels by exact arithmetic, and the engine's own as sets, for the tests of voxels."""

from fractions import Fraction

import numpy as np
from exact import clip, fractions
from meshclash.types.mesh import TriangleMesh
from meshclash.types.steps import run
from meshclash.voxels.bricks import list_voxels
from meshclash.voxels.common_region import GridTriangles, choose, place, put_on_grid
from meshclash.voxels.grid import Grid, checked_fineness, make_grid
from meshclash.voxels.marking import mark_steps

STILL = np.eye(4)[:3].copy()
MEMORY = 1 << 30


def on_grid(mesh: TriangleMesh, low, high, **fineness) -> tuple[Grid, GridTriangles]:
    """A grid over a region, and a mesh on it."""
    low, high = np.array(low, float), np.array(high, float)
    placed = choose(mesh, *place(mesh, STILL), low, high)
    grid = make_grid(
        low, high, placed.farthest, checked_fineness(**{"resolution": None, "voxel_size": None, **fineness})
    )
    return grid, put_on_grid(placed, grid)


def marked(grid: Grid, thing: GridTriangles, threads: int = 1) -> np.ndarray:
    """The engine's voxels of a mesh, (k, 3)."""
    return list_voxels(run(mark_steps(thing, grid, MEMORY, threads)), grid.brick_size)


def touches(triangle: np.ndarray, grid: Grid, voxel, grown: Fraction = Fraction(0)) -> bool:
    """Whether a triangle (3, 3) has a point in a closed voxel grown by a part of its side, exactly."""
    side, polygon = Fraction(grid.voxel_size), fractions(triangle)
    for axis in range(3):
        low = Fraction(float(grid.origin[axis])) + (int(voxel[axis]) - grown) * side
        high = Fraction(float(grid.origin[axis])) + (int(voxel[axis]) + 1 + grown) * side
        normal = [Fraction(int(k == axis)) for k in range(3)]
        polygon = clip(polygon, normal, high)
        polygon = clip(polygon, [-x for x in normal], -low)
    return bool(polygon)
