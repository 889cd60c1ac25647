"""``Question`` and ``Answer``: a query about many pairs of trees, and its result."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ..jit import config
from ..types.results import QueryStats
from .forest import Side, TreeSet

_NO_LENGTHS, _NO_POINTS = np.empty(0), np.empty((0, 2, 3))


class Goal(IntEnum):
    """The kind of result to find for each pair of trees."""

    CONTACTS = 0
    """Pairs of triangles that meet."""
    NEAREST = 1
    """The nearest pair of triangles."""
    WITHIN = 2
    """All pairs of triangles within a tolerance."""


class Question(NamedTuple):
    """A query about many pairs of trees at once."""

    a: Side
    b: Side
    """The same object as ``a`` if objects of one set are compared with each other or with themselves."""
    jobs: np.ndarray
    """Trees of each pair, (k, 2) int64."""
    rows_a: np.ndarray
    """Poses of the first trees, (k, 3, 4) float64; for CONTACTS also (1, 3, 4) for all jobs."""
    rows_b: np.ndarray
    goal: Goal = Goal.CONTACTS
    tolerance: float = 0.0
    """The tolerance of WITHIN [m]."""
    crossing_only: bool = False
    """Find only contacts of the kind CROSSING."""
    first_only: bool = False
    """Find only one pair of each job, for CONTACTS and WITHIN; WITHIN then gives kinds instead of distances."""
    with_itself: bool = False
    """Find contacts of each tree with itself, except contacts of neighbouring triangles in shared corners and edges."""
    start: np.ndarray | None = None
    """Pairs of triangles from which NEAREST starts, (k, 2) int32, -1: no pair."""
    relative_error: float = 0.0
    """Permitted relative error of NEAREST, as in ``distance``."""
    absolute_error: float = 0.0
    """Permitted absolute error of NEAREST [m], as in ``distance``."""
    upper_limit: float = np.inf
    """NEAREST ignores pairs with a larger distance [m]."""
    lower_limit: float = 0.0
    """NEAREST stops at a pair within this distance [m]."""
    none_meet: bool = False
    """True if exact predicates have shown that no triangles meet; NEAREST then also measures distances near 0."""
    threads: int = 1
    """Maximum number of threads; several are used only for large questions."""
    device: str = "cpu"
    """The device that may compute the question, as returned by ``check_served_device``."""
    star_pairs_apart: bool = False
    """Whether pairs of triangles of one star (``stars.py``) are found separately, so that an engine may leave them out.
"""
    lanes: bool = True
    """False uses the binary engine even if the 8-wide engine could compute the question; the pairs are the same."""

    @property
    def tree_set_a(self) -> TreeSet:
        """The tree set of the first trees."""
        return self.a.tree_set

    @property
    def tree_set_b(self) -> TreeSet:
        """The tree set of the second trees."""
        return self.b.tree_set

    @property
    def fits_lanes(self) -> bool:
        """Whether 8-wide engines can compute the question: all trees have 8-wide forms, and the code is compiled."""
        return self.lanes and self.tree_set_a.fits_lanes and self.tree_set_b.fits_lanes and not config.DISABLE_JIT

    @property
    def index_bits(self) -> tuple[int, int, int]:
        """Number of bits of a triangle index of each side, and of a job index."""
        return self.a.index_bits, self.b.index_bits, (len(self.jobs) - 1).bit_length()

    def of_jobs(self, chosen: np.ndarray) -> "Question":
        """Return this question for some jobs (n,), without pairs to start from."""
        rows_a, rows_b = pose_rows(self.rows_a, chosen), pose_rows(self.rows_b, chosen)
        return self._replace(jobs=self.jobs[chosen], start=None, rows_a=rows_a, rows_b=rows_b)

    def world_triangles(self, pairs: np.ndarray, jobs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the world coordinates, (n, 3, 3) [m] each, of both triangles of pairs (n, 2) of jobs (n,)."""
        trees = self.jobs[jobs]
        return (
            self.a.world_triangles(trees[:, 0], pose_rows(self.rows_a, jobs), pairs[:, 0]),
            self.b.world_triangles(trees[:, 1], pose_rows(self.rows_b, jobs), pairs[:, 1]),
        )


class Answer(NamedTuple):
    """The result of a question: pairs of triangles, sorted by (job, i, j), and counters."""

    pairs: np.ndarray
    """(n, 2) int32; for NEAREST, -1 if no pair is within the upper limit."""
    kinds: np.ndarray
    """Kinds of the contacts, (n,) uint8."""
    jobs: np.ndarray
    """The job of each pair, (n,) int32."""
    volume_tests: int
    primitive_tests: int
    exact_tests: int
    threads: int = 1
    """Number of threads used."""
    device: str = "cpu"
    """The device that computed the result."""
    note: str = ""
    """The reason for a CPU fallback."""
    updated_nodes: int = 0
    """Nodes refitted since the last question about the trees."""
    distances: np.ndarray = _NO_LENGTHS
    """Distances for NEAREST and WITHIN, (n,) float64 [m]."""
    points: np.ndarray = _NO_POINTS
    """For NEAREST: world points on both objects, (n, 2, 3) float64 [m]."""

    def stats(self, seconds: float = 0.0, timings: dict[str, float] | None = None) -> QueryStats:
        """Return the work as QueryStats."""
        return QueryStats(
            self.volume_tests, self.primitive_tests, self.exact_tests, seconds, self.threads, self.device, self.note,
            timings or {}, self.updated_nodes,
        )  # fmt: skip


def pose_rows(rows: np.ndarray, job: np.ndarray) -> np.ndarray:
    """Return the poses (n, 3, 4) of jobs (n,) from the poses of a question: one per job, or one for all."""
    return rows[np.minimum(job, len(rows) - 1)]
