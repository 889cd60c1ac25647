"""Whether two surfaces are the same set of points, however they are cut into triangles."""

import numpy as np

from ..jit import inner, kernel
from ..traversal.point import STACK_SIZE, nearest, world_triangle
from .sampling import beyond_root, make_frame, surface_tolerance


@inner
def _close(forest, frame, p, limit, stack):
    if beyond_root(forest, frame, p, limit):
        return False
    distance, _, _ = nearest(
        forest, frame.tree, frame.pose, frame.inverse, frame.origin, frame.reach, p, 2.0 * limit, limit, stack
    )
    return distance <= limit


@inner
def _covered(forest, own, other, tolerance, stack):
    """Whether the corners, edge middles and centroid of every triangle lie on the other surface."""
    for t in range(forest.triangle_end[own.tree] - forest.triangle_start[own.tree]):
        a, b, c = world_triangle(forest, own.tree, t, own.pose)
        limit = max(tolerance, surface_tolerance(a, other))
        for i in range(3):
            p = a if i == 0 else (b if i == 1 else c)
            q = b if i == 0 else (c if i == 1 else a)
            middle = (0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]))
            if not (_close(forest, other, p, limit, stack) and _close(forest, other, middle, limit, stack)):
                return False
        centroid = ((a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0)
        if not _close(forest, other, centroid, limit, stack):
            return False
    return True


@kernel
def surfaces_coincide(
    forest, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b, chosen, tolerance, result
):  # fmt: skip
    """Set ``result`` (k,) bool for the jobs in ``chosen``: each surface lies on the other, up to the tolerance [m]."""
    stack = np.empty(STACK_SIZE, np.int64)
    for index in range(chosen.shape[0]):
        job = chosen[index]
        a = make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches)
        b = make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches)
        result[job] = _covered(forest, a, b, tolerance, stack) and _covered(forest, b, a, tolerance, stack)
