"""Driving the nearness kernels: workspace, choice of the engine, slices, full outputs."""

from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np

from ..geometry.relative_pose import relative_rows
from ..geometry.triangle_distance import nearest_points
from ..geometry.triangle_pair import APART, classify_triangle_pairs
from ..hierarchy.bvh import Hierarchy
from ..hierarchy.slabs import note_tests
from ..hierarchy.wide import LANE_COUNT
from ..jit import config
from ..types.pose import transform_points
from ..types.results import QueryStats
from ..types.slices import Slice
from ..volumes.registry import volume_named
from . import near_leaf
from . import pairs as state_layout
from .access import access_to
from .forest import Grove, plant
from .leaf_tests import contact
from .near_pairs import near_traversal
from .near_wide import DOUBLES, MOST_OF_TWO_LEAVES, SINGLES, traverse_near
from .prepared import prepared_rows
from .question import Question
from .run import answer_steps, sort_pairs

_CHUNK = 1 << 15
_STEPS_PER_CALL = 1 << 14
_SMALLEST_QUEUE = 1 << 12
_FIRST = np.zeros(1, np.int64)
_NO_POINTS = np.empty((0, 2, 3))

UNCERTAIN = 1e-12
"""Share of the coordinates: nearer than this, only exact predicates say whether triangles meet."""
LEAST = 1e-300
"""Distance [m] of triangles that do not meet but are as near as rounding."""


class NearQuestion(NamedTuple):
    """What to ask of many pairs of trees: the nearest pair of each, or all pairs within a distance."""

    grove_a: Grove
    grove_b: Grove
    jobs: np.ndarray
    """Trees of each pair, (k, 2) int64."""
    rows_a: np.ndarray
    """Poses of the first trees, (k, 3, 4) float64."""
    rows_b: np.ndarray
    tolerance: float | None = None
    """None: the nearest pair; a length [m]: all pairs no farther apart."""
    start: np.ndarray | None = None
    """Pairs of triangles to start from, (k, 2) int32, -1: none."""
    relative_error: float = 0.0
    absolute_error: float = 0.0
    lanes: bool = True
    """False keeps to the binary engine where the 8-wide one could answer."""


class NearAnswer(NamedTuple):
    """What was found: for each job, or all pairs sorted by (job, i, j)."""

    pairs: np.ndarray
    """(n, 2) int32; of the nearest, -1 where nothing is nearer than infinity."""
    distances: np.ndarray
    """(n,) float64 [m]."""
    points: np.ndarray
    """Of the nearest: world points on both, (k, 2, 3) float64 [m]."""
    jobs: np.ndarray
    """(n,) int32."""
    volume_tests: int
    primitive_tests: int
    exact_tests: int
    device: str = "cpu"
    note: str = ""
    """Why the CPU answered where a device was meant to."""

    def stats(self, seconds: float = 0.0) -> QueryStats:
        """The work that it took."""
        counts = self.volume_tests, self.primitive_tests, self.exact_tests
        return QueryStats(*counts, seconds, device=self.device, note=self.note)


def uses_lanes(question: NearQuestion) -> bool:
    """Whether the 8-wide engine answers: boxes, leaves that fit, and compiled code."""
    fits = question.grove_a.fits_lanes and question.grove_b.fits_lanes
    return question.lanes and fits and not config.DISABLE_JIT


def _leaves(question: NearQuestion) -> tuple[np.ndarray, ...]:
    sizes = (question.grove_a.largest_leaf, question.grove_b.largest_leaf)
    worlds = [np.empty((size, state_layout.LEAF_NUMBERS)) for size in sizes]
    return (*worlds, *(np.empty(size, np.int32) for size in sizes))


def _options(nearest: bool, chained: bool) -> np.ndarray:
    options = np.zeros(near_leaf.OPTIONS_LENGTH, np.int64)
    options[near_leaf.NEAREST] = nearest
    options[near_leaf.CHAINED] = chained
    options[near_leaf.STEP_LIMIT] = _STEPS_PER_CALL
    return options


