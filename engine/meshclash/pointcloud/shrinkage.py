"""Move points to undo the shrinkage of the surface that is fitted to them.

Where points are curved, the plane through their weighted mean lies on the inner side, on a sphere of radius R by
h^2 / 2R. Twicing (Tukey, "Exploratory Data Analysis", 1977) fits the residuals of the first fit once more. They point
from the surface out to the points. So the surface is fitted not to the points but to *corrected points*, which are
moved by the mean of the residuals around them. Queries do not become slower. With the weights w of the surface:

r_i = -f(p_i) n(p_i);  d_i = sum w_ij r_j / sum w_ij;  v_i = sum w_ij^2 |r_j - d_i|^2 / (sum w_ij)^2;
c_i = p_i + min(1 - 9 v_i / |d_i|^2, r_i . d_i / |d_i|^2) d_i, where that factor is positive.

v is the variance of the mean d. Where noise or an edge makes residuals differ, a mean below three standard deviations
is ignored, and a larger mean is reduced (as James and Stein shrink a mean, 1961), so the surface stays nearly the
uncorrected one. A point never moves farther than its own residual reaches; otherwise flat parts next to edges would be
lifted. The move of a point is also at most h / 2.
"""

import math

import numpy as np

from ..geometry.elementary import exp_below
from ..jit import inner, kernel
from ..reference import by_reference
from .surface import HORIZON2, INVERSE_H2, NO_NORMALS, SUMS_LENGTH, evaluate_among
from .tree import local_point

_BELIEVED = 9.0  # squared mean residual over its variance: three standard deviations
_LONGEST2 = 0.25  # squared, in bandwidths
_MOST_NEIGHBOURS = 1024  # most points of a leaf and its border that are used; if more, every second, third, ...


def new_neighbours() -> tuple[np.ndarray, np.ndarray]:
    """Return empty arrays for the points of a leaf and its border: places in the tree, and coordinates relative to the
    origin."""
    return np.empty(_MOST_NEIGHBOURS, np.int64), np.empty((_MOST_NEIGHBOURS, 3))


@inner
def _gather(tree, leaf, neighbours):
    """Collect the points of a leaf and its border, or an even selection if there are too many; return their number."""
    places, points = neighbours
    own = tree.count[leaf]
    start = tree.border_start[leaf]
    total = own + tree.border_start[leaf + 1] - start
    used = 0
    for entry in range(0, total, 1 + (total - 1) // _MOST_NEIGHBOURS):
        i = np.int64(tree.first[leaf] + entry if entry < own else tree.border[start + entry - own])
        places[used] = i
        points[used, 0], points[used, 1], points[used, 2] = local_point(tree, i)
        used += 1
    return used


@inner
def _next_piece(tree, neighbours, state, limit):
    """Return the range (begin, end) of the points of a leaf to process next, and the number of neighbours that each
    point visits.

    ``state`` is advanced as if they were processed.
    """
    node, done, work = state[0], state[1], state[2]
    count = tree.count[node]
    used = _gather(tree, node, neighbours) if count > 0 else 1
    end = min(np.int64(count), done + 1 + max(0, limit - work) // used)
    state[0] = node + 1 if end == count else node
    state[1] = 0 if end == count else end
    state[2] = work + 1 + used * (end - done)
    return tree.first[node] + done, tree.first[node] + end, used


@kernel
def measure_shortfalls(tree, neighbours, residuals, state, limit):
    """Write the vector [m] from the surface to each point into (n, 3) float32; 0 where the surface does not exist.

    Borders must reach to the horizon. The kernel resumes from ``state`` (3,): a node, how many of its points are done,
    and the number of neighbours visited in this call. The kernel stops after about ``limit`` neighbours and returns the
    node.
    """
    tree = by_reference(tree)
    sums = np.zeros(SUMS_LENGTH)
    state[2] = 0
    while state[0] < tree.first.shape[0] and state[2] < limit:
        begin, end, used = _next_piece(tree, neighbours, state, limit)
        for i in range(begin, end):
            f, n, there = evaluate_among(
                neighbours[1], NO_NORMALS, used, local_point(tree, i), tree.parameters, sums
            )  # fmt: skip
            for k in range(3):
                residuals[i, k] = -f * n[k] if there else 0.0
    return state[0]


@inner
def _mean_residual(neighbours, used, x, own, residuals, parameters):
    """Return the mean of the residuals around x, times the factor described in the module docstring."""
    places, points = neighbours
    weight = weight2 = square = 0.0
    sx = sy = sz = tx = ty = tz = 0.0
    for j in range(used):
        dx = points[j, 0] - x[0]
        dy = points[j, 1] - x[1]
        dz = points[j, 2] - x[2]
        d2 = dx * dx + dy * dy + dz * dz
        if d2 > parameters[HORIZON2]:
            continue
        w = exp_below(-d2 * parameters[INVERSE_H2])
        rx = np.float64(residuals[places[j], 0])
        ry = np.float64(residuals[places[j], 1])
        rz = np.float64(residuals[places[j], 2])
        weight += w
        sx += w * rx
        sy += w * ry
        sz += w * rz
        w *= w
        weight2 += w
        tx += w * rx
        ty += w * ry
        tz += w * rz
        square += w * (rx * rx + ry * ry + rz * rz)
    if not weight > 0.0:
        return 0.0, 0.0, 0.0
    sx /= weight
    sy /= weight
    sz /= weight
    mean2 = sx * sx + sy * sy + sz * sz
    variance = (square - 2.0 * (tx * sx + ty * sy + tz * sz) + weight2 * mean2) / (weight * weight)
    if not mean2 > _BELIEVED * variance:
        return 0.0, 0.0, 0.0
    share = 1.0 - _BELIEVED * variance / mean2
    longest2 = _LONGEST2 / parameters[INVERSE_H2]
    along = (np.float64(own[0]) * sx + np.float64(own[1]) * sy + np.float64(own[2]) * sz) / mean2
    share = min(share, math.sqrt(longest2 / mean2), max(0.0, along))
    return share * sx, share * sy, share * sz


@kernel
def move_points(tree, neighbours, residuals, state, limit):
    """Set the corrected points to the points moved by the mean residuals; in slices like ``measure_shortfalls``."""
    tree = by_reference(tree)
    state[2] = 0
    while state[0] < tree.first.shape[0] and state[2] < limit:
        begin, end, used = _next_piece(tree, neighbours, state, limit)
        for i in range(begin, end):
            x = local_point(tree, i)
            way = _mean_residual(neighbours, used, x, residuals[i], residuals, tree.parameters)
            for k in range(3):
                tree.corrected[i, k] = x[k] + way[k]
    return state[0]
