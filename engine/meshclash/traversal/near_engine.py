"""The engines for distances: they find the nearest pair of each job, or all pairs within a tolerance."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..geometry.relative_pose import relative_rows
from ..hierarchy.wide_bvh import LANE_COUNT
from ..jit import is_compiled, parallel_region
from ..volumes.registry import volume_named
from . import pairs as layout
from . import wide_engine
from .access import access_to
from .binary_engine import leaves_of
from .engine import Chunk
from .near_leaf import STEP_LIMIT
from .near_pairs import NearOutput, NearScratch, near_traversal
from .near_wide import MOST_OF_TWO_LEAVES, traverse_near, traverse_near_together
from .near_work import (
    ALL_APART,
    ROUNDING_SHARE,
    SMALLEST_QUEUE,
    NearestOutput,
    NearestSoFar,
    NearWork,
    kernel_options,
    output_for,
)
from .prepared_poses import prepared_rows
from .question import Goal, Question

_CHUNK = 1 << 15
_GOALS = Goal.NEAREST, Goal.WITHIN
_LONGEST_PART = 512
"""Maximum number of jobs of a part: consecutive jobs of one worker, in which each may start from the result of the
previous job."""
_SHORTEST_PART = 32
"""Fewest jobs of a part: its first search starts without an earlier result."""
_PARTS = 16
"""Number of parts of a short question; the division into parts does not depend on the number of threads."""
_PARTS_OF_WORKER = 4
"""Number of parts that a worker processes in one round, one after the other, so that all workers end a round together.
"""


class _NearEngine:
    """The common base class of both engines for distances.

    Pairs within rounding error of each other get distance 0, or are kept for any tolerance. So ``settled`` is False.
    """

    settled = False
    threads = 1
    device = "cpu"

    def __init__(self, question: Question) -> None:
        count = len(question.jobs)
        self._question, self._nearest = question, question.goal is Goal.NEAREST
        known = np.full((count, 2), -1, np.int32) if question.start is None else question.start.copy()
        self._found = NearestSoFar(
            np.full(count, question.upper_limit if self._nearest else question.tolerance),
            np.zeros((count, 2, 3)),
            known,
        )
        of_two_leaves = max(question.tree_set_a.largest_leaf * question.tree_set_b.largest_leaf, MOST_OF_TWO_LEAVES)
        self._output_size = of_two_leaves + (0 if self._nearest else _CHUNK)
        uncertain = ALL_APART if question.none_meet else ROUNDING_SHARE
        limits = question.upper_limit, question.lower_limit
        self._errors = np.array([question.relative_error, question.absolute_error, uncertain, *limits])
        chained = self._nearest and bool((question.jobs == question.jobs[:1]).all())  # all of the same trees
        self._options = kernel_options(self._nearest, chained)
        self._poses = np.ascontiguousarray(question.rows_a), np.ascontiguousarray(question.rows_b)
        self._depth = question.tree_set_a.deepest + question.tree_set_b.deepest + 2
        self.chunks: list[Chunk] = []

    def _take(self, state: np.ndarray, output: NearestOutput, begin: int, done: bool) -> None:
        """Collect the pairs within the tolerance of jobs from ``begin`` on, if there are many pairs or all jobs are
        done.
        """
        count = int(state[layout.OUTPUT_USED])
        if count and (done or count > _CHUNK):
            pairs, lengths, jobs = (array[:count] for array in output)
            self.chunks.append((pairs.copy(), lengths.copy(), jobs + np.int32(begin)))
            state[layout.OUTPUT_USED] = 0

    def _take_nearest(self) -> None:
        """Collect the nearest pairs of all jobs."""
        if self._nearest:
            distances, points, pairs = self._found
            self.chunks.append((pairs, distances, np.arange(len(pairs), dtype=np.int32), points))


class _Part(NamedTuple):
    """A range of consecutive jobs, with the arrays of the work on them."""

    begin: int
    work: NearWork
    output: NearestOutput
    jobs: int


class NearWideEngine(_NearEngine):
    """An ``Engine`` for distances of trees of boxes, which tests eight nodes at a time, on one or several threads.

    The jobs are divided into parts. A part belongs to one worker, so that each of its searches may start from the
    result of the previous job.
    """

    @staticmethod
    def serves(question: Question) -> bool:
        """Return whether the 8-wide engine for distances can compute a question."""
        return question.goal in _GOALS and not question.first_only and question.fits_lanes

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        a, b, jobs = question.tree_set_a, question.tree_set_b, question.jobs
        for side, tree_set in enumerate((a, b)):
            tree_set.slabs_of(jobs[:, side])
        self._sides = a.lane_record, b.lane_record
        self._jobs = np.ascontiguousarray(jobs)
        size = min(max(-(-len(jobs) // _PARTS), _SHORTEST_PART), _LONGEST_PART)
        self._waiting = iter(range(0, len(jobs), size))
        self._part_size = size
        self._begun: list[_Part] = []
        self._finished = self._calls = 0
        self._counters = [0, 0]

    def advance(self) -> bool:
        """Work for some milliseconds; return True when all jobs are done."""
        self._calls += 1
        may_share = self._question.threads > 1 and len(self._jobs) > self._part_size and self._calls > 1
        if may_share and (self._calls > wide_engine.CALLS_TO_COMPILE or is_compiled(traverse_near_together)):
            with parallel_region(self._question.threads) as count:
                self._work(count)
        else:
            self._work(1)
        return self._take_stock()

    def _work(self, workers: int) -> None:
        """Run the kernel for the first open parts, on some workers; call it inside a parallel region."""
        most = _PARTS_OF_WORKER * workers if workers > 1 else 1
        while len(self._begun) < most and (begin := next(self._waiting, None)) is not None:
            self._begun.append(self._part(begin))
        parts = self._begun[:most]
        for part in parts:
            part.work.make_room()
        side_a, side_b = (record.ctypes.data for record in self._sides)
        if workers > 1:
            traverse_near_together(side_a, side_b, np.array([part.work.address for part in parts]), workers)
            self.threads = max(self.threads, min(workers, len(parts)))
        else:
            for part in parts:
                traverse_near(side_a, side_b, part.work.address)

    def _part(self, begin: int) -> _Part:
        some = slice(begin, begin + self._part_size)
        jobs, output = self._jobs[some], output_for(self._output_size)
        poses, found = (
            (self._poses[0][some], self._poses[1][some]),
            NearestSoFar(*(array[some] for array in self._found)),
        )
        room = max(LANE_COUNT * (self._depth + 1), SMALLEST_QUEUE)
        return _Part(begin, NearWork(jobs, poses, self._errors, self._options, found, output, room), output, len(jobs))

    def _take_stock(self) -> bool:
        """Collect the results of the parts; return whether all jobs are done."""
        left = []
        for part in self._begun:
            state = part.work.state
            done = bool(state[layout.JOB] == part.jobs)
            self._take(state, part.output, part.begin, done)
            if done:
                self._finished += part.jobs
                self._counters[0] += int(state[layout.VOLUME_TESTS])
                self._counters[1] += int(state[layout.PRIMITIVE_TESTS])
            else:
                left.append(part)
        self._begun = left
        if self._finished < len(self._jobs):
            return False
        self._take_nearest()
        if self._nearest:
            for side, tree_set in enumerate((self._question.tree_set_a, self._question.tree_set_b)):
                tree_set.note_near_tests(self._jobs[:, side], self._counters[0])
        return True

    @property
    def share(self) -> float:
        """Fraction of the jobs that are done."""
        return (self._finished + sum(int(part.work.state[layout.JOB]) for part in self._begun)) / len(self._jobs)

    @property
    def counters(self) -> tuple[int, int, int]:
        """Numbers of volume tests, primitive tests and exact tests in parts that are done."""
        return self._counters[0], self._counters[1], 0


class NearBinaryEngine(_NearEngine):
    """An ``Engine`` for distances of trees of any volume, which tests one node at a time."""

    @staticmethod
    def serves(question: Question) -> bool:
        """Return whether the binary engine for distances can compute a question."""
        return question.goal in _GOALS and not question.first_only

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        a, b, jobs = question.tree_set_a, question.tree_set_b, question.jobs
        relative = relative_rows(
            *self._poses, a.origins[jobs[:, 0]], b.origins[jobs[:, 1]], a.reaches[jobs[:, 0]], b.reaches[jobs[:, 1]],
            0.0,
        )  # fmt: skip
        kernel, prepared = near_traversal(a.volume), prepared_rows(a, b, jobs, relative)
        entries = 2 * self._depth
        stack, carried = np.empty((entries, 2), np.int32), access_to(volume_named(a.volume)).workspace(entries)
        state = np.zeros(layout.STATE_LENGTH, np.int64)
        counts = state[layout.PRIMITIVE_TESTS :]
        leaves = leaves_of(a.largest_leaf, b.largest_leaf)
        scratch = NearScratch(*leaves, np.empty(entries), self._options, counts)
        self._state, self._output = state, output_for(self._output_size)
        options = np.zeros(layout.OPTIONS_LENGTH, np.int64)
        options[layout.STEP_LIMIT] = self._options[STEP_LIMIT]
        options[layout.ROOM] = self._output_size - a.largest_leaf * b.largest_leaf

        def work() -> bool:
            return kernel(
                a.forest, b.forest, jobs, *self._poses, prepared, self._errors, options, state, stack, scratch,
                carried, NearOutput(*self._output, self._found),
            )  # fmt: skip

        self._kernel: Callable[[], bool] = work

    def advance(self) -> bool:
        """Work for some milliseconds; return True when all jobs are done."""
        done = self._kernel()
        self._take(self._state, self._output, 0, done)
        if done:
            self._take_nearest()
        return done

    @property
    def share(self) -> float:
        """Fraction of the jobs that are done."""
        return float(self._state[layout.JOB]) / len(self._question.jobs)

    @property
    def counters(self) -> tuple[int, int, int]:
        """Numbers of volume tests, primitive tests and exact tests."""
        return int(self._state[layout.VOLUME_TESTS]), int(self._state[layout.PRIMITIVE_TESTS]), 0
