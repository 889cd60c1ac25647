"""Driving the traversal kernel: workspace, slices, full outputs, and pairs that need more than doubles."""

import time
from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..geometry.lane_filters import BLOCK, PLACED
from ..geometry.predicates import new_workspace
from ..geometry.relative_pose import narrow_rows, relative_rows
from ..geometry.triangle_pair import APART, CROSSING, TOUCHING, UNDECIDED, classify_rational
from ..hierarchy.wide import LANE_COUNT
from ..jit import config
from ..types.pose import transform_points
from . import pairs as state_layout
from .forest import Grove
from .leaf_tests import contact
from .pairs import pair_traversal
from .prepared import prepared_rows
from .wide import traverse_wide

_T = TypeVar("_T")
_CHUNK = 1 << 15
_STEPS_PER_CALL = 1 << 14
_SLICE_SECONDS = 0.02


class Question(NamedTuple):
    """What to ask of many pairs of trees at once."""

    grove_a: Grove
    grove_b: Grove
    jobs: np.ndarray
    """Trees of each pair, (k, 2) int64."""
    rows_a: np.ndarray
    """Poses of the first trees, (k, 3, 4) float64."""
    rows_b: np.ndarray
    leaf_test: Callable[..., Any]
    tolerance: float = 0.0
    crossing_only: bool = False
    first_only: bool = False
    with_itself: bool = False
    lanes: bool = True
    """False keeps to the binary engine where the 8-wide one could answer; the pairs are the same."""


class Answer(NamedTuple):
    """Primitive pairs, sorted by (job, i, j), and counters."""

    pairs: np.ndarray
    """(n, 2) int32 primitive indices."""
    kinds: np.ndarray
    """(n,) uint8."""
    jobs: np.ndarray
    """(n,) int32: which job a pair belongs to."""
    volume_tests: int
    primitive_tests: int
    exact_tests: int


class _Engine(NamedTuple):
    """A traversal kernel with everything it works on but the state; ``advance`` returns True when all is done."""

    advance: Callable[[np.ndarray], bool]
    output: tuple[np.ndarray, np.ndarray, np.ndarray]
    """One chunk: pairs, kinds, jobs."""


def _options(question: Question) -> np.ndarray:
    options = np.zeros(state_layout.OPTIONS_LENGTH, np.int64)
    options[state_layout.CROSSING_ONLY] = question.crossing_only
    options[state_layout.FIRST_ONLY] = question.first_only
    options[state_layout.WITH_ITSELF] = question.with_itself
    options[state_layout.STEP_LIMIT] = _STEPS_PER_CALL
    return options


def _leaves(question: Question) -> tuple[np.ndarray, ...]:
    """A leaf of each side in world coordinates, and the indices of its triangles."""
    sizes = (question.grove_a.largest_leaf, question.grove_b.largest_leaf)
    worlds = [np.empty((size, state_layout.LEAF_NUMBERS)) for size in sizes]
    return (*worlds, *(np.empty(size, np.int32) for size in sizes))


def _chunk(question: Question) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    # The kernel stops when another pair of leaves might not fit; every job of a first-contact query adds one pair.
    room = min(len(question.jobs), _CHUNK) if question.first_only else _CHUNK
    size = question.grove_a.largest_leaf * question.grove_b.largest_leaf + room
    return np.empty((size, 2), np.int32), np.empty(size, np.uint8), np.empty(size, np.int32)


def _binary_engine(question: Question, relative: np.ndarray) -> _Engine:
    a, b = question.grove_a, question.grove_b
    kernel = pair_traversal(a.volume, question.leaf_test)
    rows = prepared_rows(a, b, question.jobs, relative)
    options, output = _options(question), _chunk(question)
    # Each step takes one pair off and puts at most three on, one level deeper in one tree or both.
    stack = np.empty((2 * (a.deepest + b.deepest) + 8, 2), np.int32)
    scratch = (*_leaves(question), new_workspace())

    def advance(state: np.ndarray) -> bool:
        return kernel(
            a.forest, b.forest, question.jobs, question.rows_a, question.rows_b, rows, float(question.tolerance),
            options, state, stack, scratch, output,
        )  # fmt: skip

    return _Engine(advance, output)


def _wide_engine(question: Question, relative: np.ndarray) -> _Engine:
    a, b, jobs = question.grove_a, question.grove_b, question.jobs
    options, output = _options(question), _chunk(question)
    narrow = narrow_rows(relative, a.root_reaches[jobs[:, 0]], b.root_reaches[jobs[:, 1]])
    # Each step takes one pair off and puts at most 64 on, one level deeper in one tree or both.
    stack = np.empty((LANE_COUNT**2 * (a.deepest + b.deepest + 2), 2), np.int32)
    placed = (np.empty(PLACED, np.float32), np.empty(PLACED, np.float32))
    blocks = (np.empty(BLOCK, np.float32), np.empty(BLOCK, np.float32))
    scratch = (placed, blocks, np.empty(LANE_COUNT, np.int64), *_leaves(question), new_workspace())
    wide_a, wide_b = a.wide, b.wide

    def advance(state: np.ndarray) -> bool:
        return traverse_wide(
            a.forest, b.forest, wide_a, wide_b, jobs, question.rows_a, question.rows_b, relative, narrow, options,
            state, stack, scratch, output,
        )  # fmt: skip

    return _Engine(advance, output)


