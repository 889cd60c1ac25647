"""A tree of moving triangles: each node has boxes at two times; each vertex and each edge is owned by one triangle.

Two nodes cannot meet if the same axis separates their boxes, in the same order, at both times: coordinates are linear
in time, so the relative ones keep their sign between. This test is sharper than boxes around the whole motion,
especially if objects move together.

A vertex and a triangle, or two edges, should be compared only once, however many triangles they belong to. So each
vertex and each edge is owned by one of its triangles (Curtis, Tamstorf and Manocha 2008, "Fast collision detection for
deformable models using representative-triangles").
"""

from typing import NamedTuple

import numpy as np

from ..hierarchy.boxes import NO_COORDINATES, fit_boxes
from ..hierarchy.bvh import Tree
from ..jit import portable
from ..types.mesh import TriangleMesh

WIDTH = 12
"""Numbers per node: its box at time 0, then at the horizon."""
_VERTEX, _EDGE = 1, 8
"""Bits of ``owned``: for corner c, and for the edge from corner e to the next."""


class MovingForest(NamedTuple):
    """One tree of moving triangles, in the form that ``pairs.py`` takes; see ``Forest``."""

    first: np.ndarray
    count: np.ndarray  # type: ignore[assignment]  # tuple.count is not needed
    volumes: np.ndarray
    """(n, 12) float32, relative to the origin that both trees share."""
    order: np.ndarray
    triangles: np.ndarray
    vertices: np.ndarray
    """(v, 3) float64 [m] at time 0."""
    later: np.ndarray
    """(v, 3) float64 [m] at the horizon: the latest time of boxes and comparisons of coordinates."""
    ends: np.ndarray
    """(v, 3) float64 [m] at time 1."""
    owned: np.ndarray
    """(m,) uint8: bits of the vertices and edges that a triangle owns."""
    node_start: np.ndarray
    triangle_start: np.ndarray
    triangle_end: np.ndarray
    vertex_start: np.ndarray


@portable
def moving_boxes_meet(a, b, relative):
    """Return whether two nodes may meet up to the horizon; never a false "no". ``relative`` holds the slack there."""
    slack = relative[0]
    for k in range(3):
        if a[k] > b[k + 3] and a[k + 6] > b[k + 9] + slack:
            return False
        if b[k] > a[k + 3] and b[k + 6] > a[k + 9] + slack:
            return False
    return True


@portable
def moving_size(volume):
    """Return a measure that grows with a node: the sum of its extents at both times."""
    total = np.float32(0.0)
    for k in range(3):
        total += (volume[k + 3] - volume[k]) + (volume[k + 9] - volume[k + 6])
    return total


class Elements:
    """The vertices and edges of some triangles, in order, and their triangles.

    Attributes:
        owned: (m,) uint8, as in ``MovingForest``.
    """

    def __init__(self, triangles: np.ndarray, vertex_count: int) -> None:
        following = np.roll(triangles, -1, axis=1).astype(np.int64)
        edges = np.minimum(triangles, following) * vertex_count + np.maximum(triangles, following)
        self._vertices, self._edges = _Sorted(triangles.ravel().astype(np.int64)), _Sorted(edges.ravel())
        self._keys = triangles.astype(np.int64), edges
        owned = np.zeros((len(triangles), 3), np.uint8)
        owned.ravel()[self._vertices.firsts] += _VERTEX
        owned.ravel()[self._edges.firsts] += _EDGE
        self.owned = (owned << np.arange(3, dtype=np.uint8)).sum(axis=1, dtype=np.uint8)

    def around_corner(self, triangles: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (number of triangles, positions in ``of_corners``) that contain the vertices at these corners."""
        return self._vertices.places(self._keys[0][triangles, corners])

    def around_edge(self, triangles: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One side of a query about moving triangles: a tree with boxes at two times."""
        return self._edges.places(self._keys[1][triangles, edges])

    @property
    def of_corners(self) -> np.ndarray:
        """Triangles by vertex, (3 m,) int64."""
        return self._vertices.order // 3

    @property
    def of_edges(self) -> np.ndarray:
        """Triangles by edge, (3 m,) int64."""
        return self._edges.order // 3


class _Sorted:
    """Sorted keys: ``order`` of the entries, ``firsts`` of equal ones."""

    def __init__(self, keys: np.ndarray) -> None:
        self.order = np.argsort(keys, kind="stable")
        self._keys = keys[self.order]
        new = np.ones(len(keys), np.bool_)
        new[1:] = self._keys[1:] != self._keys[:-1]
        self.firsts = self.order[new]

    def places(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        begin = np.searchsorted(self._keys, keys, "left")
        return np.searchsorted(self._keys, keys, "right") - begin, begin


class MovingTree:
    """One side of a query about moving triangles.

    Attributes:
        forest: the forest for the kernels.
        tree: topology of the tree.
    """

    def __init__(
        self, tree: Tree, start: TriangleMesh, end: TriangleMesh, origin: np.ndarray, elements: Elements
    ) -> None:
        self.tree, self.start, self.end, self._origin = tree, start, end, origin
        vertices, triangles = start.arrays
        volumes = np.empty((len(tree.first), WIDTH), np.float32)
        one = np.zeros(1, np.int64)
        self.forest = MovingForest(
            tree.first, tree.count, volumes, tree.order, triangles, vertices, end.arrays[0].copy(), end.arrays[0],
            elements.owned, one, one, np.array([len(triangles)]), one,
        )  # fmt: skip
        volumes[:, :6] = self._boxes(start)
        volumes[:, 6:] = self._boxes(end)

    def look_ahead(self, horizon: float) -> None:
        """Restrict boxes and comparisons to times from 0 to a horizon, in place; exact for 1."""
        start, end = self.start.arrays[0], self.end.arrays[0]
        self.forest.later[:] = end if horizon == 1.0 else start + horizon * (end - start)
        self.forest.volumes[:, 6:] = self._boxes(self.start.with_vertices(self.forest.later))

    def _boxes(self, mesh: TriangleMesh) -> np.ndarray:
        boxes = np.empty((len(self.tree.first), 6), np.float32)
        fit_boxes(self.tree, mesh, self._origin, boxes, NO_COORDINATES, 1)
        return boxes
