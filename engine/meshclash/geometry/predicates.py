"""Signs of orientation determinants, filtered and exact.

``orient3d(a, b, c, d)`` is the sign of det(a - d, b - d, c - d): positive if a, b, c appear counter-clockwise seen from
the side on which d does *not* lie. ``orient2d(a, b, c)`` is positive if a, b, c turn counter-clockwise.

Each predicate comes in two kinds with one contract: the result is -1, 0, 1 or ``UNCERTAIN``. The last argument is a
workspace from ``new_workspace``. The exact predicates need this workspace, which counts how often float64 was not
sufficient.

- *filtered*: one evaluation in float64 with a static error bound (Shewchuk 1997, section 4, bounds "A"); UNCERTAIN if
  the bound does not decide. Cases that are zero by construction (a shared vertex, a common axis plane) are recognised.
- *exact*: integers if the coordinates have a common grid (``grid_signs.py``), otherwise expansion arithmetic; UNCERTAIN
  only if the range of the coordinates exceeds what products of doubles can hold.

The bounds are derived without underflow. For coordinates up to 1e30 (checked when meshes are created) an underflow adds
at most 2**-900 to a determinant, which is below 2**-53 times ``_SAFE_PERMANENT``.
"""

from typing import NamedTuple

import numpy as np

from ..jit import config, inlined, inner
from .expansion import add_expansions, scale_expansion, sign_of, two_difference
from .grid_signs import OFF_GRID, grid_orient2d, grid_orient3d
from .lanes import doubles, shifted

UNCERTAIN = 2

_EPSILON = 2.0**-53
_BOUND_3D = (7.0 + 56.0 * _EPSILON) * _EPSILON
_BOUND_2D = (3.0 + 16.0 * _EPSILON) * _EPSILON
_SAFE_PERMANENT = 1e-180
_SMALLEST = 2.0**-250  # a product of three differences of such numbers is a multiple of 2**-906: no underflow
_LARGEST = 2.0**300
_SMALLEST_IN_PRODUCT = 2.0**-110  # two determinants of such numbers multiply to a multiple of 2**-972
_LARGEST_IN_PRODUCT = 2.0**140


_SCRATCH_ROWS = 12
_LONGEST = 192  # three minors of 16 components, each times 2 components: sums of up to 64, 128 and 192
_LONGEST_SUM = 8192  # of products of two such determinants


class ExactWorkspace(NamedTuple):
    """Scratch for the exact predicates, passed ``by_reference`` in kernels."""

    counter: np.ndarray
    """(1,) int64, number of exact evaluations."""
    expansions: np.ndarray
    """(12, 192) float64."""


def new_workspace() -> ExactWorkspace:
    """Allocate a workspace with the counter at 0."""
    return ExactWorkspace(np.zeros(1, np.int64), np.empty((_SCRATCH_ROWS, _LONGEST)))


if config.DISABLE_JIT:

    def _rows(expansions):
        return expansions

    def _row(work, k):
        return work[k]
else:

    @inlined
    def _rows(expansions):
        """Return the rows as a pointer, because each use of an array object would count references atomically."""
        return doubles(expansions.ctypes.data)

    @inlined
    def _row(work, k):
        return shifted(work, _LONGEST * k)


@inner
def _same(a, b):
    return a[0] == b[0] and a[1] == b[1] and a[2] == b[2]


@inner
def _determinant(a, b, c, d):
    """Return det(a - d, b - d, c - d) in float64, and its permanent."""
    adx = a[0] - d[0]
    ady = a[1] - d[1]
    adz = a[2] - d[2]
    bdx = b[0] - d[0]
    bdy = b[1] - d[1]
    bdz = b[2] - d[2]
    cdx = c[0] - d[0]
    cdy = c[1] - d[1]
    cdz = c[2] - d[2]
    bc1 = bdx * cdy
    bc2 = cdx * bdy
    ca1 = cdx * ady
    ca2 = adx * cdy
    ab1 = adx * bdy
    ab2 = bdx * ady
    determinant = adz * (bc1 - bc2) + bdz * (ca1 - ca2) + cdz * (ab1 - ab2)
    permanent = (abs(bc1) + abs(bc2)) * abs(adz) + (abs(ca1) + abs(ca2)) * abs(bdz) + (abs(ab1) + abs(ab2)) * abs(cdz)
    return determinant, permanent


