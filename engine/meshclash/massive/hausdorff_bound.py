"""A proved upper bound of the distance from every point of one piece of a surface to another piece.

A triangle of one piece is cut by the prisms over triangles of the other. On a convex part, the distance to one triangle
is a convex function, so its values at the part's corners bound it. The bound is correct for any cuts and any assignment
of triangles to parts: the largest value at a corner is always a bound. A good choice only makes the bound smaller. The
collapses tell which triangles to try first; correctness does not depend on that either.

Rounding. Coordinates are at most 1 (``directed_bound``). A cut goes from a point of one side of a part to a point of
another side. Each point counts as exact, as a fraction of its side; its coordinates then have errors below 5 u, u =
2**-53, on each axis. A part results from at most 3 ``_MOST_CANDIDATES`` cuts and ``_MOST_HALVINGS`` halvings, so its
corners lie within (3 * 256 + 12) * 9 u of their places without rounding errors, and with those places the parts would
cover the triangle. The distance of a corner is computed to a point v ab + w ac of the triangle, with v and w from 0 to
1 and v + w <= 1 up to 3 u; its error is below 64 u. ``SLACK`` is four times the sum. The margin also covers the
coordinates themselves, which were moved and scaled to size 1 with errors of 3 u each.
"""

import numpy as np

from ..jit import inner

SLACK = 2.0**-38
"""Amount added to every bound, for coordinates of at most 1."""
_MOST_CANDIDATES = 256
_MOST_PARTS = 96
_MOST_CORNERS = 16
_MOST_HALVINGS = 12
_MOST_LEFT = 300
"""Maximum number of parts that are compared with all candidates and halved; the other parts keep their bounds."""
_NEAR_ENOUGH = 1.44
"""Ratio of the squares of upper and lower bound below which a part is not halved any more."""
_TOO_FAR = 1.7
"""Factor of the square of the bound so far, above which triangles are tried that the collapses did not suggest."""
_SHARE = 0.98
"""Share of the triangles whose corners are expected to be nearer than the final bound."""


@inner
def _squared_distance(x, y, z, t):
    """Return the squared distance between a point and triangle t (3, 3), up to rounding errors (Ericson 2005)."""
    abx, aby, abz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
    acx, acy, acz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
    apx, apy, apz = x - t[0, 0], y - t[0, 1], z - t[0, 2]
    d1, d2 = abx * apx + aby * apy + abz * apz, acx * apx + acy * apy + acz * apz
    v = w = 0.0
    if d1 > 0.0 or d2 > 0.0:
        bpx, bpy, bpz = apx - abx, apy - aby, apz - abz
        d3, d4 = abx * bpx + aby * bpy + abz * bpz, acx * bpx + acy * bpy + acz * bpz
        cpx, cpy, cpz = apx - acx, apy - acy, apz - acz
        d5, d6 = abx * cpx + aby * cpy + abz * cpz, acx * cpx + acy * cpy + acz * cpz
        va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
        if d3 >= 0.0 and d4 <= d3:
            v = 1.0
        elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0 and d1 > d3:
            v = d1 / (d1 - d3)
        elif d6 >= 0.0 and d5 <= d6:
            w = 1.0
        elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0 and d2 > d6:
            w = d2 / (d2 - d6)
        elif va <= 0.0 and d4 >= d3 and d5 >= d6 and (d4 - d3) + (d5 - d6) > 0.0:
            w = min(1.0, (d4 - d3) / ((d4 - d3) + (d5 - d6)))
            v = 1.0 - w
        elif va > 0.0 and vb > 0.0 and vc > 0.0:
            v, w = vb / (va + vb + vc), vc / (va + vb + vc)
    x, y, z = apx - v * abx - w * acx, apy - v * aby - w * acy, apz - v * abz - w * acz
    return x * x + y * y + z * z


@inner
def _farthest_corner(part, count, t, enough):
    """Return the largest squared distance between the corners of a part and a triangle, or the first such distance
    above ``enough``.
    """
    most = 0.0
    for k in range(count):
        most = max(most, _squared_distance(part[k, 0], part[k, 1], part[k, 2], t))
        if most > enough:
            break
    return most


