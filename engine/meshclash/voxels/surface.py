"""``voxelise``: compute the voxels of one surface."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import UnsupportedOption
from ..hierarchy.bvh import MeshLike
from ..jit import thread_limit
from ..messages import shown
from ..types.pose import PoseLike
from ..types.steps import run
from .bricks import list_voxels
from .collide import mesh_of, single_pose
from .common_region import choose, place, put_on_grid
from .grid import Grid, checked_fineness, make_grid
from .marking import mark_steps
from .separating_voxels import separating_steps

THIN, WHOLE = 6, 26


class SurfaceVoxels(NamedTuple):
    """The voxels that a surface touches."""

    voxels: np.ndarray
    """(k, 3) int32, in an order that depends only on the grid."""
    grid: Grid
    """The grid of the voxels."""
    slack: float
    """By how much the surface may miss a voxel that is reported, in voxels. The slack is needed for very thin
    triangles; other triangles miss a reported voxel by at most a millionth of its size."""

    @property
    def boxes(self) -> np.ndarray:
        """The lowest and the highest corner of each voxel in world coordinates, (k, 2, 3) float64 [m]."""
        return self.grid.boxes(self.voxels)


def voxelise(
    mesh: MeshLike,
    pose: PoseLike = None,
    *,
    resolution: int | None = None,
    voxel_size: float | None = None,
    separating: int = WHOLE,
    threads: int | None = None,
    memory: int | None = None,
) -> SurfaceVoxels:
    """Return the voxels of a surface, in a grid that covers the bounding box of the object.

    Args:
        mesh: a mesh, or a hierarchy, whose mesh is used.
        pose: None (identity), a Pose or a rigid (4, 4) matrix.
        resolution, voxel_size, memory: as ``voxel_collide``; 256 voxels along the longest side by default.
        separating: 26: all voxels that the surface touches; no path from voxel to voxel across faces, edges and corners
            can pass a closed surface. 6: a thin subset of these voxels, which no path across faces alone can pass.
        threads: maximum number of threads for 26; the result does not depend on it.

    Raises:
        InvalidMesh, InvalidPose, UnsupportedOption: as for ``voxel_collide``; ``separating`` is neither 6 nor 26.

    Example:
        >>> import meshclash as mc
        >>> len(mc.voxels.voxelise(mc.shapes.box(1.0), resolution=4).voxels)
        56
    """
    fineness, threads = checked_fineness(resolution, voxel_size, memory), thread_limit(threads)
    if not isinstance(separating, int | np.integer) or separating not in (THIN, WHOLE):
        raise UnsupportedOption(f"separating must be {THIN} or {WHOLE}, not {shown(separating)}")
    surface = mesh_of("mesh", mesh)
    corners, bounds = place(surface, single_pose("pose", pose))
    placed = choose(surface, corners, bounds, bounds[0], bounds[1])
    grid = make_grid(bounds[0], bounds[1], placed.farthest, fineness)
    thing = put_on_grid(placed, grid)
    whole = separating == WHOLE
    steps = (
        mark_steps(thing, grid, fineness.memory, threads) if whole else separating_steps(thing, grid, fineness.memory)
    )
    return SurfaceVoxels(list_voxels(run(steps), grid.brick_size), grid, thing.worst_slack)
