"""``ConvexHull``: the convex polyhedron around points, with its vertices, edges and flat faces."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidMesh
from ..geometry.predicates import UNCERTAIN, new_workspace
from ..types.copying import Copyable
from ..types.mesh import TriangleMesh
from ..types.numbers import float_array
from ..types.pose import LARGEST_COORDINATE
from .hull_faces import exact_side, flat_hull, grow_hull, merge_faces, off_line, off_plane
from .support_vertex import fill_starts

_CORNERS_A_CELL = 4
"""Number of vertices per entry of the start table: a climb from there takes a few steps."""


class Features(NamedTuple):
    """A hull as arrays for kernels; a list of lists is one array and the offset of each part."""

    vertices: np.ndarray
    """(n, 3) float64 [m]."""
    edges: np.ndarray
    """Vertices at the ends of each edge, (m, 2) int32."""
    edge_faces: np.ndarray
    """Faces on both sides, (m, 2) int32: the first face contains the edge in its direction; -1 without a face."""
    vertex_begin: np.ndarray
    """Offsets into ``vertex_edges``, (n + 1,) int32."""
    vertex_edges: np.ndarray
    face_begin: np.ndarray
    """Offsets into ``face_vertices`` and ``face_edges``, (f + 1,) int32."""
    face_vertices: np.ndarray
    """Corners, counter-clockwise seen from outside."""
    face_edges: np.ndarray
    """The edge from each corner to the next."""
    normals: np.ndarray
    """Outward unit vectors, (f, 3)."""
    starts: np.ndarray
    """A vertex far out in each direction, (6, k, k) int32, see ``support_vertex.py``."""
    reach: float
    """Largest coordinate [m]."""


class ConvexHull(Copyable):
    """The exact convex hull of points. MeshClash decides with exact arithmetic which of the points are vertices of the
    hull.

    Triangles that lie in the same plane form a single face. If all points lie in a plane, the hull has two faces. If
    all points lie on a line, the hull has one edge and no face. If all points coincide, the hull is a single vertex.

    Args:
        points: (n, 3) [m], or a TriangleMesh; at least one point, in any position.

    Raises:
        InvalidMesh: no points, points that are not finite or beyond 1e30 m, or sizes so different that products of
            doubles overflow or underflow.

    Example:
        >>> import meshclash as mc
        >>> hull = mc.shapes.ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]])
        >>> len(hull.vertices)
        4
    """

    def __init__(self, points: Any) -> None:
        given = points.vertices if isinstance(points, TriangleMesh) else float_array("points", points, InvalidMesh)
        if given.ndim != 2 or given.shape[1:] != (3,) or not len(given):
            raise InvalidMesh(f"points must have shape (n, 3) with n above 0, not {given.shape}")
        if not np.abs(given).max() <= LARGEST_COORDINATE:
            raise InvalidMesh(f"points must be finite and within {LARGEST_COORDINATE:g} m")
        different, first = _different(given + 0.0)
        corners, begin = _loops(different)
        kept = np.unique(corners)
        place = np.full(len(different), -1)
        place[kept] = np.arange(len(kept))
        self.indices: np.ndarray = first[kept]
        """Which of the points are the vertices, (n,) int64."""
        self.features: Features = _features(different[kept], place[corners], begin)

    @property
    def vertices(self) -> np.ndarray:
        """The vertices of the hull, (n, 3) float64 [m]."""
        return self.features.vertices

    @property
    def edges(self) -> np.ndarray:
        """The two vertex indices of each edge, (m, 2) int32."""
        return self.features.edges

    @property
    def faces(self) -> list[np.ndarray]:
        """The vertex indices of each face, counter-clockwise when seen from outside."""
        begin = self.features.face_begin
        return [self.features.face_vertices[i:j] for i, j in pairwise(begin.tolist())]

    def mesh(self) -> TriangleMesh:
        """Return the hull as a mesh of triangles. If the hull has no face, the method raises InvalidMesh."""
        fans = [np.stack([np.full(len(f) - 2, f[0]), f[1:-1], f[2:]], axis=1) for f in self.faces]
        if not fans:
            raise InvalidMesh("the hull of collinear points has no triangles")
        return TriangleMesh(self.vertices, np.concatenate(fans))

    def __repr__(self) -> str:
        return f"ConvexHull({len(self.vertices)} vertices, {len(self.edges)} edges, {len(self.faces)} faces)"


def _different(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct points (n, 3) in the order of their coordinates, and the first index of each."""
    order = np.lexsort(points.T[::-1])
    ordered = points[order]
    is_new = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    return ordered[is_new], order[is_new]


