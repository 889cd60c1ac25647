"""The input of a leaf test: the points of two leaves near their common region, in one frame, and the points to try.

The common frame is the hierarchy frame of a. The region is the intersection of a's leaf box with its margin and the box
around b's leaf with its margin. Inside the region and in b's leaf (``in_leaf``), both patches contain every point
within the horizon, so the surface there equals the surface of the whole cloud.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, inner
from .surface import CUTOFF, HORIZON2, MARGIN, SAMPLING_RADIUS, SUMS_LENGTH, reach_of

_BESIDE_POINTS = 0.25  # in sampling radii: how far a surface may lie off the points of its leaf


@inlined
def place(m, x, y, z):
    """Transform a point from b's hierarchy frame to a's, with a row of ``geometry/relative_pose.py``."""
    return (
        m[0] * x + m[1] * y + m[2] * z + m[9],
        m[3] * x + m[4] * y + m[5] * z + m[10],
        m[6] * x + m[7] * y + m[8] * z + m[11],
    )


@inlined
def turn(m, x, y, z):
    """Transform a direction from b's frame to a's."""
    return (
        m[0] * x + m[1] * y + m[2] * z,
        m[3] * x + m[4] * y + m[5] * z,
        m[6] * x + m[7] * y + m[8] * z,
    )


@inner
def common_region(tree_a, node_a, tree_b, node_b, m, region):
    """Write the common region of two nodes, low 0:3 and high 3:6; return False if it is empty."""
    margin_a = tree_a.parameters[MARGIN]
    margin_b = tree_b.parameters[MARGIN]
    box = tree_b.boxes[node_b]
    c = place(
        m,
        0.5 * (np.float64(box[0]) + np.float64(box[3])),
        0.5 * (np.float64(box[1]) + np.float64(box[4])),
        0.5 * (np.float64(box[2]) + np.float64(box[5])),
    )
    hx = 0.5 * (np.float64(box[3]) - np.float64(box[0])) + margin_b
    hy = 0.5 * (np.float64(box[4]) - np.float64(box[1])) + margin_b
    hz = 0.5 * (np.float64(box[5]) - np.float64(box[2])) + margin_b
    for k in range(3):
        half = abs(m[3 * k]) * hx + abs(m[3 * k + 1]) * hy + abs(m[3 * k + 2]) * hz
        region[k] = max(np.float64(tree_a.boxes[node_a, k]) - margin_a, c[k] - half)
        region[k + 3] = min(np.float64(tree_a.boxes[node_a, k + 3]) + margin_a, c[k] + half)
        if region[k] > region[k + 3]:
            return False
    return True


@inlined
def inside(region, x):
    """Return whether a point lies in a region. Half of a patch's points are inside, so branches would be
    mispredicted.
    """
    return (
        (region[0] <= x[0])
        & (x[0] <= region[3])
        & (region[1] <= x[1])
        & (x[1] <= region[4])
        & (region[2] <= x[2])
        & (x[2] <= region[5])
    )


@inner
def in_leaf(tree_b, node_b, m, x):
    """Return whether a point of a's frame lies in the box of b's leaf with its margin, where b's patch is complete.

    The region is an axis-aligned box of a's frame, so its corners may lie outside the leaf's box.
    """
    return near_leaf(tree_b, node_b, m, x, 0.0)


@inner
def near_leaf(tree_b, node_b, m, x, length):
    """Like ``in_leaf``, for the leaf's box enlarged by the margin and a further length."""
    margin = tree_b.parameters[MARGIN] + length
    for k in range(3):
        c = m[15 + 3 * k] * x[0] + m[16 + 3 * k] * x[1] + m[17 + 3 * k] * x[2] + m[24 + k]
        if c < np.float64(tree_b.boxes[node_b, k]) - margin or c > np.float64(tree_b.boxes[node_b, k + 3]) + margin:
            return False
    return True


@inner
def keep_in_leaf(patch, tried, tree_b, node_b, m):
    """Move the candidate points that lie in b's leaf to the front; return their number."""
    points, chosen = patch.points, patch.chosen
    kept = 0
    for entry in range(tried):
        i = chosen[entry]
        if in_leaf(tree_b, node_b, m, (points[i, 0], points[i, 1], points[i, 2])):
            chosen[entry] = chosen[kept]
            chosen[kept] = i
            kept += 1
    return kept


@inlined
def _near_region(region, x, reach2):
    total = 0.0
    for k in range(3):
        gap = max(region[k] - x[k], x[k] - region[k + 3], 0.0)
        total += gap * gap
    return total <= reach2


