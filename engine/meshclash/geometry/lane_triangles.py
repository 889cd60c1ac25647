"""Triangles in lanes: compute in float32 which of eight triangles may meet another triangle, and which certainly do.

Notation as in ``lane_boxes.py``. Triangles of two leaves are compared in a frame of their own: a's frame with its
origin at the lowest corner of the box of a's leaf. Corners are stored relative to the lowest corner l of their leaf's
box, and b's are turned and moved by c = R l_b + T - l_a, which float64 computes. So rounding errors of float32 are
proportional to the sizes of leaves, not of objects. Let M = the largest component of (edges of a's box) + 1.74 (largest
edge of b's) + |c|. A corner of a is stored to u of itself; one of b is off by 5.1 u (|R| |b's| + |c|) from turning it,
and u more from storing it; c itself by 12 roundings of float64 of E_b, T and l_a, less than s64. So a corner of a and
one of b together are off by less than 7 u M + 2 s64, ``slack`` is 16 u M + 2 s64, and their boxes, compared with it,
are never dropped when they meet.

Comparisons keep a lane, and leave the decision to the exact stage, if a number is infinite or NaN.

Filters. Take any vector n and a triangle P with the corner p. If another triangle V meets P, then its ideal corners
do not all lie on one side of the slab in which P's ideal corners lie: no exactness of n is needed, only that the slab
is wide enough. With n = e x f in float32 (e, f: edges from p), |n.e| and |n.f| are at most 18 u E F max(E, F), E and
F being the largest components of the edges: 12 from the cross product, 6 from the edges' own rounding. n.(w - p) for
a corner w, |w - p| <= M (1 + small), is off by 4 u M |n| (1-norm) from rounding, and by |n| (7 u M + 2 s64) from the
corners. So

    |n.(w - p)| > slack |n| + 24 u E F max(E, F) + products

on one side for all three corners proves the triangles apart. ``products`` is 1e-36 (1 + 2 m) for underflow; it is
infinite for m beyond 1e12, where overflow might occur, and then nothing is dropped.

Certain signs. The kind of a pair is CROSSING or APART by the signs of eight determinants of ideal corners (Guigue and
Devillers 2003; as in ``generic_pair.py``), and a sign is certain if the float32 number is farther from zero than its
error bound. Differences of two ideal corners are known up to D = 2 slack, and up to u of themselves. Of three
differences with components below E, F, G the determinant, six products, is off by 6 D (E F + F G + G E) from the
corners, by 18 u E F G from rounding the differences and 30 u E F G from evaluating it as (e x f).g: four roundings of a
component of the cross product, two of a product with it, two of the sum. The boxes of the two triangles come within
slack, so every difference of corners is below S = 1.001 (the largest edges of the two boxes) + 4 slack. The edges' own
E and F, with 3 slack added, give a better bound for a plane:

    plane of a triangle, another's corner:   6 D (E F + (E + F) S) + 48 u E F S + products
    edge against edge:                       18 D S S + 48 u S S S + products

both multiplied by 1.01 for their own rounding. Signs of a plane decide which corner is alone on its side; the corners
are renamed in the lanes, and two determinants of edges decide. Zero is never certain: touching and coplanar pairs go
on to the exact stage.
"""

import numpy as np

from ..jit import inlined
from .lanes import above, bits_of, choose, higher, load, lower, not_above, splat, store
from .relative_pose import ROUNDING

BLOCK = 120
"""Numbers per block of a leaf's triangles: nine rows of corners, three of lowest, three of highest coordinates."""
PLANES = 64
"""Numbers for the planes of a leaf of a: normals, width of the slabs, two terms of the certain width, size."""

_DEFECT = np.float32(24.0 * 2.0**-24 * 1.001)
_MORE = np.float32(1.001)
_THREE, _FOUR = np.float32(3.0), np.float32(4.0)
_SIX_OFF = np.float32(12.0 * 1.01)
_EIGHTEEN_OFF = np.float32(36.0 * 1.01)
_TWO = np.float32(2.0)
_LEAF_SLACK = np.float32(16.0 * 2.0**-24 * 1.01)
_ROUNDING = np.float32(48.0 * 2.0**-24 * 1.01)


@inlined
def place_leaves(nodes_a, box_a, nodes_b, box_b, row, frame):
    """Return the frame of two leaves: the shift c, (x, y, z), and the slack; ``row`` comes from ``relative_rows``."""
    x, y, z = np.float64(nodes_b[box_b]), np.float64(nodes_b[box_b + 8]), np.float64(nodes_b[box_b + 16])
    cx = np.float32(row[0] * x + row[1] * y + row[2] * z + row[9] - nodes_a[box_a])
    cy = np.float32(row[3] * x + row[4] * y + row[5] * z + row[10] - nodes_a[box_a + 8])
    cz = np.float32(row[6] * x + row[7] * y + row[8] * z + row[11] - nodes_a[box_a + 16])
    edge_a = max(
        nodes_a[box_a + 24] - nodes_a[box_a],
        nodes_a[box_a + 32] - nodes_a[box_a + 8],
        nodes_a[box_a + 40] - nodes_a[box_a + 16],
    )
    edge_b = max(
        nodes_b[box_b + 24] - nodes_b[box_b],
        nodes_b[box_b + 32] - nodes_b[box_b + 8],
        nodes_b[box_b + 40] - nodes_b[box_b + 16],
    )
    size = edge_a + _TWO * edge_b + max(abs(cx), abs(cy), abs(cz))
    return (cx, cy, cz), _LEAF_SLACK * size + _TWO * frame[ROUNDING]


