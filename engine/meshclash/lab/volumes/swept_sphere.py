"""Swept spheres: all points within a radius of a point, a segment or a rectangle, stored in one row format.

Corner 0:3, two directions 3:9 (float32, of length one up to 1e-7), two lengths 9:11, radius 11; a segment has one
length zero, a point both. Source: Larsen, Gottschalk, Lin, Manocha, "Fast proximity queries with swept sphere volumes"
(1999). A well-known summary uses the largest dimension of a box as the radius of the point's sphere and the two largest
as length and radius of the segment's volume; these volumes do not reach the corners. Here the radius is measured: the
largest distance of the primitives to the core *as stored*.

Distances between cores are not computed but bounded from below by separating directions, found by projecting from one
core to the other and back: for any rounding, a direction that separates the cores proves a distance, and a few steps
come close to the exact distance. So the bound does not depend on orthonormal directions.
"""

import math

import numpy as np

from ...geometry.principal_axes import largest_size, surface_axes
from ...jit import portable
from ...volumes.rounding import round_up
from ...volumes.wires import rounded_outline

WIDTH = 12
"""Number of float32 values of a volume."""

_ROUNDING = 32.0 * 2.0**-53
_STEPS = 6
_CLOSE = 0.999  # a bound within a thousandth of the distance is not improved
_LINE_COST = 1.3
_RECTANGLE_COST = 2.0


@portable
def _measure(points, volume):
    """Set the radius to the largest distance of points (n, 3) float64 from the stored core."""
    cx, cy, cz = np.float64(volume[0]), np.float64(volume[1]), np.float64(volume[2])
    ux, uy, uz = np.float64(volume[3]), np.float64(volume[4]), np.float64(volume[5])
    vx, vy, vz = np.float64(volume[6]), np.float64(volume[7]), np.float64(volume[8])
    length, width = np.float64(volume[9]), np.float64(volume[10])
    most = 0.0
    for i in range(points.shape[0]):
        x, y, z = points[i, 0] - cx, points[i, 1] - cy, points[i, 2] - cz
        s = min(max(ux * x + uy * y + uz * z, 0.0), length)
        t = min(max(vx * x + vy * y + vz * z, 0.0), width)
        x -= s * ux + t * vx
        y -= s * uy + t * vy
        z -= s * uz + t * vz
        most = max(most, x * x + y * y + z * z)
    radius = math.sqrt(most)
    rounding = _ROUNDING * (radius + largest_size(points) + length + width)
    volume[11] = round_up(radius + rounding)


@portable
def _turn_points(points, axes, turned):
    """Return coordinates along the axes, sorted from the axis with the largest extent to the one with the smallest."""
    extents = np.empty(3)
    for k in range(3):
        lowest = math.inf
        highest = -math.inf
        for i in range(points.shape[0]):
            value = axes[k, 0] * points[i, 0] + axes[k, 1] * points[i, 1] + axes[k, 2] * points[i, 2]
            lowest = min(lowest, value)
            highest = max(highest, value)
        extents[k] = highest - lowest
    for end in (2, 1, 2):  # three comparisons sort three axes
        if extents[end] > extents[end - 1]:
            extents[end], extents[end - 1] = extents[end - 1], extents[end]
            for j in range(3):
                axes[end, j], axes[end - 1, j] = axes[end - 1, j], axes[end, j]
    for i in range(points.shape[0]):
        for k in range(3):
            turned[i, k] = axes[k, 0] * points[i, 0] + axes[k, 1] * points[i, 1] + axes[k, 2] * points[i, 2]


@portable
def _middle(turned, k):
    return 0.5 * (turned[:, k].min() + turned[:, k].max())


@portable
def _store(points, axes, low, high, volume):
    """Write the core between two corners, given along the axes, and compute its radius."""
    for j in range(3):
        volume[j] = low[0] * axes[0, j] + low[1] * axes[1, j] + low[2] * axes[2, j]
        volume[3 + j] = axes[0, j]
        volume[6 + j] = axes[1, j]
    volume[9] = max(high[0] - low[0], 0.0)
    volume[10] = max(high[1] - low[1], 0.0)
    _measure(points, volume)


@portable
def _point_core(points, axes, turned, low, high, volume):
    for k in range(3):
        low[k] = _middle(turned, k)
        high[k] = low[k]
    _store(points, axes, low, high, volume)