@inner
def measured_orient3d(a, b, c, d):
    """Return det(a - d, b - d, c - d) in float64, and a bound of its error, infinite if products may underflow."""
    determinant, permanent = _determinant(a, b, c, d)
    return determinant, _BOUND_3D * permanent if permanent > _SAFE_PERMANENT else np.inf


@inner
def filtered_orient3d(a, b, c, d, workspace):
    """Return the sign of det(a - d, b - d, c - d) in float64, or UNCERTAIN; points are (x, y, z) tuples."""
    determinant, permanent = _determinant(a, b, c, d)
    if permanent > _SAFE_PERMANENT:
        bound = _BOUND_3D * permanent
        if determinant > bound:
            return 1
        if determinant < -bound:
            return -1
    for k in range(3):
        if a[k] == d[k] and b[k] == d[k] and c[k] == d[k]:
            return 0
    if _same(a, d) or _same(b, d) or _same(c, d) or _same(a, b) or _same(b, c) or _same(c, a):
        return 0
    return UNCERTAIN


@inner
def filtered_orient2d(ax, ay, bx, by, cx, cy, workspace):
    """Return the sign of det(a - c, b - c) in float64, or UNCERTAIN."""
    acx = ax - cx
    acy = ay - cy
    bcx = bx - cx
    bcy = by - cy
    left = acx * bcy
    right = acy * bcx
    determinant = left - right
    permanent = abs(left) + abs(right)
    if permanent > _SAFE_PERMANENT:
        bound = _BOUND_2D * permanent
        if determinant > bound:
            return 1
        if determinant < -bound:
            return -1
    if (acx == 0.0 and bcx == 0.0) or (acy == 0.0 and bcy == 0.0):
        return 0
    if (acx == 0.0 and acy == 0.0) or (bcx == 0.0 and bcy == 0.0) or (ax == bx and ay == by):
        return 0
    return UNCERTAIN


@inner
def _in_range(values):
    for value in values:
        magnitude = abs(value)
        if magnitude > _LARGEST or (magnitude < _SMALLEST and magnitude != 0.0):
            return False
    return True


@inner
def _multiply_pairs(u, u_tail, v, v_tail, work, out):
    """Write (u + u_tail) * (v + v_tail) to ``out`` (at most 8 components); uses three rows of ``work``."""
    factor = _row(work, 0)
    first = _row(work, 1)
    second = _row(work, 2)
    length = 0
    if u_tail != 0.0:
        factor[length] = u_tail
        length += 1
    if u != 0.0:
        factor[length] = u
        length += 1
    m = scale_expansion(factor, length, v_tail, first) if v_tail != 0.0 else 0
    n = scale_expansion(factor, length, v, second)
    return add_expansions(first, m, second, n, out)


@inner
def _minor(ax, axt, ay, ayt, bx, bxt, by, byt, work, out):
    """Write ax * by - ay * bx of two-component numbers to ``out`` (at most 16 components); return its length."""
    positive = _row(work, 3)
    negative = _row(work, 4)
    m = _multiply_pairs(ax, axt, by, byt, work, positive)
    n = _multiply_pairs(-ay, -ayt, bx, bxt, work, negative)
    return add_expansions(positive, m, negative, n, out)


@inner
def _times(minor, length, z, z_tail, work, out):
    """Write minor * (z + z_tail) to ``out`` (at most 64 components); return its length."""
    first = _row(work, 5)
    second = _row(work, 6)
    m = scale_expansion(minor, length, z_tail, first) if z_tail != 0.0 else 0
    n = scale_expansion(minor, length, z, second)
    return add_expansions(first, m, second, n, out)


@inner
def exact_orient3d(a, b, c, d, workspace):
    """Return the exact sign of det(a - d, b - d, c - d); UNCERTAIN only if the coordinates are out of range.

    If the workspace is None, the function returns the result of the filtered predicate.
    """
    sign = filtered_orient3d(a, b, c, d, 0)
    if workspace is None:
        return sign
    return sign if sign != UNCERTAIN else _expanded_orient3d(a, b, c, d, workspace)


@inner
def _expanded_orient3d(a, b, c, d, workspace):
    workspace.counter[0] += 1
    if not (_in_range(a) and _in_range(b) and _in_range(c) and _in_range(d)):
        return UNCERTAIN
    sign = grid_orient3d(a, b, c, d)
    if sign != OFF_GRID:
        return sign
    work = _rows(workspace.expansions)
    return sign_of(_row(work, 11), _expand_orient3d(a, b, c, d, work))


