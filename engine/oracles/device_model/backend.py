"""The host backend: the breadth-first algorithm on the CPU, step by step what the device does, with the same arrays.

It verifies the kernels where no device is at hand, and uses several cores by the rules of ``jit.parallel_region``. The
steps are loops (``loops.py``) over what a thread of the device does; sorting and summing give the same numbers by other
means.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from meshclash.gpu.breadth_first import Hits, Workspace, traverse
from meshclash.gpu.karras import leaf_box, link_key, merge_boxes, morton_key
from meshclash.gpu.near_steps import may_be_near
from meshclash.gpu.pair_steps import child_pair, fan_out, may_meet, pair_kind
from meshclash.gpu.pyramid import CHILDREN, LEAVES, locate
from meshclash.jit import kernel, parallel_region, prange
from meshclash.traversal.question import Question

from . import boxes, distances, points, voxels
from .loops import LOOPS, loop, serial_loop

_WITH_LOOPS = (boxes, distances)
"""Modules that fill ``LOOPS``, beside this one."""
_STEPS = {"device": voxels, "measure": points}
"""Name of a stage's module that asks a device -> its steps here."""
PARALLEL_FROM = 1 << 12
"""Entries from which a step is shared out."""


@kernel
def _keys(triangles, vertices, tree_of, origins, grids, keys):
    for t in range(triangles.shape[0]):
        keys[t] = morton_key(t, triangles, vertices, origins, grids, tree_of[t])


@kernel
def _link(keys, tree_of, begins, roots, links, parents, order):
    for i in range(keys.shape[0]):
        link_key(i, keys, tree_of, begins, roots, links, parents, order)


@kernel
def _fit(triangles, vertices, tree_of, origins, begins, roots, order, links, parents, arrived, boxes):
    arrived[:] = 0
    for i in range(order.shape[0]):
        tree = tree_of[i]
        node = roots[tree] + (begins[tree + 1] - begins[tree]) - 1 + i - begins[tree]
        leaf_box(order[i], triangles, vertices, origins, tree, boxes, node)
        node = parents[node]
        while node >= 0:
            arrived[node] += 1
            if arrived[node] == 1:
                break
            merge_boxes(boxes, node, links[node, 0], links[node, 1])
            node = parents[node]


def _counting(name, may):
    """The overlap count map of a level by one test of two boxes, zeros behind it."""

    def count_pairs(links_a, boxes_a, links_b, boxes_b, frames, with_itself, pairs, count, sums, width):
        for entry in prange(width):
            k = np.int64(entry)
            sums[width + k] = 0
            if k < count:
                a, b = pairs[k, 0], pairs[k, 1]
                if (with_itself and a == b) or may(boxes_a, a, boxes_b, b, frames, pairs[k, 2]):
                    sums[width + k] = fan_out(links_a, links_b, with_itself, a, b)

    return loop(count_pairs, name)


_counting("count_pairs", may_meet)
_counting("count_near_pairs", may_be_near)


@loop
def expand_pairs(links_a, links_b, with_itself, pairs, sums, width, count, children):
    """The node pair index map of the next level."""
    for entry in prange(count):
        slot = np.int64(entry)
        k, number = locate(sums, width, slot, CHILDREN)
        a, b = child_pair(links_a, links_b, with_itself, pairs[k, 0], pairs[k, 1], number)
        children[slot, 0] = a
        children[slot, 1] = b
        children[slot, 2] = pairs[k, 2]


@loop
def gather_leaves(links_a, order_a, links_b, order_b, pairs, sums, width, count, leaves, begin):
    """Append the triangles of pairs of leaves."""
    for entry in prange(count):
        slot = np.int64(entry)
        k, _ = locate(sums, width, slot, LEAVES)
        leaves[begin + slot, 0] = order_a[~links_a[pairs[k, 0], 0]]
        leaves[begin + slot, 1] = order_b[~links_b[pairs[k, 1], 0]]
        leaves[begin + slot, 2] = pairs[k, 2]


