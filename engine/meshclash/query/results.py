"""What the questions about two objects return: distances, clearances, penetrations, signed distances."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnsupportedOption
from ..geometry.triangle_distance import nearest_points
from ..traversal.question import Answer
from ..types.mesh import Corners
from ..types.pose import transform_points
from ..types.results import QueryStats

_TOGETHER = 1 << 12
_NOWHERE = np.full(3, np.nan)


class Distance:
    """The distance of two surfaces; for a stack of k poses every field but ``stats`` is an array with k in front.

    Attributes:
        distance: [m], float or (k,); 0 exactly when triangles meet.
        triangle_a: triangle of a on which ``point_a`` lies, int or (k,).
        triangle_b: triangle of b on which ``point_b`` lies.
    """

    __slots__ = ("_points", "_work", "distance", "triangle_a", "triangle_b")

    def __init__(
        self,
        distance: Any,
        points: np.ndarray,
        triangle_a: Any,
        triangle_b: Any,
        work: QueryStats | tuple[int, int, int, float],
    ) -> None:
        self.distance = distance
        self._points = points
        self.triangle_a = triangle_a
        self.triangle_b = triangle_b
        self._work = work  # what the statistics say: making them would take longer than to find the points

    @classmethod
    def of(cls, answer: Answer, stacked: bool, stats: QueryStats) -> "Distance":
        """The result of an answer with the nearest pairs."""
        if stacked:
            return cls(answer.distances, answer.points, answer.pairs[:, 0], answer.pairs[:, 1], stats)
        pair = int(answer.pairs[0, 0]), int(answer.pairs[0, 1])
        return cls(float(answer.distances[0]), answer.points[0], *pair, stats)

    @property
    def point_a(self) -> np.ndarray:
        """World point of a's surface nearest to b's [m], (3,) or (k, 3) float64."""
        return self._points[..., 0, :]

    @property
    def point_b(self) -> np.ndarray:
        """World point of b's surface nearest to a's [m]."""
        return self._points[..., 1, :]

    @property
    def stats(self) -> QueryStats:
        """What the query did."""
        return self._work if isinstance(self._work, QueryStats) else QueryStats(*self._work)

    def __repr__(self) -> str:
        return f"Distance({self.distance!r} m, triangles {self.triangle_a!r} and {self.triangle_b!r})"


class Clearances:
    """Pairs of triangles within a tolerance, sorted by (pose, i, j).

    Attributes:
        pairs: (k, 2) int32, triangle of a and triangle of b; int64 where a clustered mesh has more than 2^31.
        distances: (k,) float64 [m], at most the tolerance; 0 exactly for triangles that meet.
        pose: (k,) int32, which pose of a stack the pair belongs to; 0 without a stack.
        tolerance: [m].
        stats: QueryStats of the query.
    """

    def __init__(
        self,
        found: tuple[np.ndarray, np.ndarray, np.ndarray],
        tolerance: float,
        stats: QueryStats,
        meshes: tuple[Corners, Corners],
        rows: tuple[np.ndarray, np.ndarray],
    ) -> None:
        self.pairs, self.distances, self.pose = found
        self.tolerance = tolerance
        self.stats = stats
        self._meshes = meshes
        self._rows = rows

    def __len__(self) -> int:
        return len(self.pairs)

    def points(self) -> np.ndarray:
        """The nearest points of each pair, on a and on b, (k, 2, 3) float64 [m], world."""
        points = np.empty((len(self), 2, 3))
        for begin in range(0, len(self), _TOGETHER):  # what is worked on stays in the cache
            part = slice(begin, begin + _TOGETHER)
            a, b = self._world_triangles(0, part), self._world_triangles(1, part)
            points[part] = nearest_points(a, b, self.distances[part] > 0.0)[1]
        return points

    def _world_triangles(self, side: int, part: slice) -> np.ndarray:
        corners = self._meshes[side].corners_of(self.pairs[part, side])
        return transform_points(self._rows[side][self.pose[part], None], corners)

    def __repr__(self) -> str:
        return f"Clearances({len(self)} pairs within {self.tolerance:g} m)"


@dataclass(frozen=True, eq=False)
class Penetration:
    """How deep two solids are in each other. Moving b by ``translation`` takes it out of a: nothing touches then.

    For a stack of k poses all but ``centres`` and ``pairs`` are arrays with k in front.
    """

    depth: Any
    """Length of the translation [m], float or (k,): an upper bound of the penetration depth, reached where both are
    convex."""
    direction: np.ndarray
    """Unit vector of the translation, (3,) or (k, 3) float64, world; zero where the solids have no volume in common."""
    lower_bound: Any
    """No shorter translation [m] takes the solids apart; float or (k,)."""
    centres: np.ndarray | None = None
    """Of a ball in the common volume, in the frames of a and of b, (2, 3) [m]: where a warm start looks first. Of a
    stack, that of the last pose, and so are the pairs."""
    pairs: np.ndarray | None = None
    """Of convex solids: points of a and of b that decided, (k, 2) int64, among those that triangles use."""
    point_a: np.ndarray = field(default_factory=lambda: _NOWHERE)
    """The point of a, (3,) or (k, 3) [m], world, that is the last to be left: ``point_b`` plus the translation comes to
    lie there. NaN where the solids have no volume in common."""
    point_b: np.ndarray = field(default_factory=lambda: _NOWHERE)
    """The point of b that leaves last, before the translation."""

    @property
    def translation(self) -> np.ndarray:
        """What to add to b's position [m], (3,) or (k, 3) float64."""
        return np.asarray(self.depth)[..., None] * self.direction

    @property
    def last(self) -> "Penetration":
        """The answer for the last pose of a stack."""
        if np.ndim(self.depth) == 0:
            return self
        return self.of_row([getattr(self, name)[-1] for name in _STACKED], self.centres, self.pairs)

    @staticmethod
    def of_row(
        told: Sequence[Any], centres: np.ndarray | None = None, pairs: np.ndarray | None = None
    ) -> "Penetration":
        """The answer for one pose from its depth, direction, lower bound and two points."""
        depth, direction, lower, point_a, point_b = told
        return Penetration(float(depth), direction, float(lower), centres, pairs, point_a, point_b)

    @staticmethod
    def stacked(found: "Sequence[Penetration]") -> "Penetration":
        """The answer for a stack from those for its poses."""
        depth, direction, lower, point_a, point_b = (np.array([getattr(f, name) for f in found]) for name in _STACKED)
        return Penetration(depth, direction, lower, found[-1].centres, found[-1].pairs, point_a, point_b)


