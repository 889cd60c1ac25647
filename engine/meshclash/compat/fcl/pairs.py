"""Two bounded objects: whether they are apart, how far, how deep they overlap, and their contacts.

Coordinates are relative to the first object's origin, so that rounding errors do not grow with the distance from the
world's origin. The distance of two shapes is that of their cores minus their margins. If cores overlap, the depth of
the shapes is that of the cores plus the margins.
"""

from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...convex.convexity import used_points
from ...convex.hull_separation import part_each
from ...errors import NotASolid
from ...hierarchy.bvh import Hierarchy
from ...manifold.contact_geometry import contact_points
from ...manifold.regions import contact_regions
from ...query.clearance import clearance
from ...query.distance import distance
from ...query.penetration import penetration
from ...query.shape_pairs import Near, ShapeSide, convex_and_surface
from ...query.shortcuts.kernels import APART, MEETING, OPEN
from ...query.shortcuts.record import records_of
from ...query.shortcuts.workspace import spare
from ...query.signed_distance import contains
from ...query.verdict import verdict
from ...types.verdict import Verdict
from .geometry import Box
from .objects import CollisionObject, may_contain

ROUNDING = 1e-14
"""Amount by which the distance of round shapes is reduced, relative to the coordinates, so that the distance is never
too large.

The coordinates are relative to the first object's origin. A distance contains about ten rounding errors of the
coordinates.
"""
NONE = -1
"""Triangle index of a shape without triangles."""


class Gap(NamedTuple):
    """The distance of two objects [m], the nearest points (3,), world, and the triangles that contain these points."""

    distance: float
    points: list[np.ndarray]
    triangles: tuple[int, int]


