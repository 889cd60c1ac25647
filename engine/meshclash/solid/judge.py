"""Verdicts of many object pairs at once, from their contacts.

Both closed: they clash when there are points in both, points in the first only, and points in the second only. One is
contained when one of the latter is missing, they are duplicates when both are. Without points in both they touch when
they meet. One open: it clashes when parts of it lie inside the solid and parts outside, is contained when none lies
outside. Both open: they clash when they cross, and are duplicates when they coincide.

Everything that grows with the contacts or the triangles of a pair is done in spans of them, so that one enormous pair
holds nobody up either.
"""

import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from ..answering.answer import answer_steps
from ..geometry.triangle_pair import CROSSING
from ..traversal.point import new_point_workspace
from ..traversal.question import Goal, Question
from ..types.pose import transform_points
from ..types.steps import always, in_slices, run, steps
from ..types.verdict import Verdict
from .by_fractions import Surface, bits_by_fractions
from .case import Case, Limits, pair_order
from .coincidence import deny_coincidence
from .flush import within_steps
from .measure import LOWER, UPPER, Overlaps, measure_steps
from .middles import Locations, middle_steps
from .open_judge import as_drawn, drawn_steps, judge_open_steps, parted_steps
from .open_overlap import DEPTH_CERTAINTY
from .pair_verdict import Findings, FoundPairs, PairVerdict
from .pockets import pocket_steps
from .sampling import (
    ALL_PLACES,
    COMMON,
    EFFORT,
    ONLY_A,
    ONLY_B,
    SURFACE_IN,
    SURFACE_OUT,
    UNDECIDED,
    is_complete,
    sample_sides,
    visited_room,
)

_VERDICTS = tuple(Verdict)
_APART, _TOUCHING, _CONTAINED, _DUPLICATE, _CLASH = range(5)
_DECIMAL = 1.0 + 1e-9  # permitted lengths are decimal numbers that coordinates seldom meet to the last bit
_SPAN = 512  # contacts, triangles or points that are looked at in one step


class Judgement(NamedTuple):
    """Verdicts of k object pairs."""

    codes: np.ndarray
    """(k,) int8, index of the verdict."""
    depths: np.ndarray
    """Diameter of the ball, lower and upper bound, (k, 3) float64 [m]; NaN where there is none or nothing is known."""
    start: np.ndarray
    """Contacts of pair j are the rows start[j]:start[j + 1] of the answer, (k + 1,) int64."""
    locations: Locations
    """Points to look at, one of each pair."""
    permitted: np.ndarray
    """Overlap that was permitted, (k,) float64 [m]."""
    flush: np.ndarray
    """Which pairs would have another verdict if nothing were permitted to their resolution, (k,) bool."""
    certainties: np.ndarray
    """Probability that the verdict is right, (k,) float64; below 1 where an open mesh counts as what it means."""

    def found(self, case: Case, names: Mapping[int, str]) -> FoundPairs:
        """What was found of the pairs of the case that was judged; names of objects by their ids."""
        answer = case.answer
        return FoundPairs(
            case.jobs, case.rows_a, case.rows_b, answer.pairs, answer.kinds, self.start, case.meshes, self.locations,
            names,
        )  # fmt: skip

    def records(self, ids: Sequence[tuple[int, int]], found: Findings) -> list[PairVerdict]:
        """The verdicts of all object pairs (k, 2), with their measures and what was found of them."""
        measures: Iterable[tuple[float | None, ...]] = repeat((None, None, None))
        if not np.isnan(self.depths).all():
            measures = [tuple(map(_known, row)) for row in self.depths.tolist()]
        columns = (column.tolist() for column in (self.codes, self.certainties, self.flush, self.permitted))
        return [
            PairVerdict(
                a, b, _VERDICTS[code], depth, lower, upper, certainty, flush, permitted if code else 0.0, found, job
            )
            for job, ((a, b), code, certainty, flush, permitted, (depth, lower, upper)) in enumerate(
                zip(ids, *columns, measures, strict=False)
            )
        ]


def _known(length: float) -> float | None:
    return None if math.isnan(length) else length


Steps = Generator[None, None, Any]


