"""What one thread does for distances: nodes that may be near, how near a pair is at most, triangles; for both machines.

Levels are gone through as for contacts, with another test of two boxes: whether they may be as near as their job's
limit. For clearances the limit is the tolerance. For distances it is the least distance of corners seen so far; every
level of pairs lowers it before its boxes are tested, so what is tested is the same on every machine. Source: Larsen,
Gottschalk, Lin, Manocha, "Fast proximity queries with swept sphere volumes" (1999), for bounds from below and above.
"""

import math

import numpy as np

from ..geometry.relative_pose import NARROW_LENGTH, SLACK
from ..geometry.triangle_distance import closest_of_triangles
from ..jit import portable
from .pair_steps import placed

LIMIT = NARROW_LENGTH
"""Entry of a frame behind those of ``relative_pose.py``: ``lane_gaps.near_square`` of the job's limit."""
NEAR_LENGTH = LIMIT + 1
FAR, NEAR, UNCERTAIN = range(3)
"""Of two triangles: farther than the limit; measured; as near as rounding, so that only exact predicates tell."""

_HALF = np.float32(0.5)
_ZERO = np.float32(0.0)
_ROUNDING = 4e-12  # of the coordinates: farther apart along an axis, triangles are not UNCERTAIN either


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
    bx = (boxes_b[j, 0] + boxes_b[j, 3]) * _HALF
    by = (boxes_b[j, 1] + boxes_b[j, 4]) * _HALF
    bz = (boxes_b[j, 2] + boxes_b[j, 5]) * _HALF
    hx = (boxes_b[j, 3] - boxes_b[j, 0]) * _HALF
    hy = (boxes_b[j, 4] - boxes_b[j, 1]) * _HALF
    hz = (boxes_b[j, 5] - boxes_b[j, 2]) * _HALF
    ax = (boxes_a[i, 3] - boxes_a[i, 0]) * _HALF
    ay = (boxes_a[i, 4] - boxes_a[i, 1]) * _HALF
    az = (boxes_a[i, 5] - boxes_a[i, 2]) * _HALF
    dx = frames[job, 0] * bx + frames[job, 1] * by + frames[job, 2] * bz + frames[job, 9]
    dx = dx - (boxes_a[i, 0] + boxes_a[i, 3]) * _HALF
    dy = frames[job, 3] * bx + frames[job, 4] * by + frames[job, 5] * bz + frames[job, 10]
    dy = dy - (boxes_a[i, 1] + boxes_a[i, 4]) * _HALF
    dz = frames[job, 6] * bx + frames[job, 7] * by + frames[job, 8] * bz + frames[job, 11]
    dz = dz - (boxes_a[i, 2] + boxes_a[i, 5]) * _HALF
    reach = abs(frames[job, 0]) * hx + abs(frames[job, 1]) * hy + abs(frames[job, 2]) * hz
    square = _squared_gap(dx, ax + (reach + slack))
    reach = abs(frames[job, 3]) * hx + abs(frames[job, 4]) * hy + abs(frames[job, 5]) * hz
    square = square + _squared_gap(dy, ay + (reach + slack))
    reach = abs(frames[job, 6]) * hx + abs(frames[job, 7]) * hy + abs(frames[job, 8]) * hz
    square = square + _squared_gap(dz, az + (reach + slack))
    if square > frames[job, LIMIT]:
        return False
    turned = frames[job, 12] * dx + frames[job, 13] * dy + frames[job, 14] * dz
    reach = abs(frames[job, 12]) * ax + abs(frames[job, 13]) * ay + abs(frames[job, 14]) * az
    square = _squared_gap(turned, reach + (hx + slack))
    turned = frames[job, 15] * dx + frames[job, 16] * dy + frames[job, 17] * dz
    reach = abs(frames[job, 15]) * ax + abs(frames[job, 16]) * ay + abs(frames[job, 17]) * az
    square = square + _squared_gap(turned, reach + (hy + slack))
    turned = frames[job, 18] * dx + frames[job, 19] * dy + frames[job, 20] * dz
    reach = abs(frames[job, 18]) * ax + abs(frames[job, 19]) * ay + abs(frames[job, 20]) * az
    square = square + _squared_gap(turned, reach + (hz + slack))
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
def _largest(p, q, r):
    size = 0.0
    for k in range(3):
        size = max(size, abs(p[k]), abs(q[k]), abs(r[k]))
    return size


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
    """(distance [m], FAR, NEAR or UNCERTAIN) of two triangles, with the operations of ``near_leaf.py``.

    Those whose boxes are farther apart than ``limit`` [m] are FAR, at infinity; those nearer than ``share`` of their
    coordinates are UNCERTAIN.
    """
    row_a = min(job, poses_a.shape[0] - 1)
    row_b = min(job, poses_b.shape[0] - 1)
    p1 = _corner(triangles_a, vertices_a, poses_a, row_a, t, 0)
    q1 = _corner(triangles_a, vertices_a, poses_a, row_a, t, 1)
    r1 = _corner(triangles_a, vertices_a, poses_a, row_a, t, 2)
    p2 = _corner(triangles_b, vertices_b, poses_b, row_b, u, 0)
    q2 = _corner(triangles_b, vertices_b, poses_b, row_b, u, 1)
    r2 = _corner(triangles_b, vertices_b, poses_b, row_b, u, 2)
    size = max(_largest(p1, q1, r1), _largest(p2, q2, r2))
    reach = limit + _ROUNDING * (limit + size)
    for axis in range(3):
        if _far_along(p1, q1, r1, p2, q2, r2, axis, reach):
            return math.inf, FAR
    square, _, _ = closest_of_triangles(p1, q1, r1, p2, q2, r2)
    distance = math.sqrt(square)
    return distance, UNCERTAIN if distance <= share * size else NEAR
