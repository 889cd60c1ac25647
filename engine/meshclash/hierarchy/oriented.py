"""Oriented boxes in addition to the boxes of an 8-wide form, fitted once queries about two meshes have tested enough
boxes.

The axis-aligned box of a slanted strip is mostly empty, so queries about fans, lathe parts and finely tessellated caps
test hundreds of boxes per triangle. Traversals of two trees then also test an oriented box of each child of each 8-wide
node (``geometry/lane_oriented.py``), which drops nearly all of these pairs. Other queries use only the axis-aligned
boxes.

Fitting them takes about as long as eight steps of a traversal per triangle. So the boxes are fitted once queries have
made half as many steps on the tree, even in the middle of a query. A mesh with few queries never needs them, and no
query takes much longer than with the better choice. The work itself is the measure, because the areas of boxes and
triangles do not reveal long thin triangles in a part of a mesh.

A node has 120 numbers: fifteen rows of eight lanes, in each lane a volume as in ``volumes/obb.py``, fitted to all
triangles below the child. That is about 20 bytes per triangle.
"""

import math

import numpy as np

from ..jit import kernel
from ..volumes import obb
from .bvh import ORIENTED, TreeParts
from .refit import corners_in_order, put_range
from .wide_bvh import CHILD_COUNT, LANE_COUNT

ORIENTED_WORDS = 15 * LANE_COUNT
STEPS_TO_ORIENT = 4
"""Steps of traversals per triangle after which a tree gets oriented boxes; a step tests up to eight boxes."""
_FEWEST_TRIANGLES = 2048
"""Smaller meshes count as having this number of triangles, because the first use may have to compile the kernel."""
_BEGIN = "steps when fitted"


@kernel
def _fit_children(first, count, sources, words, corners, ranges, volume, oriented):
    """Fit a box to the triangles of each child; ``ranges`` (nodes, 2) gets their entries in the order of the leaves."""
    for node in range(first.shape[0] - 1, -1, -1):
        put_range(node, first, count, ranges)
    for node in range(sources.shape[0]):
        for k in range(words[node, CHILD_COUNT]):
            source = np.int64(sources[node, k])
            obb.fit(corners[3 * ranges[source, 0] : 3 * ranges[source, 1]], volume)
            for row in range(volume.shape[0]):
                oriented[node, LANE_COUNT * row + k] = volume[row]


def oriented_boxes_of(parts: TreeParts) -> np.ndarray:
    """Return the oriented boxes of a tree with an 8-wide form, (n, 120) float32, a row per 8-wide node.

    The boxes are cached with the parts, so a refit drops them.
    """
    if ORIENTED not in parts.derived:
        tree, wide = parts.tree, parts.wide
        assert wide is not None
        vertices, triangles = parts.mesh.arrays
        corners = np.empty((3 * len(tree.order), 3))
        corners_in_order(tree.order, vertices, triangles, parts.origin, corners)
        ranges, volume = np.empty((len(tree.first), 2), np.int64), np.empty(obb.WIDTH, np.float32)
        boxes = np.zeros((len(wide.nodes), ORIENTED_WORDS), np.float32)
        words = wide.nodes.view(np.int32)
        _fit_children(tree.first, tree.count, wide.sources, words, corners, ranges, volume, boxes)
        parts.derived.setdefault(ORIENTED, boxes)  # queries of other threads may already use those of the first one
    return parts.derived[ORIENTED]


def orients_at(parts: TreeParts) -> float:
    """Return the number of steps in ``parts.usage`` after which a tree gets oriented boxes.

    The number is infinite if the tree has oriented boxes, or never gets them. Call this function before the first
    query, because steps before a refit do not count.
    """
    if parts.wide is None or not parts.may_orient or ORIENTED in parts.derived:
        return math.inf
    begin = parts.derived.setdefault(_BEGIN, parts.usage.steps)
    return begin + STEPS_TO_ORIENT * max(parts.mesh.triangle_count, _FEWEST_TRIANGLES)


def oriented_after_use(parts: TreeParts) -> np.ndarray | None:
    """Return the oriented boxes of a tree if it has them or has been used enough, otherwise None."""
    due = ORIENTED in parts.derived or parts.usage.steps >= orients_at(parts)
    return oriented_boxes_of(parts) if due else None
