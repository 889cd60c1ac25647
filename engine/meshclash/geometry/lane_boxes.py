"""Find which of eight boxes may meet another box: float32 tests that never miss a contact, and their error bounds.

A contact is defined on float64 world coordinates. Let R, T be b's frame in a's (exact numbers), and map the world to
a's frame by the exact inverse of a's pose: triangles meet there if and only if they meet in the world. Call the corners
so mapped the *ideal* corners. They differ from R x + T and from x (x: coordinates relative to the hierarchy's origin)
by the rounding errors of float64 on the way, s64, which ``relative_pose.py`` bounds.

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

``slack`` = 64 u m + s64 covers all these errors, including its own sums, with a quarter to spare. Numbers too small for
float32 lose at most 1.2e-38 per operation, even if the processor flushes them to zero; 1e-36 is added to cover these
losses.

A box is dropped if its *margin* (sum of half extents minus distance of middles, least of six axes) is below zero;
rounding keeps the sign of a difference. If a number overflows to NaN, nothing is dropped.

Nodes are 64 words behind a pointer, as in ``hierarchy/wide_bvh.py``: lowest x of eight boxes, lowest y, lowest z,
highest x and so on. A single box is every eighth number from its lane on.
"""

import numpy as np

from ..jit import inlined
from .lanes import load, lower, splat
from .relative_pose import SLACK

_HALF = np.float32(0.5)


@inlined
def middle(nodes, at, axis):
    """Return the middles of the eight boxes of a node along an axis."""
    return (load(nodes, at + 8 * axis) + load(nodes, at + 24 + 8 * axis)) * splat(_HALF)


@inlined
def extent(nodes, at, axis):
    """Return the half extents of the eight boxes of a node along an axis."""
    return (load(nodes, at + 24 + 8 * axis) - load(nodes, at + 8 * axis)) * splat(_HALF)


@inlined
def turned(frame, row, x, y, z):
    """Return one component of eight rotated vectors; ``row`` is the first of three entries of the frame."""
    return splat(frame[row]) * x + splat(frame[row + 1]) * y + splat(frame[row + 2]) * z


@inlined
def turned_extent(frame, row, x, y, z):
    """Return the half extents along one axis of eight rotated boxes of half extents x, y, z."""
    return splat(abs(frame[row])) * x + splat(abs(frame[row + 1])) * y + splat(abs(frame[row + 2])) * z


@inlined
def component(frame, row, x, y, z):
    """Return one component of a rotated vector."""
    return frame[row] * x + frame[row + 1] * y + frame[row + 2] * z


@inlined
def component_extent(frame, row, x, y, z):
    """Return the half extent along one axis of a rotated box."""
    return abs(frame[row]) * x + abs(frame[row + 1]) * y + abs(frame[row + 2]) * z


@inlined
def box_size(nodes, at):
    """Return half the sum of the edges of a single box, float32 [m]."""
    low = nodes[at] + nodes[at + 8] + nodes[at + 16]
    return (nodes[at + 24] + nodes[at + 32] + nodes[at + 40] - low) * _HALF


@inlined
def margins_of_first(nodes, at, others, other, frame):
    """Return margins (Lanes [m]) between eight boxes of a's node and a single box of b's node."""
    slack = frame[SLACK]
    x, y, z = others[other], others[other + 8], others[other + 16]
    X, Y, Z = others[other + 24], others[other + 32], others[other + 40]
    cx, cy, cz = (x + X) * _HALF, (y + Y) * _HALF, (z + Z) * _HALF
    hx, hy, hz = (X - x) * _HALF, (Y - y) * _HALF, (Z - z) * _HALF
    ax, ay, az = extent(nodes, at, 0), extent(nodes, at, 1), extent(nodes, at, 2)
    dx = splat(component(frame, 0, cx, cy, cz) + frame[9]) - middle(nodes, at, 0)
    dy = splat(component(frame, 3, cx, cy, cz) + frame[10]) - middle(nodes, at, 1)
    dz = splat(component(frame, 6, cx, cy, cz) + frame[11]) - middle(nodes, at, 2)
    margin = splat(component_extent(frame, 0, hx, hy, hz) + slack) + ax - abs(dx)
    margin = lower(margin, splat(component_extent(frame, 3, hx, hy, hz) + slack) + ay - abs(dy))
    margin = lower(margin, splat(component_extent(frame, 6, hx, hy, hz) + slack) + az - abs(dz))
    return lower(
        margin,
        _margins_along_second(
            frame, (dx, dy, dz), (ax, ay, az), (splat(hx + slack), splat(hy + slack), splat(hz + slack))
        ),
    )


@inlined
def margins_of_second(nodes, at, others, other, frame):
    """Return margins between eight boxes of b's node and a single box of a's node."""
    slack = splat(frame[SLACK])
    x, y, z = others[other], others[other + 8], others[other + 16]
    X, Y, Z = others[other + 24], others[other + 32], others[other + 40]
    cx, cy, cz = middle(nodes, at, 0), middle(nodes, at, 1), middle(nodes, at, 2)
    hx, hy, hz = extent(nodes, at, 0), extent(nodes, at, 1), extent(nodes, at, 2)
    ax, ay, az = splat((X - x) * _HALF), splat((Y - y) * _HALF), splat((Z - z) * _HALF)
    dx = turned(frame, 0, cx, cy, cz) + splat(frame[9]) - splat((x + X) * _HALF)
    dy = turned(frame, 3, cx, cy, cz) + splat(frame[10]) - splat((y + Y) * _HALF)
    dz = turned(frame, 6, cx, cy, cz) + splat(frame[11]) - splat((z + Z) * _HALF)
    margin = turned_extent(frame, 0, hx, hy, hz) + slack + ax - abs(dx)
    margin = lower(margin, turned_extent(frame, 3, hx, hy, hz) + slack + ay - abs(dy))
    margin = lower(margin, turned_extent(frame, 6, hx, hy, hz) + slack + az - abs(dz))
    return lower(margin, _margins_along_second(frame, (dx, dy, dz), (ax, ay, az), (hx + slack, hy + slack, hz + slack)))


@inlined
def _margins_along_second(frame, difference, extents_a, extents_b):
    """Return margins along b's axes; ``extents_b`` include the slack."""
    dx, dy, dz = difference
    ax, ay, az = extents_a
    bx, by, bz = extents_b
    margin = bx + turned_extent(frame, 12, ax, ay, az) - abs(turned(frame, 12, dx, dy, dz))
    margin = lower(margin, by + turned_extent(frame, 15, ax, ay, az) - abs(turned(frame, 15, dx, dy, dz)))
    return lower(margin, bz + turned_extent(frame, 18, ax, ay, az) - abs(turned(frame, 18, dx, dy, dz)))
