"""The 8-wide engine: runs the kernel of ``wide_traversal.py`` for a question, on one or several threads.

Large questions are divided among workers. After every round, the stacks of all workers and the tasks that have not
begun are redistributed as tasks, so that no worker is idle for long. The result does not depend on this redistribution:
each pair of slots is visited once, and the pairs are sorted at the end. A question for first contacts keeps its first
distribution.
"""

import numba
import numpy as np

from ..geometry.predicates import new_workspace
from ..hierarchy.wide_bvh import LANE_COUNT
from ..jit import is_compiled, parallel_kernel, parallel_region
from . import pairs as layout
from .engine import Chunk
from .forest import ORIENTED, TreeSet
from .question import Goal, Question
from .stars import stars_of, stars_of_nodes
from .wide_traversal import (
    DOUBLES,
    ROOT,
    SINGLES,
    SLOT_A,
    SLOT_B,
    STARS,
    STARS_OF_NODES,
    TASK,
    TASK_JOB,
    TREE_A,
    TREE_B,
    traverse_tasks,
    traverse_wide,
)  # fmt: skip

CHUNK = 1 << 15
"""Number of pairs in a worker's output at which it is emptied."""
STEPS = 1 << 14
"""Steps per kernel call."""
STEPS_ALONE = 1 << 12
"""Steps on one thread after which a question counts as large: a quarter of a millisecond."""
_ONLY = (0,)
CALLS_TO_COMPILE = 500
"""Number of calls after which compiling the parallel kernel, which takes about a second, is worthwhile."""
_MOST_OF_TWO_LEAVES = LANE_COUNT**2


class _Workspace:
    """The arrays of several workers, reused for later questions because allocation takes longer than a short query.

    Attributes:
        arrays: state, stack, singles, doubles, sifted, counter, expansions, pairs, kinds, pair_jobs; (workers, ...).
        parts: the slices of the arrays for each worker.
    """

    def __init__(self, workers: int, stack: int) -> None:
        counter, expansions = new_workspace()
        size = CHUNK + _MOST_OF_TWO_LEAVES
        self.stack_size = stack
        self.arrays = (
            np.empty((workers, layout.STATE_LENGTH), np.int64),
            np.empty((workers, stack, 2), np.int32),
            np.empty((workers, SINGLES), np.float32),
            np.empty((workers, DOUBLES)),
            np.empty((workers, 2 * LANE_COUNT), np.int32),
            np.zeros((workers, *counter.shape), np.int64),
            np.empty((workers, *expansions.shape)),
            np.empty((workers, size, 2), np.int32),
            np.empty((workers, size), np.uint8),
            np.empty((workers, size), np.int32),
        )
        self.parts = [tuple(array[w] for array in self.arrays) for w in range(workers)]

    @property
    def workers(self) -> int:
        """Number of workers for which a workspace has room."""
        return len(self.parts)


def _stack_size(depth_a: int, depth_b: int) -> int:
    # Each step pops one pair and pushes at most eight, one level deeper in one tree.
    return LANE_COUNT * (depth_a + depth_b + 2)


def _options(crossing_only: bool, first_only: bool, with_itself: bool = False) -> np.ndarray:
    options = np.zeros(layout.OPTIONS_LENGTH, np.int64)
    options[layout.CROSSING_ONLY] = crossing_only
    options[layout.FIRST_ONLY] = first_only
    options[layout.WITH_ITSELF] = with_itself
    options[layout.STEP_LIMIT] = STEPS
    return options


_spare: list[_Workspace] = []
"""Workspaces currently unused. Append and pop of a list are atomic, so the pool is thread-safe."""


def _take_workspace(workers: int, stack: int) -> _Workspace:
    try:
        found = _spare.pop()
    except IndexError:
        return _Workspace(workers, stack)
    if found.workers >= workers and found.stack_size >= stack:
        return found
    return _Workspace(max(workers, found.workers), max(stack, found.stack_size))


@parallel_kernel
def _traverse_together(
    trees_a, trees_b, sizes_a, sizes_b, tasks, begins, poses_a, poses_b, options, state, stack, singles, doubles,
    sifted, counter, expansions, pairs, kinds, pair_jobs,
):  # fmt: skip
    """Run ``traverse_tasks`` in parallel; worker w processes the tasks ``begins[w]:begins[w + 1]``."""
    for w in numba.prange(begins.shape[0] - 1):
        traverse_tasks(
            trees_a, trees_b, sizes_a, sizes_b, tasks[begins[w] : begins[w + 1]], poses_a, poses_b, options, state[w],
            stack[w], singles[w], doubles[w], sifted[w], counter[w], expansions[w], pairs[w], kinds[w], pair_jobs[w],
        )  # fmt: skip


