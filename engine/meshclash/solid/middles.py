"""Points amid the contacts of object pairs: where searches for depths begin, and what users look at."""

from collections.abc import Generator

import numpy as np

from ..geometry.intersection import meeting, new_room
from ..jit import kernel
from ..reference import by_reference
from ..traversal.point import world_triangle
from ..types.steps import run
from ..types.verdict import CONTAINED
from .case import Case
from .pair_order import swapped_pairs

_SPAN = 4096  # contacts that are looked at in one step


@kernel
def lay_middles(forest, trees, rows_a, rows_b, swapped, pairs, kinds, jobs, begin, end, room, middles):
    """Fill rows begin to end of ``middles`` (n, 3) with those of contacts of jobs (n,) of pairs of trees (k, 2)."""
    forest = by_reference(forest)
    room = by_reference(room)
    for i in range(begin, end):
        job = jobs[i]
        a = world_triangle(forest, trees[job, 0], np.int64(pairs[i, 0]), rows_a[job])
        b = world_triangle(forest, trees[job, 1], np.int64(pairs[i, 1]), rows_b[job])
        first, second = (b, a) if swapped[job] else (a, b)
        middles[i, 0], middles[i, 1], middles[i, 2] = meeting(first, second, kinds[i], room)


def middle_steps(case: Case, swapped: np.ndarray) -> Generator[None, None, np.ndarray]:
    """The middle of every contact, (n, 3) float64 [m], yielding every few milliseconds.

    ``swapped`` (k,) bool are the pairs that are looked at second object first, in whichever order they were named.
    """
    answer, room = case.answer, new_room()
    middles = np.empty((len(answer.pairs), 3))
    posed = case.tree_set.forest, case.jobs, case.rows_a, case.rows_b, swapped, answer.pairs, answer.kinds, answer.jobs
    for begin in range(0, len(middles), _SPAN):
        lay_middles(*posed, begin, min(begin + _SPAN, len(middles)), room, middles)
        yield
    return middles


def pair_order(case: Case) -> np.ndarray:
    """Which pairs of a case are looked at second object first, (k,) bool."""
    return swapped_pairs(case.tree_set.forest, case.jobs, (case.rows_a, case.rows_b), (case.boxes_a, case.boxes_b))


class Locations:
    """Points to look at of the pairs of a case: found when one of them is first asked for.

    Args:
        case: the pairs.
        start: contacts of pair j are the rows start[j]:start[j + 1], (k + 1,) int64.
        codes: indices of the pairs' verdicts, (k,).
        swapped: as for ``middle_steps``.
        middles: of all contacts, (n, 3) [m], where they are known.
    """

    def __init__(
        self, case: Case, start: np.ndarray, codes: np.ndarray, swapped: np.ndarray, middles: np.ndarray | None
    ) -> None:
        self._of = (case, start, codes, swapped, middles)
        self._found: list[np.ndarray | None] | None = None

    def of(self, job: int) -> np.ndarray | None:
        """A point (3,) float64 [m]: amid contacts, or amid a contained object; None for a pair that is only near."""
        if self._found is None:
            self._found = _locations(*self._of)
            del self._of
        return self._found[job]


def _locations(
    case: Case, start: np.ndarray, codes: np.ndarray, swapped: np.ndarray, middles: np.ndarray | None
) -> list[np.ndarray | None]:
    if middles is None:
        middles = run(middle_steps(case, swapped))
    counts = np.diff(start)
    met = np.flatnonzero(counts)
    points: list[np.ndarray | None] = [None] * len(counts)
    means = np.add.reduceat(middles, start[met]) / counts[met, None] if len(met) else ()
    for job, mean in zip(met.tolist(), means, strict=True):
        points[job] = mean
    for job in np.flatnonzero((counts == 0) & (codes == CONTAINED.severity)).tolist():
        boxes = np.stack([case.boxes_a[job], case.boxes_b[job]])
        smaller = boxes[np.argmin((boxes[:, 3:] - boxes[:, :3]).sum(axis=1))]
        points[job] = 0.5 * smaller[:3] + 0.5 * smaller[3:]
    return points
