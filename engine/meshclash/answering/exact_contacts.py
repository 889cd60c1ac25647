"""Finish the contacts that engines find: decide the undecided pairs exactly, and sort all pairs."""

from collections.abc import Callable, Generator

import numpy as np

from ..geometry.neighbours import touching_beyond_shared
from ..geometry.triangle_pair import APART, CROSSING, TOUCHING, UNDECIDED, classify_triangle_pairs
from ..traversal.engine import Chunk
from ..traversal.forest import note_usage, take_updates
from ..traversal.question import Answer, Question, pose_rows
from ..traversal.sorting import sort_pairs
from ..traversal.stars import pairs_in_slices, stars_of
from .engine_choice import Work, question_steps

_PORTION = 1 << 16
"""Undecided pairs that are transformed to world coordinates at a time."""


def contacts_steps(question: Question) -> Generator[float, None, Answer]:
    """Compute a question whose pairs have kinds: contacts, or the first pairs within a tolerance."""
    chunks: list[Chunk] = []
    if question.with_itself and not question.first_only:
        question = question._replace(star_pairs_apart=True)
        yield from _star_contacts_steps(question, chunks.append)
    work, _ = yield from question_steps(question, chunks.append)
    return contacts_answer(question, chunks, work)


def _star_contacts_steps(question: Question, take: Callable[[Chunk], object]) -> Generator[float, None, None]:
    """Find the contacts of triangles of one star in each job, in slices, and pass them to ``take``."""
    for job, tree in enumerate(question.jobs[:, 0].tolist()):
        stars = stars_of(question.a.meshes[tree])
        if stars is None:
            continue
        of_job = np.full(len(stars.triangles), job, np.int32)
        corners = question.a.world_triangles(
            np.full(len(of_job), tree, np.int64), pose_rows(question.rows_a, of_job), stars.triangles
        )
        for pairs in pairs_in_slices(stars, corners):
            chunk = pairs, np.full(len(pairs), UNDECIDED, np.uint8), np.full(len(pairs), job, np.int32)
            take(_decided(question, *chunk))
            yield 0.0


def contacts_answer(question: Question, chunks: list[Chunk], work: Work) -> Answer:
    """Create the result from the chunks that the engines found."""
    updated = 0
    if work.device == "cpu":
        note_usage(question.tree_set_a, question.tree_set_b, question.jobs, work.volume_tests)
        updated = take_updates(question.tree_set_a, question.tree_set_b)
    pairs, kinds, jobs = finished_contacts(question, chunks)
    return Answer(pairs, kinds, jobs, *work, updated_nodes=updated)


def finished_contacts(question: Question, chunks: list[Chunk]) -> Chunk:
    """Return all pairs of the chunks, decided exactly and sorted."""
    pairs, kinds, jobs = _joined(chunks)
    if len(kinds) > 1 and not (question.first_only and (jobs[1:] > jobs[:-1]).all()):  # one pair per job, in order
        pairs, kinds, jobs = sort_pairs(pairs, kinds, jobs, *question.index_bits)
        if question.star_pairs_apart:
            pairs, kinds, jobs = _without_repeated(pairs, kinds, jobs)
    return _decided(question, pairs, kinds, jobs)


def _without_repeated(pairs: np.ndarray, kinds: np.ndarray, jobs: np.ndarray) -> Chunk:
    """Return sorted pairs once each: engines without stars find their contacts again."""
    new = np.ones(len(jobs), np.bool_)
    new[1:] = (pairs[1:] != pairs[:-1]).any(axis=1) | (jobs[1:] != jobs[:-1])
    return pairs[new], kinds[new], jobs[new]


def _joined(chunks: list[Chunk]) -> Chunk:
    if len(chunks) == 1:
        return chunks[0]
    if not chunks:
        return np.empty((0, 2), np.int32), np.empty(0, np.uint8), np.empty(0, np.int32)
    pairs, kinds, jobs = (np.concatenate(part) for part in zip(*chunks, strict=True))
    return pairs, kinds, jobs


def _decided(question: Question, pairs: np.ndarray, kinds: np.ndarray, jobs: np.ndarray) -> Chunk:
    """Decide the pairs that an engine left undecided, and drop the pairs that do not meet."""
    if not len(kinds):
        return pairs, kinds, jobs
    undecided = np.flatnonzero(kinds == UNDECIDED)
    if not len(undecided):
        return pairs, kinds, jobs
    for begin in range(0, len(undecided), _PORTION):
        part = undecided[begin : begin + _PORTION]
        corners = question.world_triangles(pairs[part], jobs[part])
        kinds[part] = classify_triangle_pairs(*corners)[0]
        if question.with_itself:
            touching = kinds[part] == TOUCHING
            ids = [question.a.vertex_indices(question.jobs[jobs[part], 0], pairs[part, side]) for side in range(2)]
            beyond = touching_beyond_shared(ids[0], corners[0], ids[1], corners[1])
            kinds[part[touching & ~beyond]] = APART
    kept = kinds == CROSSING if question.crossing_only else kinds != APART
    return pairs[kept], kinds[kept], jobs[kept]