@portable
def _line_core(points, axes, turned, low, high, volume):
    """Return the segment along the first axis, shortened as far as the spheres at its ends still contain all points."""
    for k in range(3):
        low[k] = _middle(turned, k)
        high[k] = low[k]
    most = 0.0
    for i in range(turned.shape[0]):
        most = max(most, (turned[i, 1] - low[1]) ** 2 + (turned[i, 2] - low[2]) ** 2)
    first = math.inf
    last = -math.inf
    for i in range(turned.shape[0]):
        square = (turned[i, 1] - low[1]) ** 2 + (turned[i, 2] - low[2]) ** 2
        reach = math.sqrt(max(most - square, 0.0))
        first = min(first, turned[i, 0] + reach)
        last = max(last, turned[i, 0] - reach)
    low[0] = first if first <= last else 0.5 * (first + last)
    high[0] = last if first <= last else low[0]
    _store(points, axes, low, high, volume)


@portable
def _rectangle_core(points, axes, turned, low, high, volume):
    """Return the rectangle perpendicular to the thinnest axis, shrunk as far as the swept sphere still contains all
    points.
    """
    low[2] = _middle(turned, 2)
    high[2] = low[2]
    radius = 0.0
    for i in range(turned.shape[0]):
        radius = max(radius, abs(turned[i, 2] - low[2]))
    for k in range(2):
        first = math.inf
        last = -math.inf
        for i in range(turned.shape[0]):
            reach = math.sqrt(max(radius * radius - (turned[i, 2] - low[2]) ** 2, 0.0))
            first = min(first, turned[i, k] + reach)
            last = max(last, turned[i, k] - reach)
        low[k] = first if first <= last else 0.5 * (first + last)
        high[k] = last if first <= last else low[k]
    for i in range(turned.shape[0]):
        dx = turned[i, 0] - min(max(turned[i, 0], low[0]), high[0])
        dy = turned[i, 1] - min(max(turned[i, 1], low[1]), high[1])
        square = dx * dx + dy * dy
        room = max(radius * radius - (turned[i, 2] - low[2]) ** 2, 0.0)
        if square > room:
            share = 1.0 - math.sqrt(room / square)
            if dx > 0.0:
                high[0] += share * dx
            else:
                low[0] += share * dx
            if dy > 0.0:
                high[1] += share * dy
            else:
                low[1] += share * dy
    _store(points, axes, low, high, volume)


@portable
def _content(volume):
    """Return the volume [m3] of a swept sphere."""
    length, width, radius = np.float64(volume[9]), np.float64(volume[10]), np.float64(volume[11])
    edges = 2.0 * length * width + math.pi * radius * (length + width)
    return radius * (edges + 4.0 / 3.0 * math.pi * radius * radius)


@portable
def _fit(points, kinds, volume):
    """Fit the cheapest of the chosen kinds (bits: 1 point, 2 segment, 4 rectangle) around a surface, (3 m, 3) float64
    corners.
    """
    axes = np.empty((3, 3))
    low = np.empty(3)
    high = np.empty(3)
    turned = np.empty_like(points)
    found = np.empty(WIDTH, np.float32)
    surface_axes(points, axes)
    _turn_points(points, axes, turned)
    least = math.inf
    for kind in (1, 2, 4):
        if kinds & kind == 0:
            continue
        if kind == 1:
            _point_core(points, axes, turned, low, high, found)
            cost = _content(found)
        elif kind == 2:
            _line_core(points, axes, turned, low, high, found)
            cost = _content(found) * _LINE_COST
        else:
            _rectangle_core(points, axes, turned, low, high, found)
            cost = _content(found) * _RECTANGLE_COST
        if cost < least:
            least = cost
            for i in range(WIDTH):
                volume[i] = found[i]


@portable
def fit_point(points, volume):
    """Fit a point swept by a sphere."""
    _fit(points, 1, volume)


@portable
def fit_line(points, volume):
    """Fit a segment swept by a sphere."""
    _fit(points, 2, volume)


@portable
def fit_rectangle(points, volume):
    """Fit a rectangle swept by a sphere."""
    _fit(points, 4, volume)


@portable
def fit(points, volume):
    """Fit the kind with the smallest volume, weighted by the cost of its test."""
    _fit(points, 7, volume)


@portable
def size(volume):
    """Return a measure that grows with the volume; traversals descend into the larger of two volumes first."""
    return volume[9] + volume[10] + volume[11] + volume[11]


@portable
def _turn(m, x, y, z):
    return m[0] * x + m[1] * y + m[2] * z, m[3] * x + m[4] * y + m[5] * z, m[6] * x + m[7] * y + m[8] * z


