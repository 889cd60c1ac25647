"""6-separating voxels of a surface: a thin set that no path of voxels connected across faces can pass.

``marking.py`` marks all voxels that a surface touches. A 26-connected path (across faces, edges and corners) cannot
pass a closed surface of these. A 6-connected path goes along the lines between centres of neighbouring voxels. So such
a path crosses the surface only where the surface meets one of the three lines of length 1 through a voxel's centre
along the axes, and it is enough to mark those voxels.

Sources: Huang, Yagel, Filippov, Kurzion, "An Accurate Method for Voxelizing Polygon Meshes" (VolVis 1998) for the
concept; Laine, "A Topological Approach to Voxelization" (EGSR 2013) for the lines as intersection targets.

A line along an axis meets the triangle if two conditions hold. Seen along that axis, its position is in the triangle's
projection, which is the intersection of the three strips between each edge and the opposite corner. And the plane is at
most half a voxel away along the axis. Both conditions are tested with the slack of ``cover.py``, whose error bound is
also valid here, and only for voxels that are marked there. So no such voxel is missed, and the result is a subset of
the voxels of ``cover.py``.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..jit import inlined, inner
from .bricks import Bricks, new_bricks, popcount
from .common_region import GridTriangles
from .cover import EDGE, FIRST_EDGE, prepare_shape
from .grid import Grid
from .marking import PIECE, begin_nothing, more_room, visit_all, want_all
from .voxelisation import make_voxeliser


class _Work(NamedTuple):
    slack: np.ndarray
    """(1,) [voxels]."""
    brick_size: np.ndarray


@inner
def _meets_centre_lines(shape, x, y, z):
    """Return whether the triangle may meet one of the lines through the centre (x, y, z) of a voxel."""
    normal = abs(shape[0]) + abs(shape[1]) + abs(shape[2])
    height = abs(shape[0] * x + shape[1] * y + shape[2] * z - shape[3])
    for axis in range(3):
        if height > shape[4] - 0.5 * (normal - abs(shape[axis])):
            continue
        s = y if axis == 0 else (z if axis == 1 else x)
        t = z if axis == 0 else (x if axis == 1 else y)
        inside = True
        for k in range(3):
            at = FIRST_EDGE + (3 * axis + k) * EDGE
            reach = shape[at + 3] - 0.5 * shape[at + 4]
            inside &= abs(shape[at] * s + shape[at + 1] * t - shape[at + 2]) <= reach
        if inside:
            return True
    return False


@inlined
def _visit(bricks, work, n, name, x0, x1, bits, shape):
    """Add the voxels whose centre lines the triangle meets."""
    prepare_shape(shape, work.slack[0])
    count_y, count_z = work.brick_size[1], work.brick_size[2]
    bz = name % count_z
    by = (name // count_z) % count_y
    bx = name // (count_z * count_y)
    for x in range(x0, x1 + 1):
        left, kept = bits[x], np.uint64(0)
        while left != np.uint64(0):
            lowest = left & (~left + np.uint64(1))
            left ^= lowest
            bit = popcount(lowest - np.uint64(1))
            if _meets_centre_lines(shape, 8 * bx + x + 0.5, 8 * by + (bit >> 3) + 0.5, 8 * bz + (bit & 7) + 0.5):
                kept |= lowest
        bits[x] = kept
    return visit_all(bricks, work, n, name, x0, x1, bits, shape)


_mark_thin = make_voxeliser(begin_nothing, want_all, _visit)


def separating_steps(thing: GridTriangles, grid: Grid, memory: int) -> Generator[float, None, Bricks]:
    """Mark the 6-separating voxels of an object's surface, in slices; yields the fraction done.

    The arguments and errors are the same as for ``mark_steps``.
    """
    bricks, work = new_bricks(), _Work(np.array([thing.slack]), grid.brick_size)
    done, count = 0, len(thing.chosen)
    while done < count:
        goal = min(count, done + PIECE)
        done = _mark_thin(*thing[:3], done, goal, grid.size, thing.slack, bricks, work)
        if done < goal:
            bricks = more_room(bricks, memory, grid)
        yield done / count
    return bricks
