"""Areas and volumes that a closed surface contributes to each voxel: its triangles are cut at the planes of the grid.

Follow a vertical line downwards. The winding number w grows by one at each triangle that faces up, and shrinks by one
at each triangle that faces down. So over the square of a voxel's column, the integral of w on the voxel's lower face
is that on its upper face plus the signed projected areas of the triangles inside. The integral of w over the voxel is
that on its upper face plus, for each triangle inside, the integral of z - z0 over its projection, where z0 is the
height of the lower face.

A point in a plane of the grid belongs only to the voxel above it (with larger coordinates), so that a face in the plane
counts once. Triangles are cut at z first: while they have three corners, the pieces of all heights have exactly the
projected area of the whole. If they were cut at z last, a face that is level except for rounding could come apart.

Error bound. Cutting moves a surface by at most 10 u M at each of six planes, and its coordinates have an error of 3.1 u
M (``cover.py`` defines u and M). Otherwise, the parts of a triangle at all heights of a column are cut in the same way
at x and y. In a voxel with sides of 1, moving a piece by e changes areas and volumes by less than 5 e, which
``PIECE_ERROR`` (M + 1) covers. A level face may fall into another voxel of its column, which only changes the voxel of
the column in which it is counted.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..jit import inlined, inner, kernel
from .bricks import Bricks, find_brick, popcount
from .common_region import GridTriangles
from .cover import CORNERS, SLACK
from .grid import Grid
from .marking import PIECE, want_all
from .voxelisation import make_voxeliser

PIECE_ERROR = 512 * 2.0**-53
"""Error of the area or volume of one triangle in one voxel, in units of the voxel, for coordinates up to 1."""
_MOST_CORNERS = 28  # of a triangle cut by six planes: each cut multiplies the corners by at most 1.5


class Pieces(NamedTuple):
    """Contributions of a surface to the voxels that it touches, and to columns from above; in units of the voxel."""

    ranks: np.ndarray
    """Number of the first voxel of each word, (bricks, 8) int64."""
    areas: np.ndarray
    """Signed projected areas, (voxels,) float64."""
    volumes: np.ndarray
    """Integrals of the height above the voxel's lower face, (voxels,) float64."""
    counts: np.ndarray
    """Number of triangles, (voxels,) int64."""
    top: np.ndarray
    """Integrals of the winding number over the top of each column of the grid, (x, y) float64."""
    top_counts: np.ndarray
    """Number of triangles in each of these columns, (x, y) int64."""


class _Work(NamedTuple):
    pieces: Pieces
    signs: np.ndarray
    """(chosen,) int8: -1 for triangles to flip."""
    brick_size: np.ndarray
    polygons: np.ndarray
    """Polygons before and after a cut, (2, 28, 3) float64."""


@inner
def _cut(polygons, source, count, axis, bound, sign):
    """Cut a polygon: keep the part whose coordinate is >= bound (sign 1) or < bound (sign -1).

    The result is in the other row of ``polygons``; returns the number of corners of the result. With either sign,
    corners may lie in the plane.
    """
    target, kept = 1 - source, 0
    for k in range(count):
        following = k + 1 if k + 1 < count else 0
        above, next_above = polygons[source, k, axis] >= bound, polygons[source, following, axis] >= bound
        if above == (sign > 0.0):
            for c in range(3):
                polygons[target, kept, c] = polygons[source, k, c]
            kept += 1
        if above != next_above:
            # Start at the lower end, so that both sides of the plane get the same corner.
            low, high = (following, k) if above else (k, following)
            start, end = polygons[source, low, axis], polygons[source, high, axis]
            t = (bound - start) / (end - start)
            for c in range(3):
                a, b = polygons[source, low, c], polygons[source, high, c]
                polygons[target, kept, c] = a + t * (b - a)
            polygons[target, kept, axis] = bound
            kept += 1
    return kept


@inner
def _measure(polygons, source, count, floor):
    """Return the signed projected area of a polygon, and the integral of its height above ``floor``."""
    area, volume = 0.0, 0.0
    x0, y0, z0 = polygons[source, 0, 0], polygons[source, 0, 1], polygons[source, 0, 2]
    for k in range(1, count - 1):
        ux, uy = polygons[source, k, 0] - x0, polygons[source, k, 1] - y0
        vx, vy = polygons[source, k + 1, 0] - x0, polygons[source, k + 1, 1] - y0
        part = 0.5 * (ux * vy - uy * vx)
        height = (z0 - floor) + (polygons[source, k, 2] - floor) + (polygons[source, k + 1, 2] - floor)
        area += part
        volume += part * height * (1.0 / 3.0)
    return area, volume


@inner
def _load(shape, polygons):
    """Write the triangle as a polygon to row 0."""
    for corner in range(3):
        for axis in range(3):
            polygons[0, corner, axis] = shape[CORNERS + 3 * corner + axis]