@inner
def _both_bounds(part, count, triangles, candidates, used, enough):
    """Return the squares of an upper and a lower bound of a part's distance to all candidates.

    The lower bound may be missing if the upper one is at most ``enough``.
    """
    upper, lower = np.inf, 0.0
    for i in range(used):
        upper = min(upper, _farthest_corner(part, count, triangles[candidates[i]], upper))
        if upper <= enough:
            return upper, lower
    for k in range(count):
        least = np.inf
        for i in range(used):
            t = triangles[candidates[i]]
            least = min(least, _squared_distance(part[k, 0], part[k, 1], part[k, 2], t))
            if least <= lower:
                break
        lower = max(lower, least)
    return upper, lower


@inner
def _direction(triangles, candidates, used, normal):
    """Compute the sum of the candidates' area vectors."""
    normal[:] = 0.0
    for i in range(used):
        t = triangles[candidates[i]]
        ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
        wx, wy, wz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
        normal[0] += uy * wz - uz * wy
        normal[1] += uz * wx - ux * wz
        normal[2] += ux * wy - uy * wx


@inner
def _planes_of(t, normal, planes):
    """Compute the sides of the prism over a triangle along a direction, (3, 4), positive inside.

    Returns whether there is a prism.
    """
    ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
    wx, wy, wz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
    turn = (
        (uy * wz - uz * wy) * normal[0] + (uz * wx - ux * wz) * normal[1] + (ux * wy - uy * wx) * normal[2]
    )  # fmt: skip
    sign = 1.0 if turn > 0.0 else -1.0
    for k in range(3):
        p, q = t[k], t[(k + 1) % 3]
        ex, ey, ez = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        planes[k, 0] = sign * (normal[1] * ez - normal[2] * ey)
        planes[k, 1] = sign * (normal[2] * ex - normal[0] * ez)
        planes[k, 2] = sign * (normal[0] * ey - normal[1] * ex)
        planes[k, 3] = -(planes[k, 0] * p[0] + planes[k, 1] * p[1] + planes[k, 2] * p[2])
    return turn != 0.0


@inner
def _is_outside(part, count, planes):
    """Return whether a part lies outside one of the given planes."""
    for k in range(3):
        x, y, z, w = planes[k, 0], planes[k, 1], planes[k, 2], planes[k, 3]
        highest = -np.inf
        for i in range(count):
            highest = max(highest, x * part[i, 0] + y * part[i, 1] + z * part[i, 2] + w)
        if highest <= 0.0:
            return True
    return False


@inner
def _copy(corners, count, to):
    for i in range(count):
        to[i, 0], to[i, 1], to[i, 2] = corners[i, 0], corners[i, 1], corners[i, 2]


@inner
def _changes(heights, count):
    """Return how often the sign changes from corner to corner around a part."""
    changes = 0
    for i in range(count):
        before = heights[i - 1 if i > 0 else count - 1]
        changes += (heights[i] > 0.0 and before < 0.0) or (heights[i] < 0.0 and before > 0.0)
    return changes


@inner
def _cut(part, count, plane, inside, outside, heights):
    """Cut a part in two, and return the number of corners of each. If the part lies on one side, the other part is
    empty.

    Both parts together cover the whole for any signs: between two consecutive cuts all corners are on one side, and
    the region beyond the line from cut to cut belongs to the part with these corners and both cuts. Rounding errors may
    give a thin part more than two cuts. If there could then be too many corners, the part is not cut.
    """
    positive = negative = False
    for i in range(count):
        heights[i] = plane[0] * part[i, 0] + plane[1] * part[i, 1] + plane[2] * part[i, 2] + plane[3]
        positive |= heights[i] > 0.0
        negative |= heights[i] < 0.0
    if not negative or not positive or count + _changes(heights, count) > _MOST_CORNERS:
        _copy(part, count, inside if not negative else outside)
        return (count, 0) if not negative else (0, count)
    ins = outs = 0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        if heights[i] >= 0.0:
            inside[ins, 0], inside[ins, 1], inside[ins, 2] = part[i, 0], part[i, 1], part[i, 2]
            ins += 1
        if heights[i] <= 0.0:
            outside[outs, 0], outside[outs, 1], outside[outs, 2] = part[i, 0], part[i, 1], part[i, 2]
            outs += 1
        if (heights[i] > 0.0 and heights[j] < 0.0) or (heights[i] < 0.0 and heights[j] > 0.0):
            share = heights[i] / (heights[i] - heights[j])
            for k in range(3):
                x = part[i, k] + share * (part[j, k] - part[i, k])
                inside[ins, k] = x
                outside[outs, k] = x
            ins += 1
            outs += 1
    return ins, outs