def _engine(question: NearQuestion, uncertain: float, found, output) -> Callable[[np.ndarray], bool]:
    """A kernel with everything it works on but the state."""
    a, b, jobs = question.grove_a, question.grove_b, question.jobs
    nearest = question.tolerance is None
    chained = nearest and bool((jobs == jobs[:1]).all())  # else a pair of triangles means another
    options = _options(nearest, chained)
    errors = np.array([question.relative_error, question.absolute_error, uncertain])
    rows = np.ascontiguousarray(question.rows_a), np.ascontiguousarray(question.rows_b)
    depth = a.deepest + b.deepest + 2
    if not uses_lanes(question):
        leaves = _leaves(question)
        relative = relative_rows(
            *rows, a.origins[jobs[:, 0]], b.origins[jobs[:, 1]], a.reaches[jobs[:, 0]], b.reaches[jobs[:, 1]], 0.0
        )
        kernel = near_traversal(a.volume)
        prepared = prepared_rows(a, b, jobs, relative)
        stack, bounds = np.empty((2 * depth, 2), np.int32), np.empty(2 * depth)
        carried = access_to(volume_named(a.volume)).workspace(2 * depth)
        return lambda state: kernel(
            a.forest, b.forest, jobs, *rows, prepared, errors, options, state, stack, bounds, carried, leaves, found,
            output,
        )  # fmt: skip
    (trees_a, sizes_a), (trees_b, sizes_b) = a.lanes, b.lanes
    slabs = [g.slabs_of(jobs[:, side]) for side, g in enumerate((a, b))]
    # Depth-first, each step takes one pair off and puts at most eight on, one level deeper in one tree; a heap may hold
    # more, and then grows.
    room = max(LANE_COUNT * (depth + 1), _SMALLEST_QUEUE)
    queue = [np.empty((room, 2), np.int32), np.empty(room, np.float32)]
    singles, doubles = np.empty(SINGLES, np.float32), np.empty(DOUBLES)

    def advance(state: np.ndarray) -> bool:
        if state[state_layout.STACK_USED] >= len(queue[1]) - LANE_COUNT:
            queue[:] = [np.concatenate([part, np.empty_like(part)]) for part in queue]
        return traverse_near(
            trees_a, trees_b, *slabs, sizes_a, sizes_b, jobs, *rows, errors, options, state, *queue, singles, doubles,
            found, output,
        )  # fmt: skip

    return advance


class _Workspace:
    """Arrays for one question about one pair of trees, kept: fresh memory costs more than a short search."""

    def __init__(self) -> None:
        self.state = np.zeros(near_leaf.ORDERED + 1, np.int64)
        self.jobs = np.zeros((1, 2), np.int64)
        self.options = _options(True, chained=False)
        self.errors = np.array([0.0, 0.0, UNCERTAIN])
        self.queue = (np.empty((_SMALLEST_QUEUE, 2), np.int32), np.empty(_SMALLEST_QUEUE, np.float32))
        self.scratch = (np.empty(SINGLES, np.float32), np.empty(DOUBLES))
        self.found = (np.empty(1), np.empty((1, 2, 3)), np.empty((1, 2), np.int32))
        room = MOST_OF_TWO_LEAVES
        self.output = (np.empty((room, 2), np.int32), np.empty(room), np.empty(room, np.int32))


_spare: list[_Workspace] = []
"""Not in use. Appending to and popping from a list are atomic."""


def nearest_at_once(
    a: Hierarchy, b: Hierarchy, row_a: np.ndarray, row_b: np.ndarray, pair: tuple[int, int], errors: tuple[float, float]
) -> tuple[float, np.ndarray, list[int], int, int] | None:
    """The nearest pair of two trees in one pose each, (1, 3, 4): the shortest way for a single question.

    ``pair`` is what to start from, (-1, -1) for nothing; errors are relative and absolute. Returns the distance [m],
    both points (2, 3), both triangles, the volume and the primitive tests. None when the 8-wide engine does not answer,
    or not within one call of the kernel, or triangles are as near as rounding: then a question is asked.
    """
    if config.DISABLE_JIT or a.index.wide is None or b.index.wide is None:
        return None
    grove_a, grove_b = plant([a]), plant([b])
    (trees_a, sizes_a), (trees_b, sizes_b) = grove_a.lanes, grove_b.lanes
    slabs_a, slabs_b = grove_a.slabs_of(_FIRST), grove_b.slabs_of(_FIRST)
    try:
        work = _spare.pop()
    except IndexError:
        work = _Workspace()
    state, (distances, points, pairs) = work.state, work.found
    state[:] = 0
    distances[0] = np.inf
    pairs[0] = pair
    work.errors[:2] = errors
    done = traverse_near(
        trees_a, trees_b, slabs_a, slabs_b, sizes_a, sizes_b, work.jobs, row_a, row_b,
        work.errors, work.options, state, *work.queue, *work.scratch, work.found, work.output,
    )  # fmt: skip
    answer = None
    distance = distances.item()
    if done and distance > 0.0:
        counters = state.item(state_layout.VOLUME_TESTS), state.item(state_layout.PRIMITIVE_TESTS)
        answer = distance, points[0].copy(), pairs[0].tolist(), *counters
    for grove, slabs in ((grove_a, slabs_a), (grove_b, slabs_b)):
        if slabs[0] == 0:
            note_tests(grove.indices[0], state.item(state_layout.VOLUME_TESTS))
    _spare.append(work)
    return answer


