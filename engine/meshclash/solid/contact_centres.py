"""Points near the contacts of pairs of objects: start points of depth searches, and locations shown to users."""

import math
from collections.abc import Generator
from typing import Any

import numpy as np

from ..geometry.intersection import meeting, new_room
from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.point import world_triangle
from ..types.copying import Copyable
from ..types.steps import run
from ..types.verdict import CONTAINED
from .case import Case

_SPAN = 4096  # contacts that are processed in one step
_AXES, _SPREAD, _LOW = (40503, 30011, 52391), 2654435761, 2**31 - 1  # products below 2**63, of bits without pattern
_EXPONENT, _MAGNITUDE = 0x7FF << 52, (1 << 63) - 1  # of the bits of a float64
SAMPLED = 32
"""Approximate number of contacts of a pair whose middles are computed, if only a sample is needed."""


@inner
def _mixed_bits(forest, tree, t):
    """Return a hash below 2**31 of a triangle's coordinates, independent of the numbering of triangles and corners.

    The bits are the same for the triangle scaled by a power of two: exponents are counted from the largest one.
    """
    bits, total = forest.vertices.view(np.int64), np.int64(0)
    row, v = forest.triangle_start[tree] + t, forest.vertex_start[tree]
    largest = np.int64(0)
    for corner in range(3):
        for k in range(3):
            largest = max(largest, bits[v + forest.triangles[row, corner], k] & _EXPONENT)
    for corner in range(3):
        for k in range(3):
            x = bits[v + forest.triangles[row, corner], k]
            if x & _MAGNITUDE != 0:
                x -= largest
            total += ((x ^ (x >> 32)) & _LOW) * _AXES[k]
    return (total ^ (total >> 31)) & _LOW


@inner
def triangle_key(forest, tree, t):
    """Return a number below 2**31 of a triangle that looks random and depends on its coordinates only; see
    ``_mixed_bits``.
    """
    return _mixed_bits(forest, tree, t) * _SPREAD >> 16 & _LOW


@inner
def is_sampled(forest, a, t, b, u, every):
    """Return whether a contact of triangles t of tree a and u of tree b is in a sample of one in ``every``.

    The trees are in ``pair_order``.
    """
    if every == 1:
        return True
    mixed = (_mixed_bits(forest, a, t) * _AXES[0] + _mixed_bits(forest, b, u)) & _LOW
    return (mixed * _SPREAD >> 16 & _LOW) % every == 0


@kernel
def find_centres(forest, trees, rows_a, rows_b, swapped, every, pairs, kinds, jobs, begin, end, room, middles):
    """Fill the rows from begin to end of ``middles`` (n, 3) with the middles of the contacts of jobs (n,) of pairs of
    trees (k, 2).

    Only one in ``every`` (k,) contacts of a job gets a centre; the centres of the other contacts are NaN.
    """
    forest = by_reference(forest)
    room = by_reference(room)
    for i in range(begin, end):
        job = jobs[i]
        one, other = (1, 0) if swapped[job] else (0, 1)
        t, u = np.int64(pairs[i, one]), np.int64(pairs[i, other])
        if not is_sampled(forest, trees[job, one], t, trees[job, other], u, every[job]):
            middles[i, 0], middles[i, 1], middles[i, 2] = math.nan, math.nan, math.nan
            continue
        rows = (rows_b[job], rows_a[job]) if swapped[job] else (rows_a[job], rows_b[job])
        first = world_triangle(forest, trees[job, one], t, rows[0])
        second = world_triangle(forest, trees[job, other], u, rows[1])
        middles[i, 0], middles[i, 1], middles[i, 2] = meeting(first, second, kinds[i], room)


def centre_steps(case: Case, swapped: np.ndarray, sampled: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Return the centre of every contact, (n, 3) float64 [m]; the generator yields every few milliseconds.

    Args:
        case: the pairs.
        swapped: which pairs are processed second object first, whichever way they were named, (k,) bool.
        sampled: pairs for which only some centres are computed, spread over all contacts, if there are many contacts,
            (k,) bool; the other centres are NaN.
    """
    answer, room = case.answer, new_room()
    middles = np.empty((len(answer.pairs), 3))
    every = np.where(sampled, np.maximum(np.diff(case.starts) // SAMPLED, 1), 1)
    posed = case.tree_set.forest, case.jobs, case.rows_a, case.rows_b, swapped, every
    for begin in range(0, len(middles), _SPAN):
        end = min(begin + _SPAN, len(middles))
        find_centres(*posed, answer.pairs, answer.kinds, answer.jobs, begin, end, room, middles)
        yield
    return middles


class Locations(Copyable):
    """Locations to show, one for each pair of a case, all computed on first access.

    Args:
        case: the pairs.
        start: contacts of pair j are the rows start[j]:start[j + 1], (k + 1,) int64.
        codes: indices of the pairs' verdicts, (k,).
        swapped: as for ``centre_steps``.
        middles: centres of all contacts, (n, 3) [m], if they are known.
    """

    def __init__(
        self, case: Case, start: np.ndarray, codes: np.ndarray, swapped: np.ndarray, middles: np.ndarray | None
    ) -> None:
        self._of = (case, start, codes, swapped, middles)
        self._found: list[np.ndarray | None] | None = None

    def __getstate__(self) -> Any:
        self._all()  # store the points, not the trees of the scene
        return super().__getstate__()

    def of(self, job: int) -> np.ndarray | None:
        """Return a point (3,) float64 [m] between the contacts of a pair, or in a contained object; None for a pair
        without contact.
        """
        return self._all()[job]

    def _all(self) -> list[np.ndarray | None]:
        if self._found is None:
            self._found = _locations(*self._of)
            del self._of
        return self._found


def _locations(
    case: Case, start: np.ndarray, codes: np.ndarray, swapped: np.ndarray, middles: np.ndarray | None
) -> list[np.ndarray | None]:
    if middles is None:
        middles = run(centre_steps(case, swapped, np.zeros(len(case.jobs), np.bool_)))
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
