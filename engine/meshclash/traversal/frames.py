"""Posed trees as point queries want them, and the questions that every later step asks of a solid."""

import math
from typing import NamedTuple

import numpy as np

from ..geometry.relative_pose import invert_rotation
from ..jit import inner, kernel
from ..reference import by_reference
from .exact_winding import FOUND, TURNS, away_from, ray_end, star, vertex_base
from .point import box_gap, local_slack, nearest, to_local, winding, world_triangle

IN, OUT, ON = 1, 2, 0

_SURFACE = 512.0 * 2.0**-53  # times the largest coordinate: closer than this to a surface counts as on it


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
    """Address of its triangles as ``exhaustive_nearest.py`` has them, 0 where they are not placed."""


@kernel
def _invert(rows, inverses):
    for k in range(rows.shape[0]):
        invert_rotation(rows[k].reshape(12), 0, inverses[k].reshape(9))


def inverses_of(rows: np.ndarray) -> np.ndarray:
    """The inverses (k, 3, 3) of the rotations of poses (k, 3, 4)."""
    inverses = np.empty((len(rows), 3, 3))
    _invert(np.ascontiguousarray(rows), inverses)
    return inverses


@inner
def make_frame(tree, pose, inverse, origins, reaches, placed=0):
    """The Frame of a posed tree."""
    return Frame(tree, pose, inverse, origins[tree], reaches[tree], np.int64(placed))


@inner
def surface_tolerance(p, frame):
    """Distances below this are rounding of world coordinates."""
    largest = 0.0
    for k in range(3):
        largest = max(largest, abs(p[k]), abs(frame.pose[k, 3]) + frame.reach[0] + frame.reach[1] + frame.reach[2])
    return _SURFACE * largest


@inner
def beyond_root(forest, frame, p, limit):
    """Whether p is farther than ``limit`` from everything in the tree, by its root box alone."""
    q = to_local(p, frame.pose, frame.inverse, frame.origin)
    slack = local_slack(p, frame.pose, frame.reach)
    return box_gap(forest.volumes[forest.node_start[frame.tree]], q, slack) > limit


@inner
def nearest_in(forest, frame, p, limit, enough, work):
    """``point.nearest`` of a posed tree."""
    return nearest(forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, p, limit, enough, work)


@inner
def winding_in(forest, solids, frame, skip, p, work):
    """``point.winding`` of a posed tree."""
    return winding(
        forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, solids.orientation, solids.component,
        skip, p, work,
    )  # fmt: skip


@inner
def side_of_solid(forest, solids, frame, p, work):
    """IN, OUT or ON: where the world point p lies with respect to a closed tree, exactly.

    ON too where the predicates cannot tell: coordinates whose products no double can hold.
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
    """1 or -1: times the normal of triangle t points out of the material at its point p; 0 where both are material.

    Components that overlap unite, and one wound the other way inside another is a cavity, so the answer depends on how
    the other components wind around p.
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
    """Unit normal of a world triangle out of the material at its point p; zero where it has none."""
    a, b, c = world_triangle(forest, frame.tree, t, frame.pose)
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    scale = outward_side(forest, solids, frame, t, p, work) / length if length > 0.0 else 0.0
    return nx * scale, ny * scale, nz * scale


@inner
def centroid(a, b, c):
    """Mean of three points."""
    return (a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0


@inner
def middle(a, b):
    """Mean of two points."""
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])