class WideEngine:
    """An ``Engine`` for contacts of trees of boxes, which tests eight nodes at a time."""

    settled = False
    device = "cpu"

    @staticmethod
    def serves(question: Question) -> bool:
        """Return whether this engine can compute a question: contacts of trees with 8-wide forms, in compiled code."""
        return question.goal is Goal.CONTACTS and question.fits_lanes

    def __init__(self, question: Question) -> None:
        a, b = question.tree_set_a, question.tree_set_b
        self._sides = (a, b)
        for side, tree_set in enumerate(self._sides):
            tree_set.orient_after_use(_ONLY if len(tree_set.parts) == 1 else np.unique(question.jobs[:, side]).tolist())
        trees_a, sizes_a = a.lanes
        trees_b, sizes_b = b.lanes
        self._stars: list[np.ndarray] = []
        if question.star_pairs_apart:
            trees_a = self._with_stars(a)
        self._trees = (trees_a, trees_b, sizes_a, sizes_b)
        self._given = (
            question.rows_a,
            question.rows_b,
            _options(question.crossing_only, question.first_only, question.with_itself),
        )
        self._first_only = question.first_only
        self._threads = question.threads
        self._job_count = len(question.jobs)
        # For an object against itself, a node's children are pushed with their parent, and then the partners of each.
        entries = _stack_size(a.deepest, b.deepest) * (2 if question.with_itself else 1)
        self._workspace = _take_workspace(1, entries)
        self._workspace.arrays[0][0] = 0
        self._shares = [_first_tasks(question.jobs, trees_a, trees_b)]
        self._calls = 0
        self.threads = 1
        self.chunks: list[Chunk] = []
        self._counters = [0, 0, 0]
        self._begun = [0]

    def _with_stars(self, tree_set: TreeSet) -> np.ndarray:
        """Return the addresses of trees with those of their stars; keeps the stars' arrays alive."""
        trees = tree_set.lanes.trees
        found = [stars_of(mesh) for mesh in tree_set.meshes]
        if any(found):
            trees = trees.copy()
            for tree, stars in enumerate(found):
                if stars is not None:
                    arrays = stars.apex_of, stars_of_nodes(tree_set.parts[tree], stars)
                    self._stars.extend(arrays)
                    trees[tree, [STARS, STARS_OF_NODES]] = [array.ctypes.data for array in arrays]
        return trees

    def take_over(self, state: np.ndarray, stack: np.ndarray) -> None:
        """Take over the only job at the point where ``traverse_tasks`` stopped; the caller keeps the pairs found so
        far.
        """
        own_state, own_stack = (array[0] for array in self._workspace.arrays[:2])
        used = int(state[layout.STACK_USED])
        own_state[layout.JOB : layout.OUTPUT_USED], own_stack[:used] = state[: layout.OUTPUT_USED], stack[:used]
        self._counters = state[layout.VOLUME_TESTS :].tolist()
        self._calls = 1

    def advance(self) -> bool:
        """Work for some milliseconds; return True when all jobs are done."""
        self._calls += 1
        options = self._given[2]
        options[layout.STEP_LIMIT] = STEPS
        if self._threads == 1:
            self._work_alone()
        elif self._calls == 1:
            options[layout.STEP_LIMIT] = min(STEPS, STEPS_ALONE)
            self._work_alone()
        elif self._calls <= CALLS_TO_COMPILE and not is_compiled(_traverse_together):
            self._work_alone()
        else:
            with parallel_region(self._threads) as count:
                if count > 1:
                    self.work_together(count)
                else:
                    self._work_alone()
        return self._take_stock()

    @property
    def share(self) -> float:
        """Fraction of the jobs that are done: a lower bound from the first unfinished job."""
        begun = [tasks[i, TASK_JOB] for tasks, i in zip(self._shares, self._progress(), strict=True) if i < len(tasks)]
        return float(min(begun, default=self._job_count)) / self._job_count

    @property
    def counters(self) -> tuple[int, int, int]:
        """Numbers of volume tests, primitive tests and exact tests."""
        volumes, primitives, exact = self._counters
        return volumes, primitives, exact

    def _progress(self) -> list[int]:
        """Return the current task of each worker."""
        return self._workspace.arrays[0][: len(self._shares), layout.JOB].tolist()

    def _work_alone(self) -> None:
        for tasks, part in zip(self._shares, self._workspace.parts, strict=False):
            traverse_wide(*self._trees, tasks, *self._given, *part)

    def work_together(self, count: int) -> None:
        """Run one round of ``count`` workers; call it inside a parallel region."""
        if len(self._shares) < count or not self._first_only:
            self._deal(count)
        begins = np.cumsum([0, *map(len, self._shares)])
        arrays = (array[: len(self._shares)] for array in self._workspace.arrays)
        _traverse_together(*self._trees, np.concatenate(self._shares), begins, *self._given, *arrays)
        self.threads = max(self.threads, len(self._shares))

    def _deal(self, count: int) -> None:
        """Distribute the remaining tasks among ``count`` workers."""
        state, stack = self._workspace.arrays[:2]
        used = state[:, layout.STACK_USED]
        left = [tasks[i:] for tasks, i in zip(self._shares, self._progress(), strict=True)]
        if self._first_only:
            # A job belongs to one worker. So far there was only one: its current task stays the first of worker 0.
            kept, entries = int(used[0]), stack[0, : used[0]].copy()
        else:
            kept, entries = 0, stack[:0, 0]
            left = [_without_stack(tasks, stack[w, : used[w]]) for w, tasks in enumerate(left)]
        if count > self._workspace.workers:
            larger = _Workspace(count, self._workspace.stack_size)
            _spare.append(self._workspace)
            self._workspace = larger
        tasks = np.concatenate(left)
        self._shares = [tasks[w::count] for w in range(count)]
        self._begun = [0] * count
        self._workspace.arrays[0][:] = 0
        self._workspace.arrays[0][0, layout.STACK_USED] = kept
        self._workspace.arrays[1][0, :kept] = entries

    def _note_steps(self, tasks: np.ndarray, first: int, last: int, steps: int) -> None:
        """Add steps to the usage of the trees of finished tasks; the trees of an unfinished task get oriented boxes if
        they are due.

        If there are many trees, only tasks that fill a slice count.
        """
        for side, tree_set in enumerate(self._sides):
            if len(tree_set.parts) > 1 and (first != last or last == len(tasks)):
                continue
            tree = int(tasks[min(last, len(tasks) - 1), TREE_A + side]) if len(tasks) else 0
            tree_set.parts[tree].usage.steps += 0.5 * steps
            if last < len(tasks):
                tree_set.orient_after_use((tree,))
                self._trees[side][tree, ORIENTED] = tree_set.lanes.trees[tree, ORIENTED]

    def _take_stock(self) -> bool:
        """Collect the outputs and counters of all workers; return whether all jobs are done."""
        done = True
        for tasks, part, begun in zip(self._shares, self._workspace.parts, self._begun, strict=False):
            state = part[0]
            values = state.tolist()
            self._note_steps(tasks, begun, values[layout.JOB], values[layout.STEPS_DONE])
            if values[layout.OUTPUT_USED]:
                self.chunks.append(tuple(array[: values[layout.OUTPUT_USED]].copy() for array in part[-3:]))
            for i in range(3):
                self._counters[i] += values[layout.VOLUME_TESTS + i]
            state[layout.OUTPUT_USED :] = 0
            done = done and values[layout.JOB] == len(tasks)
        self._begun = self._progress()
        if done:
            _spare.append(self._workspace)
        return done


def _without_stack(tasks: np.ndarray, entries: np.ndarray) -> np.ndarray:
    """Replace a partly done first task by one task for each entry of its stack; return all tasks."""
    if len(entries) == 0:
        return tasks
    own = np.repeat(tasks[:1], len(entries), axis=0)
    own[:, SLOT_A : SLOT_B + 1] = entries
    return np.concatenate([own, tasks[1:]])


def _first_tasks(jobs: np.ndarray, trees_a: np.ndarray, trees_b: np.ndarray) -> np.ndarray:
    """Return one task for each job, which begins at the roots."""
    if len(jobs) == 1:
        tree_a, tree_b = jobs[0].tolist()
        return np.array([[0, tree_a, tree_b, trees_a[tree_a, ROOT], trees_b[tree_b, ROOT]]], np.int32)
    tasks = np.empty((len(jobs), TASK), np.int32)
    tasks[:, TASK_JOB] = np.arange(len(jobs))
    tasks[:, TREE_A : TREE_B + 1] = jobs
    tasks[:, SLOT_A] = trees_a[jobs[:, 0], ROOT]
    tasks[:, SLOT_B] = trees_b[jobs[:, 1], ROOT]
    return tasks
