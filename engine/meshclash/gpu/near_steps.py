"""What one thread does for distances: nodes that may be near, how near a pair is at most, triangles; for both backends.

Levels are gone through as for contacts, with another test of two boxes: whether they may be as near as their job's
limit. For clearances the limit is the tolerance. For distances it is the least distance of corners seen so far; every
level of pairs lowers it before its boxes are tested, so what is tested is the same on every backend. Source: Larsen,
Gottschalk, Lin, Manocha, "Fast proximity queries with swept sphere volumes" (1999), for bounds from below and above.
"""

import math

import numpy as np

from ..geometry.relative_pose import NARROW_LENGTH, SLACK
from ..geometry.triangle_distance import closest_of_triangles, largest_coordinate
from ..jit import portable
from .pair_steps import of_boxes, placed, reach_along, turned

LIMIT = NARROW_LENGTH
"""Entry of a frame behind those of ``relative_pose.py``: ``lane_gaps.near_square`` of the job's limit."""
NEAR_LENGTH = LIMIT + 1
FAR, NEAR, MAY_MEET = range(3)
"""Of two triangles: farther than the limit; measured; as near as rounding, so that only exact predicates tell."""

_ZERO = np.float32(0.0)
_ROUNDING = 4e-12  # of the coordinates: farther apart along an axis, triangles are not MAY_MEET either


@portable
def _squared_gap(distance, reach):
    gap = max(abs(distance) - reach, _ZERO)
    return gap * gap


@portable
def may_be_near(boxes_a, i, boxes_b, j, frames, job):
    """Whether two boxes may be as near as their job's limit: gaps along six face axes in float32, never a false "no".

    ``frames`` are rows of ``narrow_rows`` and a limit. The operations are those of ``geometry/lane_gaps.py``, one box
    at a time, and so is the derivation. Comparisons are written so that what overflows to no number drops nothing.
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
    """A triangle below a node: that of the key at which an inner node begins or ends (``karras.py``)."""
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
    """An upper bound [m] of the distance of what lies below two nodes: the least of two triangles' corners.

    ``trees`` (k, 2) int64 are the trees of each job.
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
    """Whether two triangles are farther apart along an axis than a limit."""
    lowest_a = min(p[axis], q[axis], r[axis])
    lowest_b = min(s[axis], t[axis], u[axis])
    highest_a = max(p[axis], q[axis], r[axis])
    highest_b = max(s[axis], t[axis], u[axis])
    return lowest_a - highest_b > limit or lowest_b - highest_a > limit


@portable
def pair_distance(triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, t, u, job, limit, share):
    """(distance [m], FAR, NEAR or MAY_MEET) of two triangles, with the operations of ``near_leaf.py``.

    Those whose boxes are farther apart than ``limit`` [m] are FAR, at infinity; those nearer than ``share`` of their
    coordinates are MAY_MEET; a negative share says that none meet.
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
