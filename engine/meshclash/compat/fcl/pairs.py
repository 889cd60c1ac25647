"""Two bounded objects: whether they are apart and how far, how deep they overlap, and their contacts.

Coordinates are taken from the first object's origin, so that rounding does not grow with the distance from the world's.
The distance of two shapes is that of their cores less their margins; where cores overlap, the depth of the shapes is
that of the cores plus the margins.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...convex.convexity import used_points
from ...convex.hull_separation import part_each
from ...errors import NotASolid
from ...manifold.contact_geometry import contact_points
from ...manifold.regions import contact_regions
from ...query.clearance import clearance
from ...query.distance import distance
from ...query.penetration import penetration
from ...query.verdict import verdict
from ...types.verdict import Verdict
from .geometry import Box
from .objects import CollisionObject

ROUNDING = 1e-14
"""Share of the coordinates by which the distance of round shapes is reported too small, so that it is never too large.

The coordinates are those seen from the first object's origin. A distance has some ten roundings of them.
"""
NONE = -1
"""The triangle of a shape that has none."""


class Gap(NamedTuple):
    """How far apart two objects are [m], the nearest points (3,), world, and the triangles that have them."""

    distance: float
    points: list[np.ndarray]
    triangles: tuple[int, int]


class Parting(NamedTuple):
    """How objects that meet come apart: the second one moves by the depth [m] along the normal.

    The points (3,), world, one of each object, are those that touch after this motion.
    """

    depth: float
    normal: np.ndarray
    points: list[np.ndarray]


class Touch(NamedTuple):
    """A contact: triangles or NONE, a normal from the first to the second object, a point (3,), and a depth [m]."""

    triangles: tuple[int, int]
    normal: np.ndarray = np.zeros(3)
    point: np.ndarray = np.zeros(3)
    depth: float = 0.0


class Pair(Protocol):
    """Two objects."""

    @property
    def is_apart(self) -> bool:
        """Whether they have no point in common."""

    def gap(self) -> Gap:
        """Of objects that are apart."""

    def parting(self) -> Parting:
        """Of objects that meet."""

    def common_point(self) -> np.ndarray:
        """A point (3,) of both, world, of objects that meet."""

    def touches(self, most: int, described: bool) -> list[Touch]:
        """At least one contact of objects that meet, and at most ``most``; ``described``: with points and depths."""


class BoundedPair:
    """Two objects that are no half-spaces or planes."""

    def __init__(self, o1: CollisionObject, o2: CollisionObject) -> None:
        self._shapes = o1.geometry, o2.geometry
        self._cores = o1.geometry.core, o2.geometry.core
        self._origin = o1.getTranslation()
        self._poses = o1.pose, o2.pose
        for pose in self._poses:
            pose[:3, 3] -= self._origin
        self._margins = o1.geometry.margin, o2.geometry.margin
        self._margin, self._rounding = sum(self._margins), 0.0
        if self._margin:
            sizes = [float(np.abs(shape.local_box()).max()) for shape in self._shapes]
            self._rounding = ROUNDING * (sum(sizes) + float(np.abs(self._poses[1][:3, 3]).max()))

    @cached_property
    def is_apart(self) -> bool:
        """Whether the shapes have no point in common."""
        return not (self._margin and self._value <= 0.0) and not self._cores_meet

    @cached_property
    def _near(self) -> Any:
        """The distance of the surfaces of the cores."""
        return distance(*self._cores, *self._poses)

    @property
    def _value(self) -> float:
        """The distance of the shapes where cores are apart, below 0 where the shapes overlap [m]."""
        return float(self._near.distance) - self._margin - self._rounding

    @cached_property
    def _verdict(self) -> Any:
        return verdict(*self._cores, *self._poses, depth=False)

    @property
    def _cores_meet(self) -> bool:
        if self._shapes[0].is_thin and self._shapes[1].is_thin:
            return float(self._near.distance) == 0.0
        return self._verdict.verdict is not Verdict.APART

    def gap(self) -> Gap:
        """Of shapes that are apart."""
        near = self._near
        points = self._on_surfaces(near.point_a, near.point_b, direction_of(near.point_a, near.point_b))
        return Gap(self._value, points, self._triangles(near.triangle_a, near.triangle_b))

    def _triangles(self, a: int, b: int) -> tuple[int, int]:
        """Triangles of the cores as the caller knows them: only a ``BVHModel`` has any."""
        first, second = (NONE if shape.is_convex else int(k) for shape, k in zip(self._shapes, (a, b), strict=True))
        return first, second

    def _on_surfaces(self, a: np.ndarray, b: np.ndarray, direction: np.ndarray) -> list[np.ndarray]:
        """From points of the cores to points of the shapes' surfaces, world, along the direction from a to b."""
        return [a + self._margins[0] * direction + self._origin, b - self._margins[1] * direction + self._origin]

    def parting(self) -> Parting:
        """How shapes that meet come apart."""
        near = self._near
        triangles = near.triangle_a, near.triangle_b
        if not self._cores_meet:
            return self._part(float(near.distance), near.points, triangles)
        if self._shapes[0].is_convex and self._shapes[1].is_convex:
            return self._part(0.0, near.points, triangles)
        try:
            found = penetration(self._shapes[0].enclosing, self._shapes[1].enclosing, *self._poses)
        except NotASolid:
            found = None
        if found is not None and found.depth > 0.0:
            points = [found.point_a + self._origin, found.point_b + self._origin]
            return Parting(float(found.depth), found.direction, points)
        if float(near.distance) == 0.0:  # surfaces that bound no solid: the triangles that meet come apart
            return self._part(0.0, near.points, triangles)
        return Parting(0.0, np.zeros(3), [self.common_point()] * 2)

    def _part(self, gap: float, ends: np.ndarray, triangles: tuple[int, int]) -> Parting:
        """Part two convex cores, or one triangle of a ``BVHModel``, with the margins around them.

        Args:
            gap: between the two [m]; 0 where they meet.
            ends: the nearest points (2, 3), of which no direction is known where they are within rounding.
            triangles: of the sides, for a ``BVHModel``.
        """
        if gap > 1e4 * self._rounding:
            direction, depth = direction_of(ends[0], ends[1]), -gap
        else:
            sides = []
            for shape, core, triangle in zip(self._shapes, self._cores, triangles, strict=True):
                mesh = core.mesh
                points = used_points(mesh) if shape.is_convex else mesh.vertices[mesh.triangles[triangle]]
                sides.append(np.ascontiguousarray(points))
            row_a, row_b = (np.ascontiguousarray(pose[None, :3]) for pose in self._poses)
            found = part_each(sides[0], sides[1], row_a, row_b, None)
            direction, depth = found.directions[0].copy(), -gap
            if gap == 0.0:
                depth = max(float(found.lengths[0]), 0.0)
                ends = found.points[0].copy() if np.isfinite(found.points[0]).all() else ends  # not of flat hulls
        return Parting(depth + self._margin + self._rounding, direction, self._on_surfaces(ends[0], ends[1], direction))

    def common_point(self) -> np.ndarray:
        """A point of both shapes, which meet."""
        near = self._near
        points = near.point_a, near.point_b
        if float(near.distance) == 0.0 or not self._cores_meet:
            share = self._margins[0] / self._margin if self._margin else 0.0
        else:  # one core is inside the other: the smaller one
            sizes = [
                float(np.ptp(used_points(core.mesh) @ pose[:3, :3].T, axis=0).max())
                for core, pose in zip(self._cores, self._poses, strict=True)
            ]
            share = float(sizes[1] < sizes[0])
        return points[0] + share * (points[1] - points[0]) + self._origin

    def touches(self, most: int, described: bool) -> list[Touch]:
        """Contacts of shapes that meet: one of two convex shapes, up to four of two boxes, else one a triangle."""
        if self._shapes[0].is_convex and self._shapes[1].is_convex:
            if not described:
                return [Touch((NONE, NONE))]
            if most > 1 and isinstance(self._shapes[0], Box) and isinstance(self._shapes[1], Box):
                return self._box_touches()[:most] or [self._whole_touch()]
            return [self._whole_touch()]
        found = self._round_touches(most, described) if self._margin else self._mesh_touches(most, described)
        return found or [self._whole_touch() if described else Touch((NONE, NONE))]

    def _whole_touch(self) -> Touch:
        return _touch((NONE, NONE), self.parting())

    def _box_touches(self) -> list[Touch]:
        """Points of the common volume that are inside both boxes, or on both where these only touch."""
        found = []
        for region in contact_regions(self._verdict.contacts):
            deep = region.depths > 0.0 if region.depth > 0.0 else np.full(len(region.depths), True)
            inside = replace(region, points=region.points[deep], depths=region.depths[deep])
            for point, depth in zip(*inside.manifold(4), strict=True):
                found.append(Touch((NONE, NONE), region.normal, point + self._origin, float(depth)))
        return found

    def _mesh_touches(self, most: int, described: bool) -> list[Touch]:
        """Of the triangles of cores without margins that meet, each two once."""
        hits = self._verdict.contacts
        known = {self._triangles(i, j): row for row, (i, j) in reversed(list(enumerate(hits.pairs.tolist())))}
        rows = sorted(known.values())[:most]
        triangles = [self._triangles(*hits.pairs[row]) for row in rows]
        if not described or not rows:
            return [Touch(pair) for pair in triangles]
        told = contact_points(hits)
        return [
            Touch(pair, told.normals[row], told.points[row] + self._origin, float(told.depths[row]))
            for pair, row in zip(triangles, rows, strict=True)
        ]

    def _round_touches(self, most: int, described: bool) -> list[Touch]:
        """Of the triangles of a ``BVHModel`` that a round shape meets, the nearest to its core first."""
        if self._value > 0.0:
            return []
        near = self._near
        if most == 1:
            distances, pairs = np.array([near.distance]), np.array([[near.triangle_a, near.triangle_b]])
            points = np.array([[near.point_a, near.point_b]])
        else:
            found = clearance(*self._cores, self._margin + self._rounding, *self._poses)
            nearest = np.argsort(found.distances, kind="stable")[:most]
            distances, pairs, points = found.distances[nearest], found.pairs[nearest], found.points()[nearest]
        touches = []
        for gap, pair, ends in zip(distances.tolist(), pairs.tolist(), points, strict=True):
            triangles = self._triangles(*pair)
            parting = self._part(gap, ends, pair) if described else None
            touches.append(Touch(triangles) if parting is None else _touch(triangles, parting))
        return touches


def direction_of(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The unit vector (3,) from one point to another; zero where they are equal."""
    way: np.ndarray = b - a
    largest = np.abs(way).max()
    if largest == 0.0:
        return way
    scaled = way / largest
    direction: np.ndarray = scaled / np.linalg.norm(scaled)
    return direction


def _touch(triangles: tuple[int, int], parting: Parting) -> Touch:
    """A contact half way between the points that touch last."""
    return Touch(triangles, parting.normal, 0.5 * (parting.points[0] + parting.points[1]), parting.depth)
