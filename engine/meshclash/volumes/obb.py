"""Oriented boxes: centre 0:3, three axes 3:12, half extents 12:15.

Source: Gottschalk, Lin, Manocha, "OBBTree: a hierarchical structure for rapid interference detection" (1996).

The axes are float32, so they are orthonormal only up to 2e-7. A box is *defined* as the image of its extents, the
points centre + u0 axis0 + u1 axis1 + u2 axis2 with abs(u) within the half extents. The box contains its primitives
exactly, and the test allows for the deviation of the axes and the pose from being orthonormal.
"""

import math

import numpy as np

from ..geometry.principal_axes import largest_size, surface_axes
from ..jit import portable
from .rounding import round_up
from .wires import box_edges

WIDTH = 15
"""Number of float32 numbers in a volume."""

_ROUNDING = 64.0 * 2.0**-53
_AXES_DEFECT = 1e-6


@portable
def _inverse(volume, inverse):
    """Write the inverse of the matrix with the axes as columns to ``inverse`` (3, 3); its columns give u of a point."""
    a, b, c = np.float64(volume[3]), np.float64(volume[4]), np.float64(volume[5])
    d, e, f = np.float64(volume[6]), np.float64(volume[7]), np.float64(volume[8])
    g, h, i = np.float64(volume[9]), np.float64(volume[10]), np.float64(volume[11])
    det = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    inverse[0, 0], inverse[0, 1], inverse[0, 2] = (e * i - f * h) / det, (f * g - d * i) / det, (d * h - e * g) / det
    inverse[1, 0], inverse[1, 1], inverse[1, 2] = (c * h - b * i) / det, (a * i - c * g) / det, (b * g - a * h) / det
    inverse[2, 0], inverse[2, 1], inverse[2, 2] = (b * f - c * e) / det, (c * d - a * f) / det, (a * e - b * d) / det


@portable
def fit_to_axes(points, axes, volume):
    """Fit the smallest box along given axes (rows of (3, 3), orthonormal) around points (n, 3) float64."""
    inverse = np.empty((3, 3))
    for k in range(3):
        for j in range(3):
            volume[3 + 3 * k + j] = axes[k, j]
    _inverse(volume, inverse)
    middle = np.zeros(3)
    for k in range(3):
        lowest = math.inf
        highest = -math.inf
        for i in range(points.shape[0]):
            u = inverse[k, 0] * points[i, 0] + inverse[k, 1] * points[i, 1] + inverse[k, 2] * points[i, 2]
            lowest = min(lowest, u)
            highest = max(highest, u)
        for j in range(3):
            middle[j] += 0.5 * (lowest + highest) * axes[k, j]
    for k in range(3):
        volume[k] = middle[k]
        middle[k] = volume[k]
    rounding = _ROUNDING * largest_size(points)
    for k in range(3):
        reach = 0.0
        for i in range(points.shape[0]):
            x, y, z = points[i, 0] - middle[0], points[i, 1] - middle[1], points[i, 2] - middle[2]
            reach = max(reach, abs(inverse[k, 0] * x + inverse[k, 1] * y + inverse[k, 2] * z))
        volume[12 + k] = round_up(reach + rounding)


@portable
def fit(points, volume):
    """Fit the box along the principal axes of a surface, given as (3 m, 3) float64 corners of its triangles."""
    axes = np.empty((3, 3))
    surface_axes(points, axes)
    fit_to_axes(points, axes, volume)


@portable
def size(volume):
    """Return a measure that grows with the volume; traversals descend into the larger one of two."""
    return volume[12] + volume[13] + volume[14]


@portable
def _turned(m, b, k):
    """Return axis k of b's box in a's frame."""
    x, y, z = np.float64(b[3 + 3 * k]), np.float64(b[4 + 3 * k]), np.float64(b[5 + 3 * k])
    return m[0] * x + m[1] * y + m[2] * z, m[3] * x + m[4] * y + m[5] * z, m[6] * x + m[7] * y + m[8] * z


@portable
def _shift(m, a, b):
    """Return the vector from the centre of a's box to that of b's, in a's frame."""
    x, y, z = np.float64(b[0]), np.float64(b[1]), np.float64(b[2])
    return (
        m[0] * x + m[1] * y + m[2] * z + m[9] - np.float64(a[0]),
        m[3] * x + m[4] * y + m[5] * z + m[10] - np.float64(a[1]),
        m[6] * x + m[7] * y + m[8] * z + m[11] - np.float64(a[2]),
    )


@portable
def _along(a, k, v):
    """Return the component of a vector along axis k of a's box."""
    return np.float64(a[3 + 3 * k]) * v[0] + np.float64(a[4 + 3 * k]) * v[1] + np.float64(a[5 + 3 * k]) * v[2]


