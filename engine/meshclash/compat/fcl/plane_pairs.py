"""Pairs with a half-space or a plane: heights of points above a flat face."""

from typing import NamedTuple

import numpy as np

from ...convex.convexity import used_points
from .geometry import Halfspace, Plane
from .objects import CollisionObject
from .pairs import NONE, ROUNDING, Gap, Pair, Parting, Touch

_PARALLEL = 1e-15
"""Sine of the angle up to which faces count as parallel, given the rounding of their normals."""


class _Face(NamedTuple):
    """The flat boundary of a half-space or plane: n . x = offset, with an outward unit vector n."""

    normal: np.ndarray
    offset: float
    is_plane: bool

    @classmethod
    def of(cls, item: CollisionObject, origin: np.ndarray) -> "_Face":
        """Make the face of an object, relative to a point (3,)."""
        assert isinstance(item.geometry, Halfspace | Plane)
        normal, offset = item.geometry.face()
        turned = item.getRotation() @ normal
        turned /= np.linalg.norm(turned)
        return cls(turned, offset + float(turned @ (item.getTranslation() - origin)), isinstance(item.geometry, Plane))

    def flipped(self) -> "_Face":
        """Return the same face with the opposite normal."""
        return _Face(-self.normal, -self.offset, self.is_plane)

    def span(self) -> tuple[float, float]:
        """Return the lowest and the highest coordinate of the shape along its normal."""
        return self.offset if self.is_plane else -np.inf, self.offset


class FacePair(Pair):
    """A bounded object and a half-space or plane, in either order."""

    def __init__(self, o1: CollisionObject, o2: CollisionObject) -> None:
        self._is_first = o1.geometry.is_bounded
        item, flat = (o1, o2) if self._is_first else (o2, o1)
        self._shape, self._origin = item.geometry, flat.getTranslation()
        face, pose = _Face.of(flat, self._origin), item.pose
        mesh = self._shape.core.mesh
        self._points = used_points(mesh) if self._shape.is_convex else mesh.vertices[mesh.triangles].reshape(-1, 3)
        self._points = self._points @ pose[:3, :3].T + (pose[:3, 3] - self._origin)
        margin, sizes = self._shape.margin, (np.abs(self._points).max(), abs(face.offset))
        self._reach = margin + ROUNDING * (float(sum(sizes)) + margin)
        heights = self._points @ face.normal - face.offset
        if face.is_plane and heights.max() + heights.min() < 0.0:  # most of the shape is behind: separate backwards
            face, heights = face.flipped(), -heights
        self._face, self._heights, self._margin = face, heights, margin

    @property
    def is_apart(self) -> bool:
        """Whether the shapes have no common point."""
        return bool((self._depths() < 0.0).all())

    def _depths(self) -> np.ndarray:
        """Return the depth of each triangle of a ``BVHModel``, or of another shape, behind the face; (n,) [m]."""
        heights = self._heights[None] if self._shape.is_convex else self._heights.reshape(-1, 3)
        depths: np.ndarray = self._reach - heights.min(axis=1)
        if self._face.is_plane:
            depths = np.minimum(depths, self._reach + heights.max(axis=1))
        return depths

    def gap(self) -> Gap:
        """Return the gap of shapes that are apart."""
        nearest = int(np.argmin(np.abs(self._heights)))
        height = float(self._heights[nearest])
        side = -1.0 if height < 0.0 else 1.0
        triangle = NONE if self._shape.is_convex else nearest // 3
        first, second = (triangle, NONE) if self._is_first else (NONE, triangle)
        return Gap(abs(height) - self._reach, self._ends(nearest, side), (first, second))

    def parting(self) -> Parting:
        """Return how to separate shapes that meet."""
        lowest = int(np.argmin(self._heights))
        depth = self._reach - float(self._heights[lowest])
        return Parting(max(depth, 0.0), self._direction(), self._ends(lowest, 1.0))

    def _direction(self) -> np.ndarray:
        """Return the direction from the first object to the second: the bounded one leaves along the face's normal."""
        return -self._face.normal if self._is_first else self._face.normal

    def _ends(self, k: int, side: float) -> list[np.ndarray]:
        """Return the surface point nearest to core point k and its projection to the face, in the pair's order."""
        point, normal = self._points[k], self._face.normal
        ends = [point - side * self._margin * normal, point - self._heights[k] * normal]
        return [end + self._origin for end in (ends if self._is_first else ends[::-1])]

    def common_point(self) -> np.ndarray:
        """Return a common point of shapes that meet."""
        deepest = int(np.argmax(self._depths()))
        if self._shape.is_convex:
            low, high = int(np.argmin(self._heights)), int(np.argmax(self._heights))
        else:
            low, high = (
                3 * deepest + int(k(self._heights[3 * deepest : 3 * deepest + 3])) for k in (np.argmin, np.argmax)
            )
        return self._crossing(low, high) + self._origin

    def _crossing(self, low: int, high: int) -> np.ndarray:
        """Return a point between two points at the face's height, or as near to it as possible, within the margin."""
        below, above = self._heights[low], self._heights[high]
        share = np.clip(-below / (above - below), 0.0, 1.0) if above > below else 0.0
        point = self._points[low] + share * (self._points[high] - self._points[low])
        height = below + share * (above - below)
        moved: np.ndarray = point - np.clip(height, -self._margin, self._margin) * self._face.normal
        return moved

    def touches(self, most: int, described: bool) -> list[Touch]:
        """Return the contact of a convex shape, or one for each triangle of a ``BVHModel``, the deepest first."""
        depths = self._depths()
        rows = [row for row in np.argsort(-depths, kind="stable")[:most].tolist() if depths[row] >= 0.0]
        return [self._touch(row, described) for row in rows]

    def _touch(self, row: int, described: bool) -> Touch:
        if self._shape.is_convex:
            triangles, lowest = (NONE, NONE), int(np.argmin(self._heights))
        else:
            triangles = (row, NONE) if self._is_first else (NONE, row)
            lowest = 3 * row + int(np.argmin(self._heights[3 * row : 3 * row + 3]))
        if not described:
            return Touch(triangles)
        first, second = self._ends(lowest, 1.0)
        depth = max(self._reach - float(self._heights[lowest]), 0.0)
        return Touch(triangles, self._direction(), 0.5 * (first + second), depth)


