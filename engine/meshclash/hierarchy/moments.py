"""Moments of the normals below each node, which give the node's contribution to the winding number of a far point.

Source: Barill, Dickson, Schmidt, Levin, Jacobson, "Fast Winding Numbers for Soups and Clouds" (2018), equations 13 to
15 and appendix A: the Taylor series of the solid angle around a centre, up to the third order. A leaf sums its
triangles. An inner node shifts the moments of its children to its own centre, so the work is linear in the number of
nodes.

Lengths are relative to the hierarchy's origin, in a unit that is a power of two near the size of the mesh, so that
nothing overflows; winding numbers have no unit. A node takes 136 bytes, about 45 bytes per triangle.
"""

import math
from collections.abc import Generator

import numpy as np

from ..jit import inner, kernel
from ..types.steps import run
from .bvh import TreeParts

CENTRE, RADIUS2, NORMAL, SECOND, THIRD = 0, 3, 4, 7, 16
"""Offsets in a row: centre (3), squared radius, sum of the normals with the lengths of areas (3), sums of
(x_i - c_i) n_j (9), and sums of (x_i - c_i) (x_j - c_j) n_k for ij = xx, xy, xz, yy, yz, zz (18)."""
MOMENT_WORDS = 34
_NODES_AT_ONCE = 1 << 14


def moments_of(parts: TreeParts) -> np.ndarray:
    """Return the moments of a tree of boxes, (nodes, 34) float32; cached with the parts."""
    return run(moments_steps(parts))


def moments_steps(parts: TreeParts) -> Generator[None, None, np.ndarray]:
    """Do the same as ``moments_of`` in a generator that yields every few milliseconds."""
    if "moments" not in parts.derived:
        vertices, triangles = parts.mesh.arrays
        nodes = len(parts.tree.first)
        moments = np.empty((nodes, MOMENT_WORDS), np.float32)
        rows, areas = np.empty((nodes, MOMENT_WORDS)), np.empty(nodes)
        for end in range(nodes, 0, -_NODES_AT_ONCE):
            _lay_moments(
                parts.tree.first, parts.tree.count, parts.tree.order, parts.volumes, triangles, vertices, parts.origin,
                moment_unit(parts), max(0, end - _NODES_AT_ONCE), end, rows, areas, moments,
            )  # fmt: skip
            yield
        parts.derived["moments"] = moments
    return parts.derived["moments"]


def moment_unit(parts: TreeParts) -> float:
    """Return the factor for lengths: the power of two that brings the size of the mesh near 1."""
    size = float((parts.mesh.bounds[1] - parts.mesh.bounds[0]).max())
    return 2.0 ** -math.frexp(size)[1] if size > 2.0**-1000 else 1.0


@inner
def unit_corner(vertices, v, origin, unit):
    """Return a vertex relative to the origin, multiplied by ``unit``."""
    return (
        (vertices[v, 0] - origin[0]) * unit,
        (vertices[v, 1] - origin[1]) * unit,
        (vertices[v, 2] - origin[2]) * unit,
    )


@inner
def _half_normal(a, b, c):
    """Return the normal of a triangle, with the length of its area."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    return 0.5 * (uy * vz - uz * vy), 0.5 * (uz * vx - ux * vz), 0.5 * (ux * vy - uy * vx)


@inner
def _add_triangle(row, a, b, c):
    """Add the moments of a triangle, around the row's centre, to a row."""
    n = _half_normal(a, b, c)
    s = THIRD
    for i in range(3):
        row[NORMAL + i] += n[i]
        away = (a[i] + b[i] + c[i]) / 3.0 - row[i]
        ab_i, bc_i, ca_i = 0.5 * (a[i] + b[i]) - row[i], 0.5 * (b[i] + c[i]) - row[i], 0.5 * (c[i] + a[i]) - row[i]
        for j in range(3):
            row[SECOND + 3 * i + j] += away * n[j]
            if j < i:
                continue
            ab_j, bc_j, ca_j = 0.5 * (a[j] + b[j]) - row[j], 0.5 * (b[j] + c[j]) - row[j], 0.5 * (c[j] + a[j]) - row[j]
            square = (ab_i * ab_j + bc_i * bc_j + ca_i * ca_j) / 3.0  # exact: quadrature at the midpoints of the edges
            for k in range(3):
                row[s + k] += square * n[k]
            s += 3


