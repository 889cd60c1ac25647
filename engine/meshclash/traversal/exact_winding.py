"""Exact winding numbers at places on a surface: next to a corner, along an edge, or within a triangle.

A place is a base point, moved infinitely little towards a point y and infinitely less towards a point z. So the place
lies within a triangle that has the base on an edge. An orientation determinant is affine in each of its points. Its
sign at the place is its sign at the base; if that is zero, its sign at y; and if that is also zero, its sign at z. No
point is ever constructed, and every sign comes from exact predicates (Edelsbrunner and Mücke, "Simulation of
simplicity" (1990), but with directions given by the caller instead of arbitrary ones).

All places around one base share a ray from the base to a point q far outside. ``star`` finds the triangles that the ray
crosses, and the triangles that contain the base. Only the latter contribute differently at each place.
"""

from typing import NamedTuple

from ..geometry.predicates import (
    UNCERTAIN,
    exact_orient2d,
    exact_orient3d,
    exact_side_of_cut,
    measured_orient3d,
)
from ..jit import inner
from .candidates import begin_on_line, next_on_line
from .point import DIRECTIONS, box_gap, local_slack, outward_direction, to_local, world_triangle

FOUND, GRAZES, UNDECIDED = 0, 1, 2
"""Status of a query: decided; the ray grazes an edge or vertex, so another ray is needed; the predicates cannot decide.
"""
MOST_AROUND = 8192
"""Maximum number of triangles of one mesh around one point; with more, rational arithmetic is used."""


TURNS = len(DIRECTIONS)
"""Number of rays to try."""


class Base(NamedTuple):
    """An exact point of a surface: a vertex v, or the intersection of the segment vw with the plane rst (``cut``)."""

    cut: bool
    v: tuple[float, float, float]
    w: tuple[float, float, float]
    r: tuple[float, float, float]
    s: tuple[float, float, float]
    t: tuple[float, float, float]
    near: tuple[float, float, float]
    """The base in float64, for box tests."""
    slack: float
    """Error bound of ``near``, apart from the rounding of coordinates."""


@inner
def vertex_base(v):
    """Return the Base at an exact point."""
    return Base(False, v, v, v, v, v, v, 0.0)


@inner
def cut_base(v, w, r, s, t):
    """Return the Base where the segment vw intersects the plane rst; v and w must lie on different sides of it."""
    at_v, error_v = measured_orient3d(r, s, t, v)
    at_w, error_w = measured_orient3d(r, s, t, w)
    total, error = abs(at_v) + abs(at_w), error_v + error_w
    known = total > 2.0 * error
    share = abs(at_v) / total if known else 0.5
    length = 0.0
    for k in range(3):
        length = max(length, abs(w[k] - v[k]))
    near = (v[0] + share * (w[0] - v[0]), v[1] + share * (w[1] - v[1]), v[2] + share * (w[2] - v[2]))
    return Base(True, v, w, r, s, t, near, length * (2.0 * error / total if known else 1.0))


@inner
def _side_of_base(base, a, b, c, work):
    """Return the sign of orient3d(a, b, c, base)."""
    if base.cut:
        return exact_side_of_cut(a, b, c, base.v, base.w, base.r, base.s, base.t, work.exact)
    return exact_orient3d(a, b, c, base.v, work.exact)


@inner
def _side_of_step(a, b, c, y, z, work):
    """Return the sign of orient3d(a, b, c, place) if it is zero at the base."""
    side = exact_orient3d(a, b, c, y, work.exact)
    return side if side != 0 else exact_orient3d(a, b, c, z, work.exact)


@inner
def _side_of_place(base, y, z, a, b, c, work):
    """Return the sign of orient3d(a, b, c, place)."""
    side = _side_of_base(base, a, b, c, work)
    return side if side != 0 else _side_of_step(a, b, c, y, z, work)