class TwoFaces(Pair):
    """Two half-spaces or planes. Two half-spaces meet unless their faces are parallel and face away from each other."""

    def __init__(self, o1: CollisionObject, o2: CollisionObject) -> None:
        self._origin = o1.getTranslation()
        self._first, self._second = (_Face.of(item, self._origin) for item in (o1, o2))
        self._is_parallel = bool(np.abs(np.cross(self._first.normal, self._second.normal)).max() <= _PARALLEL)
        low, high = self._first.span()
        other_low, other_high = self._second.span()
        if self._first.normal @ self._second.normal < 0.0:
            other_low, other_high = -other_high, -other_low
        rounding = ROUNDING * (abs(self._first.offset) + abs(self._second.offset))
        self._ways = other_low - high - rounding, low - other_high - rounding
        self._common = min(high, other_high) if min(high, other_high) < np.inf else max(low, other_low)

    @property
    def is_apart(self) -> bool:
        """Whether the two have no common point."""
        return self._is_parallel and max(self._ways) > 0.0

    def _direction(self) -> np.ndarray:
        return self._first.normal if self._ways[0] >= self._ways[1] else -self._first.normal

    def _ends(self) -> list[np.ndarray]:
        return [face.normal * face.offset + self._origin for face in (self._first, self._second)]

    def gap(self) -> Gap:
        """Return the gap of parallel faces: any two opposite points are nearest."""
        return Gap(max(self._ways), self._ends(), (NONE, NONE))

    def parting(self) -> Parting:
        """Return how to separate the two, which is possible for parallel faces only."""
        if not self._is_parallel:
            return Parting(np.inf, np.zeros(3), [self.common_point()] * 2)
        return Parting(-max(self._ways), self._direction(), self._ends())

    def common_point(self) -> np.ndarray:
        """Return a common point."""
        if self._is_parallel:
            return self._first.normal * self._common + self._origin
        normals = np.array([self._first.normal, self._second.normal])
        point: np.ndarray = np.linalg.lstsq(normals, [self._first.offset, self._second.offset], rcond=None)[0]
        return point + self._origin

    def touches(self, most: int, described: bool) -> list[Touch]:
        """Return one contact."""
        if not described:
            return [Touch((NONE, NONE))]
        parting = self.parting()
        return [Touch((NONE, NONE), parting.normal, self.common_point(), parting.depth)]