def uses_lanes(question: Question) -> bool:
    """Whether the 8-wide engine answers: contacts of two objects, boxes, leaves that fit, and compiled code."""
    return (
        question.lanes
        and question.leaf_test is contact
        and question.tolerance == 0.0
        and not question.with_itself
        and not config.DISABLE_JIT
        and question.grove_a.fits_lanes
        and question.grove_b.fits_lanes
    )


def answer_steps(question: Question) -> Generator[float, None, Answer]:
    """Answer in slices of about 20 ms, yielding the share of jobs done."""
    a, b, jobs = question.grove_a, question.grove_b, question.jobs
    relative = relative_rows(
        question.rows_a, question.rows_b, a.origins[jobs[:, 0]], b.origins[jobs[:, 1]],
        a.reaches[jobs[:, 0]], b.reaches[jobs[:, 1]], question.tolerance,
    )  # fmt: skip
    engine = (_wide_engine if uses_lanes(question) else _binary_engine)(question, relative)
    full = len(engine.output[0]) - a.largest_leaf * b.largest_leaf
    state = np.zeros(state_layout.STATE_LENGTH, np.int64)
    chunks: list[tuple[np.ndarray, ...]] = []
    done = False
    slice_end = time.perf_counter() + _SLICE_SECONDS
    while not done:
        done = engine.advance(state)
        found = int(state[state_layout.OUTPUT_USED])
        if found and (done or found > full):
            chunks.append(tuple(array[:found].copy() for array in engine.output))
            state[state_layout.OUTPUT_USED] = 0
        if not done and time.perf_counter() >= slice_end:
            yield float(state[state_layout.JOB]) / len(jobs)
            slice_end = time.perf_counter() + _SLICE_SECONDS
    return _collect(question, chunks, state)


def _collect(question: Question, chunks: list[tuple[np.ndarray, ...]], state: np.ndarray) -> Answer:
    counters = state[[state_layout.VOLUME_TESTS, state_layout.PRIMITIVE_TESTS, state_layout.EXACT_TESTS]].tolist()
    if not chunks:
        return Answer(np.empty((0, 2), np.int32), np.empty(0, np.uint8), np.empty(0, np.int32), *counters)
    pairs, kinds, jobs = (
        parts[0] if len(parts) == 1 else np.concatenate(parts) for parts in zip(*chunks, strict=True)
    )  # fmt: skip
    order = _order(pairs, jobs)
    return Answer(*_decide(question, pairs[order], kinds[order], jobs[order]), *counters)


def _order(pairs: np.ndarray, jobs: np.ndarray) -> np.ndarray:
    """The permutation that sorts by (job, i, j): by one number where that fits, which is ten times faster."""
    width, height = (int(n) + 1 for n in pairs.max(axis=0))
    if (int(jobs.max()) + 1) * width * height >= 1 << 63:
        return np.lexsort((pairs[:, 1], pairs[:, 0], jobs))
    return np.argsort((jobs.astype(np.int64) * width + pairs[:, 0]) * height + pairs[:, 1])


def _decide(question: Question, pairs, kinds, jobs):
    """Finish pairs whose coordinates are too large or small for expansions, by integer arithmetic."""
    undecided = np.flatnonzero(kinds == UNDECIDED)
    for n in undecided:
        job = jobs[n]
        a = world_triangle(question.grove_a, question.jobs[job, 0], question.rows_a[job], pairs[n, 0])
        b = world_triangle(question.grove_b, question.jobs[job, 1], question.rows_b[job], pairs[n, 1])
        kinds[n] = classify_rational(a, b)
        if question.with_itself and kinds[n] == TOUCHING and _are_neighbours(question, jobs[n], pairs[n]):
            kinds[n] = APART
    if len(undecided):
        kept = (kinds == CROSSING) if question.crossing_only else (kinds != APART)
        return pairs[kept], kinds[kept], jobs[kept]
    return pairs, kinds, jobs


def _are_neighbours(question: Question, job: int, pair: np.ndarray) -> bool:
    """Whether two triangles of one tree share a vertex index."""
    forest, tree = question.grove_a.forest, question.jobs[job, 0]
    return bool(np.intersect1d(*forest.triangles[forest.triangle_start[tree] + pair]).size)


def world_triangle(grove: Grove, tree: int, rows: np.ndarray, triangle: int) -> np.ndarray:
    """World coordinates (3, 3) of one triangle of a tree in a pose (3, 4)."""
    forest = grove.forest
    corners = forest.triangles[forest.triangle_start[tree] + triangle] + forest.vertex_start[tree]
    return transform_points(rows, forest.vertices[corners])


def run(steps: Generator[Any, None, _T]) -> _T:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value
