"""Mean planes of nodes, by which priorities and leaf tests tell the sides of a node's surface apart."""

import math

import numpy as np

from ..jit import inner, kernel
from ..reference import by_reference
from .surface import HORIZON2, MARGIN, smallest_eigenvector


@inner
def _mean_normal(tree, node, begin, end):
    """Normal of the plane that fits the points of a node best, by about 256 of them."""
    middle = (
        0.5 * (np.float64(tree.boxes[node, 0]) + np.float64(tree.boxes[node, 3])),
        0.5 * (np.float64(tree.boxes[node, 1]) + np.float64(tree.boxes[node, 4])),
        0.5 * (np.float64(tree.boxes[node, 2]) + np.float64(tree.boxes[node, 5])),
    )
    sx = sy = sz = xx = xy = xz = yy = yz = zz = total = 0.0
    for i in range(begin, end, max(1, (end - begin) // 256)):
        dx = tree.carriers[i, 0] - middle[0]
        dy = tree.carriers[i, 1] - middle[1]
        dz = tree.carriers[i, 2] - middle[2]
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
        offset += n[k] * tree.carriers[i, k]
    return offset


@kernel
def fit_planes(tree, ranges, node, limit):
    """Mean planes of nodes, from one on; stops after about ``limit`` points, returns the next node.

    A plane comes with the offsets between which the node's points, and a leaf's border, lie along its normal.
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
        node += 1
    return node
