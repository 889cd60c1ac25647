"""A CUDA device as an engine for queries about pairs of trees."""

import numpy as np

from ..geometry.triangle_pair import CROSSING
from ..traversal.engine import Chunk, EngineFailed
from ..traversal.question import Goal, Question
from .breadth_first import Hits, traverse
from .device import Session, is_reproducible, may_answer, on_device, trees_of_sides
from .jobs import own_triangles
from .nearness import find_clearances, find_distances
from .trees import MOST_TRIANGLES, Trees

Counted = tuple[Chunk, tuple[int, int, int]]

_CROSSOVERS = {
    Goal.CONTACTS: "crossover", Goal.NEAREST: "distance_crossover", Goal.WITHIN: "clearance_crossover",
}  # fmt: skip


class DeviceEngine:
    """An ``Engine`` that computes a query completely in one call of ``advance``."""

    device = "cuda"
    threads = 1
    share = 0.0

    @staticmethod
    def serves(question: Question) -> bool:
        """Return whether a device computes a query; search for a device when one is first needed."""
        if question.goal not in _CROSSOVERS or (question.goal is Goal.WITHIN and question.first_only):
            return False
        crossover = _CROSSOVERS[question.goal]
        if not may_answer(question.device, crossover) or len(question.jobs) == 0:
            return False
        counts = [np.array([mesh.triangle_count for mesh in side.meshes]) for side in (question.a, question.b)]
        if max(int(count.sum()) for count in counts) > MOST_TRIANGLES:
            return False
        asked_about = sum(int(count[question.jobs[:, side]].sum()) for side, count in enumerate(counts))
        return may_answer(question.device, crossover, asked_about)

    def __init__(self, question: Question) -> None:
        self._question = question
        self.settled = question.goal is Goal.NEAREST
        self.chunks: list[Chunk] = []
        self.counters = 0, 0, 0

    def advance(self) -> bool:
        """Run the query to its end.

        Raises:
            EngineFailed: the device is in use, or failed.
        """
        found, note = on_device(self._answer)
        if found is None:
            raise EngineFailed(note)
        chunk, self.counters = found
        self.chunks.append(chunk)
        return True

    def _answer(self, session: Session) -> Counted:
        a, b = trees_of_sides(session, self._question)
        self.threads = session.backend.threads
        try:
            return found_on(session, a, b, self._question)
        finally:
            a.meshes = b.meshes = []  # the trees keep no mesh alive


def found_on(session: Session, a: Trees, b: Trees, question: Question) -> Counted:
    """Return the complete result for trees on a device, as a chunk in the format of engines, and its counters."""
    return _FOUND[question.goal](session, a, b, question)


def _contacts(session: Session, a: Trees, b: Trees, question: Question) -> Counted:
    find = traverse if is_reproducible() else session.backend.traverse_fast
    return chunk_of_hits(a, b, question, find(session.space, a, b, question))


def chunk_of_hits(a: Trees, b: Trees, question: Question, hits: Hits) -> Counted:
    """Return the hits of a traversal as a chunk, and its counters."""
    pairs = own_triangles(a, b, question, hits.rows)
    if question.with_itself:
        pairs.sort(axis=1)
    chunk = pairs, hits.rows[:, 3].astype(np.uint8), hits.rows[:, 2].copy()
    return chunk, (hits.volume_tests, hits.leaf_pairs, int((chunk[1] != CROSSING).sum()))


def _nearest(session: Session, a: Trees, b: Trees, question: Question) -> Counted:
    return find_distances(session.space, a, b, question)


def _within(session: Session, a: Trees, b: Trees, question: Question) -> Counted:
    return find_clearances(session.space, a, b, question)


_FOUND = {Goal.CONTACTS: _contacts, Goal.NEAREST: _nearest, Goal.WITHIN: _within}
