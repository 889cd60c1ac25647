"""Lower bounds in float32 of the distances between eight boxes or triangles and another box or triangle, never above
the true distance.

In addition to the axes of both frames, the direction between the two nearest points known so far is tested: it
separates faces that face each other, for any orientation of the boxes. Along this direction, the extent of a box is
bounded by its slab (``lane_slabs.py``), and the extent of a triangle by its corners. Then eight boxes are tried along
the normal of the single box's slab. The triangles of two leaves are tested along the directions between the nearest
points of pairs measured before, because the neighbours of such a pair usually face the same way. Any direction gives a
valid bound.

The bounds of rounding are those of ``lane_boxes.py`` and ``lane_triangles.py``: along each axis of either frame, and
along a plane's normal times its length, the numbers computed here are off by no more than the slack of those files,
which is subtracted from every gap before it is squared. Squares and their sums round by less than 8 u; ``near_square``
allows for that, and for poses that shrink distances. Along a unit vector n, the errors of the components add up to less
than that slack times the sum of abs(n), their own rounding (8 u of the sizes) included. Two leaves' triangles are
compared along a direction without turning b's triangles: the vector in b's frame is off by 4 u, which with products and
sums makes 18 u M besides the 7 u M of the corners, so there the slack counts twice. All comparisons keep a lane whose
number is infinite or NaN.
"""

import numpy as np

from ..jit import inlined
from .lane_boxes import component, component_extent, extent, middle, turned, turned_extent
from .lane_slabs import reach_of_eight, reach_of_one, slab_at
from .lanes import higher, load, lower, not_above, splat, store
from .relative_pose import NARROW_LENGTH, SLACK

_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_TWICE = np.float32(2.0)
_LARGEST_SUM = np.float32(1.75)  # of the absolute components of a unit vector: slightly more than the square root of 3
_DEFECT = np.float32(24.0 * 2.0**-24 * 1.001)
_ALIKE = np.float32(0.99999)  # cosine above which two directions count as equal
_LEAST = 1e-36  # squares below this are lost to underflow

DIRECTION = NARROW_LENGTH
"""Entries of the frame after those of ``relative_pose.py``: a unit vector in a's frame, the sum of its absolute values,
and the opposite vector in b's frame; all zero if no direction is known."""
_SUM, _IN_B, _VECTOR = 3, 4, 8
DIRECTION_COUNT = 5
"""Number of stored directions: the direction between the nearest points, then directions between other measured points.
"""
_RECENT = DIRECTION + _VECTOR
_SLABS = DIRECTION + _VECTOR * DIRECTION_COUNT  # whether both sides have slabs
FRAME_LENGTH = _SLABS + 1

_HEIGHTS = 24  # numbers of a row: eight of a, eight of b, distance of their leaves
HEIGHT_ROWS = DIRECTION_COUNT + 3
"""Number of directions along which two leaves may be compared: the known directions, and some found in the meantime."""
HEIGHTS_LENGTH = HEIGHT_ROWS * _HEIGHTS


@inlined
def set_slabs(frame, known):
    """Store whether the nodes of both sides have slabs."""
    frame[_SLABS] = np.float32(1.0) if known else _ZERO


@inlined
def forget_directions(frame):
    """Set all directions to zero."""
    for entry in range(DIRECTION, FRAME_LENGTH):
        frame[entry] = _ZERO


@inlined
def direction_entry(k):
    """Return the index in the frame of direction number k."""
    return DIRECTION + _VECTOR * k


@inlined
def is_direction(frame, at):
    """Return whether an entry holds a known direction."""
    return frame[at + _SUM] > _ZERO


@inlined
def set_direction(frame, x, y, z):
    """Set the direction between the nearest points, a unit vector in a's frame, or zero; the previous direction is
    kept.

    The previous direction is stored by ``note_direction``.
    """
    before = frame[DIRECTION], frame[DIRECTION + 1], frame[DIRECTION + 2]
    _set_vector(frame, DIRECTION, np.float32(x), np.float32(y), np.float32(z))
    note_direction(frame, *before)