@inner
def gather_patch(tree, node, m, moved, region, patch):
    """Copy the points of a leaf and its border that lie within the horizon of the region into a patch.

    ``moved`` is True for b's tree. Returns (number of points, number of those inside the region). Every point is
    written, and a point that does not count is overwritten by the next. This avoids branches, which would often be
    mispredicted, since about half of the points count.
    """
    points, normals, names, chosen = patch.points, patch.normals, patch.names, patch.chosen
    horizon2 = tree.parameters[HORIZON2]
    oriented = tree.normals.shape[0] > 0
    own = tree.count[node]
    start = tree.border_start[node]
    total = own + tree.border_start[node + 1] - start
    used = 0
    tried = 0
    for entry in range(total):
        i = np.int64(tree.first[node] + entry if entry < own else tree.border[start + entry - own])
        x = (
            tree.corrected[i, 0],
            tree.corrected[i, 1],
            tree.corrected[i, 2],
        )
        if moved:
            x = place(m, x[0], x[1], x[2])
        points[used, 0] = x[0]
        points[used, 1] = x[1]
        points[used, 2] = x[2]
        names[used] = i
        if oriented:
            n = (np.float64(tree.normals[i, 0]), np.float64(tree.normals[i, 1]), np.float64(tree.normals[i, 2]))
            if moved:
                n = turn(m, n[0], n[1], n[2])
            normals[used, 0] = n[0]
            normals[used, 1] = n[1]
            normals[used, 2] = n[2]
        near = _near_region(region, x, horizon2)
        chosen[tried] = used
        tried += near & inside(region, x)
        used += near
    patch.used[0] = used
    if used <= tree.parameters[CUTOFF]:
        return 0, 0
    return used, tried


@inner
def leaf_plane(tree, node, m, moved):
    """Return the mean plane of a leaf with its border, in a's frame: (normal, lowest and highest offset of points)."""
    plane = tree.planes[node]
    n = (np.float64(plane[0]), np.float64(plane[1]), np.float64(plane[2]))
    low = np.float64(plane[3])
    high = np.float64(plane[4])
    if moved:
        n = turn(m, n[0], n[1], n[2])
        shift = n[0] * m[9] + n[1] * m[10] + n[2] * m[11]
        low += shift
        high += shift
    return n, low, high


@inner
def widened(plane, patch):
    """Widen the slab of a leaf until the surfaces are certainly apart if all points of another leaf lie outside the
    slab.

    The margin covers the distance of this leaf's surface from its points, and the distance that the surface of
    ``patch``, the other leaf, may extend beyond its own points.
    """
    n, low, high = plane
    slack = _BESIDE_POINTS * patch.parameters[SAMPLING_RADIUS] + reach_of(patch.parameters)
    return n, low - slack, high + slack


@inner
def _interval(region, n):
    """Return the lowest and highest offset of a region along a direction."""
    low = 0.0
    high = 0.0
    for k in range(3):
        low += min(n[k] * region[k], n[k] * region[k + 3])
        high += max(n[k] * region[k], n[k] * region[k + 3])
    return low, high


@inner
def slab_beyond(region, plane_p, plane_q):
    """Return whether the part of the region inside p's slab lies entirely on one side of q's slab.

    Then all of p's points in the region do, wherever they are. Along q's normal n, a point x of p's slab has the offset
    c u . x + (n - c u) . x, with p's normal u and c = n . u: the slab bounds the first term, the region the second.
    """
    u, low_p, high_p = plane_p
    n, low_q, high_q = plane_q
    c = n[0] * u[0] + n[1] * u[1] + n[2] * u[2]
    low, high = _interval(region, n)
    low_across, high_across = _interval(region, (n[0] - c * u[0], n[1] - c * u[1], n[2] - c * u[2]))
    low = max(low, low_across + min(c * low_p, c * high_p))
    high = min(high, high_across + max(c * low_p, c * high_p))
    return low > high_q or high < low_q


@inner
def one_sided(patch, tried, plane):
    """Return whether all candidate points lie on one side of the slab that contains another leaf's points."""
    points, chosen = patch.points, patch.chosen
    n, low, high = plane
    below = True
    above = True
    for entry in range(tried):
        i = chosen[entry]
        offset = n[0] * points[i, 0] + n[1] * points[i, 1] + n[2] * points[i, 2]
        below = below and offset < low
        above = above and offset > high
        if not (below or above):
            return False
    return True


class Patch(NamedTuple):
    """A leaf's part of the surface and its work arrays; helper functions receive a reference to it."""

    points: np.ndarray
    """(capacity, 3) float64 [m], in the common frame."""
    normals: np.ndarray
    """(capacity, 3) float32."""
    names: np.ndarray
    """Their indices in the cloud's tree, (capacity,) int64."""
    chosen: np.ndarray
    """Indices of the points to try, (capacity,) int64."""
    away: np.ndarray
    """Distances of the points from the other surface, (capacity,) float64 [m]; infinite for points that are not tried.
"""
    used: np.ndarray
    """Number of points, (1,) int64."""
    parameters: np.ndarray
    """Parameters of the cloud (``surface.py``)."""
    sums: np.ndarray
    """Work array for the sums of one evaluation."""
    keys: np.ndarray
    """Key of each cache entry, (kept,) int64: twice the index of a point, plus 1 for a point of the same cloud."""
    values: np.ndarray
    """Cached values, (kept, 9) float64: f, normal and existence of the surface at that point; and for Newton's method
    from a point of the same cloud, how it failed (0 if unknown), and where it ended."""


def new_patch(capacity: int, parameters: np.ndarray, kept: int = 1) -> Patch:
    """Return an empty patch for the leaves of a cloud with these parameters, with a cache of ``kept`` entries.

    ``kept`` must be a power of two.
    """
    return Patch(
        np.empty((capacity, 3)),
        np.empty((capacity, 3), np.float32),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.zeros(1, np.int64),
        parameters,
        np.zeros(SUMS_LENGTH),
        np.full(kept, -1),
        np.empty((kept, 9)),
    )
