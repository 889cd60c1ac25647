"""The work of one thread for distances, for both backends: tests of nodes, upper bounds, distances of triangles.

The levels are traversed as for contacts, with another test of two boxes: whether they may be within their job's limit.
For clearances the limit is the tolerance. For distances, the limit is the smallest distance of triangle corners seen so
far. Every level of pairs lowers the limit before its boxes are tested, so the same pairs are tested on every backend.
Source: Larsen, Gottschalk, Lin, Manocha, "Fast proximity queries with swept sphere volumes" (1999), for lower and upper
bounds.
"""

import math

import numpy as np

from ..geometry.relative_pose import NARROW_LENGTH, SLACK
from ..geometry.triangle_distance import closest_of_triangles, largest_coordinate
from ..jit import portable
from .pair_steps import of_boxes, placed, reach_along, turned

LIMIT = NARROW_LENGTH
"""Entry of a frame after those of ``relative_pose.py``: ``lane_gaps.near_square`` of the job's limit."""
NEAR_LENGTH = LIMIT + 1
FAR, NEAR, MAY_MEET = range(3)
"""Kind of a pair of triangles: beyond the limit; measured; or closer than rounding errors, so that only exact
predicates can decide."""

_ZERO = np.float32(0.0)
_ROUNDING = 4e-12  # relative to the coordinates: triangles farther apart along an axis are not MAY_MEET either


@portable
def _squared_gap(distance, reach):
    gap = max(abs(distance) - reach, _ZERO)
    return gap * gap


@portable
def may_be_near(boxes_a, i, boxes_b, j, frames, job):
    """Return whether two boxes may be within their job's limit; True if in doubt.

    The test uses the gaps along six face axes in float32. ``frames`` are rows of ``narrow_rows`` with a limit appended.
    The operations and their derivation are the same as in ``geometry/lane_gaps.py``, one box at a time. Comparisons are
    written so that a NaN from an overflow never drops a pair.
    """
    slack = frames[job, SLACK]
    ax, ay, az, bx, by, bz, dx, dy, dz = of_boxes(boxes_a, i, boxes_b, j, frames, job)
    square = _squared_gap(dx, ax + (reach_along(frames, job, 0, bx, by, bz) + slack))
    square = square + _squared_gap(dy, ay + (reach_along(frames, job, 3, bx, by, bz) + slack))
    square = square + _squared_gap(dz, az + (reach_along(frames, job, 6, bx, by, bz) + slack))
    if square > frames[job, LIMIT]:
        return False
    square = _squared_gap(turned(frames, job, 12, dx, dy, dz), reach_along(frames, job, 12, ax, ay, az) + (bx + slack))
    square = square + _squared_gap(
        turned(frames, job, 15, dx, dy, dz), reach_along(frames, job, 15, ax, ay, az) + (by + slack)
    )
    square = square + _squared_gap(
        turned(frames, job, 18, dx, dy, dz), reach_along(frames, job, 18, ax, ay, az) + (bz + slack)
    )
    return not (square > frames[job, LIMIT])


@portable
def _triangle_below(node, links, order, begins, roots, tree):
    """Return a triangle below a node: that of the key at which an inner node begins or ends (``karras.py``)."""
    key = np.int64(links[node, 0])
    key = ~key if key < 0 else np.int64(node) - roots[tree] + begins[tree]
    return order[key]


@portable
def _corner(triangles, vertices, poses, row, t, k):
    return placed(vertices, triangles[t, k], poses, row)


@portable
def distance_at_most(
    triangles_a, vertices_a, order_a, links_a, begins_a, roots_a, poses_a,
    triangles_b, vertices_b, order_b, links_b, begins_b, roots_b, poses_b, trees, a, b, job,
):  # fmt: skip
    """Return an upper bound [m] of the distance between two nodes: the smallest distance between corners of two
    triangles.

    One triangle below each node is used. ``trees`` (k, 2) int64 are the trees of each job.
    """
    t = _triangle_below(a, links_a, order_a, begins_a, roots_a, trees[job, 0])
    u = _triangle_below(b, links_b, order_b, begins_b, roots_b, trees[job, 1])
    row_a = min(job, poses_a.shape[0] - 1)
    row_b = min(job, poses_b.shape[0] - 1)
    least = math.inf
    for i in range(3):
        p = _corner(triangles_a, vertices_a, poses_a, row_a, t, i)
        for j in range(3):
            q = _corner(triangles_b, vertices_b, poses_b, row_b, u, j)
            x = p[0] - q[0]
            y = p[1] - q[1]
            z = p[2] - q[2]
            least = min(least, x * x + y * y + z * z)
    return math.sqrt(least)


@portable
def _far_along(p, q, r, s, t, u, axis, limit):
    """Return whether two triangles are farther apart along an axis than a limit."""
    lowest_a = min(p[axis], q[axis], r[axis])
    lowest_b = min(s[axis], t[axis], u[axis])
    highest_a = max(p[axis], q[axis], r[axis])
    highest_b = max(s[axis], t[axis], u[axis])
    return lowest_a - highest_b > limit or lowest_b - highest_a > limit


@portable
def pair_distance(triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, t, u, job, limit, share):
    """Return (distance [m], FAR, NEAR or MAY_MEET) of two triangles, with the operations of ``near_leaf.py``.

    Triangles whose boxes are farther apart than ``limit`` [m] are FAR, with an infinite distance. Triangles closer than
    ``share`` times their largest coordinate are MAY_MEET. A negative fraction means that no triangles meet.
    """
    row_a = min(job, poses_a.shape[0] - 1)
    row_b = min(job, poses_b.shape[0] - 1)
    p1 = _corner(triangles_a, vertices_a, poses_a, row_a, t, 0)
    q1 = _corner(triangles_a, vertices_a, poses_a, row_a, t, 1)
    r1 = _corner(triangles_a, vertices_a, poses_a, row_a, t, 2)
    p2 = _corner(triangles_b, vertices_b, poses_b, row_b, u, 0)
    q2 = _corner(triangles_b, vertices_b, poses_b, row_b, u, 1)
    r2 = _corner(triangles_b, vertices_b, poses_b, row_b, u, 2)
    size = max(largest_coordinate(p1, q1, r1), largest_coordinate(p2, q2, r2))
    reach = limit + _ROUNDING * (limit + size)
    for axis in range(3):
        if _far_along(p1, q1, r1, p2, q2, r2, axis, reach):
            return math.inf, FAR
    distance, _, _ = closest_of_triangles(p1, q1, r1, p2, q2, r2, share < 0.0)
    return distance, MAY_MEET if distance <= share * size else NEAR
