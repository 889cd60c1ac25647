"""Edge collapses in the order of quadric errors (Garland and Heckbert, "Surface simplification", 1997), for one piece.

Borders are collapsed last: planes through their edges have much more weight than the triangles. If an inner vertex is
merged with a border vertex, the result lies at the border vertex. If two border vertices are merged, the new vertex
lies at one of them. So neighbouring pieces keep their common border as long as other edges can be collapsed. The
collapses need not be exact, because the result is measured afterwards (``hausdorff_bound.py``).
"""

import numpy as np

from ..jit import inner
from .collapse_heap import heap_drop, heap_put

_BORDER_WEIGHT = 100.0
_EVEN = 1e-4
"""Weight of an edge's length added to the quadrics, so that flat regions are collapsed evenly."""
_SAME_SIDE = 0.2
"""Cosine of the largest angle by which a collapse may turn a triangle."""


@inner
def _cross_of(vertices, a, b, c):
    """Return twice the area vector of a triangle."""
    ux = vertices[b, 0] - vertices[a, 0]
    uy = vertices[b, 1] - vertices[a, 1]
    uz = vertices[b, 2] - vertices[a, 2]
    vx = vertices[c, 0] - vertices[a, 0]
    vy = vertices[c, 1] - vertices[a, 1]
    vz = vertices[c, 2] - vertices[a, 2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@inner
def _add_plane(quadric, x, y, z, d, weight):
    """Add the squared distance from the plane (x, y, z) . p + d = 0, which has a unit normal, to a quadric."""
    quadric[0] += weight * x * x
    quadric[1] += weight * x * y
    quadric[2] += weight * x * z
    quadric[3] += weight * x * d
    quadric[4] += weight * y * y
    quadric[5] += weight * y * z
    quadric[6] += weight * y * d
    quadric[7] += weight * z * z
    quadric[8] += weight * z * d
    quadric[9] += weight * d * d


@inner
def _add_triangles(vertices, triangles, quadrics):
    """Add to the quadric of each vertex the planes of its triangles, weighted by area. The last number of a quadric is
    the area.
    """
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        if a < 0:
            continue
        x, y, z = _cross_of(vertices, a, b, c)
        length = np.sqrt(x * x + y * y + z * z)
        if length > 0.0:
            x, y, z = x / length, y / length, z / length
            d = -(x * vertices[a, 0] + y * vertices[a, 1] + z * vertices[a, 2])
            for k in range(3):
                _add_plane(quadrics[triangles[t, k]], x, y, z, d, 0.5 * length)
                quadrics[triangles[t, k], 10] += 0.5 * length


@inner
def _add_border(vertices, triangles, t, a, b, quadrics):
    """Add the plane through edge ab, perpendicular to triangle t, to the quadrics of a and b."""
    x, y, z = _cross_of(vertices, triangles[t, 0], triangles[t, 1], triangles[t, 2])
    ex, ey, ez = (vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1], vertices[b, 2] - vertices[a, 2])
    nx, ny, nz = ey * z - ez * y, ez * x - ex * z, ex * y - ey * x
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    if length > 0.0:
        nx, ny, nz = nx / length, ny / length, nz / length
        d = -(nx * vertices[a, 0] + ny * vertices[a, 1] + nz * vertices[a, 2])
        weight = _BORDER_WEIGHT * (ex * ex + ey * ey + ez * ez)
        _add_plane(quadrics[a], nx, ny, nz, d, weight)
        _add_plane(quadrics[b], nx, ny, nz, d, weight)


@inner
def _error(q, x, y, z):
    return (
        q[0] * x * x + q[4] * y * y + q[7] * z * z + q[9]
        + 2.0 * (q[1] * x * y + q[2] * x * z + q[3] * x + q[5] * y * z + q[6] * y + q[8] * z)
    )  # fmt: skip


@inner
def _even(vertices, quadric, a, b):
    x, y, z = (vertices[a, 0] - vertices[b, 0], vertices[a, 1] - vertices[b, 1], vertices[a, 2] - vertices[b, 2])
    return _EVEN * (x * x + y * y + z * z) * quadric[10]


@inner
def _free_place(vertices, q, a, b, place):
    """Compute the position where the quadric of an edge is smallest, moved slightly towards the middle of the edge.

    If that position is far away, the midpoint itself is used.
    """
    mx = 0.5 * (vertices[a, 0] + vertices[b, 0])
    my = 0.5 * (vertices[a, 1] + vertices[b, 1])
    mz = 0.5 * (vertices[a, 2] + vertices[b, 2])
    place[0], place[1], place[2] = mx, my, mz
    t = 1e-4 * (q[0] + q[4] + q[7])
    xx, xy, xz, yy, yz, zz = q[0] + t, q[1], q[2], q[4] + t, q[5], q[7] + t
    rx, ry, rz = t * mx - q[3], t * my - q[6], t * mz - q[8]
    cx, cy, cz = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    determinant = xx * cx + xy * cy + xz * cz
    if determinant > 0.0:
        x = (cx * rx + cy * ry + cz * rz) / determinant
        y = (cy * rx + (xx * zz - xz * xz) * ry + (xy * xz - xx * yz) * rz) / determinant
        z = (cz * rx + (xy * xz - xx * yz) * ry + (xx * yy - xy * xy) * rz) / determinant
        ex, ey, ez = (vertices[a, 0] - vertices[b, 0], vertices[a, 1] - vertices[b, 1], vertices[a, 2] - vertices[b, 2])
        if (x - mx) ** 2 + (y - my) ** 2 + (z - mz) ** 2 <= ex * ex + ey * ey + ez * ez:
            place[0], place[1], place[2] = x, y, z


