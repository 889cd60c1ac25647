"""Exclude pairs of objects by oriented boxes of whole objects, before their trees are traversed.

The axis-aligned boxes of long rotated parts, and of their long triangles, overlap much even if the parts do not meet.
One box along the principal axes of each object separates most such pairs, by a test of fifteen axes.
"""

import numpy as np

from ..geometry.lanes import doubles, floats, shifted
from ..geometry.relative_pose import ROW_LENGTH, SCRATCH_LENGTH, put_first_half
from ..hierarchy.bvh import Tree, TreeParts
from ..hierarchy.refit import fit_volumes_steps
from ..jit import config, inner, kernel
from ..types.steps import run
from ..volumes import obb
from .forest import TreeSet
from .wide_traversal import SIZES

_TRIANGLES = obb.WIDTH
WIDTH = obb.WIDTH + 1
"""Numbers stored per object: its box, and its number of triangles."""
_FEWEST = 64
"""If two objects have fewer triangles in total, a traversal is faster than comparing oriented boxes."""
_MOST = 1 << 16
"""Number of triangles that can be fitted in less than a slice; larger objects get no box."""
_NEVER = -1e30  # in place of the number of triangles: no box
_KEY = "oriented box"


def oriented_boxes(tree_set: TreeSet) -> np.ndarray:
    """Return the oriented box of each tree, (trees, WIDTH) float32 [m], relative to its origin; cached."""
    asked = tree_set.fits_lanes and not config.DISABLE_JIT
    if not asked or max((len(part.tree.order) for part in tree_set.parts), default=0) < _FEWEST // 2:
        return np.full((len(tree_set.parts), WIDTH), _NEVER, np.float32)
    return np.stack([_box_of(part) for part in tree_set.parts])


def _box_of(part: TreeParts) -> np.ndarray:
    if _KEY not in part.derived:
        box, count = np.full((1, WIDTH), _NEVER, np.float32), len(part.tree.order)
        if count <= _MOST:
            root = Tree(np.zeros(1, np.int32), np.full(1, count, np.int32), part.tree.order, 0)
            fitted = np.empty((1, obb.WIDTH), np.float32)
            vertices, triangles = part.mesh.arrays
            run(fit_volumes_steps(root, vertices, triangles, part.origin, "obb", fitted))
            box[0, :_TRIANGLES], box[0, _TRIANGLES] = fitted[0], count
        part.derived[_KEY] = box[0]
    kept: np.ndarray = part.derived[_KEY]
    return kept


@inner
def boxes_apart(boxes, sizes, a, poses_a, b, poses_b, row):
    """Return whether the oriented boxes of two posed trees are disjoint; True is certain despite rounding.

    The arguments are pointers to the boxes and sizes (``wide_traversal.py``) of all trees, both poses, and DOUBLES
    numbers of scratch.
    """
    box_a, box_b = shifted(boxes, WIDTH * a), shifted(boxes, WIDTH * b)
    if box_a[_TRIANGLES] + box_b[_TRIANGLES] < _FEWEST:
        return False
    put_first_half(poses_a, 0, poses_b, 0, sizes, SIZES * a, sizes, SIZES * b, 0.0, shifted(row, ROW_LENGTH), row, 0)
    return not obb.overlap(box_a, box_b, row)


@kernel
def _tell_apart(boxes, sizes, jobs, rows_a, rows_b, scratch, apart):
    boxes_of, sizes_of, row = floats(boxes.ctypes.data), doubles(sizes.ctypes.data), doubles(scratch.ctypes.data)
    poses_a, poses_b = doubles(rows_a.ctypes.data), doubles(rows_b.ctypes.data)
    for k in range(jobs.shape[0]):
        apart[k] = boxes_apart(
            boxes_of, sizes_of, jobs[k, 0], shifted(poses_a, 12 * k), jobs[k, 1], shifted(poses_b, 12 * k), row
        )


def separated_pairs(
    tree_set: TreeSet, boxes: np.ndarray, jobs: np.ndarray, rows_a: np.ndarray, rows_b: np.ndarray
) -> np.ndarray:
    """Return which pairs of trees ``jobs`` (k, 2) int64 in poses (k, 3, 4) certainly do not meet, (k,) bool."""
    apart = np.zeros(len(jobs), np.bool_)
    if tree_set.fits_lanes and not config.DISABLE_JIT:
        rows = np.ascontiguousarray(rows_a), np.ascontiguousarray(rows_b)
        scratch = np.empty(ROW_LENGTH + SCRATCH_LENGTH)
        _tell_apart(boxes, tree_set.lanes.sizes, np.ascontiguousarray(jobs), *rows, scratch, apart)
    return apart
