"""Point queries of a hierarchy of axis-aligned boxes: the nearest primitive, and the winding number.

Points are given in world coordinates. Boxes are culled in the hierarchy's frame with the margin ``local_slack``;
triangles are tested in world coordinates, as everywhere.
"""

import math
from typing import NamedTuple

import numpy as np

from ..geometry.incidence import CLEAR_OF, lies_on
from ..geometry.predicates import UNCERTAIN, ExactWorkspace, new_workspace
from ..geometry.triangle_distance import closest_on_triangle, squared_distance
from ..jit import inner
from ..types.pose import RIGID_TOLERANCE

STACK_SIZE = 192  # a depth-first traversal keeps one sibling per level; builders stay below 100 levels
WIDE_STACK_SIZE = 7 * 100 + 8
"""For the 8-wide form: each node leaves seven of its eight children on the stack, and is at least one binary level."""
SCRATCH_HEAD = 64
SCRATCH_LENGTH = SCRATCH_HEAD + 2 * WIDE_STACK_SIZE
"""Length of the scratch of ``candidates.py`` in numbers of eight bytes: its state, and its stack with bounds."""

SHRINK = 1.0 - 2.0 * RIGID_TOLERANCE
"""A distance in the hierarchy's frame times this factor is a lower bound of the distance in the world."""
_SLACK = 64.0 * 2.0**-53

DIRECTIONS = np.array(
    [
        (0.8311, 0.3717, 0.4139), (-0.2917, 0.9013, 0.3209), (0.1877, -0.4463, 0.8749), (-0.7331, -0.5779, 0.3581),
        (0.5923, 0.1399, -0.7933), (-0.4507, 0.6793, -0.5791), (0.3301, 0.8887, -0.3181), (0.6173, -0.7121, -0.3347),
        (-0.9103, 0.2707, -0.3137), (-0.1559, -0.9277, -0.3391), (0.7019, 0.6581, -0.2729), (-0.6287, 0.0983, 0.7717),
    ]
)  # fmt: skip
"""Directions in general position: no two share a plane through simple lattice directions."""

IDENTITY = np.eye(4)[:3].copy()
"""The pose of a mesh for queries in its own frame."""


class PointWorkspace(NamedTuple):
    """Scratch arrays for the queries of this file."""

    stack: np.ndarray
    """Nodes to visit, (192,) int64."""
    gaps: np.ndarray
    """Lower bounds of their distances, (192,) float64."""
    exact: ExactWorkspace
    """Workspace of the exact predicates."""
    scratch: np.ndarray
    """Scratch of ``candidates.py``, (SCRATCH_LENGTH,) float64."""


def new_point_workspace() -> PointWorkspace:
    """Create a workspace."""
    return PointWorkspace(
        np.empty(STACK_SIZE, np.int64), np.empty(STACK_SIZE), new_workspace(), np.empty(SCRATCH_LENGTH)
    )