@inlined
def _moved(frame, row, shift, x, y, z):
    return splat(frame[row]) * x + splat(frame[row + 1]) * y + splat(frame[row + 2]) * z + splat(shift)


@inlined
def turn_leaf(coordinates, base, count, frame, shift, block):
    """Transform a leaf of b into the frame of two leaves: corners, lowest and highest coordinates, into ``block``."""
    for corner in range(3):
        at = base + 3 * corner * count
        x, y, z = load(coordinates, at), load(coordinates, at + count), load(coordinates, at + 2 * count)
        store(block, 24 * corner, _moved(frame, 0, shift[0], x, y, z))
        store(block, 24 * corner + 8, _moved(frame, 3, shift[1], x, y, z))
        store(block, 24 * corner + 16, _moved(frame, 6, shift[2], x, y, z))
    _write_bounds(block)


@inlined
def copy_leaf(coordinates, base, count, block):
    """Write a leaf of a in the layout of ``turn_leaf``."""
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
    """Return a bit mask of the triangles of a block whose boxes meet a box that already includes the slack."""
    bits = not_above(load(block, 72), splat(high_x)) & not_above(splat(low_x), load(block, 96))
    bits &= not_above(load(block, 80), splat(high_y)) & not_above(splat(low_y), load(block, 104))
    return bits & not_above(load(block, 88), splat(high_z)) & not_above(splat(low_z), load(block, 112))


@inlined
def meet_box_of(block, rows, j, slack):
    """Return a bit mask of the triangles of a block whose boxes meet the box of triangle j of another block."""
    return triangles_in_box(
        block, rows[72 + j] - slack, rows[80 + j] - slack, rows[88 + j] - slack,
        rows[96 + j] + slack, rows[104 + j] + slack, rows[112 + j] + slack,
    )  # fmt: skip


@inlined
def _both_sides(a, b, c, width):
    """Return a bit mask of the lanes in which a, b, c are neither all above the width nor all below its negative."""
    return not_above(lower(lower(a, b), c), width) & not_above(-width, higher(higher(a, b), c))


@inlined
def lay_planes(block, slack, products, planes):
    """Write the normals and widths of the planes of a block of a, and the sizes of its triangles, to ``planes``."""
    px, py, pz = load(block, 0), load(block, 8), load(block, 16)
    ux, uy, uz = load(block, 24) - px, load(block, 32) - py, load(block, 40) - pz
    vx, vy, vz = load(block, 48) - px, load(block, 56) - py, load(block, 64) - pz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    e = higher(higher(abs(ux), abs(uy)), abs(uz))
    f = higher(higher(abs(vx), abs(vy)), abs(vz))
    store(planes, 0, nx)
    store(planes, 8, ny)
    store(planes, 16, nz)
    width = splat(slack) * (abs(nx) + abs(ny) + abs(nz)) + splat(products)
    store(planes, 24, width + splat(_DEFECT) * e * f * higher(e, f))
    more = splat(_THREE * slack)
    e, f = e + more, f + more
    off = splat(_SIX_OFF * slack)
    store(planes, 32, off * e * f + splat(products))
    store(planes, 40, off * (e + f) + splat(_ROUNDING) * e * f)
    size = higher(load(block, 96) - load(block, 72), load(block, 104) - load(block, 80))
    store(planes, 48, higher(size, load(block, 112) - load(block, 88)))


