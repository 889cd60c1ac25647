"""The exact winding number of a point, from the crossings of a segment with a closed surface."""

import numpy as np

from ..geometry.incidence import crossing
from ..geometry.predicates import UNCERTAIN
from ..jit import inner
from .candidates import begin_on_line, next_on_line
from .point import DIRECTIONS, inverse_of, local_slack, outward_direction, ray_misses, to_local, world_triangle


@inner
def _is_in_box(p, a, b, c):
    """Return whether a point is in the box of a degenerate triangle.

    If the crossing is outside the box, a ray that meets the degenerate triangle also grazes its neighbours, or it meets
    no triangle.
    """
    inside = True
    for k in range(3):
        inside &= min(a[k], b[k], c[k]) <= p[k] <= max(a[k], b[k], c[k])
    return inside


@inner
def winding_along(forest, tree, pose, inverse, origin, reach, orientation, p, q, skip, component, work):
    """Return the winding number at the world point p minus that at q, from the exact crossings of the segment pq.

    Returns (difference, True), or (0, False) if the segment grazes something.
    """
    o, e = to_local(p, pose, inverse, origin), to_local(q, pose, inverse, origin)
    slack = local_slack(p, pose, reach) + local_slack(q, pose, reach)
    start, total = forest.triangle_start[tree], 0
    begin_on_line(forest, tree, o, e, slack, work)
    t = next_on_line(forest, tree, work)
    while t >= 0:
        if component[start + t] != skip:
            a, b, c = world_triangle(forest, tree, t, pose)
            passed = crossing(p, q, a, b, c, work.exact)
            if passed != UNCERTAIN:
                total += passed * orientation[start + t]
            elif (a != b and b != c and c != a) or _is_in_box(p, a, b, c):
                return 0, False
        t = next_on_line(forest, tree, work)
    return total, True


@inner
def winding(forest, tree, pose, inverse, origin, reach, orientation, component, skip, p, work):
    """Return the winding number of a closed tree at the world point p, without component ``skip`` (-1: none).

    The winding number is the sum of the signed crossings of a ray, decided exactly. If a ray grazes an edge or a
    vertex, the next direction is tried. Returns (number, True), or (0, False) if all directions graze, as for a point
    on the surface.
    """
    first = outward_direction(forest, tree, pose, inverse, origin, p)
    for turn in range(DIRECTIONS.shape[0]):
        q = _end_of_ray(first + turn, p, pose, reach)
        number, clear = winding_along(
            forest, tree, pose, inverse, origin, reach, orientation, p, q, skip, component, work
        )
        if clear:
            return number, True
    return 0, False


@inner
def _end_of_ray(direction, p, pose, reach):
    """Return a point far outside a tree, from the world point p along one of the directions (counted in a circle)."""
    length, i = 0.0, direction % DIRECTIONS.shape[0]
    for k in range(3):
        length += abs(p[k] - pose[k, 3]) + 2.0 * reach[k]
    length *= 4.0
    return (
        p[0] + length * DIRECTIONS[i, 0],
        p[1] + length * DIRECTIONS[i, 1],
        p[2] + length * DIRECTIONS[i, 2],
    )


@inner
def _change_by_nodes(forest, tree, pose, inverse, origin, reach, orientation, p, q, work):
    """Like ``winding_along`` for all components, with the binary tree, because a GPU has no 8-wide form."""
    o, e = to_local(p, pose, inverse, origin), to_local(q, pose, inverse, origin)
    d = (e[0] - o[0], e[1] - o[1], e[2] - o[2])
    inverse_d = (inverse_of(d[0]), inverse_of(d[1]), inverse_of(d[2]))
    slack = local_slack(p, pose, reach) + local_slack(q, pose, reach)
    node_start, start, total = forest.node_start[tree], forest.triangle_start[tree], 0
    stack = work.stack
    stack[0] = 0
    used = 1
    while used > 0:
        used -= 1
        node = node_start + stack[used]
        if ray_misses(forest.volumes[node], o, d, inverse_d, slack):
            continue
        first, count = forest.first[node], forest.count[node]
        if count == 0:
            stack[used] = first
            stack[used + 1] = first + 1
            used += 2
            continue
        for entry in range(first, first + count):
            t = np.int64(forest.order[start + entry])
            a, b, c = world_triangle(forest, tree, t, pose)
            passed = crossing(p, q, a, b, c, work.exact)
            if passed != UNCERTAIN:
                total += passed * orientation[start + t]
            elif (a != b and b != c and c != a) or _is_in_box(p, a, b, c):
                return 0, False
    return total, True


@inner
def winding_by_nodes(forest, tree, pose, inverse, origin, reach, orientation, p, work):
    """Like ``winding`` for all components, with the binary tree, because a GPU has no 8-wide form."""
    first = outward_direction(forest, tree, pose, inverse, origin, p)
    for turn in range(DIRECTIONS.shape[0]):
        q = _end_of_ray(first + turn, p, pose, reach)
        number, clear = _change_by_nodes(forest, tree, pose, inverse, origin, reach, orientation, p, q, work)
        if clear:
            return number, True
    return 0, False
