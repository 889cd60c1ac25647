"""``Frame``: a posed tree as input of point queries, with basic queries about solids."""

import math
from typing import NamedTuple

import numpy as np

from ..geometry.relative_pose import invert_rotation
from ..jit import inner, kernel
from ..reference import by_reference
from .crossings import winding
from .exact_winding import FOUND, TURNS, away_from, ray_end, star, vertex_base
from .point import box_gap, local_slack, nearest, to_local, world_triangle

IN, OUT, ON = 1, 2, 0

_SURFACE = 512.0 * 2.0**-53  # times the largest coordinate: points closer than this count as on the surface


class Frame(NamedTuple):
    """One posed tree."""

    tree: int
    pose: np.ndarray
    """(3, 4)"""
    inverse: np.ndarray
    """(3, 3), of the rotation."""
    origin: np.ndarray
    """(3,)"""
    reach: np.ndarray
    """(3,)"""
    placed: int
    """Address of its world triangles for ``exhaustive_nearest.py``; 0 if they are not computed."""


@kernel
def _invert(rows, inverses):
    for k in range(rows.shape[0]):
        invert_rotation(rows[k].reshape(12), 0, inverses[k].reshape(9))


def inverses_of(rows: np.ndarray) -> np.ndarray:
    """Return the inverses (k, 3, 3) of the rotations of poses (k, 3, 4)."""
    inverses = np.empty((len(rows), 3, 3))
    _invert(np.ascontiguousarray(rows), inverses)
    return inverses


@inner
def make_frame(tree, pose, inverse, origins, reaches, placed=0):
    """Return the frame of a posed tree."""
    return Frame(tree, pose, inverse, origins[tree], reaches[tree], np.int64(placed))


@inner
def surface_tolerance(p, frame):
    """Return the distance below which p counts as on the surface, because of rounding of world coordinates."""
    largest = 0.0
    for k in range(3):
        largest = max(largest, abs(p[k]), abs(frame.pose[k, 3]) + frame.reach[0] + frame.reach[1] + frame.reach[2])
    return _SURFACE * largest


@inner
def beyond_root(forest, frame, p, limit):
    """Return whether the root box alone proves that p is farther from the tree than ``limit``."""
    q = to_local(p, frame.pose, frame.inverse, frame.origin)
    slack = local_slack(p, frame.pose, frame.reach)
    return box_gap(forest.volumes[forest.node_start[frame.tree]], q, slack) > limit


@inner
def nearest_in(forest, frame, p, limit, enough, work):
    """Call ``point.nearest`` for a posed tree."""
    return nearest(forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, p, limit, enough, work)


@inner
def winding_in(forest, solids, frame, skip, p, work):
    """Call ``crossings.winding`` for a posed tree."""
    return winding(
        forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, solids.orientation, solids.component,
        skip, p, work,
    )  # fmt: skip


@inner
def side_of_solid(forest, solids, frame, p, work):
    """Decide exactly whether the world point p is inside, outside or on a closed tree: IN, OUT or ON.

    Also returns ON if the predicates cannot decide, because products of the coordinates exceed float64.
    """
    if beyond_root(forest, frame, p, 0.0):
        return OUT
    base = by_reference(vertex_base(p))
    first = away_from(forest, frame, base)
    for turn in range(TURNS):
        q = ray_end(forest, frame, frame, (first + turn) % TURNS, base)
        number, count, how = star(forest, solids, frame, base, q, work.stack[:0], work)
        if how == FOUND:
            return ON if count > 0 else (IN if number != 0 else OUT)
    return ON


@inner
def outward_side(forest, solids, frame, t, p, work):
    """Return the factor 1 or -1 that turns the normal of triangle t out of the material at its point p.

    Returns 0 if there is material on both sides. Components that overlap are united, and a component of the opposite
    orientation inside another component is a cavity. So the result depends on the winding number of the other
    components at p.
    """
    component = np.int64(solids.component[forest.triangle_start[frame.tree] + t])
    index = solids.component_start[frame.tree] + component
    inside = solids.inside[index]
    side = inside * solids.orientation[forest.triangle_start[frame.tree] + t]
    if solids.alone[index]:
        return side
    others, clear = winding_in(forest, solids, frame, component, p, work)
    if not clear or others == 0:
        return side
    return -side if others + inside == 0 else 0


@inner
def outward_normal(forest, solids, frame, t, p, work):
    """Return the unit normal of a world triangle that points out of the material at its point p, or zero."""
    a, b, c = world_triangle(forest, frame.tree, t, frame.pose)
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    scale = outward_side(forest, solids, frame, t, p, work) / length if length > 0.0 else 0.0
    return nx * scale, ny * scale, nz * scale


@inner
def centroid(a, b, c):
    """Return the mean of three points."""
    return (a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0


@inner
def middle(a, b):
    """Return the mean of two points."""
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])
