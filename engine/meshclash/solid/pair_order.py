"""Which object of a pair comes first: it must not depend on the order in which the caller names them.

Rounding makes points and depths depend on the order of two objects by a last bit, so everything that is measured of a
pair takes them in an order of their own.
"""

import numpy as np

from ..traversal.forest import Forest


def swapped_pairs(
    forest: Forest, jobs: np.ndarray, rows: tuple[np.ndarray, np.ndarray], boxes: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Which pairs are looked at second object first, (k,) bool.

    The order is that of the world boxes' numbers. Where they are equal, the poses and then the meshes decide, of which
    two that are equal need no order.

    Args:
        forest: the trees.
        jobs: of the pairs, (k, 2) trees.
        rows: poses of the first and of the second objects, (k, 3, 4) each.
        boxes: their world boxes, (k, 6) each [m].
    """
    different = boxes[0] != boxes[1]
    column = different.argmax(axis=1)
    every = np.arange(len(jobs))
    swapped = boxes[0][every, column] > boxes[1][every, column]
    for job in np.flatnonzero(~different.any(axis=1)).tolist():
        one, other = (_numbers(forest, int(jobs[job, side]), rows[side][job]) for side in range(2))
        swapped[job] = one > other
    return swapped


def _numbers(forest: Forest, tree: int, rows: np.ndarray) -> tuple:
    """What tells an object from another one in the same box, in an order."""
    triangles = forest.triangles[forest.triangle_start[tree] : forest.triangle_end[tree]]
    corners = forest.vertices[forest.vertex_start[tree] + triangles]
    return len(triangles), rows.tobytes(), corners.tobytes()
