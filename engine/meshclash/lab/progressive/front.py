"""The front of the bounding volume test tree of two hierarchies of clusters (Yoon, Salomon, Lin, Manocha 2004).

A pair of nodes whose boxes are farther apart than delta is left. For any other pair, if the sum of the errors of the
finest meshes of both nodes is at most epsilon, the pair is on the front; otherwise the node with the greater error is
divided. (The paper compares the errors of boxes, which are at least half their thickness, so that curved parts are
divided down to clusters.) If a node is in a pair of the front and a descendant of the node in another pair, the node's
pairs are divided, too, until no node of the front lies below another one. Then each node uses the coarsest mesh that is
fine enough for all its pairs.

From call to call the tree is kept, with the distance of each pair. This distance changes by at most the motion of the
objects since then, so most pairs are decided without a test, with the same result as a test. All other data depend only
on these decisions.
"""

import math
from typing import NamedTuple

import numpy as np

from ...geometry.relative_pose import relative_rows
from ...jit import inner, kernel
from ...types.pose import transform_points
from ...volumes import obb
from .cluster_tree import ClusterTree

APART, MET, SPLIT = 0, 1, 2
"""Possible decisions about a pair of nodes."""
_FIRST_ROOM = 1 << 10
_MOST_DEEP = 256
"""Pairs that wait at a time: each tree is no deeper than 64."""
_WAYS = 1.01
"""Factor that covers the rounding of distances moved."""


class FrontSide(NamedTuple):
    """The arrays of a ``ClusterTree`` that kernels need."""

    children: np.ndarray
    parents: np.ndarray
    boxes: np.ndarray
    counts: np.ndarray
    errors: np.ndarray


class Tests(NamedTuple):
    """The stored part of the tree of box tests; each pair precedes the pairs into which it is divided."""

    pairs: np.ndarray
    """(n, 2) int32."""
    separations: np.ndarray
    """As measured, (n,) float64 [m]."""
    travels: np.ndarray
    """How far objects had moved then, (n,) float64 [m]."""
    kinds: np.ndarray
    """(n,) int8."""
    nexts: np.ndarray
    """Index after each pair and all pairs below it, (n,) int32."""


def _room(count: int) -> Tests:
    return Tests(
        np.empty((count, 2), np.int32), np.empty(count), np.empty(count), np.empty(count, np.int8),
        np.empty(count, np.int32),
    )  # fmt: skip


@inner
def _finest(side, node):
    return side.errors[node, 0] if side.counts[node] > 0 else np.inf


@inner
def _splits_first(a, b, i, j):
    """Return whether the first node of a pair is divided: the node with the greater error, or the larger box if errors
    are equal.
    """
    error_a, error_b = _finest(a, i), _finest(b, j)
    if a.children[i, 0] < 0 or b.children[j, 0] < 0:
        return b.children[j, 0] < 0
    return error_a > error_b or (error_a == error_b and obb.size(a.boxes[i]) >= obb.size(b.boxes[j]))


@kernel
def _walk(a, b, relative, reach, budget, travel, margin, old, known, new):
    """Test pairs from the roots down; return the numbers of pairs and tests; the number of pairs is -1 if the arrays
    are full.

    Args:
        reach: boxes farther apart than that are apart [m].
        budget: maximum sum of the errors of a pair [m].
        travel, margin: distance that the objects have moved since ``travels`` began, and a margin for rounding [m].
        old, known: the stored tests, and the number of stored pairs.
        new: receives the new tests.
    """
    waiting = np.empty((_MOST_DEEP, 3), np.int64)
    waiting[0, 0], waiting[0, 1] = a.children.shape[0] - 1, b.children.shape[0] - 1
    waiting[0, 2] = 0 if known > 0 else -1
    left, used, tested = 1, 0, 0
    while left > 0:
        left -= 1
        i, j, at = waiting[left, 0], waiting[left, 1], waiting[left, 2]
        if used == new.kinds.shape[0]:
            return -1, tested
        if at >= 0 and abs(old.separations[at] - reach) > _WAYS * (travel - old.travels[at]) + margin:
            new.separations[used], new.travels[used] = old.separations[at], old.travels[at]
        else:
            new.separations[used], new.travels[used] = obb.separation(a.boxes[i], b.boxes[j], relative), travel
            tested += 1
        new.pairs[used, 0], new.pairs[used, 1] = i, j
        new.kinds[used] = SPLIT
        if new.separations[used] > reach:
            new.kinds[used] = APART
        elif _finest(a, i) + _finest(b, j) <= budget:
            new.kinds[used] = MET
        else:
            was_split = at >= 0 and old.kinds[at] == SPLIT
            first = at + 1 if was_split else -1
            second = old.nexts[first] if was_split else -1
            if _splits_first(a, b, i, j):
                left = _wait(waiting, left, a.children[i, 1], j, second)
                left = _wait(waiting, left, a.children[i, 0], j, first)
            else:
                left = _wait(waiting, left, i, b.children[j, 1], second)
                left = _wait(waiting, left, i, b.children[j, 0], first)
        used += 1
    for k in range(used - 1, -1, -1):
        new.nexts[k] = new.nexts[new.nexts[k + 1]] if new.kinds[k] == SPLIT else k + 1
    return used, tested


