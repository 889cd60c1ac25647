"""Fit the volumes of a tree: either bottom up from points and children, or each volume to all its points at once."""

from collections.abc import Callable, Generator
from functools import cache

import numpy as np

from ..jit import inner, kernel
from ..volumes.registry import volume_named
from .bvh import Tree
from .ranges import SLICE


@cache
def _growing_kernel(clear: Callable, extend: Callable, merge: Callable) -> Callable:
    """Compile the kernel for volumes that grow: leaves from the vertices of triangles, inner nodes from children.

    The kernel fits the nodes below ``end``, last one first. It stops after ``most`` nodes and triangles and returns the
    index of the last node that it fitted.
    """

    def fit(end, most, first, count, order, vertices, triangles, origin, volumes):
        seen = 0
        node = end
        while node > 0 and seen < most:
            node -= 1
            begin = first[node]
            seen += 1 + count[node]
            if count[node] == 0:
                merge(volumes[node], volumes[begin], volumes[begin + 1])
                continue
            clear(volumes[node])
            for entry in range(begin, begin + count[node]):
                for corner in range(3):
                    v = triangles[order[entry], corner]
                    extend(
                        volumes[node],
                        vertices[v, 0] - origin[0],
                        vertices[v, 1] - origin[1],
                        vertices[v, 2] - origin[2],
                    )
        return node

    return kernel(fit)


@kernel
def corners_in_order(order, vertices, triangles, origin, corners):
    """Fill ``corners`` with the corners of the triangles in the order of the leaves, relative to the origin."""
    for entry in range(order.shape[0]):
        for corner in range(3):
            v = triangles[order[entry], corner]
            for k in range(3):
                corners[3 * entry + corner, k] = vertices[v, k] - origin[k]


@inner
def put_range(node, first, count, ranges):
    """Store the first entry of a node's triangles in the order of the leaves, and the entry past the last one.

    Children are stored before their parents. ``ranges`` is (nodes, 2) int64.
    """
    begin = np.int64(first[node])
    if count[node] == 0:
        ranges[node, 0] = min(ranges[begin, 0], ranges[begin + 1, 0])
        ranges[node, 1] = max(ranges[begin, 1], ranges[begin + 1, 1])
    else:
        ranges[node, 0] = begin
        ranges[node, 1] = begin + count[node]


@cache
def _fitting_kernel(fit: Callable) -> Callable:
    """Compile the kernel for volumes that are fitted at once: each node to all its triangles, which are contiguous.

    The kernel continues from ``end`` like the growing kernel, and counts the triangles of each node.
    """

    def fit_nodes(end, most, first, count, corners, ranges, volumes):
        seen = 0
        node = end
        while node > 0 and seen < most:
            node -= 1
            put_range(node, first, count, ranges)
            seen += ranges[node, 1] - ranges[node, 0]
            fit(corners[3 * ranges[node, 0] : 3 * ranges[node, 1]], volumes[node])
        return node

    return kernel(fit_nodes)


def fit_volumes_steps(
    tree: Tree, vertices: np.ndarray, triangles: np.ndarray, origin: np.ndarray, volume: str, volumes: np.ndarray
) -> Generator[float, None, None]:
    """Fill ``volumes`` (n, width) float32 of a tree, in slices; vertices (v, 3) float64 [m], triangles (m, 3) int32."""
    verbs = volume_named(volume)
    kernel_input: tuple[np.ndarray, ...]
    if verbs.fit is None:
        assert verbs.clear is not None and verbs.extend is not None and verbs.merge is not None
        fit = _growing_kernel(verbs.clear, verbs.extend, verbs.merge)
        kernel_input = (tree.first, tree.count, tree.order, vertices, triangles, origin, volumes)
    else:
        corners = np.empty((3 * len(tree.order), 3))
        corners_in_order(tree.order, vertices, triangles, origin, corners)
        fit = _fitting_kernel(verbs.fit)
        kernel_input = (tree.first, tree.count, corners, np.empty((len(tree.first), 2), np.int64), volumes)
    left = total = len(tree.first)
    while left := fit(left, SLICE, *kernel_input):
        yield 1.0 - left / total
