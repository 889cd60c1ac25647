"""Exact tests whether two solids form cells that lie in both solids, or in only one of them, for many pairs.

The kernels of ``sampling.py`` test the cells next to places. Tests that floating-point expansions cannot decide are
done with fractions. Cavities of self-intersecting surfaces are found, too (``voids.py``).
"""

from collections.abc import Generator
from typing import Any

import numpy as np

from ..traversal.point import new_point_workspace
from ..types.pose import transform_points
from .case import Case
from .rational_cells import Surface, bits_by_fractions
from .sampling import ALL_PLACES, COMMON, EFFORT, ONLY_A, ONLY_B, UNDECIDED, is_complete, sample_sides, visited_room
from .voids import void_steps


def may_overlap(case: Case) -> np.ndarray:
    """Return which pairs may share volume, (k,) bool: those that no axis-aligned plane separates."""
    a, b = case.boxes_a, case.boxes_b
    return np.logical_and((a[:, 3:] > b[:, :3]).all(axis=1), (b[:, 3:] > a[:, :3]).all(axis=1))


def shares_volume(case: Case) -> Generator[None, None, np.ndarray]:
    """Return which pairs of solids share volume, (k,) bool."""
    bits = yield from sample_steps(case, case.posed(), case.starts, may_overlap(case), known=ONLY_A | ONLY_B)
    return (bits & COMMON) != 0


def sample_steps(
    case: Case, posed: tuple[Any, ...], start: np.ndarray, asked: np.ndarray, known: int = 0
) -> Generator[None, None, np.ndarray]:
    """Return the bits of ``sampling.py`` for every pair; only the pairs selected by ``asked`` (k,) are searched.

    Pairs of two open objects are not searched. All results include the bits in ``known``, which are already known or
    not needed.
    """
    answer, solids = case.answer, case.solids
    bits = np.full(len(case.jobs), known, np.int64)
    closed = solids.closed[case.jobs]
    looked_at = asked[:, None] & (closed.all(axis=1)[:, None] | (closed[:, ::-1] & ~closed))
    """Sides whose surfaces are examined: both of two solids, otherwise the open one."""

    if looked_at.any():
        ends = np.append(case.tree_set.forest.vertex_start[1:], len(case.tree_set.forest.vertices))
        vertices = (ends - case.tree_set.forest.vertex_start)[case.jobs].max(axis=1, initial=0)
        visited = np.empty(visited_room(np.diff(start), vertices), np.int64)
        scratch = visited, new_point_workspace(), EFFORT, np.zeros(3, np.int64)
        while not sample_sides(*posed, looked_at, ALL_PLACES, start, answer.pairs, answer.kinds, *scratch, bits):
            yield
        yield
    for job in np.flatnonzero(bits & UNDECIDED).tolist():
        if not is_complete(bits[job]):
            pairs, kinds = (array[start[job] : start[job + 1]] for array in (answer.pairs, answer.kinds))
            a, b = (_surface(case, job, side, pairs[:, side]) for side in range(2))
            bits[job] = yield from bits_by_fractions(a, b, pairs, kinds)
    yield from void_steps(case, posed, start, asked, bits)
    return bits


def _surface(case: Case, job: int, side: int, touched: np.ndarray) -> Surface:
    """Return one object of a pair in world coordinates, with the triangles that are touched."""
    forest, solids, tree = case.tree_set.forest, case.solids, case.jobs[job, side]
    part = slice(forest.triangle_start[tree], forest.triangle_end[tree])
    rows = case.rows_a if side == 0 else case.rows_b
    points = transform_points(rows[job], forest.vertices[forest.vertex_start[tree] + forest.triangles[part]])
    components = slice(solids.component_start[tree], solids.component_start[tree + 1])
    looked_at = np.union1d(touched, solids.representatives[components])
    return Surface(points, solids.orientation[part], bool(solids.closed[tree]), looked_at)
