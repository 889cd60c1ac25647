"""Verdicts of many object pairs at once, from their contacts.

Both closed: common volume shows by a crossing pair, by a coplanar pair with the material on the same side, or by a
point of one surface inside the other solid; without a crossing, a solid none of whose points is outside the other is
contained. One open: it clashes when it passes through the solid, is contained when it lies inside. Both open: they
clash when they cross. Surfaces that coincide are duplicates, whatever else they do.
"""

from typing import Any, NamedTuple

import numpy as np

from ..geometry.intersection import contact_segments
from ..geometry.triangle_pair import TOUCHING as TOUCHING_KIND
from ..traversal.forest import Grove
from ..traversal.leaf_tests import nearness
from ..traversal.point import new_point_workspace
from ..traversal.question import Answer, Question
from ..traversal.run import answer_steps, run
from ..types.pose import transform_points
from ..types.results import APART, CLASH, CONTAINED, DUPLICATE, TOUCHING, Verdict
from .coincidence import surfaces_coincide
from .depth import overlap_depths
from .sampling import A_IN, A_OUT, B_IN, B_OUT, CROSSED, OPPOSITE_SIDES, SAME_SIDE, sample_sides
from .solids import Solids

_VERDICTS = (APART, TOUCHING, CONTAINED, DUPLICATE, CLASH)
_APART, _TOUCHING, _CONTAINED, _DUPLICATE, _CLASH = range(5)
_STARTS = 4
_STARTS_WITH_PERMISSION = 64  # a decision hangs on the depth then, so more of the contact is searched


class Limits(NamedTuple):
    """Lengths [m] that a verdict allows for; they never change which triangles meet."""

    permitted_overlap: float = 0.0
    touch_tolerance: float = 0.0


class Case(NamedTuple):
    """Object pairs to judge: trees of one grove in their poses, and the contacts found between them."""

    grove: Grove
    solids: Solids
    jobs: np.ndarray
    rows_a: np.ndarray
    rows_b: np.ndarray
    boxes_a: np.ndarray
    """Exact world bounds of the first objects, (k, 6) float64 [m]."""
    boxes_b: np.ndarray
    answer: Answer

    def frames(self) -> tuple[Any, ...]:
        """The arguments that all kernels on posed trees share."""
        inverses = (np.linalg.inv(self.rows_a[:, :, :3]), np.linalg.inv(self.rows_b[:, :, :3]))
        return self.grove.origins, self.grove.reaches, self.jobs, self.rows_a, self.rows_b, *inverses

    def chosen(self, mask: np.ndarray) -> "Case":
        """The object pairs for which ``mask`` (k,) bool is true, with their contacts."""
        own = mask[self.answer.jobs]
        numbers = (np.cumsum(mask) - 1).astype(np.int32)
        answer = self.answer._replace(
            pairs=self.answer.pairs[own], kinds=self.answer.kinds[own], jobs=numbers[self.answer.jobs[own]]
        )
        return self._replace(
            jobs=self.jobs[mask], rows_a=self.rows_a[mask], rows_b=self.rows_b[mask],
            boxes_a=self.boxes_a[mask], boxes_b=self.boxes_b[mask], answer=answer,
        )  # fmt: skip


class Judgement(NamedTuple):
    """Verdicts of k object pairs."""

    codes: np.ndarray
    """(k,) int8, index of the verdict."""
    depths: np.ndarray
    """(k,) float64 [m], NaN where there is no common volume or an object is open."""
    start: np.ndarray
    """Contacts of pair j are the rows start[j]:start[j + 1] of the answer, (k + 1,) int64."""
    middles: np.ndarray
    """A point of each contact, (n, 3) float64 [m], world."""

    def verdict(self, job: int) -> Verdict:
        """The verdict of one object pair, with its depth."""
        depth = float(self.depths[job])
        verdict = _VERDICTS[self.codes[job]]
        return verdict if np.isnan(depth) else verdict.with_depth(depth)

    def location(self, case: Case, job: int) -> np.ndarray | None:
        """A point to look at, (3,) float64 [m]: amid the contacts, or amid the smaller object; None when only near."""
        rows = slice(self.start[job], self.start[job + 1])
        if rows.start < rows.stop:
            return self.middles[rows].mean(axis=0)
        if self.codes[job] != _CONTAINED:
            return None
        boxes = np.stack([case.boxes_a[job], case.boxes_b[job]])
        smaller = boxes[np.argmin((boxes[:, 3:] - boxes[:, :3]).sum(axis=1))]
        return 0.5 * smaller[:3] + 0.5 * smaller[3:]


