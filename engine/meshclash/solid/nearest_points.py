"""Nearest points of posed surfaces, from positions relative to an origin close by.

Two solids far from the origin of the world may overlap by only a few units of rounding there. Coordinates of corners
relative to an origin in the overlap are small numbers, and exact if the corners are close to the origin; so are
positions between corners.
"""

import math
from typing import NamedTuple

import numpy as np

from ..geometry.triangle_distance import closest_on_triangle, squared_distance
from ..geometry.tuples import cross, dot, minus
from ..jit import inner
from ..reference import by_reference
from ..traversal.candidates import begin_near, next_near
from ..traversal.frames import IN, ON, make_frame, outward_side, side_of_solid
from ..traversal.point import local_slack, to_local, world_triangle
from ..traversal.winding import generalised_winding
from .exhaustive_nearest import MOST_PLACED, PLACED_LENGTH, close_table, look_at_all, put_triangle

_ROUNDING = 2.0**-53
_DOT = 8.0 * _ROUNDING  # times the sum of the products' sizes: error of a product of a vector and a difference
_OUTWARD = 1.0 - 32.0 * _ROUNDING  # relative rounding of a length that is only to be bounded from below
_LEAST = 1e-290  # heights below this count as 0: products of shorter lengths may underflow
_SLACK = 1.25  # for the rounding of origin plus position
_COARSE = 2.0**-49  # of the coordinates: positions this far from a surface may be rounded


@inner
def along(a, u, s):
    """Return a + s u."""
    return a[0] + s * u[0], a[1] + s * u[1], a[2] + s * u[2]


@inner
def near_triangle(forest, frame, t, origin):
    """Return the corners of a triangle relative to the origin."""
    a, b, c = world_triangle(forest, frame.tree, t, frame.pose)
    return minus(a, origin), minus(b, origin), minus(c, origin)


@inner
def place_triangles(forest, frame, origin, address):
    """Write the triangles of a small solid into the table at an address; return the address, or 0 if the table cannot
    be used.
    """
    count = forest.triangle_end[frame.tree] - forest.triangle_start[frame.tree]
    if count > MOST_PLACED:
        return np.int64(0)
    size = 0.0
    for t in range(count):
        a, b, c = near_triangle(forest, frame, np.int64(t), origin)
        size = max(size, put_triangle(address, np.int64(t), a, b, c))
    return address if close_table(address, count, size) else np.int64(0)


class SearchFrame(NamedTuple):
    """A ``Frame`` with the data for classifying points as inside or outside an open tree."""

    tree: int
    pose: np.ndarray
    inverse: np.ndarray
    origin: np.ndarray
    reach: np.ndarray
    placed: int
    moments: np.ndarray
    """Moments of all nodes of the forest; empty if all trees are closed."""
    unit: float
    """``moment_unit`` of the tree."""


@inner
def search_frame(forest, tree, pose, inverse, origins, reaches, origin, side, room):
    """Return the SearchFrame of a posed tree, the first or the second one (side 0 or 1), in a ``SearchRoom``.

    If possible, its triangles are in a table of the room.
    """
    address = room.placed.ctypes.data + 8 * PLACED_LENGTH * side
    frame = by_reference(make_frame(tree, pose, inverse, origins, reaches))
    placed = place_triangles(forest, frame, origin, address)
    unit = room.moment_units[tree] if room.moment_units.shape[0] > 0 else 1.0
    return SearchFrame(tree, pose, inverse, origins[tree], reaches[tree], placed, room.moments, unit)


@inner
def _in_tree(frame, origin, x):
    """Return the position in the hierarchy's frame, and the slack of box tests."""
    p = along(x, origin, 1.0)
    return to_local(p, frame.pose, frame.inverse, frame.origin), _SLACK * local_slack(p, frame.pose, frame.reach)


@inner
def _begin_near(forest, frame, origin, x, work):
    """Start a search for triangles near x; ``_next_near`` returns the triangles one by one."""
    q, slack = _in_tree(frame, origin, x)
    begin_near(forest, frame.tree, q, slack, work)


@inner
def _next_near(forest, frame, limit, work):
    return next_near(forest, frame.tree, limit, work)


@inner
def _beyond(x, a, b, c, limit):
    """Return whether a single coordinate proves that x is farther from a triangle than ``limit``."""
    most = 0.0
    for k in range(3):
        most = max(most, min(a[k], b[k], c[k]) - x[k], x[k] - max(a[k], b[k], c[k]))
    return most * _OUTWARD > limit


@inner
def nearest_from(forest, frame, origin, x, hint, enough, work):
    """Return distance, point and triangle of the surface nearest to x, or of any part no farther than ``enough`` (-1:
    never).

    Triangle ``hint`` is tried first.
    """
    if frame.placed != 0:
        known, best, best_point, best_triangle = look_at_all(frame.placed, x, hint, enough)
        if known:
            return best, best_point, best_triangle
    a, b, c = near_triangle(forest, frame, hint, origin)
    best_point = closest_on_triangle(x, a, b, c)
    best = math.sqrt(squared_distance(x, best_point))
    best_triangle = hint
    if best <= enough:
        return best, best_point, best_triangle
    _begin_near(forest, frame, origin, x, work)
    t = _next_near(forest, frame, best, work)
    while t >= 0:
        a, b, c = near_triangle(forest, frame, t, origin)
        if not _beyond(x, a, b, c, best):
            y = closest_on_triangle(x, a, b, c)
            distance = math.sqrt(squared_distance(x, y))
            if distance < best:
                best, best_point, best_triangle = distance, y, t
                if best <= enough:
                    break
        t = _next_near(forest, frame, best, work)
    return best, best_point, best_triangle


