"""The triangles of a convex hull, by exact signs: every point is inside or on the hull, and no vertex is lost.

Points are inserted one after another. The faces visible from a point are replaced by triangles from their rim to the
point (Clarkson, Shor 1989; de Berg et al., "Computational Geometry", chapter 11). A face is visible only if the exact
determinant says so. So points in the plane of a face do not change this face, and no triangle without area is ever
created: a rim edge belongs to one visible face and one hidden face, and from a point on the edge's line neither is
visible.

Each point that is not yet inside stores one face that it sees (Barber, Dobkin, Huhdanpaa, "The Quickhull algorithm",
1996). When that face is removed, the point sees one of the new faces, or it is inside: the plane through a rim edge and
the new corner is between the planes of the two faces at that edge, so a point that sees both also sees the new face.
Points in random order take expected n log n time.
"""

import numpy as np

from ..geometry.predicates import UNCERTAIN, ExactWorkspace, exact_orient2d, exact_orient3d
from ..jit import inner, kernel
from ..reference import by_reference

_SEEN = 2
_INSIDE, _FAILED = -1, -2
"""Values stored instead of a visible face: no face is visible, or the sign is unknown."""


@inner
def _point(points, i):
    return points[i, 0], points[i, 1], points[i, 2]


@inner
def _side(points, face, p, workspace):
    """Return the sign of a face and a point: positive if the point is behind the face, as inner points are."""
    return exact_orient3d(
        _point(points, face[0]), _point(points, face[1]), _point(points, face[2]), _point(points, p), workspace
    )


@kernel
def off_plane(points, a, b, c, order, workspace):
    """Return the first point of an order that is off the plane of three other points, and the sign of its side; -1, 0
    without such a point.
    """
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
    """Return the first point of an order that is off the line of two other points, and an axis along which this is
    visible; -1 without such a point.

    The sign is the sign of the turn seen along the axis, 0 without such a point.
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
    """Fill ``chain`` with the corners of points in one plane, counter-clockwise along an axis; return how many, or -1.

    The result is -1 if a sign is unknown. Uses Andrew's monotone chain (1979); ``order`` sorts the points by both
    visible coordinates.
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
    """Connect two faces at a common edge, edge i of one and edge j of the other, as 3 * face + edge."""
    neighbours[f, i] = 3 * g + j
    neighbours[g, j] = 3 * f + i


@inner
def _give(points, faces, candidates, p, waiting, after, workspace):
    """Add a point to the list of the first candidate face that it sees, and return that face."""
    for k in range(candidates.shape[0]):
        f = candidates[k]
        sign = _side(points, faces[f], p, workspace)
        if sign == UNCERTAIN:
            return _FAILED
        if sign < 0:
            after[p] = waiting[f]
            waiting[f] = p
            return f
    return _INSIDE


