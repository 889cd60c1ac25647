"""The vertex of a convex polyhedron that is farthest along a direction, by climbing from vertex to vertex.

A vertex with no higher neighbour is the highest, since the vertices above any plane are connected. Rounded heights
create plateaus, so all vertices within the rounding error of the best vertex are visited. The highest vertex as a
float64 number is then the same as in a search of all vertices. The first search starts from a table of directions: the
faces of a cube are divided into cells, and each cell stores the vertex that is farthest along its centre.
"""

import math

import numpy as np

from ..jit import inner, kernel
from ..reference import by_reference

_PLATEAU = 64
"""Maximum number of vertices on a plateau; for larger ones, all vertices of the hull are tested."""
_ROUNDING = 2e-15
"""Share of the coordinates: four times the rounding error of a product of a vertex and a direction, with reserve."""


@inner
def _height(hull, v, u):
    return u[0] * hull.vertices[v, 0] + u[1] * hull.vertices[v, 1] + u[2] * hull.vertices[v, 2]


@inner
def _highest_of_all(hull, u):
    best, at = -math.inf, np.int64(0)
    for v in range(hull.vertices.shape[0]):
        height = _height(hull, v, u)
        if height > best:
            best, at = height, v
    return best, at


@inner
def climb(hull, u, at):
    """Return the largest product of a direction and a vertex, and the vertex; the climb starts at vertex ``at``.

    The direction is in the hull's frame.
    """
    plateau = np.empty(_PLATEAU, np.int64)
    best = _height(hull, at, u)
    rounding = _ROUNDING * hull.reach * (abs(u[0]) + abs(u[1]) + abs(u[2]))
    plateau[0], count, done = at, 1, 0
    while done < count:
        v = plateau[done]
        done += 1
        for k in range(hull.vertex_begin[v], hull.vertex_begin[v + 1]):
            e = hull.vertex_edges[k]
            other = np.int64(hull.edges[e, 0]) + np.int64(hull.edges[e, 1]) - v
            height = _height(hull, other, u)
            if height < best - rounding:
                continue
            if height > best + rounding:  # all of the previous plateau is certainly lower
                best, at = height, other
                plateau[0], count, done = other, 1, 0
                break
            if height > best:
                best, at = height, other
            is_known = False
            for m in range(count):
                is_known |= plateau[m] == other
            if not is_known:
                if count == _PLATEAU:
                    return _highest_of_all(hull, u)
                plateau[count] = other
                count += 1
    return best, at


@inner
def start_of(hull, u):
    """Return the start vertex for a search along a direction."""
    side = hull.starts.shape[1]
    axis = 0
    for k in range(1, 3):
        if abs(u[k]) > abs(u[axis]):
            axis = k
    if not abs(u[axis]) > 0.0:
        return np.int64(0)
    i = min(int((u[(axis + 1) % 3] / abs(u[axis]) + 1.0) * 0.5 * side), side - 1)
    j = min(int((u[(axis + 2) % 3] / abs(u[axis]) + 1.0) * 0.5 * side), side - 1)
    return np.int64(hull.starts[2 * axis + (1 if u[axis] < 0.0 else 0), i, j])


@kernel
def fill_starts(hull):
    """Fill the start table of a hull; each search continues from the previous cell."""
    hull = by_reference(hull)
    side = hull.starts.shape[1]
    at = np.int64(0)
    for axis in range(3):
        for turn in range(2):
            for i in range(side):
                for step in range(side):
                    j = step if i % 2 == 0 else side - 1 - step  # back and forth, so that the next cell is near
                    one = 1.0 - 2.0 * turn
                    x, y = (2.0 * i + 1.0) / side - 1.0, (2.0 * j + 1.0) / side - 1.0
                    if axis == 0:
                        u = (one, x, y)
                    elif axis == 1:
                        u = (y, one, x)
                    else:
                        u = (x, y, one)
                    at = climb(hull, u, at)[1]
                    hull.starts[2 * axis + turn, i, j] = at
