"""Axis-aligned bounding boxes in the object's frame: lower corner, upper corner.

The functions of a volume (``registry.py`` describes the interface) are plain functions of rows of a packed float32
array, which traversals compile in. Boxes are relative to the hierarchy's origin and rounded outward, so that each
certainly contains its primitives, also far from the world's origin.
"""

import math

import numpy as np

from ..jit import portable
from .rounding import round_down, round_up
from .wires import box_edges

WIDTH = 6
"""Number of float32 numbers in a volume."""


@portable
def clear(volume):
    """Make a volume empty, so that it can be extended."""
    for k in range(3):
        volume[k] = np.float32(np.inf)
        volume[k + 3] = np.float32(-np.inf)


@portable
def extend(volume, x, y, z):
    """Enlarge a volume to contain the point (float64, relative to the hierarchy's origin)."""
    volume[0] = min(volume[0], round_down(x))
    volume[1] = min(volume[1], round_down(y))
    volume[2] = min(volume[2], round_down(z))
    volume[3] = max(volume[3], round_up(x))
    volume[4] = max(volume[4], round_up(y))
    volume[5] = max(volume[5], round_up(z))


@portable
def merge(volume, left, right):
    """Make a volume contain two other volumes."""
    for k in range(3):
        volume[k] = min(left[k], right[k])
        volume[k + 3] = max(left[k + 3], right[k + 3])


@portable
def size(volume):
    """Return a measure that grows with the volume: the sum of its extents; traversals descend into the larger one."""
    return (volume[3] - volume[0]) + (volume[4] - volume[1]) + (volume[5] - volume[2])


@portable
def overlap(a, b, relative):
    """Return whether two boxes may overlap: the six face axes (SAT-lite, van den Bergen 1997) in float64.

    "False" is always right. ``relative`` is a row of ``relative_pose.py``: b's frame in a's (rotation 0:9, shift 9:12,
    slack 12:15) and the inverse (15:24, 24:27, 27:30). The slack covers all rounding errors. Each direction has its
    own matrix, so the rotation need not be orthonormal.
    """
    cax = 0.5 * (np.float64(a[0]) + np.float64(a[3]))
    cay = 0.5 * (np.float64(a[1]) + np.float64(a[4]))
    caz = 0.5 * (np.float64(a[2]) + np.float64(a[5]))
    hax = 0.5 * (np.float64(a[3]) - np.float64(a[0]))
    hay = 0.5 * (np.float64(a[4]) - np.float64(a[1]))
    haz = 0.5 * (np.float64(a[5]) - np.float64(a[2]))
    cbx = 0.5 * (np.float64(b[0]) + np.float64(b[3]))
    cby = 0.5 * (np.float64(b[1]) + np.float64(b[4]))
    cbz = 0.5 * (np.float64(b[2]) + np.float64(b[5]))
    hbx = 0.5 * (np.float64(b[3]) - np.float64(b[0]))
    hby = 0.5 * (np.float64(b[4]) - np.float64(b[1]))
    hbz = 0.5 * (np.float64(b[5]) - np.float64(b[2]))
    m = relative
    if abs(m[0] * cbx + m[1] * cby + m[2] * cbz + m[9] - cax) > (
        hax + abs(m[0]) * hbx + abs(m[1]) * hby + abs(m[2]) * hbz + m[12]
    ):
        return False
    if abs(m[3] * cbx + m[4] * cby + m[5] * cbz + m[10] - cay) > (
        hay + abs(m[3]) * hbx + abs(m[4]) * hby + abs(m[5]) * hbz + m[13]
    ):
        return False
    if abs(m[6] * cbx + m[7] * cby + m[8] * cbz + m[11] - caz) > (
        haz + abs(m[6]) * hbx + abs(m[7]) * hby + abs(m[8]) * hbz + m[14]
    ):
        return False
    if abs(m[15] * cax + m[16] * cay + m[17] * caz + m[24] - cbx) > (
        hbx + abs(m[15]) * hax + abs(m[16]) * hay + abs(m[17]) * haz + m[27]
    ):
        return False
    if abs(m[18] * cax + m[19] * cay + m[20] * caz + m[25] - cby) > (
        hby + abs(m[18]) * hax + abs(m[19]) * hay + abs(m[20]) * haz + m[28]
    ):
        return False
    return abs(m[21] * cax + m[22] * cay + m[23] * caz + m[26] - cbz) <= (
        hbz + abs(m[21]) * hax + abs(m[22]) * hay + abs(m[23]) * haz + m[29]
    )


