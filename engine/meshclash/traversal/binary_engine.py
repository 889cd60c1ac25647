"""The binary engine: allocates the arrays of the kernel in ``pairs.py`` and runs it for a question."""

import numpy as np

from ..geometry.predicates import new_workspace
from ..geometry.relative_pose import relative_rows
from ..volumes.registry import volume_named
from . import pairs as layout
from .access import access_to
from .engine import Chunk
from .pairs import Output, Scratch, contact, nearness, pair_traversal
from .prepared_poses import prepared_rows
from .question import Goal, Question

CHUNK = 1 << 15
"""Number of pairs in the output at which it is emptied."""
STEPS = 1 << 14
"""Steps per kernel call."""


class BinaryEngine:
    """An ``Engine`` for any volume, one node at a time: contacts, or the first pair of each job within a tolerance."""

    settled = False
    threads = 1
    device = "cpu"

    @staticmethod
    def serves(question: Question) -> bool:
        """Return whether the binary engine can compute a question."""
        return question.goal is Goal.CONTACTS or (question.goal is Goal.WITHIN and question.first_only)

    def __init__(self, question: Question) -> None:
        a, b, jobs = question.tree_set_a, question.tree_set_b, question.jobs
        every = (len(jobs), 3, 4)
        rows_a, rows_b = (np.array(np.broadcast_to(r, every)) for r in (question.rows_a, question.rows_b))
        relative = relative_rows(
            rows_a, rows_b, a.origins[jobs[:, 0]], b.origins[jobs[:, 1]],
            a.reaches[jobs[:, 0]], b.reaches[jobs[:, 1]], question.tolerance,
        )  # fmt: skip
        # The kernel stops when another pair of leaves might not fit. In a first-contact query each job adds one pair.
        leaves = a.largest_leaf * b.largest_leaf
        self._full = min(len(jobs), CHUNK) if question.first_only else CHUNK
        options = _options(question)
        options[layout.ROOM] = self._full
        self._kernel = pair_traversal(a.volume, contact if question.goal is Goal.CONTACTS else nearness)
        prepared = prepared_rows(a, b, jobs, relative)
        self._input = (
            a.forest,
            b.forest,
            jobs,
            rows_a,
            rows_b,
            prepared,
            float(question.tolerance),
            options,
        )
        self._state = np.zeros(layout.STATE_LENGTH, np.int64)
        # Each step pops one pair and pushes at most three, one level deeper in one tree or both.
        entries = 2 * (a.deepest + b.deepest) + 8
        stack, carried = np.empty((entries, 2), np.int32), access_to(volume_named(a.volume)).workspace(entries)
        size = leaves + self._full
        self._output = Output(np.empty((size, 2), np.int32), np.empty(size, np.uint8), np.empty(size, np.int32))
        scratch = Scratch(*leaves_of(a.largest_leaf, b.largest_leaf), new_workspace())
        self._scratch = (stack, scratch, carried, self._output)
        self.chunks: list[Chunk] = []

    def advance(self) -> bool:
        """Work for some milliseconds; return True when all jobs are done."""
        done = self._kernel(*self._input, self._state, *self._scratch)
        found = int(self._state[layout.OUTPUT_USED])
        if found and (done or found > self._full):
            self.chunks.append(tuple(array[:found].copy() for array in self._output))
            self._state[layout.OUTPUT_USED] = 0
        return done

    @property
    def share(self) -> float:
        """Fraction of the jobs that are done."""
        return float(self._state[layout.JOB]) / len(self._input[2])

    @property
    def counters(self) -> tuple[int, int, int]:
        """Numbers of volume tests, primitive tests and exact tests."""
        state = self._state.tolist()
        return state[layout.VOLUME_TESTS], state[layout.PRIMITIVE_TESTS], state[layout.EXACT_TESTS]


def _options(question: Question) -> np.ndarray:
    options = np.zeros(layout.OPTIONS_LENGTH, np.int64)
    options[layout.CROSSING_ONLY] = question.crossing_only
    options[layout.FIRST_ONLY] = question.first_only
    options[layout.WITH_ITSELF] = question.with_itself
    options[layout.STEP_LIMIT] = STEPS
    return options


def leaves_of(a: int, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Allocate a leaf of each side in world coordinates, and the indices of its triangles."""
    worlds = np.empty((a, layout.LEAF_NUMBERS)), np.empty((b, layout.LEAF_NUMBERS))
    return (*worlds, np.empty(a, np.int32), np.empty(b, np.int32))
