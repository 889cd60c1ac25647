"""Driving the nearness kernels: workspace, choice of the engine, slices, full outputs."""

import math
from collections.abc import Callable, Generator
from functools import partial
from typing import NamedTuple

import numpy as np

from ..geometry.relative_pose import relative_rows
from ..geometry.triangle_distance import nearest_points
from ..geometry.triangle_pair import APART, classify_triangle_pairs
from ..hierarchy.wide import LANE_COUNT
from ..jit import config
from ..types.pose import transform_points
from ..types.results import QueryStats
from ..types.slices import Slice
from ..volumes.registry import volume_named
from . import near_leaf
from . import pairs as state_layout
from .access import access_to
from .forest import Grove
from .leaf_tests import contact
from .near_pairs import near_traversal
from .near_wide import MOST_OF_TWO_LEAVES
from .near_work import ALL_APART, SMALLEST_QUEUE, UNCERTAIN, Found, Output, Work, kernel_options, output_for
from .prepared import prepared_rows
from .question import Question
from .run import answer_steps, sort_pairs

_CHUNK = 1 << 15
_NO_POINTS = np.empty((0, 2, 3))

LEAST = math.ulp(0.0)
"""Distance [m] of triangles that do not meet where float64 finds none."""


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


def _engine(
    question: NearQuestion, uncertain: float, found: Found, output: Output
) -> tuple[Callable[[], bool], np.ndarray]:
    """A kernel with everything it works on, and its state."""
    a, b, jobs = question.grove_a, question.grove_b, question.jobs
    nearest = question.tolerance is None
    chained = nearest and bool((jobs == jobs[:1]).all())  # else a pair of triangles means another
    options = kernel_options(nearest, chained)
    errors = np.array([question.relative_error, question.absolute_error, uncertain])
    rows = np.ascontiguousarray(question.rows_a), np.ascontiguousarray(question.rows_b)
    depth = a.deepest + b.deepest + 2
    if uses_lanes(question):
        for side, grove in enumerate((a, b)):
            grove.slabs_of(jobs[:, side])
        room = max(LANE_COUNT * (depth + 1), SMALLEST_QUEUE)
        work = Work(np.ascontiguousarray(jobs), rows, errors, options, found, output, room)
        return partial(work.advance, a.lane_record, b.lane_record), work.state
    leaves = _leaves(question)
    relative = relative_rows(
        *rows, a.origins[jobs[:, 0]], b.origins[jobs[:, 1]], a.reaches[jobs[:, 0]], b.reaches[jobs[:, 1]], 0.0
    )
    kernel = near_traversal(a.volume)
    prepared = prepared_rows(a, b, jobs, relative)
    stack, bounds = np.empty((2 * depth, 2), np.int32), np.empty(2 * depth)
    carried = access_to(volume_named(a.volume)).workspace(2 * depth)
    state = np.zeros(near_leaf.NEAR_STATE_LENGTH, np.int64)
    return lambda: kernel(
        a.forest, b.forest, jobs, *rows, prepared, errors, options, state, stack, bounds, carried, leaves, found,
        output,
    ), state  # fmt: skip


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
    found = Found(np.full(total, np.inf if nearest else question.tolerance), np.zeros((total, 2, 3)), known)
    size = max(a.largest_leaf * b.largest_leaf, MOST_OF_TWO_LEAVES) + (0 if nearest else _CHUNK)
    output = output_for(size)
    advance, state = _engine(question, uncertain, found, output)
    done = False
    piece = Slice()
    while not done:
        done = advance()
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
    """The nearest pairs; where they are as near as rounding, exact predicates say whether the objects meet."""
    return (yield from settled_steps(question, (yield from _searched(question, UNCERTAIN))))


def settled_steps(question: NearQuestion, answer: NearAnswer) -> Generator[float, None, NearAnswer]:
    """The nearest pairs, given what a search with ``UNCERTAIN`` found, whose arrays are written over."""
    touching = np.flatnonzero(answer.distances == 0.0)
    if not len(touching):
        return answer
    part = _some(question, touching)
    contacts = yield from answer_steps(
        Question(part.grove_a, part.grove_b, part.jobs, part.rows_a, part.rows_b, contact, first_only=True)
    )
    meeting = touching[contacts.jobs]
    answer.pairs[meeting] = contacts.pairs
    answer.points[meeting] = nearest_points(*_corners(part, contacts.pairs, contacts.jobs))[1]
    volume_tests, primitive_tests = contacts.volume_tests, contacts.primitive_tests
    if len(meeting) < len(touching):
        apart = np.setdiff1d(touching, meeting)
        finer = yield from _searched(_some(question, apart), ALL_APART)
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
    """Which pairs are within the tolerance; those as near as rounding are decided exactly."""
    assert question.tolerance is not None
    suspects = np.flatnonzero(answer.distances <= UNCERTAIN * _farthest(question))
    corners = _corners(question, answer.pairs[suspects], answer.jobs[suspects])
    answer.distances[suspects] = exact_zeros(answer.distances[suspects], *corners)
    return answer.distances <= question.tolerance


def exact_zeros(distances: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distances (n,) [m] of triangles (n, 3, 3) in the world: 0 exactly for those that meet, decided exactly.

    Of those as near as rounding that do not meet the distance is measured again, knowing this.
    """
    size = np.maximum(np.abs(a).max(axis=(1, 2)), np.abs(b).max(axis=(1, 2)))
    doubtful = np.flatnonzero(distances <= UNCERTAIN * size)
    apart = doubtful[classify_triangle_pairs(a[doubtful], b[doubtful])[0] == APART]
    result = distances.copy()
    result[doubtful] = 0.0
    result[apart] = np.maximum(nearest_points(a[apart], b[apart], True)[0], LEAST)
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