@inner
def _wait(waiting, left, i, j, at):
    waiting[left, 0], waiting[left, 1], waiting[left, 2] = i, j, at
    return left + 1


@inner
def _mark_above(side, pairs, used, column, marked):
    """Mark the ancestors of the nodes of pairs."""
    marked[:] = False
    for k in range(used):
        node = side.parents[pairs[k, column]]
        while node >= 0 and not marked[node]:
            marked[node] = True
            node = side.parents[node]


@kernel
def _force(a, b, relative, reach, pairs, used, other):
    """Divide nodes that are ancestors of other nodes of the front, alternating between two arrays.

    Returns:
        Returns the number of pairs, or -1 if they do not fit; the array that contains the pairs; the number of tests.
    """
    above_a, above_b = np.empty(a.counts.shape[0], np.bool_), np.empty(b.counts.shape[0], np.bool_)
    turns, tested = 0, 0
    while True:
        _mark_above(a, pairs, used, 0, above_a)
        _mark_above(b, pairs, used, 1, above_b)
        count, changed = 0, False
        for k in range(used):
            i, j = pairs[k, 0], pairs[k, 1]
            if count + 2 > other.shape[0]:
                return -1, turns, tested
            if not above_a[i] and not above_b[j]:
                other[count, 0], other[count, 1] = i, j
                count += 1
                continue
            changed = True
            for side in range(2):
                x = a.children[i, side] if above_a[i] else i
                y = j if above_a[i] else b.children[j, side]
                tested += 1
                if obb.separation(a.boxes[x], b.boxes[y], relative) <= reach:
                    other[count, 0], other[count, 1] = x, y
                    count += 1
        if not changed:
            return used, turns, tested
        pairs, other, used, turns = other, pairs, count, turns + 1


@kernel
def _choose(a, b, pairs, budget, chosen_a, chosen_b):
    """Choose the mesh for each node: the coarsest one that all of its pairs allow.

    For a pair with the coarsest meshes, the mesh with the greater error is refined until the sum of the errors is
    within the budget; then the mesh with the smaller error is made coarser as long as the sum stays within the budget.
    """
    chosen_a[:] = a.errors.shape[1]
    chosen_b[:] = b.errors.shape[1]
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        x, y = a.counts[i] - 1, b.counts[j] - 1
        while a.errors[i, x] + b.errors[j, y] > budget and (x > 0 or y > 0):
            if y == 0 or (x > 0 and a.errors[i, x] >= b.errors[j, y]):
                x -= 1
            else:
                y -= 1
        coarser = True
        while coarser:
            more_a = x + 1 < a.counts[i] and a.errors[i, x + 1] + b.errors[j, y] <= budget
            more_b = y + 1 < b.counts[j] and a.errors[i, x] + b.errors[j, y + 1] <= budget
            coarser = more_a or more_b
            if more_a and (not more_b or a.errors[i, x] <= b.errors[j, y]):
                x += 1
            elif more_b:
                y += 1
        chosen_a[i] = min(chosen_a[i], x)
        chosen_b[j] = min(chosen_b[j], y)


class Front(NamedTuple):
    """Pairs of nodes that may be within a distance."""

    nodes: np.ndarray
    """(k, 2) int32, sorted; no node lies below another node of the same object."""
    pages: np.ndarray
    """The meshes that represent the nodes, (k, 2) int64."""
    tested: int
    """How many pairs of boxes were tested."""


