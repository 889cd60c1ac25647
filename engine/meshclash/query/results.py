"""Results of queries about two objects: distances, clearances, penetrations, signed distances."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..geometry.triangle_distance import nearest_points
from ..messages import a_type
from ..traversal.question import Answer, pose_rows
from ..types.arguments import places_of
from ..types.copying import Copyable
from ..types.mesh import Corners
from ..types.pose import transform_points
from ..types.results import QueryStats
from .features import barycentric, features_of, unit, unit_normals

_TOGETHER = 1 << 12
_NOWHERE = np.full(3, np.nan)


Surfaces = tuple[tuple[Corners, Corners], tuple[np.ndarray, np.ndarray] | bytes]
"""Two objects and their poses, (k, 3, 4), with k = 1 for all contacts. Alternatively the poses are stored as the bytes
of (2, 4, 4), because creating an array and a name would take a tenth of the time of a short query."""


class Distance(Copyable):
    """The distance between two surfaces. If you pass a stack of k poses, every field except ``stats`` is an array of k
    entries.

    Attributes:
        distance: distance [m], float or (k,); exactly 0 if the surfaces have a common point; infinite beyond the upper
            limit.
        triangle_a: triangle of a on which ``point_a`` lies, int or (k,); -1 beyond the upper limit, and for an exact
            shape.
        triangle_b: triangle of b on which ``point_b`` lies.
    """

    __slots__ = ("_bounds", "_points", "_surfaces", "_work", "distance", "triangle_a", "triangle_b")

    def __init__(
        self,
        distance: Any,
        points: np.ndarray,
        triangle_a: Any,
        triangle_b: Any,
        work: QueryStats | tuple[int, int, int, float],
        surfaces: Surfaces | None = None,
        bounds: tuple[float, float, float, float] = (0.0, 0.0, np.inf, 0.0),
    ) -> None:
        self.distance = distance
        self._points = points
        self.triangle_a = triangle_a
        self.triangle_b = triangle_b
        self._work = work  # the numbers of the statistics: making the object would take longer than finding the points
        self._surfaces = surfaces
        self._bounds = bounds  # relative error, absolute error, upper limit, lower limit

    @property
    def point_a(self) -> np.ndarray:
        """The point on the surface of a that is nearest to b, in world coordinates [m], (3,) or (k, 3) float64. Beyond
        the upper limit, the point is NaN.
        """
        return self._points[..., 0, :]

    @property
    def point_b(self) -> np.ndarray:
        """The point on the surface of b that is nearest to a, in world coordinates [m]."""
        return self._points[..., 1, :]

    @property
    def points(self) -> np.ndarray:
        """The points ``point_a`` and ``point_b`` in one array, (2, 3) or (k, 2, 3) [m]."""
        return self._points

    @property
    def normal(self) -> np.ndarray:
        """The unit vector from ``point_a`` to ``point_b``, (3,) or (k, 3). The vector is NaN if the surfaces have a
        common point, and beyond the limit.

        If you move b along the normal, the distance grows as fast as possible. The normal is therefore the gradient of
        the distance with respect to the position of b. For the position of a, the gradient is the negative normal.
        """
        return unit(self.point_b - self.point_a)

    @property
    def lower_bound(self) -> Any:
        """A lower bound of the true distance [m], float or (k,). The bound takes the permitted errors and the limits of
        the query into account.
        """
        relative, absolute, upper, lower = self._bounds
        distance = np.asarray(self.distance)
        near = (distance <= lower) & (lower > 0.0)
        with np.errstate(invalid="ignore"):
            bound = np.where(near, 0.0, np.maximum(distance * (1.0 - relative) - absolute, 0.0))
        bound = np.where(np.isinf(distance), upper, bound)
        return float(bound) if bound.ndim == 0 else bound

    @property
    def barycentric_a(self) -> np.ndarray:
        """The barycentric coordinates of ``point_a`` in ``triangle_a``, (3,) or (k, 3). Beyond the limit, the
        coordinates are NaN.

        Raises:
            UnsupportedOption: a clustered mesh, whose triangles are not stored, or an exact shape.
        """
        return self._weights(0)

    @property
    def barycentric_b(self) -> np.ndarray:
        """The barycentric coordinates of ``point_b`` in ``triangle_b``. The form and the errors are the same as for
        ``barycentric_a``.
        """
        return self._weights(1)

    @property
    def feature_a(self) -> Any:
        """The part of ``triangle_a`` on which ``point_a`` lies, as in ``mc.motion.Feature``: 1 for a vertex, 2 for an
        edge, 3 for the face.

        The value is 0 beyond the limit. The type is int, or an array (k,) uint8 for a stack. The errors are the same as
        for ``barycentric_a``.
        """
        return _plain(features_of(self._weights(0)))

    @property
    def feature_b(self) -> Any:
        """The part of ``triangle_b`` on which ``point_b`` lies. The values and the errors are the same as for
        ``feature_a``.
        """
        return _plain(features_of(self._weights(1)))

    def _weights(self, side: int) -> np.ndarray:
        if self._surfaces is None:
            raise UnsupportedOption(
                "barycentric coordinates need meshes in memory: they are not available for clustered "
                "meshes and exact shapes"
            )
        triangles = np.atleast_1d((self.triangle_a, self.triangle_b)[side])
        points = self._points[..., side, :].reshape(-1, 3)
        weights, found = np.full((len(triangles), 3), np.nan), np.flatnonzero(triangles >= 0)
        meshes, poses = self._surfaces
        rows = np.frombuffer(poses).reshape(2, 1, 4, 4)[side] if isinstance(poses, bytes) else poses[side]
        corners = transform_points(pose_rows(rows, found)[:, None], meshes[side].corners_of(triangles[found]))
        weights[found] = barycentric(corners, points[found])
        return weights.reshape(self._points[..., side, :].shape)

    @property
    def stats(self) -> QueryStats:
        """Statistics about the work that the query did."""
        return self._work if isinstance(self._work, QueryStats) else QueryStats(*self._work)

    def __repr__(self) -> str:
        return f"Distance({self.distance!r} m, triangles {self.triangle_a!r} and {self.triangle_b!r})"


def _plain(codes: np.ndarray) -> Any:
    return int(codes) if codes.ndim == 0 else codes


def distance_of(answer: Answer, request: Any, surfaces: Surfaces | None = None) -> Distance:
    """Convert an answer with the nearest pairs to the result for a ``Request``."""
    options, stats = request.options, request.stats(answer)
    bounds = options.relative_error, options.absolute_error, options.upper_limit, options.lower_limit
    beyond = (answer.distances > options.upper_limit) | (answer.pairs[:, 0] < 0)
    distances, points, pairs = answer.distances, answer.points, answer.pairs
    if beyond.any():
        distances, points = np.where(beyond, np.inf, distances), np.where(beyond[:, None, None], np.nan, points)
        pairs = np.where(beyond[:, None], -1, pairs)
    if request.stacked:
        return Distance(distances, points, pairs[:, 0], pairs[:, 1], stats, surfaces, bounds)
    pair = int(pairs[0, 0]), int(pairs[0, 1])
    return Distance(float(distances[0]), points[0], *pair, stats, surfaces, bounds)


class Clearances(Copyable):
    """All pairs of triangles within a tolerance, sorted by (pose, i, j). ``clearance`` returns a Clearances.

    Attributes:
        pairs: (k, 2) int32, triangle of a and triangle of b, -1 for an exact shape; int64 if a clustered mesh has more
            than 2^31 triangles.
        distances: (k,) float64 [m], at most the tolerance; exactly 0 for triangles that have a common point.
        pose: (k,) int32, index of the pose in a stack; 0 without a stack.
        tolerance: [m].
        stats: QueryStats of the query.
    """

    def __init__(
        self,
        found: tuple[np.ndarray, np.ndarray, np.ndarray],
        tolerance: float,
        stats: QueryStats,
        meshes: tuple[Corners, Corners] | None = None,
        rows: tuple[np.ndarray, np.ndarray] | None = None,
        known_points: np.ndarray | None = None,
    ) -> None:
        self.pairs, self.distances, self.pose = found
        self.tolerance = tolerance
        self.stats = stats
        self._meshes = meshes
        self._rows = rows
        self._known_points = known_points

    def __len__(self) -> int:
        return len(self.pairs)

    def chosen(self, rows: np.ndarray) -> "Clearances":
        """Return only some of the pairs, which you choose by their indices (m,)."""
        chosen = places_of("rows", rows, len(self))
        found = self.pairs[chosen], self.distances[chosen], self.pose[chosen]
        return Clearances(found, self.tolerance, self.stats, self._meshes, self._rows)

    def points(self) -> np.ndarray:
        """Return the nearest points on both triangles of each pair in world coordinates, (k, 2, 3) float64 [m]."""
        if self._known_points is not None:
            return self._known_points
        points = np.empty((len(self), 2, 3))
        for begin in range(0, len(self), _TOGETHER):  # small parts stay in the processor's cache
            part = slice(begin, begin + _TOGETHER)
            a, b = self._world_triangles(0, part), self._world_triangles(1, part)
            points[part] = nearest_points(a, b, self.distances[part] > 0.0)[1]
        return points

    def _world_triangles(self, side: int, part: slice) -> np.ndarray:
        assert self._meshes is not None and self._rows is not None
        corners = self._meshes[side].corners_of(self.pairs[part, side])
        return transform_points(self._rows[side][self.pose[part], None], corners)

    def __repr__(self) -> str:
        return f"Clearances({len(self)} pairs within {self.tolerance:g} m)"


@dataclass(frozen=True, eq=False)
class Penetration:
    """The penetration of two solids: how far and in which direction one of them must move to separate them. If you move
    b by ``translation``, the two objects are separated.

    If you pass a stack of k poses, all fields except ``centres`` and ``pairs`` are arrays of k entries.

    Attributes:
        depth: Length of the translation [m], float or (k,): an upper bound of the penetration depth, and equal to the
            penetration depth if both solids are convex.
        direction: Unit vector of the translation, (3,) or (k, 3) float64, world; zero if the solids have no common
            volume.
        lower_bound: No shorter translation [m] separates the solids; float or (k,).
        centres: Centre of a ball in the common volume, in the frames of a and of b, (2, 3) [m], where a query with
            ``start`` searches first. For a stack, ``centres`` and ``pairs`` are those of the last pose.
        pairs: For convex solids: points of a and b that determined the result, (k, 2) int64, as indices into the points
            that triangles use.
        point_a: The point of a, (3,) or (k, 3) [m], world, that b leaves last: ``point_b`` plus the translation; NaN if
            the solids have no common volume.
        point_b: The point of b that leaves a last, in its position before the translation.
    """

    depth: Any
    direction: np.ndarray
    lower_bound: Any
    centres: np.ndarray | None = None
    pairs: np.ndarray | None = None
    point_a: np.ndarray = field(default_factory=lambda: _NOWHERE)
    point_b: np.ndarray = field(default_factory=lambda: _NOWHERE)

    @property
    def translation(self) -> np.ndarray:
        """The vector by which you must move b to separate the solids [m], (3,) or (k, 3) float64."""
        return np.asarray(self.depth)[..., None] * self.direction

    @property
    def columns(self) -> tuple[Any, np.ndarray, Any, np.ndarray, np.ndarray]:
        """Return the depth, the direction, the lower bound and both points. For a stack, return them for each pose."""
        return self.depth, self.direction, self.lower_bound, self.point_a, self.point_b

    @property
    def last(self) -> "Penetration":
        """The result for the last pose, if you passed a stack of poses."""
        if np.ndim(self.depth) == 0:
            return self
        depth, direction, lower, point_a, point_b = (values[-1] for values in self.columns)
        return Penetration(float(depth), direction, float(lower), self.centres, self.pairs, point_a, point_b)


def stacked_penetrations(found: Sequence[Penetration]) -> Penetration:
    """Combine the results of single poses to the result for a stack."""
    depth, direction, lower, point_a, point_b = map(np.array, zip(*(one.columns for one in found), strict=True))
    return Penetration(depth, direction, lower, found[-1].centres, found[-1].pairs, point_a, point_b)


def no_penetration(pairs: np.ndarray | None = None) -> Penetration:
    """Return the result for solids without common volume."""
    return Penetration(0.0, np.zeros(3), 0.0, None, pairs)


@dataclass(frozen=True, eq=False)
class SignedDistance:
    """The signed distances of n points from a solid.

    Attributes:
        distance: Distance to the surface [m], (n,) float64: negative inside, positive outside, 0 on the surface.
        point: Nearest point of the surface [m], world, (n, 3) float64.
        triangle: Triangle on which the nearest point lies, (n,) int32; any of them if several are equally near.
        certainty: Probability that the sign is right, (n,) float64: 1 for a closed mesh; for an open mesh, a sign
            counts as known if its certainty is at least 0.99.
        asked: The points of the query [m], (n, 3) float64.
        surface: The mesh and its pose (3, 4).
    """

    distance: np.ndarray
    point: np.ndarray
    triangle: np.ndarray
    certainty: np.ndarray
    asked: np.ndarray
    surface: tuple[Corners, np.ndarray] = field(repr=False)

    @property
    def gradient(self) -> np.ndarray:
        """The gradient of the signed distance at each point, as unit vectors (n, 3).

        For a point outside the solid, the gradient points away from the surface. For a point inside the solid, the
        gradient points towards the surface. For a point on the surface, the gradient is the normal of the triangle, and
        the order of the corners decides on which side of the triangle it points.
        """
        away = unit(np.sign(self.distance)[:, None] * (self.asked - self.point))
        on = np.flatnonzero(np.isnan(away[:, 0]))
        away[on] = unit_normals(self._corners(on))
        return away

    @property
    def barycentric(self) -> np.ndarray:
        """The barycentric coordinates of each nearest point in its triangle, in the order of the corners, (n, 3)."""
        return barycentric(self._corners(np.arange(len(self.triangle))), self.point)

    @property
    def feature(self) -> np.ndarray:
        """The part of its triangle on which each nearest point lies, (n,) uint8. The values are those of
        ``mc.motion.Feature``: 1 for a vertex, 2 for an edge, 3 for the face.
        """
        return features_of(self.barycentric)

    def _corners(self, chosen: np.ndarray) -> np.ndarray:
        mesh, rows = self.surface
        return transform_points(rows, mesh.corners_of(self.triangle[chosen]))


def known_pairs(start: Any, sizes: Sequence[int], count: int) -> list[tuple[int, int]]:
    """Return the pairs of triangles from which ``distance`` starts: none, one, or one for each of ``count`` poses.

    Args:
        start: an earlier result, or None.
        sizes: numbers of triangles of both objects.
        count: number of poses of the query.

    Raises:
        UnsupportedOption: the argument is not a Distance, or belongs to other objects, or has another number of poses.
    """
    if start is None:
        return []
    if not isinstance(start, Distance):
        raise no_start("distance", start)
    if isinstance(start.triangle_a, int):
        known = [(start.triangle_a, start.triangle_b)]
    else:
        known = list(zip(start.triangle_a.tolist(), start.triangle_b.tolist(), strict=True))
    if not all((0 <= t < sizes[0] and 0 <= u < sizes[1]) or t == u == -1 for t, u in known):
        raise UnsupportedOption(
            f"start refers to triangles that do not exist in meshes of {sizes[0]} and {sizes[1]} triangles"
        )
    if len(known) not in (1, count):
        raise UnsupportedOption(f"start has {len(known)} poses, but the query has {count}")
    return known


def no_start(query: str, start: object) -> UnsupportedOption:
    """Return the error for a ``start`` that is not an earlier result."""
    return UnsupportedOption(f"start must be the result of an earlier {query} query, not {a_type(start)}")