@portable
def _gap_along(distance, reach):
    return max(abs(distance) - reach, 0.0)


@portable
def gap(a, b, relative):
    """Return a lower bound [m] of the world distance of the contents of two boxes: along a's axes and along b's."""
    cax = 0.5 * (np.float64(a[0]) + np.float64(a[3]))
    cay = 0.5 * (np.float64(a[1]) + np.float64(a[4]))
    caz = 0.5 * (np.float64(a[2]) + np.float64(a[5]))
    hax = 0.5 * (np.float64(a[3]) - np.float64(a[0]))
    hay = 0.5 * (np.float64(a[4]) - np.float64(a[1]))
    haz = 0.5 * (np.float64(a[5]) - np.float64(a[2]))
    cbx = 0.5 * (np.float64(b[0]) + np.float64(b[3]))
    cby = 0.5 * (np.float64(b[1]) + np.float64(b[4]))
    cbz = 0.5 * (np.float64(b[2]) + np.float64(b[5]))
    hbx = 0.5 * (np.float64(b[3]) - np.float64(b[0]))
    hby = 0.5 * (np.float64(b[4]) - np.float64(b[1]))
    hbz = 0.5 * (np.float64(b[5]) - np.float64(b[2]))
    m = relative
    x = _gap_along(
        m[0] * cbx + m[1] * cby + m[2] * cbz + m[9] - cax,
        hax + abs(m[0]) * hbx + abs(m[1]) * hby + abs(m[2]) * hbz + m[12],
    )
    y = _gap_along(
        m[3] * cbx + m[4] * cby + m[5] * cbz + m[10] - cay,
        hay + abs(m[3]) * hbx + abs(m[4]) * hby + abs(m[5]) * hbz + m[13],
    )
    z = _gap_along(
        m[6] * cbx + m[7] * cby + m[8] * cbz + m[11] - caz,
        haz + abs(m[6]) * hbx + abs(m[7]) * hby + abs(m[8]) * hbz + m[14],
    )
    square = x * x + y * y + z * z
    x = _gap_along(
        m[15] * cax + m[16] * cay + m[17] * caz + m[24] - cbx,
        hbx + abs(m[15]) * hax + abs(m[16]) * hay + abs(m[17]) * haz + m[27],
    )
    y = _gap_along(
        m[18] * cax + m[19] * cay + m[20] * caz + m[25] - cby,
        hby + abs(m[18]) * hax + abs(m[19]) * hay + abs(m[20]) * haz + m[28],
    )
    z = _gap_along(
        m[21] * cax + m[22] * cay + m[23] * caz + m[26] - cbz,
        hbz + abs(m[21]) * hax + abs(m[22]) * hay + abs(m[23]) * haz + m[29],
    )
    return math.sqrt(max(square, x * x + y * y + z * z)) * m[31]


def contains(volume, x, y, z):
    """Return whether a box contains a point; exact for fractions."""
    return volume[0] <= x <= volume[3] and volume[1] <= y <= volume[4] and volume[2] <= z <= volume[5]


def wireframe(volumes):
    """Return the edges of boxes (n, 6): segments (12 n, 2, 3) float64."""
    low, high = np.float64(volumes[:, :3]), np.float64(volumes[:, 3:])
    return box_edges(0.5 * (low + high), 0.5 * (high - low)[:, None] * np.eye(3))
