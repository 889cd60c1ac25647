"""Run a traversal: to its end, within a time budget, or down to a resolution.

A ``PairSearch`` is one query about one pair of posed objects. The kernel is an argument, so the same code runs
traversals of two clouds, and of a cloud and a mesh.
"""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from ..types.copying import Copyable
from ..types.pose import transform_points
from ..types.results import Progress, QueryStats
from ..types.steps import in_slices
from .best_first import (
    EVALUATION_WORK,
    EVALUATIONS,
    FIRST_ONLY,
    FOUND,
    HEAP_USED,
    LEAF_TESTS,
    MOST_EVALUATIONS,
    RESOLUTION,
    SETTINGS_LENGTH,
    STARTED,
    STATE_LENGTH,
    TOLERANCE,
    VOLUME_TESTS,
    WORK_LIMIT,
)
from .contact_probability import contact_probability, measures

Kernel = Callable[..., bool]
"""Function (settings, state, heap, output) -> whether the traversal is complete."""

_HEAP = 4096
_CHUNK = 1024
_SLICE_WORK = 5_000.0  # 1.6 ms for clouds of 100,000 points; slices a fifth as long add a tenth to the total time
_USUAL_SLICES = 40  # slices of a large query; after so many the progress bar is at half
_FIRST_SPEED = 4e6
"""Units of work per second that a search within a budget expects at first. With clouds of 100,000 points nine of ten
pairs are faster."""
_SHARE = 0.6  # of the time that is left, that the next slice may take by the speed so far
_CALL = 15e-6  # time [s] of one call of a kernel without work, and of giving the answer
_SPENT = 0.9
_LEAST_WORK = 20.0
_MOST_WORK = 1e12  # in one step: kernels count work as integers


@dataclass(frozen=True)
class CommonPoints:
    """The results of a traversal, one entry for each pair of leaves (or of leaf and triangle)."""

    pairs: np.ndarray
    """(k, 2) int32: leaf of a, and leaf or triangle of b."""
    points: np.ndarray
    """(k, 3) float64 [m], world."""
    regions: np.ndarray
    """Common box of each pair, (k, 6) float64 [m], in a's hierarchy frame."""


