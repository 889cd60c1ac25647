"""The work of one thread on a pair of nodes or triangles; one code for the CUDA kernels and the host backend.

A pair is a row (node of a, node of b, job). In Gress and Zachmann, "Object-Space Interference Detection on Programmable
Graphics Hardware" (2003), both nodes of a pair are opened at once, so two inner nodes have four pairs of children. Two
leaves are kept for the triangle test. If an object is tested against itself, a node paired with itself has three pairs
of children.
"""

import numpy as np

from ..geometry.generic_pair import classify_generic
from ..geometry.neighbours import only_touch_where_shared
from ..geometry.relative_pose import SLACK
from ..geometry.triangle_pair import APART, CROSSING, UNDECIDED
from ..jit import portable

_HALF = np.float32(0.5)
_ZERO = np.float32(0.0)

LEAF = 1 << 32
"""Count of a pair of leaves in the upper half of a sum; a pair of children counts 1."""


@portable
def of_boxes(boxes_a, i, boxes_b, j, frames, job):
    """Return the half extents of two boxes along their own axes, and the vector between their centres.

    The nine float32 numbers are (half extents of a: x, y, z; of b: x, y, z; vector from a to b along a's axes: x, y,
    z). ``frames`` are rows of ``narrow_rows``. The operations are the same as in ``geometry/lane_boxes.py``, one box at
    a time.
    """
    bx = (boxes_b[j, 0] + boxes_b[j, 3]) * _HALF
    by = (boxes_b[j, 1] + boxes_b[j, 4]) * _HALF
    bz = (boxes_b[j, 2] + boxes_b[j, 5]) * _HALF
    dx = frames[job, 0] * bx + frames[job, 1] * by + frames[job, 2] * bz + frames[job, 9]
    dy = frames[job, 3] * bx + frames[job, 4] * by + frames[job, 5] * bz + frames[job, 10]
    dz = frames[job, 6] * bx + frames[job, 7] * by + frames[job, 8] * bz + frames[job, 11]
    return (
        (boxes_a[i, 3] - boxes_a[i, 0]) * _HALF,
        (boxes_a[i, 4] - boxes_a[i, 1]) * _HALF,
        (boxes_a[i, 5] - boxes_a[i, 2]) * _HALF,
        (boxes_b[j, 3] - boxes_b[j, 0]) * _HALF,
        (boxes_b[j, 4] - boxes_b[j, 1]) * _HALF,
        (boxes_b[j, 5] - boxes_b[j, 2]) * _HALF,
        dx - (boxes_a[i, 0] + boxes_a[i, 3]) * _HALF,
        dy - (boxes_a[i, 1] + boxes_a[i, 4]) * _HALF,
        dz - (boxes_a[i, 2] + boxes_a[i, 5]) * _HALF,
    )


@portable
def reach_along(frames, job, row, x, y, z):
    """Return the extent of a box with these half extents along a row of a frame's matrix: an axis of the other box. The
    box's own axes do not need this function.
    """
    return abs(frames[job, row]) * x + abs(frames[job, row + 1]) * y + abs(frames[job, row + 2]) * z


@portable
def turned(frames, job, row, x, y, z):
    """Return the component of a vector along a row of a frame's matrix."""
    return frames[job, row] * x + frames[job, row + 1] * y + frames[job, row + 2] * z


@portable
def may_meet(boxes_a, i, boxes_b, j, frames, job):
    """Return whether two boxes may meet, tested along six face axes in float32; True if in doubt.

    The slack is derived in ``geometry/lane_boxes.py``. Comparisons are written so that a NaN from an overflow never
    drops a pair.
    """
    slack = frames[job, SLACK]
    ax, ay, az, bx, by, bz, dx, dy, dz = of_boxes(boxes_a, i, boxes_b, j, frames, job)
    if reach_along(frames, job, 0, bx, by, bz) + slack + ax - abs(dx) < _ZERO:
        return False
    if reach_along(frames, job, 3, bx, by, bz) + slack + ay - abs(dy) < _ZERO:
        return False
    if reach_along(frames, job, 6, bx, by, bz) + slack + az - abs(dz) < _ZERO:
        return False
    if bx + slack + reach_along(frames, job, 12, ax, ay, az) - abs(turned(frames, job, 12, dx, dy, dz)) < _ZERO:
        return False
    if by + slack + reach_along(frames, job, 15, ax, ay, az) - abs(turned(frames, job, 15, dx, dy, dz)) < _ZERO:
        return False
    left = bz + slack + reach_along(frames, job, 18, ax, ay, az) - abs(turned(frames, job, 18, dx, dy, dz))
    return not (left < _ZERO)


