"""Measure pairs of objects of a scene: verdicts for pairs with a common point, nearest points for all other pairs.

Results are stored in a ``PairMemory``. If this memory is used again, only some pairs are measured: an object of the
pair has changed, and the pair may have come within the tolerance. The measurement starts from the triangles that were
nearest before.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..answering.answer import answer_steps
from ..answering.exact_distances import within_portions
from ..jit import thread_limit
from ..messages import counting
from ..solid.case import Case, Limits
from ..solid.pair_verdict import FoundPairs
from ..traversal.question import Answer, Goal, Question
from ..types.mesh import TriangleMesh
from ..types.pair_keys import pair_keys, pairs_of
from ..types.results import Progress, QueryStats
from ..types.steps import scale_progress
from ..types.verdict import APART
from .alike_pairs import AlikePairs
from .asked_pairs import prove_special_steps
from .clock import Clock
from .members import Keep, Keys, Members
from .object_pair import ObjectPair
from .pair_memory import PairMemory
from .pose_table import ROUNDING
from .results import FirstContact, PairGap, gap_of_meeting
from .verdict_stage import alike_portions, case_findings, first_contacts_of

_BATCH = 256
"""Number of pairs that are measured together if results are stored: few enough that a cancelled query loses little
work."""
_NONE = np.empty(0, np.int32)

Pair = tuple[int, int]
Gap = PairGap | FirstContact


class GapOptions(NamedTuple):
    """The options of a distance or clearance query."""

    set_a: Keys = None
    set_b: Keys = None
    keep: Keep | None = None
    limits: Limits = Limits()
    """Limits of the verdicts."""
    tolerance: float | None = None
    """Pairs with a larger distance [m] are ignored. None: no pair is ignored."""
    first_contact: bool = False
    """Find only one contact of each pair that meets, and only the gap of all other pairs."""
    device: str = "cpu"
    """As in ``Scene.contacts``."""

    @property
    def reach(self) -> float:
        """The largest gap to report [m]; infinite without a tolerance."""
        return np.inf if self.tolerance is None else self.tolerance


class GapRecord:
    """Collects the results of one query.

    Args:
        scene: the objects.
        memory: results of earlier queries, which are updated; None to store no results.

    Attributes:
        memory: the results, ``PairGap`` or ``FirstContact``; None if the distance of a pair exceeds the tolerance.
        gaps: the gaps of all pairs within the tolerance.
        work: the work of the query so far.
        notes: reasons why the CPU compared boxes instead of a GPU.
        unanswered: portions of pairs (k, 2) that cannot be compared.
    """

    def __init__(self, scene: Members, memory: PairMemory[Gap] | None = None) -> None:
        self.gaps: list[Gap] = []
        self.work = QueryStats()
        self.notes: list[str] = []
        self.unanswered: list[np.ndarray] = []
        self.memory = PairMemory[Gap]() if memory is None else memory
        self._is_kept, self._scene = memory is not None, scene
        self._followed, self._used = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        old = self.memory.pairs
        self.memory.take_up(scene.pairs_now(old[np.isin(old, scene.ids()).all(axis=1)]))

    def follow(self, pairs: np.ndarray) -> np.ndarray:
        """Add pairs of ids (k, 2) to the followed pairs; return their indices in the memory."""
        keys = pair_keys(pairs)
        if not np.isin(keys, self.memory.keys).all():
            self.memory.take_up(self._scene.pairs_now(pairs_of(np.union1d(self.memory.keys, keys))))
        self._followed.append(keys)
        return np.searchsorted(self.memory.keys, keys)

    def recall(self, pairs: np.ndarray, options: GapOptions) -> np.ndarray:
        """Reuse the stored results of pairs (k, 2), and return the pairs that must be measured."""
        memory, places = self.memory, self.follow(pairs)
        known = memory.held[places] & (memory.complete[places] | options.first_contact)
        self._use(places[known])
        places, pairs = places[~known], pairs[~known]
        if options.tolerance is None:
            return pairs
        far = memory.asleep(options.tolerance)[places]
        far[~far] = memory.apart_by_extents(self._scene.poses, places[~far], options.tolerance)
        self.add_far(pairs[far])
        return pairs[~far]

    def lower_bounds(self, pairs: np.ndarray, gaps: np.ndarray) -> np.ndarray:
        """Return lower bounds of the distances between the objects of pairs (k, 2), from stored results and from their
        boxes, (k,) [m].
        """
        places = self.follow(pairs)
        return np.maximum(self.memory.lower_bounds()[places], gaps)

    def portions(self, pairs: np.ndarray, device: str) -> Generator[tuple[int, np.ndarray], None, None]:
        """Yield the portions of pairs to measure together: the number of pairs before the portion, and the pairs."""
        together = _BATCH if self._is_kept and device == "cpu" else max(len(pairs), 1)
        for begin in range(0, len(pairs), together):
            yield begin, pairs[begin : begin + together]

    def add(self, pair: Pair, gap: Gap | None, complete: bool = True) -> int:
        """Add the result for a pair, None if the pair is beyond the tolerance; return its index in the memory."""
        places = self.memory.places(np.array([pair]))
        self.memory.answers[places[0]] = gap
        self.memory.complete[places] = complete
        self.memory.hold(places)
        self._use(places)
        return int(places[0])

    def add_far(self, pairs: np.ndarray) -> None:
        """Add the result for pairs of ids (k, 2) that are farther apart than the tolerance."""
        places = self.memory.places(pairs)
        self.memory.answers[places] = None
        self.memory.complete[places] = True
        self.memory.hold(places)
        self._use(places)

    def add_measured(
        self, pairs: np.ndarray, gaps: Sequence[Gap | None], complete: np.ndarray, triangles: np.ndarray
    ) -> None:
        """Add the measured gaps of pairs of ids (k, 2); None if they are farther apart than the tolerance.

        Args:
            complete: whether no triangles are missing in the gaps, (k,) bool.
            triangles: nearest triangles of the pairs, (k, 2) int32.
        """
        memory, places = self.memory, self.memory.places(pairs)
        memory.answers[places] = np.fromiter(gaps, np.object_, len(gaps))
        memory.complete[places], memory.starts[places] = complete, triangles
        memory.hold(places)
        self._use(places)

    def start(self, pairs: np.ndarray) -> np.ndarray:
        """Return the triangles that were nearest when pairs of ids (k, 2) were last measured, (k, 2) int32, or -1."""
        return self.memory.starts[self.memory.places(pairs)]

    def prove(self, pairs: np.ndarray, distances: np.ndarray) -> None:
        """Store the distances (k,) [m] of pairs of ids (k, 2), by which later updates can skip these pairs."""
        self.memory.prove(self.memory.places(pairs), distances)

    def _use(self, places: np.ndarray) -> None:
        """Add the stored results of pairs (indices) to the results of this query."""
        self._used.append(self.memory.keys[places])
        answers = self.memory.answers[places]
        self.gaps += answers[answers.astype(np.bool_)].tolist()

    def note(self, *answers: Answer) -> None:
        """Add the work of a query for several pairs to the record."""
        for answer in answers:
            self.work = self.work.plus(answer.stats())

    def reach(self, most: int | None) -> float:
        """Return the ``most``-th smallest gap so far [m]; infinite if there are fewer gaps or ``most`` is None."""
        if most is None or len(self.gaps) < most:
            return np.inf
        return float(np.partition([gap.gap for gap in self.gaps], most - 1)[most - 1])

    def nearest(self, most: int | None) -> list[Gap]:
        """Return the ``most`` nearest pairs (None: all pairs), nearest first."""
        return sorted(self.gaps, key=lambda gap: gap.gap)[:most]

    def stats(self, clock: Clock) -> QueryStats:
        """Return the work of the query and the time that it took."""
        work = self.work.plus(QueryStats(note="; ".join(self.notes)))
        return replace(work, seconds=clock.total, timings=clock.timings)

    def forget_unused(self) -> None:
        """Remove pairs that this query did not follow, and results that it did not use. Call this method at the end of
        the query.
        """
        keys = np.unique(np.concatenate(self._followed))
        if len(keys) != len(self.memory.keys):
            self.memory.take_up(self._scene.pairs_now(pairs_of(keys)))
        self.memory.doubt(~np.isin(keys, np.concatenate(self._used)))


def measure_steps(
    scene: Members, pairs: np.ndarray, options: GapOptions, record: GapRecord, clock: Clock
) -> Generator[Progress, None, None]:
    """Compute the verdicts and distances of pairs of ids (k, 2), and add them to ``record``; reuse stored results."""
    unknown = record.recall(pairs, options)
    for begin, some in record.portions(unknown, options.device):
        low, high = begin / len(unknown), (begin + len(some)) / len(unknown)
        clouds = scene.with_special(some)
        for a, b in some[clouds].tolist():
            pair = ObjectPair.of(scene, a, b)
            measuring = pair.gap_steps(options.limits, options.tolerance, options.first_contact)
            gap, work = yield from scale_progress(measuring, low, low, "measuring pairs one by one")
            place = record.add((a, b), gap, complete=not isinstance(gap, FirstContact))
            record.work = record.work.plus(work)
            apart = not isinstance(gap, FirstContact) and (gap is None or gap.verdict is APART)
            proving = prove_special_steps(pair, record.memory, np.array([place]), apart)
            yield from scale_progress(proving, low, low, "measuring pairs one by one")
        if clouds.any():
            clock.stop("pairs one by one")
        if not clouds.all():
            yield from scale_progress(_measure(scene, some[~clouds], options, record, clock), low, high)


def _measure(
    scene: Members, unknown: np.ndarray, options: GapOptions, record: GapRecord, clock: Clock
) -> Generator[Progress, None, None]:
    """Like ``measure_steps``, for all pairs at once, without reuse; the pairs are meshes, and there is at least one."""
    alike = yield from scene.alike_steps(unknown)
    steps = scene.case_steps(
        alike.first, Limits(touch_tolerance=options.reach), clock, options.first_contact, options.device
    )
    case, near = yield from scale_progress(steps, 0.0, 0.4)
    record.note(case.answer)
    is_near = np.isin(pair_keys(alike.first), pair_keys(near), assume_unique=True)
    record.add_far(alike.masked(~is_near).pairs)
    alike = alike.masked(is_near)
    apart = np.ones(len(alike.first), np.bool_)
    if options.first_contact:
        apart[case.answer.jobs] = False
        for first in first_contacts_of(case_findings(case, scene.names), ~apart, alike):
            record.add((first.a, first.b), first, complete=False)
    overlapping = apart & _overlapping(case)
    own, done = alike.masked(overlapping), 0
    place = {(a, b): k for (a, b), k in zip(own.first.tolist(), np.flatnonzero(overlapping).tolist(), strict=True)}
    for pairs, items in alike_portions(case.chosen(overlapping), own, options.limits, scene.names):
        for item in items:
            record.add((item.a, item.b), gap_of_meeting(item))
            if (item.a, item.b) in place:
                apart[place[item.a, item.b]] = False
        done += len(pairs)
        yield Progress(0.4 + 0.2 * done / len(own.pairs), counting("judging object pair", done, len(own.pairs)))
    clock.stop("verdicts")
    yield from scale_progress(_gaps(case.chosen(apart), alike.masked(apart), options, record, scene.names), 0.6, 1.0)
    clock.stop("distances")


def _overlapping(case: Case) -> np.ndarray:
    """Return which pairs of objects have overlapping boxes, (k,) bool."""
    low = np.maximum(case.boxes_a[:, :3], case.boxes_b[:, :3])
    return (low <= np.minimum(case.boxes_a[:, 3:], case.boxes_b[:, 3:])).all(axis=1)


def _gaps(
    case: Case, alike: AlikePairs, options: GapOptions, record: GapRecord, names: Mapping[int, str]
) -> Generator[Progress, None, None]:
    """Measure the distances between objects without a common point, for groups of equal pairs; the case has the first
    pair of each group.

    With a tolerance, keep only the pairs within it, and find the triangles of these pairs that come within the
    tolerance.
    """
    if not len(alike.first):
        return
    ids = [(a, b) for a, b in alike.first.tolist()]
    side = case.tree_set.side
    question = Question(
        side,
        side,
        case.jobs,
        case.rows_a,
        case.rows_b,
        Goal.NEAREST,
        start=record.start(alike.first),
        device=options.device,
        threads=thread_limit(None),
    )
    nearest = yield from scale_progress(answer_steps(question), 0.0, 0.7, "measuring distances")
    record.note(nearest)
    within = nearest.distances <= options.reach
    near: list[_NearTriangles] = [_NearTriangles() for _ in ids]
    if options.tolerance is not None and within.any() and not options.first_contact:
        yield from _find_near(question, np.flatnonzero(within), options.tolerance, near, record)
    complete = (options.tolerance is None or not options.first_contact) | ~within
    found = found_apart(case.jobs, (case.rows_a, case.rows_b), case.meshes, nearest.points, names)
    every, groups = alike.pairs, np.repeat(np.arange(len(ids)), np.diff(alike.start))
    distances, triangles = nearest.distances.tolist(), nearest.pairs.tolist()
    gaps = [
        PairGap(a, b, distances[k], nearest.points[k].copy(), tuple(triangles[k]), near[k].a, near[k].b, found, k)
        if within[k] else None
        for k, (a, b) in zip(groups.tolist(), every.tolist(), strict=True)
    ]  # fmt: skip
    record.add_measured(every, gaps, complete[groups], nearest.pairs[groups])
    closed = case.both_closed[groups]  # an object may enter an open one through a hole, touching nothing
    record.prove(every[closed], (1.0 - ROUNDING) * nearest.distances[groups][closed])


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
