"""Best-first simultaneous traversal: the pairs of nodes whose surfaces most likely meet come first.

One kernel serves one pair of objects or many that share a budget. Every pair of nodes that may meet is in a heap,
ordered by its probability; a pair of leaves is decided exactly when it comes up. It stops after a number of steps, when
the heap is full or a pair of objects is decided, and goes on from its state.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..geometry.triangle_pair import APART, UNDECIDED, classify_exact
from ..jit import inlined, inner, kernel
from ..traversal.pairs import boxes_meet, load_triangle
from ..volumes.registry import volume_named
from .cells import CELL_COUNT, FLATTEST
from .probability import MOST_CELLS, meeting_probability

# Entries of the state array.
USED, VOLUME_TESTS, PRIMITIVE_TESTS, EXACT_TESTS, STATE_LENGTH = range(5)
# Entries of a job's row: what is known of it, pairs of nodes counted, and the triangles that meet.
STATUS, COUNTED, TRIANGLE_A, TRIANGLE_B, ROW_LENGTH = range(5)
OPEN, MEET, COUNTED_ENOUGH, ASK_HOST = range(4)
"""Status of a job; ASK_HOST: coordinates exceed what doubles can multiply, and the exact engine answers."""
_FAINT = 1e-9
"""Priority of pairs that count as improbable: they wait, but are never dropped."""


@inlined
def _above(heap, i, j):
    return heap[i] > heap[j]


@inlined
def _swap(keys, entries, i, j):
    keys[i], keys[j] = keys[j], keys[i]
    for k in range(4):
        entries[i, k], entries[j, k] = entries[j, k], entries[i, k]


@inner
def _push(keys, entries, used, probability, job, node_a, node_b, counted):
    """Put a pair of nodes into the heap; returns the entries used."""
    keys[used] = probability
    entries[used, 0], entries[used, 1], entries[used, 2], entries[used, 3] = job, node_a, node_b, counted
    i = used
    while i > 0 and _above(keys, i, (i - 1) // 2):
        _swap(keys, entries, i, (i - 1) // 2)
        i = (i - 1) // 2
    return used + 1


@kernel
def begin(jobs, starts_a, starts_b, state, keys, entries):
    """Put the roots of every job into the heap."""
    used = 0
    for job in range(jobs.shape[0]):
        used = _push(keys, entries, used, 1.0, job, starts_a[jobs[job, 0]], starts_b[jobs[job, 1]], 0)
    state[USED] = used


@inner
def _drop_top(keys, entries, used):
    """Take the most probable pair off; returns the entries used."""
    used -= 1
    _swap(keys, entries, 0, used)
    i = 0
    while True:
        child = 2 * i + 1
        if child >= used:
            return used
        if child + 1 < used and _above(keys, child + 1, child):
            child += 1
        if not _above(keys, child, i):
            return used
        _swap(keys, entries, i, child)
        i = child


@inlined
def pair_probability(filling_a, node_a, root_a, filling_b, node_b, root_b, relative, logs):
    """The probability that the surfaces of two nodes meet, from how much of their boxes they fill.

    The common volume is at most each box's share of the other's bounding box in its frame; cells have the size of the
    larger box's. The share of cells with enough surface grows in proportion to the size of the cells.
    """
    a, b = filling_a.boxes[node_a], filling_b.boxes[node_b]
    part_a, volume_a = _part(a, b, relative, 0)
    part_b, volume_b = _part(b, a, relative, 15)
    side_a, side_b = (volume_a / CELL_COUNT) ** (1.0 / 3.0), (volume_b / CELL_COUNT) ** (1.0 / 3.0)
    side = max(side_a, side_b)
    if not side > 0.0:
        return 1.0
    cells = min(max(int(min(part_a * volume_a, part_b * volume_b) / side**3 + 0.5), 1), MOST_CELLS)
    share_a = min(filling_a.cells[node_a] / CELL_COUNT * (side / side_a), 1.0) if side_a > 0.0 else 1.0
    share_b = min(filling_b.cells[node_b] / CELL_COUNT * (side / side_b), 1.0) if side_b > 0.0 else 1.0
    highest = np.float64(filling_a.heights[root_a]) + np.float64(filling_b.heights[root_b])
    height = np.float64(filling_a.heights[node_a]) + np.float64(filling_b.heights[node_b])
    certainty = 1.0 - height / highest if highest > 0.0 else 1.0
    return meeting_probability(cells, int(share_a * cells + 0.5), int(share_b * cells + 0.5), certainty, logs)


@inlined
def _part(box, other, relative, at):
    """(share of a box inside the other's bounding box in its frame, its volume); flat boxes count as thicker."""
    part = 1.0
    longest = max(box[3] - box[0], box[4] - box[1], box[5] - box[2])
    thinnest = FLATTEST * np.float64(longest)
    volume = 1.0
    for i in range(3):
        middle = relative[at + 9 + i]
        extent = 0.0
        for j in range(3):
            middle += relative[at + 3 * i + j] * 0.5 * (np.float64(other[j]) + np.float64(other[3 + j]))
            extent += abs(relative[at + 3 * i + j]) * 0.5 * (np.float64(other[3 + j]) - np.float64(other[j]))
        low, high = np.float64(box[i]), np.float64(box[3 + i])
        common = min(high, middle + extent) - max(low, middle - extent)
        if high > low:
            part *= min(max(common / (high - low), 0.0), 1.0)
        volume *= max(high - low, thinnest)
    return part, volume


@inner
def _test_leaves(forest_a, forest_b, job, jobs, node_a, node_b, poses_a, poses_b, rows, state, scratch):
    """Decide a pair of leaves exactly; a contact goes into the job's row."""
    leaf_a, leaf_b, indices_a, indices_b, workspace = scratch
    counter = workspace[0]
    tree_a, tree_b = jobs[job, 0], jobs[job, 1]
    first_a, count_a = forest_a.first[node_a], forest_a.count[node_a]
    first_b, count_b = forest_b.first[node_b], forest_b.count[node_b]
    for i in range(count_a):
        load_triangle(forest_a, tree_a, first_a + i, poses_a[job], leaf_a, i, indices_a)
    for j in range(count_b):
        load_triangle(forest_b, tree_b, first_b + j, poses_b[job], leaf_b, j, indices_b)
        b = leaf_b[j]
        for i in range(count_a):
            if not boxes_meet(leaf_a, i, leaf_b, j, 0.0):
                continue
            a = leaf_a[i]
            state[PRIMITIVE_TESTS] += 1
            before = counter[0]
            kind = classify_exact(
                (a[0], a[1], a[2]), (a[3], a[4], a[5]), (a[6], a[7], a[8]),
                (b[0], b[1], b[2]), (b[3], b[4], b[5]), (b[6], b[7], b[8]), workspace,
            )  # fmt: skip
            state[EXACT_TESTS] += counter[0] != before
            if kind == APART:
                continue
            rows[job, TRIANGLE_A], rows[job, TRIANGLE_B] = indices_a[i], indices_b[j]
            rows[job, STATUS] = ASK_HOST if kind == UNDECIDED else MEET
            return


def best_first(volume: str) -> Callable:
    """The kernel for one kind of volume.

    It takes (forest_a, forest_b, filling_a, filling_b, jobs, poses_a, poses_b, relative, prepared, p_min, k_min,
    antichain, steps, state, rows, keys, entries, logs, scratch) and returns whether no pair is left. ``prepared`` is
    what ``traversal/prepared.py`` makes; ``search.py`` allocates the rest.
    """
    return _best_first(volume_named(volume).overlap)


@cache
def _best_first(overlap: Callable) -> Callable:
    def search(
        forest_a, forest_b, filling_a, filling_b, jobs, poses_a, poses_b, relative, prepared, p_min, k_min, antichain,
        steps, state, rows, keys, entries, logs, scratch,
    ):  # fmt: skip
        used = state[USED]
        decided = False
        while used > 0 and steps > 0 and used + 4 <= keys.shape[0] and not decided:
            steps -= 1
            job, node_a, node_b, counted = entries[0, 0], entries[0, 1], entries[0, 2], entries[0, 3]
            used = _drop_top(keys, entries, used)
            if rows[job, STATUS] != OPEN:
                continue
            root_a, root_b = forest_a.node_start[jobs[job, 0]], forest_b.node_start[jobs[job, 1]]
            leaf_a, leaf_b = forest_a.count[node_a] > 0, forest_b.count[node_b] > 0
            if leaf_a and leaf_b:
                _test_leaves(
                    forest_a, forest_b, job, jobs, node_a, node_b, poses_a, poses_b, rows, state, scratch
                )  # fmt: skip
                decided = rows[job, STATUS] != OPEN
                continue
            for i in range(1 if leaf_a else 2):
                child_a = node_a if leaf_a else root_a + forest_a.first[node_a] + i
                for j in range(1 if leaf_b else 2):
                    child_b = node_b if leaf_b else root_b + forest_b.first[node_b] + j
                    state[VOLUME_TESTS] += 1
                    if not overlap(forest_a.volumes[child_a], forest_b.volumes[child_b], prepared[job]):
                        continue
                    p = pair_probability(filling_a, child_a, root_a, filling_b, child_b, root_b, relative[job], logs)
                    inner_pair = forest_a.count[child_a] == 0 or forest_b.count[child_b] == 0
                    counts = inner_pair and counted == 0 and p >= p_min
                    rows[job, COUNTED] += counts
                    aside = antichain and (counts or counted != 0)
                    key = max(p, _FAINT)
                    used = _push(keys, entries, used, key - 2.0 if aside else key, job, child_a, child_b, aside)
            if rows[job, COUNTED] >= k_min:
                rows[job, STATUS] = COUNTED_ENOUGH
                decided = True
        state[USED] = used
        return used == 0

    return kernel(search)
