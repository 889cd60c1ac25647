"""A question about many pairs of trees, and its answer."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ..jit import config
from ..types.results import QueryStats
from .forest import Side, TreeSet

_NO_LENGTHS, _NO_POINTS = np.empty(0), np.empty((0, 2, 3))


class Goal(IntEnum):
    """What is asked of each pair of trees."""

    CONTACTS = 0
    """Pairs of triangles that meet."""
    NEAREST = 1
    """The nearest pair of triangles."""
    WITHIN = 2
    """Pairs of triangles no farther apart than a tolerance."""


class Question(NamedTuple):
    """What to ask of many pairs of trees at once."""

    a: Side
    b: Side
    """The same side twice for objects among or against themselves."""
    jobs: np.ndarray
    """Trees of each pair, (k, 2) int64."""
    rows_a: np.ndarray
    """Poses of the first trees, (k, 3, 4) float64; for contacts also (1, 3, 4) for all."""
    rows_b: np.ndarray
    goal: Goal = Goal.CONTACTS
    tolerance: float = 0.0
    """[m], of WITHIN."""
    crossing_only: bool = False
    """Contacts of kind CROSSING only."""
    first_only: bool = False
    """One pair of each job is enough, of CONTACTS and WITHIN; the latter then has kinds and no distances."""
    with_itself: bool = False
    """Contacts of each tree with itself, but for what neighbours share."""
    start: np.ndarray | None = None
    """Pairs of triangles from which NEAREST starts, (k, 2) int32, -1: none."""
    relative_error: float = 0.0
    """Of NEAREST, as ``distance`` takes them."""
    absolute_error: float = 0.0
    upper_limit: float = np.inf
    """Of NEAREST [m]: what is farther apart is not looked for."""
    lower_limit: float = 0.0
    """Of NEAREST [m]: a pair that is no farther apart is near enough."""
    none_meet: bool = False
    """Exact predicates have said that no triangles meet: NEAREST measures what is as near as rounding knowing this."""
    threads: int = 1
    """At most; several are used only when there is much to do."""
    device: str = "cpu"
    """Where it may be answered, as ``check_served_device`` gives it."""
    lanes: bool = True
    """False keeps to the binary engine where the 8-wide one could answer; the pairs are the same."""

    @property
    def tree_set_a(self) -> TreeSet:
        """The first trees."""
        return self.a.tree_set

    @property
    def tree_set_b(self) -> TreeSet:
        """The second trees."""
        return self.b.tree_set

    @property
    def fits_lanes(self) -> bool:
        """Whether 8-wide engines can serve: trees of boxes, leaves that fit, and compiled code."""
        return self.lanes and self.tree_set_a.fits_lanes and self.tree_set_b.fits_lanes and not config.DISABLE_JIT

    @property
    def index_bits(self) -> tuple[int, int, int]:
        """That the index of a triangle of either side, and that of a job, need."""
        return self.a.index_bits, self.b.index_bits, (len(self.jobs) - 1).bit_length()

    def of_jobs(self, chosen: np.ndarray) -> "Question":
        """The same about some jobs (n,), for which nothing is known to start from."""
        rows_a, rows_b = pose_rows(self.rows_a, chosen), pose_rows(self.rows_b, chosen)
        return self._replace(jobs=self.jobs[chosen], start=None, rows_a=rows_a, rows_b=rows_b)

    def world_triangles(self, pairs: np.ndarray, jobs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """World coordinates, (n, 3, 3) [m] each, of both triangles of pairs (n, 2) of jobs (n,)."""
        trees = self.jobs[jobs]
        return (
            self.a.world_triangles(trees[:, 0], pose_rows(self.rows_a, jobs), pairs[:, 0]),
            self.b.world_triangles(trees[:, 1], pose_rows(self.rows_b, jobs), pairs[:, 1]),
        )


class Answer(NamedTuple):
    """Pairs of triangles, sorted by (job, i, j), and counters."""

    pairs: np.ndarray
    """(n, 2) int32; of the nearest, -1 where nothing is within the upper limit."""
    kinds: np.ndarray
    """Of contacts, (n,) uint8."""
    jobs: np.ndarray
    """(n,) int32: which job a pair belongs to."""
    volume_tests: int
    primitive_tests: int
    exact_tests: int
    threads: int = 1
    """How many were used."""
    device: str = "cpu"
    note: str = ""
    """Why the CPU answered where a device was meant to."""
    updated_nodes: int = 0
    """Nodes refitted since the last question about the trees."""
    distances: np.ndarray = _NO_LENGTHS
    """Of NEAREST and WITHIN, (n,) float64 [m]."""
    points: np.ndarray = _NO_POINTS
    """Of NEAREST: world points on both, (n, 2, 3) float64 [m]."""

    def stats(self, seconds: float = 0.0, timings: dict[str, float] | None = None) -> QueryStats:
        """The work that it took."""
        return QueryStats(
            self.volume_tests, self.primitive_tests, self.exact_tests, seconds, self.threads, self.device, self.note,
            timings or {}, self.updated_nodes,
        )  # fmt: skip


def pose_rows(rows: np.ndarray, job: np.ndarray) -> np.ndarray:
    """The poses (n, 3, 4) of jobs (n,), of the poses of a question."""
    return rows[np.minimum(job, len(rows) - 1)]