@inner
def _height(n, x, corner):
    """Return n . (x - corner) for a rounded corner, and a bound of its error."""
    most = 0.0
    for k in range(3):
        most += abs(n[k]) * (abs(x[k]) + abs(corner[k]))
    return dot(n, minus(x, corner)), _DOT * most + _LEAST


@inner
def _least_height(n, x, a, b, c):
    """Return a lower bound of the distance from x to a triangle: its height above the triangle along n; at most 0 if x
    is not in front of the triangle.
    """
    length = math.sqrt(dot(n, n))
    if not length > 0.0:
        return 0.0
    above, below = math.inf, math.inf
    for corner in (a, b, c):
        height, error = _height(n, x, corner)
        above = min(above, height - error)
        below = min(below, -height - error)
    return max(above, below) / length * _OUTWARD


@inner
def _across(d, e):
    """Return the component of d perpendicular to e.

    The projection is done twice, so that the component along e that remains is only the rounding error of the rest.
    """
    square = dot(e, e)
    if square > 0.0:
        d = along(d, e, -dot(d, e) / square)
        d = along(d, e, -dot(d, e) / square)
    return d


@inner
def proved_distance(x, a, b, c):
    """Return a tight lower bound of the distance from x to a triangle, by planes perpendicular to the vector to the
    nearest point.

    Every plane with the triangle on its other side gives a bound, for any choice of the plane. If x is very near, the
    way is mostly rounding error, but the triangle's normal and directions across its edges are not.
    """
    d = minus(x, closest_on_triangle(x, a, b, c))
    ab, bc, ca = minus(b, a), minus(c, b), minus(a, c)
    best = max(_least_height(d, x, a, b, c), _least_height(cross(ab, bc), x, a, b, c))
    for edge in (ab, bc, ca):
        best = max(best, _least_height(_across(d, edge), x, a, b, c))
    return max(best, 0.0)


@inner
def proved_clearance(forest, frame, origin, x, limit, work):
    """Return a lower bound, at most ``limit``, of the distance from x to the surface."""
    best = limit
    _begin_near(forest, frame, origin, x, work)
    t = _next_near(forest, frame, best, work)
    while t >= 0:
        a, b, c = near_triangle(forest, frame, t, origin)
        if not _beyond(x, a, b, c, best):
            best = min(best, proved_distance(x, a, b, c))
        t = _next_near(forest, frame, best, work)
    return best


@inner
def _side_of_face(forest, solids, frame, t, x, a, b, c):
    """Return the certain side of x at a separate component: -1 for the material's side, 1 for the other side, 0 if
    undecided.
    """
    row = forest.triangle_start[frame.tree] + t
    component = solids.component_start[frame.tree] + solids.component[row]
    height, error = _height(cross(minus(b, a), minus(c, a)), x, a)
    if abs(height) <= error:
        return 0
    side = solids.inside[component] * solids.orientation[row]
    return side if height > 0.0 else -side


@inner
def _side_of_faces(forest, solids, frame, origin, x, reach, work):
    """Return -1 or 1 if x is on that side of all triangles within ``reach`` and such a triangle exists; otherwise 0.

    All these triangles must belong to one component. The nearest point of the surface lies on some of these triangles.
    If x is on one side of all triangles that meet at the nearest point, it is on that side of the component
    (Baerentzen, Aanaes, "Signed distance computation using the angle weighted pseudonormal" (2005)).
    """
    found, some = 0, np.int64(-1)
    _begin_near(forest, frame, origin, x, work)
    while True:
        t = _next_near(forest, frame, reach, work)
        if t < 0:
            return found, some
        a, b, c = near_triangle(forest, frame, t, origin)
        if proved_distance(x, a, b, c) > reach:
            continue
        side = _side_of_face(forest, solids, frame, t, x, a, b, c)
        row = forest.triangle_start[frame.tree] + t
        known = found == 0 or (
            side == found and solids.component[row] == solids.component[forest.triangle_start[frame.tree] + some]
        )
        if side == 0 or not known:
            return 0, some
        found, some = side, t


@inner
def _inside_by_faces(forest, solids, frame, origin, x, reach, work):
    """Return whether x is certainly inside, by the triangles no farther than ``reach``, which are of one component."""
    side, t = _side_of_faces(forest, solids, frame, origin, x, reach, work)
    if side == 0:
        return False
    row = forest.triangle_start[frame.tree] + t
    component = solids.component_start[frame.tree] + solids.component[row]
    alone = solids.inside[component] * solids.orientation[row]
    return side * alone * outward_side(forest, solids, frame, t, along(x, origin, 1.0), work) == -1


@inner
def is_inside(forest, solids, frame, origin, x, distance, triangle, work):
    """Return whether x is certainly inside a solid whose nearest triangle is ``triangle``, about ``distance`` away.

    If floating-point numbers exist between x and the surface, the predicates decide. If there are no such numbers, or
    the predicates cannot decide, the triangles near x decide. For an open mesh, the winding number decides.
    """
    p = along(x, origin, 1.0)
    if not solids.closed[frame.tree]:
        return abs(generalised_winding(forest, frame, frame.moments, frame.unit, p, True, work)) > 0.5
    if distance > _COARSE * max(abs(p[0]), abs(p[1]), abs(p[2])):
        side = side_of_solid(forest, solids, frame, p, work)
        if side != ON:
            return side == IN
    most = distance
    for corner in near_triangle(forest, frame, triangle, origin):
        most = max(most, abs(corner[0]), abs(corner[1]), abs(corner[2]))
    # There is no other component so near, so rounding does not lead to the other side of one.
    rounding = 4.0 * _ROUNDING * max(abs(p[0]), abs(p[1]), abs(p[2]))
    reach = max(distance + 64.0 * _ROUNDING * most, rounding)
    return _inside_by_faces(forest, solids, frame, origin, x, reach, work)
