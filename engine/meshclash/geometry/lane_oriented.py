"""Find which of eight oriented boxes may meet another oriented box: float32 tests that never drop a contact, and their
error bounds.

Notation as in ``lane_boxes.py``; boxes as in ``volumes/obb.py``: centre c, axes, half extents, each in a row of eight
lanes (``hierarchy/oriented.py``). A tree without oriented boxes is tested with its axis-aligned boxes. The eight boxes
stay in their object's frame; the single box is transformed into this frame. Then 15 axes are tested as in Gottschalk,
Lin, Manocha (1996).

The errors. Contents lie within E of the origin, so projections on a unit axis lie within e, the length of E, and the
centre, made of three projections, within 1.74 e. So the centres of both boxes and the shift have lengths of at most
7 m together. A component of their difference is off by 6.1 u times that, 43 u m; a component along a unit axis by
1.74 times as much, 74 u m + 1.74 s64; and in b's frame all lengths are at most 1.74 times as large: 130 u m. The
``slack`` of the frame, 64 u m + s64, times 3.5 covers that.

All other errors are relative to half extents and to the difference of the centres: entries of the matrix of both boxes'
axes are off by 15 u, 4 u of that because axes of float32 are not quite orthonormal; sums and products add 8 u; 64 u
cover them, and twice the deviation of the poses from orthonormal is added. Axes of two edges double everything, since
products of two entries are taken. Above the sizes at which products might overflow, no box is dropped.
"""

import numpy as np

from ..jit import inlined, inner
from .lane_boxes import component, extent, middle
from .lanes import load, lower, not_above, splat
from .relative_pose import PRODUCTS, SLACK

LOOSENESS = 64.0 * 2.0**-24
"""Errors relative to lengths, for orthonormal poses."""
_SLACKS = np.float32(3.5)
_TWO = np.float32(2.0)
_ONE, _ZERO, _HALF = np.float32(1.0), np.float32(0.0), np.float32(0.5)


@inner
def _single(nodes, box, oriented, at):
    """Return (centre, three axes, half extents) of a node's box: the oriented box, or the axis-aligned box if no
    oriented box exists (at < 0).
    """
    if at >= 0:
        return (
            (oriented[at], oriented[at + 8], oriented[at + 16]),
            (oriented[at + 24], oriented[at + 32], oriented[at + 40]),
            (oriented[at + 48], oriented[at + 56], oriented[at + 64]),
            (oriented[at + 72], oriented[at + 80], oriented[at + 88]),
            (oriented[at + 96], oriented[at + 104], oriented[at + 112]),
        )
    x, y, z = nodes[box], nodes[box + 8], nodes[box + 16]
    X, Y, Z = nodes[box + 24], nodes[box + 32], nodes[box + 40]
    return (
        ((x + X) * _HALF, (y + Y) * _HALF, (z + Z) * _HALF),
        (_ONE, _ZERO, _ZERO),
        (_ZERO, _ONE, _ZERO),
        (_ZERO, _ZERO, _ONE),
        ((X - x) * _HALF, (Y - y) * _HALF, (Z - z) * _HALF),
    )


@inlined
def _turned(frame, turn, v):
    return (
        component(frame, turn, v[0], v[1], v[2]),
        component(frame, turn + 3, v[0], v[1], v[2]),
        component(frame, turn + 6, v[0], v[1], v[2]),
    )


@inlined
def _along(axis, v):
    """Return the products of eight axes, as three rows of lanes, and one vector."""
    return axis[0] * splat(v[0]) + axis[1] * splat(v[1]) + axis[2] * splat(v[2])


@inlined
def _along_eight(axis, v):
    return axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]