def near_steps(question: NearQuestion) -> Generator[float, None, NearAnswer]:
    """Answer in slices of a few milliseconds, yielding the share of jobs done."""
    if question.tolerance is None:
        return (yield from _nearest_steps(question))
    portions: list[NearAnswer] = []
    answer = yield from near_portions(question, portions.append)
    parts = zip(*((p.pairs, p.distances, p.jobs) for p in [answer, *portions]), strict=True)
    pairs, distances, jobs = (np.concatenate(part) for part in parts)
    bits = (question.grove_a.index_bits, question.grove_b.index_bits, (len(question.jobs) - 1).bit_length())
    pairs, order, jobs = sort_pairs(pairs, np.arange(len(jobs)), jobs, *bits, len(jobs).bit_length())
    return answer._replace(pairs=pairs, distances=distances[order], jobs=jobs)


def near_portions(question: NearQuestion, take: Callable[[NearAnswer], object]) -> Generator[float, None, NearAnswer]:
    """All pairs within the tolerance, unsorted, for whoever does not want to keep them all.

    Args:
        question: with a tolerance.
        take: is given some ten thousand pairs at a time, each time other ones.

    Returns:
        The counters, without pairs.
    """

    def decide(answer: NearAnswer) -> None:
        kept = _decided(question, answer)
        take(answer._replace(pairs=answer.pairs[kept], distances=answer.distances[kept], jobs=answer.jobs[kept]))

    return (yield from _searched(question, UNCERTAIN, decide))


def _searched(
    question: NearQuestion, uncertain: float, take: Callable[[NearAnswer], object] | None = None
) -> Generator[float, None, NearAnswer]:
    """What the kernel finds; pairs as near as rounding count as 0, or are kept whatever the tolerance.

    The nearest pairs are returned; pairs within a tolerance are given to ``take``, portion by portion.
    """
    a, b, jobs = question.grove_a, question.grove_b, question.jobs
    total = len(jobs)
    nearest = question.tolerance is None
    known = np.full((total, 2), -1, np.int32) if question.start is None else question.start.copy()
    found = (np.full(total, np.inf if nearest else question.tolerance), np.zeros((total, 2, 3)), known)
    size = max(a.largest_leaf * b.largest_leaf, MOST_OF_TWO_LEAVES) + (0 if nearest else _CHUNK)
    output = (np.empty((size, 2), np.int32), np.empty(size), np.empty(size, np.int32))
    advance = _engine(question, uncertain, found, output)
    state = np.zeros(near_leaf.ORDERED + 1, np.int64)
    done = False
    piece = Slice()
    while not done:
        done = advance(state)
        count = int(state[state_layout.OUTPUT_USED])
        if take is not None and count and (done or count > _CHUNK):
            pairs, distances, pair_jobs = (array[:count].copy() for array in output)
            take(NearAnswer(pairs, distances, _NO_POINTS, pair_jobs, 0, 0, 0))
            state[state_layout.OUTPUT_USED] = 0
        if not done and piece.over:
            yield float(state[state_layout.JOB]) / total
            piece = Slice()
    counters = (*state[[state_layout.VOLUME_TESTS, state_layout.PRIMITIVE_TESTS]].tolist(), 0)
    if nearest and uses_lanes(question):
        for side, grove in enumerate((a, b)):
            grove.note_near_tests(jobs[:, side], counters[0])
    if nearest:
        return NearAnswer(known, found[0], found[1], np.arange(total, dtype=np.int32), *counters)
    return NearAnswer(output[0][:0], output[1][:0], _NO_POINTS, output[2][:0], *counters)


