"""Drop the triangles that cannot share a voxel with the other object, before voxels are marked.

The grid is divided into coarser cells of a few voxels along each side. A triangle is kept if its box reaches a cell
that is also reached by the box of a triangle of the other object. Finding the cells of a box takes a tenth of the time
of marking the triangle's voxels.
"""

from collections.abc import Generator, Sequence

import numpy as np

from ..jit import inlined, kernel
from .common_region import GridTriangles
from .cover import SHAPE_LENGTH
from .grid import Grid
from .voxelisation import SPAN_LENGTH, load_triangle

_PIECE = 1 << 17  # triangles per kernel call: a millisecond
_MOST_CELLS = 1 << 22
"""Maximum number of cells; each takes a byte."""
_FINEST = 1
"""Binary logarithm of the smallest side of a cell [voxels]: smaller cells drop more triangles, but take longer."""
_MOST_OF_ONE = 512
"""A triangle that reaches more cells than this limit counts as reaching all cells."""


@inlined
def _cells_of(span, shift):
    """Return the number of cells in the range of a triangle."""
    return (
        ((span[3] >> shift) - (span[0] >> shift) + 1)
        * ((span[4] >> shift) - (span[1] >> shift) + 1)
        * ((span[5] >> shift) - (span[2] >> shift) + 1)
    )


@kernel
def _reach(points, triangles, chosen, first, last, size, slack, shift, reached):
    """Mark the cells (x, y, z) with sides of 1 << shift voxels that triangles reach; False if one reaches too many."""
    shape, span = np.empty(SHAPE_LENGTH), np.empty(SPAN_LENGTH, np.int64)
    for n in range(first, last):
        if not load_triangle(points, triangles, chosen[n], slack, size, shape, span):
            continue
        if _cells_of(span, shift) > _MOST_OF_ONE:
            return False
        for x in range(span[0] >> shift, (span[3] >> shift) + 1):
            for y in range(span[1] >> shift, (span[4] >> shift) + 1):
                for z in range(span[2] >> shift, (span[5] >> shift) + 1):
                    reached[x, y, z] = True
    return True


@kernel
def _keep(points, triangles, chosen, first, last, size, slack, shift, reached, kept, count):
    """Append the triangles that reach a marked cell to the ``count`` triangles in ``kept``; return the new count."""
    shape, span = np.empty(SHAPE_LENGTH), np.empty(SPAN_LENGTH, np.int64)
    for n in range(first, last):
        if not load_triangle(points, triangles, chosen[n], slack, size, shape, span):
            continue
        some = _cells_of(span, shift) > _MOST_OF_ONE
        for x in range(span[0] >> shift, (span[3] >> shift) + 1):
            for y in range(span[1] >> shift, (span[4] >> shift) + 1):
                for z in range(span[2] >> shift, (span[5] >> shift) + 1):
                    some |= reached[x, y, z]
        kept[count] = chosen[n]
        count += some
    return count


def culled_steps(things: Sequence[GridTriangles], grid: Grid) -> Generator[float, None, list[GridTriangles]]:
    """Return two objects with only the triangles that may share a voxel, in slices; yields the fraction done."""
    first, second = things
    shift = _FINEST
    while np.prod((grid.size >> shift) + 1.0) > _MOST_CELLS:
        shift += 1
    across = tuple(((grid.size >> shift) + 1).tolist())
    for step in range(2):  # cull the second object by the first, then the first by the rest of the second
        reached = np.zeros(across, np.bool_)
        if not (yield from _reach_steps(first, grid, shift, reached, 0.5 * step)):
            reached[:] = True
        second = yield from _keep_steps(second, grid, shift, reached, 0.25 + 0.5 * step)
        first, second = second, first
    return [first, second]


def _reach_steps(
    thing: GridTriangles, grid: Grid, shift: int, reached: np.ndarray, low: float
) -> Generator[float, None, bool]:
    count = len(thing.chosen)
    for begin in range(0, count, _PIECE):
        end = min(count, begin + _PIECE)
        if not _reach(*thing[:3], begin, end, grid.size, thing.slack, shift, reached):
            return False
        yield low + 0.25 * end / count
    return True


def _keep_steps(
    thing: GridTriangles, grid: Grid, shift: int, reached: np.ndarray, low: float
) -> Generator[float, None, GridTriangles]:
    count, found = len(thing.chosen), 0
    kept = np.empty(count, np.int32)
    for begin in range(0, count, _PIECE):
        end = min(count, begin + _PIECE)
        found = _keep(*thing[:3], begin, end, grid.size, thing.slack, shift, reached, kept, found)
        yield low + 0.25 * end / count
    return thing._replace(chosen=kept[:found])
