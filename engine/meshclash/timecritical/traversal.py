"""Best-first simultaneous traversal: the pairs of nodes whose surfaces most likely meet come first.

One kernel processes one pair of objects, or many that share a budget. Every pair of nodes that may meet is in a heap,
ordered by its probability of holding a contact. A pair of leaves is decided exactly when it reaches the top of the
heap. The kernel stops after a number of steps, when the heap is full, or when every pair of objects is decided. The
kernel resumes from its state.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..geometry.generic_pair import classify_generic
from ..geometry.predicates import ExactWorkspace
from ..geometry.relative_pose import SCRATCH_LENGTH, whole_row
from ..geometry.triangle_pair import APART as TRIANGLES_APART
from ..geometry.triangle_pair import UNDECIDED, classify_exact
from ..jit import inlined, inner, kernel, portable
from ..reference import by_reference
from ..traversal.pairs import boxes_meet, load_triangle
from ..volumes.registry import volume_named
from .cells import CELL_COUNT, FLATTEST
from .heap import ASIDE, FAINTEST, GRAIN, JOB, LAST, NODE_A, NODE_B, SET_ASIDE, SUREST, drop_top, probability_of, push
from .probability import MOST_CELLS, meeting_probability
from .trees import forest_at, nodes_at

# Entries of the state array.
USED, OPEN_JOBS, STEPS, VOLUME_TESTS, PRIMITIVE_TESTS, EXACT_TESTS, STATE_LENGTH = range(7)
# Entries of the options array.
STEP_LIMIT, K_MIN, ANTICHAIN, REFINE, WIDTH, OPTIONS_LENGTH = range(6)
# Entries of a job's row: its status, the number of counted pairs of nodes, the triangles that meet; the number of
# remaining pairs of nodes, the sums of their heights and of their possible collision cells, the number of opened pairs,
# the numbers of pairs of boxes that were tested and that overlap.
STATUS, COUNTED, TRIANGLE_A, TRIANGLE_B, LEFT, HEIGHTS, FILLED, OPENED, TESTED, MET, ROW_LENGTH = range(11)
OPEN, COUNTED_ENOUGH, MEET, APART, ASK_HOST = range(5)
"""Status of a job. ASK_HOST: products of coordinates leave the range of float64, so the exact engine decides."""
# Work is counted in steps; one step takes about as long as a test of two boxes.
_LEAF_STEPS = 4
_TRIANGLE_STEPS = 2
_EXACT_STEPS = 16
_UNOPENED = 0.7
"""The hazard of two whole objects that were not examined yet: the probability that they meet is about one half."""


@inlined
def hazard(probability):
    """Return the contribution of a pair of nodes to the hazard -ln(1 - p) of two objects (the hazard of survival
    analysis).
    """
    return _UNOPENED if probability >= 1.0 else -np.log1p(-probability)


@portable
def _nothing_to_prepare(relative, root_a, root_b, out):
    """Do nothing, for volumes that need only a row of ``relative_pose.py``."""


def beginning(volume: str) -> Callable:
    """Return the kernel that puts the jobs from the index ``first`` on into the heap, for one kind of volume.

    It takes (first, trees, sizes, jobs, poses, width, state, rows, hazards, frames, keys, entries). The heap must have
    room for the jobs.
    """
    verbs = volume_named(volume)
    return _beginning(verbs.overlap, verbs.prepare or _nothing_to_prepare)


@cache
def _beginning(overlap: Callable, prepare: Callable) -> Callable:
    def begin(first, trees, sizes, jobs, poses, width, state, rows, hazards, frames, keys, entries):
        scratch = np.empty(SCRATCH_LENGTH)
        used = state[USED]
        for job in range(first, jobs.shape[0]):
            frame = frames[job]
            _relate(job, jobs, sizes, poses, scratch, frame)
            _, _, volumes_a, boxes_a, cells_a, heights_a = nodes_at(trees, jobs[job, 0], width)
            _, _, volumes_b, boxes_b, cells_b, heights_b = nodes_at(trees, jobs[job, 1], width)
            prepare(frame, volumes_a[0], volumes_b[0], frame)
            rows[job] = 0
            rows[job, TRIANGLE_A] = rows[job, TRIANGLE_B] = -1
            state[VOLUME_TESTS] += 1
            state[STEPS] += 1
            if not overlap(volumes_a[0], volumes_b[0], frame):
                rows[job, STATUS], rows[job, LEFT], hazards[job] = APART, 0, 0.0
                continue
            rows[job, STATUS], rows[job, LEFT], rows[job, TESTED], rows[job, MET] = OPEN, 1, 1, 1
            rows[job, HEIGHTS] = _together(heights_a, 0, heights_b, 0)
            rows[job, FILLED] = _together(cells_a, 0, cells_b, 0)
            hazards[job] = hazard(1.0)
            state[OPEN_JOBS] += 1
            common, _ = common_share(boxes_a[0], boxes_b[0], frame)
            used = push(keys, entries, used, 1.0 + np.floor(common / GRAIN) * GRAIN, job, 0, 0, 0)
        state[USED] = used

    return kernel(begin)


@inlined
def common_share(box_a, box_b, frame):
    """Return the smaller fraction of two boxes that lies inside the other box, and the ratio of their volumes, at most
    1.
    """
    part_a, volume_a = _part(box_a, box_b, frame, 0)
    part_b, volume_b = _part(box_b, box_a, frame, 15)
    larger = max(volume_a, volume_b)
    return min(part_a, part_b), min(volume_a, volume_b) / larger if larger > 0.0 else 1.0


@inlined
def _together(bytes_a, node_a, bytes_b, node_b):
    return np.int64(bytes_a[node_a]) + np.int64(bytes_b[node_b])


@inner
def _relate(job, jobs, sizes, poses, scratch, frame):
    """Write the row of ``relative_pose.py`` for a job."""
    pose_a, pose_b = poses[job, 0].reshape(12), poses[job, 1].reshape(12)
    whole_row(pose_a, 0, pose_b, 0, sizes[jobs[job, 0]], 0, sizes[jobs[job, 1]], 0, 0.0, scratch, frame, 0)


@inlined
def pair_probability(boxes_a, cells_a, heights_a, node_a, boxes_b, cells_b, heights_b, node_b, frame, logs):
    """Return the probability that the surfaces of two nodes meet, estimated from how much of their boxes they fill.

    The common volume is estimated as the smaller of two volumes: the part of each box that lies inside the other box's
    bounding box in its own frame. Cells have the size of the larger box's cells. The share of cells with enough surface
    grows in proportion to the side length of the cells.
    """
    a, b = boxes_a[node_a], boxes_b[node_b]
    part_a, volume_a = _part(a, b, frame, 0)
    part_b, volume_b = _part(b, a, frame, 15)
    larger = max(volume_a, volume_b)
    if not larger > 0.0:
        return 1.0
    cells = min(max(int(CELL_COUNT * (min(part_a * volume_a, part_b * volume_b) / larger) + 0.5), 1), MOST_CELLS)
    share_a, share_b = _share(cells_a[node_a], volume_a, larger), _share(cells_b[node_b], volume_b, larger)
    highest = _together(heights_a, 0, heights_b, 0)
    certainty = 1.0 - _together(heights_a, node_a, heights_b, node_b) / highest if highest > 0 else 1.0
    return meeting_probability(cells, int(share_a * cells + 0.5), int(share_b * cells + 0.5), certainty, logs)


@inlined
def _share(cells, volume, larger):
    """Return the number of possible collision cells of a box, converted to cells of the size of a larger box's."""
    if volume >= larger:
        return cells / CELL_COUNT
    return min(cells / CELL_COUNT * (larger / volume) ** (1.0 / 3.0), 1.0) if volume > 0.0 else 1.0


