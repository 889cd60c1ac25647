"""Posed objects and a tree over their boxes, in which a ray finds the objects that it may meet, the nearest first.

The tree of n objects is a heap of 2 n boxes: node 1 is the root, node i has the children 2 i and 2 i + 1, and the nodes
from n on are the objects, sorted along a Morton curve. The tree is made for each call from the current poses, which
takes about a millisecond for thousands of objects. So there is nothing to update when objects move.

A ray is o + s g in world coordinates, where the largest component of g is 1. Boxes are enlarged by ``_MARGIN`` times
the largest coordinate of the ray's origin and of all boxes. This covers all rounding errors, and the displacement of
the ray by ``part_in_box``.
"""

import math
from typing import NamedTuple

import numpy as np

from ..broadphase.sweep import world_boxes
from ..geometry.lane_rays import reciprocal
from ..jit import inner
from ..types.pose import inverse_rotations
from .forest import TreeSet
from .rays import part_in_box

_MARGIN = 1e-9
_LEAST = 2.0**-1000
_BITS = 20
"""Bits of the Morton code for each axis."""
STACK_SIZE = 64
"""More than the depth of any tree: one node waits at each level."""


class PosedObjects(NamedTuple):
    """Input of a kernel: n objects and the tree over their boxes."""

    trees: np.ndarray
    """The tree of each object, (n,) int64."""
    poses: np.ndarray
    """(n, 3, 4)"""
    inverses: np.ndarray
    """Inverses of the rotations, (n, 3, 3)."""
    origins: np.ndarray
    """Origin of each tree, (trees, 3) [m]."""
    reaches: np.ndarray
    """Largest absolute coordinates of each tree, (trees, 3) [m]."""
    boxes: np.ndarray
    """Lowest and highest corners of the heap's boxes in world coordinates, (2 n, 6) [m]. Row 0 is not used."""
    order: np.ndarray
    """The object at each node from n on, (n,) int64."""
    largest: np.ndarray
    """Largest absolute coordinate of all boxes, (1,) [m]."""


class Waiting(NamedTuple):
    """The stack of a search; passed by reference, because counting references took a tenth of the time of a ray."""

    nodes: np.ndarray
    """(STACK_SIZE,) int64."""
    entries: np.ndarray
    """Where the ray enters their boxes, (STACK_SIZE,) float64."""


class WorldRay(NamedTuple):
    """A ray in the tree over the objects."""

    o: tuple[float, float, float]
    g: tuple[float, float, float]
    ways: tuple[float, float, float]
    """1 / g"""
    stretch: float
    """Length of g."""
    margin: float
    """[m]: by how much boxes are enlarged."""


def posed_objects(tree_set: TreeSet, rows: np.ndarray, trees: np.ndarray) -> PosedObjects:
    """Return the objects with the given poses (n, 3, 4) and trees (n,), n > 0."""
    n = len(rows)
    poses = np.array(rows)  # a copy: for a read-only array, kernels would be compiled again
    inverses = np.ascontiguousarray(inverse_rotations(poses))  # one layout for any number of objects
    boxes, order = np.zeros((2 * n, 6)), np.zeros(n, np.int64)
    if n > 1:
        bounds = np.array([part.mesh.bounds for part in tree_set.parts])[trees]
        placed = world_boxes(bounds, poses, 0.0)
        deepest = 1 << (n - 1).bit_length()  # the nodes of the last level come first along the curve
        leaves = np.concatenate([np.arange(min(deepest, 2 * n), 2 * n), np.arange(n, min(deepest, 2 * n))])
        order[leaves - n] = _along_curve(placed)
        boxes[n:] = placed[order]
        level = deepest >> 1
        while level:
            last = min(2 * level, n)
            pairs = boxes[2 * level : 2 * last].reshape(-1, 2, 6)
            boxes[level:last, :3], boxes[level:last, 3:] = pairs[:, :, :3].min(axis=1), pairs[:, :, 3:].max(axis=1)
            level >>= 1
    largest = np.abs(boxes).max(keepdims=True).ravel()
    return PosedObjects(
        trees.astype(np.int64), poses, inverses, tree_set.origins, tree_set.reaches, boxes, order, largest
    )


def _along_curve(boxes: np.ndarray) -> np.ndarray:
    """Return the order (n,) of boxes (n, 6) along a Morton curve through their centres."""
    centres = 0.5 * boxes[:, :3] + 0.5 * boxes[:, 3:]
    centres -= centres.min(axis=0)
    scale = max(float(centres.max()), _LEAST)
    cells = (centres / scale * ((1 << _BITS) - 1)).astype(np.uint64)
    codes = np.zeros(len(boxes), np.uint64)
    for bit in range(_BITS):
        for axis in range(3):
            codes |= (cells[:, axis] >> np.uint64(bit) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return np.argsort(codes, kind="stable")


@inner
def world_ray(objects, o, d):
    """Return the ray from o along d, which is not zero; ``objects`` by reference. One object has no tree."""
    if objects.order.shape[0] == 1:
        return WorldRay(o, d, d, 1.0, math.inf)
    longest = max(abs(d[0]), abs(d[1]), abs(d[2]))
    g = (d[0] / longest, d[1] / longest, d[2] / longest)
    size = max(objects.largest[0], abs(o[0]), abs(o[1]), abs(o[2]))
    stretch = math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
    ways = (reciprocal(g[0]), reciprocal(g[1]), reciprocal(g[2]))
    return WorldRay(o, g, ways, stretch, _MARGIN * size + _LEAST)


@inner
def push_nearest_last(objects, ray, node, waiting, used):
    """Push the children of a node whose boxes the ray meets, the nearest on top; return the new stack size."""
    left, right = 2 * node, 2 * node + 1
    nodes, entries = waiting.nodes, waiting.entries
    begin, end = part_in_box(objects.boxes, left, ray.o, ray.g, ray.ways, ray.margin)
    other_begin, other_end = part_in_box(objects.boxes, right, ray.o, ray.g, ray.ways, ray.margin)
    if begin <= end and other_begin <= other_end and begin <= other_begin:
        nodes[used], entries[used] = right, other_begin
        nodes[used + 1], entries[used + 1] = left, begin
        return used + 2
    if begin <= end:
        nodes[used], entries[used] = left, begin
        used += 1
    if other_begin <= other_end:
        nodes[used], entries[used] = right, other_begin
        used += 1
    return used


@inner
def is_beyond(ray, entry, limit):
    """Return whether a box that the ray enters at s = ``entry`` is certainly farther away than a limit [m]."""
    return entry > limit / ray.stretch * (1.0 + _MARGIN) + ray.margin