@inner
def _cut_to_column(polygons, source, count, x, y):
    """Cut a polygon to a column, with the result in the same row; return its number of corners."""
    count = _cut(polygons, source, count, 0, np.float64(x), 1.0)
    count = _cut(polygons, 1 - source, count, 0, np.float64(x + 1), -1.0)
    count = _cut(polygons, source, count, 1, np.float64(y), 1.0)
    return _cut(polygons, 1 - source, count, 1, np.float64(y + 1), -1.0)


@inner
def _add_piece(shape, work, n, voxel, x, y, z):
    """Add the contribution of the triangle to a voxel."""
    polygons = work.polygons
    work.pieces.counts[voxel] += 1
    _load(shape, polygons)
    count = _cut(polygons, 0, 3, 2, np.float64(z), 1.0)
    count = _cut(polygons, 1, count, 2, np.float64(z + 1), -1.0)
    count = _cut_to_column(polygons, 0, count, x, y)
    if count > 2:
        area, volume = _measure(polygons, 0, count, np.float64(z))
        work.pieces.areas[voxel] += work.signs[n] * area
        work.pieces.volumes[voxel] += work.signs[n] * volume


@inlined
def _begin(work):
    """Do nothing, because the parts of a triangle always fit."""


@inlined
def _visit(bricks, work, n, name, x0, x1, bits, shape):
    brick = find_brick(bricks, name)
    count_y, count_z = work.brick_size[1], work.brick_size[2]
    bz = name % count_z
    by = (name // count_z) % count_y
    bx = name // (count_z * count_y)
    if brick < 0:
        return True
    for x in range(x0, x1 + 1):
        left, all_bits, rank = bits[x], bricks.words[brick, x], work.pieces.ranks[brick, x]
        while left != np.uint64(0):
            lowest = left & (~left + np.uint64(1))
            left ^= lowest
            bit = popcount(lowest - np.uint64(1))
            voxel = rank + popcount(all_bits & (lowest - np.uint64(1)))
            _add_piece(shape, work, n, voxel, 8 * bx + x, 8 * by + (bit >> 3), 8 * bz + (bit & 7))
    return True


_add_pieces = make_voxeliser(_begin, want_all, _visit)


@kernel
def _add_from_above(points, triangles, chosen, first, last, size, signs, top, top_counts, polygons, shape):
    """Add the projected areas of the parts of triangles above the grid, column by column."""
    ceiling = np.float64(size[2])
    for n in range(first, last):
        t = chosen[n]
        low, high = np.full(2, np.inf), np.full(2, -np.inf)
        highest = -np.inf
        for corner in range(3):
            v = triangles[t, corner]
            for axis in range(3):
                shape[CORNERS + 3 * corner + axis] = points[v, axis]
            for axis in range(2):
                low[axis], high[axis] = min(low[axis], points[v, axis]), max(high[axis], points[v, axis])
            highest = max(highest, points[v, 2])
        if highest < ceiling:
            continue
        x0, x1 = max(np.int64(np.floor(low[0])), 0), min(np.int64(np.floor(high[0])), size[0] - 1)
        y0, y1 = max(np.int64(np.floor(low[1])), 0), min(np.int64(np.floor(high[1])), size[1] - 1)
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                _load(shape, polygons)
                count = _cut(polygons, 0, 3, 2, ceiling, 1.0)
                count = _cut_to_column(polygons, 1, count, x, y)
                if count > 2:
                    area, _ = _measure(polygons, 1, count, ceiling)
                    top[x, y] += signs[n] * area
                    top_counts[x, y] += 1


def piece_steps(
    thing: GridTriangles, grid: Grid, bricks: Bricks, ranks: np.ndarray, total: int, signs: np.ndarray
) -> Generator[float, None, Pieces]:
    """Compute the contributions of a surface to each of its voxels, in slices; yields the fraction done.

    Args:
        thing, grid: the object on its grid, including its triangles above the grid.
        bricks: voxels of the surface.
        ranks, total: the result of ``rank_words`` for the voxels.
        signs: (chosen,) int8: -1 for triangles to flip.
    """
    columns = (int(grid.size[0]), int(grid.size[1]))
    pieces = Pieces(
        ranks, np.zeros(total), np.zeros(total), np.zeros(total, np.int64), np.zeros(columns),
        np.zeros(columns, np.int64),
    )  # fmt: skip
    work = _Work(pieces, signs, grid.brick_size, np.empty((2, _MOST_CORNERS, 3)))
    shape, count = np.empty(CORNERS + 9), len(thing.chosen)
    for first in range(0, count, PIECE):
        last = min(count, first + PIECE)
        _add_pieces(*thing[:3], first, last, grid.size, thing.slack, bricks, work)
        _add_from_above(
            *thing[:3], first, last, grid.size, signs, pieces.top, pieces.top_counts, work.polygons, shape
        )  # fmt: skip
        yield last / count
    return pieces


def piece_error(thing: GridTriangles) -> float:
    """Return the error bound for the area or volume of one triangle in one voxel, in units of the voxel."""
    return PIECE_ERROR * (thing.slack / SLACK)
