"""Finish the distances that engines find: exactly 0 if and only if two triangles meet, and all pairs sorted."""

from collections.abc import Callable, Generator

import numpy as np

from ..geometry.triangle_distance import nearest_points
from ..geometry.triangle_pair import APART, classify_triangle_pairs
from ..traversal.engine import Chunk
from ..traversal.near_work import LEAST, ROUNDING_SHARE
from ..traversal.question import Answer, Goal, Question
from ..traversal.sorting import sort_pairs
from ..types.steps import map_progress
from .engine_choice import question_steps
from .exact_contacts import contacts_steps

_NO_KINDS = np.empty(0, np.uint8)
_NOTHING = Answer(np.empty((0, 2), np.int32), _NO_KINDS, np.empty(0, np.int32), 0, 0, 0)


def nearest_steps(question: Question) -> Generator[float, None, Answer]:
    """Find the nearest pair of each job. If a distance is within rounding error of 0, exact predicates decide."""
    answer, settled = yield from map_progress(_searched_steps(question), lambda done: 0.8 * done)
    return answer if settled else (yield from _settled_steps(question, answer))


def _searched_steps(question: Question) -> Generator[float, None, tuple[Answer, bool]]:
    """Search for the nearest pairs; return the pairs, and whether they are final.

    If they are not final, distances within rounding error of 0 are reported as 0.
    """
    chunks: list[Chunk] = []
    work, settled = yield from question_steps(question, chunks.append)
    ((pairs, distances, jobs, points),) = chunks
    return Answer(pairs, _NO_KINDS, jobs, **work._asdict(), distances=distances, points=points), settled


def _settled_steps(question: Question, answer: Answer) -> Generator[float, None, Answer]:
    """Decide exactly which pairs with distance 0 meet, and measure the other pairs again; changes ``answer`` in
    place.
    """
    touching = np.flatnonzero(answer.distances == 0.0)
    if not len(touching):
        return answer
    part = question.of_jobs(touching)
    of_contacts = part._replace(goal=Goal.CONTACTS, first_only=True, device="cpu", lanes=True)
    contacts = yield from map_progress(contacts_steps(of_contacts), lambda done: 0.8 + 0.1 * done)
    meeting = touching[contacts.jobs]
    answer.pairs[meeting] = contacts.pairs
    answer.points[meeting] = nearest_points(*part.world_triangles(contacts.pairs, contacts.jobs))[1]
    volume_tests, primitive_tests = contacts.volume_tests, contacts.primitive_tests
    if len(meeting) < len(touching):
        apart = np.setdiff1d(touching, meeting)
        again = question.of_jobs(apart)._replace(none_meet=True, device="cpu")
        finer, _ = yield from map_progress(_searched_steps(again), lambda done: 0.9 + 0.1 * done)
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


def within_steps(question: Question) -> Generator[float, None, Answer]:
    """Find all pairs within the tolerance, sorted."""
    portions: list[Answer] = []
    answer = yield from within_portions(question, portions.append)
    return sorted_within(question, answer, portions)


def sorted_within(question: Question, answer: Answer, portions: list[Answer]) -> Answer:
    """Return the result with the pairs of all portions, sorted."""
    parts = zip(*((p.pairs, p.distances, p.jobs) for p in [answer, *portions]), strict=True)
    pairs, distances, jobs = (np.concatenate(part) for part in parts)
    pairs, order, jobs = sort_pairs(
        pairs, np.arange(len(jobs)), jobs, *question.index_bits, tag_bits=len(jobs).bit_length()
    )
    return answer._replace(pairs=pairs, distances=distances[order], jobs=jobs)


def within_portions(question: Question, take: Callable[[Answer], object]) -> Generator[float, None, Answer]:
    """Find all pairs within the tolerance, unsorted, for callers that do not need all of them in memory.

    Args:
        question: a question with the goal WITHIN.
        take: function that receives portions of about ten thousand pairs, each pair once.

    Returns:
        The counters, without pairs.
    """
    work, _ = yield from question_steps(question, lambda chunk: take(decided_within(question, chunk)))
    return _NOTHING._replace(**work._asdict())


def decided_within(question: Question, chunk: Chunk) -> Answer:
    """Return the pairs of a chunk that are within the tolerance; distances near 0 are decided exactly."""
    pairs, distances, jobs = chunk
    suspects = np.flatnonzero(distances <= ROUNDING_SHARE * _farthest(question))
    corners = question.world_triangles(pairs[suspects], jobs[suspects])
    distances[suspects] = exact_zeros(distances[suspects], *corners)
    kept = distances <= question.tolerance
    return _NOTHING._replace(pairs=pairs[kept], distances=distances[kept], jobs=jobs[kept])


def exact_zeros(distances: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Correct the distances (n,) [m] of triangles (n, 3, 3) in the world to be 0 exactly if they meet.

    Exact predicates decide for pairs within rounding error of 0. Pairs that do not meet are measured again, with this
    knowledge.
    """
    size = np.maximum(np.abs(a).max(axis=(1, 2)), np.abs(b).max(axis=(1, 2)))
    doubtful = np.flatnonzero(distances <= ROUNDING_SHARE * size)
    apart = doubtful[classify_triangle_pairs(a[doubtful], b[doubtful])[0] == APART]
    result = distances.copy()
    result[doubtful] = 0.0
    result[apart] = np.maximum(nearest_points(a[apart], b[apart], True)[0], LEAST)
    return result


def _farthest(question: Question) -> float:
    """Return an upper bound of all world coordinates [m], which allows for its own rounding error."""
    most = 0.0
    for side, (trees, rows) in enumerate(((question.a, question.rows_a), (question.b, question.rows_b))):
        reaches = trees.reaches[question.jobs[:, side], :, None]
        coordinates = (np.abs(rows[:, :, :3]) @ reaches)[:, :, 0] + np.abs(rows[:, :, 3])
        most = max(most, float(coordinates.max(initial=0.0)))
    return 2.0 * most
