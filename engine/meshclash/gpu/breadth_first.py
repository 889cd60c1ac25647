"""The traversal of the paper, level by level: the reproducible mode.

Gress and Zachmann (2003): all pairs of a level are tested for overlap, the overlap counts are summed up in a pyramid,
and the pyramid gives the pairs of the next level. The pairs of each level are the same on every backend, in the same
order. The paper requires complete trees. Here pairs of leaves are removed from the level in which they occur, and their
triangles are tested at the end.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..traversal.question import Question
from .jobs import Jobs, prepare_jobs
from .pyramid import HALF_MASK, LEAVES, width_for
from .trees import Trees

Observer = Callable[[int, np.ndarray], None]
"""Callback that receives the index of each level and its pairs, (n, 3) int32."""


class Hits(NamedTuple):
    """The pairs that a traversal found, before exact decisions."""

    rows: np.ndarray
    """(n, 4) int32: triangle of a and of b (indices over all trees), job, CROSSING or UNDECIDED."""
    volume_tests: int
    leaf_pairs: int
    levels: int


class Workspace:
    """Arrays of a backend that are reused from query to query, and grow when needed."""

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self._arrays: dict[str, Any] = {}
        self._sizes: dict[str, int] = {}

    def array(self, name: str, count: int, columns: int, dtype: Any, keep: int = 0) -> Any:
        """Return the array of this name with at least ``count`` rows; the first ``keep`` rows keep their contents."""
        if self._sizes.get(name, 0) < count:
            size = width_for(count)
            larger = self.backend.empty((size, columns) if columns > 1 else size, dtype)
            if keep:
                self.backend.copy(larger, self._arrays[name], keep)
            self._arrays[name] = larger
            self._sizes[name] = size
        return self._arrays[name]

    @property
    def size(self) -> int:
        """Bytes on the backend."""
        return sum(int(array.nbytes) for array in self._arrays.values())


class Descent(NamedTuple):
    """The pairs of leaves that a traversal reached."""

    leaves: Any
    """On the backend: triangle of a and of b, job, (n, 3) int32; None without hits."""
    leaf_pairs: int
    volume_tests: int
    levels: int


def traverse(space: Workspace, a: Trees, b: Trees, question: Question, observe: Observer | None = None) -> Hits:
    """Find all pairs of triangles that may meet, with float64 arithmetic.

    Args:
        space: workspace of the backend that the trees are on.
        a, b: trees; the same object twice tests objects against themselves.
        question: pairs of trees and their poses.
        observe: callback for tests.
    """
    jobs = prepare_jobs(space.backend, a, b, question)
    descent = descend(space, a, b, jobs, "count_pairs", observe=observe)
    rows = test_triangles(space, a, b, jobs, descent.leaves, descent.leaf_pairs)
    return Hits(rows, descent.volume_tests, descent.leaf_pairs, descent.levels)


def descend(
    space: Workspace,
    a: Trees,
    b: Trees,
    jobs: Jobs,
    node_test: str,
    before: Callable[[Any, int], None] | None = None,
    observe: Observer | None = None,
) -> Descent:
    """Descend level by level, from the first pairs of nodes to all pairs of leaves that pass a test.

    Args:
        space, a, b, observe: as for ``traverse``.
        jobs: jobs prepared for these trees.
        node_test: the step that counts the children of pairs, "count_pairs" or another step with the same arguments.
        before: callback that receives the pairs of a level and their number before they are tested.
    """
    backend = space.backend
    count = len(jobs.first)
    pairs = backend.upload(jobs.first)
    found = tests = level = 0
    leaves = None
    while count:
        if observe is not None:
            observe(level, backend.download(pairs, count))
        if before is not None:
            before(pairs, count)
        width = width_for(count)
        sums = space.array("sums", 2 * width, 1, np.int64)
        backend.step(
            node_test, width,
            a.links, a.boxes, b.links, b.boxes, jobs.frames, jobs.with_itself, pairs, count, sums, width,
        )  # fmt: skip
        backend.sum_up(sums, width)
        total = backend.read(sums, 1)
        tests += count
        more, next_count = total >> LEAVES, total & HALF_MASK
        if more:
            leaves = space.array("leaves", found + more, 3, np.int32, keep=found)
            backend.step(
                "gather_leaves", more, a.links, a.order, b.links, b.order, pairs, sums, width, more, leaves, found
            )
            found += more
        if next_count:
            children = space.array(f"pairs {level % 2}", next_count, 3, np.int32)
            backend.step(
                "expand_pairs", next_count,
                a.links, b.links, jobs.with_itself, pairs, sums, width, next_count, children,
            )  # fmt: skip
            pairs = children
        count = next_count
        level += 1
    return Descent(leaves, found, tests, level)


def test_triangles(space: Workspace, a: Trees, b: Trees, jobs: Jobs, leaves: Any, count: int) -> np.ndarray:
    """Test ``count`` pairs of triangles, and return their rows of ``Hits``."""
    if count == 0:
        return np.empty((0, 4), np.int32)
    width = width_for(count)
    sums = space.array("sums", 2 * width, 1, np.int64)
    kinds = space.array("kinds", count, 1, np.uint8)
    space.backend.step(
        "test_leaves", width,
        a.triangles, a.vertices, jobs.poses_a, b.triangles, b.vertices, jobs.poses_b, jobs.with_itself,
        leaves, count, kinds, sums, width,
    )  # fmt: skip
    total = summed(space, sums, width)
    return selected_rows(space, leaves, kinds, sums, width, total)


def summed(space: Workspace, sums: Any, width: int) -> int:
    """Compute the upper levels of a pyramid, and return the sum of all counts."""
    space.backend.sum_up(sums, width)
    return int(space.backend.read(sums, 1))


def selected_rows(space: Workspace, leaves: Any, kinds: Any, sums: Any, width: int, total: int) -> np.ndarray:
    """Return triangles, job and kind (n, 4) int32 of the pairs of leaves whose count in a pyramid is 1."""
    if total == 0:
        return np.empty((0, 4), np.int32)
    hits = space.array("hits", total, 4, np.int32)
    space.backend.step("gather_hits", total, leaves, kinds, sums, width, total, hits)
    return np.asarray(space.backend.download(hits, total))