@in_slices
def judge(case: Case, limits: Limits) -> Generator[None, None, Judgement]:
    """Verdicts and depths of all object pairs of a case."""
    drawn = yield from drawn_steps(case)
    if drawn.any():
        return (yield from _judge_drawn(case, limits, drawn))
    start = case.starts
    permitted, rounding = limits.permitted(case.resolutions), limits.rounding(case.resolutions)
    swapped, middles, forgives = pair_order(case), None, bool(rounding.any())
    if limits.depths or (permitted > 0.0).any():
        middles = yield from middle_steps(case, swapped, sample=not forgives)
    posed = case.posed()
    same = yield from _duplicates(case, posed)  # first: where surfaces coincide every triangle is a contact
    solid = case.both_closed
    bits = yield from _sample(case, posed, start, ~same & _may_overlap(case))
    codes = _codes(case, np.diff(start) > 0, bits)
    codes[same] = _DUPLICATE
    certainties = np.ones(len(codes))
    measured = limits.depths | (permitted > 0.0)
    balls = yield from judge_open_steps(case, codes, certainties, measured, limits.exact)
    depths = np.full((len(codes), 2), np.nan)
    allowed = np.where(codes == _CLASH, permitted * _DECIMAL, 0.0)
    if middles is not None:
        deep = np.flatnonzero(solid & (codes >= _CONTAINED) & (limits.depths | (allowed > 0.0)))
        overlaps = Overlaps(case, start, middles, swapped)
        yield from measure_steps(overlaps, deep, codes == _CLASH, allowed, limits.exact, _shares_volume)
        depths[deep], balls[deep] = overlaps.found[deep, : UPPER + 1], overlaps.found[deep, LOWER]
    light = _within(allowed, depths, balls)
    tiny = _within(np.minimum(allowed, rounding * _DECIMAL), depths, balls)
    codes[tiny] = _TOUCHING
    unbound = (codes == _CLASH) & (rounding > 0.0) & np.isnan(depths[:, UPPER]) & ~solid & ~light & ~(balls > rounding)
    parted = yield from parted_steps(case, np.flatnonzero(unbound), rounding, _APART, _plain_codes)
    codes[parted] = _TOUCHING
    flush = parted | (tiny & limits.by_resolution)
    if forgives and middles is not None:
        meant = yield from _as_meant(case, posed, codes, start, middles, rounding)
        flush |= meant != codes
        codes = meant
    codes[light & (codes == _CLASH)] = _TOUCHING
    certainties[light & (codes == _TOUCHING) & np.isnan(depths[:, UPPER])] = DEPTH_CERTAINTY
    _mark_near(case, limits, codes)
    locations = Locations(case, start, codes, swapped, middles if forgives else None)
    depths = np.column_stack([np.where(balls > 0.0, balls, np.nan), depths])
    return Judgement(codes, depths, start, locations, permitted, flush, certainties)


def _judge_drawn(case: Case, limits: Limits, drawn: np.ndarray) -> Generator[None, None, Judgement]:
    """As ``judge``, where some pairs (k,) bool have meshes that draw closed ones."""
    solids: Judgement = yield from always(None, steps(judge, as_drawn(case.chosen(drawn)), limits))
    others = solids if drawn.all() else (yield from always(None, steps(judge, case.chosen(~drawn), limits)))

    def joined(of_solids: np.ndarray, of_others: np.ndarray) -> np.ndarray:
        both = np.empty((len(drawn), *of_solids.shape[1:]), of_solids.dtype)
        both[drawn], both[~drawn] = of_solids, of_others[: (~drawn).sum()]
        return both

    codes, depths, permitted, flush, certainties = (
        joined(getattr(solids, name), getattr(others, name))
        for name in ("codes", "depths", "permitted", "flush", "certainties")
    )
    locations = Locations(case, case.starts, codes, pair_order(case), None)
    return Judgement(codes, depths, case.starts, locations, permitted, flush, certainties)


def _shares_volume(case: Case) -> Generator[None, None, np.ndarray]:
    """Which pairs of solids have common volume, (k,) bool."""
    bits = yield from _sample(case, case.posed(), case.starts, _may_overlap(case), known=ONLY_A | ONLY_B)
    return (bits & COMMON) != 0


def _plain_codes(case: Case) -> Generator[None, None, np.ndarray]:
    """Verdict codes of pairs, (k,) int8, nothing permitted."""
    found: Judgement = yield from always(None, steps(judge, case, Limits(depths=False)))
    return found.codes


def _as_meant(
    case: Case, posed: tuple[Any, ...], codes: np.ndarray, start: np.ndarray, middles: np.ndarray, rounding: np.ndarray
) -> Generator[None, None, np.ndarray]:
    """The codes, with parts that stick out of the other object by no more than rounding (k,) counted as inside."""
    closed = case.solids.closed[case.jobs]
    chosen = np.flatnonzero((rounding > 0.0) & ((codes == _CLASH) | (codes == _CONTAINED)) & closed.any(axis=1))
    boxes = case.boxes_a, case.boxes_b
    within = yield from within_steps(posed, boxes, chosen, start, case.answer.pairs, middles, rounding)
    codes = np.where((codes == _CLASH) & within.any(axis=1), _CONTAINED, codes).astype(np.int8)
    codes[within.all(axis=1)] = _DUPLICATE
    return codes


def _within(allowed: np.ndarray, depths: np.ndarray, balls: np.ndarray) -> np.ndarray:
    """Which pairs (k,) overlap by no more than lengths (k,) above 0.

    By the bounds (k, 2) where there are any; where they leave it open, by the largest balls found (k,).
    """
    return (allowed > 0.0) & ((balls <= allowed) | (depths[:, UPPER] <= allowed))