class KeptFront:
    """Data that is kept for two hierarchies between calls: the tree of tests, and how far the objects have moved.

    Args:
        a, b: the hierarchies.
        budget: maximum sum of the errors of a pair [m].

    Attributes:
        visits: number of pairs in the tree of tests.
    """

    def __init__(self, a: ClusterTree, b: ClusterTree, budget: float) -> None:
        self._trees, self._budget = (a, b), budget
        self._sides = tuple(FrontSide(t.children, t.parents, t.boxes, t.counts, t.errors) for t in (a, b))
        self._tests, self.visits = _room(0), 0
        self._rows: tuple[np.ndarray, np.ndarray] | None = None
        self._travel = self._margin = 0.0

    def found(self, rows: tuple[np.ndarray, np.ndarray], reach: float) -> Front:
        """Return the front in poses (3, 4), of pairs within a distance [m]."""
        relative = self._relative(rows)
        a, b = self._sides
        self._note_way(rows, relative)
        room = max(_FIRST_ROOM, 2 * self.visits)
        while True:
            tests = _room(room)
            numbers = reach, self._budget, self._travel, 4.0 * self._margin
            used, tested = _walk(a, b, relative, *numbers, self._tests, self.visits, tests)
            if used >= 0:
                break
            room *= 4
        self._tests, self.visits = tests, used
        met = tests.pairs[:used][tests.kinds[:used] == MET]
        nodes, more = self._forced(met, relative, reach)
        nodes = nodes[np.lexsort((nodes[:, 1], nodes[:, 0]))]
        return Front(nodes, self._pages(nodes), tested + more)

    def _forced(self, met: np.ndarray, relative: np.ndarray, reach: float) -> tuple[np.ndarray, int]:
        room = max(_FIRST_ROOM, 2 * len(met))
        while True:
            both = np.empty((room, 2), np.int32), np.empty((room, 2), np.int32)
            both[0][: len(met)] = met
            used, turns, tested = _force(*self._sides, relative, reach, both[0], len(met), both[1])
            if used >= 0:
                return both[turns % 2][:used], tested
            room *= 4

    def _pages(self, nodes: np.ndarray) -> np.ndarray:
        """Return the meshes that represent the nodes of a front (k, 2)."""
        chosen = [np.empty(len(tree.counts), np.int32) for tree in self._trees]
        _choose(*self._sides, nodes, self._budget, *chosen)
        columns = (tree.pages[nodes[:, k], chosen[k][nodes[:, k]]] for k, tree in enumerate(self._trees))
        return np.stack(list(columns), axis=1)

    def _relative(self, rows: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Return the row of ``relative_rows`` for two poses (3, 4)."""
        a, b = self._trees
        reaches = [np.abs(tree.bounds).max(axis=0)[None] for tree in self._trees]
        stacks = rows[0][None].copy(), rows[1][None].copy()
        relative: np.ndarray = relative_rows(*stacks, a.middle[None], b.middle[None], reaches[0], reaches[1])[0]
        return relative

    def _note_way(self, rows: tuple[np.ndarray, np.ndarray], relative: np.ndarray) -> None:
        """Add an upper bound of how far points of either object have moved in the other's frame; discard the tests
        after a jump.
        """
        sizes = [2.0 * float(np.ptp(tree.bounds, axis=0).sum()) for tree in self._trees]
        lengths = sum(sizes) + float(np.abs(relative[9:12]).sum() + np.abs(relative[24:27]).sum())
        self._margin = max(self._margin, obb.separation_slack(lengths, relative))
        way = 0.0
        if self._rows is not None:
            ways = ((_seen(rows, k, corners), _seen(self._rows, k, corners))
                    for k, corners in enumerate(_corners(tree.bounds) for tree in self._trees))  # fmt: skip
            way = max(float(np.sqrt(((new - old) ** 2).sum(axis=1)).max()) for new, old in ways)
        self._rows = rows
        self._travel += way
        if self._travel > min(sizes) or not math.isfinite(self._travel):
            self._travel, self.visits = 0.0, 0


def _corners(bounds: np.ndarray) -> np.ndarray:
    """Return the corners of a box (2, 3), as (8, 3)."""
    return np.array([[bounds[k >> axis & 1, axis] for axis in range(3)] for k in range(8)])


def _seen(rows: tuple[np.ndarray, np.ndarray], k: int, points: np.ndarray) -> np.ndarray:
    """Return points (n, 3) of object k in the other object's frame, corrected if its pose is not exactly a rotation."""
    other = rows[1 - k]
    seen: np.ndarray = ((transform_points(rows[k], points) - other[:, 3])[:, :, None] * other[:, :3]).sum(axis=1)
    return seen
