"""Whether two surfaces are the same set of points, however they are cut into triangles.

Work comes in spans of triangles, so that callers can stop between two of them.
"""

import math

from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.point import world_triangle
from .frames import beyond_root, centroid, make_frame, middle, nearest_in, outward_side, surface_tolerance


@inner
def _close(forest, frame, p, limit, work):
    if beyond_root(forest, frame, p, limit):
        return False
    distance, _, _ = nearest_in(forest, frame, p, 2.0 * limit, limit, work)
    return distance <= limit


@inner
def _covered(forest, solids, own, other, begin, end, work):
    """Whether corners, edge middles and centroid of some triangles lie on the other surface; inner faces aside."""
    for t in range(begin, end):
        a, b, c = world_triangle(forest, own.tree, t, own.pose)
        limit = surface_tolerance(a, other)
        for i in range(7):
            p = a if i < 2 else (b if i < 4 else c)
            if i == 6:
                p = centroid(a, b, c)
            elif i % 2 == 1:
                p = middle(p, b if i == 1 else (c if i == 3 else a))
            if _close(forest, other, p, limit, work):
                continue
            if not solids.closed[own.tree] or outward_side(forest, solids, own, t, p, work) != 0:
                return False
    return True


@inner
def _area(forest, frame):
    """Twice the area of a tree's triangles."""
    total = 0.0
    for t in range(forest.triangle_end[frame.tree] - forest.triangle_start[frame.tree]):
        a, b, c = world_triangle(forest, frame.tree, t, frame.pose)
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        total += math.sqrt(nx * nx + ny * ny + nz * nz)
    return total


@inner
def _alike(forest, solids, a, b):
    """Whether both surfaces are closed, or both are open and have equal areas: a hole may lie between their points."""
    if solids.closed[a.tree] or solids.closed[b.tree]:
        return solids.closed[a.tree] == solids.closed[b.tree]
    area = _area(forest, a)
    return abs(area - _area(forest, b)) <= 1e-9 * area


@kernel
def deny_coincidence(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b, spans, work, result
):  # fmt: skip
    """Clear ``result`` (k,) bool of the jobs whose surfaces do not lie on each other, up to rounding.

    A span (job, side, begin, end) compares some triangles of one surface with the other; the span that begins with
    triangle 0 of side 0 compares the surfaces as wholes, too.
    """
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    for index in range(spans.shape[0]):
        job, side, begin, end = spans[index, 0], spans[index, 1], spans[index, 2], spans[index, 3]
        if not result[job]:
            continue
        a = by_reference(make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches))
        b = by_reference(make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches))
        own, other = (a, b) if side == 0 else (b, a)
        whole = side == 0 and begin == 0
        result[job] = (not whole or _alike(forest, solids, a, b)) and _covered(
            forest, solids, own, other, begin, end, work
        )
