"""Gaps between the objects of a scene: all pairs within a tolerance, or the nearest pairs.

Both queries find the contacts of pairs whose boxes overlap, for their verdicts, and the nearest points of all other
pairs. Solids with a common point have distance 0, whether their surfaces meet or one solid lies inside the other.
"""

from collections.abc import Generator, Iterator, Sequence

import numpy as np

from ..solid.case import Limits
from ..solid.pair_verdict import verdict_order
from ..types.numbers import whole_number
from ..types.pair_keys import different_pairs, pair_keys
from ..types.results import Progress
from ..types.steps import scale_progress
from .clock import Clock
from .gaps import GapOptions, GapRecord, measure_steps
from .members import Members
from .results import FirstContact, PairGap, SceneGaps

_FIRST_REACH = 1.0 / 64.0  # fraction of the scene's size: initial reach of the search for near pairs


def gaps_steps(scene: Members, most: int | None, options: GapOptions) -> Generator[Progress, None, SceneGaps]:
    """Run ``Scene.clearances`` if ``options`` have a tolerance, otherwise ``Scene.distances``."""
    clock, record = Clock(), GapRecord(scene)
    if options.tolerance is not None:
        yield from measure_within_steps(scene, options, record, clock)
        return _listed(record, clock)
    total = yield from measure_nearest_steps(scene, most, options, record, clock)
    return _listed(record, clock, most, total)


def measure_within_steps(
    scene: Members, options: GapOptions, record: GapRecord, clock: Clock
) -> Generator[Progress, None, None]:
    """Measure all pairs within the tolerance of ``options``."""
    assert options.tolerance is not None
    yield from scene.prepare_steps()
    yield Progress(0.0, "comparing bounding boxes")
    reach = Limits(touch_tolerance=options.tolerance)
    sets = options.set_a, options.set_b, options.keep
    pairs = scene.candidates(*sets, reach, options.device, record.notes, record.unanswered)
    clock.stop("broad phase")
    yield from measure_steps(scene, pairs, options, record, clock)


def check_most(most: int | None) -> int | None:
    """Return ``most`` as an int of at least 1, or None. Raises UnsupportedOption."""
    return None if most is None else whole_number("most, unless None,", most, 1)


def measure_nearest_steps(
    scene: Members, most: int | None, options: GapOptions, record: GapRecord, clock: Clock
) -> Generator[Progress, None, int]:
    """Measure at least the ``most`` nearest pairs; return the total number of pairs."""
    yield from scene.prepare_steps()
    yield Progress(0.0, "comparing bounding boxes")
    a, b = (list(ids) if isinstance(ids, Iterator) else ids for ids in (options.set_a, options.set_b))  # reused
    options = options._replace(set_a=a, set_b=b)
    near = _Neighbours(scene, options, record)
    reach = near.size if most is None else 0.0
    pairs, gaps = near.within(reach)
    while most is not None and reach < near.size and len(pairs) < most:
        reach = max(2.0 * reach, _FIRST_REACH * near.size)
        pairs, gaps = near.within(reach)
    clock.stop("broad phase")
    yield from _nearest_first(scene, pairs, gaps, options, record, clock, most)
    worst = record.reach(most)
    if reach < worst and reach < near.size:  # pairs of boxes not compared yet may be nearer
        more, gaps = near.within(min(worst, near.size))
        new = ~np.isin(pair_keys(more), pair_keys(pairs))
        yield from _nearest_first(scene, more[new], gaps[new], options, record, clock, most)
    total = yield from near.count_steps()
    clock.stop("broad phase")
    return total


