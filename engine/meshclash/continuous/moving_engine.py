"""The traversal of trees of moving triangles: slices, undecided elements, a horizon that moves to earlier times."""

from collections import deque
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from ..jit import inner, is_compiled, kernel, parallel_kernel, parallel_region, prange
from ..traversal import pairs as layout
from ..traversal import wide_engine
from ..traversal.access import access_to
from ..traversal.binary_engine import CHUNK, STEPS
from ..traversal.engine import Chunk
from ..traversal.pairs import traversal_with
from ..types.slices import Slice
from ..volumes.registry import volume_named
from .coplanarity import EDGE_EDGE, POINT_TRIANGLE
from .integer_stages import integer_stage_steps
from .moving_leaf import (
    EDGES,
    LEAF_NUMBERS,
    MOST_ELEMENTS,
    POINT_OF_B,
    MovingOutput,
    MovingWork,
    visit_moving,
)
from .moving_tree import MovingForest, MovingTree, moving_boxes_meet, moving_size
from .stages import STAGES

_SLACK = 2.0**-48
"""Of the largest coordinate: covers the rounding of positions at a horizon, 4 * 2**-53 of it on either side."""
_TIE = 2.0**-39
"""Distance of the horizon beyond the earliest time: lower bounds of equal times differ by less."""
_NEARER = 0.7
"""The horizon is moved if the earliest time is below this fraction of it, because refitting the boxes takes a pass over
the tree."""


_BOXES = access_to(volume_named("aabb"))
_descend = traversal_with(moving_boxes_meet, moving_size, _BOXES, visit_moving, None, inner)


@kernel
def _traverse(
    forest_a, forest_b, jobs, poses_a, poses_b, relative, slack, options, state, stack, scratch, carried, output
):
    """Traverse moving boxes, as described in ``traversal_with``."""
    return _descend(
        forest_a, forest_b, jobs, poses_a, poses_b, relative, slack, options, state, stack, scratch, carried, output
    )


@inner
def _work(
    forest_a, forest_b, jobs, poses_a, poses_b, relative, slack, options, carried, w, state, stack, leaf_a, leaf_b,
    indices_a, indices_b, start, end, counts, best, pairs, codes, pair_jobs, times,
):  # fmt: skip
    """Traverse as worker w, on its own rows."""
    work = MovingWork(start[w], end[w], counts[w], best[w])
    scratch = layout.Scratch(leaf_a[w], leaf_b[w], indices_a[w], indices_b[w], work)
    output = MovingOutput(pairs[w], codes[w], pair_jobs[w], times[w])
    _descend(
        forest_a, forest_b, jobs, poses_a, poses_b, relative, slack, options, state[w], stack[w], scratch, carried,
        output,
    )  # fmt: skip


@parallel_kernel
def _traverse_together(
    forest_a, forest_b, jobs, poses_a, poses_b, relative, slack, options, carried, state, stack, leaf_a, leaf_b,
    indices_a, indices_b, start, end, counts, best, pairs, codes, pair_jobs, times,
):  # fmt: skip
    """Traverse with all workers in parallel."""
    for w in prange(state.shape[0]):
        _work(
            forest_a, forest_b, jobs, poses_a, poses_b, relative, slack, options, carried, w, state, stack, leaf_a,
            leaf_b, indices_a, indices_b, start, end, counts, best, pairs, codes, pair_jobs, times,
        )  # fmt: skip


class _Workers:
    """Arrays of some workers; each worker has one row."""

    def __init__(self, count: int, stack: int, leaf_size: int) -> None:
        size = CHUNK + MOST_ELEMENTS * leaf_size * leaf_size
        self.state = np.zeros((count, layout.STATE_LENGTH), np.int64)
        self.stack = np.empty((count, stack, 2), np.int32)
        self.leaves = (
            np.empty((count, leaf_size, LEAF_NUMBERS)),
            np.empty((count, leaf_size, LEAF_NUMBERS)),
            np.empty((count, leaf_size), np.int32),
            np.empty((count, leaf_size), np.int32),
        )
        self.work = (
            np.empty((count, 4, 3)),
            np.empty((count, 4, 3)),
            np.zeros((count, STAGES), np.int64),
            np.full((count, 1), np.inf),
        )
        self.output = (
            np.empty((count, size, 2), np.int32),
            np.empty((count, size), np.uint8),
            np.empty((count, size), np.int32),
            np.empty((count, size)),
        )
        _, _, self.counts, self.best = self.work

    def __len__(self) -> int:
        return len(self.state)


