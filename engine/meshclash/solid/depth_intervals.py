"""Compute bounds of the depths of many object pairs: a first interval for each pair, and a tighter interval if a result
depends on it.

* The first interval: one ball, and the least width found (``depth.py``).
* If the interval does not decide whether the depth is permitted: shrink the solids by the permitted length and test
  whether they still share volume (``shrinkage_bound.py``). Otherwise a thorough search, then branch and bound
  (``branch_and_bound.py``). If the tighter interval does not decide either, the largest ball found decides.
* If the interval is wide because parts fit each other, or if it contains no ball: a bound from shrunken solids.
* On request, branch and bound for every interval; if the bounds stay apart, again after the thorough search.
"""

from collections.abc import Generator
from typing import Any

import numpy as np

from ..geometry.triangle_pair import COPLANAR
from ..traversal.forest import Forest
from ..traversal.point import new_point_workspace
from .ball_growth import SearchRoom, new_search_room
from .branch_and_bound import new_cells, refine_depths
from .case import Case
from .depth import DEEP_STARTS, FIRST_BALL, MANY_STARTS, THOROUGH, overlap_depths
from .shrinkage_bound import (
    SharesVolume,
    fit_bounds,
    growing_bounds,
    of_both,
    of_smaller,
    rounding_moves,
    triangle_counts,
)

LOWER, UPPER = range(2)
"""Columns of the measured values; the centre of the ball follows."""
COLUMNS = 5
_AT_ONCE = 2048  # triangles of pairs that are measured in one step
_PILED_UP = 16.0  # times a move within the rounding errors: accumulated errors of many numbers
_LARGE = 4096  # triangles from which a pair is searched before it is shrunk
_CLOSE = 0.9  # of the upper bound: target for refined lower bounds
_THIN = 1.0 / 256.0  # of the upper bound: a smaller ball says little about the depth

Steps = Generator[None, None, None]


class Overlaps:
    """Measures the overlaps of pairs of solids, in an order that does not depend on how the objects are named.

    Args:
        case: the pairs.
        start, middles: contacts of pair j are the rows start[j]:start[j + 1], and their middles, (n, 3) [m].
        swapped: which pairs are processed second object first, (k,) bool.
        room: work buffers for searches, with the moments of open meshes if the pairs contain such meshes.

    Attributes:
        found: bounds [m] and centres of balls, (k, COLUMNS); NaN if not measured.
    """

    def __init__(
        self, case: Case, start: np.ndarray, middles: np.ndarray, swapped: np.ndarray, room: SearchRoom | None = None
    ) -> None:
        own, turned = swapped[case.answer.jobs, None], swapped[:, None, None]
        jobs = np.where(swapped[:, None], case.jobs[:, ::-1], case.jobs)
        rows_a, rows_b = np.where(turned, case.rows_b, case.rows_a), np.where(turned, case.rows_a, case.rows_b)
        self.case = case._replace(jobs=jobs, rows_a=rows_a, rows_b=rows_b)
        self.found = np.full((len(jobs), COLUMNS), np.nan)
        pairs = np.where(own, case.answer.pairs[:, ::-1], case.answer.pairs)
        self._posed, self._contacts = self.case.posed(), (start, pairs, case.answer.kinds, middles)
        self._boxes = box_overlaps(case.boxes_a, case.boxes_b)
        self._rooms = room or new_search_room(), new_point_workspace()

    def search(self, chosen: np.ndarray, effort: int = FIRST_BALL) -> Steps:
        """Search for common balls of the chosen pairs (n,) with an effort of ``depth.py``; tighter intervals are
        kept.
        """
        for some in _portions(self._posed[0], self.case.jobs, chosen):
            before = self.found[some]
            overlap_depths(*self._posed, self._boxes, some, *self._contacts, effort, *self._rooms, self.found)
            worse = before[:, LOWER] >= self.found[some, LOWER]
            found_upper = self.found[some, UPPER]
            self.found[some[worse]] = before[worse]
            self.bound(some, np.fmin(before[:, UPPER], found_upper))
            yield

    def refine(self, chosen: np.ndarray) -> Steps:
        """Tighten the bounds of the chosen pairs (n,) as far as their number of cells allows."""
        scratch = new_cells()
        for job in chosen:
            refine_depths(*self._posed, self._boxes, np.array([job]), *self._rooms, *scratch, self.found)
            yield

    def bound(self, chosen: np.ndarray, bounds: np.ndarray) -> None:
        """Replace the upper bounds of the chosen pairs by ``bounds`` (n,) if these are lower."""
        self.found[chosen, UPPER] = np.maximum(np.minimum(self.found[chosen, UPPER], bounds), self.found[chosen, LOWER])


