"""Compare two convex shapes: exactly for spheres, capsules, boxes, triangles and hulls, by proved bounds for other
shapes.

Coordinates are relative to the first object's origin, as in ``pairs.py``.
"""

import math
from functools import cached_property

import numpy as np

from ...convex.convex_distance import (
    ACROSS,
    COLUMNS,
    LOWER,
    POINT_A,
    POINT_B,
    SIZE,
    UPPER,
    convex_distance_beside,
)
from ...convex.exact_comparison import NO_BOXES, WITHIN, boxes_within, is_within
from ...convex.exact_shapes import ConvexShape
from ...convex.hull_separation import part_each
from ...convex.supports import farthest_of_round
from ...types.pose import transform_points
from .objects import CollisionObject
from .pairs import ROUNDING, BoundedPair, Gap, Parting, direction_of

_DEPTH = 1e-12
"""Difference of the two bounds of the depth at which the search ends, relative to the size."""
_ENOUGH = 1e-3
"""The tolerance relative to the depth; meeting either tolerance is enough. The depth is never too small."""
_MOST_SUPPORTS = 64
_HERE = np.eye(4)[None, :3].copy()


def nearest(
    o1: CollisionObject, o2: CollisionObject, a: ConvexShape, b: ConvexShape, enough: float = math.inf
) -> np.ndarray:
    """Return the bounds and nearest points of the cores, (COLUMNS,), see ``convex_distance.py``.

    If the cores are farther apart than ``enough`` [m], only the lower bound is computed, and only as far as it shows
    this.
    """
    answer = np.empty(COLUMNS)
    convex_distance_beside(a.points, a.form, o1.matrix, b.points, b.form, o2.matrix, enough, answer)
    return answer


def meet(o1: CollisionObject, o2: CollisionObject, a: ConvexShape, b: ConvexShape, answer: np.ndarray) -> bool:
    """Return whether two convex shapes have a common point, from the bounds of their cores.

    Polyhedra without radii are compared exactly, by their corners as float64 numbers. Other shapes count as apart only
    if this is certain, because their corners are rounded, too.
    """
    reach, slack = a.radius + b.radius, slack_of(a, b, answer)
    if answer.item(LOWER) > reach + slack:
        return False
    if slack or answer.item(LOWER) < 0.0:
        return True
    (first, _), (second, _) = _relative(o1, o2, a, b)
    told = boxes_within(first[None], second[None], (0.0, 0.0), False)[0]
    if told != NO_BOXES:
        return bool(told == WITHIN)
    return is_within(first, second, (0.0,), answer[POINT_B : POINT_B + 3] - answer[POINT_A : POINT_A + 3])


def short_gap(
    a: ConvexShape, b: ConvexShape, answer: np.ndarray, apart: bool
) -> tuple[float, tuple[np.ndarray, np.ndarray]] | None:
    """Return the distance [m] and nearest points of shapes that are apart, or -1.0 and twice a common point.

    None if the nearest points of the cores are so close that they define no direction.
    """
    lower, upper, x, y, z, p, q, r, size = answer.tolist()[:ACROSS]
    reach, slack = a.radius + b.radius, slack_of(a, b, answer)
    if not apart:
        share = a.radius / reach if reach else 0.5
        common = np.array([x + share * (p - x), y + share * (q - y), z + share * (r - z)])
        return -1.0, (common, common.copy())
    length = math.dist((x, y, z), (p, q, r))
    if length <= 1e-9 * size:
        return None
    s, t = a.radius / length, b.radius / length
    ways = p - x, q - y, r - z
    first = np.array([x + s * ways[0], y + s * ways[1], z + s * ways[2]])
    second = np.array([p - t * ways[0], q - t * ways[1], r - t * ways[2]])
    return max((lower if slack else upper) - reach - slack, 0.0), (first, second)


def slack_of(a: ConvexShape, b: ConvexShape, answer: np.ndarray) -> float:
    """Return how much [m] to reduce the reported distance of round shapes, so that it is never too large."""
    reach = a.radius + b.radius
    if reach == 0.0 and a.is_polyhedron and b.is_polyhedron:
        return 0.0
    return ROUNDING * (answer.item(SIZE) + reach) + 5e-324


