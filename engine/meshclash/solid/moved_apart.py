"""Surfaces that cross by no more than their resolution, though they bound no solid: a move that short takes them apart.

A move that takes two solids apart is no shorter than the diameter of any ball that lies in both, so it bounds their
depth from above. Of meshes that bound no solid no depth is known; a move that takes them apart is all that can be said.
"""

from collections.abc import Callable, Generator
from itertools import product

import numpy as np

from ..answering.answer import answer_steps
from ..geometry.triangle_pair import CROSSING
from ..traversal.bounds import world_bounds
from ..traversal.question import Question
from ..types.pose import transform_points
from ..types.steps import always
from .case import Case

JudgesPlainly = Callable[[Case], Generator[None, None, np.ndarray]]
"""Verdict codes (k,) of the pairs of a case, nothing permitted."""

_DIRECTIONS = np.array([row for row in product((-1.0, 0.0, 1.0), repeat=3) if any(row)])
_DIRECTIONS /= np.linalg.norm(_DIRECTIONS, axis=1, keepdims=True)
_SHARES = (0.999, 1e-3)  # of what is permitted: a short move suits parts that fit in a slot
_SLACK = 1.001  # of lengths that only sort out what is not looked at
_ROUNDING = 2.0**-48  # of the largest coordinate
_MOST = 4096  # contacts of a pair that are looked at first


def parted_steps(
    case: Case, chosen: np.ndarray, permitted: np.ndarray, apart: int, judges: JudgesPlainly
) -> Generator[None, None, np.ndarray]:
    """Which pairs a move by at most what is permitted takes apart, (k,) bool.

    Args:
        case: the pairs.
        chosen: numbers (n,) of those that are asked about.
        permitted: of all pairs, (k,) [m].
        apart: the verdict code of pairs that share nothing.
        judges: tells the codes of moved pairs.
    """
    parted = np.zeros(len(case.jobs), np.bool_)
    left = []
    for job in chosen.tolist():
        if _may_part(case, job, float(permitted[job])):
            left.append(job)
        yield
    for share, direction in product(_SHARES, _DIRECTIONS):
        if not left:
            break
        jobs = np.array(left)
        moved = yield from _moved(case, jobs, share * permitted[jobs, None] * direction)
        codes = yield from judges(moved)
        parted[jobs[codes == apart]] = True
        left = [job for job in left if not parted[job]]
        yield
    return parted


def _moved(case: Case, jobs: np.ndarray, moves: np.ndarray) -> Generator[None, None, Case]:
    """Some pairs (n,), the second object of each moved by (n, 3), with their contacts."""
    trees, rows_a, rows_b = case.jobs[jobs], case.rows_a[jobs], case.rows_b[jobs].copy()
    rows_b[:, :, 3] += moves
    side = case.tree_set.side
    answer = yield from always(None, answer_steps(Question(side, side, trees, rows_a, rows_b)))
    return case._replace(
        jobs=trees, rows_a=rows_a, rows_b=rows_b, boxes_a=case.boxes_a[jobs],
        boxes_b=world_bounds(case.tree_set, trees[:, 1], rows_b), answer=answer, resolutions=case.resolutions[jobs],
    )  # fmt: skip


def _may_part(case: Case, job: int, length: float) -> bool:
    """Whether no two triangles of a pair cross so far that a move by a length cannot take them apart."""
    begin, end = case.starts[job : job + 2]
    crossing = case.answer.pairs[begin:end][case.answer.kinds[begin:end] == CROSSING][:_MOST]
    forest, corners = case.tree_set.forest, []
    for side, rows in enumerate((case.rows_a[job], case.rows_b[job])):
        tree = case.jobs[job, side]
        numbers = forest.triangles[forest.triangle_start[tree] + crossing[:, side]]
        corners.append(transform_points(rows, forest.vertices[forest.vertex_start[tree] + numbers]))
    a, b = corners
    largest = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    return bool((_overlaps(a, b) <= _SLACK * length + _ROUNDING * largest).all())


def _overlaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far triangles (n, 3, 3) must be moved to come apart, (n,): the least overlap along any axis of both."""
    edges_a, edges_b = np.roll(a, -1, axis=1) - a, np.roll(b, -1, axis=1) - b
    normals = [np.cross(edges[:, 0], edges[:, 1])[:, None] for edges in (edges_a, edges_b)]
    across = np.cross(edges_a[:, :, None], edges_b[:, None]).reshape(-1, 9, 3)
    axes = np.concatenate([*normals, across], axis=1)
    lengths = np.linalg.norm(axes, axis=2, keepdims=True)
    axes = np.divide(axes, lengths, out=np.zeros_like(axes), where=lengths > 0.0)
    along_a, along_b = (np.einsum("nad,ncd->nac", axes, corners) for corners in (a, b))
    overlap = np.minimum(along_a.max(axis=2) - along_b.min(axis=2), along_b.max(axis=2) - along_a.min(axis=2))
    least: np.ndarray = np.where(lengths[:, :, 0] > 0.0, overlap, np.inf).min(axis=1)
    return least
