"""Measure pairs of objects of a scene: verdicts for those with a common point, nearest points for all others.

Results can be kept together with the revisions of the two objects. Then only pairs with a changed object are measured
again, starting from the triangles that were nearest before.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..answering.answer import answer_steps
from ..answering.exact_distances import within_portions
from ..jit import thread_limit
from ..solid.case import Case, Limits
from ..solid.pair_verdict import FoundPairs
from ..traversal.question import Answer, Goal, Question
from ..types.mesh import TriangleMesh
from ..types.results import Progress, QueryStats
from ..types.steps import scale_progress
from .clock import Clock
from .members import Keep, Keys, Members
from .object_pair import ObjectPair
from .pair_keys import pair_keys
from .results import FirstContact, PairGap, gap_of_meeting
from .verdict_stage import first_contacts_of, verdict_portions

_BATCH = 256
"""Pairs that are measured together if results are kept: few enough that a cancelled query loses little work."""
_NONE = np.empty(0, np.int32)

Pair = tuple[int, int]


class GapOptions(NamedTuple):
    """The options of a distance or clearance query."""

    set_a: Keys = None
    set_b: Keys = None
    keep: Keep | None = None
    limits: Limits = Limits()
    """Limits of the verdicts."""
    tolerance: float | None = None
    """Pairs farther apart than this are ignored [m]. None: no pair is ignored."""
    first_contact: bool = False
    """Find only one contact of each pair that meets, and only the gap of the others."""
    device: str = "cpu"
    """As in ``Scene.contacts``."""

    @property
    def reach(self) -> float:
        """The largest gap to report [m]; infinite without a tolerance."""
        return np.inf if self.tolerance is None else self.tolerance


class Known(NamedTuple):
    """The stored result for a pair of objects."""

    revisions: tuple[int, ...]
    """Revisions of the two objects for which the result is valid."""
    gap: PairGap | FirstContact | None
    """None if the objects are farther apart than the tolerance."""
    complete: bool
    """False if the result was found in first-contact mode and lacks something."""
    start: Pair | None
    """The nearest triangles of the last measurement."""


Memory = dict[Pair, Known]


class GapRecord:
    """Collects the results of one query.

    Args:
        memory: results of earlier queries, which are updated; None to keep nothing.

    Attributes:
        gaps: the gaps of all pairs within the tolerance.
        work: the work so far.
        notes: reasons why the CPU compared boxes instead of a GPU.
        unanswered: portions of pairs (k, 2) that cannot be compared.
    """

    def __init__(self, memory: Memory | None = None) -> None:
        self.gaps: list[PairGap | FirstContact] = []
        self.work = QueryStats()
        self.notes: list[str] = []
        self.unanswered: list[np.ndarray] = []
        self._memory = memory
        self._used: set[Pair] = set()
        self._revisions: dict[Pair, tuple[int, ...]] = {}

    def recall(self, scene: Members, pairs: np.ndarray, first_contact: bool) -> np.ndarray:
        """Use the stored results of pairs (k, 2), and return the pairs that must be measured."""
        if self._memory is None:
            return pairs
        unknown = np.ones(len(pairs), np.bool_)
        revisions = map(tuple, scene.revisions(pairs).tolist())
        for place, (pair, current) in enumerate(zip(map(tuple, pairs.tolist()), revisions, strict=True)):
            known = self._memory.get(pair)
            if known is not None and known.revisions == current and (known.complete or first_contact):
                unknown[place] = False
                self._used.add(pair)
                if known.gap is not None:
                    self.gaps.append(known.gap)
            else:
                self._revisions[pair] = current
        return pairs[unknown]

    def portions(self, pairs: np.ndarray, device: str) -> Generator[tuple[int, np.ndarray], None, None]:
        """Yield the portions of pairs to measure together: the number of pairs before, and the pairs."""
        together = max(len(pairs), 1) if self._memory is None or device != "cpu" else _BATCH
        for begin in range(0, len(pairs), together):
            yield begin, pairs[begin : begin + together]

    def add(self, pair: Pair, gap: PairGap | FirstContact | None, complete: bool = True) -> None:
        """Add the result for a pair; None if it is farther apart than the tolerance."""
        if gap is not None:
            self.gaps.append(gap)
        if self._memory is not None:
            self._used.add(pair)
            self._memory[pair] = Known(self._revisions[pair], gap, complete, self.start(pair))

    def note_start(self, pair: Pair, triangles: Pair) -> None:
        """Store the nearest triangles of a pair for which ``add`` was called."""
        if self._memory is not None:
            self._memory[pair] = self._memory[pair]._replace(start=triangles)

    def start(self, pair: Pair) -> Pair | None:
        """Return the triangles that were nearest when a pair was last measured, or None."""
        known = None if self._memory is None else self._memory.get(pair)
        return None if known is None else known.start

    def note(self, *answers: Answer) -> None:
        """Add the work of answers to the record."""
        for answer in answers:
            self.work = self.work.plus(answer.stats())

    def reach(self, most: int | None) -> float:
        """Return the ``most``-th smallest gap so far [m]; infinite if there are fewer or ``most`` is None."""
        if most is None or len(self.gaps) < most:
            return np.inf
        return float(np.partition([gap.gap for gap in self.gaps], most - 1)[most - 1])

    def nearest(self, most: int | None) -> list[PairGap | FirstContact]:
        """Return the ``most`` nearest pairs (None: all), nearest first."""
        return sorted(self.gaps, key=lambda gap: gap.gap)[:most]

    def stats(self, clock: Clock) -> QueryStats:
        """Return the work and its time."""
        work = self.work.plus(QueryStats(note="; ".join(self.notes)))
        return replace(work, seconds=clock.total, timings=clock.timings)

    def forget_unused(self) -> None:
        """Delete stored pairs that this query did not use. Call it at the end of the query."""
        if self._memory is not None:
            for pair in self._memory.keys() - self._used:
                del self._memory[pair]


def measure_steps(
    scene: Members, pairs: np.ndarray, options: GapOptions, record: GapRecord, clock: Clock
) -> Generator[Progress, None, None]:
    """Find the verdicts and distances of pairs of ids (k, 2) and add them to ``record``; known results are reused."""
    unknown = record.recall(scene, pairs, options.first_contact)
    for begin, some in record.portions(unknown, options.device):
        low, high = begin / len(unknown), (begin + len(some)) / len(unknown)
        clouds = scene.with_special(some)
        for a, b in some[clouds].tolist():
            pair = ObjectPair.of(scene, a, b)
            measuring = pair.gap_steps(options.limits, options.tolerance, options.first_contact)
            gap, work = yield from scale_progress(measuring, low, low, "measuring pairs one by one")
            record.add((a, b), gap, complete=not isinstance(gap, FirstContact))
            record.work = record.work.plus(work)
        if clouds.any():
            clock.stop("pairs one by one")
        if not clouds.all():
            yield from scale_progress(_measure(scene, some[~clouds], options, record, clock), low, high)


def _measure(
    scene: Members, unknown: np.ndarray, options: GapOptions, record: GapRecord, clock: Clock
) -> Generator[Progress, None, None]:
    """Like ``measure_steps``, for all pairs at once, without reuse; the pairs are meshes, and there is at least one."""
    steps = scene.case_steps(
        unknown, Limits(touch_tolerance=options.reach), clock, options.first_contact, options.device
    )
    case, pairs = yield from scale_progress(steps, 0.0, 0.4)
    record.note(case.answer)
    for a, b in unknown[~np.isin(pair_keys(unknown), pair_keys(pairs), assume_unique=True)].tolist():
        record.add((a, b), None)
    apart = np.ones(len(pairs), np.bool_)
    if options.first_contact:
        apart[case.answer.jobs] = False
        for first in first_contacts_of(case, np.flatnonzero(~apart), pairs):
            record.add((first.a, first.b), first, complete=False)
    overlapping = apart & _overlapping(case)
    own, index = pairs[overlapping], np.flatnonzero(overlapping)
    place = {(int(a), int(b)): int(k) for (a, b), k in zip(own, index, strict=True)}
    for done, items in verdict_portions(case.chosen(overlapping), own, options.limits, scene.names):
        for item in items:
            record.add((item.a, item.b), gap_of_meeting(item))
            apart[place[item.a, item.b]] = False
        yield Progress(0.4 + 0.2 * done / len(own), f"judging object pair {done} of {len(own)}")
    clock.stop("verdicts")
    yield from scale_progress(_gaps(case.chosen(apart), pairs[apart], options, record, scene.names), 0.6, 1.0)
    clock.stop("distances")


def _overlapping(case: Case) -> np.ndarray:
    """Return which pairs of objects have overlapping boxes, (k,) bool."""
    low = np.maximum(case.boxes_a[:, :3], case.boxes_b[:, :3])
    return (low <= np.minimum(case.boxes_a[:, 3:], case.boxes_b[:, 3:])).all(axis=1)


def _gaps(
    case: Case, pairs: np.ndarray, options: GapOptions, record: GapRecord, names: Mapping[int, str]
) -> Generator[Progress, None, None]:
    """Measure the distances of pairs without a common point.

    With a tolerance, keep only the pairs within it, and find their triangles that come within it.
    """
    if not len(pairs):
        return
    ids = [(a, b) for a, b in pairs.tolist()]
    starts = np.array([record.start(pair) or (-1, -1) for pair in ids], np.int32)
    side = case.tree_set.side
    question = Question(
        side,
        side,
        case.jobs,
        case.rows_a,
        case.rows_b,
        Goal.NEAREST,
        start=starts,
        device=options.device,
        threads=thread_limit(None),
    )
    nearest = yield from scale_progress(answer_steps(question), 0.0, 0.7, "measuring distances")
    record.note(nearest)
    within = nearest.distances <= options.reach
    near: list[_NearTriangles] = [_NearTriangles() for _ in ids]
    if options.tolerance is not None and within.any() and not options.first_contact:
        yield from _find_near(question, np.flatnonzero(within), options.tolerance, near, record)
    complete = options.tolerance is None or not options.first_contact
    found = found_apart(case.jobs, (case.rows_a, case.rows_b), case.meshes, nearest.points, names)
    for k, pair in enumerate(ids):
        i, j = nearest.pairs[k].tolist()
        gap = PairGap(
            *pair, float(nearest.distances[k]), nearest.points[k].copy(), (i, j), near[k].a, near[k].b, found, k
        ) if within[k] else None  # fmt: skip
        record.add(pair, gap, complete or gap is None)
        record.note_start(pair, (i, j))


class _Middles:
    """``Locations`` of pairs that are apart: the midpoints of their nearest points (k, 2, 3)."""

    def __init__(self, points: np.ndarray) -> None:
        self._points = points

    def of(self, job: int) -> np.ndarray:
        """Return the location of pair ``job``, (3,) float64 [m]."""
        middle: np.ndarray = self._points[job].mean(axis=0)
        return middle


def found_apart(
    trees: np.ndarray,
    rows: tuple[np.ndarray, np.ndarray],
    meshes: Sequence[TriangleMesh],
    points: np.ndarray,
    names: Mapping[int, str],
) -> FoundPairs:
    """Return ``FoundPairs`` for pairs without contacts.

    Args:
        trees: trees of each pair, (k, 2).
        rows: poses (k, 3, 4) of the first and of the second objects.
        meshes: the meshes of the trees.
        points: nearest points of each pair, (k, 2, 3).
        names: names of objects by id.
    """
    pairs, kinds, start = np.empty((0, 2), np.int32), np.empty(0, np.uint8), np.zeros(len(trees) + 1, np.int64)
    return FoundPairs(trees, *rows, pairs, kinds, start, meshes, _Middles(points), names)


def _find_near(
    question: Question, jobs: np.ndarray, tolerance: float, near: "list[_NearTriangles]", record: GapRecord
) -> Generator[Progress, None, None]:
    """Find the triangles of the jobs (n,) of a question that come within the tolerance [m]; add them to ``near``."""

    def take(answer: Answer) -> None:
        for job in np.unique(answer.jobs):
            near[jobs[job]].add(answer.pairs[answer.jobs == job])

    some = question.of_jobs(jobs)._replace(goal=Goal.WITHIN, tolerance=tolerance)
    record.note((yield from scale_progress(within_portions(some, take), 0.7, 1.0, "finding what is near")))


class _NearTriangles:
    """The triangles of two objects that are within the tolerance of each other."""

    def __init__(self) -> None:
        self.a = self.b = _NONE

    def add(self, pairs: np.ndarray) -> None:
        """Add the triangles of pairs (k, 2)."""
        self.a, self.b = np.union1d(self.a, pairs[:, 0]), np.union1d(self.b, pairs[:, 1])
