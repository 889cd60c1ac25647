"""Which points of one surface lie inside, outside or on the solid that another surface bounds.

Used where no triangles cross: then every patch of a surface between contacts lies on one side, and a few points per
touched triangle show which. A point within the rounding of world coordinates of the other surface says nothing.
"""

import math
from typing import NamedTuple

import numpy as np

from ..geometry.triangle_pair import COPLANAR
from ..jit import inner, kernel
from ..traversal.point import STACK_SIZE, box_gap, local_slack, nearest, to_local, winding, world_triangle

IN, OUT, ON = 1, 2, 0
# Bits of the result for a pair of objects.
A_IN, A_OUT, B_IN, B_OUT, SAME_SIDE, OPPOSITE_SIDES = 1, 2, 4, 8, 16, 32

_SURFACE = 512.0 * 2.0**-53  # times the largest coordinate: closer than this to a surface counts as on it


class Frame(NamedTuple):
    """One posed tree as the point queries want it."""

    tree: int
    pose: np.ndarray
    """(3, 4)"""
    inverse: np.ndarray
    """(3, 3), of the rotation."""
    origin: np.ndarray
    """(3,)"""
    reach: np.ndarray
    """(3,)"""


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
def side_of_solid(forest, solids, frame, p, stack):
    """IN, OUT or ON: where the world point p lies with respect to a closed tree."""
    tolerance = surface_tolerance(p, frame)
    if beyond_root(forest, frame, p, tolerance):
        return OUT
    distance, _, _ = nearest(
        forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, p, tolerance, 0.0, stack
    )
    if distance < tolerance:
        return ON
    number, clear = winding(
        forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, solids.orientation, solids.component,
        -1, p, stack,
    )  # fmt: skip
    if not clear:
        return ON
    return IN if number != 0 else OUT


@inner
def _between(a, b, t):
    return a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])


@inner
def _sample(corners, index, contact):
    """Point number ``index`` of a triangle: corners, edge middles, centroid, then points beside a contact."""
    a, b, c = corners
    centroid = ((a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0)
    if index < 3:
        return a if index == 0 else (b if index == 1 else c)
    if index < 6:
        return _between(a, b, 0.5) if index == 3 else (_between(b, c, 0.5) if index == 4 else _between(c, a, 0.5))
    if index == 6:
        return centroid
    towards = a if index < 9 else (b if index < 11 else c)
    return _between(contact, towards, 0.5 if index % 2 == 1 else 1.0 / 64.0)


_PLAIN_SAMPLES = 7
_CONTACT_SAMPLES = 13


@inner
def _side_bits(forest, solids, own, other, touched, middles, found, stack):
    """IN and OUT bits of one object's surface with respect to the other's solid; stops when both are known."""
    begin = solids.representative_start[own.tree]
    end = solids.representative_start[own.tree + 1]
    for r in range(begin, end):
        corners = world_triangle(forest, own.tree, solids.representatives[r], own.pose)
        found |= side_of_solid(forest, solids, other, corners[0], stack)
        if found == 3:
            return found
    for i in range(touched.shape[0]):
        corners = world_triangle(forest, own.tree, touched[i], own.pose)
        contact = (middles[i, 0], middles[i, 1], middles[i, 2])
        first = _PLAIN_SAMPLES if i > 0 and touched[i] == touched[i - 1] else 0
        for index in range(first, _CONTACT_SAMPLES):
            found |= side_of_solid(forest, solids, other, _sample(corners, index, contact), stack)
            if found == 3:
                return found
    return found


@inner
def outward_normal(forest, solids, frame, t):
    """Unit normal of a world triangle out of the material; zero where it has none."""
    a, b, c = world_triangle(forest, frame.tree, t, frame.pose)
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    sign = solids.outward[forest.triangle_start[frame.tree] + t]
    scale = sign / length if length > 0.0 else 0.0
    return nx * scale, ny * scale, nz * scale


@inner
def make_frame(tree, pose, inverse, origins, reaches):
    """The Frame of a posed tree."""
    return Frame(tree, pose, inverse, origins[tree], reaches[tree])


@kernel
def sample_sides(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b, chosen,
    start, pairs, kinds, middles, order_b, bits,
):  # fmt: skip
    """Fill ``bits`` (k,) of the jobs listed in ``chosen``.

    Contacts of job j are the rows start[j]:start[j + 1] of ``pairs`` and ``kinds``, with a point of each contact in
    ``middles`` (n, 3); ``order_b`` (n,) lists a job's rows by the triangle of b.
    """
    stack = np.empty(STACK_SIZE, np.int64)
    for index in range(chosen.shape[0]):
        job = chosen[index]
        a = make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches)
        b = make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches)
        found = 0
        rows = slice(start[job], start[job + 1])
        if solids.closed[a.tree] and solids.closed[b.tree]:
            for row in range(start[job], start[job + 1]):
                if kinds[row] == COPLANAR:
                    n = outward_normal(forest, solids, a, pairs[row, 0])
                    m = outward_normal(forest, solids, b, pairs[row, 1])
                    along = n[0] * m[0] + n[1] * m[1] + n[2] * m[2]
                    found |= SAME_SIDE if along > 0.0 else (OPPOSITE_SIDES if along < 0.0 else 0)
        if solids.closed[b.tree]:
            side = _side_bits(forest, solids, a, b, pairs[rows, 0], middles[rows], 0, stack)
            found |= (A_IN if side & IN else 0) | (A_OUT if side & OUT else 0)
        if solids.closed[a.tree]:
            by_b = order_b[rows]
            side = _side_bits(forest, solids, b, a, pairs[by_b, 1], middles[by_b], 0, stack)
            found |= (B_IN if side & IN else 0) | (B_OUT if side & OUT else 0)
        bits[job] = found
