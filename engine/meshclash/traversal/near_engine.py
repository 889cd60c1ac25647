"""The engines for distances: find the nearest pair of each job, or all pairs within a tolerance."""

from collections.abc import Callable

import numpy as np

from ..geometry.relative_pose import relative_rows
from ..hierarchy.wide_bvh import LANE_COUNT
from ..volumes.registry import volume_named
from . import pairs as layout
from .access import access_to
from .binary_engine import leaves_of
from .engine import Chunk
from .near_leaf import STEP_LIMIT
from .near_pairs import NearOutput, NearScratch, near_traversal
from .near_wide import MOST_OF_TWO_LEAVES
from .near_work import ALL_APART, ROUNDING_SHARE, SMALLEST_QUEUE, NearestSoFar, NearWork, kernel_options, output_for
from .prepared_poses import prepared_rows
from .question import Goal, Question

_CHUNK = 1 << 15
_GOALS = Goal.NEAREST, Goal.WITHIN


class _NearEngine:
    """The common base of both engines.

    Pairs within rounding error of each other get distance 0, or are kept whatever the tolerance. So ``settled`` is
    False.
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
        self._output = output_for(of_two_leaves + (0 if self._nearest else _CHUNK))
        uncertain = ALL_APART if question.none_meet else ROUNDING_SHARE
        limits = question.upper_limit, question.lower_limit
        self._errors = np.array([question.relative_error, question.absolute_error, uncertain, *limits])
        chained = self._nearest and bool((question.jobs == question.jobs[:1]).all())  # all of the same trees
        self._options = kernel_options(self._nearest, chained)
        self._poses = np.ascontiguousarray(question.rows_a), np.ascontiguousarray(question.rows_b)
        self._depth = question.tree_set_a.deepest + question.tree_set_b.deepest + 2
        self.chunks: list[Chunk] = []
        self._state, self._work = self._prepared(question)

    def _prepared(self, question: Question) -> tuple[np.ndarray, Callable[[], bool]]:
        """Return the kernel's state, and a function that calls the kernel."""
        raise NotImplementedError

    def advance(self) -> bool:
        """Work for some milliseconds; return True when all jobs are done."""
        done = self._work()
        count = int(self._state[layout.OUTPUT_USED])
        if count and (done or count > _CHUNK):
            self.chunks.append(tuple(array[:count].copy() for array in self._output))
            self._state[layout.OUTPUT_USED] = 0
        if done and self._nearest:
            distances, points, pairs = self._found
            self.chunks.append((pairs, distances, np.arange(len(pairs), dtype=np.int32), points))
        return done

    @property
    def share(self) -> float:
        """Fraction of the jobs that are done."""
        return float(self._state[layout.JOB]) / len(self._question.jobs)

    @property
    def counters(self) -> tuple[int, int, int]:
        """Numbers of volume tests, primitive tests and exact tests."""
        return int(self._state[layout.VOLUME_TESTS]), int(self._state[layout.PRIMITIVE_TESTS]), 0


class NearWideEngine(_NearEngine):
    """An ``Engine`` for distances of trees of boxes, which tests eight nodes at a time."""

    @staticmethod
    def serves(question: Question) -> bool:
        """Return whether this engine can answer a question."""
        return question.goal in _GOALS and not question.first_only and question.fits_lanes

    def _prepared(self, question: Question) -> tuple[np.ndarray, Callable[[], bool]]:
        a, b, jobs = question.tree_set_a, question.tree_set_b, question.jobs
        for side, tree_set in enumerate((a, b)):
            tree_set.slabs_of(jobs[:, side])
        room = max(LANE_COUNT * (self._depth + 1), SMALLEST_QUEUE)
        work = NearWork(
            np.ascontiguousarray(jobs), self._poses, self._errors, self._options, self._found, self._output, room
        )
        return work.state, lambda: work.advance(a.lane_record, b.lane_record)

    def advance(self) -> bool:
        """Work for some milliseconds; return True when all jobs are done."""
        done = super().advance()
        if done and self._nearest:
            for side, tree_set in enumerate((self._question.tree_set_a, self._question.tree_set_b)):
                tree_set.note_near_tests(self._question.jobs[:, side], self.counters[0])
        return done


class NearBinaryEngine(_NearEngine):
    """An ``Engine`` for distances of trees of any volume, which tests one node at a time."""

    @staticmethod
    def serves(question: Question) -> bool:
        """Return whether this engine can answer a question."""
        return question.goal in _GOALS and not question.first_only

    def _prepared(self, question: Question) -> tuple[np.ndarray, Callable[[], bool]]:
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
        scratch, output = NearScratch(*leaves, np.empty(entries), self._options, counts), self._output
        options = np.zeros(layout.OPTIONS_LENGTH, np.int64)
        options[layout.STEP_LIMIT] = self._options[STEP_LIMIT]
        options[layout.ROOM] = len(output.jobs) - a.largest_leaf * b.largest_leaf

        def work() -> bool:
            return kernel(
                a.forest, b.forest, jobs, *self._poses, prepared, self._errors, options, state, stack, scratch,
                carried, NearOutput(*output, self._found),
            )  # fmt: skip

        return state, work