def measure_steps(
    overlaps: Overlaps,
    chosen: np.ndarray,
    clashing: np.ndarray,
    allowed: np.ndarray,
    exact: bool,
    shares_volume: SharesVolume,
) -> Steps:
    """Measure pairs as precisely as needed, in a generator that yields every few milliseconds.

    Args:
        overlaps: the pairs; receives the results.
        chosen: indices of the pairs to measure, (n,).
        clashing: which of all pairs may be parts that fit each other, (k,) bool.
        allowed: overlap up to which a clash counts as touching, 0 for none, (k,) [m].
        exact: whether to tighten all bounds.
        shares_volume: decides whether shrunk solids share volume.
    """
    found = overlaps.found
    yield from overlaps.search(chosen)
    yield from _without_ball(overlaps, chosen[found[chosen, LOWER] == 0.0], clashing, shares_volume)
    yield from _undecided(overlaps, chosen[found[chosen, LOWER] <= allowed[chosen]], clashing, allowed, shares_volume)
    yield from _narrow(overlaps, chosen, clashing, allowed, shares_volume)
    if exact:
        yield from _bring_together(overlaps, chosen)


def _narrow(
    overlaps: Overlaps, chosen: np.ndarray, clashing: np.ndarray, allowed: np.ndarray, shares_volume: SharesVolume
) -> Steps:
    """Lower the upper bounds of clashes with wide intervals that exceed ``allowed``, by shrinking both objects."""
    case, found = overlaps.case, overlaps.found
    wide = chosen[clashing[chosen] & is_wide(found[chosen, LOWER], found[chosen, UPPER])]
    roundings = np.fmax.reduce(rounding_moves(case))
    wide = wide[(found[wide, UPPER] > allowed[wide]) & (found[wide, UPPER] > 4.0 * roundings[wide])]
    if len(wide):
        lower = np.fmax(found[wide, LOWER], 2.0 * roundings[wide])
        bounds = yield from growing_bounds(case, wide, lower, found[wide, UPPER], shares_volume)
        overlaps.bound(wide, bounds)


def _bring_together(overlaps: Overlaps, chosen: np.ndarray) -> Steps:
    """Tighten the bounds of the chosen pairs (n,) by all available searches until lower and upper bounds are close."""
    found = overlaps.found
    yield from overlaps.refine(chosen)
    chosen = chosen[found[chosen, LOWER] < _CLOSE * found[chosen, UPPER]]
    yield from overlaps.search(chosen, THOROUGH)
    yield from overlaps.refine(chosen)


def _without_ball(overlaps: Overlaps, chosen: np.ndarray, clashing: np.ndarray, shares_volume: SharesVolume) -> Steps:
    """Compute bounds for pairs that overlap only by rounding, and search for a common ball for all other pairs.

    Large pairs are searched before they are shrunk, because shrinking takes long for them.
    """
    if not len(chosen):
        return
    case = overlaps.case
    flush = np.bincount(case.answer.jobs[case.answer.kinds == COPLANAR], minlength=len(case.jobs)) > 0
    _, more, resolutions = rounding_moves(case)
    moves = [of_smaller(case, more)]
    chosen = yield from _without_fit(overlaps, chosen, clashing & flush, more, moves, shares_volume)
    chosen = yield from _searched(overlaps, chosen, DEEP_STARTS)
    large = triangle_counts(case).sum(axis=1) > _LARGE
    small = chosen[~large[chosen]]
    chosen = np.union1d(small, (yield from _searched(overlaps, chosen[large[chosen]], MANY_STARTS)))
    moves = [of_both(case, more), of_both(case, resolutions), of_both(case, _PILED_UP * np.fmax(more, resolutions))]
    chosen = yield from _without_fit(overlaps, chosen, clashing, 2.0 * more, moves, shares_volume)
    yield from overlaps.search(np.intersect1d(chosen, small), MANY_STARTS)