@inner
def without_area(a, b, c, work):
    """Return whether a triangle is degenerate: a segment or a point."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        if exact_orient2d(a[i], a[j], b[i], b[j], c[i], c[j], work.exact) != 0:
            return False
    return True


@inner
def is_at(base, p, work):
    """Return whether a base equals the point p."""
    if not base.cut:
        return p == base.v
    on_plane = exact_orient3d(base.r, base.s, base.t, p, work.exact) == 0
    return on_plane and without_area(base.v, base.w, p, work)


@inner
def ray_end(forest, a, b, number, base):
    """Return a point q far outside two posed trees, in one of the twelve directions."""
    length = 0.0
    for k in range(3):
        length += abs(base.near[k] - a.pose[k, 3]) + 2.0 * a.reach[k]
        length += abs(base.near[k] - b.pose[k, 3]) + 2.0 * b.reach[k]
    length *= 4.0
    return (
        base.near[0] + length * DIRECTIONS[number, 0],
        base.near[1] + length * DIRECTIONS[number, 1],
        base.near[2] + length * DIRECTIONS[number, 2],
    )


@inner
def away_from(forest, frame, base):
    """Return the number of the direction that leads farthest away from the middle of a posed tree."""
    return outward_direction(forest, frame.tree, frame.pose, frame.inverse, frame.origin, base.near)


@inner
def _turn(a, b, c, k, work):
    """Return the sign of the area of a triangle seen along axis k."""
    i, j = (k + 1) % 3, (k + 2) % 3
    return exact_orient2d(a[i], a[j], b[i], b[j], c[i], c[j], work.exact)


@inner
def _edges_at(base, a, b, c, work):
    """Return the edges on whose lines a base in the triangle's plane lies, as the sum of 1 (ab), 2 (bc) and 4 (ca).

    Returns -1 if the base is not in the triangle or the triangle has no area, -2 if undecided.
    """
    if not base.cut:
        if base.v == a:
            return 5 if not without_area(a, b, c, work) else -1
        axis, inside = 0, _turn(a, b, c, 0, work)
        while inside == 0 and axis < 2:
            axis += 1
            inside = _turn(a, b, c, axis, work)
        if inside == 0:
            return -1
        if base.v == b:
            return 3
        if base.v == c:
            return 6
        ab, bc = _turn(a, b, base.v, axis, work), _turn(b, c, base.v, axis, work)
        ca = _turn(c, a, base.v, axis, work)
    else:
        off, side = base.v, exact_orient3d(a, b, c, base.v, work.exact)
        for k in range(3):
            if side == 0:
                off = base.r if k == 0 else (base.s if k == 1 else base.t)
                side = exact_orient3d(a, b, c, off, work.exact)
        if side == 0:
            return -1
        inside = -side
        ab, bc = _side_of_base(base, off, a, b, work), _side_of_base(base, off, b, c, work)
        ca = _side_of_base(base, off, c, a, work)
    if inside == UNCERTAIN or inside == -UNCERTAIN or ab == UNCERTAIN or bc == UNCERTAIN or ca == UNCERTAIN:
        return -2
    if ab == -inside or bc == -inside or ca == -inside:
        return -1
    return (1 if ab == 0 else 0) + (2 if bc == 0 else 0) + (4 if ca == 0 else 0)


@inner
def _position(a, b, c, base, q, work):
    """Return how the ray from a base to q meets a triangle: (case, side of q, edges on whose lines the base lies).

    The case is 0: the ray misses the triangle, 1: it passes through, 2: it begins on the triangle, -1: it grazes the
    triangle, -2: undecided.
    """
    side_p = _side_of_base(base, a, b, c, work)
    if side_p == 0:
        edges = _edges_at(base, a, b, c, work)
        if edges < 0:
            return edges + (1 if edges == -1 else 0), 0, 0
        side_q = exact_orient3d(a, b, c, q, work.exact)
        if side_q == 0 or side_q == UNCERTAIN:
            return (-1 if side_q == 0 else -2), 0, 0
        return 2, side_q, edges
    side_q = exact_orient3d(a, b, c, q, work.exact)
    if side_p == UNCERTAIN or side_q == UNCERTAIN:
        return -2, 0, 0
    if side_p == side_q:
        return 0, 0, 0
    ab = _side_of_base(base, q, a, b, work)
    bc = _side_of_base(base, q, b, c, work)
    if ab * bc == -1:
        return 0, 0, 0
    ca = _side_of_base(base, q, c, a, work)
    if ab == UNCERTAIN or bc == UNCERTAIN or ca == UNCERTAIN:
        return -2, 0, 0
    if (ab > 0 or bc > 0 or ca > 0) and (ab < 0 or bc < 0 or ca < 0):
        return 0, 0, 0
    if side_q == 0 or ab == 0 or bc == 0 or ca == 0:
        return -1, 0, 0
    return 1, side_q, 0


@inner
def held_triangle(entry):
    """Return the triangle of an entry of ``star``."""
    return entry >> 4


@inner
def held_edges(entry):
    """Return the edges on whose lines the base lies, for an entry of ``star``, as the sum of 1 (ab), 2 (bc) and 4
    (ca).
    """
    return (entry >> 1) & 7


@inner
def place_in_triangle(base, y, z, q, corners, work):
    """Return whether a place in the plane of a triangle is inside the triangle; q must not lie in that plane.

    Returns False if the base, y and z are collinear.
    """
    a, b, c = corners
    if _side_of_base(base, q, y, z, work) == 0:
        return False
    ab = _side_of_place(base, y, z, q, a, b, work)
    return ab != 0 and ab == _side_of_place(base, y, z, q, b, c, work) == _side_of_place(base, y, z, q, c, a, work)


@inner
def star(forest, solids, frame, base, q, found, work):
    """Find the triangles of a posed tree that the ray from a base to an outside point q crosses, or that contain it.

    Returns (winding number of the crossed triangles, number of triangles that contain the base, status). An entry for
    each triangle that contains the base is written to ``found`` while it fits; degenerate triangles are skipped.
    """
    o = to_local(base.near, frame.pose, frame.inverse, frame.origin)
    e = to_local(q, frame.pose, frame.inverse, frame.origin)
    slack = local_slack(base.near, frame.pose, frame.reach) + local_slack(q, frame.pose, frame.reach) + 2.0 * base.slack
    triangle_start = forest.triangle_start[frame.tree]
    number = 0
    count = 0
    if box_gap(forest.volumes[forest.node_start[frame.tree]], o, slack) > 0.0:
        return number, count, FOUND
    begin_on_line(forest, frame.tree, o, e, slack, work)
    t = next_on_line(forest, frame.tree, work)
    while t >= 0:
        a, b, c = world_triangle(forest, frame.tree, t, frame.pose)
        what, side, edges = _position(a, b, c, base, q, work)
        if what < 0:
            return 0, 0, GRAZES if what == -1 else UNDECIDED
        if what == 1:
            number -= side * solids.orientation[triangle_start + t]
        elif what == 2:
            if count < found.shape[0]:
                found[count] = (t << 4) + 2 * edges + (1 if side > 0 else 0)
            count += 1
        t = next_on_line(forest, frame.tree, work)
    return number, count, FOUND


@inner
def _side_of_edge(corners, k, p, at_p, q, side_q, work):
    """Return on which side of a triangle's edge k the point p lies, seen from q.

    1: the side of the triangle, -1: the other side, 0: on the line, or UNCERTAIN. ``at_p`` and ``side_q`` are the sides
    of the triangle's plane on which p and q lie. If p lies in the plane, the test is two-dimensional, which usually
    decides quickly that three points of a grid are collinear.
    """
    u = corners[0] if k == 0 else (corners[1] if k == 1 else corners[2])
    v = corners[1] if k == 0 else (corners[2] if k == 1 else corners[0])
    if at_p != 0:
        side = exact_orient3d(q, u, v, p, work.exact)
        return side if side == UNCERTAIN else -side_q * side
    if p == u:
        return 0
    if p == v:
        return 0
    axis, turn = 0, _turn(corners[0], corners[1], corners[2], 0, work)
    while turn == 0 and axis < 2:
        axis += 1
        turn = _turn(corners[0], corners[1], corners[2], axis, work)
    side = _turn(u, v, p, axis, work)
    return UNCERTAIN if side == UNCERTAIN or turn == UNCERTAIN else turn * side


@inner
def numbers_at(forest, solids, frame, base, y, z, q, found, count, number, work):
    """Return the winding numbers of a posed tree at a place.

    Returns (number on the side of q, number on the other side, lies on a triangle, decided). ``found``, ``count`` and
    ``number`` are the results of ``star`` for the base and q. The two numbers differ if the place lies on triangles of
    the tree, which then all lie in one plane.
    """
    towards, away, lies = number, number, False
    for i in range(count):
        t = held_triangle(found[i])
        edges = held_edges(found[i])
        side_q = 1 if found[i] & 1 else -1
        corners = world_triangle(forest, frame.tree, t, frame.pose)
        at_y = exact_orient3d(corners[0], corners[1], corners[2], y, work.exact)
        at_z = 0 if at_y != 0 and edges == 0 else exact_orient3d(corners[0], corners[1], corners[2], z, work.exact)
        side_p = at_y if at_y != 0 else at_z
        if side_p == side_q:
            continue
        within = 1
        for k in range(3):
            if edges & (1 << k) and within == 1:
                within = _side_of_edge(corners, k, y, at_y, q, side_q, work)
                if within == 0:
                    within = _side_of_edge(corners, k, z, at_z, q, side_q, work)
        if side_p == UNCERTAIN or within == UNCERTAIN or within == 0:
            return towards, away, lies, False
        if within < 0:
            continue
        step = -side_q * solids.orientation[forest.triangle_start[frame.tree] + t]
        away += step
        if side_p == 0:
            lies = True
        else:
            towards += step
    return towards, away, lies, True