@inlined
def _part(box, other, relative, at):
    """Return (share of a box that lies inside the other box's bounding box, volume of the box).

    Flat boxes count as at least ``FLATTEST`` thick.
    """
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
def _test_leaves(forest_a, forest_b, job, node_a, node_b, poses, rows, state, leaves, indices, workspace):
    """Decide a pair of leaves exactly, and write a contact to the row of the job; return the number of steps."""
    leaf_a, leaf_b = leaves[0], leaves[1]
    counter = workspace.counter
    first_a, count_a = forest_a.first[node_a], forest_a.count[node_a]
    first_b, count_b = forest_b.first[node_b], forest_b.count[node_b]
    steps = _LEAF_STEPS
    for i in range(count_a):
        load_triangle(forest_a, 0, first_a + i, poses[job, 0], leaf_a, i, indices[0])
    for j in range(count_b):
        load_triangle(forest_b, 0, first_b + j, poses[job, 1], leaf_b, j, indices[1])
        for i in range(count_a):
            if not boxes_meet(leaf_a, i, leaf_b, j, 0.0):
                continue
            state[PRIMITIVE_TESTS] += 1
            before = counter[0]
            kind = _kind(leaf_a[i], leaf_b[j], workspace)
            steps += _TRIANGLE_STEPS
            if counter[0] != before:
                state[EXACT_TESTS] += 1
                steps += _EXACT_STEPS
            if kind != TRIANGLES_APART:
                rows[job, TRIANGLE_A], rows[job, TRIANGLE_B] = indices[0, i], indices[1, j]
                rows[job, STATUS] = ASK_HOST if kind == UNDECIDED else MEET
                return steps
    return steps