@inner
def _expand_orient3d(a, b, c, d, work):
    """Write det(a - d, b - d, c - d) as an expansion to row 11; return its length."""
    x = two_difference(a[0], d[0]), two_difference(b[0], d[0]), two_difference(c[0], d[0])
    y = two_difference(a[1], d[1]), two_difference(b[1], d[1]), two_difference(c[1], d[1])
    z = two_difference(a[2], d[2]), two_difference(b[2], d[2]), two_difference(c[2], d[2])
    return _expand_determinant(x, y, z, work)


@inner
def _expand_determinant(x, y, z, work):
    """Write the determinant of three vectors as an expansion to row 11; return its length.

    ``x`` has the x of all three vectors, each with its tail; ``y`` and ``z`` likewise.
    """
    (ax, axt), (bx, bxt), (cx, cxt) = x
    (ay, ayt), (by, byt), (cy, cyt) = y
    (az, azt), (bz, bzt), (cz, czt) = z
    m = _minor(bx, bxt, by, byt, cx, cxt, cy, cyt, work, _row(work, 7))
    p = _times(_row(work, 7), m, az, azt, work, _row(work, 8))
    m = _minor(cx, cxt, cy, cyt, ax, axt, ay, ayt, work, _row(work, 7))
    q = _times(_row(work, 7), m, bz, bzt, work, _row(work, 9))
    r = add_expansions(_row(work, 8), p, _row(work, 9), q, _row(work, 10))
    m = _minor(ax, axt, ay, ayt, bx, bxt, by, byt, work, _row(work, 7))
    q = _times(_row(work, 7), m, cz, czt, work, _row(work, 9))
    return add_expansions(_row(work, 10), r, _row(work, 9), q, _row(work, 11))


@inner
def expanded_turn(d, o, a, b, workspace):
    """Return det(d, a - o, b - o): positive if a line from o along d sees b counter-clockwise from a.

    The result is (value, known). The sign of the value is exact, and its relative error is at most 2**-51. The value is
    unknown if the coordinates are out of range. All arguments are points except d, a vector.
    """
    workspace.counter[0] += 1
    if not (_in_range(d) and _in_range(o) and _in_range(a) and _in_range(b)):
        return 0.0, False
    work = _rows(workspace.expansions)
    x = (d[0], 0.0), two_difference(a[0], o[0]), two_difference(b[0], o[0])
    y = (d[1], 0.0), two_difference(a[1], o[1]), two_difference(b[1], o[1])
    z = (d[2], 0.0), two_difference(a[2], o[2]), two_difference(b[2], o[2])
    length = _expand_determinant(x, y, z, work)
    value = 0.0
    for i in range(length):  # from the smallest component
        value += _row(work, 11)[i]
    return value, True


@inner
def expanded_turn2d(dx, dy, ax, ay, bx, by, workspace):
    """Return the exact sign of det(d, b - a) in two dimensions.

    The coordinates must be in the range that ``expanded_turn`` has found to be safe.
    """
    work = _rows(workspace.expansions)
    x, x_tail = two_difference(bx, ax)
    y, y_tail = two_difference(by, ay)
    return sign_of(_row(work, 7), _minor(dx, 0.0, dy, 0.0, x, x_tail, y, y_tail, work, _row(work, 7)))


@inner
def _add_product(e, m, f, n, factor, scratch, sums, length):
    """Add factor * e * f to the expansion of ``length`` components in sums[0]; return its length, -1 if too long."""
    for i in range(n):
        k = scale_expansion(e, m, factor * f[i], scratch)
        if length < 0 or length + k > sums.shape[1]:
            return -1
        added = add_expansions(sums[0], length, scratch, k, sums[1])
        for j in range(added):
            sums[0, j] = sums[1, j]
        length = added
    return length


@inner
def _product_in_range(points):
    """Return whether a product of two determinants of these points cannot underflow or overflow."""
    for point in points:
        for value in point:
            if abs(value) > _LARGEST_IN_PRODUCT or (abs(value) < _SMALLEST_IN_PRODUCT and value != 0.0):
                return False
    return True


@inner
def _expanded_side_of_cut(a, b, c, v, w, r, s, t, workspace):
    """Return the sign of o(v) f(w) - o(w) f(v), with o(x) = orient3d(r, s, t, x) and f(x) = orient3d(a, b, c, x)."""
    workspace.counter[0] += 1
    if not _product_in_range((a, b, c, v, w, r, s, t)):
        return UNCERTAIN
    work = _rows(workspace.expansions)
    kept, scratch, sums = np.empty(_LONGEST), np.empty(2 * _LONGEST), np.empty((2, _LONGEST_SUM))
    length = 0
    for turn in range(2):
        x, y, factor = (v, w, 1.0) if turn == 0 else (w, v, -1.0)
        m = _expand_orient3d(r, s, t, x, work)
        for i in range(m):
            kept[i] = _row(work, 11)[i]
        n = _expand_orient3d(a, b, c, y, work)
        length = _add_product(kept, m, _row(work, 11), n, factor, scratch, sums, length)
    return sign_of(sums[0], length) if length >= 0 else UNCERTAIN