@inner
def meet_oriented(nodes, node, oriented, at, others, other, oriented_one, at_one, frame, turn, shift, looseness):
    """Return a bit mask of the boxes, of eight, that may meet a single box.

    Args:
        nodes, node: the node of the eight boxes.
        oriented, at: the eight oriented boxes, and the index of those of the node; -1 without oriented boxes.
        others, other, oriented_one, at_one: these values for the lane of the single box.
        frame, turn, shift: the frame of two trees; where in it the rotation of the single box begins; its shift.
        looseness: errors relative to lengths, float32.
    """
    c, u, v, w, h = _single(others, other, oriented_one, at_one)
    c, u, v, w = _turned(frame, turn, c), _turned(frame, turn, u), _turned(frame, turn, v), _turned(frame, turn, w)
    tx, ty, tz = splat(c[0] + shift[0]), splat(c[1] + shift[1]), splat(c[2] + shift[2])
    b0, b1, b2 = splat(h[0]), splat(h[1]), splat(h[2])
    slack = splat(frame[SLACK] * _SLACKS + frame[PRODUCTS])
    if at >= 0:
        d = tx - load(oriented, at), ty - load(oriented, at + 8), tz - load(oriented, at + 16)
        p = load(oriented, at + 24), load(oriented, at + 32), load(oriented, at + 40)
        q = load(oriented, at + 48), load(oriented, at + 56), load(oriented, at + 64)
        r = load(oriented, at + 72), load(oriented, at + 80), load(oriented, at + 88)
        a0, a1, a2 = load(oriented, at + 96), load(oriented, at + 104), load(oriented, at + 112)
    else:
        one, none = splat(_ONE), splat(_ZERO)
        d = tx - middle(nodes, node, 0), ty - middle(nodes, node, 1), tz - middle(nodes, node, 2)
        p = one, none, none
        q = none, one, none
        r = none, none, one
        a0, a1, a2 = extent(nodes, node, 0), extent(nodes, node, 1), extent(nodes, node, 2)
    t0, t1, t2 = _along_eight(p, d), _along_eight(q, d), _along_eight(r, d)
    r00, r01, r02 = _along(p, u), _along(p, v), _along(p, w)
    r10, r11, r12 = _along(q, u), _along(q, v), _along(q, w)
    r20, r21, r22 = _along(r, u), _along(r, v), _along(r, w)
    s00, s01, s02 = abs(r00), abs(r01), abs(r02)
    s10, s11, s12 = abs(r10), abs(r11), abs(r12)
    s20, s21, s22 = abs(r20), abs(r21), abs(r22)
    more = splat(looseness) * (a0 + a1 + a2 + b0 + b1 + b2 + abs(t0) + abs(t1) + abs(t2)) + slack
    margin = a0 + b0 * s00 + b1 * s01 + b2 * s02 - abs(t0)
    margin = lower(margin, a1 + b0 * s10 + b1 * s11 + b2 * s12 - abs(t1))
    margin = lower(margin, a2 + b0 * s20 + b1 * s21 + b2 * s22 - abs(t2))
    margin = lower(margin, b0 + a0 * s00 + a1 * s10 + a2 * s20 - abs(t0 * r00 + t1 * r10 + t2 * r20))
    margin = lower(margin, b1 + a0 * s01 + a1 * s11 + a2 * s21 - abs(t0 * r01 + t1 * r11 + t2 * r21))
    margin = lower(margin, b2 + a0 * s02 + a1 * s12 + a2 * s22 - abs(t0 * r02 + t1 * r12 + t2 * r22))
    bits = not_above(splat(_ZERO), margin + more)
    if bits == 0:
        return bits
    margin = a1 * s20 + a2 * s10 + b1 * s02 + b2 * s01 - abs(t2 * r10 - t1 * r20)
    margin = lower(margin, a1 * s21 + a2 * s11 + b0 * s02 + b2 * s00 - abs(t2 * r11 - t1 * r21))
    margin = lower(margin, a1 * s22 + a2 * s12 + b0 * s01 + b1 * s00 - abs(t2 * r12 - t1 * r22))
    margin = lower(margin, a0 * s20 + a2 * s00 + b1 * s12 + b2 * s11 - abs(t0 * r20 - t2 * r00))
    margin = lower(margin, a0 * s21 + a2 * s01 + b0 * s12 + b2 * s10 - abs(t0 * r21 - t2 * r01))
    margin = lower(margin, a0 * s22 + a2 * s02 + b0 * s11 + b1 * s10 - abs(t0 * r22 - t2 * r02))
    margin = lower(margin, a0 * s10 + a1 * s00 + b1 * s22 + b2 * s21 - abs(t1 * r00 - t0 * r10))
    margin = lower(margin, a0 * s11 + a1 * s01 + b0 * s22 + b2 * s20 - abs(t1 * r01 - t0 * r11))
    margin = lower(margin, a0 * s12 + a1 * s02 + b0 * s21 + b1 * s20 - abs(t1 * r02 - t0 * r12))
    return bits & not_above(splat(_ZERO), margin + splat(_TWO) * more)
