"""Heights of hulls and round solids above a flat face, in a stack of poses: kernels for half-spaces and planes."""

import math

import numpy as np

from ..geometry.tuples import dot
from ..jit import inner, kernel, parallel_kernel, prange
from .convex_distance import LEAST, placed, turned_back
from .supports import POINTS, farthest_round

ROUNDING = 2.0**-46
"""Bound of the error of a height, relative to the coordinates, with a margin."""
NEAREST, LOW, HIGH, LOWEST, HIGHEST, NORMAL, COLUMNS = 0, 1, 2, 3, 6, 9, 12
"""Columns of an answer: the signed height of the hull that is nearest to the face, or that surely meets it, 0 if it
reaches the face; the heights of its lowest and highest points [m]; these points, and the unit normal, world."""
APART, MET, DOUBTFUL = range(3)


@inner
def _turned(pose, n):
    return (
        pose[0, 0] * n[0] + pose[0, 1] * n[1] + pose[0, 2] * n[2],
        pose[1, 0] * n[0] + pose[1, 1] * n[1] + pose[1, 2] * n[2],
        pose[2, 0] * n[0] + pose[2, 1] * n[1] + pose[2, 2] * n[2],
    )


@inner
def _height(p, place, normal, offset):
    """Return the height of a point above the face and a bound of its error."""
    height = (p[0] - place[0]) * normal[0] + (p[1] - place[1]) * normal[1] + (p[2] - place[2]) * normal[2] - offset
    size = abs(offset)
    for k in range(3):
        size += abs(p[k]) + abs(place[k])
    return height, ROUNDING * size + LEAST


@inner
def _write(row, low, high, nearest, lowest, highest):
    row[NEAREST], row[LOW], row[HIGH] = nearest, low, high
    for k in range(3):
        row[LOWEST + k], row[HIGHEST + k] = lowest[k], highest[k]


@inner
def _nearest(low, high, is_plane):
    """Return the height nearest to the face between two heights of an object."""
    if low > 0.0:
        return low
    return high if is_plane and high < 0.0 else 0.0


@inner
def _of_round(form, pose, place, normal, offset, is_plane, radius, row):
    """Compare the face with a round solid, which counts as apart only if this is certain."""
    u = turned_back(pose, normal)
    lowest = placed(pose, farthest_round(form, (-u[0], -u[1], -u[2])))
    highest = placed(pose, farthest_round(form, u))
    (low, error), (high, other) = _height(lowest, place, normal, offset), _height(highest, place, normal, offset)
    rounding = max(error, other) + 8.0 * ROUNDING * max(form[1], form[2], form[3]) + 2.0**-50 * radius
    nearest = _nearest(low, high, is_plane)
    _write(row, low, high, nearest, lowest, highest)
    return MET if abs(nearest) <= radius + rounding else APART


@inner
def _of_hulls(points, hulls, pose, place, normal, offset, is_plane, radius, heights, row, told):
    """Compare the face with hulls of points; write the number of the nearest hull."""
    for i in range(points.shape[0]):
        p = placed(pose, (points[i, 0], points[i, 1], points[i, 2]))
        heights[i, 0], heights[i, 1] = _height(p, place, normal, offset)
    status, best = APART, math.inf
    best_low, best_high = np.int64(0), np.int64(0)
    for g in range(hulls.shape[0]):
        lowest = highest = np.int64(hulls[g, 0])
        rounding = heights[lowest, 1]
        for c in range(1, hulls.shape[1]):
            i = np.int64(hulls[g, c])
            rounding = max(rounding, heights[i, 1])
            if heights[i, 0] < heights[lowest, 0]:
                lowest = i
            if heights[i, 0] > heights[highest, 0]:
                highest = i
        low, high = heights[lowest, 0], heights[highest, 0]
        rounding += 2.0**-50 * radius
        nearest = _nearest(low, high, is_plane)
        if radius > 0.0:
            surely = abs(nearest) < radius - rounding
        else:
            surely = low < -rounding and (high > rounding or not is_plane)
        if abs(nearest) <= radius + rounding:
            status = DOUBTFUL
        if surely or abs(nearest) < best:
            best, best_low, best_high, told[1] = abs(nearest), lowest, highest, g
        if surely:
            status = MET
            break
    low, high = heights[best_low, 0], heights[best_high, 0]
    lowest = placed(pose, (points[best_low, 0], points[best_low, 1], points[best_low, 2]))
    highest = placed(pose, (points[best_high, 0], points[best_high, 1], points[best_high, 2]))
    _write(row, low, high, _nearest(low, high, is_plane), lowest, highest)
    return status


@inner
def _range_of_heights(face, rows_a, points, hulls, form, rows_b, radius, first, end, heights, told, answers):
    direction, offset, is_plane = (face[0], face[1], face[2]), face[3], face[4] != 0.0
    for m in range(first, end):
        pose_a, pose_b = rows_a[min(m, rows_a.shape[0] - 1)], rows_b[min(m, rows_b.shape[0] - 1)]
        n = _turned(pose_a, direction)
        length = math.sqrt(dot(n, n))
        normal, high = (n[0] / length, n[1] / length, n[2] / length), offset / length
        place = (pose_a[0, 3], pose_a[1, 3], pose_a[2, 3])
        for k in range(3):
            answers[m, NORMAL + k] = normal[k]
        told[m, 1] = -1
        if form[0] == POINTS:
            told[m, 0] = _of_hulls(
                points, hulls, pose_b, place, normal, high, is_plane, radius, heights, answers[m], told[m]
            )  # fmt: skip
        else:
            told[m, 0] = _of_round(form, pose_b, place, normal, high, is_plane, radius, answers[m])


@kernel
def face_heights(face, rows_a, points, hulls, form, rows_b, radius, first, end, told, answers):
    """Find the hull of an object that is nearest to a half-space or plane, in a stack of poses.

    Args:
        face: the normal in the frame of the face, about as long as 1, the offset along it [m] and 1 for a plane, else
            0, (5,).
        rows_a: poses of the face, (k, 3, 4), or (1, 3, 4) for all.
        points, hulls: points (n, 3) [m], and the points of each hull, (g, c) indices.
        form: kind and lengths of a round solid without points, see ``supports.py``.
        rows_b, radius: poses of the object, and the radius around it [m].
        first, end: the range of poses.
        told: output, (k, 2) int32: ``APART``, ``MET`` or ``DOUBTFUL``, if only exact arithmetic can decide; and the
            number of the hull.
        answers: output, (k, COLUMNS).
    """
    heights = np.empty((points.shape[0], 2))
    _range_of_heights(face, rows_a, points, hulls, form, rows_b, radius, first, end, heights, told, answers)


@parallel_kernel
def face_heights_together(face, rows_a, points, hulls, form, rows_b, radius, parts, told, answers, workers):
    """Run ``face_heights`` in parallel for ranges ``parts`` (p, 2); each worker takes every ``workers``-th range."""
    rooms = np.empty((workers, points.shape[0], 2))
    for w in prange(workers):
        for k in range(w, parts.shape[0], workers):
            _range_of_heights(
                face, rows_a, points, hulls, form, rows_b, radius, parts[k, 0], parts[k, 1], rooms[w], told, answers
            )  # fmt: skip
