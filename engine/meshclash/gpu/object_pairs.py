"""The broad phase on a backend: find overlapping boxes of many objects with one hierarchy, traversed against itself.

Each box becomes a triangle between its corners, so that build and traversal of triangles can be used. Pairs of leaves
are then compared exactly.
"""

import numpy as np

from ..traversal.forest import Side
from ..traversal.question import Question
from ..types.mesh import TriangleMesh
from .box_steps import IN_A, IN_B
from .breadth_first import Observer, Workspace, descend, selected_rows, summed
from .jobs import prepare_jobs
from .pyramid import width_for
from .trees import build_trees


def find_object_pairs(
    space: Workspace, boxes: np.ndarray, in_a: np.ndarray, in_b: np.ndarray, observe: Observer | None = None
) -> np.ndarray:
    """Return the result of ``broadphase.sweep.overlapping_pairs`` for finite boxes.

    Args:
        space, observe: as for ``traverse``.
        boxes, in_a, in_b: as for ``overlapping_pairs``; n > 0.
    """
    backend, count = space.backend, len(boxes)
    trees = build_trees(backend, [_as_mesh(boxes)])
    here = np.eye(4)[None, :3].copy()
    side = Side(trees.meshes)
    question = Question(side, side, np.zeros((1, 2), np.int64), here, here, with_itself=True)
    jobs = prepare_jobs(backend, trees, trees, question)
    descent = descend(space, trees, trees, jobs, "count_pairs", observe=observe)
    if descent.leaf_pairs == 0:
        return np.empty((0, 2), np.int64)
    width = width_for(descent.leaf_pairs)
    sums = space.array("sums", 2 * width, 1, np.int64)
    kinds = space.array("kinds", descent.leaf_pairs, 1, np.uint8)
    sets = backend.upload((IN_A * in_a + IN_B * in_b).astype(np.uint8))
    exact = backend.upload(np.ascontiguousarray(boxes, np.float64))
    backend.step("test_boxes", width, exact, sets, descent.leaves, descent.leaf_pairs, kinds, sums, width)
    rows = selected_rows(space, descent.leaves, kinds, sums, width, summed(space, sums, width))
    pairs = np.sort(rows[:, :2].astype(np.int64), axis=1)
    keys = np.sort(pairs[:, 0] * count + pairs[:, 1])
    return np.column_stack([keys // count, keys % count])


def _as_mesh(boxes: np.ndarray) -> TriangleMesh:
    """Return a mesh with one triangle for each box, between its lowest and its highest corner."""
    corners = np.arange(2 * len(boxes), dtype=np.int32).reshape(-1, 2)
    return TriangleMesh(boxes.reshape(-1, 3), corners[:, [0, 1, 1]])