class PairSearch(Copyable):
    """One traversal.

    Args:
        kernel: the function that advances the traversal.
        rows_a: pose of the cloud in whose hierarchy frame the kernel works, (3, 4).
        origin: origin of the frame in the cloud's own coordinates, (3,) [m].
        tolerance: largest distance of a contact point from either surface [m].
        first_only: stop at the first contact.
        weights: of the measures of ``contact_probability.py``, for this kind of traversal.
        at_once: largest number of contacts that one step of the kernel finds.
    """

    def __init__(
        self,
        kernel: Kernel,
        rows_a: np.ndarray,
        origin: np.ndarray,
        tolerance: float,
        first_only: bool,
        weights: tuple[float, ...],
        at_once: int = 1,
    ) -> None:
        self._kernel = kernel
        self._rows = rows_a
        self._origin = origin
        self._weights = weights
        self.settings = np.zeros(SETTINGS_LENGTH)
        self.settings[FIRST_ONLY] = float(first_only)
        self.settings[TOLERANCE] = tolerance
        self.state = np.zeros(STATE_LENGTH, np.int64)
        self._heap = new_heap(_HEAP)
        size = at_once if first_only else _CHUNK + at_once
        self._output = (np.empty((size, 2), np.int32), np.empty((size, 3)), np.empty((size, 6)))
        self._full = size + 1 - at_once
        self._speed, self._patience = _FIRST_SPEED, 0.0
        self._chunks: list[tuple[np.ndarray, ...]] = []
        self.complete = False

    def begin_at(self, nodes_a: np.ndarray) -> None:
        """Search only in some nodes (k,) of the first cloud. Call this before the search starts."""
        count = len(nodes_a)
        self._heap = new_heap(_HEAP + count)
        self._heap[0][:count] = 0.0
        self._heap[1][:count, 0] = nodes_a
        self._heap[1][:count, 1] = 0
        self.state[STARTED], self.state[HEAP_USED] = 1, count

    def advance(self, work: float) -> bool:
        """Run the traversal for about ``work`` units of work; return True when it is complete."""
        self.settings[WORK_LIMIT] = work
        self.complete = self._kernel(self.settings, self.state, self._heap, self._output)
        found = int(self.state[FOUND])
        if found and (self.complete or found >= self._full):
            self._chunks.append(tuple(array[:found].copy() for array in self._output))
            self.state[FOUND] = 0
        if not self.complete and self.state[HEAP_USED] > len(self._heap[0]) - 8:
            self._heap = grown_heap(self._heap)
        return self.complete

    @in_slices
    def finish(self) -> Generator[Progress, None, "PairSearch"]:
        """Run the traversal to its end, and return this object."""
        slices = 0
        while not self.advance(_SLICE_WORK):
            slices += 1
            yield Progress(slices / (slices + _USUAL_SLICES), "comparing surfaces")
        return self

    def spend(self, budget: float, begun: float) -> "PairSearch":
        """Run until about ``budget`` seconds of processor time have passed since ``begun``; only for a first contact.

        Each slice aims at a fraction of the remaining time, by the speed of the slices so far. The test of two leaves
        is interrupted when the rest of the time is used up. The interrupted test then begins anew and may take twice as
        long, so that repeated calls finish for any budget. Some work is done in every call.
        """
        assert self.settings[FIRST_ONLY] != 0.0
        now = time.thread_time()
        left = (_SPENT * budget - (now - begun) - _CALL) * self._speed
        while True:
            left = min(left, _MOST_WORK)
            work = max(_SHARE * left, _LEAST_WORK)
            most = max(left, _LEAST_WORK, self._patience)
            self.settings[MOST_EVALUATIONS] = most / EVALUATION_WORK
            before, done = now, self.work_done
            finished = self.advance(work)
            self.settings[MOST_EVALUATIONS] = 0.0
            now = time.thread_time()
            taken, done = max(now - before - _CALL, 1e-6), self.work_done - done
            self._patience = 2.0 * most if done >= most else 0.0
            self._speed = min(done / taken, 2.0 * self._speed)
            left = (_SPENT * budget - (now - begun) - _CALL) * self._speed
            if finished or left < max(_LEAST_WORK, self._patience):
                return self

    @property
    def work_done(self) -> float:
        """Work done so far, in the units of the kernel."""
        return float(self.state[VOLUME_TESTS] + EVALUATION_WORK * self.state[EVALUATIONS])

    @property
    def hit(self) -> bool:
        """Whether a contact was found."""
        return bool(self._chunks)

    def found(self) -> CommonPoints:
        """Return all contacts found so far."""
        if not self._chunks:
            return CommonPoints(np.empty((0, 2), np.int32), np.empty((0, 3)), np.empty((0, 6)))
        pairs, points, regions = (np.concatenate(parts) for parts in zip(*self._chunks, strict=True))
        return CommonPoints(pairs, transform_points(self._rows, points + self._origin), regions)

    def probability(self) -> float:
        """Return the probability that a search for the first contact will find one; 0 if no pair waits."""
        if self.complete or self.state[HEAP_USED] == 0:
            return 0.0
        return contact_probability(self.measures(), self._weights)

    def measures(self) -> np.ndarray:
        """Return the measures of ``contact_probability.py``; at least one pair is waiting."""
        return measures(self.state, self._heap[0])

    def stats(self, seconds: float) -> QueryStats:
        """Return the counters of the traversal: box pairs, leaf pairs, evaluations of a surface."""
        counts = self.state[[VOLUME_TESTS, LEAF_TESTS, EVALUATIONS]].tolist()
        return QueryStats(counts[0], counts[1], counts[2], seconds)


def new_heap(capacity: int) -> tuple[np.ndarray, np.ndarray]:
    """Return an empty heap: arrays of negated keys and of pairs of nodes (``traversal/pair_heap.py``)."""
    return np.empty(capacity), np.empty((capacity, 2), np.int32)


def grown_heap(heap: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return a heap of twice the capacity with the same entries."""
    keys, nodes = new_heap(2 * len(heap[0]))
    keys[: len(heap[0])], nodes[: len(heap[1])] = heap
    return keys, nodes


def limit_resolution(search: PairSearch, resolution: float) -> None:
    """Make a search stop splitting at nodes no larger than ``resolution`` [m]. If they overlap, that is a contact."""
    search.settings[RESOLUTION] = resolution


def pose_rows(rows: np.ndarray) -> np.ndarray:
    """Return one pose (3, 4) as the stack (1, 3, 4) that is the argument of ``relative_rows``.

    The stack is always a copy: poses repeated for a stack are read-only, and Numba would compile the kernel again for
    them.
    """
    return np.array(rows[None], dtype=np.float64, order="C")


def largest_coordinates(bounds: np.ndarray) -> np.ndarray:
    """Return the largest absolute coordinate of bounds (2, 3) per axis, as (1, 3)."""
    return np.abs(bounds).max(axis=0)[None]