@inner
def _add_child(row, child):
    """Add the moments of a child, shifted to the row's centre, to a row."""
    s = THIRD
    for i in range(3):
        d_i = child[i] - row[i]
        row[NORMAL + i] += child[NORMAL + i]
        for j in range(3):
            row[SECOND + 3 * i + j] += child[SECOND + 3 * i + j] + d_i * child[NORMAL + j]
            if j < i:
                continue
            d_j = child[j] - row[j]
            for k in range(3):
                row[s + k] += (
                    child[s + k]
                    + d_i * child[SECOND + 3 * j + k]
                    + d_j * child[SECOND + 3 * i + k]
                    + d_i * d_j * child[NORMAL + k]
                )
            s += 3


@inner
def _farthest_corner2(volume, centre, unit):
    """Return the squared distance from a centre to the farthest corner of a box."""
    total = 0.0
    for k in range(3):
        reach = max(volume[k + 3] * unit - centre[k], centre[k] - volume[k] * unit)
        total += reach * reach
    return total


@inner
def _set_centre(row, x, y, z):
    """Set the centre of a row, rounded to float32, so that the moments refer exactly to the stored point."""
    row[:] = 0.0
    row[0], row[1], row[2] = np.float32(x), np.float32(y), np.float32(z)


@inner
def _middle_of(volume, unit):
    return (
        0.5 * unit * (np.float64(volume[0]) + volume[3]),
        0.5 * unit * (np.float64(volume[1]) + volume[4]),
        0.5 * unit * (np.float64(volume[2]) + volume[5]),
    )


@inner
def _fill_leaf(row, order, begin, end, triangles, vertices, origin, unit, volume):
    """Fill the moments and squared radius of a leaf; return its area."""
    area, x, y, z = 0.0, 0.0, 0.0, 0.0
    for entry in range(begin, end):
        t = order[entry]
        a = unit_corner(vertices, triangles[t, 0], origin, unit)
        b = unit_corner(vertices, triangles[t, 1], origin, unit)
        c = unit_corner(vertices, triangles[t, 2], origin, unit)
        n = _half_normal(a, b, c)
        own = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
        area += own
        x += own * (a[0] + b[0] + c[0]) / 3.0
        y += own * (a[1] + b[1] + c[1]) / 3.0
        z += own * (a[2] + b[2] + c[2]) / 3.0
    if area > 0.0:
        _set_centre(row, x / area, y / area, z / area)
    else:
        m = _middle_of(volume, unit)
        _set_centre(row, m[0], m[1], m[2])
    for entry in range(begin, end):
        t = order[entry]
        a = unit_corner(vertices, triangles[t, 0], origin, unit)
        b = unit_corner(vertices, triangles[t, 1], origin, unit)
        c = unit_corner(vertices, triangles[t, 2], origin, unit)
        _add_triangle(row, a, b, c)
        for corner in (a, b, c):
            dx, dy, dz = corner[0] - row[0], corner[1] - row[1], corner[2] - row[2]
            row[RADIUS2] = max(row[RADIUS2], dx * dx + dy * dy + dz * dz)
    return area


@inner
def _fill_inner(row, left, right, area_left, area_right, volume, unit):
    """Fill the moments and squared radius of an inner node; return its area."""
    area = area_left + area_right
    share = area_left / area if area > 0.0 else 0.5
    _set_centre(
        row,
        share * left[0] + (1.0 - share) * right[0],
        share * left[1] + (1.0 - share) * right[1],
        share * left[2] + (1.0 - share) * right[2],
    )
    reach = 0.0
    for child in (left, right):
        _add_child(row, child)
        dx, dy, dz = child[0] - row[0], child[1] - row[1], child[2] - row[2]
        reach = max(reach, math.sqrt(dx * dx + dy * dy + dz * dz) + math.sqrt(child[RADIUS2]))
    row[RADIUS2] = min(reach * reach, _farthest_corner2(volume, row, unit))
    return area


@kernel
def _lay_moments(first, count, order, volumes, triangles, vertices, origin, unit, low, high, rows, areas, moments):
    """Fill ``moments`` (n, 34) float32 of the nodes from ``low`` to ``high``, the last node first.

    The nodes from ``high`` on have been filled. ``rows`` (n, 34) float64 and ``areas`` (n,) are kept between calls.
    """
    for node in range(high - 1, low - 1, -1):
        begin = np.int64(first[node])
        row = rows[node]
        if count[node] == 0:
            areas[node] = _fill_inner(
                row, rows[begin], rows[begin + 1], areas[begin], areas[begin + 1], volumes[node], unit
            )
        else:
            areas[node] = _fill_leaf(
                row, order, begin, begin + count[node], triangles, vertices, origin, unit, volumes[node]
            )
        for k in range(34):
            moments[node, k] = row[k]
        moments[node, 3] = row[3] * (1.0 + 1e-6)  # so that float32 rounding cannot make it too small