@inner
def _halving_plane(part, count, plane):
    """Compute the plane that halves the longest line between two corners of a part at a right angle."""
    longest = -1.0
    for i in range(count):
        for j in range(i):
            x, y, z = part[i, 0] - part[j, 0], part[i, 1] - part[j, 1], part[i, 2] - part[j, 2]
            length = x * x + y * y + z * z
            if length > longest:
                longest = length
                plane[0], plane[1], plane[2] = x, y, z
                plane[3] = -0.5 * (
                    x * (part[i, 0] + part[j, 0]) + y * (part[i, 1] + part[j, 1]) + z * (part[i, 2] + part[j, 2])
                )


@inner
def _push(parts, states, used, corners, count, following, halvings):
    _copy(corners, count, parts[used])
    states[used, 0], states[used, 1], states[used, 2] = count, following, halvings
    return used + 1


@inner
def _over(triangle, triangles, candidates, count, normal, planes, over):
    """Find the candidates whose prisms the triangle reaches, and write their places and prisms; return their number."""
    found = 0
    for i in range(count):
        if _planes_of(triangles[candidates[i]], normal, planes[found]) and not _is_outside(triangle, 3, planes[found]):
            over[found] = i
            found += 1
    return found


@inner
def _bound_by_parts(triangle, triangles, candidates, count, most, goal, room):
    """Return the square of a bound, between ``goal`` and ``most``, of a triangle's distance to the candidates."""
    parts, states, part, inside, outside, heights, planes, over, normal = room
    for i in range(count):
        most = min(most, _farthest_corner(triangle, 3, triangles[candidates[i]], most))
        if most <= goal:
            return goal
    _direction(triangles, candidates, count, normal)
    cutting = _over(triangle, triangles, candidates, count, normal, planes, over)
    best = goal
    left = 0
    used = _push(parts, states, 0, triangle, 3, 0, 0)
    while used > 0:
        used -= 1
        corners, following, halvings = states[used, 0], states[used, 1], states[used, 2]
        _copy(parts[used], corners, part)
        done = False
        while following < cutting and not done and used + 4 < _MOST_PARTS and corners + 3 < _MOST_CORNERS:
            sides, t = planes[following], triangles[candidates[over[following]]]
            following += 1
            if _is_outside(part, corners, sides):
                continue
            if _farthest_corner(part, corners, t, best) > best:
                for k in range(3):
                    ins, outs = _cut(part, corners, sides[k], inside, outside, heights)
                    if outs > 0:
                        used = _push(parts, states, used, outside, outs, following, halvings)
                    corners = ins
                    _copy(inside, ins, part)
                    if ins == 0:
                        break
                best = max(best, _farthest_corner(part, corners, t, np.inf))
                if best >= most:
                    return most
            done = True
        if done:
            continue
        upper, lower = _both_bounds(part, corners, triangles, candidates, count, best)
        left += 1
        fine = upper <= best or upper <= _NEAR_ENOUGH * lower or halvings == _MOST_HALVINGS or left > _MOST_LEFT
        if not fine and used + 2 < _MOST_PARTS and corners + 1 < _MOST_CORNERS:
            _halving_plane(part, corners, planes[cutting, 0])
            ins, outs = _cut(part, corners, planes[cutting, 0], inside, outside, heights)
            if ins > 0 and outs > 0:
                used = _push(parts, states, used, inside, ins, cutting, halvings + 1)
                used = _push(parts, states, used, outside, outs, cutting, halvings + 1)
                continue
        best = max(best, upper)
        if best >= most:
            return most
    return best


@inner
def _around(kept, triangles, starts, lists):
    """Find for each remaining vertex the original triangles whose corners it replaces."""
    starts[:] = 0
    for t in range(triangles.shape[0]):
        for k in range(3):
            starts[kept[triangles[t, k]] + 1] += 1
    for v in range(starts.shape[0] - 1):
        starts[v + 1] += starts[v]
    for t in range(triangles.shape[0]):
        for k in range(3):
            v = kept[triangles[t, k]]
            lists[starts[v]] = t
            starts[v] += 1
    for v in range(starts.shape[0] - 1, 0, -1):
        starts[v] = starts[v - 1]
    starts[0] = 0


@inner
def _candidates_of(triangle, kept, starts, lists, seen, stamp, candidates):
    """Collect the triangles of the other piece around the vertices that replace the corners; return their number."""
    used = 0
    for k in range(3):
        v = kept[triangle[k]]
        for place in range(starts[v], starts[v + 1]):
            t = lists[place]
            if seen[t] != stamp and used < _MOST_CANDIDATES:
                seen[t] = stamp
                candidates[used] = t
                used += 1
    return used