@inner
def exact_side_of_cut(a, b, c, v, w, r, s, t, workspace):
    """Return the exact sign of orient3d(a, b, c, x) for the point x where the segment vw crosses the plane rst.

    v and w lie strictly on different sides of the plane. With o and f for the determinants of rst and abc, x is (|o(w)|
    v + |o(v)| w) / (|o(w)| + |o(v)|). f is affine, so its sign at x is that of |o(w)| f(v) + |o(v)| f(w). If both terms
    have the same sign, this is the result. Otherwise the terms' error bounds are tried first, then expansions.
    """
    at_v = exact_orient3d(a, b, c, v, workspace)
    at_w = exact_orient3d(a, b, c, w, workspace)
    if at_v == UNCERTAIN or at_w == UNCERTAIN:
        return UNCERTAIN
    if at_v == at_w or at_w == 0:
        return at_v
    if at_v == 0:
        return at_w
    if (
        exact_orient3d(r, s, t, a, workspace) == 0
        and exact_orient3d(r, s, t, b, workspace) == 0
        and exact_orient3d(r, s, t, c, workspace) == 0
    ):
        return 0
    ov, ov_error = measured_orient3d(r, s, t, v)
    ow, ow_error = measured_orient3d(r, s, t, w)
    fv, fv_error = measured_orient3d(a, b, c, v)
    fw, fw_error = measured_orient3d(a, b, c, w)
    for turn in range(2):
        least = (max(abs(ow) - ow_error, 0.0) * max(abs(fv) - fv_error, 0.0)) * (1.0 - 8.0 * _EPSILON)
        most = ((abs(ov) + ov_error) * (abs(fw) + fw_error)) * (1.0 + 8.0 * _EPSILON)
        if least > most and least > _SAFE_PERMANENT:
            return at_v if turn == 0 else at_w
        ov, ov_error, ow, ow_error = ow, ow_error, ov, ov_error
        fv, fv_error, fw, fw_error = fw, fw_error, fv, fv_error
    side = _expanded_side_of_cut(a, b, c, v, w, r, s, t, workspace)
    return side if side == UNCERTAIN else side * exact_orient3d(r, s, t, v, workspace)


@inner
def exact_orient2d(ax, ay, bx, by, cx, cy, workspace):
    """Return the exact sign of det(a - c, b - c); UNCERTAIN only if the coordinates are out of range."""
    sign = filtered_orient2d(ax, ay, bx, by, cx, cy, 0)
    return sign if sign != UNCERTAIN else _expanded_orient2d(ax, ay, bx, by, cx, cy, workspace)


@inner
def _expanded_orient2d(ax, ay, bx, by, cx, cy, workspace):
    workspace.counter[0] += 1
    if not _in_range((ax, ay, bx, by, cx, cy)):
        return UNCERTAIN
    sign = grid_orient2d(ax, ay, bx, by, cx, cy)
    if sign != OFF_GRID:
        return sign
    work = _rows(workspace.expansions)
    acx, acxt = two_difference(ax, cx)
    acy, acyt = two_difference(ay, cy)
    bcx, bcxt = two_difference(bx, cx)
    bcy, bcyt = two_difference(by, cy)
    length = _minor(acx, acxt, acy, acyt, bcx, bcxt, bcy, bcyt, work, _row(work, 7))
    return sign_of(_row(work, 7), length)


def rational_orient3d(a, b, c, d, workspace=None):
    """Return the sign of det(a - d, b - d, c - d) of points in Python integers; for values that doubles cannot hold."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (tuple(p[k] - d[k] for k in range(3)) for p in (a, b, c))
    value = az * (bx * cy - cx * by) + bz * (cx * ay - ax * cy) + cz * (ax * by - bx * ay)
    return (value > 0) - (value < 0)


def rational_orient2d(ax, ay, bx, by, cx, cy, workspace=None):
    """Return the sign of det(a - c, b - c) of Python integers."""
    value = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx)
    return (value > 0) - (value < 0)