def _without_fit(
    overlaps: Overlaps,
    chosen: np.ndarray,
    may_fit: np.ndarray,
    enough: np.ndarray,
    moves: list[np.ndarray],
    shares_volume: SharesVolume,
) -> Generator[None, None, np.ndarray]:
    """Return the chosen pairs (n,) without those that overlap only by rounding; only pairs in ``may_fit`` (k,) bool are
    tried.

    Args:
        overlaps, chosen, shares_volume: as for ``measure_steps``.
        may_fit: which of all pairs to try.
        enough: bounds given by the boxes, which shrinking does not improve, (k,) [m].
        moves: as for ``fit_bounds``.
    """
    chosen = chosen[~may_fit[chosen] | (overlaps.found[chosen, UPPER] > enough[chosen])]
    fitting = chosen[may_fit[chosen]]
    bounds = yield from fit_bounds(overlaps.case, fitting, moves, shares_volume)
    overlaps.bound(fitting, bounds)
    return np.setdiff1d(chosen, fitting[np.isfinite(bounds)])


def _searched(overlaps: Overlaps, chosen: np.ndarray, effort: int) -> Generator[None, None, np.ndarray]:
    """Search the chosen pairs (n,) for a common ball, and return the pairs without a ball."""
    yield from overlaps.search(chosen, effort)
    return chosen[overlaps.found[chosen, LOWER] == 0.0]


def _undecided(
    overlaps: Overlaps, chosen: np.ndarray, clashing: np.ndarray, allowed: np.ndarray, shares_volume: SharesVolume
) -> Steps:
    """Decide whether overlaps are within ``allowed`` for the pairs whose first intervals do not decide it."""
    found = overlaps.found
    chosen = chosen[(allowed[chosen] > 0.0) & (allowed[chosen] < found[chosen, UPPER])]
    if not len(chosen):
        return
    case = overlaps.case
    moves = np.maximum(0.5 * allowed - rounding_moves(case)[0], 0.0)
    overlaps.bound(chosen, (yield from fit_bounds(case, chosen, [of_both(case, moves)], shares_volume)))
    chosen = chosen[found[chosen, UPPER] > allowed[chosen]]
    yield from _narrow(overlaps, chosen, clashing, allowed, shares_volume)  # a close bound leaves few cells to search
    yield from _bring_together(overlaps, chosen[allowed[chosen] < found[chosen, UPPER]])


def is_wide(lower: Any, upper: Any) -> Any:
    """Return whether an interval of depths is too wide to be informative; also for arrays of intervals."""
    return lower < _THIN * upper


def _portions(forest: Forest, jobs: np.ndarray, chosen: np.ndarray) -> list[np.ndarray]:
    """Return the chosen pairs in groups with about the same number of triangles; a large pair is a separate group."""
    if not len(chosen):
        return []
    trees = jobs[chosen]
    effort = np.cumsum((forest.triangle_end[trees] - forest.triangle_start[trees]).sum(axis=1))
    return np.split(chosen, np.flatnonzero(np.diff(effort // _AT_ONCE)) + 1)


def box_overlaps(boxes_a: np.ndarray, boxes_b: np.ndarray) -> np.ndarray:
    """Return the low and high corners of the intersection of boxes (k, 6), and its smallest width rounded up, (k, 7)
    [m].
    """
    low = np.maximum(boxes_a[:, :3], boxes_b[:, :3])
    high = np.minimum(boxes_a[:, 3:], boxes_b[:, 3:])
    widths = high - low
    back = high - widths
    lost = (high - (widths + back)) + (back - low)
    widths = np.where(lost != 0.0, np.nextafter(widths, np.inf), widths)
    return np.column_stack([low, high, widths.min(axis=1)])
