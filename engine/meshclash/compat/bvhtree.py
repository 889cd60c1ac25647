"""``BVHTree``: a drop-in replacement for Blender's ``mathutils.bvhtree.BVHTree``, without Blender.

Methods, arguments and results are Blender's, with two differences. Vectors are tuples of floats, and everything is
computed in float64: which triangles a ray crosses and which triangles meet is decided exactly, whereas Blender rounds
to float32. The extension also has a class with ``FromObject`` and ``FromBMesh``, whose results are Blender's vectors.

``tree.mesh`` and ``tree.polygons`` allow queries of many rays or points at once: ``meshclash.ray_first(tree.mesh,
origins, directions)`` returns triangles, and ``tree.polygons[triangle]`` is the polygon of a triangle.
"""

import math
import sys
from collections.abc import Sequence
from types import NoneType
from typing import Any, Self

import numpy as np

from ..errors import UnsupportedOption
from ..hierarchy.build import as_boxes
from ..messages import shown
from ..query.collide import collide, self_collide
from ..query.features import unit
from ..query.signed_distance import checked_points
from ..reading.polygons import triangulated
from ..traversal.forest import pack_trees
from ..traversal.nearest_triangles import NearestFinder
from ..traversal.point import IDENTITY
from ..traversal.ray_casting import RayCaster, Rays
from ..types.arguments import items_of
from ..types.copying import Copyable
from ..types.mesh import TriangleMesh
from ..types.numbers import given_array, real_number, truth
from ..types.pose import LARGEST_COORDINATE
from ..types.steps import run

Vector = tuple[float, float, float]
Hit = tuple[Vector, Vector, int, float]
"""Location, normal, index of the polygon, distance."""
NoHit = tuple[None, None, None, None]
_NO_HIT: NoHit = (None, None, None, None)
_FARTHEST = 1.844674352395373e19
"""The default of Blender: the square root of the largest float32 number."""
_FEW = 32