@loop
def test_leaves(
    triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, with_itself, leaves, count, kinds, sums, width
):
    """Kinds of pairs of triangles, and 1 for each that is not apart."""
    for entry in prange(width):
        k = np.int64(entry)
        sums[width + k] = 0
        if k < count:
            kinds[k] = pair_kind(
                triangles_a, vertices_a, poses_a, triangles_b, vertices_b, poses_b, with_itself,
                leaves[k, 0], leaves[k, 1], leaves[k, 2],
            )  # fmt: skip
            sums[width + k] = 1 if kinds[k] != 0 else 0


@serial_loop
def gather_hits(leaves, kinds, sums, width, count, hits):
    """Triangles, job and kind of the pairs that are not apart."""
    for slot in range(count):
        k, _ = locate(sums, width, slot, CHILDREN)
        for column in range(3):
            hits[slot, column] = leaves[k, column]
        hits[slot, 3] = kinds[k]


class HostBackend:
    """The CPU in the place of a device; the methods are those of ``backend_gpu.CudaBackend``.

    Args:
        threads: most threads to use, from ``jit.thread_limit``.
    """

    name = "cpu"

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self.threads = 1
        """How many were used."""

    def attach(self) -> None:
        """Any thread may use the CPU."""

    def abandon(self) -> None:
        """The CPU does not fail."""

    def empty(self, shape: Any, dtype: Any) -> np.ndarray:
        """An array of the backend."""
        return np.empty(shape, dtype)

    def upload(self, array: np.ndarray) -> np.ndarray:
        """An array of the backend with these contents."""
        return np.array(array, order="C")

    def write(self, target: np.ndarray, array: np.ndarray) -> None:
        """Write contents over an array of the backend of the same shape."""
        target[...] = array

    def download(self, array: np.ndarray, count: int | None = None) -> np.ndarray:
        """The first ``count`` entries, or all, as an array of the host."""
        return array[:count].copy()

    def copy(self, target: np.ndarray, source: np.ndarray, count: int) -> None:
        """Copy the first ``count`` entries from one array of the backend to another."""
        target[:count] = source[:count]

    def finish(self) -> None:
        """Wait for the backend; the CPU is never behind."""

    def read(self, array: np.ndarray, index: int) -> int:
        """One number of an array."""
        return int(array[index])

    def missing_kernels(self) -> dict[str, Any]:
        """The kernels of a device that have not been compiled yet; the CPU has none."""
        return {}

    def run(self, module: str, kernel: str, entries: int, *arguments: Any) -> None:
        """A step of another stage over so many entries: the function of that name beside this file."""
        getattr(_STEPS[module.rpartition(".")[2]], kernel)(*arguments)

    def sort_keys(self, trees: Any, keys: np.ndarray) -> np.ndarray:
        """Keys sorted by tree and code; equal ones stay in order."""
        begins = self.download(trees.begins)
        for begin, end in pairwise(begins):
            keys[begin:end].sort()
        return keys

    def make_keys(self, trees: Any) -> np.ndarray:
        """The Morton key of every triangle."""
        keys = np.empty(len(trees.triangles), np.int64)
        _keys(trees.triangles, trees.vertices, trees.tree_of, trees.origins, trees.grids, keys)
        return keys

    def link(self, trees: Any, keys: np.ndarray) -> None:
        """Fill links, parents and order."""
        _link(keys, trees.tree_of, trees.begins, trees.roots, trees.links, trees.parents, trees.order)

    def fit(self, trees: Any) -> None:
        """Fill the boxes."""
        _fit(
            trees.triangles, trees.vertices, trees.tree_of, trees.origins, trees.begins, trees.roots, trees.order,
            trees.links, trees.parents, trees.arrived, trees.boxes,
        )  # fmt: skip

    def step(self, name: str, entries: int, *arrays: Any) -> None:
        """Run the loop of a kernel's name, on several cores when it has many entries."""
        with parallel_region(self._threads if entries >= PARALLEL_FROM else 1) as count:
            LOOPS[name][count > 1](*arrays)
            self.threads = max(self.threads, count)

    def sum_up(self, sums: np.ndarray, width: int) -> None:
        """The levels of the pyramid above its lowest."""
        while width > 1:
            half = width // 2
            np.add(sums[width : 2 * width : 2], sums[width + 1 : 2 * width : 2], out=sums[half:width])
            width = half

    def traverse_fast(self, space: Workspace, a: Any, b: Any, question: Question) -> Hits:
        """Level by level: only devices have a queue."""
        return traverse(space, a, b, question)