def _nearest_steps(question: NearQuestion) -> Generator[float, None, NearAnswer]:
    """The nearest pairs; where they are as near as rounding, the exact predicates say whether the objects meet."""
    answer = yield from _searched(question, UNCERTAIN)
    touching = np.flatnonzero(answer.distances == 0.0)
    if not len(touching):
        return answer
    part = _some(question, touching)
    contacts = yield from answer_steps(
        Question(part.grove_a, part.grove_b, part.jobs, part.rows_a, part.rows_b, contact, first_only=True)
    )
    meeting = touching[contacts.jobs]
    answer.pairs[meeting] = contacts.pairs
    answer.points[meeting] = nearest_points(*_corners(part, contacts.pairs, contacts.jobs))
    apart = np.setdiff1d(touching, meeting)
    volume_tests, primitive_tests = contacts.volume_tests, contacts.primitive_tests
    if len(apart):
        finer = yield from _searched(_some(question, apart), 0.0)
        answer.distances[apart] = np.maximum(finer.distances, LEAST)
        answer.points[apart] = finer.points
        answer.pairs[apart] = finer.pairs
        volume_tests += finer.volume_tests
        primitive_tests += finer.primitive_tests
    return answer._replace(
        volume_tests=answer.volume_tests + volume_tests,
        primitive_tests=answer.primitive_tests + primitive_tests,
        exact_tests=contacts.exact_tests,
    )


def _some(question: NearQuestion, jobs: np.ndarray) -> NearQuestion:
    """The question for some of its jobs."""
    rows = {"rows_a": question.rows_a[jobs], "rows_b": question.rows_b[jobs]}
    return question._replace(jobs=question.jobs[jobs], start=None, **rows)


def _decided(question: NearQuestion, answer: NearAnswer) -> np.ndarray:
    """Which pairs are within the tolerance; those as near as rounding get 0 or ``LEAST``, decided exactly."""
    assert question.tolerance is not None
    suspects = np.flatnonzero(answer.distances <= UNCERTAIN * _farthest(question))
    corners = _corners(question, answer.pairs[suspects], answer.jobs[suspects])
    answer.distances[suspects] = exact_zeros(answer.distances[suspects], *corners)
    return answer.distances <= question.tolerance


def exact_zeros(distances: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distances (n,) [m] of triangles (n, 3, 3) in the world: 0 exactly for those that meet, decided exactly."""
    size = np.maximum(np.abs(a).max(axis=(1, 2)), np.abs(b).max(axis=(1, 2)))
    doubtful = np.flatnonzero(distances <= UNCERTAIN * size)
    meet = classify_triangle_pairs(a[doubtful], b[doubtful])[0] != APART
    result = distances.copy()
    result[doubtful] = np.where(meet, 0.0, np.maximum(distances[doubtful], LEAST))
    return result


def _farthest(question: NearQuestion) -> float:
    """A bound of all world coordinates [m], with room for its own rounding."""
    most = 0.0
    for side, (grove, rows) in enumerate(((question.grove_a, question.rows_a), (question.grove_b, question.rows_b))):
        reaches = grove.reaches[question.jobs[:, side], :, None]
        coordinates = (np.abs(rows[:, :, :3]) @ reaches)[:, :, 0] + np.abs(rows[:, :, 3])
        most = max(most, float(coordinates.max(initial=0.0)))
    return 2.0 * most


def _corners(question: NearQuestion, pairs: np.ndarray, jobs: np.ndarray) -> list[np.ndarray]:
    """World coordinates (n, 3, 3) of both triangles of pairs."""
    sides = ((question.grove_a.forest, question.rows_a), (question.grove_b.forest, question.rows_b))
    corners = []
    for side, (forest, rows) in enumerate(sides):
        trees = question.jobs[jobs, side]
        own = forest.triangles[forest.triangle_start[trees] + pairs[:, side]] + forest.vertex_start[trees][:, None]
        corners.append(transform_points(rows[jobs, None], forest.vertices[own]))
    return corners