def _may_overlap(case: Case) -> np.ndarray:
    """Which pairs may have common volume, (k,) bool: not those that a plane along the axes keeps apart."""
    a, b = case.boxes_a, case.boxes_b
    return np.logical_and((a[:, 3:] > b[:, :3]).all(axis=1), (b[:, 3:] > a[:, :3]).all(axis=1))


def _sample(
    case: Case, posed: tuple[Any, ...], start: np.ndarray, asked: np.ndarray, known: int = 0
) -> Generator[None, None, np.ndarray]:
    """Bits of ``sampling.py`` for every pair, none for those of two open objects and those not ``asked`` (k,) about.

    Those that are ``known``, or of no interest, are not looked for.
    """
    answer, solids = case.answer, case.solids
    bits = np.full(len(case.jobs), known, np.int64)
    closed = solids.closed[case.jobs]
    looked_at = asked[:, None] & (closed.all(axis=1)[:, None] | (closed[:, ::-1] & ~closed))
    """Which sides' surfaces are looked at: both of two solids, else an open one."""

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
    yield from pocket_steps(case, posed, start, asked, bits)
    return bits


def _surface(case: Case, job: int, side: int, touched: np.ndarray) -> Surface:
    """One object of a pair in world coordinates, of which some triangles are touched."""
    forest, solids, tree = case.tree_set.forest, case.solids, case.jobs[job, side]
    part = slice(forest.triangle_start[tree], forest.triangle_end[tree])
    rows = case.rows_a if side == 0 else case.rows_b
    points = transform_points(rows[job], forest.vertices[forest.vertex_start[tree] + forest.triangles[part]])
    components = slice(solids.component_start[tree], solids.component_start[tree + 1])
    looked_at = np.union1d(touched, solids.representatives[components])
    return Surface(points, solids.orientation[part], bool(solids.closed[tree]), looked_at)


def _spans(what: int, jobs: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Rows (job, what, begin, end) that cut the range of each job, which is not empty, into spans."""
    pieces = -(-(end - begin) // _SPAN)
    row = np.repeat(np.arange(len(jobs)), pieces)
    low = begin[row] + _SPAN * (np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces))
    return np.stack([jobs[row], np.full(len(row), what), low, np.minimum(low + _SPAN, end[row])], axis=1)


def _batches(spans: np.ndarray) -> list[np.ndarray]:
    """Spans in groups of about ``_SPAN`` items in all."""
    effort = np.cumsum(spans[:, 3] - spans[:, 2] + 1)
    return np.split(spans, np.flatnonzero(np.diff(effort // _SPAN)) + 1) if len(spans) else []


def _codes(case: Case, meeting: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """Verdict codes before surfaces that coincide, permitted overlap and touch tolerance."""
    closed = case.solids.closed[case.jobs]

    def has(bit: int) -> np.ndarray:
        return (bits & bit) != 0

    codes = np.where(meeting, _TOUCHING, _APART).astype(np.int8)
    codes[has(COMMON)] = _DUPLICATE
    codes[has(COMMON) & (has(ONLY_A) | has(ONLY_B))] = _CONTAINED
    codes[has(COMMON) & has(ONLY_A) & has(ONLY_B)] = _CLASH
    codes[has(SURFACE_IN)] = _CONTAINED
    codes[has(SURFACE_IN) & has(SURFACE_OUT)] = _CLASH
    crossing = np.zeros(len(codes), np.bool_)
    crossing[case.answer.jobs[case.answer.kinds == CROSSING]] = True
    codes[crossing & ~closed.any(axis=1)] = _CLASH
    return codes


def _duplicates(case: Case, posed: tuple[Any, ...]) -> Generator[None, None, np.ndarray]:
    """Pairs with the same triangles at the same places, and pairs of open surfaces that coincide."""
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
    """Whether two objects are the same arrays in the same pose."""
    forest, (a, b) = case.tree_set.forest, case.jobs[job]
    if not np.array_equal(case.rows_a[job], case.rows_b[job]):
        return False
    ends = np.append(forest.vertex_start, len(forest.vertices))
    arrays = [
        (forest.triangles[forest.triangle_start[t] : forest.triangle_end[t]], forest.vertices[ends[t] : ends[t + 1]])
        for t in (a, b)
    ]
    return a == b or all(map(np.array_equal, *arrays))


def _mark_near(case: Case, limits: Limits, codes: np.ndarray) -> None:
    """Turn apart into touching where the gap is within the touch tolerance."""
    apart = np.flatnonzero(codes == _APART)
    if limits.touch_tolerance <= 0.0 or len(apart) == 0:
        return
    side = case.tree_set.side
    question = Question(
        side, side, case.jobs[apart], case.rows_a[apart], case.rows_b[apart], Goal.WITHIN,
        tolerance=limits.touch_tolerance, first_only=True,
    )  # fmt: skip
    codes[apart[np.unique(run(answer_steps(question)).jobs)]] = _TOUCHING
