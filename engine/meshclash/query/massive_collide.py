"""``massive_collide``: what comes near between massive models, by levels of detail with proved bounds."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnsupportedOption
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..massive.cluster_contacts import ContactOptions, contact_steps
from ..massive.cluster_distances import clearance_steps
from ..massive.coverage import Covered, Leveled, in_rows, slack_of, stretch_of
from ..massive.mesh import DEFAULT_MEMORY, ClusteredMesh, checked_memory
from ..massive.operands import as_sources, side_of
from ..traversal.contacts import Contacts
from ..types.copying import Copyable
from ..types.pose import PoseLike
from ..types.results import Progress, QueryStats
from ..types.steps import run
from .clearance import Clearances, clearance
from .collide import collide
from .distance import distance
from .options import check_length
from .table import MASSIVE_COLLIDE, answers, ask


class LevelDistance(NamedTuple):
    """How far apart two objects are, by their levels [m]."""

    lower: float
    """They are at least so far apart."""
    upper: float
    """And at most so far."""
    points: np.ndarray
    """Nearest points of the levels, of a and of b, (2, 3) float64, world coordinates."""
    normal: np.ndarray | None
    """From a to b, (3,) float64 of length 1; None where the levels meet."""
    triangles: tuple[int, int]
    """Of the levels, on which the points lie."""


class MassiveCollision(Copyable):
    """Where two objects may come within ``delta``, and what is certain about it. Made by ``massive_collide``.

    Each row is a pair of runs of clusters. All triangles of these within delta of each other are in some row; in each
    row some triangles are within delta + epsilon. An object in memory is one cluster.

    Attributes:
        answer: "apart": no triangles are within delta. "closer": some certainly are, which the levels prove, or
            triangles of the objects that meet. "undecided": some are within delta + epsilon, and whether within
            delta is not known.
        clusters_a, clusters_b: first cluster of each run and the one after the last, (k, 2) int64 each.
        lower, upper: the smallest distance of the triangles of a row lies between, (k,) float64 [m].
        delta, epsilon: as asked [m].
        level_a, level_b: what was asked in place of the objects: a ``MeshLevel``, or the object itself; None for
            progressive meshes.
        stats: QueryStats; ``primitive_tests`` counts pairs of parts whose distance was measured, ``volume_tests``
            pairs of boxes of progressive meshes that were tested.
    """

    def __init__(
        self,
        things: tuple[Any, Any],
        rows: tuple[np.ndarray, np.ndarray],
        runs: tuple[np.ndarray, np.ndarray],
        covered: Covered,
        lengths: tuple[float, float],
        stats: QueryStats,
        levels: tuple[Leveled, Leveled] | None,
    ) -> None:
        self._things, self._rows, self._runs, self._parts = things, rows, runs, covered.parts
        self.clusters_a, self.clusters_b = (run[covered.parts[:, k]] for k, run in enumerate(runs))
        self.lower, self.upper = covered.lower, covered.upper
        self.delta, self.epsilon = lengths
        self.stats = stats
        self._levels = levels
        self.level_a: ClusteredMesh | Hierarchy | None = None if levels is None else levels[0].clusters.thing
        self.level_b: ClusteredMesh | Hierarchy | None = None if levels is None else levels[1].clusters.thing

    @property
    def answer(self) -> str:
        """As above."""
        if len(self) == 0:
            return "apart"
        return "closer" if (self.upper <= self.delta).any() else "undecided"

    def resolve(self) -> Contacts | Clearances:
        """The exact answer: what ``collide`` gives where delta is 0, else what ``clearance`` gives for delta.

        Only clusters are looked at that lie in a row, in the poses that were asked.
        """
        pose_a, pose_b = (np.vstack([row, (0.0, 0.0, 0.0, 1.0)]) for row in self._rows)
        if not any(isinstance(thing, ClusteredMesh) for thing in self._things):
            if self.delta == 0.0:
                return collide(*self._things, pose_a, pose_b)
            return clearance(*self._things, self.delta, pose_a, pose_b)
        start = time.perf_counter()
        sides = side_of(self._things[0]), side_of(self._things[1])
        stacks = self._rows[0][None].copy(), self._rows[1][None].copy()
        if self.delta == 0.0:
            answer, places = run(contact_steps(*sides, *stacks, ContactOptions(), self._in_rows))
            meshes = as_sources(*sides, answer.pairs, places)
            stats = answer.stats(time.perf_counter() - start)
            return Contacts(answer.pairs, answer.kinds, answer.jobs, stats, meshes, stacks)
        answer, places = run(clearance_steps(*sides, *stacks, self.delta, self._in_rows))
        meshes = as_sources(*sides, answer.pairs, places)
        stats = answer.stats(time.perf_counter() - start)
        return Clearances((answer.pairs, answer.distances, answer.jobs), self.delta, stats, meshes, stacks)

    def _in_rows(self, pairs: np.ndarray) -> np.ndarray:
        """Those of some pairs of clusters (n, 2) that lie in a row."""
        return in_rows(pairs, self._runs, self._parts)

    def level_pairs(self) -> Contacts | Clearances:
        """All pairs of triangles of the levels that meet where delta is 0, else those within delta.

        Numbers of triangles are those of ``level_a`` and ``level_b``. The rows say what is proved of the objects.

        Raises:
            UnsupportedOption: it was asked by progressive meshes.
        """
        levels, poses = self._asked_levels()
        if self.delta == 0.0:
            return collide(levels[0].clusters.thing, levels[1].clusters.thing, *poses)
        return clearance(levels[0].clusters.thing, levels[1].clusters.thing, self.delta, *poses)

    def nearest(self) -> LevelDistance:
        """How far apart the objects are, by the levels that were asked, however large that is.

        Raises:
            UnsupportedOption: it was asked by progressive meshes.
        """
        levels, poses = self._asked_levels()
        found = distance(levels[0].clusters.thing, levels[1].clusters.thing, *poses)
        stretches = [stretch_of(row) for row in self._rows]
        out = sum(float(side.outs.max()) * stretch for side, stretch in zip(levels, stretches, strict=True))
        back = sum(float(side.backs.max()) * stretch for side, stretch in zip(levels, stretches, strict=True))
        slack = slack_of(levels, self._rows) if out or back else 0.0
        way = found.point_b - found.point_a
        normal = way / np.linalg.norm(way) if found.distance > 0.0 else None
        lower, upper = max(0.0, found.distance - out - slack), found.distance + back + slack
        points = np.stack([found.point_a, found.point_b])
        return LevelDistance(lower, upper, points, normal, (found.triangle_a, found.triangle_b))

    def _asked_levels(self) -> tuple[tuple[Leveled, Leveled], tuple[np.ndarray, np.ndarray]]:
        if self._levels is None:
            raise UnsupportedOption("progressive meshes are no level: ask massive_collide")
        first, second = (np.vstack([row, (0.0, 0.0, 0.0, 1.0)]) for row in self._rows)
        return self._levels, (first, second)

    def __len__(self) -> int:
        return len(self.lower)

    def __repr__(self) -> str:
        return f"MassiveCollision({self.answer}, {len(self)} pairs of runs within {self.delta:g} m)"


@answers(MASSIVE_COLLIDE)
def massive_collide(
    a: MeshLike | ClusteredMesh,
    b: MeshLike | ClusteredMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    delta: float = 0.0,
    epsilon: float,
    memory: int = DEFAULT_MEMORY,
) -> Generator[Progress, None, MassiveCollision]:
    """Where two objects come within a distance of each other, by levels whose error is proved to be small enough.

    Nothing is missed: all triangles within delta are covered, and whatever is named is within delta + epsilon. Where
    the levels leave open whether any are within delta, some pairs of pages are looked at, spread over all that come
    near: a contact there is a proof. Objects without levels (``MeshLevels.build``) are asked as they are. What is
    found is remembered, so that asking the same objects again in poses nearby takes less time; the answer is the same.

    Args:
        a, b: clustered meshes, or meshes and hierarchies in memory. ``a`` may be ``b``.
        pose_a, pose_b: rigid poses, one each.
        delta: [m], from 0 on; 0 asks for contacts.
        epsilon: [m], from 0 on; 0 asks the triangles themselves.
        memory: bytes that the level of each object may take.

    Raises:
        InvalidMesh, InvalidPose: as ``collide``.
        InvalidFile: a file is damaged, or the levels are those of another mesh.
        UnsupportedOption: a stack of poses, a length that is negative or not finite, too little memory.

    Example:
        >>> import meshclash as mc
        >>> mesh = mc.shapes.sphere(1.0)
        >>> found = mc.massive.massive_collide(mesh, mesh, delta=0.0, epsilon=0.01)
        >>> bool(found)
        True
    """
    lengths = check_length("delta", delta), check_length("epsilon", epsilon)
    return ask(MASSIVE_COLLIDE, (a, b), (pose_a, pose_b), detail=(lengths, checked_memory(memory), None))
