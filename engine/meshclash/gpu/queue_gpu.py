"""Run the queue of a device: its arrays, its runs, and the handling of overflows.

The queue needs one launch for the nodes and one for the triangles, for trees of any depth. If the queue or the array of
leaves was full, pairs are marked late. The next run starts with these pairs and keeps the earlier results, so no work
is repeated.
"""

from typing import Any

import numpy as np

from ..traversal.question import Question
from .breadth_first import Hits, Workspace
from .capacities import FIRST_CAPACITY, first_capacities, grown_capacities
from .cuda_gpu import SIMULATED
from .jobs import Jobs, prepare_jobs
from .pyramid import width_for
from .slots import LAST_EPOCH, slots_of
from .traverse_gpu import HIT_TAIL, LATE, LEAF_TAIL, PROGRESS, RESERVED, STATE_LENGTH, WITHOUT_PAIR
from .trees import Trees

_PATIENCE = 1 << (16 if SIMULATED else 20)
"""Number of unsuccessful polls after which a block gives up: about a second."""
_MOST_QUEUED = 1 << 28
"""Most rows of a queue; larger traversals go level by level. The count of reserved slots, at most four per pair, has 31
bits."""
_FIRST_CAPACITY = 1 << 10 if SIMULATED else FIRST_CAPACITY
_TEST_ENTRIES = 1 << (6 if SIMULATED else 18)
"""Number of threads that test pairs of triangles, because only the device knows the number of pairs."""


class Queue:
    """State kept between queries: the number of the next run, and arrays whose old slots cannot be mistaken for those
    of the next run.
    """

    def __init__(self) -> None:
        self._epoch = 0
        self._cleared: dict[str, Any] = {}

    def begin(self) -> int:
        """Start the next run, and return its number."""
        self._epoch += 1
        if self._epoch > LAST_EPOCH:
            self._epoch = 1
            self._cleared.clear()
        return self._epoch

    def words(self, backend: Any, space: Workspace, number: int, capacity: int) -> Any:
        """Return one of two arrays of slots, cleared if needed. The array may contain slots of old runs, which have
        other epochs.
        """
        name = f"queue {number}"
        words = space.array(name, 2 * capacity, 1, np.int64)
        if self._cleared.get(name) is not words:
            backend.step("clear_queue", words.shape[0], words)
            self._cleared[name] = words
        return words


def find_by_queue(backend: Any, space: Workspace, a: Trees, b: Trees, question: Question) -> Hits | None:
    """Traverse with the queue; return the hits of ``breadth_first.traverse`` in any order, or None to fall back to that
    function.

    The fallback is needed if the queue would become too long, or if a block gave up waiting. A None result is not an
    error: on a device that other programs use, a block may not get processor time.
    """
    jobs = prepare_jobs(backend, a, b, question)
    count = len(jobs.first)
    if count == 0:
        return Hits(np.empty((0, 4), np.int32), 0, 0, 0)
    epoch, capacities = backend.queue.begin(), first_capacities(count, _FIRST_CAPACITY)
    words = backend.queue.words(backend, space, 0, capacities[0])
    backend.copy(words, backend.upload(slots_of(jobs.first, epoch)), 2 * count)
    tested = leaves = number = 0
    while True:
        state, room = _run(backend, space, a, b, jobs, (words, epoch, count), capacities, leaves)
        numbers = backend.download(state).tolist()
        reserved, done = divmod(numbers[PROGRESS], 1 << RESERVED)
        slots = min(reserved, room[0])
        if done < slots:
            return None
        if reserved <= room[0] and numbers[LEAF_TAIL] <= room[1]:
            break
        capacities = grown_capacities(room, [reserved, numbers[LEAF_TAIL], 0])
        capacities[0] = max(room[0], min(capacities[0], _MOST_QUEUED))
        leaves, number, epoch = min(numbers[LEAF_TAIL], room[1]), 1 - number, backend.queue.begin()
        target = backend.queue.words(backend, space, number, capacities[0])
        backend.step("gather_late", slots, words, slots, target, epoch, state)
        numbers = backend.download(state).tolist()
        words, count = target, numbers[LATE]
        tested += slots - count - numbers[WITHOUT_PAIR]
        if 2 * count > capacities[0]:
            return None
    rows = _hits(backend, space, a, b, jobs, numbers, room[2])
    return Hits(rows, tested + reserved, numbers[LEAF_TAIL], 0)


def _run(
    backend: Any,
    space: Workspace,
    a: Trees,
    b: Trees,
    jobs: Jobs,
    begun: tuple[Any, int, int],
    capacities: list[int],
    leaves_before: int,
) -> tuple[Any, list[int]]:
    """Run the queue and test its leaves; return the queue's state and the capacities of its three arrays.

    Args:
        backend, space, a, b, jobs: the query.
        begun: slots, the number of their run, and the number of pairs to start with.
        capacities: rows of queue, leaves and hits.
        leaves_before: pairs of leaves that earlier runs found.
    """
    words, epoch, count = begun
    leaves = space.array("queued leaves", capacities[1], 3, np.int32, keep=leaves_before)
    hits = space.array("hits", capacities[2], 4, np.int32)
    first = np.zeros(STATE_LENGTH, np.int64)
    first[PROGRESS], first[LEAF_TAIL] = count << RESERVED, leaves_before
    state = backend.upload(first)
    backend.start(
        "run_queue", backend.resident,
        a.links, a.boxes, a.order, b.links, b.boxes, b.order, jobs.frames, jobs.with_itself,
        words, epoch, leaves, state, _PATIENCE,
    )  # fmt: skip
    _test(backend, a, b, jobs, leaves, hits, state)
    return state, [words.shape[0] // 2, leaves.shape[0], hits.shape[0]]


def _test(backend: Any, a: Trees, b: Trees, jobs: Jobs, leaves: Any, hits: Any, state: Any) -> None:
    backend.step(
        "test_queued", _TEST_ENTRIES,
        a.triangles, a.vertices, jobs.poses_a, b.triangles, b.vertices, jobs.poses_b, jobs.with_itself,
        leaves, hits, state,
    )  # fmt: skip


def _hits(backend: Any, space: Workspace, a: Trees, b: Trees, jobs: Jobs, numbers: list[int], room: int) -> np.ndarray:
    """Return the rows of hits. If they did not fit, only the test of the leaves is repeated."""
    count = numbers[HIT_TAIL]
    hits = space.array("hits", count if count <= room else 2 * width_for(count), 4, np.int32)
    if count > room:
        again = np.array(numbers, np.int64)
        again[HIT_TAIL] = 0
        leaves = space.array("queued leaves", numbers[LEAF_TAIL], 3, np.int32)
        _test(backend, a, b, jobs, leaves, hits, backend.upload(again))
    return np.asarray(backend.download(hits, count)) if count else np.empty((0, 4), np.int32)
