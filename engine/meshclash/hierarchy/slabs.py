"""Slabs of a hierarchy of boxes (see ``geometry/lane_slabs.py``), computed after enough distance queries.

Computing the slabs takes about as long as testing as many boxes as there are triangles. So the slabs are computed once
distance queries have made this number of tests: a single query, or a mesh that deforms in every frame, never computes
them.

They are computed bottom up: the slab of a leaf contains its triangles, that of an inner node contains the intersections
of the slabs and boxes of its children. The mean normals are weighted by area. A node takes 160 bytes, about 6 bytes per
triangle.
"""

import math

import numpy as np

from ..geometry.lane_boxes import extent, middle
from ..geometry.lane_slabs import SLAB_WORDS, reach_of_eight
from ..geometry.lanes import floats, higher, integers, load, lower, splat, store
from ..jit import inlined, inner, kernel
from .bvh import TreeParts
from .wide_bvh import CHILD_COUNT, CHILDREN, LANE_COUNT, NODE_WORDS

_SCRATCH = 3 * LANE_COUNT
_WIDENED = np.float32(1e-5)  # relative to the half extents: covers rounding errors here and in queries
_LEAST = np.float32(1e-36)  # covers the underflow of products in float32
_HALF = np.float32(0.5)


def slabs_of(parts: TreeParts) -> np.ndarray:
    """Return the slabs of a tree with an 8-wide form, (n, 40) float32, a row per 8-wide node; cached with its parts."""
    if "slabs" not in parts.derived:
        wide = parts.wide
        assert wide is not None
        slabs = np.zeros((len(wide.nodes), SLAB_WORDS), np.float32)
        _lay_slabs(wide.nodes, wide.coordinates, np.empty((len(slabs) + 1, 3)), np.empty(_SCRATCH, np.float32), slabs)
        parts.derived["slabs"] = slabs
    return parts.derived["slabs"]


def note_tests(parts: TreeParts, volume_tests: float) -> None:
    """Add the number of volume tests of a distance query to the usage of a tree."""
    parts.derived["near tests"] = parts.derived.get("near tests", 0.0) + volume_tests


def slabs_after_use(parts: TreeParts) -> np.ndarray | None:
    """Return the slabs of a tree if they exist or the tree was used enough to compute them; otherwise None."""
    ready = "slabs" in parts.derived or parts.derived.get("near tests", 0.0) >= parts.mesh.triangle_count
    return slabs_of(parts) if ready else None


@inlined
def _corner(coordinates, at, count):
    return load(coordinates, at), load(coordinates, at + count), load(coordinates, at + 2 * count)


@inner
def _leaf_normal(coordinates, at, count, spare, normal):
    """Write the sum of the normals of a leaf's triangles, each with the length of twice the area, to ``normal``."""
    px, py, pz = _corner(coordinates, at, count)
    qx, qy, qz = _corner(coordinates, at + 3 * count, count)
    rx, ry, rz = _corner(coordinates, at + 6 * count, count)
    ux, uy, uz, vx, vy, vz = qx - px, qy - py, qz - pz, rx - px, ry - py, rz - pz
    store(spare, 0, uy * vz - uz * vy)
    store(spare, 8, uz * vx - ux * vz)
    store(spare, 16, ux * vy - uy * vx)
    for axis in range(3):
        total = 0.0
        for k in range(count):
            total += spare[8 * axis + k]
        normal[axis] = total


@inner
def _leaf_range(coordinates, at, count, slabs, slab, spare):
    """Return the (lowest, highest) height of a leaf's corners along the slab's normal, from the box's lowest corner."""
    for corner in range(3):
        x, y, z = _corner(coordinates, at + 3 * corner * count, count)
        height = splat(slabs[slab]) * x + splat(slabs[slab + 8]) * y + splat(slabs[slab + 16]) * z
        store(spare, 0, height if corner == 0 else lower(load(spare, 0), height))
        store(spare, 8, height if corner == 0 else higher(load(spare, 8), height))
    return _range(spare, count)


