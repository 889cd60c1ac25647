"""The point hierarchy as kernels see it, searches in it, and measurements of the spacing and noise of its points.

Layout. Nodes are as in ``hierarchy/bvh.py``. Points are in leaf order, (n, 3) float64, in the object's own
coordinates, so that no precision is lost far from the origin. Boxes are tight, float32, relative to ``origin``.
"""

import math
from typing import NamedTuple

import numpy as np

from ..geometry.elementary import exp_below
from ..jit import inner, kernel
from ..reference import by_reference
from ..volumes.aabb import clear, extend, merge
from .surface import (
    COUNT,
    CUTOFF,
    HORIZON2,
    INVERSE_H2,
    MEAN,
    SQUARES,
    SUMS_LENGTH,
    WEIGHT,
    add_points,
    solve,
    solve_plane,
)

SAMPLE_COUNT = 15
"""Largest number of sample points of a node (Klein and Zachmann store 15 to 30 numbers per node)."""

_RESIDUAL_BINS = 256
_LINE = 0.2
"""Ratio of the two larger eigenvalues of a covariance below which points form a line; at a straight border the ratio is
0.36.
"""
LINE = -2.0
"""Residual of a point around which the points form a line."""

STACK_SIZE = 192  # a depth-first walk keeps one sibling per level; the builder stays below 100 levels


class PointTree(NamedTuple):
    """All data of a cloud that queries need."""

    points: np.ndarray
    """The given points, (n, 3) float64 [m], in leaf order, object coordinates."""
    corrected: np.ndarray
    """The points that the surface is fitted to, relative to ``origin``, (n, 3) float64 [m]: the given points, or moved
    ones (``shrinkage.py``)."""
    normals: np.ndarray
    """(n, 3) float32 unit normals in leaf order; (0, 3) if there are none."""
    origin: np.ndarray
    """(3,) float64 [m]: origin of boxes and planes."""
    first: np.ndarray
    """First child of an inner node, or first point of a leaf, (nodes,) int32."""
    count: np.ndarray  # type: ignore[assignment]  # tuple.count is not needed
    """Number of points of a leaf, 0 for an inner node, (nodes,) int32."""
    totals: np.ndarray
    """Number of points below a node, (nodes,) int32."""
    boxes: np.ndarray
    """Tight boxes of the points and their corrected points, (nodes, 6) float32."""
    border_start: np.ndarray
    """Start of each node's border in ``border``, (nodes + 1,) int64; borders of inner nodes are empty."""
    border: np.ndarray
    """For each leaf the points outside it that are within the horizon of its box enlarged by the margin, int32."""
    samples: np.ndarray
    """Sample points of each node, (nodes, 15) int32; -1 where a node has fewer points."""
    planes: np.ndarray
    """(nodes, 6) float32. 0:3 is the unit normal of a node's mean plane, 3:5 the lowest and highest offset of points
    along it, and 5 is 1 for a leaf near which the surface ends."""
    parameters: np.ndarray
    """Parameters of the surface (``surface.py``), (6,) float64."""


@kernel
def fit_boxes(points, corrected, origin, first, count, boxes, done, limit):
    """Compute the boxes of the nodes bottom up, each rounded outward; return how many nodes are done.

    The kernel works from the last node to the first. The function skips the ``done`` last nodes, and stops after about
    ``limit`` points.
    """
    work = 0
    while done < first.shape[0] and work < limit:
        done += 1
        node = first.shape[0] - done
        begin = first[node]
        work += 1 + count[node]
        if count[node] == 0:
            merge(boxes[node], boxes[begin], boxes[begin + 1])
            continue
        clear(boxes[node])
        for i in range(begin, begin + count[node]):
            extend(boxes[node], points[i, 0] - origin[0], points[i, 1] - origin[1], points[i, 2] - origin[2])
            extend(boxes[node], corrected[i, 0], corrected[i, 1], corrected[i, 2])
    return done


@inner
def local_point(tree, i):
    """Return a corrected point, relative to the origin."""
    return (
        tree.points[i, 0] - tree.origin[0],
        tree.points[i, 1] - tree.origin[1],
        tree.points[i, 2] - tree.origin[2],
    )


