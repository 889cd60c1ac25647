"""Fast path of ``collide`` for prepared meshes: one kernel call; an engine continues if the kernel takes longer."""

import time
from math import inf
from typing import Any

import numpy as np

from ...answering.engine_choice import Work, engine_steps, work_of
from ...answering.exact_contacts import contacts_answer
from ...geometry.triangle_pair import UNDECIDED
from ...jit import thread_limit
from ...traversal.contacts import Contacts
from ...traversal.engine import Chunk
from ...traversal.pairs import EXACT_TESTS, JOB, OUTPUT_USED, PRIMITIVE_TESTS, STEPS_DONE, VOLUME_TESTS
from ...traversal.question import Answer, Question
from ...traversal.sorting import sort_pairs
from ...traversal.wide_engine import CHUNK, STEPS, STEPS_ALONE, WideEngine
from ...types.numbers import truth
from ...types.results import QueryStats
from ...types.steps import UNANSWERED, Unanswered, run
from .kernels import REFUSED
from .record import Record
from .workspace import PairWorkspace
from .workspace_pool import WorkspacePool

_ONLY_PAIR = np.zeros((1, 2), np.int64)
_spare: WorkspacePool[PairWorkspace] = WorkspacePool(lambda: PairWorkspace(CHUNK))


def contacts_of_records(
    a: Record, b: Record, pose_a: Any, pose_b: Any, *, touching: Any = True, threads: Any = None, **others: Any
) -> Contacts | Unanswered:
    """Return the contacts of two meshes; ``UNANSWERED`` to use the general path.

    Args:
        a, b: records of the two meshes.
        pose_a, pose_b: one pose each, in a form that ``put_single_pose`` accepts.
        touching, threads: as for ``collide``; not checked.
        others: options that this fast path does not support.
    """
    if others:
        return UNANSWERED
    start, most = time.perf_counter(), thread_limit(threads)
    crossing_only = touching is not True and not truth("touching", touching)
    space = _spare.take()
    told = space.find(a, b, pose_a, pose_b, crossing_only, STEPS if most == 1 else STEPS_ALONE)
    found: Contacts | Unanswered = UNANSWERED
    if told != REFUSED:
        rows = space.pose_a[None, :3].copy(), space.pose_b[None, :3].copy()
        answer = _simple(space, a, b) or _whole(space, a, b, rows, crossing_only, most)
        seconds = time.perf_counter() - start
        stats = QueryStats(*answer[3:6], seconds, answer.threads, updated_nodes=answer.updated_nodes)
        meshes = a.parts.mesh, b.parts.mesh
        found = Contacts(answer.pairs, answer.kinds, answer.jobs, stats, meshes, rows)
    _spare.give(space)
    return found


def _simple(space: PairWorkspace, a: Record, b: Record) -> Answer | None:
    """Return the result, as ``contacts_answer`` does, if all contacts were found and decided, else None."""
    counts = space.counts.tolist()
    count, volume_tests = counts[OUTPUT_USED], counts[VOLUME_TESTS]
    if counts[JOB] != 1:
        return None
    kinds = space.kinds[:count].copy()
    if count and (kinds == UNDECIDED).any():
        return None
    pairs, jobs, updated = space.pair[:count].copy(), np.zeros(count, np.int32), 0
    if not a.orients_at == b.orients_at == inf:
        a.note_steps(0.5 * counts[STEPS_DONE])
        b.note_steps(0.5 * counts[STEPS_DONE])
    for usage in (a.usage, b.usage):
        usage.volume_tests += 0.5 * volume_tests
        updated += usage.updated_nodes
        usage.updated_nodes = 0
    if count > 1:
        pairs, kinds, jobs = sort_pairs(pairs, kinds, jobs, a.index_bits, b.index_bits, 0)
    return Answer(pairs, kinds, jobs, volume_tests, counts[PRIMITIVE_TESTS], counts[EXACT_TESTS], updated_nodes=updated)


def _whole(
    space: PairWorkspace, a: Record, b: Record, rows: tuple[np.ndarray, np.ndarray], crossing_only: bool, threads: int
) -> Answer:
    """Return the result if an engine must find the remaining contacts, or some contacts must be decided."""
    count, sides = space.count, (a.tree_set.side, b.tree_set.side)
    question = Question(*sides, _ONLY_PAIR, *rows, crossing_only=crossing_only, threads=threads)
    chunks: list[Chunk] = []
    if count:
        chunks.append((space.pair[:count].copy(), space.kinds[:count].copy(), np.zeros(count, np.int32)))
    if space.counts[JOB] == 1:
        volume_tests, primitive_tests, exact_tests = space.counts.tolist()[VOLUME_TESTS:]
        return contacts_answer(question, chunks, Work(volume_tests, primitive_tests, exact_tests, 1, "cpu", ""))
    engine = WideEngine(question)
    engine.take_over(space.counts, space.stack)
    run(engine_steps(engine, chunks.append))
    return contacts_answer(question, chunks, work_of(engine))
