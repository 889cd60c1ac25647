"""Measure how much of each node's box its surface fills. This additional data makes any hierarchy an ADB-tree.

A box is cut into 4 x 4 x 4 cells. A cell is a *possible collision cell* if the area of the node's triangles inside it
is at least that of the largest plane piece that fits into it, a sqrt(b**2 + c**2) for sides a >= b >= c (Klein and
Zachmann 2003, definition 1), times ``SUITABLE``. Each node stores the number of these cells in one byte, and its height
in another.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..hierarchy.bvh import TreeParts
from ..hierarchy.refit import fit_volumes_steps
from ..jit import inlined, inner, kernel
from ..types.steps import run
from .spread import spread_steps

SIDE = 4
CELL_COUNT = SIDE**3
FLATTEST = 0.01
"""Minimum thickness of a box, as a fraction of its longest side, so that the boxes of flat pieces have a volume."""
SUITABLE = 0.38
"""Share of the largest plane piece that makes a possible collision cell. With the whole piece, hardly any cell of a
smooth surface would qualify. With this fraction, the probabilities of pairs of nodes are well calibrated
(``docs/decisions/0014``)."""
_LEAST_SPREAD, _MOST_SPREAD = 0.18, 0.38
_CORNERS = 12  # a triangle cut by six planes has at most nine corners
_VISITS = 2048
"""Number of triangles cut in one call of the kernel, counted once for each node that contains them: about two
milliseconds."""


class Filling(NamedTuple):
    """The augmentation of one hierarchy: for each node, how much of its box the surface fills."""

    boxes: np.ndarray
    """(n, 6) float32, relative to the hierarchy's origin; the hierarchy's volumes if its volumes are boxes."""
    cells: np.ndarray
    """Numbers of possible collision cells, (n,) uint8."""
    heights: np.ndarray
    """Number of edges on the longest path down to a leaf, (n,) uint8."""
    spread: float
    """Root mean square distance of the surface from its centroid, divided by the diagonal of its box (``spread.py``).
    The value is clamped to the range of the meshes to which the probabilities were fitted."""


def fill_steps(parts: TreeParts, volume: str) -> Generator[None, None, Filling]:
    """Compute the augmentation of a tree whose volumes are of one kind, in steps of a few milliseconds."""
    tree, (vertices, triangles) = parts.tree, parts.mesh.arrays
    boxes = boxes_of(parts, volume)
    cells, heights = np.empty(len(tree.first), np.uint8), np.empty(len(tree.first), np.uint8)
    begins, ends = np.empty((2, len(tree.first)), np.int32)
    _measure(tree.first, tree.count, begins, ends, heights)
    state, areas = np.zeros(2, np.int64), np.zeros(CELL_COUNT)
    while not _count_cells(
        begins, ends, tree.order, boxes, parts.origin, vertices, triangles, _VISITS, state, areas, cells
    ):
        yield
    spread = yield from spread_steps(parts.mesh)
    return Filling(boxes, cells, heights, min(max(spread, _LEAST_SPREAD), _MOST_SPREAD))


def boxes_of(parts: TreeParts, volume: str) -> np.ndarray:
    """Return the boxes of the nodes, (n, 6) float32 relative to the origin: the volumes of the tree if these are
    boxes.
    """
    if volume == "aabb":
        return parts.volumes
    boxes = np.empty((len(parts.tree.first), 6), np.float32)
    run(fit_volumes_steps(parts.tree, *parts.mesh.arrays, parts.origin, "aabb", boxes))
    return boxes


@kernel
def _measure(first, count, begins, ends, heights):
    """Compute the range of ``order`` below each node, and its height, bottom up."""
    for node in range(first.shape[0] - 1, -1, -1):
        left = first[node]
        if count[node] > 0:
            begins[node] = left
            ends[node] = left + count[node]
            heights[node] = 0
        else:
            begins[node] = min(begins[left], begins[left + 1])
            ends[node] = max(ends[left], ends[left + 1])
            heights[node] = min(1 + max(heights[left], heights[left + 1]), 255)


@kernel
def _count_cells(begins, ends, order, boxes, origin, vertices, triangles, visits, state, areas, cells):
    """Count possible collision cells, working through ``visits`` triangles; return whether all nodes are done.

    The kernel resumes from ``state`` (node, how many of its triangles are done). ``areas`` (CELL_COUNT,) contains the
    areas in the cells of the unfinished node.
    """
    sides = np.empty(3)
    polygons = np.empty((4, _CORNERS, 3))
    for node in range(state[0], begins.shape[0]):
        box = boxes[node]
        for axis in range(3):
            sides[axis] = (np.float64(box[3 + axis]) - np.float64(box[axis])) / SIDE
        for entry in range(begins[node] + state[1], ends[node]):
            if visits == 0:
                state[0], state[1] = node, entry - begins[node]
                return False
            visits -= 1
            t = order[entry]
            for corner in range(3):
                for axis in range(3):
                    polygons[0, corner, axis] = vertices[triangles[t, corner], axis] - origin[axis] - box[axis]
            _share_out(polygons, sides, areas)
        enough = SUITABLE * _largest_piece(sides)
        filled = 0
        for c in range(CELL_COUNT):
            filled += areas[c] >= enough and areas[c] > 0.0
        cells[node] = filled
        areas[:] = 0.0
        state[1] = 0
    return True


@inlined
def _largest_piece(sides):
    """Return the area of the largest plane piece in a cuboid."""
    a = max(sides[0], sides[1], sides[2])
    squares = sides[0] * sides[0] + sides[1] * sides[1] + sides[2] * sides[2] - a * a
    return a * np.sqrt(max(squares, 0.0))


@inner
def _share_out(polygons, sides, areas):
    """Add the area of a triangle, ``polygons[0]``, to its cells: the triangle is cut into slabs, then bars, then
    cells.
    """
    low_x, high_x = _slabs(polygons[0], 3, 0, sides)
    low_y, high_y = _slabs(polygons[0], 3, 1, sides)
    low_z, high_z = _slabs(polygons[0], 3, 2, sides)
    if low_x == high_x and low_y == high_y and low_z == high_z:
        areas[SIDE * (SIDE * low_x + low_y) + low_z] += _area(polygons[0], 3)
        return
    for i in range(low_x, high_x + 1):
        in_slab = _cut(polygons[0], 3, 0, i, low_x, high_x, sides, polygons[1], polygons[3])
        if in_slab < 3:
            continue
        low_y, high_y = _slabs(polygons[1], in_slab, 1, sides)
        for j in range(low_y, high_y + 1):
            in_bar = _cut(polygons[1], in_slab, 1, j, low_y, high_y, sides, polygons[2], polygons[3])
            if in_bar < 3:
                continue
            low_z, high_z = _slabs(polygons[2], in_bar, 2, sides)
            if low_z == high_z:
                areas[SIDE * (SIDE * i + j) + low_z] += _area(polygons[2], in_bar)
                continue
            for k in range(low_z, high_z + 1):
                in_cell = _cut_cell(polygons, in_bar, k, low_z, high_z, sides)
                areas[SIDE * (SIDE * i + j) + k] += in_cell


@inner
def _cut_cell(polygons, count, k, low, high, sides):
    """Return the area of the part of ``polygons[2]`` that lies between two planes z = const."""
    piece = np.empty((_CORNERS, 3))
    left = _cut(polygons[2], count, 2, k, low, high, sides, piece, polygons[3])
    return _area(piece, left) if left >= 3 else 0.0


@inner
def _slabs(polygon, count, axis, sides):
    """Return the first and the last slab across an axis that a polygon reaches."""
    low, high = polygon[0, axis], polygon[0, axis]
    for c in range(1, count):
        low = min(low, polygon[c, axis])
        high = max(high, polygon[c, axis])
    if not sides[axis] > 0.0:
        return 0, 0
    first = min(max(int(low / sides[axis]), 0), SIDE - 1)
    return first, min(max(int(high / sides[axis]), first), SIDE - 1)


@inner
def _cut(polygon, count, axis, slab, low, high, sides, piece, spare):
    """Write the part of a polygon in one of the slabs low..high that it reaches to ``piece``.

    Returns its number of corners.
    """
    if low == high:
        for c in range(count):
            for k in range(3):
                piece[c, k] = polygon[c, k]
        return count
    if slab == low:
        return _clip(polygon, count, axis, -1.0, (slab + 1) * sides[axis], piece)
    if slab == high:
        return _clip(polygon, count, axis, 1.0, slab * sides[axis], piece)
    return _clip(
        spare, _clip(polygon, count, axis, 1.0, slab * sides[axis], spare), axis, -1.0, (slab + 1) * sides[axis], piece
    )


@inner
def _clip(polygon, count, axis, sign, limit, piece):
    """Clip a convex polygon at an axis-aligned plane (Sutherland and Hodgman); return the number of corners left."""
    kept = 0
    for c in range(count):
        after = c + 1 if c + 1 < count else 0
        here = sign * (polygon[c, axis] - limit)
        there = sign * (polygon[after, axis] - limit)
        if here >= 0.0:
            for k in range(3):
                piece[kept, k] = polygon[c, k]
            kept += 1
        if (here >= 0.0) != (there >= 0.0):
            share = here / (here - there)
            for k in range(3):
                piece[kept, k] = polygon[c, k] + share * (polygon[after, k] - polygon[c, k])
            kept += 1
    return kept


@inner
def _area(polygon, count):
    """Return the area of a convex polygon."""
    x = y = z = 0.0
    for c in range(1, count - 1):
        ux, uy, uz = polygon[c, 0] - polygon[0, 0], polygon[c, 1] - polygon[0, 1], polygon[c, 2] - polygon[0, 2]
        vx, vy, vz = (
            polygon[c + 1, 0] - polygon[0, 0],
            polygon[c + 1, 1] - polygon[0, 1],
            polygon[c + 1, 2] - polygon[0, 2],
        )
        x += uy * vz - uz * vy
        y += uz * vx - ux * vz
        z += ux * vy - uy * vx
    return 0.5 * np.sqrt(x * x + y * y + z * z)