@inner
def box_distance2(boxes, node, x, y, z):
    """Return the squared distance between a node's box and a point given relative to the origin."""
    total = 0.0
    for k, c in enumerate((x, y, z)):
        gap = max(boxes[node, k] - c, c - boxes[node, k + 3], 0.0)
        total += gap * gap
    return total


@inner
def _insert(best, value):
    """Insert a value into an ascending array, and drop the largest value."""
    k = best.shape[0] - 1
    while k > 0 and best[k - 1] > value:
        best[k] = best[k - 1]
        k -= 1
    best[k] = value


@inner
def _nearest_distances2(points, origin, first, count, boxes, x, best, stack):
    """Write the squared distances of the points nearest to x, ascending; if x is one of the points, x itself counts."""
    best[:] = np.inf
    local = (x[0] - origin[0], x[1] - origin[1], x[2] - origin[2])
    stack[0] = 0
    used = 1
    while used > 0:
        used -= 1
        node = stack[used]
        if box_distance2(boxes, node, local[0], local[1], local[2]) >= best[-1]:
            continue
        begin = np.int64(first[node])
        if count[node] == 0:
            left = box_distance2(boxes, begin, local[0], local[1], local[2])
            right = box_distance2(boxes, begin + 1, local[0], local[1], local[2])
            nearer_left = 1 if left <= right else 0
            stack[used] = begin + nearer_left
            stack[used + 1] = begin + 1 - nearer_left
            used += 2
            continue
        for i in range(begin, begin + count[node]):
            dx = points[i, 0] - x[0]
            dy = points[i, 1] - x[1]
            dz = points[i, 2] - x[2]
            d2 = dx * dx + dy * dy + dz * dz
            if d2 < best[-1]:
                _insert(best, d2)


@kernel
def neighbour_distances(points, origin, first, count, boxes, chosen, neighbours, out):
    """Write the distance [m] from each chosen point (k,) int64 to its ``neighbours``-th neighbour into (k,) float64."""
    best = np.empty(neighbours + 1)
    stack = np.empty(STACK_SIZE, np.int64)
    for k in range(chosen.shape[0]):
        i = chosen[k]
        x = (points[i, 0], points[i, 1], points[i, 2])
        _nearest_distances2(points, origin, first, count, boxes, x, best, stack)
        out[k] = math.sqrt(best[-1])


@inner
def _next_near(tree, local, stack, used):
    """Return the next leaf within the horizon of a point given relative to the origin, or -1.

    Returns (entries left on the stack, leaf).
    """
    while used > 0:
        used -= 1
        node = stack[used]
        if box_distance2(tree.boxes, node, local[0], local[1], local[2]) > tree.parameters[HORIZON2]:
            continue
        if tree.count[node] > 0:
            return used, node
        stack[used] = tree.first[node] + 1
        stack[used + 1] = tree.first[node]
        used += 2
    return 0, np.int64(-1)


@inner
def sum_around(tree, x, stack, sums):
    """Compute the sums over all points within the horizon of x, which is in object coordinates."""
    for k in range(SUMS_LENGTH):
        sums[k] = 0.0
    local = (x[0] - tree.origin[0], x[1] - tree.origin[1], x[2] - tree.origin[2])
    stack[0] = 0
    used, leaf = _next_near(tree, local, stack, 1)
    while leaf >= 0:
        begin = np.int64(tree.first[leaf])
        add_points(tree.corrected, tree.normals, begin, begin + tree.count[leaf], local, tree.parameters, sums)
        used, leaf = _next_near(tree, local, stack, used)


@inner
def _sort_residuals(tree, x, n, f, stack, bins):
    """Make a histogram of the distances between a plane and the points within the horizon of x, by their weights.

    The plane lies at f along n from x.
    """
    horizon2 = tree.parameters[HORIZON2]
    scale = bins.shape[0] / math.sqrt(horizon2)
    local = (x[0] - tree.origin[0], x[1] - tree.origin[1], x[2] - tree.origin[2])
    stack[0] = 0
    used, leaf = _next_near(tree, local, stack, 1)
    while leaf >= 0:
        for i in range(tree.first[leaf], tree.first[leaf] + tree.count[leaf]):
            dx, dy, dz = (
                tree.corrected[i, 0] - local[0],
                tree.corrected[i, 1] - local[1],
                tree.corrected[i, 2] - local[2],
            )
            d2 = dx * dx + dy * dy + dz * dz
            if d2 <= horizon2:
                b = int(abs(n[0] * dx + n[1] * dy + n[2] * dz - f) * scale)
                bins[min(b, bins.shape[0] - 1)] += exp_below(-d2 * tree.parameters[INVERSE_H2])
        used, leaf = _next_near(tree, local, stack, used)