@inner
def _cost(vertices, quadrics, border, a, b, quadric, place):
    """Return the cost of collapsing edge ab, and compute the position of the merged vertex."""
    for k in range(11):
        quadric[k] = quadrics[a, k] + quadrics[b, k]
    weight = _BORDER_WEIGHT if border[a] and border[b] else 1.0
    if not border[a] and not border[b]:
        _free_place(vertices, quadric, a, b, place)
    else:
        kept = a if border[a] else b
        if border[a] and border[b]:
            at_a = _error(quadric, vertices[a, 0], vertices[a, 1], vertices[a, 2])
            at_b = _error(quadric, vertices[b, 0], vertices[b, 1], vertices[b, 2])
            kept = a if at_a <= at_b else b
        place[0], place[1], place[2] = vertices[kept, 0], vertices[kept, 1], vertices[kept, 2]
    return weight * (max(0.0, _error(quadric, place[0], place[1], place[2])) + _even(vertices, quadric, a, b))


@inner
def _link(triangles, heads, tails, nexts):
    """Build linked lists of the corners (3 t + k) of each vertex."""
    heads[:] = -1
    for corner in range(3 * triangles.shape[0]):
        t = corner // 3
        v = triangles[t, corner % 3]
        if triangles[t, 0] >= 0:
            nexts[corner] = heads[v]
            if heads[v] < 0:
                tails[v] = corner
            heads[v] = corner


@inner
def _begin(vertices, triangles, quadrics, border, heads, nexts, counts, lasts, heap):
    """Find borders, and put every edge on the heap; return the number of heap entries."""
    used = 0
    quadric, place = np.empty(11), np.empty(3)
    for stage in range(2):
        for v in range(vertices.shape[0]):
            corner = heads[v]
            while corner >= 0:
                t = corner // 3
                for k in range(3):
                    counts[triangles[t, k]] = 0
                corner = nexts[corner]
            corner = heads[v]
            while corner >= 0:
                t = corner // 3
                for k in range(1, 3):
                    other = triangles[t, (corner % 3 + k) % 3]
                    counts[other] += 1
                    lasts[other] = t
                corner = nexts[corner]
            corner = heads[v]
            while corner >= 0:
                t = corner // 3
                for k in range(1, 3):
                    other = triangles[t, (corner % 3 + k) % 3]
                    if stage == 0 and counts[other] != 2:
                        border[v] = True
                        if counts[other] == 1 and other > v:
                            _add_border(vertices, triangles, t, v, other, quadrics)
                    elif stage == 1 and other > v and lasts[other] == t:
                        cost = _cost(vertices, quadrics, border, v, other, quadric, place)
                        used = heap_put(heap, used, cost, v, other, 0)
                corner = nexts[corner]
    return used


@inner
def _turns(vertices, triangles, heads, nexts, u, v, place):
    """Return whether moving vertex u would flip a triangle at u that does not contain v."""
    corner = heads[u]
    while corner >= 0:
        t, k = corner // 3, corner % 3
        y, z = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
        if triangles[t, 0] >= 0 and y != v and z != v:
            ox, oy, oz = _cross_of(vertices, u, y, z)
            ux, uy, uz = (vertices[y, 0] - place[0], vertices[y, 1] - place[1], vertices[y, 2] - place[2])
            wx, wy, wz = (vertices[z, 0] - place[0], vertices[z, 1] - place[1], vertices[z, 2] - place[2])
            nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
            both = (ox * ox + oy * oy + oz * oz) * (nx * nx + ny * ny + nz * nz)
            if ox * nx + oy * ny + oz * nz < _SAME_SIDE * np.sqrt(both):
                return True
        corner = nexts[corner]
    return False


@inner
def _is_allowed(triangles, border, heads, nexts, marks, stamp, u, v):
    """Return whether merging u and v keeps the topology of the surface and leaves at least one triangle."""
    corner = heads[v]
    while corner >= 0:
        t = corner // 3
        if triangles[t, 0] >= 0:
            for k in range(3):
                marks[triangles[t, k]] = stamp
        corner = nexts[corner]
    marks[v] = marks[u] = stamp + 1
    common = shared = others = 0
    corner = heads[u]
    while corner >= 0:
        t = corner // 3
        if triangles[t, 0] >= 0:
            has = triangles[t, 0] == v or triangles[t, 1] == v or triangles[t, 2] == v
            shared += has
            others += not has
            for k in range(3):
                if marks[triangles[t, k]] == stamp:
                    marks[triangles[t, k]] = stamp + 1
                    common += 1
        corner = nexts[corner]
    corner = heads[v]
    while corner >= 0 and others == 0:
        t = corner // 3
        others += triangles[t, 0] >= 0 and triangles[t, 0] != u and triangles[t, 1] != u and triangles[t, 2] != u
        corner = nexts[corner]
    return others > 0 and common == shared and not (border[u] and border[v] and shared != 1)