@inlined
def note_direction(frame, x, y, z):
    """Store a direction between measured points, as in ``set_direction``; return whether the direction is new.

    A direction is not stored if it is zero, or nearly equal to the direction between the nearest points or to the
    newest other direction.
    """
    x, y, z = np.float32(x), np.float32(y), np.float32(z)
    if x * x + y * y + z * z < _HALF or _is_like(frame, DIRECTION, x, y, z) or _is_like(frame, _RECENT, x, y, z):
        return False
    for k in range(FRAME_LENGTH - 2, _RECENT + _VECTOR - 1, -1):
        frame[k] = frame[k - _VECTOR]
    _set_vector(frame, _RECENT, x, y, z)
    return True


@inlined
def _set_vector(frame, at, x, y, z):
    frame[at], frame[at + 1], frame[at + 2] = x, y, z
    frame[at + _SUM] = abs(x) + abs(y) + abs(z)
    frame[at + _IN_B] = -component(frame, 12, x, y, z)
    frame[at + _IN_B + 1] = -component(frame, 15, x, y, z)
    frame[at + _IN_B + 2] = -component(frame, 18, x, y, z)


@inlined
def _is_like(frame, at, x, y, z):
    """Return whether a direction equals that of an entry within a quarter of a degree; True for NaN, too."""
    return not (frame[at] * x + frame[at + 1] * y + frame[at + 2] * z < _ALIKE)


@inlined
def _along_direction(frame, dx, dy, dz, reach):
    """Return squared gaps along the direction between boxes, given the distances of their middles and their reaches."""
    return _squared(turned(frame, DIRECTION, dx, dy, dz) - (reach + splat(frame[DIRECTION + _SUM] * frame[SLACK])))


@inlined
def _eight_along(frame, vector, slabs, at, u, v, w):
    """Return how far eight boxes reach along a vector of the frame."""
    if frame[_SLABS] == _ZERO:
        return turned_extent(frame, vector, u, v, w)
    return reach_of_eight(slabs, slab_at(at), frame[vector], frame[vector + 1], frame[vector + 2], u, v, w)


@inlined
def _one_along(frame, vector, slabs, at, u, v, w):
    """Return how far a single box reaches along a vector of the frame."""
    if frame[_SLABS] == _ZERO:
        return splat(component_extent(frame, vector, u, v, w))
    return splat(reach_of_one(slabs, slab_at(at), frame[vector], frame[vector + 1], frame[vector + 2], u, v, w))


@inlined
def near_square(limit, shrink):
    """Return the squared gap in a's frame beyond which objects are farther apart than ``limit`` [m] in the world,
    float32.
    """
    length = limit / shrink
    return np.float32(length * length * 1.00001 + _LEAST)


@inlined
def _squared(gap):
    """Return the square of a gap, 0 for a negative gap."""
    gap = higher(gap, splat(_ZERO))
    return gap * gap


@inlined
def _single(nodes, at):
    """Return centre and half extents of a single box, as ``lane_boxes.py`` stores it."""
    x, y, z = nodes[at], nodes[at + 8], nodes[at + 16]
    X, Y, Z = nodes[at + 24], nodes[at + 32], nodes[at + 40]
    return (x + X) * _HALF, (y + Y) * _HALF, (z + Z) * _HALF, (X - x) * _HALF, (Y - y) * _HALF, (Z - z) * _HALF


@inlined
def _turned_normal(frame, vectors, x, y, z):
    """Return a single vector, rotated by entries of the frame."""
    return (
        component(frame, vectors, x, y, z),
        component(frame, vectors + 3, x, y, z),
        component(frame, vectors + 6, x, y, z),
    )