def new_workspace_arrays(shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Create the arrays of workspaces, with ``shape`` as leading dimensions: (threads,), or () for a single one."""
    stack, gaps, (counter, expansions), scratch = new_point_workspace()
    parts = stack, gaps, counter, expansions, scratch
    return tuple(np.zeros((*shape, *part.shape), part.dtype) for part in parts) if shape else parts


@inner
def place(forest, v, pose):
    """Return vertex v of the forest in world coordinates."""
    x = forest.vertices[v, 0]
    y = forest.vertices[v, 1]
    z = forest.vertices[v, 2]
    return (
        pose[0, 0] * x + pose[0, 1] * y + pose[0, 2] * z + pose[0, 3],
        pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z + pose[1, 3],
        pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z + pose[2, 3],
    )


@inner
def world_triangle(forest, tree, t, pose):
    """Return the corners of a tree's triangle t (int64) in world coordinates."""
    row = forest.triangle_start[tree] + t
    v = forest.vertex_start[tree]
    return (
        place(forest, v + forest.triangles[row, 0], pose),
        place(forest, v + forest.triangles[row, 1], pose),
        place(forest, v + forest.triangles[row, 2], pose),
    )


@inner
def to_local(p, pose, inverse, origin):
    """Transform a world point to the hierarchy's frame, with an error of at most ``local_slack``."""
    x = p[0] - pose[0, 3]
    y = p[1] - pose[1, 3]
    z = p[2] - pose[2, 3]
    return (
        inverse[0, 0] * x + inverse[0, 1] * y + inverse[0, 2] * z - origin[0],
        inverse[1, 0] * x + inverse[1, 1] * y + inverse[1, 2] * z - origin[1],
        inverse[2, 0] * x + inverse[2, 1] * y + inverse[2, 2] * z - origin[2],
    )


@inner
def local_slack(p, pose, reach):
    """Return a bound of all rounding errors of a test of a world point in the hierarchy's frame.

    See ``relative_pose.py``.
    """
    total = reach[0] + reach[1] + reach[2]
    for k in range(3):
        total += abs(p[k]) + abs(pose[k, 3])
    return _SLACK * 2.0 * total


@inner
def box_gap(volume, q, slack):
    """Return a lower bound of the distance between a point and a box."""
    total = 0.0
    for k in range(3):
        gap = max(volume[k] - q[k], q[k] - volume[k + 3]) - slack
        if gap > 0.0:
            total += gap * gap
    return math.sqrt(total) * SHRINK


@inner
def _beyond(p, a, b, c, limit):
    """Return whether a single coordinate proves that a point is farther from a triangle than ``limit``."""
    most = 0.0
    for k in range(3):
        most = max(most, min(a[k], b[k], c[k]) - p[k], p[k] - max(a[k], b[k], c[k]))
    return most > limit


@inner
def nearest(forest, tree, pose, inverse, origin, reach, p, limit, enough, work, skip=-1):
    """Find the point of a tree's surface nearest to the world point p, if its distance is less than ``limit``.

    The search ends early at a point within ``enough`` (-1: never). Triangle ``skip`` is ignored. Returns (distance,
    point, triangle); if no point is closer than ``limit``, the triangle is -1 and the distance is ``limit``.
    """
    q = to_local(p, pose, inverse, origin)
    slack = local_slack(p, pose, reach)
    start = forest.node_start[tree]
    stack, gaps = work.stack, work.gaps
    best = limit
    best_point = p
    best_triangle = np.int64(-1)
    stack[0] = 0
    gaps[0] = box_gap(forest.volumes[start], q, slack)
    used = 1
    while used > 0:
        used -= 1
        if gaps[used] >= best:
            continue
        node = start + stack[used]
        first = forest.first[node]
        count = forest.count[node]
        if count == 0:
            left = box_gap(forest.volumes[start + first], q, slack)
            right = box_gap(forest.volumes[start + first + 1], q, slack)
            near = first if left <= right else first + 1
            for child in (2 * first + 1 - near, near):
                gap = left if child == first else right
                if gap < best:
                    stack[used] = child
                    gaps[used] = gap
                    used += 1
            continue
        for entry in range(first, first + count):
            t = np.int64(forest.order[forest.triangle_start[tree] + entry])
            if t == skip:
                continue
            a, b, c = world_triangle(forest, tree, t, pose)
            if _beyond(p, a, b, c, best):
                continue
            x = closest_on_triangle(p, a, b, c)
            distance = math.sqrt(squared_distance(p, x))
            if distance < best:
                best, best_point, best_triangle = distance, x, t
                if best <= enough:
                    return best, best_point, best_triangle
    return best, best_point, best_triangle


@inner
def on_surface(forest, tree, pose, inverse, origin, reach, p, work):
    """Decide exactly whether the world point p lies on a tree's surface: LIES_ON, CLEAR_OF or UNCERTAIN."""
    q = to_local(p, pose, inverse, origin)
    slack = local_slack(p, pose, reach)
    start = forest.node_start[tree]
    found = CLEAR_OF
    stack = work.stack
    stack[0] = 0
    used = 1
    while used > 0:
        used -= 1
        node = start + stack[used]
        if box_gap(forest.volumes[node], q, slack) > 0.0:
            continue
        first = forest.first[node]
        if forest.count[node] == 0:
            stack[used] = first
            stack[used + 1] = first + 1
            used += 2
            continue
        for entry in range(first, first + forest.count[node]):
            t = np.int64(forest.order[forest.triangle_start[tree] + entry])
            a, b, c = world_triangle(forest, tree, t, pose)
            incident = lies_on(p, a, b, c, work.exact)
            if incident == UNCERTAIN:
                found = UNCERTAIN
            elif incident != CLEAR_OF:
                return incident
    return found


@inner
def ray_misses(volume, o, d, inverse, slack):
    """Return whether the segment o + t d, 0 <= t <= 1, misses a box enlarged by the slack; ``inverse``: 1 / d."""
    low = 0.0
    high = 1.0
    for k in range(3):
        lowest = volume[k] - slack - o[k]
        highest = volume[k + 3] + slack - o[k]
        if d[k] == 0.0:
            if lowest > 0.0 or highest < 0.0:
                return True
            continue
        t = lowest * inverse[k]
        u = highest * inverse[k]
        margin = 1e-12 * (abs(t) + abs(u))
        low = max(low, min(t, u) - margin)
        high = min(high, max(t, u) + margin)
    return low > high


@inner
def inverse_of(x):
    """Return 1 / x, or 0 for 0."""
    return 1.0 / x if x != 0.0 else 0.0


@inner
def outward_direction(forest, tree, pose, inverse, origin, p):
    """Return the index of the direction that leads farthest away from the centre of the root box, so that a ray meets
    few boxes.
    """
    root = forest.volumes[forest.node_start[tree]]
    q = to_local(p, pose, inverse, origin)
    x = q[0] - 0.5 * (root[0] + root[3])
    y = q[1] - 0.5 * (root[1] + root[4])
    z = q[2] - 0.5 * (root[2] + root[5])
    best, most = 0, -math.inf
    for i in range(DIRECTIONS.shape[0]):
        along = 0.0
        for k in range(3):
            along += DIRECTIONS[i, k] * (pose[k, 0] * x + pose[k, 1] * y + pose[k, 2] * z)
        if along > most:
            best, most = i, along
    return best