class _Neighbours:
    """Finds pairs of a scene's objects by the distances between their boxes."""

    def __init__(self, scene: Members, options: GapOptions, record: GapRecord) -> None:
        self._scene, self._wanted, self._record = scene, options, record
        self._ids, self._boxes = scene.boxes()
        low, high = (self._boxes[:, :3], self._boxes[:, 3:]) if len(self._ids) else (np.zeros((1, 3)),) * 2
        self.size = float(np.linalg.norm(high.max(axis=0) - low.min(axis=0)))
        """A distance within which all boxes are of each other [m]: the diagonal of the scene."""

    def within(self, reach: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs whose boxes are within ``reach`` on every axis, sorted by lower bounds of their distances.

        Returns:
            Pairs of ids (k, 2), and lower bounds of their distances (k,) [m].
        """
        options, record, limits = self._wanted, self._record, Limits(touch_tolerance=reach)
        sets = options.set_a, options.set_b, options.keep
        pairs = self._scene.candidates(*sets, limits, options.device, record.notes, record.unanswered)
        places = np.searchsorted(self._ids, pairs)
        gaps = record.lower_bounds(pairs, box_gaps(self._boxes[places[:, 0]], self._boxes[places[:, 1]]))
        order = np.argsort(gaps, kind="stable")
        return pairs[order], gaps[order]

    def count_steps(self) -> Generator[Progress, None, int]:
        """Return the number of pairs that can be compared, in slices."""
        options = self._wanted
        in_a, in_b = self._scene.members_of(options.set_a), self._scene.members_of(options.set_b)
        comparable = self._scene.comparable(in_a, in_b) if self._scene.has_special else None
        total = 0
        for k in range(len(self._ids) - 1):
            later = k + 1 + np.flatnonzero((in_a[k] & in_b[k + 1 :]) | (in_b[k] & in_a[k + 1 :]))
            places = np.stack([np.full(len(later), k), later], axis=1)
            if options.keep is not None and len(places):
                places = places[options.keep(self._ids[places])]
            if comparable is not None:
                told = comparable.told(self._ids, places)
                self._record.unanswered.append(self._ids[places[~told]])
                places = places[told]
            total += len(places)
            yield Progress(1.0, "counting pairs")
        return total


def _nearest_first(
    scene: Members,
    pairs: np.ndarray,
    gaps: np.ndarray,
    options: GapOptions,
    record: GapRecord,
    clock: Clock,
    most: int | None,
) -> Generator[Progress, None, None]:
    """Measure pairs in the order of their lower bounds ``gaps``, until no remaining pair can be among the nearest."""
    begin, together = 0, len(pairs) if most is None else most
    while begin < len(pairs):
        end = min(begin + together, int(np.searchsorted(gaps, record.reach(most), side="left")))
        if end <= begin:
            return
        steps = measure_steps(scene, pairs[begin:end], options, record, clock)
        yield from scale_progress(steps, begin / len(pairs), end / len(pairs))
        begin, together = end, 2 * together


def _listed(record: GapRecord, clock: Clock, most: int | None = None, total: int | None = None) -> SceneGaps:
    """Return the result of a query: the ``most`` nearest of ``total`` pairs."""
    nearest = [gap for gap in record.nearest(most) if isinstance(gap, PairGap)]  # all: first_contact was False
    nearest.sort(key=lambda g: (*verdict_order(g), g.gap, g.a, g.b))
    left_out, beyond = beyond_nearest(nearest, total)
    return SceneGaps(nearest, record.stats(clock), different_pairs(record.unanswered), left_out, beyond)


def box_gaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the distances (...) between boxes (..., 6), which are lower bounds of the distances between the
    objects.
    """
    apart = np.maximum(np.maximum(a[..., :3] - b[..., 3:], b[..., :3] - a[..., 3:]), 0.0)
    gaps: np.ndarray = np.sqrt((apart * apart).sum(axis=-1))
    return gaps


def beyond_nearest(nearest: Sequence[PairGap | FirstContact], total: int | None) -> tuple[int, float]:
    """Return how many of ``total`` pairs are not in ``nearest``, and a lower bound of their gaps [m]."""
    left_out = 0 if total is None else total - len(nearest)
    return left_out, max((gap.gap for gap in nearest), default=0.0) if left_out else np.inf
