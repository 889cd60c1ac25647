"""Run the best-first traversal: its arrays, its budget of time or steps, and its estimates when it stops."""

import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..geometry.predicates import new_workspace
from ..geometry.relative_pose import ROW_LENGTH as FRAME_LENGTH
from ..traversal.pairs import LEAF_NUMBERS
from ..types.copying import Copyable
from ..volumes.registry import volume_named
from . import traversal as layout
from .collision_probability import MEASURES
from .estimates import LOOKED_AT, conclude
from .heap import ENTRY_LENGTH, keep_jobs
from .probability import log_factorials
from .traversal import beginning, best_first
from .trees import AdbTree, table
from .unit_cost import UnitCost

_FIRST_CAPACITY = 4096
_LARGEST_SPARE = 1 << 16
_LARGEST_LEAF = 64
_STEPS_A_CALL = 1 << 14
_CAREFUL = 0.35
"""Share of the remaining time that is spent before the clock is read again."""
_SHORTEST = 4e-6
"""Shortest remaining time [s] that is worth a kernel call."""
_A_CALL = 16
"""Cost of a kernel call, in steps."""

searching, concluding = UnitCost(0.2e-6), UnitCost(0.01e-6)
"""Measured costs in this process: one step of a search, and one unit of computing the estimates."""


class Criterion(NamedTuple):
    """The criterion by which a pair of objects counts as colliding."""

    p_min: float = 0.99
    """Pairs of nodes with at least this probability are counted. With a value above 1 no pair is counted, and the
    result is exact.
"""
    k_min: int = 10
    """Number of counted pairs that make a collision."""
    antichain: bool = False
    """Whether a counted pair is opened only when no other pair is left, so that no region is counted twice."""


class Limit(NamedTuple):
    """The limit at which a search stops: a time budget or a number of steps."""

    deadline: float | None = None
    """Time of ``time.perf_counter`` [s]."""
    steps: int | None = None
    least: int = 0
    """Steps that are taken even after the deadline, but never more than ``steps``."""


class Estimates(NamedTuple):
    """The estimates for k jobs."""

    probabilities: np.ndarray
    """Probability that the objects collide, (k,) float64."""
    intervals: np.ndarray
    """The lowest and the highest probability, (k, 2) float64 (``collision_probability.py``)."""
    regions: np.ndarray
    """World boxes of the contacts or of the most probable contacts, (k, 2, 3) float64 [m]; NaN if no location is known.
"""
    measures: np.ndarray
    """Measures from which the probabilities were computed, (k, MEASURES) float64; NaN if the result is exact."""


class _SearchArrays(NamedTuple):
    """Work arrays, reused from search to search, because allocating them takes longer than a short search."""

    leaves: np.ndarray
    indices: np.ndarray
    counter: np.ndarray
    expansions: np.ndarray
    zero: np.ndarray


class _Heap(NamedTuple):
    keys: np.ndarray
    entries: np.ndarray


_spare_workspaces: list[_SearchArrays] = []
_spare_heaps: list[_Heap] = []
"""Heaps that are not in use. The list is thread-safe, since append and pop are atomic."""


def _take_workspace() -> _SearchArrays:
    try:
        return _spare_workspaces.pop()
    except IndexError:
        leaves, indices = np.empty((2, _LARGEST_LEAF, LEAF_NUMBERS)), np.empty((2, _LARGEST_LEAF), np.int32)
        return _SearchArrays(leaves, indices, *new_workspace(), np.zeros(1, np.int64))


def _take_heap() -> _Heap:
    try:
        return _spare_heaps.pop()
    except IndexError:
        return _Heap(np.empty(_FIRST_CAPACITY), np.empty((_FIRST_CAPACITY, ENTRY_LENGTH), np.int32))