@inner
def _quantile_bin(bins, weight):
    """Return the position, in bins, at which the cumulative weight of the bins reaches ``weight``."""
    before = 0.0
    for b in range(bins.shape[0]):
        if before + bins[b] >= weight:
            return b + (weight - before) / bins[b]
        before += bins[b]
    return np.float64(bins.shape[0])


@inner
def is_line(sums, n, ratio):
    """Return whether the points in the given sums spread along a line rather than over a plane with the normal n.

    ``ratio`` is that of the two larger eigenvalues of the covariance, below which points form a line. The two larger
    eigenvalues follow from the trace, the second invariant, and the smallest eigenvalue.
    """
    scale = 1.0 / sums[WEIGHT]
    x, y, z = sums[MEAN] * scale, sums[MEAN + 1] * scale, sums[MEAN + 2] * scale
    xx, xy, xz = sums[SQUARES] * scale - x * x, sums[SQUARES + 1] * scale - x * y, sums[SQUARES + 2] * scale - x * z
    yy, yz, zz = sums[SQUARES + 3] * scale - y * y, sums[SQUARES + 4] * scale - y * z, sums[SQUARES + 5] * scale - z * z
    least = n[0] * (xx * n[0] + 2.0 * (xy * n[1] + xz * n[2])) + n[1] * (yy * n[1] + 2.0 * yz * n[2]) + n[2] * zz * n[2]
    both = xx + yy + zz - least
    product = xx * yy + yy * zz + zz * xx - xy * xy - yz * yz - xz * xz - least * both
    return product * (1.0 + ratio) * (1.0 + ratio) < ratio * both * both


@kernel
def measure_residuals(tree, chosen, out):
    """Measure how far [m] points spread from their fitted plane, around the chosen points (k,) int64.

    The spread is the difference of the median and the 10th percentile, by weight; -1 if there are too few points;
    ``LINE`` where the points extend along a line, for example the points of a wire that is thinner than the horizon.
    Where two sheets cross, more than half of the weight lies on the nearer sheet; and both sides of a plate are equally
    far from the plane between them. So neither crossing sheets nor plates count as spread.
    """
    tree = by_reference(tree)
    sums = np.zeros(SUMS_LENGTH)
    stack = np.empty(STACK_SIZE, np.int64)
    bins = np.empty(_RESIDUAL_BINS)
    for k in range(chosen.shape[0]):
        i = chosen[k]
        x = (tree.points[i, 0], tree.points[i, 1], tree.points[i, 2])
        sum_around(tree, x, stack, sums)
        out[k] = -1.0
        if sums[COUNT] > tree.parameters[CUTOFF]:
            f, n = solve_plane(sums)
            if is_line(sums, n, _LINE):
                out[k] = LINE
                continue
            bins[:] = 0.0
            _sort_residuals(tree, x, n, f, stack, bins)
            spread = _quantile_bin(bins, 0.5 * sums[WEIGHT]) - _quantile_bin(bins, 0.1 * sums[WEIGHT])
            out[k] = spread * math.sqrt(tree.parameters[HORIZON2]) / _RESIDUAL_BINS


@kernel
def evaluate_many(tree, at, values, normals, valid):
    """Write f, normal and validity of the surface at points (k, 3), which are in object coordinates."""
    tree = by_reference(tree)
    sums = np.zeros(SUMS_LENGTH)
    stack = np.empty(STACK_SIZE, np.int64)
    for k in range(at.shape[0]):
        sum_around(tree, (at[k, 0], at[k, 1], at[k, 2]), stack, sums)
        f, n, there = solve(sums, tree.parameters)
        values[k] = f
        normals[k, 0] = n[0]
        normals[k, 1] = n[1]
        normals[k, 2] = n[2]
        valid[k] = there
