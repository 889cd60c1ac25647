"""Bounds of how far the contents of eight boxes extend along a direction: from the boxes, or from slabs between planes.

A box around a part of a smooth surface extends far along the surface's normal, but the part itself does not. Let m be a
vector for each box (its triangles' mean normal), and let m.y lie within ``half`` of ``mid`` for every point y in the
box, relative to the middle of the box, whose half extents are h. For any direction n and any number c

    n.y = c m.y + (n - c m).y <= c mid + |c| half + sum_i |n_i - c m_i| h_i

Here c = n.m, which makes the last term small if n is nearly the normal. The lower of this bound and the bound of the
box itself, sum_i |n_i| h_i, is used. The inequality is valid for every computed c and for every m of any length.
Evaluating it has rounding errors below 5 u of the last sum, as for a box, and 20 u |c| sum_i h_i (u is 2**-24), for
which ``half`` has been widened by 1e-5 sum_i h_i.

The eight children of a node take forty words: three rows of m, then mid and half. Without a normal all five are 0, and
the box alone counts.
"""

from ..jit import inlined
from .lanes import load, lower, splat

SLAB_WORDS = 40
"""Number of float32 numbers for the children of a node."""


@inlined
def slab_at(box):
    """Return the index of the slab of a child whose box begins at ``64 * node + child``; child is 0 for all eight."""
    return SLAB_WORDS * (box >> 6) + (box & 7)


@inlined
def reach_of_eight(slabs, at, x, y, z, u, v, w):
    """Return how far (Lanes [m]) along a direction eight boxes of half extents u, v, w reach from their middles."""
    nx, ny, nz = splat(x), splat(y), splat(z)
    mx, my, mz = load(slabs, at), load(slabs, at + 8), load(slabs, at + 16)
    c = nx * mx + ny * my + nz * mz
    slab = c * load(slabs, at + 24) + abs(c) * load(slabs, at + 32)
    slab = slab + (abs(nx - c * mx) * u + abs(ny - c * my) * v + abs(nz - c * mz) * w)
    return lower(slab, abs(nx) * u + abs(ny) * v + abs(nz) * w)


@inlined
def reach_of_one(slabs, at, x, y, z, u, v, w):
    """Return the extent of a single box along a direction from its centre, float32."""
    mx, my, mz = slabs[at], slabs[at + 8], slabs[at + 16]
    c = x * mx + y * my + z * mz
    slab = c * slabs[at + 24] + abs(c) * slabs[at + 32]
    slab += abs(x - c * mx) * u + abs(y - c * my) * v + abs(z - c * mz) * w
    box = abs(x) * u + abs(y) * v + abs(z) * w
    return slab if slab < box else box