@inner
def _wider(triangle, triangles, reach, seen, stamp, candidates, used):
    """Add triangles of the other piece whose boxes come within ``reach``; return the new number of candidates."""
    for t in range(triangles.shape[0]):
        near = seen[t] != stamp and used < _MOST_CANDIDATES
        for k in range(3):
            if not near:
                break
            low = min(triangle[0, k], triangle[1, k], triangle[2, k]) - reach
            high = max(triangle[0, k], triangle[1, k], triangle[2, k]) + reach
            least = min(triangles[t, 0, k], triangles[t, 1, k], triangles[t, 2, k])
            most = max(triangles[t, 0, k], triangles[t, 1, k], triangles[t, 2, k])
            near = least <= high and most >= low
        if near:
            seen[t] = stamp
            candidates[used] = t
            used += 1
    return used


@inner
def _at_corners(faces, corners, kept, triangles, starts, lists, distances, farthest):
    """Compute for each triangle the largest squared distance from one of its corners to the other surface.

    The distance of a corner is measured to the triangles around the vertex that represents it. ``distances`` (n,)
    caches the values of vertices, because each vertex is a corner of several triangles.
    """
    distances[:] = -1.0
    for i in range(faces.shape[0]):
        farthest[i] = 0.0
        for k in range(3):
            vertex = faces[i, k]
            if distances[vertex] < 0.0:
                least = np.inf
                for place in range(starts[kept[vertex]], starts[kept[vertex] + 1]):
                    t = triangles[lists[place]]
                    least = min(least, _squared_distance(corners[i, k, 0], corners[i, k, 1], corners[i, k, 2], t))
                distances[vertex] = least if least < np.inf else 0.0
            farthest[i] = max(farthest[i], distances[vertex])


@inner
def _nearest_whole(triangle, triangles):
    """Return the square of an upper bound of the distance from a triangle to others: the least bound that a single one
    of them gives.
    """
    least = np.inf
    for t in range(triangles.shape[0]):
        least = min(least, _farthest_corner(triangle, 3, triangles[t], least))
    return least


@inner
def directed_bound(faces, corners, kept, other_faces, triangles):
    """Return a bound, without ``SLACK``, of the distance from any point of one piece to another piece.

    Args:
        faces: (m, 3) int32, vertices of the triangles of the piece whose distance is bounded.
        corners: (m, 3, 3) float64, their positions, at most 1.
        kept: (n,) int32, for each vertex the vertex that represents it.
        other_faces, triangles: vertices and positions of the other piece, (k, 3) and (k, 3, 3).
    """
    m, k = faces.shape[0], triangles.shape[0]
    starts, lists = np.empty(kept.shape[0] + 1, np.int64), np.empty(3 * k, np.int64)
    _around(kept, other_faces, starts, lists)
    distances, farthest = np.empty(kept.shape[0]), np.empty(m)
    _at_corners(faces, corners, kept, triangles, starts, lists, distances, farthest)
    order = np.argsort(-farthest)  # the earlier the bound is large, the less has to be cut
    best = farthest[order[m - 1 - np.int64(_SHARE * (m - 1))]]
    seen, candidates = np.full(k, -1), np.empty(_MOST_CANDIDATES, np.int64)
    room = (
        np.empty((_MOST_PARTS, _MOST_CORNERS, 3)), np.empty((_MOST_PARTS, 3), np.int64), np.empty((_MOST_CORNERS, 3)),
        np.empty((_MOST_CORNERS, 3)), np.empty((_MOST_CORNERS, 3)), np.empty(_MOST_CORNERS),
        np.empty((_MOST_CANDIDATES + 1, 3, 4)), np.empty(_MOST_CANDIDATES, np.int64), np.empty(3),
    )  # fmt: skip
    for i in order:
        used = _candidates_of(faces[i], kept, starts, lists, seen, i, candidates)
        if used > 0:
            bound = _bound_by_parts(corners[i], triangles, candidates, used, np.inf, best, room)
        else:
            bound = _nearest_whole(corners[i], triangles)
        if bound > _TOO_FAR * best:
            used = _wider(corners[i], triangles, np.sqrt(best), seen, i, candidates, used)
            if used > 0:
                bound = _bound_by_parts(corners[i], triangles, candidates, used, bound, best, room)
        best = max(best, bound)
    return np.sqrt(best)
