"""All contacts of two prepared meshes, in one pose each, with little Python; an engine goes on with what takes longer.

A question about any number of pairs costs some thirty microseconds of Python before an engine begins. For two small
meshes that is most of the answer, so one call of a kernel looks for it first, in a workspace that is kept.
"""

from typing import Any

import numpy as np

from ..traversal.engine import Chunk
from ..traversal.packed import Packed
from ..traversal.pairs import VOLUME_TESTS
from ..traversal.question import Answer, Question
from ..traversal.single import REFUSED, AllContacts
from ..traversal.wide_engine import CHUNK, STEPS, STEPS_ALONE, WideEngine
from ..types.steps import run
from .contacts import contacts_answer
from .driving import Work, driven_steps, work_of

_ONLY_PAIR = np.zeros((1, 2), np.int64)
_spare: list[AllContacts] = []
"""Not in use. Appending to and popping from a list are atomic."""


def contacts_at_once(
    a: Packed, b: Packed, pose_a: Any, pose_b: Any, crossing_only: bool, threads: int
) -> tuple[Answer, Question] | None:
    """The contacts of two meshes on the CPU, and the question that they answer; None: that has to be asked.

    Args:
        a, b: the meshes.
        pose_a, pose_b: one for each, as ``put_single_pose`` takes it.
        crossing_only, threads: as of ``Question``.
    """
    space = _take_space()
    told = space.find(a, b, pose_a, pose_b, crossing_only, STEPS if threads == 1 else STEPS_ALONE)
    answer = None
    if told != REFUSED:
        rows = space.pose_a[None, :3].copy(), space.pose_b[None, :3].copy()
        question = Question(
            a.tree_set.side, b.tree_set.side, _ONLY_PAIR, *rows, crossing_only=crossing_only, threads=threads
        )
        chunks = [_chunk(space)] if space.count else []
        work = _work(space) if space.done else _go_on(question, space, chunks)
        answer = contacts_answer(question, chunks, work), question
    _spare.append(space)
    return answer


def _take_space() -> AllContacts:
    try:
        return _spare.pop()
    except IndexError:
        return AllContacts(CHUNK)


def _chunk(space: AllContacts) -> Chunk:
    count = space.count
    return space.pair[:count].copy(), space.kinds[:count].copy(), np.zeros(count, np.int32)


def _work(space: AllContacts) -> Work:
    volume_tests, primitive_tests, exact_tests = space.counts.tolist()[VOLUME_TESTS:]
    return Work(volume_tests, primitive_tests, exact_tests, 1, "cpu", "")


def _go_on(question: Question, space: AllContacts, chunks: list[Chunk]) -> Work:
    """Have an engine find the other contacts."""
    engine = WideEngine(question)
    engine.take_over(space.counts, space.stack)
    run(driven_steps(engine, chunks.append))
    return work_of(engine)