class Parting(NamedTuple):
    """The separation of two objects that meet: the second one has to move by the depth [m] along the normal.

    The points (3,), world, one of each object, touch after this motion.
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
    """Interface of a pair of objects."""

    @property
    def is_apart(self) -> bool:
        """Whether they have no common point."""

    def gap(self) -> Gap:
        """Return the gap of objects that are apart."""

    def parting(self) -> Parting:
        """Return how to separate objects that meet."""

    def common_point(self) -> np.ndarray:
        """Return a common point (3,), world, of objects that meet."""

    def touches(self, most: int, described: bool) -> list[Touch]:
        """Return one to ``most`` contacts of objects that meet; with points and depths if ``described``."""

    def first_touch(self) -> Touch | None:
        """Return any contact, without its point and depth; None if the objects are apart."""
        return None if self.is_apart else self.touches(1, False)[0]


class BoundedPair(Pair):
    """Two bounded objects: neither object is a half-space or plane."""

    def __init__(self, o1: CollisionObject, o2: CollisionObject) -> None:
        self._objects, self._shapes = (o1, o2), (o1.geometry, o2.geometry)
        self._cores = o1.geometry.core, o2.geometry.core
        self._poses = o1.matrix.copy(), o2.matrix.copy()
        self._origin = o1.matrix[:3, 3].copy()
        for pose in self._poses:
            pose[:3, 3] -= self._origin
        self._margins = o1.geometry.margin, o2.geometry.margin
        self._margin, self._rounding = sum(self._margins), 0.0
        if self._margin:
            sizes = [max(max(-low, high) for low, high in shape.box) for shape in self._shapes]
            self._rounding = ROUNDING * (sum(sizes) + max(map(abs, self._poses[1][:3, 3].tolist())))

    @cached_property
    def is_apart(self) -> bool:
        """Whether the shapes have no common point."""
        return not (self._margin and self._value <= 0.0) and not self._cores_meet

    @cached_property
    def _near(self) -> Any:
        """The distance of the surfaces of the cores."""
        return distance(*self._cores, *self._poses)

    @property
    def _value(self) -> float:
        """The distance of the shapes if their cores are apart [m]; negative if the shapes overlap."""
        return float(self._near.distance) - self._margin - self._rounding

    @cached_property
    def _verdict(self) -> Any:
        return verdict(*self._cores, *self._poses, depth=False)

    @property
    def _cores_meet(self) -> bool:
        if self._shapes[0].is_thin and self._shapes[1].is_thin:
            return float(self._near.distance) == 0.0
        return self._verdict.verdict is not Verdict.APART

    def first_touch(self) -> Touch | None:
        """Return any contact, without its point and depth; None if the objects are apart."""
        triangles = self._nearer_than_margin() if self._margin else self._first_pair()
        if triangles is not None:
            return Touch(triangles)
        return Touch((NONE, NONE)) if self._may_contain and not self.is_apart else None

    @property
    def _may_contain(self) -> bool:
        first, second = self._objects
        return may_contain(first, second) or may_contain(second, first)

    def _nearer_than_margin(self) -> tuple[int, int] | None:
        """Return triangles of the cores whose distance is at most the margin; None if there are none."""
        reach = self._margin + self._rounding
        near = distance(*self._cores, *self._poses, upper_limit=reach, lower_limit=reach)
        return self._triangles(near.triangle_a, near.triangle_b) if near.distance <= reach else None

    def _first_pair(self) -> tuple[int, int] | None:
        """Return triangles of the cores that meet; None if there are none, or the kernel cannot tell."""
        met, triangles = self._first_of(*self._cores)
        if met == MEETING:
            return triangles
        return None if met == APART or self.is_apart else self.touches(1, False)[0].triangles

    def _first_of(self, a: Hierarchy, b: Hierarchy) -> tuple[int, tuple[int, int]]:
        """Return what ``meet_single`` tells about two surfaces in the poses of the objects, and the triangles if they
        meet.
        """
        records = records_of(a, b, None)
        if records is None:
            return OPEN, (NONE, NONE)
        space = spare.take()
        met, pair = space.find(*records, *self._poses), space.pair[0].tolist()
        spare.give(space)
        return met, self._triangles(*pair) if met == MEETING else (NONE, NONE)

    def gap(self) -> Gap:
        """Return the gap of shapes that are apart."""
        near = self._near
        points = self._on_surfaces(near.point_a, near.point_b, direction_of(near.point_a, near.point_b))
        return Gap(self._value, points, self._triangles(near.triangle_a, near.triangle_b))

    def _triangles(self, a: int, b: int) -> tuple[int, int]:
        """Convert triangles of the cores to the caller's triangles: only a ``BVHModel`` has triangles."""
        first, second = self._shapes
        return NONE if first.is_convex else int(a), NONE if second.is_convex else int(b)

    def _on_surfaces(self, a: np.ndarray, b: np.ndarray, direction: np.ndarray) -> list[np.ndarray]:
        """Move points of the cores along the direction from a to b to the surfaces of the shapes, world."""
        return [a + self._margins[0] * direction + self._origin, b - self._margins[1] * direction + self._origin]

    def parting(self) -> Parting:
        """Return how to separate shapes that meet."""
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
        if float(near.distance) == 0.0:  # surfaces that bound no solid: separate the triangles that meet
            return self._part(0.0, near.points, triangles)
        return Parting(0.0, np.zeros(3), [self.common_point()] * 2)

    def _part(self, gap: float, ends: np.ndarray, triangles: tuple[int, int]) -> Parting:
        """Separate two convex cores, or one triangle of a ``BVHModel``, with the margins around them.

        Args:
            gap: distance of the two [m]; 0 if they meet.
            ends: the nearest points (2, 3); if they are equal up to rounding they define no direction.
            triangles: triangles of both sides, for a ``BVHModel``.
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
                ends = found.points[0].copy() if np.isfinite(found.points[0]).all() else ends  # not for flat hulls
        return Parting(depth + self._margin + self._rounding, direction, self._on_surfaces(ends[0], ends[1], direction))

    def common_point(self) -> np.ndarray:
        """Return a common point of shapes that meet."""
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
        """Return contacts of shapes that meet: one contact for convex shapes, up to four for boxes, else one per
        triangle.
        """
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
        """Return points of the common volume that are inside both boxes, or on both if they only touch."""
        found = []
        for region in contact_regions(self._verdict.contacts):
            for point, depth in zip(*region.manifold(4), strict=True):
                found.append(Touch((NONE, NONE), region.normal, point + self._origin, float(depth)))
        return found

    def _mesh_touches(self, most: int, described: bool) -> list[Touch]:
        """Return contacts of the triangles of cores without margins that meet, each pair once."""
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
        """Return contacts of the triangles of a ``BVHModel`` that a round shape meets, nearest to its core first."""
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


class RoundSolidPair(BoundedPair):
    """A ``BVHModel``, and a cylinder, cone or ellipsoid.

    Whether they meet, and how far they are apart, is that of the true shape. Contacts and depths are those of the mesh
    that contains the shape.
    """

    def __init__(self, o1: CollisionObject, o2: CollisionObject) -> None:
        super().__init__(o1, o2)
        self._solid = 0 if o1.geometry.shape is not None else 1
        solid, model = self._shapes[self._solid], self._shapes[1 - self._solid]
        self._compare = ShapeSide.of(solid.shape), ShapeSide.of(model.core)
        self._inner = (solid.inner, model.core) if self._solid == 0 else (model.core, solid.inner)

    def _compared(self, only_met: bool) -> Near:
        """Compare the true shape with the triangles of the model."""
        first, second = (self._poses[side][:3] for side in (self._solid, 1 - self._solid))
        return convex_and_surface(*self._compare, first, second, only_met)

    @cached_property
    def _true_near(self) -> Near:
        return self._compared(False)

    @cached_property
    def _is_contained(self) -> bool:
        """Whether the shape, which meets no triangle of the model, is inside the model."""
        inner, outer = self._solid, 1 - self._solid
        model = self._cores[outer]
        if not may_contain(self._objects[outer], self._objects[inner]) or not model.mesh.is_closed:
            return False
        return bool(contains(model, self._poses[inner][None, :3, 3], self._poses[outer])[0])

    @cached_property
    def is_apart(self) -> bool:
        """Whether the shapes have no common point."""
        return not self._true_near.met[0] and not self._is_contained

    def first_touch(self) -> Touch | None:
        """Return any contact, without its point and depth; None if the objects are apart."""
        # Meshes inside and around the shape are compared first, which takes a fraction of the time.
        met, triangles = self._first_of(*self._inner)
        if met == MEETING:
            return Touch(triangles)
        if not self._may_contain and self._first_of(*self._cores)[0] == APART:
            return None
        near = self._compared(True)
        if near.met[0]:
            return Touch(self._of_model(near))
        return Touch((NONE, NONE)) if self._is_contained else None

    def common_point(self) -> np.ndarray:
        """Return a common point of shapes that meet."""
        near = self._true_near
        point: np.ndarray = near.points[0].mean(axis=0) if near.met[0] else self._poses[self._solid][:3, 3]
        return point + self._origin

    def _of_model(self, near: Near) -> tuple[int, int]:
        triangle = int(near.triangles[0, 1])
        return (NONE, triangle) if self._solid == 0 else (triangle, NONE)

    def gap(self) -> Gap:
        """Return the gap of shapes that are apart."""
        near = self._true_near
        first, second = near.points[0] + self._origin
        points = [first, second] if self._solid == 0 else [second, first]
        return Gap(float(near.distances[0]), points, self._of_model(near))


def direction_of(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the unit vector (3,) from one point to another; zero if they are equal."""
    way: np.ndarray = b - a
    largest = np.abs(way).max()
    if largest == 0.0:
        return way
    scaled = way / largest
    direction: np.ndarray = scaled / np.linalg.norm(scaled)
    return direction


def _touch(triangles: tuple[int, int], parting: Parting) -> Touch:
    """Return a contact half way between the points that touch last."""
    return Touch(triangles, parting.normal, 0.5 * (parting.points[0] + parting.points[1]), parting.depth)