@portable
def _nearest(corner, u, v, length, width, p):
    """Return the point of a core nearest to p, up to the deviation of the directions from orthonormal ones."""
    x, y, z = p[0] - corner[0], p[1] - corner[1], p[2] - corner[2]
    s = min(max(u[0] * x + u[1] * y + u[2] * z, 0.0), length)
    t = min(max(v[0] * x + v[1] * y + v[2] * z, 0.0), width)
    return (
        corner[0] + s * u[0] + t * v[0],
        corner[1] + s * u[1] + t * v[1],
        corner[2] + s * u[2] + t * v[2],
    )  # fmt: skip


@portable
def _lowest(corner, u, v, length, width, n):
    """Return the lowest value of a core along n."""
    along_u = n[0] * u[0] + n[1] * u[1] + n[2] * u[2]
    along_v = n[0] * v[0] + n[1] * v[1] + n[2] * v[2]
    at = n[0] * corner[0] + n[1] * corner[1] + n[2] * corner[2]
    return at + length * min(along_u, 0.0) + width * min(along_v, 0.0)


@portable
def _cores_apart(a, b, m, near, far):
    """Return a lower bound of the distance between two cores in a's frame; stops early below ``near`` and beyond
    ``far``.
    """
    a0 = np.float64(a[0]), np.float64(a[1]), np.float64(a[2])
    au = np.float64(a[3]), np.float64(a[4]), np.float64(a[5])
    av = np.float64(a[6]), np.float64(a[7]), np.float64(a[8])
    al, aw = np.float64(a[9]), np.float64(a[10])
    x, y, z = _turn(m, np.float64(b[0]), np.float64(b[1]), np.float64(b[2]))
    b0 = x + m[9], y + m[10], z + m[11]
    bu = _turn(m, np.float64(b[3]), np.float64(b[4]), np.float64(b[5]))
    bv = _turn(m, np.float64(b[6]), np.float64(b[7]), np.float64(b[8]))
    bl, bw = np.float64(b[9]), np.float64(b[10])
    p = (
        a0[0] + 0.5 * (al * au[0] + aw * av[0]),
        a0[1] + 0.5 * (al * au[1] + aw * av[1]),
        a0[2] + 0.5 * (al * au[2] + aw * av[2]),
    )  # fmt: skip
    best = 0.0
    for _ in range(_STEPS):
        q = _nearest(b0, bu, bv, bl, bw, p)
        p = _nearest(a0, au, av, al, aw, q)
        n = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
        if length <= near:
            return best
        opposite = -n[0], -n[1], -n[2]
        apart = _lowest(b0, bu, bv, bl, bw, n) + _lowest(a0, au, av, al, aw, opposite)
        best = max(best, apart / length)
        if best > far or best >= _CLOSE * length:
            return best
    return best


@portable
def overlap(a, b, relative):
    """Return whether two swept spheres may meet; never a false "no"."""
    reach = np.float64(a[11]) + np.float64(b[11]) * (1.0 + relative[30]) + relative[32]
    return _cores_apart(a, b, relative, reach, reach) <= reach


@portable
def gap(a, b, relative):
    """Return a lower bound [m] of the world distance between the contents of two swept spheres."""
    reach = np.float64(a[11]) + np.float64(b[11]) * (1.0 + relative[30]) + relative[32]
    return max(_cores_apart(a, b, relative, 0.0, math.inf) - reach, 0.0) * relative[31]


def contains(volume, x, y, z):
    """Return whether a swept sphere contains a point; for fractions, "yes" is proved."""
    p = [x - volume[0], y - volume[1], z - volume[2]]
    shares = []
    for first, length in ((3, volume[9]), (6, volume[10])):
        shares.append(min(max(sum(volume[first + k] * p[k] for k in range(3)), 0), length))
    rest = [p[k] - shares[0] * volume[3 + k] - shares[1] * volume[6 + k] for k in range(3)]
    return sum(r * r for r in rest) <= volume[11] ** 2


def wireframe(volumes):
    """Return outlines of swept spheres (n, 12), in the planes of their cores and perpendicular to them: segments (k, 2,
    3) float64.
    """
    volumes = np.float64(volumes)
    u, v, radii = volumes[:, 3:6], volumes[:, 6:9], volumes[:, 11]
    sides = 0.5 * volumes[:, 9:11]
    middles = volumes[:, :3] + sides[:, :1] * u + sides[:, 1:] * v
    flat = np.column_stack([sides, np.zeros(len(volumes))])
    n = np.cross(u, v)
    planes = ((u, v, (0, 1)), (u, n, (0, 2)), (v, n, (1, 2)))
    return np.concatenate([rounded_outline(middles, p, q, flat[:, list(k)], radii) for p, q, k in planes])
