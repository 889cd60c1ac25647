"""Oriented boxes beside the boxes of an 8-wide form, for meshes whose boxes fit badly: long thin triangles.

The box along the axes of a slanted strip contains mostly nothing. The measure is the *looseness*: half the surface area
of all leaves' boxes, divided by the area of the triangles. It is about 2 to 6 for scans, characters and machined parts,
and 20 to 1000 for fans, lathe parts and caps of finely cut outlines. From ``LOOSE`` on, ``build`` adds an oriented box
for each child of each 8-wide node. Traversals of two trees then test both kinds (``geometry/lane_oriented.py``). All
other queries use the boxes along the axes as ever.

A node has 120 numbers: fifteen rows of eight lanes, in each lane a volume as in ``volumes/obb.py``. Each box is fitted
to all triangles below it, which takes about as long as building the rest two or three times; a refit does it again.
"""

import math

import numpy as np

from ..jit import kernel
from ..volumes import obb
from .bvh import Tree, TreeParts
from .refit import corners_in_order
from .wide_bvh import CHILD_COUNT, LANE_COUNT, ORIENTED_WORDS, WideTree

LOOSE = 12.0
"""Looseness from which oriented boxes pay (0069-oriented-boxes-for-slivers.md has the measurements)."""
_FEWEST_TRIANGLES = 64
"""Smaller meshes have too few pairs of leaves."""
_fit = kernel(obb.fit)


@kernel
def _areas(first, count, volumes, coordinates):
    """Return half the surface area of all leaves' boxes, and the area of all triangles."""
    boxes, triangles = 0.0, 0.0
    for node in range(first.shape[0]):
        size = np.int64(count[node])
        if size == 0:
            continue
        x = np.float64(volumes[node, 3]) - np.float64(volumes[node, 0])
        y = np.float64(volumes[node, 4]) - np.float64(volumes[node, 1])
        z = np.float64(volumes[node, 5]) - np.float64(volumes[node, 2])
        boxes += x * y + y * z + z * x
        at = 9 * np.int64(first[node])
        for i in range(at, at + size):
            px, py, pz = coordinates[i], coordinates[i + size], coordinates[i + 2 * size]
            ux, uy, uz = coordinates[i + 3 * size] - px, coordinates[i + 4 * size] - py, coordinates[i + 5 * size] - pz
            vx, vy, vz = coordinates[i + 6 * size] - px, coordinates[i + 7 * size] - py, coordinates[i + 8 * size] - pz
            x = np.float64(uy) * vz - np.float64(uz) * vy
            y = np.float64(uz) * vx - np.float64(ux) * vz
            z = np.float64(ux) * vy - np.float64(uy) * vx
            triangles += 0.5 * math.sqrt(x * x + y * y + z * z)
    return boxes, triangles


@kernel
def _fit_children(first, count, sources, words, corners, ranges, volume, oriented):
    """Fit a box to the triangles of each child; ``ranges`` (nodes, 2) gets their entries in the order of the leaves."""
    for node in range(first.shape[0] - 1, -1, -1):
        begin = np.int64(first[node])
        if count[node] == 0:
            ranges[node, 0] = min(ranges[begin, 0], ranges[begin + 1, 0])
            ranges[node, 1] = max(ranges[begin, 1], ranges[begin + 1, 1])
        else:
            ranges[node, 0] = begin
            ranges[node, 1] = begin + count[node]
    for node in range(sources.shape[0]):
        for k in range(words[node, CHILD_COUNT]):
            source = np.int64(sources[node, k])
            _fit(corners[3 * ranges[source, 0] : 3 * ranges[source, 1]], volume)
            for row in range(volume.shape[0]):
                oriented[node, LANE_COUNT * row + k] = volume[row]


def looseness_of(parts: TreeParts) -> float:
    """Return the looseness of a tree with an 8-wide form: infinite for triangles without area, 0 for boxes without."""
    wide = parts.wide
    assert wide is not None
    boxes, triangles = _areas(parts.tree.first, parts.tree.count, parts.volumes, wide.coordinates)
    if triangles > 0.0:
        return boxes / triangles
    return math.inf if boxes > 0.0 else 0.0


def wants_oriented_boxes(parts: TreeParts) -> bool:
    """Return whether oriented boxes pay for a tree."""
    return parts.mesh.triangle_count >= _FEWEST_TRIANGLES and looseness_of(parts) >= LOOSE


def with_oriented_boxes(parts: TreeParts) -> TreeParts:
    """Return the parts of a tree with oriented boxes fitted to its mesh."""
    wide = parts.wide
    assert wide is not None
    oriented = np.zeros((len(wide.nodes), ORIENTED_WORDS), np.float32)
    return parts._replace(wide=wide._replace(oriented=oriented_boxes_fitted(parts, wide, oriented)))


def oriented_boxes_fitted(parts: TreeParts, wide: WideTree, oriented: np.ndarray) -> np.ndarray:
    """Fit oriented boxes (n, 120) to the mesh of a tree, and return them."""
    tree: Tree = parts.tree
    vertices, triangles = parts.mesh.arrays
    corners = np.empty((3 * len(tree.order), 3))
    corners_in_order(tree.order, vertices, triangles, parts.origin, corners)
    ranges, volume = np.empty((len(tree.first), 2), np.int64), np.empty(obb.WIDTH, np.float32)
    _fit_children(tree.first, tree.count, wide.sources, wide.nodes.view(np.int32), corners, ranges, volume, oriented)
    return oriented