@inner
def _inner_range(nodes, child, count, x, y, z, slabs, slab, spare):
    """Return the (lowest, highest) height of a node along the slab's normal from a point, from the slabs and boxes of
    its children.
    """
    at, h = NODE_WORDS * child, SLAB_WORDS * child
    mx, my, mz = slabs[slab], slabs[slab + 8], slabs[slab + 16]
    u, v, w = extent(nodes, at, 0), extent(nodes, at, 1), extent(nodes, at, 2)
    dx, dy, dz = middle(nodes, at, 0) - splat(x), middle(nodes, at, 1) - splat(y), middle(nodes, at, 2) - splat(z)
    height = splat(mx) * dx + splat(my) * dy + splat(mz) * dz
    store(spare, 0, height - reach_of_eight(slabs, h, -mx, -my, -mz, u, v, w))
    store(spare, 8, height + reach_of_eight(slabs, h, mx, my, mz, u, v, w))
    return _range(spare, count)


@inlined
def _range(spare, count):
    low, high = spare[0], spare[8]
    for k in range(1, count):
        low, high = min(low, spare[k]), max(high, spare[8 + k])
    return low, high


@inlined
def _set_unit(normal, slabs, slab):
    """Write the unit vector along a sum of normals; return False if the sum is zero."""
    size = max(abs(normal[0]), abs(normal[1]), abs(normal[2]))
    if not 0.0 < size < math.inf:
        return False
    x, y, z = normal[0] / size, normal[1] / size, normal[2] / size
    length = math.sqrt(x * x + y * y + z * z)
    slabs[slab] = np.float32(x / length)
    slabs[slab + 8] = np.float32(y / length)
    slabs[slab + 16] = np.float32(z / length)
    return True


@kernel
def _lay_slabs(nodes_array, coordinates_array, normals, scratch, slabs_array):
    """Fill the slabs, which must be 0 at first; ``normals`` (n + 1, 3) float64 gets the sum of normals of each node."""
    nodes, words = floats(nodes_array.ctypes.data), integers(nodes_array.ctypes.data)
    coordinates, spare = floats(coordinates_array.ctypes.data), floats(scratch.ctypes.data)
    slabs = floats(slabs_array.ctypes.data)
    last = nodes_array.shape[0] - 1
    for step in range(last + 1):
        node = last - 1 - step if step < last else last  # last: the node whose child is the root
        normals[node] = 0.0
        for k in range(words[NODE_WORDS * node + CHILD_COUNT]):
            box, slab = NODE_WORDS * node + k, SLAB_WORDS * node + k
            child = np.int64(words[box + CHILDREN])
            at, count = 9 * (~child >> 3), (~child & 7) + 1
            own = normals[last + 1] if child < 0 else normals[child]
            if child < 0:
                _leaf_normal(coordinates, at, count, spare, own)
            for axis in range(3):
                normals[node, axis] += own[axis]
            if not _set_unit(own, slabs, slab):
                continue
            x = (nodes[box] + nodes[box + 24]) * _HALF
            y = (nodes[box + 8] + nodes[box + 32]) * _HALF
            z = (nodes[box + 16] + nodes[box + 40]) * _HALF
            if child < 0:
                low, high = _leaf_range(coordinates, at, count, slabs, slab, spare)
                begin = (
                    slabs[slab] * (nodes[box] - x)
                    + slabs[slab + 8] * (nodes[box + 8] - y)
                    + slabs[slab + 16] * (nodes[box + 16] - z)
                )
                low, high = low + begin, high + begin
            else:
                count = np.int64(words[NODE_WORDS * child + CHILD_COUNT])
                low, high = _inner_range(nodes, child, count, x, y, z, slabs, slab, spare)
            size = (nodes[box + 24] - x) + (nodes[box + 32] - y) + (nodes[box + 40] - z)
            slabs[slab + 24] = (low + high) * _HALF
            slabs[slab + 32] = (high - low) * _HALF + _WIDENED * size + _LEAST
