"""Driving the best-first traversal: arrays, slices, a heap that grows, and what is known when it stops."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..geometry.predicates import new_workspace
from ..geometry.relative_pose import relative_rows
from ..hierarchy.bvh import Hierarchy
from ..traversal.forest import plant
from ..traversal.pairs import LEAF_NUMBERS
from ..traversal.prepared import prepared_rows
from . import traversal as layout
from .cells import Filling, filling
from .probability import log_factorials
from .traversal import best_first

_FIRST_CAPACITY = 4096


class Aim(NamedTuple):
    """When a pair of objects counts as colliding."""

    p_min: float = 0.99
    """Pairs of nodes at least this probable are counted; beyond 1 none is, and the answer is exact."""
    k_min: int = 10
    """So many counted pairs are a collision."""
    antichain: bool = False
    """Whether a counted pair waits until nothing else is left, so that no place is counted twice."""


class Search:
    """Many pairs of objects that share one heap.

    Attributes:
        rows: (k, 4) int64 by job: status, pairs counted, and the triangles that meet (``traversal.py``).
        state: counters.
    """

    def __init__(
        self,
        hierarchies_a: Sequence[Hierarchy],
        hierarchies_b: Sequence[Hierarchy],
        jobs: np.ndarray,
        rows_a: np.ndarray,
        rows_b: np.ndarray,
        aim: Aim,
    ) -> None:
        a, b = plant(hierarchies_a), plant(hierarchies_b)
        self.grove_a, self.grove_b = a, b
        self.jobs, self.rows_a, self.rows_b = jobs, rows_a, rows_b
        self.relative = relative_rows(
            rows_a, rows_b, a.origins[jobs[:, 0]], b.origins[jobs[:, 1]], a.reaches[jobs[:, 0]], b.reaches[jobs[:, 1]]
        )
        self.rows = np.zeros((len(jobs), layout.ROW_LENGTH), np.int64)
        self.state = np.zeros(layout.STATE_LENGTH, np.int64)
        self._aim = aim
        self._filling_a, self._filling_b = _joined(hierarchies_a), _joined(hierarchies_b)
        self._prepared = prepared_rows(a, b, jobs, self.relative)
        self._kernel = best_first(a.volume)
        capacity = max(_FIRST_CAPACITY, 2 * len(jobs))
        self._keys, self._entries = np.empty(capacity), np.empty((capacity, 4), np.int64)
        leaves = [np.empty((grove.largest_leaf, LEAF_NUMBERS)) for grove in (a, b)]
        indices = [np.empty(grove.largest_leaf, np.int32) for grove in (a, b)]
        self._scratch = (*leaves, *indices, new_workspace())
        starts = a.forest.node_start, b.forest.node_start
        layout.begin(jobs, *starts, self.state, self._keys, self._entries)

    def advance(self, steps: int) -> bool:
        """Open that many pairs of nodes at most; returns whether none is left."""
        if int(self.state[layout.USED]) + 4 > len(self._keys):
            self._grow()
        aim = self._aim
        return self._kernel(
            self.grove_a.forest, self.grove_b.forest, self._filling_a, self._filling_b, self.jobs, self.rows_a,
            self.rows_b, self.relative, self._prepared, aim.p_min, aim.k_min, aim.antichain, steps, self.state,
            self.rows, self._keys, self._entries, log_factorials(), self._scratch,
        )  # fmt: skip

    def _grow(self) -> None:
        keys, entries = self._keys, self._entries
        self._keys, self._entries = np.empty(2 * len(keys)), np.empty((2 * len(keys), 4), np.int64)
        self._keys[: len(keys)], self._entries[: len(keys)] = keys, entries

    def frontier(self, job: int) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities (n,) and nodes (n, 2) of the pairs of a job that are still open; every contact is in one."""
        used = int(self.state[layout.USED])
        mine = self._entries[:used, 0] == job
        keys = self._keys[:used][mine]
        return np.where(keys < 0.0, keys + 2.0, keys), self._entries[:used][mine, 1:3]

    def evidence(self, job: int) -> float:
        """-sum ln(1 - p) over the pairs of a job that are still open."""
        return float(-np.log1p(-np.minimum(self.frontier(job)[0], 1.0 - 1e-12)).sum())

    def box(self, side: int, node: int) -> np.ndarray:
        """Box (2, 3) float64 [m] of a node of a (side 0) or b (side 1), relative to the hierarchy's origin."""
        part = (self._filling_a, self._filling_b)[side]
        return part.boxes[node].reshape(2, 3).astype(np.float64)


def _joined(hierarchies: Sequence[Hierarchy]) -> Filling:
    """The augmentations of all trees, end to end."""
    parts = [filling(hierarchy) for hierarchy in hierarchies]
    return parts[0] if len(parts) == 1 else Filling(*map(np.concatenate, zip(*parts, strict=True)))