class MovingEngine:
    """An ``Engine`` that finds the elements of two moving trees, or of one against itself, that meet.

    Large queries are divided as in ``wide_engine.py``: after each round the pairs left on the stacks are redistributed.
    The result does not depend on the thread that finds an element, since pairs are sorted at the end.

    Args:
        counted: returns the pairs (k, 2) of triangles for some elements (pairs, codes, times) which meet, and their
            first times, in slices that yield the share that is done.

    Attributes:
        chunks: results proved in float64: pairs, codes and times of elements that meet.
        decided: results decided in integers: pairs of triangles, and times.
    """

    settled = True
    device = "cpu"

    def __init__(
        self, a: MovingTree, b: MovingTree, leaf_size: int, with_itself: bool, first_only: bool, threads: int,
        counted: Callable[..., Generator[float, None, tuple[np.ndarray, np.ndarray]]],
    ) -> None:  # fmt: skip
        self._a, self._b, self._first_only, self._threads, self._counted = a, b, first_only, threads, counted
        options = np.zeros(layout.OPTIONS_LENGTH, np.int64)
        options[layout.FIRST_ONLY], options[layout.WITH_ITSELF] = first_only, with_itself
        options[layout.ROOM] = CHUNK
        # Each step takes one pair off and puts at most three on, one level deeper in one tree or both.
        self._options, self._leaf_size, self._entries = options, leaf_size, 2 * (a.tree.depth + b.tree.depth) + 8
        self._workers = _Workers(1, self._entries, leaf_size)
        self._active, self._calls = 1, 0
        self._jobs, self._poses = np.zeros((1, 2), np.int64), np.zeros((1, 3, 4))
        self._carried = np.empty((0, 2, 0))
        self._horizon, self._slack = 1.0, 0.0
        self.threads = 1
        self.chunks: list[Chunk] = []
        self.decided: list[tuple[np.ndarray, np.ndarray]] = []
        self._left: deque[Generator[float, None, None]] = deque()
        self._traversed, self._settled = False, 0.0

    @property
    def share(self) -> float:
        """Progress, which is known only for the remaining undecided elements while the horizon moves."""
        return 0.5 + 0.5 * self._settled / len(self._left) if self._left else 0.5

    @property
    def best(self) -> float:
        """Earliest time found so far, if only the earliest is requested; infinite if no contact was found."""
        return float(self._workers.best.min())

    @property
    def counts(self) -> np.ndarray:
        """Number of elements decided by each stage of ``filter.py``, (STAGES,) int64."""
        return self._workers.counts.sum(axis=0)

    @property
    def counters(self) -> tuple[int, int, int]:
        """Numbers of tests of nodes and of triangles; exact tests are among ``counts``."""
        nodes, triangles = self._workers.state[:, [layout.VOLUME_TESTS, layout.PRIMITIVE_TESTS]].sum(axis=0).tolist()
        return nodes, triangles, 0

    def found_before(self, horizon: float) -> bool:
        """Return whether the earliest time of all is known once all elements up to a horizon are processed."""
        return self.best < horizon - _TIE

    def begin(self, horizon: float) -> None:
        """Start from the roots, with no results beyond a horizon; earlier results are kept."""
        self._active, self._calls, self._traversed = 1, 0, False
        self._workers.stack[0, 0] = _BOXES.root
        self._workers.state[0, [layout.JOB, layout.STACK_USED]] = 0, 1
        if horizon != self._horizon:
            self._look_ahead(horizon)

    def advance(self) -> bool:
        """Work for some milliseconds; return True if everything is done."""
        if self._left:
            self._settle()
        elif not self._traversed:
            self._traversed = self._traverse_on()
        return self._traversed and not self._left

    def _traverse_on(self) -> bool:
        """Run some steps of the traversal; return whether they were the last."""
        self._calls += 1
        alone = self._threads == 1 or self._calls == 1
        self._options[layout.STEP_LIMIT] = STEPS if self._calls > 1 else min(STEPS, wide_engine.STEPS_ALONE)
        if alone or (self._calls <= wide_engine.CALLS_TO_COMPILE and not is_compiled(_traverse_together)):
            self._work_alone()
        else:
            with parallel_region(self._threads) as count:
                if count > 1:
                    self.work_together(count)
                else:
                    self._work_alone()
        return self._take_stock()

    def _given(self) -> tuple[Any, ...]:
        relative = np.full((1, 1), self._slack)
        return (
            self._a.forest, self._b.forest, self._jobs, self._poses, self._poses, relative, self._slack, self._options
        )  # fmt: skip

    def _work_alone(self) -> None:
        own = self._workers
        for w in range(self._active):
            work = MovingWork(*(array[w] for array in own.work))
            leaf_a, leaf_b, indices_a, indices_b = (array[w] for array in own.leaves)
            scratch = layout.Scratch(leaf_a, leaf_b, indices_a, indices_b, work)
            output = MovingOutput(*(array[w] for array in own.output))
            _traverse(*self._given(), own.state[w], own.stack[w], scratch, self._carried, output)

    def work_together(self, count: int) -> None:
        """Run one round of ``count`` workers, inside a parallel region."""
        self._deal(count)
        own = self._workers
        arrays = (array[:count] for array in (own.state, own.stack, *own.leaves, *own.work, *own.output))
        _traverse_together(*self._given(), self._carried, *arrays)
        self.threads = max(self.threads, count)

    def _deal(self, count: int) -> None:
        """Distribute the pairs left on the stacks among some workers."""
        old = self._workers
        used = old.state[: self._active, layout.STACK_USED].tolist()
        entries = np.concatenate([old.stack[w, :n] for w, n in enumerate(used)])
        room = self._entries + -(-len(entries) // count)
        if len(old) < count or old.stack.shape[1] < room:
            self._workers = _Workers(max(count, len(old)), room, self._leaf_size)
            self._workers.state[: len(old)], self._workers.counts[: len(old)] = old.state, old.counts
            self._workers.best[:] = old.best.min()
        self._active = count
        for w in range(count):
            own = entries[w::count]
            self._workers.stack[w, : len(own)] = own
            self._workers.state[w, [layout.JOB, layout.STACK_USED]] = len(own) == 0, len(own)

    def _take_stock(self) -> bool:
        """Take the elements that all workers found from their output arrays; return whether all work is finished."""
        state = self._workers.state[: self._active]
        for w in np.flatnonzero(state[:, layout.OUTPUT_USED]).tolist():
            found = int(state[w, layout.OUTPUT_USED])
            self._take(*(array[w, :found].copy() for array in self._workers.output))
        state[:, layout.OUTPUT_USED] = 0
        done = bool((state[:, layout.JOB] == len(self._jobs)).all())
        if self._first_only:
            best = self._workers.best[:] = self.best
            if not done and best < _NEARER * self._horizon:
                self._look_ahead(best + _TIE)
        return done

    def _take(self, pairs: np.ndarray, codes: np.ndarray, _: np.ndarray, times: np.ndarray) -> None:
        """Store the elements that certainly meet; undecided elements, and those decided in integers, are processed
        later.
        """
        certain = times >= 0.0
        self.chunks.append((pairs[certain], codes[certain], times[certain]))
        if not certain.all():
            self._left.append(self._settle_steps(pairs[~certain], codes[~certain], times[~certain]))

    def _settle(self) -> None:
        """Continue with the postponed elements for some milliseconds."""
        piece = Slice()
        while self._left and not piece.over:
            self._settled = next(self._left[0], 1.0)
            if self._settled == 1.0:
                self._left.popleft()

    def _settle_steps(self, pairs: np.ndarray, codes: np.ndarray, times: np.ndarray) -> Generator[float, None, None]:
        """Decide elements, and find the triangles of those that meet; yields the finished fraction of either step."""
        left, times = np.isnan(times), np.abs(times)
        for kind in (POINT_TRIANGLE, EDGE_EDGE):
            of_kind = left & ((codes >= EDGES) == (kind == EDGE_EDGE))
            if of_kind.any():
                points = element_points(self._a.forest, self._b.forest, pairs[of_kind], codes[of_kind].astype(np.int64))
                found = yield from integer_stage_steps(*points, kind, self._workers.counts[0])
                times[of_kind] = found[1]
        met = times <= (self.best if self._first_only else 1.0)  # later ones cannot count before the best; not NaN
        both, moments = yield from self._counted(pairs[met], codes[met], times[met])
        self.decided.append((both, moments))
        if self._first_only:
            self._workers.best[:] = moments.min(initial=self.best)

    def _look_ahead(self, horizon: float) -> None:
        self._horizon = horizon
        trees = [self._a] if self._a is self._b else [self._a, self._b]
        for tree in trees:
            tree.look_ahead(horizon)
        reach = max(np.abs(mesh.bounds).max() for tree in trees for mesh in (tree.start, tree.end))
        self._slack = 0.0 if horizon == 1.0 else _SLACK * float(reach)


def element_points(
    a: MovingForest, b: MovingForest, pairs: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return points (n, 4, 3) at both times of elements of one kind, with codes (n,) of pairs of triangles (n, 2)."""
    corners_a, corners_b = a.triangles[pairs[:, 0]], b.triangles[pairs[:, 1]]
    rows = np.arange(len(codes))[:, None]
    if len(codes) and codes[0] >= EDGES:
        of_a, of_b = ((edge[:, None] + [0, 1]) % 3 for edge in np.divmod(codes - EDGES, 3))
        return _both_times((a, corners_a[rows, of_a]), (b, corners_b[rows, of_b]))
    start, end = _both_times((a, corners_a[rows, codes[:, None] % 3]), (b, corners_b))
    turned = codes >= POINT_OF_B
    corner = corners_b[rows, codes[:, None] % 3]
    start[turned], end[turned] = _both_times((b, corner[turned]), (a, corners_a[turned]))
    return start, end


def _both_times(*parts: tuple[MovingForest, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return positions of rows of vertices of forests, side by side, at times 0 and 1."""
    start = np.concatenate([forest.vertices[corners] for forest, corners in parts], axis=1)
    end = np.concatenate([forest.ends[corners] for forest, corners in parts], axis=1)
    return start, end