def _loops(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of the faces of the hull of distinct points, and the begin of each face.

    Without a face, the corners are the ends.
    """
    workspace = new_workspace()
    a, b = 0, len(points) - 1  # the first and the last in the order of coordinates
    if a == b:
        return np.array([a]), np.zeros(1, np.int64)
    far = np.linalg.norm(np.cross(points - points[a], points[b] - points[a]), axis=1)
    c, axis, turn = off_line(points, a, b, np.argsort(-far, kind="stable"), workspace)
    if c < 0:
        return np.array([a, b]), np.zeros(1, np.int64)
    _check(turn)
    high = np.abs((points - points[a]) @ np.cross(points[b] - points[a], points[c] - points[a]))
    d, sign = off_plane(points, a, b, c, np.argsort(-high, kind="stable"), workspace)
    if d < 0:
        order = np.lexsort((points[:, (axis + 2) % 3], points[:, (axis + 1) % 3]))
        chain = np.empty(2 * len(points) + 2, np.int64)
        count = flat_hull(points, axis, order, workspace, chain)
        _check(count if count > 0 else UNCERTAIN)
        return np.concatenate([chain[:count], chain[:count][::-1]]), np.array([0, count, 2 * count])
    _check(sign)
    corners = [a, b, c, d] if sign > 0 else [a, c, b, d]
    return _merged(points, *_triangles(points, corners, workspace), workspace)


def _check(sign: int) -> None:
    if sign == UNCERTAIN:
        raise InvalidMesh("the coordinates are too large or too small: their products overflow or underflow in float64")


def _triangles(points: np.ndarray, corners: list[int], workspace: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles (t, 3) of the hull, and 3 * triangle + edge across each edge, (t, 3)."""
    room = 2 * len(points)
    faces, neighbours, alive = np.zeros((room, 3), np.int64), np.zeros((room, 3), np.int64), np.zeros(room, np.int8)
    faces[:4] = np.array(corners)[[(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]]
    neighbours[:4] = [(5, 8, 11), (10, 6, 0), (4, 9, 1), (7, 3, 2)]
    alive[:4] = 1
    others = np.delete(np.arange(len(points)), corners)
    order = np.random.default_rng(0).permutation(others)
    used = grow_hull(points, order, faces, neighbours, alive, workspace)
    _check(used if used > 0 else UNCERTAIN)
    kept = np.flatnonzero(alive[:used])
    place = np.full(room, -1)
    place[kept] = np.arange(len(kept))
    across = neighbours[kept]
    return faces[kept], 3 * place[across // 3] + across % 3


def _merged(points: np.ndarray, triangles: np.ndarray, across: np.ndarray, workspace: Any) -> tuple[Any, Any]:
    """Return the result of ``_loops``, with exactly coplanar triangles merged to one face and without vertices amid an
    edge.
    """
    count = len(triangles)
    opposite = triangles[across // 3, (across + 2) % 3]
    signs = exact_side(points, np.repeat(triangles, 3, axis=0), opposite.ravel(), workspace).reshape(count, 3)
    _check(int(signs.max()))
    corners, begin = np.empty(3 * count, np.int64), np.empty(count + 1, np.int64)
    faces = merge_faces(triangles, across, signs, np.empty(count, np.int64), corners, begin)
    corners, begin = corners[: begin[faces]], begin[: faces + 1]
    is_corner = np.bincount(corners, minlength=len(points))[corners] > 2
    return corners[is_corner], np.concatenate([[0], np.cumsum(is_corner)])[begin]


def _features(vertices: np.ndarray, corners: np.ndarray, begin: np.ndarray) -> Features:
    """Build a hull from the corners of its faces, and the begin of each face."""
    count = len(vertices)
    if len(begin) > 1:
        following = np.roll(corners, -1)
        following[begin[1:] - 1] = corners[begin[:-1]]
        face_of = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        keys = np.minimum(corners, following) * count + np.maximum(corners, following)
        _, edge_of = np.unique(keys, return_inverse=True)
        edges, sides = np.empty((2, len(corners) // 2, 2), np.int64)
        rises = corners < following
        edges[edge_of[rises]] = np.stack([corners, following], axis=1)[rises]
        sides[edge_of[rises], 0] = face_of[rises]
        sides[edge_of[~rises], 1] = face_of[~rises]
    else:
        corners, edge_of = np.empty((2, 0), np.int64)
        edges = np.array([[0, 1]] if count > 1 else [], np.int64).reshape(-1, 2)
        sides = np.full(edges.shape, -1)
    at = edges.T.ravel()
    around = np.argsort(at, kind="stable") % max(len(edges), 1)
    vertex_begin = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=count))])
    side = max(round((count / (6 * _CORNERS_A_CELL)) ** 0.5), 1)
    indices = [given.astype(np.int32) for given in (edges, sides, vertex_begin, around, begin, corners, edge_of)]
    starts, reach = np.zeros((6, side, side), np.int32), float(np.abs(vertices).max())
    normals = _normals(vertices, corners, begin)
    features = Features._make([np.ascontiguousarray(vertices), *indices, normals, starts, reach])
    fill_starts(features)
    return features


def _normals(vertices: np.ndarray, corners: np.ndarray, begin: np.ndarray) -> np.ndarray:
    """Return outward unit normals (f, 3) by Newell's method, relative to a corner; zero if rounding leaves none."""
    if len(begin) == 1:
        return np.zeros((0, 3))
    sizes = np.diff(begin)
    offsets = vertices[corners] - np.repeat(vertices[corners[begin[:-1]]], sizes, axis=0)
    largest = np.maximum.reduceat(np.abs(offsets).max(axis=1), begin[:-1])
    offsets /= np.repeat(largest, sizes)[:, None]
    # The first corner of each face is moved to 0, so that products across the ends of faces vanish.
    normals = np.add.reduceat(np.cross(offsets, np.roll(offsets, -1, axis=0)), begin[:-1])
    lengths = np.linalg.norm(normals, axis=1)
    return normals / np.where(lengths > 0.0, lengths, 1.0)[:, None]
