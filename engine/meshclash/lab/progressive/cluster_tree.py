"""The hierarchy of the clusters of an object, in the form that the traversal of two hierarchies needs
(``front.py``).
"""

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...volumes import obb
from .build import box_around, middle_of
from .layout import MOST_STOPS, children_of, runs_of


class ClusterTree(NamedTuple):
    """A binary tree over the clusters of an object; children come before their parent, and the root is the last
    node.
    """

    children: np.ndarray
    """Of each node, (n, 2) int32; -1 for clusters."""
    parents: np.ndarray
    """Of each node, (n,) int32; -1 for the root."""
    boxes: np.ndarray
    """Oriented boxes that contain all triangles of the clusters below, relative to ``middle``, (n, 15) float32."""
    counts: np.ndarray
    """Number of meshes that represent each node, (n,) int32: for a cluster, the cluster itself first, then its stops;
    for other nodes, the stops."""
    errors: np.ndarray
    """Sums of both bounds of these meshes [m], from the finest mesh on, rounded up, (n, MOST_STOPS + 1) float64."""
    pages: np.ndarray
    """Their numbers, (n, MOST_STOPS + 1) int64."""
    outs: np.ndarray
    """How far the mesh is from each page at most, (pages,) float64 [m]."""
    backs: np.ndarray
    """How far each page is from the mesh at most, (pages,) float64 [m]."""
    runs: np.ndarray
    """The clusters of each node, the first and one after the last, (n, 2) int64."""
    middle: np.ndarray
    """(3,) float64 [m]."""
    bounds: np.ndarray
    """Lowest and highest coordinates of all boxes and meshes, (2, 3) float64 [m]."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(array.nbytes for array in self)


@kernel
def _fill(children, has_box, boxes):
    """Fill the missing boxes of nodes from the boxes of their children."""
    corners, axes = np.empty((16, 3)), np.eye(3)
    for node in range(children.shape[0]):
        if has_box[node]:
            continue
        for side in range(2):
            box = boxes[children[node, side]]
            for k in range(8):
                for axis in range(3):
                    place = np.float64(box[axis])
                    for j in range(3):
                        sign = 1.0 if (k >> j) & 1 else -1.0
                        place += sign * np.float64(box[12 + j]) * np.float64(box[3 + 3 * j + axis])
                    corners[8 * side + k, axis] = place
        obb.fit_to_axes(corners, axes, boxes[node])


def tree_with_stops(table: np.ndarray, mesh_bounds: np.ndarray) -> ClusterTree:
    """Return the tree for a file of progressive meshes from its table (n,) and the mesh's bounds (2, 3)."""
    clusters = (len(table) + 1) // 2
    nodes, is_cluster = np.arange(len(table)), table["clusters"] == 1
    counts = table["stops"].astype(np.int32) + is_cluster
    pages = np.zeros((len(table), MOST_STOPS + 1), np.int64)
    errors = np.zeros(pages.shape)
    stops = MOST_STOPS * nodes[:, None] + np.arange(MOST_STOPS)
    sums = np.nextafter(table["out"] + table["back"], np.inf)
    for chosen, begin in ((is_cluster, 1), (~is_cluster, 0)):
        pages[chosen, begin : begin + MOST_STOPS] = stops[chosen]
        errors[chosen, begin : begin + MOST_STOPS] = sums[chosen]
    pages[is_cluster, 0] = MOST_STOPS * len(table) + table["first"][is_cluster].astype(np.int64)
    both = [np.concatenate([table[name].ravel(), np.zeros(clusters)]) for name in ("out", "back")]
    has_box = is_cluster | (table["box"][:, 12:] > 0.0).any(axis=1)
    low, high = table["bounds"][:, :3].min(axis=0), table["bounds"][:, 3:].max(axis=0)
    bounds = np.stack([np.minimum(mesh_bounds[0], low), np.maximum(mesh_bounds[1], high)])
    middle = middle_of(mesh_bounds)
    return _tree(clusters, (table["box"].copy(), has_box), (counts, errors, pages, both[0], both[1]), middle, bounds)


def tree_of_boxes(boxes: np.ndarray, bounds: np.ndarray) -> ClusterTree:
    """Return the tree of an object without progressive meshes, over the boxes of its clusters (m, 6), with bounds (2,
    3).
    """
    count = len(boxes)
    runs = runs_of(count)
    is_cluster = runs[:, 1] == 1
    middle = middle_of(bounds)
    volumes = np.zeros((len(runs), obb.WIDTH), np.float32)
    for node, box in zip(np.flatnonzero(is_cluster).tolist(), boxes.reshape(-1, 2, 3) - middle, strict=True):
        volumes[node] = box_around(_corners_of(box), 0.0)
    pages = np.zeros((len(runs), MOST_STOPS + 1), np.int64)
    pages[is_cluster, 0] = np.arange(count)
    nothing = np.zeros(count)
    stops = is_cluster.astype(np.int32), np.zeros(pages.shape), pages, nothing, nothing
    return _tree(count, (volumes, is_cluster), stops, middle, bounds)


def _corners_of(box: np.ndarray) -> np.ndarray:
    """Return the corners of a box (2, 3) in the form of triangle corners, (12, 3)."""
    places = np.array([[box[k >> axis & 1, axis] for axis in range(3)] for k in range(8)])
    return places[[0, 1, 3, 0, 3, 2, 4, 5, 7, 4, 7, 6]]


def _tree(
    clusters: int,
    boxes: tuple[np.ndarray, np.ndarray],
    stops: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    middle: np.ndarray,
    bounds: np.ndarray,
) -> ClusterTree:
    """Return a tree whose nodes have the given boxes (n, 15), if any, and meshes."""
    runs = runs_of(clusters)
    children = children_of(runs)
    _fill(children, boxes[1], boxes[0])
    parents = np.full(len(runs), -1, np.int32)
    inner = np.flatnonzero(children[:, 0] >= 0)
    parents[children[inner].ravel()] = np.repeat(inner, 2)
    axes, halves = boxes[0][:, 3:12].reshape(-1, 3, 3).astype(np.float64), boxes[0][:, 12:].astype(np.float64)
    reach = (np.abs(axes) * halves[:, :, None]).sum(axis=1)
    around = np.stack([(boxes[0][:, :3] - reach).min(axis=0), (boxes[0][:, :3] + reach).max(axis=0)]) + middle
    bounds = np.stack([np.minimum(bounds[0], around[0]), np.maximum(bounds[1], around[1])])
    ends = np.stack([runs[:, 0], runs[:, 0] + runs[:, 1]], axis=1)
    return ClusterTree(children, parents, boxes[0], *stops, ends, middle, bounds)