@inlined
def _across_one(frame, slabs, at, beyond, x, y, z, u, v, w):
    """Return squared gaps along the normal m of a single box's slab: eight boxes of half extents u, v, w and the slab.

    ``beyond`` is the distance along m of the middles of the eight from its middle; x, y, z is m in the frame of the
    eight.
    """
    slab = slab_at(at)
    reach = splat(abs(x)) * u + splat(abs(y)) * v + splat(abs(z)) * w
    return _squared(
        abs(beyond - splat(slabs[slab + 24])) - (reach + splat(slabs[slab + 32] + _LARGEST_SUM * frame[SLACK]))
    )


@inlined
def _on_axes_of_eight(frame, vectors, dx, dy, dz, hx, hy, hz, u, v, w):
    """Return squared gaps along the axes of eight boxes.

    dx, dy, dz are the distances along these axes of their middles from that of the single box. ``vectors`` are the
    entries of the frame that turn the axes of the single box.
    """
    slack = frame[SLACK]
    square = _squared(abs(dx) - (hx + splat(component_extent(frame, vectors, u, v, w) + slack)))
    square = square + _squared(abs(dy) - (hy + splat(component_extent(frame, vectors + 3, u, v, w) + slack)))
    return square + _squared(abs(dz) - (hz + splat(component_extent(frame, vectors + 6, u, v, w) + slack)))


@inlined
def _on_axes_of_one(frame, vectors, dx, dy, dz, hx, hy, hz, u, v, w):
    """Like ``_on_axes_of_eight``, along the axes of the single box; ``vectors`` transform the axes of the eight
    boxes.
    """
    slack = frame[SLACK]
    square = _squared(abs(dx) - (turned_extent(frame, vectors, hx, hy, hz) + splat(u + slack)))
    square = square + _squared(abs(dy) - (turned_extent(frame, vectors + 3, hx, hy, hz) + splat(v + slack)))
    return square + _squared(abs(dz) - (turned_extent(frame, vectors + 6, hx, hy, hz) + splat(w + slack)))


@inlined
def gaps_of_first(nodes, slabs, at, others, other_slabs, other, frame, near, mask):
    """Return squared gaps (Lanes [m2]) between eight boxes of a's node and a single box of b's node.

    If the direction alone leaves no box of ``mask`` (bits) within ``near``, only the gaps along the direction are
    returned.
    """
    return _gaps(nodes, slabs, at, others, other_slabs, other, frame, near, mask, True)


@inlined
def gaps_of_second(nodes, slabs, at, others, other_slabs, other, frame, near, mask):
    """Like ``gaps_of_first``, between eight boxes of b's node and a single box of a's node."""
    return _gaps(nodes, slabs, at, others, other_slabs, other, frame, near, mask, False)