@inner
def _kind(a, b, workspace):
    """Return how two loaded triangles meet."""
    p1, q1, r1 = (a[0], a[1], a[2]), (a[3], a[4], a[5]), (a[6], a[7], a[8])
    p2, q2, r2 = (b[0], b[1], b[2]), (b[3], b[4], b[5]), (b[6], b[7], b[8])
    kind = classify_generic(p1, q1, r1, p2, q2, r2)
    return classify_exact(p1, q1, r1, p2, q2, r2, workspace) if kind == UNDECIDED else kind


def best_first(volume: str) -> Callable:
    """Return the traversal kernel for one kind of volume.

    It takes (trees, jobs, poses, frames, p_min, options, state, rows, hazards, keys, entries, logs, leaves, indices,
    counter, expansions, zero); ``search.py`` describes and allocates them.
    """
    return _best_first(volume_named(volume).overlap)


@cache
def _best_first(overlap: Callable) -> Callable:
    def search(
        trees, jobs, poses, frames, p_min, options, state, rows, hazards, keys, entries, logs, leaves, indices,
        counter, expansions, zero,
    ):  # fmt: skip
        workspace = by_reference(ExactWorkspace(counter, expansions))
        width, antichain, refine = options[WIDTH], options[ANTICHAIN] != 0, options[REFINE] != 0
        used = state[USED]
        steps = 0
        room = keys.shape[0] - 4
        while used > 0 and steps < options[STEP_LIMIT] and used <= room and (refine or state[OPEN_JOBS] > 0):
            steps += 1
            key = keys[0]
            job, node_a, node_b = entries[0, JOB], entries[0, NODE_A], entries[0, NODE_B]
            aside = entries[0, SET_ASIDE]
            used = drop_top(keys, entries, used)
            status = rows[job, STATUS]
            if status > COUNTED_ENOUGH:
                continue
            last = LAST if status == COUNTED_ENOUGH else 0.0
            if last > 0.0 and key > -ASIDE:
                used = push(keys, entries, used, key - LAST, job, node_a, node_b, aside)
                continue
            sum_of_hazards = hazards[job] - hazard(probability_of(key, aside))
            left = rows[job, LEFT] - 1
            first_a, count_a, volumes_a, boxes_a, cells_a, heights_a = nodes_at(trees, jobs[job, 0], width)
            first_b, count_b, volumes_b, boxes_b, cells_b, heights_b = nodes_at(trees, jobs[job, 1], width)
            heights = rows[job, HEIGHTS] - _together(heights_a, node_a, heights_b, node_b)
            filled = rows[job, FILLED] - _together(cells_a, node_a, cells_b, node_b)
            leaf_a, leaf_b = count_a[node_a] > 0, count_b[node_b] > 0
            if leaf_a and leaf_b:
                steps += _test_leaves(
                    forest_at(trees, jobs[job, 0], width, zero), forest_at(trees, jobs[job, 1], width, zero), job,
                    node_a, node_b, poses, rows, state, leaves, indices, workspace,
                )  # fmt: skip
            else:
                rows[job, OPENED] += 1
                for i in range(1 if leaf_a else 2):
                    child_a = node_a if leaf_a else first_a[node_a] + i
                    for j in range(1 if leaf_b else 2):
                        child_b = node_b if leaf_b else first_b[node_b] + j
                        state[VOLUME_TESTS] += 1
                        rows[job, TESTED] += 1
                        steps += 1
                        if not overlap(volumes_a[child_a], volumes_b[child_b], frames[job]):
                            continue
                        p = pair_probability(
                            boxes_a, cells_a, heights_a, child_a, boxes_b, cells_b, heights_b, child_b, frames[job],
                            logs,
                        )  # fmt: skip
                        inner_pair = count_a[child_a] == 0 or count_b[child_b] == 0
                        counts = inner_pair and aside == 0 and p >= p_min
                        rows[job, COUNTED] += counts
                        waits = antichain and (counts or aside != 0)
                        p = min(max(np.floor(p / GRAIN) * GRAIN, FAINTEST), SUREST)
                        sum_of_hazards += hazard(p)
                        left += 1
                        rows[job, MET] += 1
                        heights += _together(heights_a, child_a, heights_b, child_b)
                        filled += _together(cells_a, child_a, cells_b, child_b)
                        key = p - last - (ASIDE if waits else 0.0)
                        used = push(keys, entries, used, key, job, child_a, child_b, waits)
                if rows[job, COUNTED] >= options[K_MIN] and rows[job, STATUS] == OPEN:
                    rows[job, STATUS] = COUNTED_ENOUGH
            if left == 0 and rows[job, STATUS] <= COUNTED_ENOUGH:
                rows[job, STATUS] = APART
                sum_of_hazards = 0.0
            hazards[job], rows[job, LEFT], rows[job, HEIGHTS], rows[job, FILLED] = sum_of_hazards, left, heights, filled
            state[OPEN_JOBS] -= status == OPEN and rows[job, STATUS] != OPEN
        state[USED] = used
        state[STEPS] += steps

    return kernel(search)
