"""The traversal eight at a time: ``pairs.py`` for boxes and contacts, with the same state, options, output and pairs.

Boxes and triangles are sifted by the float32 filters of ``lane_filters.py``; what they leave is decided as in
``pairs.py``. The stack holds pairs of references: a node from 0 on stands for all its children, a negative reference
``~(8 * node + k)`` for the leaf that is child k of that node. Each step takes off one pair: two leaves are tested,
otherwise the children of both sides are tested against each other and those that may meet are put on.
"""

import numpy as np

from ..geometry.generic_pair import classify_generic
from ..geometry.lane_filters import (
    SLACK,
    boxes_meet,
    copy_leaf,
    have_plane_reached_by,
    meet_box_of,
    place_first,
    place_second,
    reach_plane_of,
    triangles_in_box,
    turn_leaf,
)
from ..geometry.lanes import lowest_bit
from ..geometry.triangle_pair import APART, CROSSING, UNDECIDED, classify_exact
from ..hierarchy.wide import CHILD_COUNT, CHILDREN
from ..jit import inlined, kernel
from ..volumes.aabb import overlap
from . import pairs as exact_side
from .pairs import (
    CROSSING_ONLY,
    EXACT_TESTS,
    FIRST_ONLY,
    JOB,
    OUTPUT_USED,
    PRIMITIVE_TESTS,
    STACK_USED,
    STEP_LIMIT,
    VOLUME_TESTS,
    load_triangle,
)

_ALL = 255
_triangle_boxes_meet = exact_side.boxes_meet


@inlined
def _leaf(words, start, reference):
    """(first, count) of the leaf that a negative reference names."""
    slot = ~reference
    packed = ~words[start + (slot >> 3), CHILDREN + (slot & 7)]
    return packed >> 3, (packed & 7) + 1


@inlined
def _child(words, node, k, own):
    """Reference to child k of a node; ``own`` is the node's index in its tree."""
    child = words[node, CHILDREN + k]
    return child if child >= 0 else ~(8 * own + k)


@inlined
def _open_pair(wide_a, wide_b, start_a, start_b, reference_a, reference_b, frame, placed, stack, used):
    """Test children against children, put those that may meet on the stack; returns (entries used, tests done)."""
    first, second = placed
    own_a = reference_a if reference_a >= 0 else (~reference_a) >> 3
    own_b = reference_b if reference_b >= 0 else (~reference_b) >> 3
    node_a = start_a + own_a
    node_b = start_b + own_b
    place_first(wide_a.nodes, 64 * node_a, frame, first)
    place_second(wide_b.nodes, 64 * node_b, frame, second)
    begin, end = 0, np.int64(wide_a.words[node_a, CHILD_COUNT])
    if reference_a < 0:
        begin = (~reference_a) & 7
        end = begin + 1
    asked = (1 << np.int64(wide_b.words[node_b, CHILD_COUNT])) - 1
    tests = (end - begin) * np.int64(wide_b.words[node_b, CHILD_COUNT])
    if reference_b < 0:
        asked = 1 << ((~reference_b) & 7)
        tests = end - begin
    for i in range(begin, end):
        bits = boxes_meet(first, i, second, frame) & asked
        child_a = _child(wide_a.words, node_a, i, own_a)
        while bits != 0:
            j = lowest_bit(bits)
            bits &= bits - 1
            stack[used, 0] = child_a
            stack[used, 1] = _child(wide_b.words, node_b, j, own_b)
            used += 1
    return used, tests


@inlined
def _sift_leaves(wide_a, wide_b, at_a, count_a, at_b, count_b, box, frame, blocks, sifted):
    """Triangles of a's leaf that may meet each triangle of b's: bits into ``sifted`` (8,); returns b's bits."""
    block, rows = blocks
    slack = frame[SLACK]
    turn_leaf(wide_b.coordinates, at_b, count_b, frame, rows)
    nodes, node, k = wide_a.nodes, box[0], box[1]
    candidates = triangles_in_box(
        rows, nodes[node, k] - slack, nodes[node, 8 + k] - slack, nodes[node, 16 + k] - slack,
        nodes[node, 24 + k] + slack, nodes[node, 32 + k] + slack, nodes[node, 40 + k] + slack,
    ) & ((1 << count_b) - 1)  # fmt: skip
    if candidates == 0:
        return candidates
    copy_leaf(wide_a.coordinates, at_a, count_a, block)
    kept = np.int64(0)
    while candidates != 0:
        j = lowest_bit(candidates)
        candidates &= candidates - 1
        bits = meet_box_of(block, rows, j, slack) & ((1 << count_a) - 1)
        if bits != 0:
            bits &= reach_plane_of(block, rows, j, frame)
        if bits != 0:
            bits &= have_plane_reached_by(block, rows, j, frame)
        if bits != 0:
            sifted[j] = bits
            kept |= 1 << j
    return kept