@inner
def _merge(triangles, heads, tails, nexts, u, v):
    """Move the triangles of u to v; return how many triangles vanish."""
    gone = 0
    corner = heads[u]
    while corner >= 0:
        t = corner // 3
        if triangles[t, 0] >= 0:
            if triangles[t, 0] == v or triangles[t, 1] == v or triangles[t, 2] == v:
                triangles[t, 0] = -1
                gone += 1
            else:
                triangles[t, corner % 3] = v
        corner = nexts[corner]
    nexts[tails[v]] = heads[u]
    tails[v] = tails[u]
    before = -1
    corner = heads[v]
    while corner >= 0:  # removes vanished triangles from the list
        if triangles[corner // 3, 0] >= 0:
            if before < 0:
                heads[v] = corner
            else:
                nexts[before] = corner
            before = corner
        corner = nexts[corner]
    nexts[before] = -1
    tails[v] = before
    return gone


@inner
def _put_edges_of(vertices, triangles, quadrics, border, heads, nexts, marks, stamp, versions, v, heap, used):
    """Put the edges of a changed vertex on the heap; return the number of heap entries."""
    quadric, place = np.empty(11), np.empty(3)
    marks[v] = stamp
    corner = heads[v]
    while corner >= 0:
        for k in range(3):
            other = triangles[corner // 3, k]
            if marks[other] != stamp:
                marks[other] = stamp
                cost = _cost(vertices, quadrics, border, v, other, quadric, place)
                used = heap_put(heap, used, cost, v, other, versions[v] + versions[other])
        corner = nexts[corner]
    return used


@inner
def collapse_edges(vertices, triangles, target, kept, log, places):
    """Collapse edges of a piece until it has at most ``target`` triangles, or no edge may be collapsed.

    Args:
        vertices: (n, 3) float64, scaled to a size of about 1. Remaining vertices are moved; removed vertices keep the
            position at which they were merged.
        triangles: (m, 3) int32, changed in place. Removed triangles have -1 first, also in the input.
        target: number of triangles that should remain.
        kept: (n,) int32, receives for each vertex the remaining vertex that replaces it.
        log: (n, 3) int32, receives for each collapse the removed vertex, the remaining one, and the number of
            remaining triangles.
        places: (n, 3) float64, receives for each collapse the previous position of the remaining vertex.

    Returns:
        The number of collapsed edges.
    """
    n, m = vertices.shape[0], triangles.shape[0]
    quadrics, border = np.zeros((n, 11)), np.zeros(n, np.bool_)
    heads, tails, nexts = np.empty(n, np.int32), np.empty(n, np.int32), np.full(3 * m, np.int32(-1))
    marks, lasts, versions = np.full(n, -1), np.zeros(n, np.int64), np.zeros(n, np.int64)
    heap = np.empty((24 * m + 64, 4))
    live = 0
    for t in range(m):
        live += triangles[t, 0] >= 0
    for v in range(n):
        kept[v] = v
    _add_triangles(vertices, triangles, quadrics)
    _link(triangles, heads, tails, nexts)
    used = _begin(vertices, triangles, quadrics, border, heads, nexts, marks, lasts, heap)
    marks[:] = -1
    stamp = done = 0
    quadric, place = np.empty(11), np.empty(3)
    while live > target and used > 0 and used + 64 < heap.shape[0]:
        used = heap_drop(heap, used)
        u, v = np.int64(heap[used, 1]), np.int64(heap[used, 2])
        if kept[u] != u or kept[v] != v or versions[u] + versions[v] != np.int64(heap[used, 3]):
            continue
        if border[u]:
            u, v = v, u
        stamp += 2
        if not _is_allowed(triangles, border, heads, nexts, marks, stamp, u, v):
            continue
        _cost(vertices, quadrics, border, u, v, quadric, place)
        if _turns(vertices, triangles, heads, nexts, u, v, place):
            continue
        if _turns(vertices, triangles, heads, nexts, v, u, place):
            continue
        live -= _merge(triangles, heads, tails, nexts, u, v)
        kept[u] = v
        log[done, 0], log[done, 1], log[done, 2] = u, v, live
        places[done] = vertices[v]
        done += 1
        vertices[v] = place
        quadrics[v] += quadrics[u]
        versions[v] += 1
        stamp += 2
        used = _put_edges_of(
            vertices, triangles, quadrics, border, heads, nexts, marks, stamp, versions, v, heap, used
        )  # fmt: skip
    for v in range(n):
        last = v
        while kept[last] != last:
            last = kept[last]
        kept[v] = last
    return done
