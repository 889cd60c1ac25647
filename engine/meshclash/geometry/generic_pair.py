"""The common case of two triangles, decided in float64: no corner near the other's plane, no edges nearly meeting.

``classify_exact`` decides every pair. This module decides pairs without coincidences in a third of the time, because
each plane's normal is computed once for three corners and all values stay in registers.

Bound. The side of a corner w is the sign of n.g with n = e x f, e = q - p, f = r - p, g = w - p, all in float64 (u =
2**-53). A product in n carries three roundings and the difference one, so n_x is off by 4.01 u (|e_y f_z| + |e_z f_y|).
The product with g, g's own rounding and two sums add 4 u |n_x g_x|. So n.g is off by less than 8.1 u P, where P = (|e_y
f_z| + |e_z f_y|) |g_x| and so on; 10 u P covers the rounding of P. P above 1e-180 excludes underflow, as in
``predicates.py``.
"""

from ..jit import inlined
from .predicates import UNCERTAIN, filtered_orient3d
from .triangle_pair import APART, CROSSING, UNDECIDED

_BOUND = 10.0 * 2.0**-53
_SAFE = 1e-180


@inlined
def _sign(value, permanent):
    if permanent > _SAFE:
        if value > _BOUND * permanent:
            return 1
        if value < -_BOUND * permanent:
            return -1
    return UNCERTAIN


@inlined
def _sides(p, q, r, a, b, c):
    """Return the signs of orient3d(p, q, r, w) for w = a, b, c; UNCERTAIN if float64 does not decide."""
    ex, ey, ez = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    fx, fy, fz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
    x1, x2 = ey * fz, ez * fy
    y1, y2 = ez * fx, ex * fz
    z1, z2 = ex * fy, ey * fx
    nx, ny, nz = x2 - x1, y2 - y1, z2 - z1
    mx, my, mz = abs(x1) + abs(x2), abs(y1) + abs(y2), abs(z1) + abs(z2)
    gx, gy, gz = a[0] - p[0], a[1] - p[1], a[2] - p[2]
    sign_a = _sign(nx * gx + ny * gy + nz * gz, mx * abs(gx) + my * abs(gy) + mz * abs(gz))
    gx, gy, gz = b[0] - p[0], b[1] - p[1], b[2] - p[2]
    sign_b = _sign(nx * gx + ny * gy + nz * gz, mx * abs(gx) + my * abs(gy) + mz * abs(gz))
    gx, gy, gz = c[0] - p[0], c[1] - p[1], c[2] - p[2]
    sign_c = _sign(nx * gx + ny * gy + nz * gz, mx * abs(gx) + my * abs(gy) + mz * abs(gz))
    return sign_a, sign_b, sign_c


@inlined
def classify_generic(p1, q1, r1, p2, q2, r2):
    """Return APART or CROSSING like ``classify_exact``, or UNDECIDED: then call ``classify_exact``. Points are (x, y,
    z).
    """
    a0, a1, a2 = _sides(p2, q2, r2, p1, q1, r1)
    if a0 == a1 and a1 == a2 and a0 != UNCERTAIN:
        return APART
    b0, b1, b2 = _sides(p1, q1, r1, p2, q2, r2)
    if b0 == b1 and b1 == b2 and b0 != UNCERTAIN:
        return APART
    if max(a0, a1, a2, b0, b1, b2) == UNCERTAIN:
        return UNDECIDED
    # Rename the corners so that p is alone on its side, and turn them over so that this side is positive.
    if a0 == a1:
        p1, q1, r1, a0 = r1, p1, q1, a2
    elif a0 == a2:
        p1, q1, r1, a0 = q1, r1, p1, a1
    if b0 == b1:
        p2, q2, r2, b0 = r2, p2, q2, b2
    elif b0 == b2:
        p2, q2, r2, b0 = q2, r2, p2, b1
    if a0 < 0:
        q2, r2 = r2, q2
    if b0 < 0:
        q1, r1 = r1, q1
    start = filtered_orient3d(p1, q1, p2, q2, 0)
    if start == 1:
        return APART
    end = filtered_orient3d(p1, r1, r2, p2, 0)
    if end == 1:
        return APART
    return CROSSING if start == -1 and end == -1 else UNDECIDED