def judge(case: Case, limits: Limits) -> Judgement:
    """Verdicts and depths of all object pairs of a case."""
    count = len(case.jobs)
    answer = case.answer
    start = np.searchsorted(answer.jobs, np.arange(count + 1)).astype(np.int64)
    middles, edges = _contact_places(case)
    codes = _codes(case, np.diff(start) > 0, _sample(case, start, middles, edges))
    codes[_duplicates(case)] = _DUPLICATE
    solid = case.solids.closed[case.jobs].all(axis=1)
    deep = np.flatnonzero(solid & (codes >= _CONTAINED))
    starts = _STARTS_WITH_PERMISSION if limits.permitted_overlap > 0.0 else _STARTS
    depths = measure_depths(case, deep, starts, start, middles)
    if limits.permitted_overlap > 0.0:
        codes[(codes == _CLASH) & (depths <= limits.permitted_overlap * (1.0 + 1e-9))] = _TOUCHING
    _mark_near(case, limits, codes)
    return Judgement(codes, depths, start, middles)


def measure_depths(case: Case, chosen: np.ndarray, starts: int, start: np.ndarray, middles: np.ndarray) -> np.ndarray:
    """Depths (k,) [m] of the chosen pairs (n,) int64 of closed meshes, NaN for the others; see ``depth.py``.

    Args:
        case: the object pairs.
        chosen: which to measure.
        starts: from how many contacts of a pair the search begins.
        start, middles: as in ``Judgement``.
    """
    depths = np.full(len(case.jobs), np.nan)
    overlap_depths(
        case.grove.forest, case.solids, *case.frames(), chosen, start, case.answer.pairs, case.answer.kinds, middles,
        starts, new_point_workspace(), depths,
    )  # fmt: skip
    return depths


def _contact_places(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """The middle of every contact, (n, 3) float64 [m], and whether it is a line, (n,) bool."""
    answer = case.answer
    a = contact_triangles(case.grove, case.jobs, case.rows_a, answer, 0)
    b = contact_triangles(case.grove, case.jobs, case.rows_b, answer, 1)
    segments, middles = contact_segments(a, b, answer.kinds)
    return middles, (segments[:, 0] != segments[:, 1]).any(axis=1) & (answer.kinds == TOUCHING_KIND)


def contact_triangles(grove: Grove, jobs: np.ndarray, rows: np.ndarray, answer: Answer, side: int) -> np.ndarray:
    """World coordinates (n, 3, 3) [m] of one side's triangle of every contact."""
    forest = grove.forest
    trees = jobs[answer.jobs, side]
    corners = forest.triangles[forest.triangle_start[trees] + answer.pairs[:, side]]
    points = forest.vertices[forest.vertex_start[trees][:, None] + corners]
    return transform_points(rows[answer.jobs, None], points)


def _sample(case: Case, start: np.ndarray, middles: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Bits of ``sampling.py`` for every pair."""
    answer = case.answer
    bits = np.zeros(len(case.jobs), np.int64)
    order_a = np.arange(len(answer.pairs))
    order_b = np.lexsort((answer.pairs[:, 1], answer.jobs))
    sample_sides(
        case.grove.forest,
        case.solids,
        *case.frames(),
        start,
        answer.pairs,
        answer.kinds,
        middles,
        edges,
        order_a,
        order_b,
        new_point_workspace(),
        bits,
    )
    return bits


def _codes(case: Case, meeting: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """Verdict codes before duplicates, permitted overlap and touch tolerance."""
    closed_a, closed_b = case.solids.closed[case.jobs].T

    def has(bit: int) -> np.ndarray:
        return (bits & bit) != 0

    codes = np.where(meeting, _TOUCHING, _APART).astype(np.int8)
    codes[has(CROSSED) | has(SAME_SIDE) | has(A_IN) | has(B_IN)] = _CLASH
    whole = (codes == _CLASH) & ~has(CROSSED) & ~has(OPPOSITE_SIDES)
    within = (closed_b & ~has(A_OUT) & ~has(B_IN)) | (closed_a & ~has(B_OUT) & ~has(A_IN))
    codes[whole & within] = _CONTAINED
    return codes


def _duplicates(case: Case) -> np.ndarray:
    """Pairs whose surfaces coincide; only those with equal world boxes are compared point by point."""
    scale = np.maximum(np.abs(case.boxes_a), np.abs(case.boxes_b)).max(axis=1)
    chosen = np.flatnonzero((np.abs(case.boxes_a - case.boxes_b) <= 1e-12 * scale[:, None]).all(axis=1))
    result = np.zeros(len(case.jobs), np.bool_)
    if len(chosen):
        surfaces_coincide(case.grove.forest, case.solids, *case.frames(), chosen, new_point_workspace(), result)
    return result


def _mark_near(case: Case, limits: Limits, codes: np.ndarray) -> None:
    """Turn apart into touching where the gap is within the touch tolerance."""
    apart = np.flatnonzero(codes == _APART)
    if limits.touch_tolerance <= 0.0 or len(apart) == 0:
        return
    question = Question(
        case.grove, case.grove, case.jobs[apart], case.rows_a[apart], case.rows_b[apart], nearness,
        tolerance=limits.touch_tolerance, first_only=True,
    )  # fmt: skip
    codes[apart[np.unique(run(answer_steps(question)).jobs)]] = _TOUCHING
