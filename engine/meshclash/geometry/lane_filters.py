"""Which of eight boxes or triangles may meet: float32 filters that never drop a contact.

A contact is defined on float64 world coordinates. Let R, T be b's frame in a's (exact numbers), and map the world to
a's frame by the exact inverse of a's pose: triangles meet there if and only if they meet in the world. Call the corners
so mapped the *ideal* corners. They differ from R x + T and from x (x: coordinates relative to the hierarchy's origin)
by what float64 rounds on the way, s64, which ``relative_pose.py`` bounds.

Let u = 2**-24, E_a and E_b the largest absolute coordinates relative to the origins, and m the largest component of
E_a + |R| E_b + |T|; rows of R and of its inverse have lengths up to 1.0003, so the sums of their absolute entries stay
below 1.74. The float32 numbers used here are off by, for each axis:

* stored corners of a: u E_a; of b after rotation: u |R| E_b;
* R x + T in float32: entries of R, products and three sums, 5.1 u (|R| E_b + |T|). So a corner of a and one of b
  together are off by less than 7 u m + s64.
* Boxes, a's axes: middle and half extent of a box, 2 u of its coordinates for a and for b after rotation; R c + T as
  above; |R| h 4 u; the difference of middles u; sums of half extents 3 u. Together less than 17 u m + s64.
* Boxes, b's axes: the difference of middles (off by 6.1 u m) turned back, 1.74 * 6.1 u m, and 8.7 u m of rounding;
  the half extents of a turned, 7 u m; E_b is below 1.74 m, so sums of half extents 10.4 u m, middles and half extents
  of both boxes 7 u m. Together less than 44 u m + s64.

``slack`` = 64 u m + s64 covers all of these, its own sums included, with a quarter to spare. Numbers too small for
float32 lose at most 1.2e-38 an operation, even where the processor flushes them to zero; 1e-36 is added for them.

Planes. Take any vector n and a triangle P with the corner p. If another triangle V meets P, then its ideal corners do
not all lie on one side of the slab in which P's ideal corners lie: no exactness of n is needed, only that the slab is
wide enough. With n = e x f in float32 (e, f: edges from p), |n.e| and |n.f| are at most 18 u E F max(E, F), E and F
being the largest components of the edges: 12 from the cross product, 6 from the edges' own rounding. n.(w - p) for a
corner w, |w - p| <= m (1 + small), is off by 4 u m |n| (1-norm) from rounding, and by |n| (7 u m + s64) from the
corners. So

    |n.(w - p)| > slack |n| + 24 u E F max(E, F) + products

on one side for all three corners proves the triangles apart. ``products`` is 1e-36 (1 + 2 m) for underflow; it is
infinite for m beyond 1e12, where overflow might occur, and then nothing is dropped: all comparisons keep a lane when a
number is infinite or none at all.
"""

import numpy as np

from ..jit import inlined
from .lanes import higher, load, lower, not_above, splat, store

SLACK, PRODUCTS = 21, 22
"""Entries of a row of ``narrow_rows``."""
PLACED = 72
"""Numbers in which a node's children lie ready for ``boxes_meet``."""
BLOCK = 120
"""Numbers in which a leaf's turned triangles lie ready: nine rows of corners, three lowest, three highest."""

_HALF = np.float32(0.5)
_DEFECT = np.float32(24.0 * 2.0**-24 * 1.001)


@inlined
def middle(nodes, at, axis):
    """Middles of the eight boxes of a node (64 words from ``at``) along an axis."""
    return (load(nodes, at + 8 * axis) + load(nodes, at + 24 + 8 * axis)) * splat(_HALF)


@inlined
def extent(nodes, at, axis):
    """Half extents of the eight boxes of a node along an axis."""
    return (load(nodes, at + 24 + 8 * axis) - load(nodes, at + 8 * axis)) * splat(_HALF)


@inlined
def turned(frame, row, x, y, z):
    """One component of a rotated vector; ``row`` is the first of three entries of the frame."""
    return splat(frame[row]) * x + splat(frame[row + 1]) * y + splat(frame[row + 2]) * z


@inlined
def turned_extent(frame, row, x, y, z):
    """Half extent along one axis of rotated boxes of half extents x, y, z."""
    return splat(abs(frame[row])) * x + splat(abs(frame[row + 1])) * y + splat(abs(frame[row + 2])) * z


@inlined
def place_first(nodes, at, frame, placed):
    """Children of a's node (64 words from ``at``): middles, half extents, and those along b's axes."""
    x, y, z = extent(nodes, at, 0), extent(nodes, at, 1), extent(nodes, at, 2)
    for axis in range(3):
        store(placed, 8 * axis, middle(nodes, at, axis))
        store(placed, 24 + 8 * axis, extent(nodes, at, axis))
        store(placed, 48 + 8 * axis, turned_extent(frame, 12 + 3 * axis, x, y, z))


@inlined
def place_second(nodes, at, frame, placed):
    """Children of b's node: middles and half extents along a's axes, half extents along b's; with slack."""
    slack = splat(frame[SLACK])
    cx, cy, cz = middle(nodes, at, 0), middle(nodes, at, 1), middle(nodes, at, 2)
    hx, hy, hz = extent(nodes, at, 0), extent(nodes, at, 1), extent(nodes, at, 2)
    for axis in range(3):
        store(placed, 8 * axis, turned(frame, 3 * axis, cx, cy, cz) + splat(frame[9 + axis]))
        store(placed, 24 + 8 * axis, turned_extent(frame, 3 * axis, hx, hy, hz) + slack)
        store(placed, 48 + 8 * axis, extent(nodes, at, axis) + slack)


