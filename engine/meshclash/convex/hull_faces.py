"""The triangles of a convex hull, by exact signs: no point is outside by however little, none is lost.

Points are put in one after the other; the faces that see a point are replaced by triangles from their rim to it
(Clarkson, Shor 1989; de Berg et al., "Computational Geometry", chapter 11). A face sees a point only where the exact
determinant says so, so that points in its plane change nothing there, and no triangle without area is ever made: a rim
edge belongs to one face that sees the point and to one that does not, and a point on the edge's line is seen by none.
"""

import numpy as np

from ..geometry.predicates import UNCERTAIN, ExactWorkspace, exact_orient2d, exact_orient3d
from ..jit import inner, kernel
from ..reference import by_reference


@inner
def _point(points, i):
    return points[i, 0], points[i, 1], points[i, 2]


@inner
def _side(points, face, p, workspace):
    """Sign of a face and a point: positive where the point is behind the face, as inner points are."""
    return exact_orient3d(
        _point(points, face[0]), _point(points, face[1]), _point(points, face[2]), _point(points, p), workspace
    )


@kernel
def off_plane(points, a, b, c, order, workspace):
    """The first point of an order that is not in the plane of three others, and its sign; -1, 0 where there is none."""
    workspace = by_reference(workspace)
    for k in range(order.shape[0]):
        sign = exact_orient3d(
            _point(points, a), _point(points, b), _point(points, c), _point(points, order[k]), workspace
        )
        if sign != 0:
            return order[k], sign
    return -1, 0


@kernel
def off_line(points, a, b, order, workspace):
    """The first point of an order that is not on the line of two others, and an axis along which that is seen; or -1.

    The sign is that of the turn seen along the axis, 0 where there is no such point.
    """
    workspace = by_reference(workspace)
    for k in range(order.shape[0]):
        c = order[k]
        for axis in range(3):
            i, j = (axis + 1) % 3, (axis + 2) % 3
            sign = exact_orient2d(
                points[a, i], points[a, j], points[b, i], points[b, j], points[c, i], points[c, j], workspace
            )
            if sign != 0:
                return c, axis, sign
    return -1, 0, 0


@kernel
def flat_hull(points, axis, order, workspace, chain):
    """Fill ``chain`` with the corners of points in one plane, counter-clockwise seen along an axis; how many, or -1.

    Andrew's monotone chain (1979); ``order`` sorts the points by both coordinates that are seen.
    """
    workspace = by_reference(workspace)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    count, n = 0, order.shape[0]
    for turn in range(2):
        first = count
        for k in range(n):
            p = order[k] if turn == 0 else order[n - 1 - k]
            while count >= first + 2:
                u, v = chain[count - 2], chain[count - 1]
                sign = exact_orient2d(
                    points[u, i], points[u, j], points[v, i], points[v, j], points[p, i], points[p, j], workspace
                )
                if sign == UNCERTAIN:
                    return -1
                if sign > 0:
                    break
                count -= 1
            chain[count] = p
            count += 1
        count -= 1  # the last point begins the other half
    return count


@inner
def _link(neighbours, f, i, g, j):
    """Two faces have an edge in common: edge i of one and edge j of the other, as 3 * face + edge."""
    neighbours[f, i] = 3 * g + j
    neighbours[g, j] = 3 * f + i


@kernel
def grow_hull(points, order, faces, neighbours, alive, rim, starting, workspace):
    """Put points into a hull that begins as a tetrahedron; returns how many places are used, -1 where signs fail.

    Args:
        points: (n, 3) float64.
        order: points to put in, (m,) int64.
        faces: corners, counter-clockwise from outside, (2 n, 3) int64; the first four are the tetrahedron's.
        neighbours: 3 * face + edge across each edge, (2 n, 3) int64; edge k goes from corner k to the next.
        alive: (2 n,) int8: 1 for a face of the hull, 2 while it is seen.
        rim, starting: scratch, (2 n, 3) int64 and (n,) int64.
        workspace: of the predicates.
    """
    workspace = by_reference(workspace)
    used = 4
    for m in range(order.shape[0]):
        p = order[m]
        seen = 0
        for f in range(used):
            if alive[f]:
                sign = _side(points, faces[f], p, workspace)
                if sign == UNCERTAIN:
                    return -1
                if sign < 0:
                    alive[f] = 2
                    seen += 1
        if seen == 0:
            continue
        count = 0
        for f in range(used):
            if alive[f] == 2:
                for k in range(3):
                    across = neighbours[f, k]
                    if alive[across // 3] == 1:
                        rim[count, 0], rim[count, 1], rim[count, 2] = faces[f, k], faces[f, (k + 1) % 3], across
                        count += 1
        free = 0
        for k in range(count):
            while free < used and alive[free] == 1:
                free += 1
            f = free
            used = max(used, f + 1)
            faces[f, 0], faces[f, 1], faces[f, 2] = rim[k, 0], rim[k, 1], p
            _link(neighbours, f, 0, rim[k, 2] // 3, rim[k, 2] % 3)
            alive[f] = 1
            starting[rim[k, 0]] = f
        for k in range(count):
            _link(neighbours, starting[rim[k, 0]], 1, starting[rim[k, 1]], 2)
        for f in range(used):
            if alive[f] == 2:
                alive[f] = 0
    return used


def exact_side(points: np.ndarray, triangles: np.ndarray, others: np.ndarray, workspace: ExactWorkspace) -> np.ndarray:
    """Signs (k,) of points ``others`` (k,) against triangles (k, 3): 0 where they are in one plane."""
    signs = np.empty(len(triangles), np.int8)
    _exact_side(points, triangles, others, workspace, signs)
    return signs


@kernel
def _exact_side(points, triangles, others, workspace, signs):
    workspace = by_reference(workspace)
    for k in range(len(triangles)):
        signs[k] = _side(points, triangles[k], others[k], workspace)