@inlined
def compare_with(block, planes, rows, j, bits, slack, products):
    """Compare triangle j of b with eight of a (``copy_leaf``, ``lay_planes``); ``bits`` are those whose boxes meet.

    Returns the bits of the triangles that certainly cross it, and of the triangles that the exact stage has to decide.
    """
    px, py, pz = rows[j], rows[8 + j], rows[16 + j]
    ux, uy, uz = rows[24 + j] - px, rows[32 + j] - py, rows[40 + j] - pz
    vx, vy, vz = rows[48 + j] - px, rows[56 + j] - py, rows[64 + j] - pz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    e, f = max(abs(ux), abs(uy), abs(uz)), max(abs(vx), abs(vy), abs(vz))
    width = slack * (abs(nx) + abs(ny) + abs(nz)) + products + _DEFECT * e * f * max(e, f)
    x, y, z = splat(px), splat(py), splat(pz)
    lx, ly, lz = splat(nx), splat(ny), splat(nz)
    s0 = lx * (load(block, 0) - x) + ly * (load(block, 8) - y) + lz * (load(block, 16) - z)
    s1 = lx * (load(block, 24) - x) + ly * (load(block, 32) - y) + lz * (load(block, 40) - z)
    s2 = lx * (load(block, 48) - x) + ly * (load(block, 56) - y) + lz * (load(block, 64) - z)
    bits &= _both_sides(s0, s1, s2, splat(width))
    if bits == 0:
        return bits, bits
    ax, ay, az = load(block, 0), load(block, 8), load(block, 16)
    lx, ly, lz = load(planes, 0), load(planes, 8), load(planes, 16)
    t0 = lx * (x - ax) + ly * (y - ay) + lz * (z - az)
    t1 = lx * (splat(rows[24 + j]) - ax) + ly * (splat(rows[32 + j]) - ay) + lz * (splat(rows[40 + j]) - az)
    t2 = lx * (splat(rows[48 + j]) - ax) + ly * (splat(rows[56 + j]) - ay) + lz * (splat(rows[64 + j]) - az)
    bits &= _both_sides(t0, t1, t2, load(planes, 24))
    if bits == 0:
        return bits, bits
    size_j = max(rows[96 + j] - rows[72 + j], rows[104 + j] - rows[80 + j], rows[112 + j] - rows[88 + j])
    size = splat(_MORE) * (load(planes, 48) + splat(size_j)) + splat(_FOUR * slack)
    e, f = e + _THREE * slack, f + _THREE * slack
    off = _SIX_OFF * slack
    sure_s = splat(off * e * f + products) + splat(off * (e + f) + _ROUNDING * e * f) * size
    sure_t = load(planes, 32) + load(planes, 40) * size
    sure = (splat(_EIGHTEEN_OFF * slack) + splat(_ROUNDING) * size) * size * size + splat(products)
    signs = _certain(s0, s1, s2, sure_s) & _certain(t0, t1, t2, sure_t)
    crossing, apart = _edges(block, rows, j, (s0, s1, s2), (t0, t1, t2), sure)
    crossing = bits_of(crossing & signs) & bits
    return crossing, bits & ~(crossing | bits_of(apart & signs))


@inlined
def _certain(a, b, c, width):
    """Return the mask of the lanes in which none of three numbers is within the width of zero."""
    return above(lower(lower(abs(a), abs(b)), abs(c)), width)


@inlined
def _alone(a, b, c):
    """Return masks: c is alone with its sign, b is, the lone one is positive, all have one sign. None may be zero."""
    zero = splat(np.float32(0.0))
    first, second, third = above(a, zero), above(b, zero), above(c, zero)
    last = ~(first ^ second)
    middle = ~(first ^ third) & ~last
    positive = (last & third) | (middle & second) | (first & ~(last | middle))
    return last, middle, positive, last & ~(first ^ third)


@inlined
def _renamed(last, middle, turned, p, q, r):
    """Return one coordinate of the lone corner and of the next two, exchanged if ``turned``."""
    lone = choose(last, r, choose(middle, q, p))
    second = choose(last, p, choose(middle, r, q))
    third = choose(last, q, choose(middle, p, r))
    return lone, choose(turned, third, second), choose(turned, second, third)


@inlined
def _edges(block, rows, j, s, t, width):
    """Return masks of the lanes that certainly cross, and that certainly do not, if all signs of s, t are certain."""
    last_a, middle_a, above_b, same_a = _alone(s[0], s[1], s[2])
    last_b, middle_b, above_a, same_b = _alone(t[0], t[1], t[2])
    ax, bx, cx = _renamed(last_a, middle_a, above_a, load(block, 0), load(block, 24), load(block, 48))
    ay, by, cy = _renamed(last_a, middle_a, above_a, load(block, 8), load(block, 32), load(block, 56))
    az, bz, cz = _renamed(last_a, middle_a, above_a, load(block, 16), load(block, 40), load(block, 64))
    px, qx, rx = _renamed(last_b, middle_b, above_b, splat(rows[j]), splat(rows[24 + j]), splat(rows[48 + j]))
    py, qy, ry = _renamed(last_b, middle_b, above_b, splat(rows[8 + j]), splat(rows[32 + j]), splat(rows[56 + j]))
    pz, qz, rz = _renamed(last_b, middle_b, above_b, splat(rows[16 + j]), splat(rows[40 + j]), splat(rows[64 + j]))
    px, py, pz = px - ax, py - ay, pz - az
    start = _determinant(px, py, pz, qx - ax, qy - ay, qz - az, bx - ax, by - ay, bz - az)
    end = _determinant(rx - ax, ry - ay, rz - az, px, py, pz, cx - ax, cy - ay, cz - az)
    apart = same_a | same_b | above(-width, lower(start, end))
    return above(lower(start, end), width) & ~(same_a | same_b), apart


@inlined
def _determinant(ax, ay, az, bx, by, bz, cx, cy, cz):
    return (ay * bz - az * by) * cx + (az * bx - ax * bz) * cy + (ax * by - ay * bx) * cz
