"""Compute the boxes of a tree's nodes bottom up, and copy the triangles' coordinates in the order of the leaves.

Each triangle's vertices are read once for both purposes. They are kept in float64, relative to the hierarchy's origin,
until the box of their leaf is known. A box is computed from points rounded to float32 and then enlarged by one float32
step on each side, so it contains the exact points.
"""

import numpy as np

from ..geometry.quads import (
    component,
    fetch,
    higher,
    keep,
    kept,
    lower,
    narrowed,
    place,
    quad,
    scatter,
    store,
    triple,
)
from ..jit import inlined, inner, kernel, parallel_kernel, prange
from ..types.mesh import TriangleMesh
from ..volumes.rounding import below
from .bvh import Tree

_AHEAD = 16
_FETCHED_FROM = 1 << 18
"""Number of triangles above which the vertices do not fit into a core's own cache, so that prefetching is worthwhile.
"""
LARGEST_LEAF = 64
"""Maximum number of triangles in a leaf."""


NO_COORDINATES = np.empty(0, np.float32)
"""Pass this constant if the triangles' coordinates are not needed."""


@kernel
def _fill_points(vertices, origin, points):
    x, y, z = origin[0], origin[1], origin[2]
    for v in range(vertices.shape[0]):
        at = quad(
            np.float32(vertices[v, 0] - x), np.float32(vertices[v, 1] - y), np.float32(vertices[v, 2] - z)
        )  # fmt: skip
        store(points, 4 * v, at)


def relative_points(vertices: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Convert vertices (n, 3) float64 [m] to points (n, 4) float32 relative to an origin (3,) [m]; the last is 0."""
    points = np.empty((len(vertices), 4), np.float32)
    _fill_points(vertices, origin, points)
    return points


@inlined
def _fetch_ahead(order, triangles, vertices, entry):
    """Prefetch the data that is needed ``_AHEAD`` entries later."""
    last = order.shape[0] - 1
    fetch(triangles, 3 * np.int64(order[min(entry + 2 * _AHEAD, last)]))
    t = order[min(entry + _AHEAD, last)]
    for k in range(3):
        fetch(vertices, 3 * np.int64(triangles[t, k]))


@inner
def _fit_leaves(begin, end, first, count, order, triangles, vertices, origin, volumes, coordinates):
    """Fill the boxes of the leaves among nodes ``begin`` to ``end``.

    Also fill the coordinates of their triangles, unless ``coordinates`` is NO_COORDINATES.
    """
    far = order.shape[0] >= _FETCHED_FROM
    wanted = coordinates.shape[0] > 0
    empty = np.float32(np.inf)
    centre = triple(origin[0], origin[1], origin[2])
    corners = np.empty(12 * LARGEST_LEAF)
    for node in range(begin, end):
        size = np.int64(count[node])
        if size == 0:
            continue
        entry = np.int64(first[node])
        lowest = quad(empty, empty, empty)
        highest = quad(-empty, -empty, -empty)
        for i in range(size):
            if far:
                _fetch_ahead(order, triangles, vertices, entry + i)
            t = order[entry + i]
            for k in range(3):
                corner = place(vertices, 3 * np.int64(triangles[t, k])) - centre
                keep(corners, 12 * i + 4 * k, corner)
                lowest = lower(lowest, narrowed(corner))
                highest = higher(highest, narrowed(corner))
        for k in range(3):
            volumes[node, k] = below(component(lowest, k))
            volumes[node, k + 3] = -below(-component(highest, k))
        if wanted:
            _write_leaf(corners, entry, size, volumes[node], coordinates)


@inlined
def _write_leaf(corners, entry, size, box, coordinates):
    """Write the coordinates of a leaf's triangles relative to the lowest corner of the leaf's box, rounded once."""
    lowest = triple(np.float64(box[0]), np.float64(box[1]), np.float64(box[2]))
    for i in range(size):
        for k in range(3):
            scatter(coordinates, 9 * entry + 3 * k * size + i, size, narrowed(kept(corners, 12 * i + 4 * k) - lowest))


@inner
def _fit_inner(first, count, volumes):
    """Fill the boxes of the inner nodes from those of their children."""
    for node in range(first.shape[0] - 1, -1, -1):
        if count[node] == 0:
            child = np.int64(first[node])
            for k in range(3):
                volumes[node, k] = min(volumes[child, k], volumes[child + 1, k])
                volumes[node, k + 3] = max(volumes[child, k + 3], volumes[child + 1, k + 3])


@kernel
def _fit(first, count, order, triangles, vertices, origin, volumes, coordinates):
    _fit_leaves(0, first.shape[0], first, count, order, triangles, vertices, origin, volumes, coordinates)
    _fit_inner(first, count, volumes)


@parallel_kernel
def _fit_leaves_in_parts(
    parts, first, count, order, triangles, vertices, origin, volumes, coordinates
):  # fmt: skip
    total = first.shape[0]
    for part in prange(parts):
        _fit_leaves(
            part * total // parts, (part + 1) * total // parts,
            first, count, order, triangles, vertices, origin, volumes, coordinates,
        )  # fmt: skip


@kernel
def _fit_inner_nodes(first, count, volumes):
    _fit_inner(first, count, volumes)


def fit_boxes(
    tree: Tree,
    mesh: TriangleMesh,
    origin: np.ndarray,
    volumes: np.ndarray,
    coordinates: np.ndarray,
    threads: int,
) -> None:
    """Fill the boxes of a tree, and optionally its triangles' coordinates.

    Args:
        tree: the tree over the triangles.
        mesh: the vertices and triangles.
        origin: origin of the boxes, (3,) float64 [m].
        volumes: output: the boxes, (n, 6) float32.
        coordinates: output: the coordinates as in ``WideTree``, or NO_COORDINATES.
        threads: number of threads of the enclosing ``parallel_region``.
    """
    vertices, triangles = mesh.arrays
    arrays = (tree.first, tree.count, tree.order, triangles, vertices, origin, volumes, coordinates)
    if threads == 1:
        _fit(*arrays)
        return
    _fit_leaves_in_parts(threads, *arrays)
    _fit_inner_nodes(tree.first, tree.count, volumes)