@inlined
def _triangle(leaf, i):
    a = leaf[i]
    return (a[0], a[1], a[2]), (a[3], a[4], a[5]), (a[6], a[7], a[8])


@kernel
def traverse_wide(
    forest_a, forest_b, wide_a, wide_b, jobs, poses_a, poses_b, relative, narrow, options, state, stack, scratch, output
):
    """Go on with a question from its state; returns True when all jobs are done. Arrays as in ``pair_traversal``.

    ``wide_a``, ``wide_b`` are WideForest, ``narrow`` (k, 23) the rows of ``narrow_rows``.
    """
    placed, blocks, sifted, leaf_a, leaf_b, indices_a, indices_b, workspace = scratch
    counter = workspace[0]
    pairs, kinds, pair_jobs = output
    room = pairs.shape[0] - leaf_a.shape[0] * leaf_b.shape[0]
    job = state[JOB]
    used = state[STACK_USED]
    found = state[OUTPUT_USED]
    volume_tests = state[VOLUME_TESTS]
    primitive_tests = state[PRIMITIVE_TESTS]
    exact_tests = state[EXACT_TESTS]
    steps = options[STEP_LIMIT]
    while job < jobs.shape[0] and steps > 0 and found <= room:
        tree_a = jobs[job, 0]
        tree_b = jobs[job, 1]
        if used == 0:
            steps -= 1
            volume_tests += 1
            root_a = forest_a.volumes[forest_a.node_start[tree_a]]
            if not overlap(root_a, forest_b.volumes[forest_b.node_start[tree_b]], relative[job]):
                job += 1
                continue
            stack[0, 0] = 0
            stack[0, 1] = 0
            used = 1
        start_a = wide_a.node_start[tree_a]
        start_b = wide_b.node_start[tree_b]
        frame = narrow[job]
        stop = False
        while used > 0 and steps > 0 and found <= room:
            steps -= 1
            used -= 1
            reference_a = np.int64(stack[used, 0])
            reference_b = np.int64(stack[used, 1])
            if reference_a >= 0 or reference_b >= 0:
                used, tests = _open_pair(
                    wide_a, wide_b, start_a, start_b, reference_a, reference_b, frame, placed, stack, used
                )
                volume_tests += tests
                continue
            first_a, count_a = _leaf(wide_a.words, start_a, reference_a)
            first_b, count_b = _leaf(wide_b.words, start_b, reference_b)
            at_a = wide_a.coordinate_start[tree_a] + 9 * first_a
            at_b = wide_b.coordinate_start[tree_b] + 9 * first_b
            box = (start_a + (~reference_a >> 3), ~reference_a & 7)
            rows = _sift_leaves(wide_a, wide_b, at_a, count_a, at_b, count_b, box, frame, blocks, sifted)
            loaded = np.int64(0)
            while rows != 0 and not stop:
                j = lowest_bit(rows)
                rows &= rows - 1
                load_triangle(forest_b, tree_b, first_b + j, poses_b[job], leaf_b, j, indices_b)
                bits = sifted[j]
                while bits != 0 and not stop:
                    i = lowest_bit(bits)
                    bits &= bits - 1
                    if not (loaded >> i) & 1:
                        load_triangle(forest_a, tree_a, first_a + i, poses_a[job], leaf_a, i, indices_a)
                        loaded |= 1 << i
                    if not _triangle_boxes_meet(leaf_a, i, leaf_b, j, 0.0):
                        continue
                    primitive_tests += 1
                    p1, q1, r1 = _triangle(leaf_a, i)
                    p2, q2, r2 = _triangle(leaf_b, j)
                    kind = classify_generic(p1, q1, r1, p2, q2, r2)
                    if kind == UNDECIDED:
                        before = counter[0]
                        kind = classify_exact(p1, q1, r1, p2, q2, r2, workspace)
                        exact_tests += counter[0] != before
                    if kind == APART or (options[CROSSING_ONLY] != 0 and kind != CROSSING and kind != UNDECIDED):
                        continue
                    pairs[found, 0] = indices_a[i]
                    pairs[found, 1] = indices_b[j]
                    kinds[found] = kind
                    pair_jobs[found] = job
                    found += 1
                    stop = options[FIRST_ONLY] != 0 and kind != UNDECIDED
            if stop:
                used = 0
        if used == 0:
            job += 1
    state[JOB] = job
    state[STACK_USED] = used
    state[OUTPUT_USED] = found
    state[VOLUME_TESTS] = volume_tests
    state[PRIMITIVE_TESTS] = primitive_tests
    state[EXACT_TESTS] = exact_tests
    return job == jobs.shape[0]