@inlined
def _gaps(nodes, slabs, at, others, other_slabs, other, frame, near, mask, eight_are_a):
    """Code shared by ``gaps_of_first`` and ``gaps_of_second``, in a's frame; ``eight_are_a`` is a constant when this is
    compiled.
    """
    x, y, z, u, v, w = _single(others, other)
    hx, hy, hz = extent(nodes, at, 0), extent(nodes, at, 1), extent(nodes, at, 2)
    cx, cy, cz = middle(nodes, at, 0), middle(nodes, at, 1), middle(nodes, at, 2)
    if eight_are_a:
        along_eight, along_one = DIRECTION, DIRECTION + _IN_B
        dx = splat(component(frame, 0, x, y, z) + frame[9]) - cx
        dy = splat(component(frame, 3, x, y, z) + frame[10]) - cy
        dz = splat(component(frame, 6, x, y, z) + frame[11]) - cz
    else:
        along_eight, along_one = DIRECTION + _IN_B, DIRECTION
        dx = turned(frame, 0, cx, cy, cz) + splat(frame[9]) - splat(x)
        dy = turned(frame, 3, cx, cy, cz) + splat(frame[10]) - splat(y)
        dz = turned(frame, 6, cx, cy, cz) + splat(frame[11]) - splat(z)
    along = splat(_ZERO)
    if frame[DIRECTION + _SUM] > _ZERO:
        reach = _eight_along(frame, along_eight, slabs, at, hx, hy, hz)
        reach = reach + _one_along(frame, along_one, other_slabs, other, u, v, w)
        along = _along_direction(frame, dx, dy, dz, reach)
        if not_above(along, splat(near)) & mask == 0:
            return along
    if frame[_SLABS] > _ZERO:
        k = slab_at(other)
        mx, my, mz = other_slabs[k], other_slabs[k + 8], other_slabs[k + 16]
        if eight_are_a:
            mx, my, mz = _turned_normal(frame, 0, mx, my, mz)
            beyond = -(splat(mx) * dx + splat(my) * dy + splat(mz) * dz)
        else:
            beyond = splat(mx) * dx + splat(my) * dy + splat(mz) * dz
            mx, my, mz = _turned_normal(frame, 12, mx, my, mz)
        along = higher(along, _across_one(frame, other_slabs, other, beyond, mx, my, mz, hx, hy, hz))
    if eight_are_a:
        first = _on_axes_of_eight(frame, 0, dx, dy, dz, hx, hy, hz, u, v, w)
    else:
        first = _on_axes_of_one(frame, 0, dx, dy, dz, hx, hy, hz, u, v, w)
    first = higher(along, first)
    if not_above(first, splat(near)) & mask == 0:
        return first
    bx, by, bz = turned(frame, 12, dx, dy, dz), turned(frame, 15, dx, dy, dz), turned(frame, 18, dx, dy, dz)
    if eight_are_a:
        second = _on_axes_of_one(frame, 12, bx, by, bz, hx, hy, hz, u, v, w)
    else:
        second = _on_axes_of_eight(frame, 12, bx, by, bz, hx, hy, hz, u, v, w)
    return higher(first, second)


@inlined
def near_box_of(block, rows, j, slack, near):
    """Return a bit mask of the triangles of a block whose boxes are near the box of triangle j of another block."""
    square = splat(_ZERO)
    for axis in range(3):
        low, high = splat(rows[72 + 8 * axis + j] - slack), splat(rows[96 + 8 * axis + j] + slack)
        gap = higher(low - load(block, 96 + 8 * axis), load(block, 72 + 8 * axis) - high)
        square = square + _squared(gap)
    return not_above(square, splat(near))


@inlined
def _corner_heights(coordinates, at, count, frame, vector):
    """Return the heights of the three corners of the triangles of a leaf along a vector of the frame."""
    a = turned(frame, vector, load(coordinates, at), load(coordinates, at + count), load(coordinates, at + 2 * count))
    at += 3 * count
    b = turned(frame, vector, load(coordinates, at), load(coordinates, at + count), load(coordinates, at + 2 * count))
    at += 3 * count
    c = turned(frame, vector, load(coordinates, at), load(coordinates, at + count), load(coordinates, at + 2 * count))
    return a, b, c


@inlined
def lay_heights(
    coordinates_a, at_a, count_a, coordinates_b, at_b, count_b, frame, vector, shift, slack, heights, row, near
):
    """Write the extents of the triangles of a leaf of a along a direction, and those of a leaf of b against it.

    The reaches are relative to the corners of their leaves. ``vector`` is the direction's entry in the frame; the other
    arguments are those of ``copy_leaf`` and ``turn_leaf``. Fills a row of the heights: two groups of eight, then the
    distance of those corners. Returns bits of the triangles of b that come near any of a's.
    """
    apart = component(frame, vector, shift[0], shift[1], shift[2]) - _TWICE * frame[vector + _SUM] * slack
    at = _HEIGHTS * row
    heights[at + 16] = apart
    a, b, c = _corner_heights(coordinates_a, at_a, count_a, frame, vector)
    store(heights, at, higher(higher(a, b), c))
    highest = heights[at]
    for k in range(1, count_a):
        highest = max(highest, heights[at + k])
    a, b, c = _corner_heights(coordinates_b, at_b, count_b, frame, vector + _IN_B)
    tops = higher(higher(a, b), c)
    store(heights, at + 8, tops)
    return not_above(_squared(splat(apart - highest) - tops), splat(near)) & ((1 << count_b) - 1)


