"""Decide whether one object lies inside the other, although its stored coordinates extend slightly beyond it.

A part that is flush with the faces of a wall extends beyond the wall by rounding errors, and so does a copy of an
object. The part of a surface outside the other solid is examined at sample points: the corners, edge midpoints and
centroids of its triangles, and points next to its contacts at distances that shrink by a factor of four, down to the
permitted length. So wider gaps in the other solid are detected. If all these points are within this length of the
solid, the object counts as inside, unless it fills a cavity of the other solid. To exclude such cavities, points next
to the largest triangle of each component of the other surface are tested: no outside point may be farther away than the
permitted length.
"""

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ..geometry.triangle_distance import squared_distance
from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.frames import IN, beyond_root, centroid, make_frame, middle, nearest_in, outward_normal, side_of_solid
from ..traversal.point import new_point_workspace, world_triangle

_AT_ONCE = 256  # triangles or contacts that are tested in one step
_MOST_STEPS = 24


@inner
def _is_within(forest, solids, other, p, limit, work):
    """Return whether p lies in a solid, or closer to the solid than ``limit``."""
    if beyond_root(forest, other, p, limit):
        return False
    _, _, triangle = nearest_in(forest, other, p, limit, limit, work)
    return triangle >= 0 or side_of_solid(forest, solids, other, p, work) == IN


@inner
def _triangle_within(forest, solids, other, a, b, c, limit, work):
    for p in (centroid(a, b, c), a, b, c, middle(a, b), middle(b, c), middle(c, a)):
        if not _is_within(forest, solids, other, p, limit, work):
            return False
    return True


@inner
def _beside_within(forest, solids, other, p, corner, limit, work):
    """Return whether points between a contact and a corner of its triangle lie in the other solid or within the limit
    of it.
    """
    share = 0.25
    for _ in range(_MOST_STEPS):
        x = (
            p[0] + share * (corner[0] - p[0]), p[1] + share * (corner[1] - p[1]), p[2] + share * (corner[2] - p[2])
        )  # fmt: skip
        if squared_distance(x, p) <= limit * limit:
            break
        if not _is_within(forest, solids, other, x, limit, work):
            return False
        share *= 0.25
    return True


@kernel
def span_within(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b,
    job, side, begin, end, contacts, pairs, middles, limit, work,
):  # fmt: skip
    """Return whether triangles of one object, or points next to its contacts, lie within the limit of the other solid.

    The triangles are those from ``begin`` to ``end`` of the object of ``side``.
    """
    if begin >= end:
        return True
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    a = by_reference(make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches))
    b = by_reference(make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches))
    own, other = (a, b) if side == 0 else (b, a)
    for i in range(begin, end):
        t = np.int64(pairs[i, side]) if contacts else np.int64(i)
        p, q, r = world_triangle(forest, own.tree, t, own.pose)
        if not contacts:
            if not _triangle_within(forest, solids, other, p, q, r, limit, work):
                return False
            continue
        x = (middles[i, 0], middles[i, 1], middles[i, 2])
        for corner in (p, q, r):
            if not _beside_within(forest, solids, other, x, corner, limit, work):
                return False
    return True


@kernel
def fills_cavity(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b,
    job, side, begin, end, limit, work,
):  # fmt: skip
    """Return whether the solid of ``side`` fills a cavity of the other object.

    The solid fills a cavity if it contains a point outside the other object, in front of one of the other object's
    components from ``begin`` to ``end``, and farther from the other object than ``limit``.
    """
    if begin >= end:
        return False
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    a = by_reference(make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches))
    b = by_reference(make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches))
    own, other = (a, b) if side == 0 else (b, a)
    for component in range(begin, end):
        t = np.int64(solids.representatives[component])
        p = centroid(*world_triangle(forest, other.tree, t, other.pose))
        if beyond_root(forest, own, p, limit):
            continue
        n = outward_normal(forest, solids, other, t, p, work)
        far = 2.0 * limit
        for _ in range(_MOST_STEPS):
            x = (p[0] + far * n[0], p[1] + far * n[1], p[2] + far * n[2])
            if beyond_root(forest, own, x, 0.0):
                break
            inside = side_of_solid(forest, solids, own, x, work) == IN
            if inside and not _is_within(forest, solids, other, x, limit, work):
                return True
            far *= 4.0
    return False


def within_steps(
    posed: Sequence[Any],
    boxes: tuple[np.ndarray, np.ndarray],
    chosen: np.ndarray,
    start: np.ndarray,
    pairs: np.ndarray,
    middles: np.ndarray,
    limits: np.ndarray,
) -> Generator[None, None, np.ndarray]:
    """Find which object of each pair lies in the other object's solid or within a limit of it, (k, 2) bool.

    Args:
        posed: arguments that all kernels on posed solids share.
        boxes: exact world bounds of the first and of the second objects, (k, 6) each [m].
        chosen: the pairs to test; the result is False for all other pairs.
        start, pairs, middles: contacts, as in ``judge.Judgement``.
        limits: (k,) [m].
    """
    forest, solids, jobs = posed[0], posed[1], posed[4]
    result = np.zeros((len(jobs), 2), np.bool_)
    for job in chosen.tolist():
        for side in range(2):
            own, other = boxes[side][job], boxes[1 - side][job]
            outside = np.maximum(other[:3] - own[:3], own[3:] - other[3:]).max()
            if outside > limits[job] or not solids.closed[jobs[job, 1 - side]]:
                continue
            tree = jobs[job, side]
            triangles = int(forest.triangle_end[tree] - forest.triangle_start[tree])
            spans = [(True, int(start[job]), int(start[job + 1])), (False, 0, triangles)]
            question = job, side, pairs, middles, float(limits[job])
            within = yield from _spans_within(posed, spans, *question)
            result[job, side] = within and not (solids.closed[tree] and _fills_cavity(posed, job, side, limits[job]))
    return result


def _fills_cavity(posed: Sequence[Any], job: int, side: int, limit: float) -> bool:
    """Run the kernel ``fills_cavity`` next to all components of the other object."""
    solids, other = posed[1], posed[4][job, 1 - side]
    begin, end = solids.component_start[other : other + 2].tolist()
    return bool(fills_cavity(*posed, job, side, begin, end, limit, new_point_workspace()))


def _spans_within(
    posed: Sequence[Any],
    spans: Sequence[tuple[bool, int, int]],
    job: int,
    side: int,
    pairs: np.ndarray,
    middles: np.ndarray,
    limit: float,
) -> Generator[None, None, bool]:
    work = new_point_workspace()
    for contacts, first, last in spans:
        for begin in range(first, last, _AT_ONCE):
            end = min(begin + _AT_ONCE, last)
            if not span_within(*posed, job, side, begin, end, contacts, pairs, middles, limit, work):
                return False
            yield
    return True
