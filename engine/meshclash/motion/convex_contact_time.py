"""The first contact of two moving convex shapes in one piece of motion each, by conservative advancement in a kernel.

``contact_times.py`` describes the method. Here the advance follows from the plane that proves the distance: along its
normal the shapes approach at most at the speed of their origins plus that of the rotation of their farthest points.
"""

import math
from collections.abc import Sequence

import numpy as np

from ..convex.convex_distance import ACROSS, COLUMNS, LOWER, UPPER, first_direction, measure_from, space_of
from ..convex.exact_shapes import ConvexShape
from ..jit import inner, kernel
from ..reference import by_reference
from .motion_piece import MotionPiece, turned_rows

_MOST_STEPS = 1 << 14
_ROUNDING = 64.0 * 2.0**-53
"""Bound of the rounding error of a distance, relative to the coordinates, as in ``contact_times.py``."""
_APART, _UNFINISHED = -1.0, -2.0
_REACH, _TOLERANCE, _SIZE_A, _SIZE_B, _SPARE = range(5)


@inner
def _put_pose(first, way, share, pose):
    """Write the pose (3, 4) after a share of a piece; ``way``: the axis, the angle and the way of the origin, (7,)."""
    turn = turned_rows(way[0], way[1], way[2], share * way[3])
    for i in range(3):
        row = turn[i]
        for j in range(3):
            pose[i, j] = row[0] * first[0, j] + row[1] * first[1, j] + row[2] * first[2, j]
        pose[i, 3] = first[i, 3] + share * way[4 + i]


@inner
def _turning_along(way, size, n):
    """Return the largest speed along a unit vector n that rotation gives to a point of an object of this size."""
    x = way[1] * n[2] - way[2] * n[1]
    y = way[2] * n[0] - way[0] * n[2]
    z = way[0] * n[1] - way[1] * n[0]
    return way[3] * size * math.sqrt(x * x + y * y + z * z)


@kernel
def _search(points_a, form_a, first_a, way_a, points_b, form_b, first_b, way_b, limits):
    """Return the share of the motion after which two shapes meet; ``_APART``, or ``_UNFINISHED`` after too many steps.

    Args:
        points_a, form_a, points_b, form_b: the shapes, (n, 3) and (4,).
        first_a, first_b: poses at the start, (3, 4).
        way_a, way_b: see ``_put_pose``.
        limits: the sum of the radii, the tolerance, the distances of the farthest points of both from their origins,
            and what an advance leaves free, (5,) [m].
    """
    room = np.empty((5 + points_a.shape[0] + points_b.shape[0], 4, 3))
    space = by_reference(space_of(room, points_a.shape[0]))
    pose_a, pose_b, row = np.empty((3, 4)), np.empty((3, 4)), np.empty(COLUMNS)
    share, n = 0.0, first_direction()
    for _ in range(_MOST_STEPS):
        _put_pose(first_a, way_a, share, pose_a)
        _put_pose(first_b, way_b, share, pose_b)
        measure_from(n, (math.inf, -math.inf), points_a, form_a, pose_a, points_b, form_b, pose_b, space, row)
        if row[LOWER] < 0.0 or row[UPPER] - limits[_REACH] <= limits[_TOLERANCE]:
            return share
        if share == 1.0:
            return _APART
        length = math.sqrt(row[ACROSS] ** 2 + row[ACROSS + 1] ** 2 + row[ACROSS + 2] ** 2)
        free = row[LOWER] - limits[_REACH] - limits[_SPARE]
        if length == 0.0 or free <= 0.0:
            return _UNFINISHED
        n = (row[ACROSS] / length, row[ACROSS + 1] / length, row[ACROSS + 2] / length)
        closing = _turning_along(way_a, limits[_SIZE_A], n) + _turning_along(way_b, limits[_SIZE_B], n)
        for k in range(3):
            closing += n[k] * (way_a[4 + k] - way_b[4 + k])
        if closing * (1.0 - share) < free:
            share = 1.0
        else:
            share = min(max(share + free / closing, math.nextafter(share, 1.0)), 1.0)
    return _UNFINISHED


def convex_contact_time(
    shapes: tuple[ConvexShape, ConvexShape],
    pieces: tuple[MotionPiece, MotionPiece],
    reaches: Sequence[float],
    tolerance: float,
) -> tuple[bool, float | None]:
    """Find the first contact of two convex shapes that move from time 0 to 1; neither piece is a screw.

    Args:
        shapes, pieces: the shapes and their motions.
        reaches: upper bounds of the distances of their points from their origins [m].
        tolerance: [m], as for ``time_of_contact``.

    Returns:
        Whether the search was completed, and the time, None without a contact. At all earlier times the shapes are
        certainly apart.
    """
    ways, extent = [], 0.0
    for piece in pieces:
        first, last = piece.first[:, 3].tolist(), piece.last[:, 3].tolist()
        whole = [x - y for x, y in zip(last, first, strict=True)]
        ways.append(np.array([*piece.axis.tolist(), piece.angle, *whole]))
        extent = max(extent, *map(abs, first), *map(abs, last))
    spare = 0.5 * tolerance + _ROUNDING * 2.0 * (extent + sum(reaches))
    a, b = shapes
    limits = np.array([a.radius + b.radius, tolerance, *reaches, spare])
    first_a, first_b = (np.array(piece.first) for piece in pieces)
    found: float = _search(a.points[0], a.form, first_a, ways[0], b.points[0], b.form, first_b, ways[1], limits)
    if found == _UNFINISHED:
        return False, None
    return True, None if found == _APART else found