_STACKED = "depth", "direction", "lower_bound", "point_a", "point_b"


def no_penetration(pairs: np.ndarray | None = None) -> Penetration:
    """The answer for solids without common volume."""
    return Penetration(0.0, np.zeros(3), 0.0, None, pairs)


class SignedDistance(NamedTuple):
    """Where n points lie with respect to a solid."""

    distance: np.ndarray
    """Distance to the surface [m], (n,) float64: negative inside, positive outside; 0 on the surface."""
    point: np.ndarray
    """Nearest point of the surface [m], world, (n, 3) float64."""
    triangle: np.ndarray
    """Triangle that it lies on, (n,) int32; of several equally near ones, any."""
    certainty: np.ndarray
    """Probability that the sign is right, (n,) float64: 1 for a closed mesh, of an open one known from 0.99 on."""


def known_pairs(start: Any, sizes: Sequence[int], count: int) -> list[tuple[int, int]]:
    """Pairs of triangles that ``distance`` is to start from: none, one, or one for each of ``count`` poses.

    Args:
        start: an earlier result, or None.
        sizes: how many triangles both objects have.
        count: how many poses are asked about.

    Raises:
        UnsupportedOption: it is no Distance, or of other objects, or of another number of poses.
    """
    if start is None:
        return []
    if not isinstance(start, Distance):
        raise no_start("distance", start)
    if isinstance(start.triangle_a, int):
        known = [(start.triangle_a, start.triangle_b)]
    else:
        known = list(zip(start.triangle_a.tolist(), start.triangle_b.tolist(), strict=True))
    if not all(0 <= t < sizes[0] and 0 <= u < sizes[1] for t, u in known):
        raise UnsupportedOption(f"start names triangles that meshes of {sizes[0]} and {sizes[1]} triangles do not have")
    if len(known) not in (1, count):
        raise UnsupportedOption(f"start holds {len(known)} poses, the question {count}")
    return known


def no_start(query: str, start: object) -> UnsupportedOption:
    """The error for a ``start`` that is no earlier answer."""
    return UnsupportedOption(f"start must be the result of an earlier {query} query, not a {type(start).__name__}")