@inlined
def boxes_meet(first, i, second, frame):
    """Bits of b's children (``place_second``) that may meet child i of a's node (``place_first``)."""
    x = load(second, 0) - splat(first[i])
    y = load(second, 8) - splat(first[8 + i])
    z = load(second, 16) - splat(first[16 + i])
    bits = not_above(abs(x), load(second, 24) + splat(first[24 + i]))
    bits &= not_above(abs(y), load(second, 32) + splat(first[32 + i]))
    bits &= not_above(abs(z), load(second, 40) + splat(first[40 + i]))
    bits &= not_above(abs(turned(frame, 12, x, y, z)), load(second, 48) + splat(first[48 + i]))
    bits &= not_above(abs(turned(frame, 15, x, y, z)), load(second, 56) + splat(first[56 + i]))
    return bits & not_above(abs(turned(frame, 18, x, y, z)), load(second, 64) + splat(first[64 + i]))


@inlined
def turn_leaf(coordinates, base, count, frame, block):
    """Bring a leaf of b into a's frame: corners, lowest and highest coordinates, into ``block``."""
    for corner in range(3):
        at = base + 3 * corner * count
        x, y, z = load(coordinates, at), load(coordinates, at + count), load(coordinates, at + 2 * count)
        for axis in range(3):
            store(block, 24 * corner + 8 * axis, turned(frame, 3 * axis, x, y, z) + splat(frame[9 + axis]))
    _write_bounds(block)


@inlined
def copy_leaf(coordinates, base, count, block):
    """Lay a leaf of a out as ``turn_leaf`` does."""
    for row in range(9):
        store(block, 8 * row, load(coordinates, base + row * count))
    _write_bounds(block)


@inlined
def _write_bounds(block):
    for axis in range(3):
        p, q, r = load(block, 8 * axis), load(block, 24 + 8 * axis), load(block, 48 + 8 * axis)
        store(block, 72 + 8 * axis, lower(lower(p, q), r))
        store(block, 96 + 8 * axis, higher(higher(p, q), r))


@inlined
def triangles_in_box(block, low_x, low_y, low_z, high_x, high_y, high_z):
    """Bits of the triangles of a block whose boxes meet a box, which has the slack already."""
    bits = not_above(load(block, 72), splat(high_x)) & not_above(splat(low_x), load(block, 96))
    bits &= not_above(load(block, 80), splat(high_y)) & not_above(splat(low_y), load(block, 104))
    return bits & not_above(load(block, 88), splat(high_z)) & not_above(splat(low_z), load(block, 112))


@inlined
def meet_box_of(block, rows, j, slack):
    """Bits of the triangles of a block whose boxes meet that of triangle j of another block."""
    return triangles_in_box(
        block, rows[72 + j] - slack, rows[80 + j] - slack, rows[88 + j] - slack,
        rows[96 + j] + slack, rows[104 + j] + slack, rows[112 + j] + slack,
    )  # fmt: skip


@inlined
def _both_sides(a, b, c, width):
    """Bits of the lanes in which a, b, c are not all above the width, nor all below its negative."""
    return not_above(lower(lower(a, b), c), width) & not_above(-width, higher(higher(a, b), c))


@inlined
def reach_plane_of(block, rows, j, frame):
    """Bits of the triangles of a block that reach the plane of triangle j of another block."""
    px, py, pz = rows[j], rows[8 + j], rows[16 + j]
    ux, uy, uz = rows[24 + j] - px, rows[32 + j] - py, rows[40 + j] - pz
    vx, vy, vz = rows[48 + j] - px, rows[56 + j] - py, rows[64 + j] - pz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    longest_u = max(abs(ux), abs(uy), abs(uz))
    longest_v = max(abs(vx), abs(vy), abs(vz))
    width = frame[SLACK] * (abs(nx) + abs(ny) + abs(nz)) + frame[PRODUCTS]
    width += _DEFECT * longest_u * longest_v * max(longest_u, longest_v)
    x, y, z = splat(px), splat(py), splat(pz)
    lx, ly, lz = splat(nx), splat(ny), splat(nz)
    a = lx * (load(block, 0) - x) + ly * (load(block, 8) - y) + lz * (load(block, 16) - z)
    b = lx * (load(block, 24) - x) + ly * (load(block, 32) - y) + lz * (load(block, 40) - z)
    c = lx * (load(block, 48) - x) + ly * (load(block, 56) - y) + lz * (load(block, 64) - z)
    return _both_sides(a, b, c, splat(width))


@inlined
def have_plane_reached_by(block, rows, j, frame):
    """Bits of the triangles of a block whose planes triangle j of another block reaches."""
    px, py, pz = load(block, 0), load(block, 8), load(block, 16)
    ux, uy, uz = load(block, 24) - px, load(block, 32) - py, load(block, 40) - pz
    vx, vy, vz = load(block, 48) - px, load(block, 56) - py, load(block, 64) - pz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    longest_u = higher(higher(abs(ux), abs(uy)), abs(uz))
    longest_v = higher(higher(abs(vx), abs(vy)), abs(vz))
    width = splat(frame[SLACK]) * (abs(nx) + abs(ny) + abs(nz)) + splat(frame[PRODUCTS])
    width = width + splat(_DEFECT) * longest_u * longest_v * higher(longest_u, longest_v)
    a = nx * (splat(rows[j]) - px) + ny * (splat(rows[8 + j]) - py) + nz * (splat(rows[16 + j]) - pz)
    b = nx * (splat(rows[24 + j]) - px) + ny * (splat(rows[32 + j]) - py) + nz * (splat(rows[40 + j]) - pz)
    c = nx * (splat(rows[48 + j]) - px) + ny * (splat(rows[56 + j]) - py) + nz * (splat(rows[64 + j]) - pz)
    return _both_sides(a, b, c, width)
