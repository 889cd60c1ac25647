"""Find objects with identical arrays, and open surfaces that consist of the same points with any triangulation.

Closed surfaces bound solids, and are compared as solids (``sampling.py``). Work is divided into spans of triangles, so
that callers can stop between two spans.
"""

import math
from collections.abc import Generator
from typing import Any

import numpy as np

from ..geometry.predicates import exact_orient3d
from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.exact_winding import (
    FOUND,
    MOST_AROUND,
    TURNS,
    away_from,
    numbers_at,
    ray_end,
    star,
    vertex_base,
    without_area,
)
from ..traversal.frames import make_frame
from ..traversal.point import new_point_workspace, world_triangle
from .case import Case

_SPAN = 512  # triangles that are compared in one step


@inner
def _corner_covered(forest, solids, own, other, u, v, w, found, work):
    """Return whether the part of a triangle near corner u, along both edges, lies on the other surface."""
    base = by_reference(vertex_base(u))
    first = away_from(forest, other, base)
    for turn in range(TURNS):
        q = ray_end(forest, own, other, (first + turn) % TURNS, base)
        number, count, how = star(forest, solids, other, base, q, found, work)
        if how != FOUND or exact_orient3d(u, v, w, q, work.exact) == 0:
            continue
        for turned in range(2):
            y, z = (v, w) if turned == 0 else (w, v)
            _, _, lies, decided = numbers_at(
                forest, solids, other, base, y, z, q, found, min(count, MOST_AROUND), number, work
            )
            if not (lies and decided):
                return False
        return True
    return False


@inner
def _covered(forest, solids, own, other, begin, end, found, work):
    """Return whether the corners of some triangles, and the parts of the triangles near them, lie on the other
    surface.
    """
    for t in range(begin, end):
        a, b, c = world_triangle(forest, own.tree, t, own.pose)
        if without_area(a, b, c, work):
            continue
        for i in range(3):
            u, v, w = (a, b, c) if i == 0 else ((b, c, a) if i == 1 else (c, a, b))
            if not _corner_covered(forest, solids, own, other, u, v, w, found, work):
                return False
    return True


@inner
def _area(forest, frame):
    """Return twice the area of a tree's triangles."""
    total = 0.0
    for t in range(forest.triangle_end[frame.tree] - forest.triangle_start[frame.tree]):
        a, b, c = world_triangle(forest, frame.tree, t, frame.pose)
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        total += math.sqrt(nx * nx + ny * ny + nz * nz)
    return total


@inner
def _equal_areas(forest, a, b):
    """Return whether both areas are equal within rounding: a hole may lie between the corners of triangles."""
    area = _area(forest, a)
    return abs(area - _area(forest, b)) <= 1e-9 * area


@kernel
def deny_coincidence(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b, spans, work, result
):  # fmt: skip
    """Set ``result`` (k,) bool to False for the jobs whose surfaces, both open, do not coincide.

    A span (job, side, begin, end) compares some triangles of one surface with the other surface. The span that begins
    with triangle 0 of side 0 also compares the surfaces as a whole.
    """
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    found = np.empty(MOST_AROUND, np.int64)
    for index in range(spans.shape[0]):
        job, side, begin, end = spans[index, 0], spans[index, 1], spans[index, 2], spans[index, 3]
        if not result[job]:
            continue
        a = by_reference(make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches))
        b = by_reference(make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches))
        own, other = (a, b) if side == 0 else (b, a)
        whole = side == 0 and begin == 0
        result[job] = (not whole or _equal_areas(forest, a, b)) and _covered(
            forest, solids, own, other, begin, end, found, work
        )


def duplicate_steps(case: Case, posed: tuple[Any, ...]) -> Generator[None, None, np.ndarray]:
    """Find the pairs with the same triangles at the same positions, and the pairs of open surfaces that coincide."""
    result = (case.boxes_a == case.boxes_b).all(axis=1)
    identical = np.zeros(len(result), np.bool_)
    for job in np.flatnonzero(result).tolist():
        identical[job] = _are_identical(case, job)
        yield
    result &= ~case.solids.closed[case.jobs].any(axis=1) & ~identical
    chosen = np.flatnonzero(result)
    forest, work = case.tree_set.forest, new_point_workspace()
    for side in range(2):
        trees = case.jobs[chosen, side]
        counts = forest.triangle_end[trees] - forest.triangle_start[trees]
        for spans in _batches(_spans(side, chosen, np.zeros_like(counts), counts)):
            if result[spans[:, 0]].any():
                deny_coincidence(*posed, spans, work, result)
                yield
    return result | identical


def _are_identical(case: Case, job: int) -> bool:
    """Return whether two objects have the same arrays and the same pose."""
    forest, (a, b) = case.tree_set.forest, case.jobs[job]
    if not np.array_equal(case.rows_a[job], case.rows_b[job]):
        return False
    ends = np.append(forest.vertex_start, len(forest.vertices))
    arrays = [
        (forest.triangles[forest.triangle_start[t] : forest.triangle_end[t]], forest.vertices[ends[t] : ends[t + 1]])
        for t in (a, b)
    ]
    return a == b or all(map(np.array_equal, *arrays))


def _spans(what: int, jobs: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return rows (job, what, begin, end) that cut the non-empty range of each job into spans."""
    pieces = -(-(end - begin) // _SPAN)
    row = np.repeat(np.arange(len(jobs)), pieces)
    low = begin[row] + _SPAN * (np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces))
    return np.stack([jobs[row], np.full(len(row), what), low, np.minimum(low + _SPAN, end[row])], axis=1)


def _batches(spans: np.ndarray) -> list[np.ndarray]:
    """Return the spans in groups of about ``_SPAN`` items each."""
    effort = np.cumsum(spans[:, 3] - spans[:, 2] + 1)
    return np.split(spans, np.flatnonzero(np.diff(effort // _SPAN)) + 1) if len(spans) else []