@portable
def overlap(a, b, relative):
    """Return whether two boxes may overlap: 15 separating axes in float64; "False" is always right.

    Computed in coordinates along a's axes. Both boxes are enlarged by the deviation of axes and pose from orthonormal.
    """
    looseness = _AXES_DEFECT + 2.0 * relative[30]
    v0, v1, v2 = _turned(relative, b, 0), _turned(relative, b, 1), _turned(relative, b, 2)
    shift = _shift(relative, a, b)
    tx, ty, tz = _along(a, 0, shift), _along(a, 1, shift), _along(a, 2, shift)
    r00, r01, r02 = _along(a, 0, v0), _along(a, 0, v1), _along(a, 0, v2)
    r10, r11, r12 = _along(a, 1, v0), _along(a, 1, v1), _along(a, 1, v2)
    r20, r21, r22 = _along(a, 2, v0), _along(a, 2, v1), _along(a, 2, v2)
    all_a = np.float64(a[12]) + np.float64(a[13]) + np.float64(a[14])
    all_b = np.float64(b[12]) + np.float64(b[13]) + np.float64(b[14])
    more = looseness * (all_a + all_b + abs(tx) + abs(ty) + abs(tz)) + relative[32] * (1.0 + looseness)
    a0, a1, a2 = np.float64(a[12]), np.float64(a[13]), np.float64(a[14])
    b0, b1, b2 = np.float64(b[12]), np.float64(b[13]), np.float64(b[14])
    s00, s01, s02 = abs(r00), abs(r01), abs(r02)
    s10, s11, s12 = abs(r10), abs(r11), abs(r12)
    s20, s21, s22 = abs(r20), abs(r21), abs(r22)
    if abs(tx) > a0 + b0 * s00 + b1 * s01 + b2 * s02 + more:
        return False
    if abs(ty) > a1 + b0 * s10 + b1 * s11 + b2 * s12 + more:
        return False
    if abs(tz) > a2 + b0 * s20 + b1 * s21 + b2 * s22 + more:
        return False
    if abs(tx * r00 + ty * r10 + tz * r20) > b0 + a0 * s00 + a1 * s10 + a2 * s20 + more:
        return False
    if abs(tx * r01 + ty * r11 + tz * r21) > b1 + a0 * s01 + a1 * s11 + a2 * s21 + more:
        return False
    if abs(tx * r02 + ty * r12 + tz * r22) > b2 + a0 * s02 + a1 * s12 + a2 * s22 + more:
        return False
    more *= 2.0
    if abs(tz * r10 - ty * r20) > a1 * s20 + a2 * s10 + b1 * s02 + b2 * s01 + more:
        return False
    if abs(tz * r11 - ty * r21) > a1 * s21 + a2 * s11 + b0 * s02 + b2 * s00 + more:
        return False
    if abs(tz * r12 - ty * r22) > a1 * s22 + a2 * s12 + b0 * s01 + b1 * s00 + more:
        return False
    if abs(tx * r20 - tz * r00) > a0 * s20 + a2 * s00 + b1 * s12 + b2 * s11 + more:
        return False
    if abs(tx * r21 - tz * r01) > a0 * s21 + a2 * s01 + b0 * s12 + b2 * s10 + more:
        return False
    if abs(tx * r22 - tz * r02) > a0 * s22 + a2 * s02 + b0 * s11 + b1 * s10 + more:
        return False
    if abs(ty * r00 - tx * r10) > a0 * s10 + a1 * s00 + b1 * s22 + b2 * s21 + more:
        return False
    if abs(ty * r01 - tx * r11) > a0 * s11 + a1 * s01 + b0 * s22 + b2 * s20 + more:
        return False
    return abs(ty * r02 - tx * r12) <= a0 * s12 + a1 * s02 + b0 * s21 + b1 * s20 + more


@portable
def _beyond(distance, reach):
    return max(abs(distance) - reach, 0.0)


