"""Mean planes of nodes, by which priorities and leaf tests tell the sides of a node's surface; and rims of leaves.

To find rims, each tested point of a leaf is moved by a sampling radius away from the mean of the points around it. If
the mean around the moved position lies far from it, the surface ends there. Inside a surface the mean follows the moved
position, however uneven the points are.
"""

import math

import numpy as np

from ..geometry.elementary import exp_below
from ..jit import inner, kernel
from ..reference import by_reference
from .surface import HORIZON2, INVERSE_H2, MARGIN, SAMPLING_RADIUS, smallest_eigenvector

BESIDE_RIM = 0.5
"""Minimum distance, in bandwidths, of a position at a rim from the mean of the points around it. At a straight border
0.56."""
_INWARD = 0.25
"""A point closer than this value, in bandwidths, to the mean of the points around it is inside a surface. At a border
the distance is 0.3 to 0.56."""


@inner
def _mean_normal(tree, node, begin, end):
    """Return the normal of the plane that best fits the points of a node; about 256 of them are used."""
    middle = (
        0.5 * (np.float64(tree.boxes[node, 0]) + np.float64(tree.boxes[node, 3])),
        0.5 * (np.float64(tree.boxes[node, 1]) + np.float64(tree.boxes[node, 4])),
        0.5 * (np.float64(tree.boxes[node, 2]) + np.float64(tree.boxes[node, 5])),
    )
    sx = sy = sz = xx = xy = xz = yy = yz = zz = total = 0.0
    for i in range(begin, end, max(1, (end - begin) // 256)):
        dx = tree.corrected[i, 0] - middle[0]
        dy = tree.corrected[i, 1] - middle[1]
        dz = tree.corrected[i, 2] - middle[2]
        total += 1.0
        sx += dx
        sy += dy
        sz += dz
        xx += dx * dx
        xy += dx * dy
        xz += dx * dz
        yy += dy * dy
        yz += dy * dz
        zz += dz * dz
    return smallest_eigenvector(
        xx - sx * sx / total, xy - sx * sy / total, xz - sx * sz / total,
        yy - sy * sy / total, yz - sy * sz / total, zz - sz * sz / total,
    )  # fmt: skip


@inner
def _offset(tree, n, i):
    offset = 0.0
    for k in range(3):
        offset += n[k] * tree.corrected[i, k]
    return offset


@inner
def _way_to_mean(tree, node, x):
    """Return the vector from x to the weighted mean of the points of a leaf and its border around x, and its length."""
    sharpness, horizon2 = -tree.parameters[INVERSE_H2], tree.parameters[HORIZON2]
    weight = sx = sy = sz = 0.0
    own, start = tree.count[node], tree.border_start[node]
    for entry in range(own + tree.border_start[node + 1] - start):
        i = np.int64(tree.first[node] + entry if entry < own else tree.border[start + entry - own])
        dx, dy, dz = tree.corrected[i, 0] - x[0], tree.corrected[i, 1] - x[1], tree.corrected[i, 2] - x[2]
        d2 = dx * dx + dy * dy + dz * dz
        if d2 <= horizon2:
            w = exp_below(d2 * sharpness)
            weight += w
            sx += w * dx
            sy += w * dy
            sz += w * dz
    inverse = 1.0 / max(weight, 1e-300)
    way = (sx * inverse, sy * inverse, sz * inverse)
    return way, math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])


@inner
def _has_rim(tree, node):
    """Return whether the surface of a leaf ends near the leaf. Every second point is tested."""
    bandwidth = 1.0 / math.sqrt(tree.parameters[INVERSE_H2])
    for i in range(tree.first[node], tree.first[node] + tree.count[node], 2):
        x = (tree.corrected[i, 0], tree.corrected[i, 1], tree.corrected[i, 2])
        way, length = _way_to_mean(tree, node, x)
        if length < _INWARD * bandwidth:
            continue
        back = tree.parameters[SAMPLING_RADIUS] / length
        y = (x[0] - back * way[0], x[1] - back * way[1], x[2] - back * way[2])
        if _way_to_mean(tree, node, y)[1] >= BESIDE_RIM * bandwidth:
            return True
    return False


@kernel
def fit_planes(tree, ranges, node, limit):
    """Fit the mean planes of nodes, from ``node`` on, for about ``limit`` points; return the node to continue with.

    Each plane is stored with the smallest and largest offset of the node's points, including a leaf's border, along
    its normal, and with a flag whether the surface of a leaf ends near it.
    """
    tree = by_reference(tree)
    reach = math.sqrt(tree.parameters[HORIZON2]) + tree.parameters[MARGIN]
    work = 0
    while node < tree.first.shape[0] and work < limit:
        begin, end = ranges[node, 0], ranges[node, 1]
        border_begin, border_end = tree.border_start[node], tree.border_start[node + 1]
        work += end - begin + border_end - border_begin
        n = _mean_normal(tree, node, begin, end)
        low = np.inf
        high = -np.inf
        for i in range(begin, end):
            offset = _offset(tree, n, i)
            low = min(low, offset)
            high = max(high, offset)
        for entry in range(border_begin, border_end):
            offset = _offset(tree, n, np.int64(tree.border[entry]))
            low = min(low, offset)
            high = max(high, offset)
        slack = 1e-6 * (abs(low) + abs(high) + reach)
        for k in range(3):
            tree.planes[node, k] = n[k]
        tree.planes[node, 3] = low - slack
        tree.planes[node, 4] = high + slack
        tree.planes[node, 5] = 0.0
        if tree.count[node] > 0:
            work += (end - begin) * (end - begin + border_end - border_begin)
            tree.planes[node, 5] = 1.0 if _has_rim(tree, node) else 0.0
        node += 1
    return node