class BVHTree(Copyable, caches={"_caster": NoneType, "_finder": NoneType}):
    """A tree of polygons that you can query with rays, for nearest points and for overlaps. To create a tree, call
    ``FromPolygons``.

    Attributes:
        mesh: the triangles of the polygons, a TriangleMesh; None without polygons.
        polygons: polygon of each triangle, (m,) int32.
    """

    mesh: TriangleMesh | None
    polygons: np.ndarray
    _normals: np.ndarray
    _caster: RayCaster | None
    _finder: NearestFinder | None

    def __init__(self) -> None:
        self._take(np.empty((0, 3)), np.empty((0, 3), np.int32), np.empty(0, np.int32), np.empty((0, 3)))

    @classmethod
    def FromPolygons(cls, vertices: Any, polygons: Any, all_triangles: bool = False, epsilon: float = 0.0) -> Self:
        """Create a BVHTree from the vertices and polygons of a mesh.

        Args:
            vertices: (n, 3).
            polygons: a sequence of indices for each polygon, or an array (m, k); polygons with fewer than three corners
                are left out, and polygons do not have to be convex.
            all_triangles: whether all polygons are triangles; if True, any other polygon raises an error.
            epsilon: has no effect, as in Blender for triangles that share no vertex.

        Raises:
            UnsupportedOption, a ValueError: vertices that are not numbers, or an index out of range.
        """
        points = _rows(vertices)
        if isinstance(polygons, np.ndarray) and polygons.ndim == 2:
            counts = np.full(len(polygons), polygons.shape[1], np.int64)
            corners = polygons.reshape(-1)
        else:
            faces = [_face(polygon) for polygon in items_of("polygons", polygons, "polygons")]
            counts = np.array([len(face) for face in faces], np.int64)
            corners = np.concatenate(faces) if faces else np.empty(0, np.int64)
        if corners.size and corners.dtype.kind not in "iu":
            raise UnsupportedOption(f"BVHTree.FromPolygons: indices must be whole numbers, not {corners.dtype}")
        bad = np.flatnonzero((corners < 0) | (corners >= len(points)))
        if len(bad):
            raise UnsupportedOption(f"BVHTree.FromPolygons: index {corners[bad[0]]} must be less than {len(points)}")
        if truth("all_triangles", all_triangles) and (counts != 3).any():
            first = int(np.flatnonzero(counts != 3)[0])
            raise UnsupportedOption(
                f"BVHTree.FromPolygons: non triangle found at index {first} with length of {counts[first]}"
            )
        real_number(epsilon)
        triangles = triangulated(points, counts, corners.astype(np.int64))
        of = np.repeat(np.arange(len(counts), dtype=np.int32), np.maximum(counts - 2, 0))
        made = cls()
        made._take(points, triangles, of, _normals_of(points, counts, corners))
        return made

    def _take(self, points: np.ndarray, triangles: np.ndarray, of: np.ndarray, normals: np.ndarray) -> None:
        self.mesh = TriangleMesh(points, triangles) if len(triangles) else None
        self.polygons, self._normals = of, normals
        self._caster = self._finder = None

    def ray_cast(self, origin: Any, direction: Any, distance: float = sys.float_info.max, /) -> Hit | NoHit:
        """Return the first crossing of a ray with a polygon, as (location, normal, index, distance). If there is no
        crossing, return (None, None, None, None).

        Args:
            origin, direction: three numbers each; the direction may have any length, but a ray with length 0 hits
                nothing.
            distance: crossings at or beyond this distance are left out.

        Raises:
            UnsupportedOption, a ValueError: not three finite numbers.
        """
        start, way, limit = _three("origin", origin), _three("direction", direction), _limit(distance)
        if self.mesh is None or not way.any() or not limit > 0.0:
            return _NO_HIT
        if self._caster is None:
            self._caster = RayCaster(pack_trees([as_boxes(self.mesh)]), IDENTITY[None])
        found = run(self._caster.first(Rays(start[None], way[None], np.array([limit])), 1))
        triangle, far = int(found.triangles[0]), float(found.distances[0])
        if triangle < 0 or far >= limit:
            return _NO_HIT
        u, v, w = found.weights[0].tolist()
        corners = self.mesh.corners_of(np.array([triangle]))[0]
        return self._hit(u * corners[0] + v * corners[1] + w * corners[2], triangle, far)

    def find_nearest(self, origin: Any, distance: float = _FARTHEST, /) -> Hit | NoHit:
        """Return the nearest point on any polygon, as (location, normal, index, distance). If there is no such point,
        return (None, None, None, None).

        Args:
            origin: three numbers.
            distance: points at or beyond this distance are left out.

        Raises:
            UnsupportedOption, a ValueError: not three finite numbers.
        """
        found = self._nearest(origin, distance, 1)
        return found[0] if found else _NO_HIT

    def find_nearest_range(self, origin: Any, distance: float = _FARTHEST, /) -> list[Hit]:
        """Return the nearest point of each triangle within a distance, sorted by distance, in the form that
        ``find_nearest`` returns.

        As in Blender, a polygon with more than three corners is listed once for each of its triangles.

        Args:
            origin, distance: as for ``find_nearest``.
        """
        found = self._nearest(origin, distance, _FEW)
        return found if len(found) < _FEW else self._nearest(origin, distance, len(self.polygons))

    def overlap(self, other_tree: "BVHTree", /) -> list[tuple[int, int]]:
        """Return all pairs of polygons that touch or overlap. Each pair is listed once: a polygon of this tree, then
        one of the other tree.

        If you compare a tree with itself, each pair is listed in both orders, as in Blender. Triangles that share two
        vertices are then left out. Triangles that share a single vertex are listed only if they touch or overlap
        elsewhere, too.

        Raises:
            UnsupportedOption, a ValueError: the other object is not a BVHTree.
        """
        if not isinstance(other_tree, BVHTree):
            raise UnsupportedOption("Expected a BVHTree argument")
        if self.mesh is None or other_tree.mesh is None:
            return []
        if other_tree is self:
            pairs = self_collide(self.mesh).pairs
            corners = self.mesh.triangles[pairs]
            shared = (corners[:, 0, :, None] == corners[:, 1, None, :]).any(axis=2).sum(axis=1)
            pairs = pairs[shared < 2]
            pairs = np.concatenate([pairs, pairs[:, ::-1]])
        else:
            pairs = collide(self.mesh, other_tree.mesh).pairs
        named = np.stack([self.polygons[pairs[:, 0]], other_tree.polygons[pairs[:, 1]]], axis=1)
        return [(a, b) for a, b in np.unique(named, axis=0).tolist()]

    def _nearest(self, origin: Any, distance: float, count: int) -> list[Hit]:
        """Return at most ``count`` nearest triangles that are nearer than a distance."""
        point, limit = _three("origin", origin), _limit(distance)
        if self.mesh is None or not limit > 0.0:
            return []
        if self._finder is None:
            self._finder = NearestFinder(pack_trees([as_boxes(self.mesh)]), IDENTITY)
        found = run(self._finder.steps(point[None], min(count, len(self.polygons)), limit, 1))
        rows = zip(found.points[0], found.triangles[0].tolist(), found.distances[0].tolist(), strict=True)
        return [self._hit(at, triangle, far) for at, triangle, far in rows if triangle >= 0 and far < limit]

    def _hit(self, location: np.ndarray, triangle: int, distance: float) -> Hit:
        polygon = int(self.polygons[triangle])
        return self._vector(location), self._vector(self._normals[polygon]), polygon, distance

    def _vector(self, numbers: np.ndarray) -> Any:
        """Return three numbers in the type of results; the extension overrides this to return Blender's vectors."""
        return tuple(numbers.tolist())