@portable
def fan_out(links_a, links_b, with_itself, a, b):
    """Return the number of child pairs of a pair of nodes, LEAF for two leaves, or 0 for a leaf and itself."""
    leaf_a = links_a[a, 0] < 0
    if with_itself and a == b:
        return 0 if leaf_a else 3
    leaf_b = links_b[b, 0] < 0
    if leaf_a:
        return LEAF if leaf_b else 2
    return 2 if leaf_b else 4


@portable
def child_pair(links_a, links_b, with_itself, a, b, number):
    """Return the nodes of a pair of children by its number. Pairs with the first child of b come first, like the
    paper's rows."""
    if with_itself and a == b:
        left, right = links_a[a, 0], links_a[a, 1]
        return (left if number != 1 else right), (left if number == 0 else right)
    if links_a[a, 0] < 0:
        return a, links_b[b, number]
    if links_b[b, 0] < 0:
        return links_a[a, number], b
    return links_a[a, number & 1], links_b[b, number >> 1]


@portable
def placed(vertices, v, poses, row):
    """Return the world coordinates of a vertex, as ``types.pose.transform_points`` defines them."""
    x = vertices[v, 0]
    y = vertices[v, 1]
    z = vertices[v, 2]
    return (
        poses[row, 0] * x + poses[row, 1] * y + poses[row, 2] * z + poses[row, 3],
        poses[row, 4] * x + poses[row, 5] * y + poses[row, 6] * z + poses[row, 7],
        poses[row, 8] * x + poses[row, 9] * y + poses[row, 10] * z + poses[row, 11],
    )


@portable
def _apart_along(p, q, r, s, t, u, axis):
    """Return exactly whether the boxes of two triangles are apart along an axis."""
    lowest_a = min(p[axis], q[axis], r[axis])
    lowest_b = min(s[axis], t[axis], u[axis])
    highest_a = max(p[axis], q[axis], r[axis])
    highest_b = max(s[axis], t[axis], u[axis])
    return lowest_a > highest_b or lowest_b > highest_a


@portable
def pair_kind(triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, with_itself, t, u, job):
    """Return how two triangles meet: APART or CROSSING if float64 decides it, otherwise UNDECIDED."""
    row_a = min(job, poses_a.shape[0] - 1)
    row_b = min(job, poses_b.shape[0] - 1)
    p1 = placed(vertices_a, triangles_a[t, 0], poses_a, row_a)
    q1 = placed(vertices_a, triangles_a[t, 1], poses_a, row_a)
    r1 = placed(vertices_a, triangles_a[t, 2], poses_a, row_a)
    p2 = placed(vertices_b, triangles_b[u, 0], poses_b, row_b)
    q2 = placed(vertices_b, triangles_b[u, 1], poses_b, row_b)
    r2 = placed(vertices_b, triangles_b[u, 2], poses_b, row_b)
    for axis in range(3):
        if _apart_along(p1, q1, r1, p2, q2, r2, axis):
            return APART
    kind = classify_generic(p1, q1, r1, p2, q2, r2)
    if kind == UNDECIDED and with_itself:
        ids_a = (triangles_a[t, 0], triangles_a[t, 1], triangles_a[t, 2])
        ids_b = (triangles_b[u, 0], triangles_b[u, 1], triangles_b[u, 2])
        if only_touch_where_shared(ids_a, (p1, q1, r1), ids_b, (p2, q2, r2)):
            return APART
    return kind


DECIDED = CROSSING
"""The only kind besides APART that ``pair_kind`` decides."""