def _relative(
    o1: CollisionObject, o2: CollisionObject, a: ConvexShape, b: ConvexShape
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return the corners (n, 3) and poses (3, 4) of both, relative to the first object's origin."""
    row_a, row_b = o1.matrix[:3].copy(), o2.matrix[:3].copy()
    row_b[:, 3] -= row_a[:, 3]
    row_a[:, 3] = 0.0
    return (transform_points(row_a, a.points[0]), row_a), (transform_points(row_b, b.points[0]), row_b)


class ConvexPair(BoundedPair):
    """Two convex shapes."""

    def __init__(self, o1: CollisionObject, o2: CollisionObject, a: ConvexShape, b: ConvexShape) -> None:
        super().__init__(o1, o2)
        self._solids, self._answer = (a, b), nearest(o1, o2, a, b)
        self._meets = meet(o1, o2, a, b, self._answer)
        self._placed = _relative(o1, o2, a, b)
        self._reach, self._slack = a.radius + b.radius, slack_of(a, b, self._answer)

    @cached_property
    def is_apart(self) -> bool:
        """Whether the shapes have no common point."""
        return not self._meets

    @property
    def _ends(self) -> np.ndarray:
        """Nearest points of the cores, (2, 3), relative to the first object's origin."""
        ends: np.ndarray = self._answer[POINT_A : POINT_B + 3].reshape(2, 3) - self._origin
        return ends

    @property
    def _gap(self) -> float:
        """Distance of the cores [m]; a lower bound for round shapes."""
        return self._answer.item(LOWER if self._slack else UPPER)

    def gap(self) -> Gap:
        """Return the gap of shapes that are apart."""
        a, b = self._ends
        away = self._answer[ACROSS : ACROSS + 3] if self._gap < 1e-9 * self._answer[SIZE] else b - a
        distance = max(self._gap - self._reach - self._slack, 0.0)
        return Gap(distance, self._sides(a, b, direction_of(np.zeros(3), away)), (-1, -1))

    def _sides(self, a: np.ndarray, b: np.ndarray, direction: np.ndarray) -> list[np.ndarray]:
        first, second = self._solids
        return [a + first.radius * direction + self._origin, b - second.radius * direction + self._origin]

    def parting(self) -> Parting:
        """Return how shapes that meet can be separated."""
        a, b = self._ends
        size = float(self._answer[SIZE])
        if self._gap > 1e-10 * size:
            direction = direction_of(a, b)
            depth = self._reach - self._gap
        else:
            gap, direction, (a, b) = self._come_apart(size)
            depth = self._reach + gap
        return Parting(max(depth + self._slack, 0.0), direction, self._sides(a, b, direction))

    def _come_apart(self, size: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the depth of the cores, the direction in which b leaves, and the last contact points of both, (2, 3).

        A round solid is the hull of points on it. The shortest separation of these hulls is a lower bound. The farthest
        points along its direction give an upper bound and are added to the hulls, until the two bounds nearly agree.
        The upper bound is returned: moving b by it separates the two objects.
        """
        clouds = [_inner_points(solid, placed) for solid, placed in zip(self._solids, self._placed, strict=True)]
        best, direction, ends = np.inf, np.array([1.0, 0.0, 0.0]), self._ends
        for _ in range(_MOST_SUPPORTS):
            first, second = (np.ascontiguousarray(cloud) for cloud in clouds)
            found = part_each(first, second, _HERE, _HERE, None)
            way = found.directions[0]
            far = [
                _farthest(solid, placed, sign * way)
                for solid, placed, sign in zip(self._solids, self._placed, (1.0, -1.0), strict=True)
            ]
            depth = float(way @ (far[0] - far[1]))
            if depth < best:
                best, direction = depth, way.copy()
                if np.isfinite(found.points[0]).all():  # not for flat hulls, which touch at their nearest points
                    ends = found.points[0].copy()
            if best - float(found.lower[0]) <= max(_DEPTH * size, _ENOUGH * best):
                break
            grown = [
                cloud if solid.is_polyhedron else np.vstack([cloud, end])
                for solid, cloud, end in zip(self._solids, clouds, far, strict=True)
            ]
            if all(map(np.array_equal, grown, clouds)):
                break
            clouds = grown
        return best, direction, ends

    def common_point(self) -> np.ndarray:
        """Return a common point of shapes that meet."""
        a, b = self._ends
        share = self._solids[0].radius / self._reach if self._reach else 0.5
        point: np.ndarray = a + share * (b - a) + self._origin
        return point


def _farthest(solid: ConvexShape, placed: tuple[np.ndarray, np.ndarray], way: np.ndarray) -> np.ndarray:
    """Return the point of a core that is farthest in a direction."""
    points, row = placed
    if solid.is_polyhedron:
        corner: np.ndarray = points[int((points @ way).argmax())]
        return corner
    end: np.ndarray = row[:, :3] @ np.array(farthest_of_round(solid.form, *(way @ row[:, :3]).tolist())) + row[:, 3]
    return end


def _inner_points(solid: ConvexShape, placed: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return points of a core, (n, 3): its corners, or some points on a round one."""
    if solid.is_polyhedron:
        return placed[0]
    steps = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)])
    return np.array([_farthest(solid, placed, step.astype(float)) for step in steps])