def _rows(vertices: Any) -> np.ndarray:
    """Return vertices (n, 3) float64; empty for an empty sequence."""
    given = given_array("vertices", vertices, UnsupportedOption)
    return checked_points(given) if given.size else np.empty((0, 3))


def _face(polygon: Any) -> np.ndarray:
    """Return the corners of a polygon, (k,); raises UnsupportedOption if it is not a list."""
    corners = given_array("a polygon", polygon, UnsupportedOption)
    if corners.ndim != 1:
        raise UnsupportedOption(f"BVHTree.FromPolygons: a polygon must be a list of indices, not {shown(polygon)}")
    return corners


def _three(name: str, given: Sequence[float]) -> np.ndarray:
    """Return three finite numbers as an array; raise UnsupportedOption, a ValueError."""
    try:
        x, y, z = map(float, given)
    except (TypeError, ValueError, OverflowError):
        raise UnsupportedOption(f"BVHTree: {name} must be three numbers") from None
    if not all(abs(number) <= LARGEST_COORDINATE for number in (x, y, z)):
        raise UnsupportedOption(f"BVHTree: {name} must be finite, and at most {LARGEST_COORDINATE:g}")
    return np.array([x, y, z])


def _limit(distance: Any) -> float:
    limit = real_number(distance)
    if math.isnan(limit):
        raise UnsupportedOption("BVHTree: distance must be a number")
    return limit


def _normals_of(points: np.ndarray, counts: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return unit normals (f, 3) of polygons, by Newell's sum; zero for polygons without area."""
    starts = np.cumsum(counts) - counts
    face = np.repeat(np.arange(len(counts)), counts)
    following = np.arange(len(corners)) + 1
    following = np.where(following == starts[face] + counts[face], starts[face], following)
    own = points[corners] - points[corners[starts[face]]]  # relative to a corner: accurate far from the origin
    sums = np.zeros((len(counts), 3))
    np.add.at(sums, face, np.cross(own, own[following]))
    return np.nan_to_num(unit(sums))
