"""A question about many pairs of trees, and its answer."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..jit import config
from ..types.results import QueryStats
from .forest import Grove
from .leaf_tests import contact


class Question(NamedTuple):
    """What to ask of many pairs of trees at once."""

    grove_a: Grove
    grove_b: Grove
    jobs: np.ndarray
    """Trees of each pair, (k, 2) int64."""
    rows_a: np.ndarray
    """Poses of the first trees, (k, 3, 4) float64, or (1, 3, 4) for all."""
    rows_b: np.ndarray
    leaf_test: Callable[..., Any]
    tolerance: float = 0.0
    crossing_only: bool = False
    first_only: bool = False
    with_itself: bool = False
    threads: int = 1
    """At most; several are used only when there is much to do."""
    lanes: bool = True
    """False keeps to the binary engine where the 8-wide one could answer; the pairs are the same."""


class Answer(NamedTuple):
    """Primitive pairs, sorted by (job, i, j), and counters."""

    pairs: np.ndarray
    """(n, 2) int32 primitive indices."""
    kinds: np.ndarray
    """(n,) uint8."""
    jobs: np.ndarray
    """(n,) int32: which job a pair belongs to."""
    volume_tests: int
    primitive_tests: int
    exact_tests: int
    threads: int
    """How many were used."""
    device: str = "cpu"
    note: str = ""
    """Why the CPU answered where a device was meant to."""
    updated_nodes: int = 0
    """Nodes refitted since the last question about the trees."""

    def stats(self, seconds: float = 0.0, timings: dict[str, float] | None = None) -> QueryStats:
        """The work that it took."""
        return QueryStats(
            self.volume_tests, self.primitive_tests, self.exact_tests, seconds, self.threads, self.device, self.note,
            timings or {}, self.updated_nodes,
        )  # fmt: skip


def uses_lanes(question: Question) -> bool:
    """Whether the 8-wide engine answers: contacts, boxes, leaves that fit, and compiled code."""
    return (
        question.lanes
        and question.leaf_test is contact
        and question.tolerance == 0.0
        and not config.DISABLE_JIT
        and question.grove_a.fits_lanes
        and question.grove_b.fits_lanes
    )


def pose_rows(rows: np.ndarray, job: int) -> np.ndarray:
    """The pose (3, 4) of a job, of the poses of a question."""
    return rows[min(job, len(rows) - 1)]
