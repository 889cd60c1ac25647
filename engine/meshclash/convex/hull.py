"""``ConvexHull``: the convex polyhedron around points, with its vertices, edges and flat faces."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidMesh
from ..geometry.predicates import UNCERTAIN, new_workspace
from ..types.mesh import TriangleMesh
from ..types.numbers import float_array
from ..types.pose import LARGEST_COORDINATE
from .hull_faces import exact_side, flat_hull, grow_hull, off_line, off_plane


class Features(NamedTuple):
    """A hull as kernels take it; lists of lists are one array and where each part begins."""

    vertices: np.ndarray
    """(n, 3) float64 [m]."""
    edges: np.ndarray
    """Ends, (m, 2) int32."""
    edge_faces: np.ndarray
    """Faces on both sides, (m, 2) int32: the first one has the edge in its direction; -1 where there is none."""
    vertex_begin: np.ndarray
    """(n + 1,) int32, into ``vertex_edges``."""
    vertex_edges: np.ndarray
    face_begin: np.ndarray
    """(f + 1,) int32, into ``face_vertices`` and ``face_edges``."""
    face_vertices: np.ndarray
    """Corners, counter-clockwise seen from outside."""
    face_edges: np.ndarray
    """The edge from each corner to the next."""
    normals: np.ndarray
    """Outward unit vectors, (f, 3)."""


class ConvexHull:
    """The convex hull of points, exactly: which points are its vertices is decided by exact signs.

    Triangles in one plane are one face. Points in a plane have a hull with two faces, points on a line one with an edge
    and no face, and points at one place one with a vertex only.

    Args:
        points: (n, 3) [m], or a TriangleMesh; any number above 0, in any position.

    Raises:
        InvalidMesh: no points, not finite, beyond 1e30 m, or of sizes that no product of doubles can hold together.
    """

    def __init__(self, points: Any) -> None:
        given = points.vertices if isinstance(points, TriangleMesh) else float_array("points", points, InvalidMesh)
        if given.ndim != 2 or given.shape[1:] != (3,) or not len(given):
            raise InvalidMesh(f"points must have shape (n, 3) with n above 0, not {given.shape}")
        if not np.abs(given).max() <= LARGEST_COORDINATE:
            raise InvalidMesh(f"points must be finite and within {LARGEST_COORDINATE:g} m")
        different, first = np.unique(given + 0.0, axis=0, return_index=True)
        loops = _loops(different)
        kept = np.unique(np.concatenate(loops))
        place = np.full(len(different), -1)
        place[kept] = np.arange(len(kept))
        self.indices: np.ndarray = first[kept]
        """Which of the points are the vertices, (n,) int64."""
        self.features: Features = _features(different[kept], [place[loop] for loop in loops])

    @property
    def vertices(self) -> np.ndarray:
        """(n, 3) float64 [m]."""
        return self.features.vertices

    @property
    def edges(self) -> np.ndarray:
        """Ends of the edges, (m, 2) int32."""
        return self.features.edges

    @property
    def faces(self) -> list[np.ndarray]:
        """Corners of each face, counter-clockwise seen from outside."""
        begin = self.features.face_begin
        return [self.features.face_vertices[i:j] for i, j in pairwise(begin.tolist())]

    def mesh(self) -> TriangleMesh:
        """The hull as triangles; raises InvalidMesh where it has no face."""
        fans = [np.stack([np.full(len(f) - 2, f[0]), f[1:-1], f[2:]], axis=1) for f in self.faces]
        if not fans:
            raise InvalidMesh("a hull of points on a line has no triangles")
        return TriangleMesh(self.vertices, np.concatenate(fans))

    def __repr__(self) -> str:
        return f"ConvexHull({len(self.vertices)} vertices, {len(self.edges)} edges, {len(self.faces)} faces)"


def _loops(points: np.ndarray) -> list[np.ndarray]:
    """Corners of each face of the hull of different points; of points on a line their ends."""
    workspace, everyone = new_workspace(), np.arange(len(points))
    a, b = 0, len(points) - 1  # the least and the greatest in the order of coordinates
    if a == b:
        return [everyone]
    far = np.linalg.norm(np.cross(points - points[a], points[b] - points[a]), axis=1)
    c, axis, turn = off_line(points, a, b, np.argsort(-far, kind="stable"), workspace)
    if c < 0:
        return [np.array([a, b])]
    _check(turn)
    high = np.abs((points - points[a]) @ np.cross(points[b] - points[a], points[c] - points[a]))
    d, sign = off_plane(points, a, b, c, np.argsort(-high, kind="stable"), workspace)
    if d < 0:
        order = np.lexsort((points[:, (axis + 2) % 3], points[:, (axis + 1) % 3]))
        chain = np.empty(2 * len(points) + 2, np.int64)
        count = flat_hull(points, axis, order, workspace, chain)
        _check(count if count > 0 else UNCERTAIN)
        return [chain[:count].copy(), chain[:count][::-1].copy()]
    _check(sign)
    corners = [a, b, c, d] if sign > 0 else [a, c, b, d]
    return _merged(points, *_triangles(points, corners, workspace), workspace)


def _check(sign: int) -> None:
    if sign == UNCERTAIN:
        raise InvalidMesh("points are so large and so small at once that no product of doubles holds both")


def _triangles(points: np.ndarray, corners: list[int], workspace: Any) -> tuple[np.ndarray, np.ndarray]:
    """Triangles (t, 3) of the hull, and the triangle across each edge, (t, 3)."""
    room = 2 * len(points)
    faces, neighbours = np.zeros((room, 3), np.int64), np.zeros((room, 3), np.int64)
    alive, rim = np.zeros(room, np.int8), np.empty((room, 3), np.int64)
    faces[:4] = np.array(corners)[[(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]]
    alive[:4] = 1
    directed = {(u, v): 3 * f + k for f in range(4) for k, (u, v) in enumerate(_edges_of(faces[f]))}
    for f in range(4):
        neighbours[f] = [directed[v, u] for u, v in _edges_of(faces[f])]
    others = np.setdiff1d(np.arange(len(points)), corners)
    order = np.random.default_rng(0).permutation(others)
    used = grow_hull(points, order, faces, neighbours, alive, rim, np.empty(len(points), np.int64), workspace)
    _check(used if used > 0 else UNCERTAIN)
    kept = np.flatnonzero(alive[:used])
    place = np.full(room, -1)
    place[kept] = np.arange(len(kept))
    return faces[kept], place[neighbours[kept] // 3]


def _edges_of(corners: Any) -> list[tuple[int, int]]:
    """Directed edges of a loop of corners."""
    found = [int(corner) for corner in corners]
    return list(zip(found, [*found[1:], found[0]], strict=True))


def _merged(points: np.ndarray, triangles: np.ndarray, across: np.ndarray, workspace: Any) -> list[np.ndarray]:
    """Loops around triangles that are in one plane, exactly, without vertices in the middle of an edge."""
    count = len(triangles)
    sums = triangles[across].sum(axis=2) - triangles - np.roll(triangles, -1, axis=1)
    signs = exact_side(points, np.repeat(triangles, 3, axis=0), sums.ravel(), workspace).reshape(count, 3)
    group = np.arange(count)
    for start in range(count):  # flood: groups are numbered by their first triangle
        if group[start] != start:
            continue
        waiting = [start]
        while waiting:
            t = waiting.pop()
            for k in range(3):
                other = int(across[t, k])
                if signs[t, k] == 0 and group[other] == other and other > start:
                    group[other] = start
                    waiting.append(other)
    after: dict[int, dict[int, int]] = {}
    for t in range(count):
        for k, (u, v) in enumerate(_edges_of(triangles[t])):
            if group[across[t, k]] != group[t]:
                after.setdefault(int(group[t]), {})[u] = v
    loops = [_loop(following) for following in after.values()]
    faces_at = np.bincount(np.concatenate(loops), minlength=len(points))
    return [loop[faces_at[loop] > 2] for loop in loops]


def _loop(following: dict[int, int]) -> np.ndarray:
    first = next(iter(following))
    found, corner = [first], following[first]
    while corner != first:
        found.append(corner)
        corner = following[corner]
    return np.array(found)


def _features(vertices: np.ndarray, loops: list[np.ndarray]) -> Features:
    """A hull from the loops of its faces."""
    faces = [loop for loop in loops if len(loop) > 2]
    lines = [_edges_of(loop) for loop in faces] if faces else [[(0, 1)]] if len(vertices) > 1 else []
    number: dict[tuple[int, int], int] = {}
    ends: list[tuple[int, int]] = []
    sides: list[list[int]] = []
    edge_of: list[int] = []
    for f, line in enumerate(lines):
        for u, v in line:
            if (v, u) in number:
                sides[number[v, u]][1] = f
            else:
                number[u, v] = len(ends)
                ends.append((u, v))
                sides.append([f if faces else -1, -1])
            edge_of.append(number.get((v, u), number.get((u, v), -1)))
    edges = np.array(ends, np.int32).reshape(-1, 2)
    at = np.concatenate([edges[:, 0], edges[:, 1]])
    order = np.argsort(at, kind="stable")
    begin = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=len(vertices)))])
    around = (order % max(len(edges), 1)).astype(np.int32)
    sizes = np.concatenate([[0], np.cumsum([len(face) for face in faces])]).astype(np.int32)
    corners = np.concatenate(faces) if faces else np.empty(0)
    return Features(
        np.ascontiguousarray(vertices), edges, np.array(sides, np.int32).reshape(-1, 2), begin.astype(np.int32), around,
        sizes, corners.astype(np.int32), np.array(edge_of if faces else [], np.int32), _normals(vertices, faces),
    )  # fmt: skip


def _normals(vertices: np.ndarray, faces: list[np.ndarray]) -> np.ndarray:
    """Outward unit normals (f, 3) by Newell's method, seen from a corner; zero where rounding leaves none."""
    normals = np.zeros((len(faces), 3))
    for f, face in enumerate(faces):
        offsets = vertices[face] - vertices[face[0]]
        offsets /= np.abs(offsets).max() or 1.0
        normal = np.cross(offsets[1:-1], offsets[2:]).sum(axis=0)
        length = np.linalg.norm(normal)
        normals[f] = normal / length if length > 0.0 else normal
    return normals