class Search(Copyable):
    """A search over many pairs of objects that share one heap and one budget.

    Args:
        volume: the kind of bounding volume of the trees.
        criterion: when a pair counts as colliding.

    Attributes:
        rows: one row per job, (k, ROW_LENGTH) int64 (``traversal.py``).
        hazards: sum of -ln(1 - p) over the remaining pairs of nodes of each job, (k,) float64.
        state: counters.
    """

    def __init__(self, volume: str, criterion: Criterion) -> None:
        verbs = volume_named(volume)
        self._volume, self._width = volume, verbs.width
        self._options = np.array([0, criterion.k_min, criterion.antichain, 0, verbs.width], np.int64)
        self._p_min = criterion.p_min
        self._frame_length = verbs.prepared if verbs.prepare is not None else FRAME_LENGTH
        self._heap = _take_heap()
        self.state = np.zeros(layout.STATE_LENGTH, np.int64)
        self._trees: Sequence[AdbTree] = ()
        self._jobs = np.empty((0, 2), np.int64)
        self._poses = np.empty((0, 2, 3, 4))
        self._frames = np.empty((0, self._frame_length))
        self.rows = np.empty((0, layout.ROW_LENGTH), np.int64)
        self.hazards = np.empty(0)

    def __getstate__(self) -> Any:
        state, used = super().__getstate__(), int(self.state[layout.USED])
        keys, entries = map(np.zeros_like, self._heap)
        keys[:used], entries[:used] = self._heap.keys[:used], self._heap.entries[:used]
        return {**state, "_heap": _Heap(keys, entries)}

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        return table(self._trees)

    def begin(self, trees: Sequence[AdbTree], jobs: np.ndarray, poses: np.ndarray, first: int = 0) -> None:
        """Add pairs of objects as new jobs to the search.

        Args:
            trees: the trees that jobs refer to.
            jobs: indices of the trees of a and of b, (k, 2) int64.
            poses: poses of a and of b, (k, 2, 3, 4) float64.
            first: index of the first new job; the earlier jobs are known from the last call.
        """
        self._trees = trees
        self.__dict__.pop("_table", None)
        self._jobs, self._poses = jobs, poses
        count = len(jobs)
        if first == 0:
            self._frames = np.empty((count, self._frame_length))
            self.rows, self.hazards = np.empty((count, layout.ROW_LENGTH), np.int64), np.empty(count)
        else:
            self._frames = _longer(self._frames, count)
            self.rows, self.hazards = _longer(self.rows, count), _longer(self.hazards, count)
        while int(self.state[layout.USED]) + count + 4 > len(self._heap.keys):
            self._pack()
        beginning(self._volume)(
            first, *self._table, jobs, poses, self._width, self.state, self.rows, self.hazards,
            self._frames, *self._heap,
        )  # fmt: skip

    def keep(self, jobs: np.ndarray) -> None:
        """Keep only the given jobs, (n,) int64 ascending, drop all other jobs, and renumber the kept jobs. Call
        ``begin`` afterwards.
        """
        numbers = np.full(len(self._jobs), -1)
        numbers[jobs] = np.arange(len(jobs))
        self._frames, self.rows, self.hazards = self._frames[jobs], self.rows[jobs], self.hazards[jobs]
        numbers[jobs[self.rows[:, layout.STATUS] > layout.COUNTED_ENOUGH]] = -1
        self.state[layout.USED] = keep_jobs(numbers, self.state[layout.USED], *self._heap)
        self.state[layout.OPEN_JOBS] = np.count_nonzero(self.rows[:, layout.STATUS] == layout.OPEN)

    @property
    def decided(self) -> bool:
        """Whether every pair of objects is decided exactly, or counts as colliding."""
        return int(self.state[layout.OPEN_JOBS]) == 0

    def exhausted(self, refine: bool) -> bool:
        """Return whether the search has no work left. With ``refine``, pairs that merely count as colliding are work,
        too.
        """
        return int(self.state[layout.USED]) == 0 or (not refine and self.decided)

    def run(self, limit: Limit, refine: bool = False) -> None:
        """Search until no work is left or the limit is reached.

        Args:
            limit: when to stop.
            refine: True continues with pairs that merely count as colliding, until they are decided exactly.
        """
        self._options[layout.REFINE] = refine
        workspace = _take_workspace()
        left, least = limit.steps, limit.least
        while not self.exhausted(refine):
            steps = _STEPS_A_CALL if left is None else min(left, _STEPS_A_CALL)
            if limit.deadline is not None:
                steps = min(steps, max(self._affordable(limit.deadline), least))
            if steps <= 0:
                break
            before, start = int(self.state[layout.STEPS]), time.perf_counter()
            self._advance(steps, workspace)
            taken = int(self.state[layout.STEPS]) - before
            searching.note(taken + _A_CALL, time.perf_counter() - start)
            left = None if left is None else left - taken
            least -= taken
        _spare_workspaces.append(workspace)

    def _affordable(self, deadline: float) -> int:
        """Return the number of steps that fit into a share of the remaining time, ``_CAREFUL``."""
        reserve = concluding.seconds * self._size
        left = deadline - reserve - time.perf_counter()
        return int(min(_CAREFUL * left / searching.seconds, _STEPS_A_CALL)) - _A_CALL if left > _SHORTEST else 0

    @property
    def _size(self) -> int:
        """Amount of work for computing the estimates, in the units of ``concluding``."""
        return 512 + 16 * len(self._jobs) + min(int(self.state[layout.USED]), LOOKED_AT)

    def _advance(self, steps: int, workspace: _SearchArrays) -> None:
        """Search for about ``steps`` steps at most."""
        if int(self.state[layout.USED]) + 4 > len(self._heap.keys):
            self._pack()
        self._options[layout.STEP_LIMIT] = steps
        best_first(self._volume)(
            self._table[0], self._jobs, self._poses, self._frames, self._p_min, self._options, self.state, self.rows,
            self.hazards, *self._heap, log_factorials(), *workspace,
        )  # fmt: skip

    def _pack(self) -> None:
        keys, entries = self._heap
        self._heap = _Heap(_longer(keys, 2 * len(keys)), _longer(entries, 2 * len(keys)))

    def settle(self, job: int, colliding: bool) -> None:
        """Store the exact engine's result for a job whose status is ASK_HOST."""
        self.rows[job, layout.STATUS] = layout.MEET if colliding else layout.APART
        self.rows[job, layout.TRIANGLE_A] = self.rows[job, layout.TRIANGLE_B] = -1

    def estimates(self) -> Estimates:
        """Return the current estimates."""
        start = time.perf_counter()
        count = len(self._jobs)
        estimates = Estimates(
            np.empty(count), np.empty((count, 2)), np.empty((count, 2, 3)), np.empty((count, MEASURES))
        )
        conclude(
            *self._table, self._jobs, self._poses, self._frames, self.state, self.rows, self.hazards, *self._heap,
            self._width, _ZERO, np.empty(count, np.int64), *estimates,
        )  # fmt: skip
        concluding.note(self._size, time.perf_counter() - start)
        return estimates

    def end(self) -> None:
        """Return the heap to the pool, so that other searches can use it. The search must not be used after that."""
        if len(self._heap.keys) <= _LARGEST_SPARE:
            _spare_heaps.append(self._heap)


_ZERO = np.zeros(1, np.int64)


def _longer(array: np.ndarray, length: int) -> np.ndarray:
    """Return a copy of the array with ``length`` rows."""
    longer = np.empty((length, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