@kernel
def grow_hull(points, order, faces, neighbours, alive, workspace):
    """Insert points into a hull that starts as a tetrahedron; return how many slots are used, -1 if signs fail.

    Args:
        points: (n, 3) float64.
        order: points to insert, (m,) int64.
        faces: corners, counter-clockwise from outside, (2 n, 3) int64; the first four are the tetrahedron's.
        neighbours: 3 * face + edge across each edge, (2 n, 3) int64; edge k goes from corner k to the next.
        alive: (2 n,) int8: 1 for a face of the hull.
        workspace: workspace of the predicates.
    """
    workspace = by_reference(workspace)
    n, room = points.shape[0], faces.shape[0]
    seen, fresh, free = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    rim, starting = np.empty((room, 3), np.int64), np.empty(n, np.int64)
    waiting, after, seen_from = np.full(room, -1), np.full(n, -1), np.full(n, _INSIDE)
    used, spare = 4, 0
    fresh[:4] = np.arange(4)
    for m in range(order.shape[0]):
        p = order[m]
        seen_from[p] = _give(points, faces, fresh[:4], p, waiting, after, workspace)
        if seen_from[p] == _FAILED:
            return -1
    for m in range(order.shape[0]):
        p = order[m]
        if seen_from[p] == _INSIDE:
            continue
        # Find the faces visible from the point, starting at the known one, and the edges around them.
        seen[0], count, edges = seen_from[p], 1, 0
        alive[seen[0]] = _SEEN
        done = 0
        while done < count:
            f = seen[done]
            done += 1
            for k in range(3):
                across = neighbours[f, k]
                g = across // 3
                if alive[g] == _SEEN:
                    continue
                sign = _side(points, faces[g], p, workspace)
                if sign == UNCERTAIN:
                    return -1
                if sign < 0:
                    alive[g] = _SEEN
                    seen[count] = g
                    count += 1
                else:
                    rim[edges, 0], rim[edges, 1], rim[edges, 2] = faces[f, k], faces[f, (k + 1) % 3], across
                    edges += 1
        first = -1
        for k in range(count):
            f = seen[k]
            alive[f] = 0
            free[spare] = f
            spare += 1
            q = waiting[f]
            waiting[f] = -1
            while q >= 0:
                following = after[q]
                if q != p:
                    after[q] = first
                    first = q
                q = following
        for k in range(edges):
            if spare > 0:
                spare -= 1
                f = free[spare]
            else:
                f = used
                used += 1
            fresh[k] = f
            faces[f, 0], faces[f, 1], faces[f, 2] = rim[k, 0], rim[k, 1], p
            _link(neighbours, f, 0, rim[k, 2] // 3, rim[k, 2] % 3)
            alive[f] = 1
            starting[rim[k, 0]] = f
        for k in range(edges):
            _link(neighbours, starting[rim[k, 0]], 1, starting[rim[k, 1]], 2)
        q = first
        while q >= 0:
            following = after[q]
            seen_from[q] = _give(points, faces, fresh[:edges], q, waiting, after, workspace)
            if seen_from[q] == _FAILED:
                return -1
            q = following
    return used


@kernel
def merge_faces(triangles, across, signs, group, corners, begin):
    """Write the corners of the faces of a hull: loops around the triangles in one plane.

    Args:
        triangles: (t, 3) int64.
        across: 3 * triangle + edge across each edge, (t, 3) int64.
        signs: (t, 3) int8: 0 where the triangle across an edge is in the same plane.
        group: scratch, (t,) int64.
        corners, begin: filled, (3 t,) and (t + 1,) int64: face f has the corners from begin[f] to begin[f + 1].

    Returns:
        The number of faces.
    """
    count = triangles.shape[0]
    group[:] = -1
    stack = np.empty(count, np.int64)
    for start in range(count):
        if group[start] >= 0:
            continue
        group[start], stack[0], height = start, start, 1
        while height > 0:
            height -= 1
            t = stack[height]
            for k in range(3):
                other = across[t, k] // 3
                if signs[t, k] == 0 and group[other] < 0:
                    group[other], stack[height] = start, other
                    height += 1
    is_done = np.zeros((count, 3), np.bool_)
    faces, filled = 0, 0
    begin[0] = 0
    for start in range(3 * count):
        t, k = start // 3, start % 3
        if is_done[t, k] or group[across[t, k] // 3] == group[t]:
            continue
        while not is_done[t, k]:
            is_done[t, k] = True
            corners[filled] = triangles[t, k]
            filled += 1
            k = (k + 1) % 3
            while group[across[t, k] // 3] == group[t]:  # an edge inside the face: turn around the corner
                other = across[t, k]
                t, k = other // 3, (other % 3 + 1) % 3
        faces += 1
        begin[faces] = filled
    return faces


def exact_side(points: np.ndarray, triangles: np.ndarray, others: np.ndarray, workspace: ExactWorkspace) -> np.ndarray:
    """Return signs (k,) of points ``others`` (k,) relative to triangles (k, 3): 0 if they are in one plane."""
    signs = np.empty(len(triangles), np.int8)
    _exact_side(points, triangles, others, workspace, signs)
    return signs


@kernel
def _exact_side(points, triangles, others, workspace, signs):
    workspace = by_reference(workspace)
    for k in range(len(triangles)):
        signs[k] = _side(points, triangles[k], others[k], workspace)