@portable
def gap(a, b, relative):
    """Return a lower bound [m] of the world distance of the contents of two boxes: along a's axes and along b's."""
    looseness = _AXES_DEFECT + 2.0 * relative[30]
    v0, v1, v2 = _turned(relative, b, 0), _turned(relative, b, 1), _turned(relative, b, 2)
    shift = _shift(relative, a, b)
    tx, ty, tz = _along(a, 0, shift), _along(a, 1, shift), _along(a, 2, shift)
    a0, a1, a2 = np.float64(a[12]), np.float64(a[13]), np.float64(a[14])
    b0, b1, b2 = np.float64(b[12]), np.float64(b[13]), np.float64(b[14])
    r00, r01, r02 = _along(a, 0, v0), _along(a, 0, v1), _along(a, 0, v2)
    r10, r11, r12 = _along(a, 1, v0), _along(a, 1, v1), _along(a, 1, v2)
    r20, r21, r22 = _along(a, 2, v0), _along(a, 2, v1), _along(a, 2, v2)
    more = looseness * (a0 + a1 + a2 + b0 + b1 + b2 + abs(tx) + abs(ty) + abs(tz)) + relative[32] * (1.0 + looseness)
    x = _beyond(tx, a0 + b0 * abs(r00) + b1 * abs(r01) + b2 * abs(r02) + more)
    y = _beyond(ty, a1 + b0 * abs(r10) + b1 * abs(r11) + b2 * abs(r12) + more)
    z = _beyond(tz, a2 + b0 * abs(r20) + b1 * abs(r21) + b2 * abs(r22) + more)
    square = x * x + y * y + z * z
    x = _beyond(tx * r00 + ty * r10 + tz * r20, b0 + a0 * abs(r00) + a1 * abs(r10) + a2 * abs(r20) + more)
    y = _beyond(tx * r01 + ty * r11 + tz * r21, b1 + a0 * abs(r01) + a1 * abs(r11) + a2 * abs(r21) + more)
    z = _beyond(tx * r02 + ty * r12 + tz * r22, b2 + a0 * abs(r02) + a1 * abs(r12) + a2 * abs(r22) + more)
    return math.sqrt(max(square, x * x + y * y + z * z)) * relative[31] * (1.0 - 2.0 * looseness)


@portable
def separation(a, b, relative):
    """Return the largest distance of two boxes along an axis of either, negative if they overlap on all six.

    The result is a lower bound of the world distance of the contents of the boxes [m]. Between two poses, the distance
    along each axis changes by at most the motion of points of the boxes in either frame plus ``separation_slack`` of
    both.
    """
    v0, v1, v2 = _turned(relative, b, 0), _turned(relative, b, 1), _turned(relative, b, 2)
    shift = _shift(relative, a, b)
    tx, ty, tz = _along(a, 0, shift), _along(a, 1, shift), _along(a, 2, shift)
    a0, a1, a2 = np.float64(a[12]), np.float64(a[13]), np.float64(a[14])
    b0, b1, b2 = np.float64(b[12]), np.float64(b[13]), np.float64(b[14])
    r00, r01, r02 = _along(a, 0, v0), _along(a, 0, v1), _along(a, 0, v2)
    r10, r11, r12 = _along(a, 1, v0), _along(a, 1, v1), _along(a, 1, v2)
    r20, r21, r22 = _along(a, 2, v0), _along(a, 2, v1), _along(a, 2, v2)
    most = max(
        abs(tx) - (a0 + b0 * abs(r00) + b1 * abs(r01) + b2 * abs(r02)),
        abs(ty) - (a1 + b0 * abs(r10) + b1 * abs(r11) + b2 * abs(r12)),
        abs(tz) - (a2 + b0 * abs(r20) + b1 * abs(r21) + b2 * abs(r22)),
        abs(tx * r00 + ty * r10 + tz * r20) - (b0 + a0 * abs(r00) + a1 * abs(r10) + a2 * abs(r20)),
        abs(tx * r01 + ty * r11 + tz * r21) - (b1 + a0 * abs(r01) + a1 * abs(r11) + a2 * abs(r21)),
        abs(tx * r02 + ty * r12 + tz * r22) - (b2 + a0 * abs(r02) + a1 * abs(r12) + a2 * abs(r22)),
    )
    sizes = a0 + a1 + a2 + b0 + b1 + b2 + abs(tx) + abs(ty) + abs(tz)
    return most - separation_slack(sizes, relative)


@portable
def separation_slack(sizes, relative):
    """Return the largest error of lengths of total ``sizes`` [m], by rounding and by axes that are not orthonormal."""
    looseness = _AXES_DEFECT + 2.0 * relative[30]
    return 2.0 * looseness * sizes + relative[32] * (1.0 + looseness)


def contains(volume, x, y, z):
    """Return whether a box contains a point; exact for fractions: u by Cramer's rule, without division."""
    p = (x - volume[0], y - volume[1], z - volume[2])
    axes = [volume[3 + 3 * k : 6 + 3 * k] for k in range(3)]
    whole = abs(_determinant(*axes))
    parts = (_determinant(*(p if k == j else axes[k] for k in range(3))) for j in range(3))
    return all(abs(part) <= volume[12 + k] * whole for k, part in enumerate(parts))


def wireframe(volumes):
    """Return the edges of boxes (n, 15): segments (12 n, 2, 3) float64."""
    volumes = np.float64(volumes)
    return box_edges(volumes[:, :3], volumes[:, 3:12].reshape(-1, 3, 3) * volumes[:, 12:, None])


def _determinant(u, v, w):
    return (
        u[0] * (v[1] * w[2] - v[2] * w[1])
        + u[1] * (v[2] * w[0] - v[0] * w[2])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
    )  # fmt: skip
