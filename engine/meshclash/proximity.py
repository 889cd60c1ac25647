"""How near the objects of a scene come to one another: all pairs within a tolerance, or the nearest pairs there are.

Both ask the contacts of pairs whose boxes overlap, for their verdicts, and the nearest points of all others. Solids
that have a common point are at distance 0, whether their surfaces meet or one lies inside the other.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from .errors import UnsupportedOption
from .geometry.triangle_distance import nearest_points
from .query.contacts import Contacts
from .query.options import check_length
from .scene import Clock, Keep, ObjectContacts, Scene, scaled
from .solid.judge import Case, Limits
from .traversal.near import NearAnswer, NearQuestion, near_portions, near_steps
from .traversal.question import Answer
from .traversal.run import run
from .types.results import APART, Progress, QueryStats, Verdict

_FIRST_REACH = 1.0 / 64.0  # of the scene's size: how far the search for near pairs looks first
_NONE = np.empty(0, np.int32)
_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class ObjectGap:
    """How near two objects of a scene come to each other."""

    a: int
    b: int
    verdict: Verdict
    """APART for objects without a common point."""
    distance: float
    """[m]; 0 exactly where the verdict is not APART."""
    points: np.ndarray | None
    """World points of a and b nearest to each other, (2, 3) float64 [m]; None inside another without contact."""
    triangles: tuple[int, int] | None
    """Triangles of a and b on which they lie."""
    near_a: np.ndarray
    """Triangles of a that meet b or, of objects that are apart, come within the tolerance: (n,) int32, ascending."""
    near_b: np.ndarray
    contacts: Contacts | None
    """Triangle pairs that meet; None for objects that are apart."""
    location: np.ndarray | None
    """A point to look at, (3,) float64 [m], world."""


@dataclass(frozen=True)
class SceneGaps:
    """Pairs of objects of a scene with their distances: by severity, depth and distance."""

    pairs: list[ObjectGap]
    left_out: int
    """How many pairs are not listed: none of them is nearer than ``beyond``."""
    beyond: float
    """[m]; infinite where nothing is left out."""
    stats: QueryStats


class _Wanted(NamedTuple):
    """What every pair is asked."""

    set_a: Iterable[int] | None
    set_b: Iterable[int] | None
    keep: Keep | None
    permitted_overlap: float


def scene_clearances(
    scene: Scene,
    tolerance: float,
    set_a: Iterable[int] | None = None,
    set_b: Iterable[int] | None = None,
    keep: Keep | None = None,
    permitted_overlap: float = 0.0,
) -> SceneGaps:
    """``scene_clearances_steps`` at once."""
    return run(scene_clearances_steps(scene, tolerance, set_a, set_b, keep, permitted_overlap))


def scene_clearances_steps(
    scene: Scene,
    tolerance: float,
    set_a: Iterable[int] | None = None,
    set_b: Iterable[int] | None = None,
    keep: Keep | None = None,
    permitted_overlap: float = 0.0,
) -> Generator[Progress, None, SceneGaps]:
    """Every pair of objects no farther apart than a tolerance, and the triangles that come that near.

    In slices of about 20 ms. Pairs that meet are listed at distance 0, with their verdict and the triangles that meet.

    Args:
        scene: the objects.
        tolerance: [m], from 0 on.
        set_a, set_b, keep, permitted_overlap: as ``Scene.contacts_steps``.

    Yields:
        Progress.

    Raises:
        UnknownObject; UnsupportedOption: a length is negative or not finite.
    """
    reach = check_length("tolerance", tolerance)
    wanted = _Wanted(set_a, set_b, keep, check_length("permitted_overlap", permitted_overlap))
    clock = Clock()
    yield Progress(0.0, "comparing bounding boxes")
    pairs = scene.candidates(set_a, set_b, keep, Limits(touch_tolerance=reach))
    clock.stop("broad phase")
    found = _Found()
    if len(pairs):
        yield from _measure(scene, pairs, wanted, found, clock, reach)
    return found.listed(clock)


def scene_distances(
    scene: Scene,
    most: int | None = None,
    set_a: Iterable[int] | None = None,
    set_b: Iterable[int] | None = None,
    keep: Keep | None = None,
    permitted_overlap: float = 0.0,
) -> SceneGaps:
    """``scene_distances_steps`` at once."""
    return run(scene_distances_steps(scene, most, set_a, set_b, keep, permitted_overlap))


def scene_distances_steps(
    scene: Scene,
    most: int | None = None,
    set_a: Iterable[int] | None = None,
    set_b: Iterable[int] | None = None,
    keep: Keep | None = None,
    permitted_overlap: float = 0.0,
) -> Generator[Progress, None, SceneGaps]:
    """The distance of every pair of objects, or of the ``most`` nearest pairs, in slices of about 20 ms.

    Pairs are measured in the order of their boxes' distances, until the boxes of all others are farther apart than the
    pairs that are listed.

    Args:
        scene: the objects.
        most: pairs to list, from 1 on; None for all. Of pairs at equal distances any may be left out.
        set_a, set_b, keep, permitted_overlap: as ``Scene.contacts_steps``.

    Yields:
        Progress.

    Raises:
        UnknownObject; UnsupportedOption: ``most`` is no whole number from 1 on, or a length is negative or not finite.
    """
    if most is not None and (isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1):
        raise UnsupportedOption(f"most must be None or a whole number of pairs from 1 on, not {most!r}")
    wanted = _Wanted(set_a, set_b, keep, check_length("permitted_overlap", permitted_overlap))
    clock = Clock()
    yield Progress(0.0, "comparing bounding boxes")
    near = _Neighbours(scene, wanted)
    reach = near.size if most is None else 0.0
    pairs, gaps = near.within(reach)
    while most is not None and reach < near.size and len(pairs) < most:
        reach = max(2.0 * reach, _FIRST_REACH * near.size)
        pairs, gaps = near.within(reach)
    clock.stop("broad phase")
    found = _Found()
    yield from _nearest_first(scene, pairs, gaps, wanted, found, clock, most)
    worst = found.reach(most)
    if reach < worst and reach < near.size:  # boxes that were not looked at may hide a nearer pair
        more, gaps = near.within(min(worst, near.size))
        new = ~np.isin(_keys(more), _keys(pairs))
        yield from _nearest_first(scene, more[new], gaps[new], wanted, found, clock, most)
    total = yield from near.count_steps()
    clock.stop("broad phase")
    return found.listed(clock, most, total)


class _Neighbours:
    """The pairs of a scene's objects by the distance of their boxes."""

    def __init__(self, scene: Scene, wanted: _Wanted) -> None:
        self._scene, self._wanted = scene, wanted
        self._ids, self._boxes = scene.boxes()
        low, high = (self._boxes[:, :3], self._boxes[:, 3:]) if len(self._ids) else (np.zeros((1, 3)),) * 2
        self.size = float(np.linalg.norm(high.max(axis=0) - low.min(axis=0)))
        """Within it, every box has every other one [m]."""

    def within(self, reach: float) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of ids (k, 2) whose boxes are no farther apart than ``reach`` on any axis, nearest boxes first, and
        their distances (k,) [m]: bounds from below of those of the objects."""
        wanted = self._wanted
        pairs = self._scene.candidates(wanted.set_a, wanted.set_b, wanted.keep, Limits(touch_tolerance=reach))
        places = np.searchsorted(self._ids, pairs)
        a, b = self._boxes[places[:, 0]], self._boxes[places[:, 1]]
        apart = np.maximum(np.maximum(a[:, :3] - b[:, 3:], b[:, :3] - a[:, 3:]), 0.0)
        gaps = np.sqrt((apart * apart).sum(axis=1))
        order = np.argsort(gaps, kind="stable")
        return pairs[order], gaps[order]

    def count_steps(self) -> Generator[Progress, None, int]:
        """How many pairs there are."""
        wanted = self._wanted
        in_a, in_b = self._scene.members_of(wanted.set_a), self._scene.members_of(wanted.set_b)
        total = 0
        for k, identifier in enumerate(self._ids[:-1]):
            later = self._ids[k + 1 :]
            both = (in_a[k] & in_b[k + 1 :]) | (in_b[k] & in_a[k + 1 :])
            pairs = np.stack([np.full(len(later), identifier), later], axis=1)[both]
            total += len(pairs) if wanted.keep is None or not len(pairs) else int(wanted.keep(pairs).sum())
            yield Progress(1.0, "counting pairs")
        return total


class _Found:
    """What was measured so far."""

    def __init__(self) -> None:
        self.gaps: list[ObjectGap] = []
        self.volume_tests = self.primitive_tests = self.exact_tests = 0

    def note(self, *answers: Answer | NearAnswer) -> None:
        """Add the work of answers."""
        for answer in answers:
            self.volume_tests += answer.volume_tests
            self.primitive_tests += answer.primitive_tests
            self.exact_tests += answer.exact_tests

    def reach(self, most: int | None) -> float:
        """How near a pair must be to be among the ``most`` nearest [m]."""
        if most is None or len(self.gaps) < most:
            return np.inf
        return float(np.partition([gap.distance for gap in self.gaps], most - 1)[most - 1])

    def listed(self, clock: Clock, most: int | None = None, total: int | None = None) -> SceneGaps:
        """The result: the ``most`` nearest, of ``total`` pairs."""
        nearest = sorted(self.gaps, key=lambda gap: gap.distance)[:most]
        nearest.sort(key=lambda g: (-g.verdict.severity, -(g.verdict.depth or 0.0), g.distance, g.a, g.b))
        left_out = 0 if total is None else total - len(nearest)
        beyond = max((gap.distance for gap in nearest), default=0.0) if left_out else np.inf
        stats = QueryStats(
            self.volume_tests, self.primitive_tests, self.exact_tests, clock.total, timings=clock.timings
        )
        return SceneGaps(nearest, left_out, beyond, stats)


def _nearest_first(
    scene: Scene, pairs: np.ndarray, gaps: np.ndarray, wanted: _Wanted, found: _Found, clock: Clock, most: int | None
) -> Generator[Progress, None, None]:
    """Measure pairs in the order of ``gaps``, ascending, until they cannot be among the nearest."""
    begin, together = 0, len(pairs) if most is None else most
    while begin < len(pairs):
        end = min(begin + together, int(np.searchsorted(gaps, found.reach(most), side="left")))
        if end <= begin:
            return
        yield from _part(_measure(scene, pairs[begin:end], wanted, found, clock), begin / len(pairs), end / len(pairs))
        begin, together = end, 2 * together


def _measure(
    scene: Scene, pairs: np.ndarray, wanted: _Wanted, found: _Found, clock: Clock, tolerance: float | None = None
) -> Generator[Progress, None, None]:
    """The verdicts and distances of pairs of ids (k, 2), k > 0; with a tolerance [m] only of those within it."""
    reach = np.inf if tolerance is None else tolerance
    case, pairs = yield from _part(scene.case_steps(pairs, Limits(touch_tolerance=reach), clock), 0.0, 0.4)
    found.note(case.answer)
    overlapping = (np.maximum(case.boxes_a[:, :3], case.boxes_b[:, :3]) <= np.minimum(
        case.boxes_a[:, 3:], case.boxes_b[:, 3:])).all(axis=1)  # fmt: skip
    part, own = case.chosen(overlapping), pairs[overlapping]
    apart = np.ones(len(pairs), np.bool_)
    index = np.flatnonzero(overlapping)
    place = {(int(a), int(b)): int(k) for (a, b), k in zip(own, index, strict=True)}
    for done, items in scene.judged_portions(part, own, Limits(wanted.permitted_overlap)):
        for item in items:
            found.gaps.append(_meeting(item))
            apart[place[item.a, item.b]] = False
        yield Progress(0.4 + 0.2 * done / len(own), f"judging object pair {done} of {len(own)}")
    clock.stop("verdicts")
    yield from _part(_gaps(case.chosen(apart), pairs[apart], found, tolerance), 0.6, 1.0)
    clock.stop("distances")


def _gaps(case: Case, pairs: np.ndarray, found: _Found, tolerance: float | None) -> Generator[Progress, None, None]:
    """The distances of pairs that have no common point; with a tolerance [m] those within it, and what is near."""
    if not len(pairs):
        return
    question = NearQuestion(case.grove, case.grove, case.jobs, case.rows_a, case.rows_b)
    nearest = yield from scaled(near_steps(question), 0.0, 0.7, "measuring distances")
    found.note(nearest)
    within = np.flatnonzero(nearest.distances <= (np.inf if tolerance is None else tolerance))
    near: list[_NearTriangles] = [_NearTriangles() for _ in within]
    if tolerance is not None and len(within):
        part = question._replace(
            jobs=case.jobs[within], rows_a=case.rows_a[within], rows_b=case.rows_b[within], tolerance=tolerance
        )

        def take(answer: NearAnswer) -> None:
            for job in np.unique(answer.jobs):
                near[job].add(answer.pairs[answer.jobs == job])

        found.note((yield from scaled(near_portions(part, take), 0.7, 1.0, "finding what is near")))
    for k, triangles in zip(within, near, strict=True):
        points, pair = nearest.points[k].copy(), nearest.pairs[k]
        found.gaps.append(ObjectGap(
            int(pairs[k, 0]), int(pairs[k, 1]), APART, float(nearest.distances[k]), points,
            (int(pair[0]), int(pair[1])), triangles.a, triangles.b, None, points.mean(axis=0),
        ))  # fmt: skip


class _NearTriangles:
    """Triangles of two objects that come near each other."""

    def __init__(self) -> None:
        self.a = self.b = _NONE

    def add(self, pairs: np.ndarray) -> None:
        """Take in the triangles of pairs (k, 2)."""
        self.a, self.b = np.union1d(self.a, pairs[:, 0]), np.union1d(self.b, pairs[:, 1])


def _meeting(item: ObjectContacts) -> ObjectGap:
    """Two objects with a common point."""
    contacts = item.contacts
    points = triangles = None
    if len(contacts):
        first = slice(0, 1)
        points = nearest_points(contacts.world_triangles(0, first), contacts.world_triangles(1, first))[0]
        triangles = int(contacts.pairs[0, 0]), int(contacts.pairs[0, 1])
    near_a, near_b = (np.unique(contacts.pairs[:, side]) for side in range(2))
    return ObjectGap(item.a, item.b, item.verdict, 0.0, points, triangles, near_a, near_b, contacts, item.location)


def _keys(pairs: np.ndarray) -> np.ndarray:
    """One number for each pair of ids (k, 2), (k,) int64."""
    return (pairs[:, 0] << 32) + pairs[:, 1]


def _part(steps: Generator[Progress, None, _T], low: float, high: float) -> Generator[Progress, None, _T]:
    """Run steps as the part of a longer work from ``low`` to ``high``."""
    while True:
        try:
            progress = next(steps)
        except StopIteration as stop:
            return stop.value
        yield Progress(low + (high - low) * progress.fraction, progress.text)
