"""``massive_collide``: close parts of massive models, by levels of detail with proved error bounds."""

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
    """Bounds of the distance of two objects [m], from their levels of detail."""

    lower: float
    """Lower bound of the distance."""
    upper: float
    """Upper bound of the distance."""
    points: np.ndarray
    """Nearest points of the levels of a and b, (2, 3) float64, world coordinates."""
    normal: np.ndarray | None
    """Unit vector from a to b, (3,) float64; None if the levels meet."""
    triangles: tuple[int, int]
    """Triangles of the levels on which the points lie."""


class MassiveCollision(Copyable):
    """The parts of two objects whose distance may be at most ``delta``, and the proved bounds of these distances.
    ``massive_collide`` returns a MassiveCollision.

    Each row of the result is a pair of parts, and each part is a run of consecutive clusters. If the distance between
    two triangles is at most delta, the pair belongs to one of the rows. In each row, the distance between some
    triangles is at most delta + epsilon. An object that was loaded into memory counts as a single cluster.

    Attributes:
        answer: "apart": no triangles are within delta. "closer": some triangles are certainly within delta, which is
            proved by the levels of detail or by triangles of the objects that touch or cross each other. "undecided":
            some triangles are within delta + epsilon, but it is unknown whether any are within delta.
        clusters_a, clusters_b: first cluster of each run and the cluster after its last, (k, 2) int64 each.
        lower, upper: bounds of the smallest distance of the triangles of a row, (k,) float64 [m].
        delta, epsilon: the arguments of the query [m].
        level_a, level_b: the meshes that were compared instead of the objects: a ``MeshLevel``, or the object itself;
            None for progressive meshes.
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
        """The answer of the query: "apart", "closer" or "undecided". The attributes of MassiveCollision explain the
        three answers.
        """
        if len(self) == 0:
            return "apart"
        return "closer" if (self.upper <= self.delta).any() else "undecided"

    def resolve(self) -> Contacts | Clearances:
        """Compute the exact result. If delta is 0, this is the result of ``collide``. If delta is above 0, it is the
        result of ``clearance`` for delta.

        The method uses the poses of the query, and reads only the clusters that belong to a row.
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
        """Return the pairs of clusters, among (n, 2), that lie in a row."""
        return in_rows(pairs, self._runs, self._parts)

    def level_pairs(self) -> Contacts | Clearances:
        """Return pairs of triangles of the two levels of detail. If delta is 0, the result contains all pairs that
        touch or cross each other. If delta is above 0, the result contains all pairs within delta.

        The triangle indices refer to ``level_a`` and ``level_b``. The levels of detail only approximate the objects.
        The rows of the result contain what is proved about the objects themselves.

        Raises:
            UnsupportedOption: the query used progressive meshes.
        """
        levels, poses = self._asked_levels()
        if self.delta == 0.0:
            return collide(levels[0].clusters.thing, levels[1].clusters.thing, *poses)
        return clearance(levels[0].clusters.thing, levels[1].clusters.thing, self.delta, *poses)

    def nearest(self) -> LevelDistance:
        """Return a lower and an upper bound of the distance between the objects, however far apart they are. The bounds
        are computed from the levels that the query used.

        Raises:
            UnsupportedOption: the query used progressive meshes.
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
            raise UnsupportedOption("progressive meshes have no levels: use massive_collide")
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
    """Find the parts of two objects that are within a distance of each other. The search uses levels of detail whose
    proved error is small enough.

    The result is complete, because its rows cover all triangles within delta. The distance of each row is at most delta
    + epsilon. If the levels cannot decide whether any triangles are within delta, the search reads some of the close
    pairs of pages from the files. The pages that the search reads are spread over all close pairs. If the search finds
    a contact in one of these pairs, the answer is "closer". If an object has no levels of detail, its own triangles are
    compared. ``MeshLevels.build`` creates levels. MeshClash keeps intermediate results, so that later queries of the
    same objects in nearby poses take less time. Stored intermediate results do not change the result of a query.

    Args:
        a, b: clustered meshes, or meshes and hierarchies in memory. ``a`` may be ``b``.
        pose_a, pose_b: rigid poses, one each.
        delta: [m], 0 or more; 0 finds contacts.
        epsilon: permitted error [m], at least 0; 0 compares the triangles themselves.
        memory: memory for the level of each object [bytes].

    Raises:
        InvalidMesh, InvalidPose: as for ``collide``.
        InvalidFile: a file is damaged, or the levels of detail belong to another mesh.
        UnsupportedOption: a stack of poses, a length that is negative or not finite, or too little memory.

    Example:
        >>> import meshclash as mc
        >>> mesh = mc.shapes.sphere(1.0)
        >>> found = mc.massive.massive_collide(mesh, mesh, delta=0.0, epsilon=0.01)
        >>> bool(found)
        True
    """
    lengths = check_length("delta", delta), check_length("epsilon", epsilon)
    return ask(MASSIVE_COLLIDE, (a, b), (pose_a, pose_b), detail=(lengths, checked_memory(memory), None))
