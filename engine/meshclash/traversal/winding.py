"""The generalised winding number of a point: the number of times that a surface, possibly with holes, encloses the
point.

Sources: Jacobson, Kavan, Sorkine-Hornung, "Robust Inside-Outside Segmentation using Generalized Winding Numbers"
(2013): the sum of the solid angles of all triangles divided by 4 pi. Barill et al. (2018): the sum for the triangles of
a node that is small as seen from the point, by the moments of ``hierarchy/moments.py``. Van Oosterom and Strackee, "The
solid angle of a plane triangle" (1983).
"""

import math

import numpy as np

from ..hierarchy.moments import MOMENT_WORDS, NORMAL, RADIUS2, SECOND, THIRD, unit_corner
from ..jit import inner
from .point import to_local

NO_MOMENTS = np.empty((0, MOMENT_WORDS), np.float32)
"""Pass this constant if no winding number is needed."""

# A node counts as far if its distance exceeds beta times its radius.
_COARSE_BETA, _FINE_BETA, _PRECISE_BETA = 1.5, 3.0, 2.0
_CLOSE_CALL = 0.2  # coarse winding numbers nearer to one half than this are computed again, finely


@inner
def _solid_angle(a, b, c):
    """Return half the solid angle of a triangle seen from the origin."""
    la = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    lb = math.sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2])
    lc = math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
    volume = (
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    )
    ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    bc = b[0] * c[0] + b[1] * c[1] + b[2] * c[2]
    ca = c[0] * a[0] + c[1] * a[1] + c[2] * a[2]
    return math.atan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)


@inner
def _far_field(m, x, y, z, d2, third):
    """Return the solid angle of a node's triangles, to the second or third order.

    The result is valid for the point whose vector to the node's centre is (x, y, z).
    """
    i2 = 1.0 / d2
    i3 = i2 * math.sqrt(i2)
    i5 = i3 * i2
    along = (
        x * (m[SECOND] * x + m[SECOND + 1] * y + m[SECOND + 2] * z)
        + y * (m[SECOND + 3] * x + m[SECOND + 4] * y + m[SECOND + 5] * z)
        + z * (m[SECOND + 6] * x + m[SECOND + 7] * y + m[SECOND + 8] * z)
    )
    total = (x * m[NORMAL] + y * m[NORMAL + 1] + z * m[NORMAL + 2]) * i3
    total += i3 * (m[SECOND] + m[SECOND + 4] + m[SECOND + 8]) - 3.0 * i5 * along
    if not third:
        return total
    xx, xy, xz = THIRD, THIRD + 3, THIRD + 6
    yy, yz, zz = THIRD + 9, THIRD + 12, THIRD + 15
    trace = (
        x * (m[xx] + m[yy] + m[zz]) + y * (m[xx + 1] + m[yy + 1] + m[zz + 1]) + z * (m[xx + 2] + m[yy + 2] + m[zz + 2])
    )
    mixed = (
        x * (m[xx] + m[xy + 1] + m[xz + 2]) + y * (m[xy] + m[yy + 1] + m[yz + 2]) + z * (m[xz] + m[yz + 1] + m[zz + 2])
    )
    cubic = (
        x * x * (m[xx] * x + m[xx + 1] * y + m[xx + 2] * z)
        + y * y * (m[yy] * x + m[yy + 1] * y + m[yy + 2] * z)
        + z * z * (m[zz] * x + m[zz + 1] * y + m[zz + 2] * z)
        + 2.0 * x * y * (m[xy] * x + m[xy + 1] * y + m[xy + 2] * z)
        + 2.0 * x * z * (m[xz] * x + m[xz + 1] * y + m[xz + 2] * z)
        + 2.0 * y * z * (m[yz] * x + m[yz + 1] * y + m[yz + 2] * z)
    )
    return total + 7.5 * i5 * i2 * cubic - 1.5 * i5 * (2.0 * mixed + trace)


@inner
def _leaf_angle(forest, tree, node, origin, unit, q):
    """Return half the sum of the solid angles of a leaf's triangles seen from q."""
    total = 0.0
    first = forest.first[node]
    v = forest.vertex_start[tree]
    for entry in range(first, first + forest.count[node]):
        row = forest.triangle_start[tree] + forest.order[forest.triangle_start[tree] + entry]
        a = unit_corner(forest.vertices, v + forest.triangles[row, 0], origin, unit)
        b = unit_corner(forest.vertices, v + forest.triangles[row, 1], origin, unit)
        c = unit_corner(forest.vertices, v + forest.triangles[row, 2], origin, unit)
        total += _solid_angle(
            (a[0] - q[0], a[1] - q[1], a[2] - q[2]),
            (b[0] - q[0], b[1] - q[1], b[2] - q[2]),
            (c[0] - q[0], c[1] - q[1], c[2] - q[2]),
        )
    return total


@inner
def _sum_around(forest, tree, moments, origin, unit, q, third, beta2, stack):
    """Return the winding number of a tree's surface at q, which is relative to the origin and scaled by ``unit``."""
    start = forest.node_start[tree]
    far, near = 0.0, 0.0
    stack[0] = 0
    used = 1
    while used > 0:
        used -= 1
        node = start + stack[used]
        m = moments[node]
        x, y, z = m[0] - q[0], m[1] - q[1], m[2] - q[2]
        d2 = x * x + y * y + z * z
        if d2 > beta2 * m[RADIUS2]:
            far += _far_field(m, x, y, z, d2, third)
        elif forest.count[node] > 0:
            near += _leaf_angle(forest, tree, node, origin, unit, q)
        else:
            stack[used] = forest.first[node]
            stack[used + 1] = forest.first[node] + 1
            used += 2
    return (0.25 * far + 0.5 * near) / math.pi


@inner
def generalised_winding(forest, frame, moments, unit, p, for_sides, work):
    """Return the generalised winding number of a posed tree at the world point p; ``frame`` as in ``frames.py``.

    Triangles count with their given orientation. ``for_sides``: only precise near one half, which is enough to tell
    inside from outside.
    """
    local = to_local(p, frame.pose, frame.inverse, frame.origin)
    q = (local[0] * unit, local[1] * unit, local[2] * unit)
    if not for_sides:
        return _sum_around(
            forest, frame.tree, moments, frame.origin, unit, q, True, _PRECISE_BETA * _PRECISE_BETA, work.stack
        )
    number = _sum_around(
        forest, frame.tree, moments, frame.origin, unit, q, False, _COARSE_BETA * _COARSE_BETA, work.stack
    )
    if abs(abs(number) - 0.5) >= _CLOSE_CALL:
        return number
    return _sum_around(forest, frame.tree, moments, frame.origin, unit, q, True, _FINE_BETA * _FINE_BETA, work.stack)