@inlined
def near_in_heights(heights, rows, j, near):
    """Return a bit mask of the triangles of a's leaf that are near triangle j of b's, along the directions of the
    rows.
    """
    square = splat(_ZERO)
    for row in range(rows):
        at = _HEIGHTS * row
        square = higher(square, _squared(splat(heights[at + 16] - heights[at + 8 + j]) - load(heights, at)))
    return not_above(square, splat(near))


@inlined
def _beyond(a, b, c, width, near, normal_square):
    """Return a bit mask of the lanes in which a, b, c do not all lie on one side of zero, farther from it than the
    width and ``near``.
    """
    gap = higher(lower(lower(a, b), c), -higher(higher(a, b), c)) - width
    return not_above(_squared(gap), near * normal_square)


@inlined
def near_plane_of(block, rows, j, slack, products, near):
    """Return a bit mask of the triangles of a block that are near the plane of triangle j of another block."""
    px, py, pz = rows[j], rows[8 + j], rows[16 + j]
    ux, uy, uz = rows[24 + j] - px, rows[32 + j] - py, rows[40 + j] - pz
    vx, vy, vz = rows[48 + j] - px, rows[56 + j] - py, rows[64 + j] - pz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    longest_u = max(abs(ux), abs(uy), abs(uz))
    longest_v = max(abs(vx), abs(vy), abs(vz))
    width = slack * (abs(nx) + abs(ny) + abs(nz)) + products
    width += _DEFECT * longest_u * longest_v * max(longest_u, longest_v)
    x, y, z = splat(px), splat(py), splat(pz)
    lx, ly, lz = splat(nx), splat(ny), splat(nz)
    a = lx * (load(block, 0) - x) + ly * (load(block, 8) - y) + lz * (load(block, 16) - z)
    b = lx * (load(block, 24) - x) + ly * (load(block, 32) - y) + lz * (load(block, 40) - z)
    c = lx * (load(block, 48) - x) + ly * (load(block, 56) - y) + lz * (load(block, 64) - z)
    return _beyond(a, b, c, splat(width), splat(near), splat(nx * nx + ny * ny + nz * nz))


@inlined
def have_plane_near(block, rows, j, slack, products, near):
    """Return a bit mask of the triangles of a block whose planes are near triangle j of another block."""
    px, py, pz = load(block, 0), load(block, 8), load(block, 16)
    ux, uy, uz = load(block, 24) - px, load(block, 32) - py, load(block, 40) - pz
    vx, vy, vz = load(block, 48) - px, load(block, 56) - py, load(block, 64) - pz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    longest_u = higher(higher(abs(ux), abs(uy)), abs(uz))
    longest_v = higher(higher(abs(vx), abs(vy)), abs(vz))
    width = splat(slack) * (abs(nx) + abs(ny) + abs(nz)) + splat(products)
    width = width + splat(_DEFECT) * longest_u * longest_v * higher(longest_u, longest_v)
    a = nx * (splat(rows[j]) - px) + ny * (splat(rows[8 + j]) - py) + nz * (splat(rows[16 + j]) - pz)
    b = nx * (splat(rows[24 + j]) - px) + ny * (splat(rows[32 + j]) - py) + nz * (splat(rows[40 + j]) - pz)
    c = nx * (splat(rows[48 + j]) - px) + ny * (splat(rows[56 + j]) - py) + nz * (splat(rows[64 + j]) - pz)
    return _beyond(a, b, c, width, splat(near), nx * nx + ny * ny + nz * nz)
