"""Nearest pair of triangles, or all pairs within a tolerance: eight boxes and triangles at a time.

Entries are pairs of slots (8 times a node plus a child's number: a box and what is in it) with the squared gap of their
boxes. Each step takes off one pair; unless both are leaves, the larger is opened, its up to eight children are compared
with the other's box at once, and those that may matter are put on.

Without a pair to start from the search is best-first, by a heap: no pair of boxes farther apart than the result is ever
opened. With one, and when all pairs within a tolerance are asked for, the order hardly matters and a stack is cheaper.
"""

import numpy as np

from ..geometry.lane_filters import SLACK, copy_leaf, turn_leaf
from ..geometry.lane_gaps import (
    gaps_of_first,
    gaps_of_second,
    have_plane_near,
    near_box_of,
    near_enough,
    near_plane_of,
    near_square,
    slot_size,
)
from ..geometry.lanes import lowest_bit
from ..geometry.relative_pose import SHRINK
from ..hierarchy.wide import CHILD_COUNT, CHILDREN, LANE_COUNT
from ..jit import inlined, kernel
from .near_leaf import (
    CHAINED,
    NEAREST,
    ORDERED,
    STEP_LIMIT,
    UNCERTAIN,
    keep_nearer,
    leaf_distance,
    place_triangle,
    pruning_limit,
    rounding_of,
)
from .pair_heap import heap_pop, heap_push, stack_push
from .pairs import JOB, OUTPUT_USED, PRIMITIVE_TESTS, STACK_USED, VOLUME_TESTS, load_triangle


@inlined
def _push_all(slot_a, slot_b, first, into_a, bits, gaps, ordered, stack, bounds, used, base):
    """Put pairs with children of an opened node on, whose slots begin with ``first``; returns entries used."""
    while bits != 0:
        k = lowest_bit(bits)
        bits &= bits - 1
        a = first + k if into_a else slot_a
        b = slot_b if into_a else first + k
        if ordered:
            used = heap_push(stack, bounds, used, a, b, gaps[k])
        else:
            used = stack_push(stack, bounds, used, a, b, gaps[k], base)
    return used


@inlined
def _open_larger(wide_a, wide_b, start_a, start_b, slot_a, slot_b, frame, near, gaps, ordered, stack, bounds, used):
    """Open one of two slots that are not both leaves; returns (entries used, tests done)."""
    child_a = np.int64(wide_a.words[start_a + (slot_a >> 3), CHILDREN + (slot_a & 7)])
    child_b = np.int64(wide_b.words[start_b + (slot_b >> 3), CHILDREN + (slot_b & 7)])
    at_a, at_b = slot_a + 8 * start_a, slot_b + 8 * start_b
    into_a = child_b < 0 or (child_a >= 0 and slot_size(wide_a.nodes, at_a) >= slot_size(wide_b.nodes, at_b))
    if into_a:
        tests = np.int64(wide_a.words[start_a + child_a, CHILD_COUNT])
        gaps_of_first(wide_a.nodes, start_a + child_a, wide_b.nodes, at_b, frame, gaps)
    else:
        tests = np.int64(wide_b.words[start_b + child_b, CHILD_COUNT])
        gaps_of_second(wide_a.nodes, at_a, wide_b.nodes, start_b + child_b, frame, gaps)
    bits = near_enough(gaps, near) & ((1 << tests) - 1)
    first = 8 * (child_a if into_a else child_b)
    return _push_all(slot_a, slot_b, first, into_a, bits, gaps, ordered, stack, bounds, used, used), tests


@inlined
def _open_roots(wide_a, wide_b, start_a, start_b, frame, near, gaps, ordered, stack, bounds):
    """Children of one root against those of the other; returns (entries used, tests done)."""
    used = 0
    tests = np.int64(0)
    count_a = np.int64(wide_a.words[start_a, CHILD_COUNT])
    count_b = np.int64(wide_b.words[start_b, CHILD_COUNT])
    for slot_b in range(count_b):
        gaps_of_first(wide_a.nodes, start_a, wide_b.nodes, 8 * start_b + slot_b, frame, gaps)
        tests += count_a
        bits = near_enough(gaps, near) & ((1 << count_a) - 1)
        used = _push_all(0, slot_b, 0, True, bits, gaps, ordered, stack, bounds, used, 0)
    return used, tests


@inlined
def _leaf(words, start, slot):
    """(first, count) of the leaf in a slot."""
    packed = ~np.int64(words[start + (slot >> 3), CHILDREN + (slot & 7)])
    return packed >> 3, (packed & 7) + 1


@kernel
def traverse_near(
    forest_a, forest_b, wide_a, wide_b, jobs, poses_a, poses_b, relative, narrow, errors, options, state, stack, bounds,
    scratch, found, output,
):  # fmt: skip
    """Go on with a nearness query from its state; returns True when all jobs are done.

    ``found`` holds for each job the distance so far (or the tolerance), the two points, and the pair (-1: none; when
    the job begins, a pair to start from). With the option NEAREST it is improved; without, every pair within the
    distance goes to ``output`` (pairs, distances, jobs), also one that is uncertain. ``errors`` are described in
    ``near_leaf.py``; the rest is as in ``traverse_wide``. The kernel also returns when a heap might overflow.
    """
    blocks, gaps, leaf_a, leaf_b, indices_a, indices_b = scratch
    distances, _, known = found
    pairs, lengths, pair_jobs = output
    block, rows = blocks
    nearest = options[NEAREST] != 0
    room = pairs.shape[0] - leaf_a.shape[0] * leaf_b.shape[0]
    job = state[JOB]
    used = state[STACK_USED]
    count = state[OUTPUT_USED]
    volume_tests = state[VOLUME_TESTS]
    primitive_tests = state[PRIMITIVE_TESTS]
    steps = options[STEP_LIMIT]
    ordered = state[ORDERED] != 0
    full = bounds.shape[0] - LANE_COUNT
    while job < jobs.shape[0] and steps > 0 and (nearest or count <= room) and used < full:
        tree_a = jobs[job, 0]
        tree_b = jobs[job, 1]
        start_a = wide_a.node_start[tree_a]
        start_b = wide_b.node_start[tree_b]
        frame = narrow[job]
        slack = frame[SLACK]
        shrink = relative[job, SHRINK]
        limit = distances[job]
        if used == 0:
            steps -= 1
            if nearest:
                t, u = np.int64(known[job, 0]), np.int64(known[job, 1])
                if t < 0 and options[CHAINED] != 0 and job > 0:
                    t, u = np.int64(known[job - 1, 0]), np.int64(known[job - 1, 1])
                known[job, 0] = -1
                ordered = t < 0
                if t >= 0:
                    primitive_tests += 1
                    place_triangle(forest_a, tree_a, t, poses_a[job], leaf_a, 0)
                    place_triangle(forest_b, tree_b, u, poses_b[job], leaf_b, 0)
                    distance, x, y = leaf_distance(leaf_a, 0, leaf_b, 0)
                    keep_nearer(found, job, distance, t, u, x, y)
                limit = pruning_limit(distances[job], errors)
            if nearest and known[job, 0] >= 0 and distances[job] == 0.0:
                job += 1
                continue
            used, tests = _open_roots(
                wide_a, wide_b, start_a, start_b, frame, near_square(limit, shrink), gaps, ordered, stack, bounds
            )
            volume_tests += tests
        elif nearest:
            limit = pruning_limit(distances[job], errors)
        near = near_square(limit, shrink)
        while used > 0 and steps > 0 and (nearest or count <= room) and used < full:
            steps -= 1
            used = heap_pop(stack, bounds, used) if ordered else used - 1
            if bounds[used] > near:
                used = 0 if ordered else used
                continue
            slot_a = np.int64(stack[used, 0])
            slot_b = np.int64(stack[used, 1])
            inner_a = wide_a.words[start_a + (slot_a >> 3), CHILDREN + (slot_a & 7)] >= 0
            inner_b = wide_b.words[start_b + (slot_b >> 3), CHILDREN + (slot_b & 7)] >= 0
            if inner_a or inner_b:
                used, tests = _open_larger(
                    wide_a, wide_b, start_a, start_b, slot_a, slot_b, frame, near, gaps, ordered, stack, bounds, used
                )
                volume_tests += tests
                continue
            first_a, count_a = _leaf(wide_a.words, start_a, slot_a)
            first_b, count_b = _leaf(wide_b.words, start_b, slot_b)
            turn_leaf(wide_b.coordinates, wide_b.coordinate_start[tree_b] + 9 * first_b, count_b, frame, rows)
            copy_leaf(wide_a.coordinates, wide_a.coordinate_start[tree_a] + 9 * first_a, count_a, block)
            loaded = np.int64(0)
            for j in range(count_b):
                bits = near_box_of(block, rows, j, slack, near) & ((1 << count_a) - 1)
                if bits != 0:
                    bits &= near_plane_of(block, rows, j, frame, near)
                if bits != 0:
                    bits &= have_plane_near(block, rows, j, frame, near)
                if bits == 0:
                    continue
                load_triangle(forest_b, tree_b, first_b + j, poses_b[job], leaf_b, j, indices_b)
                while bits != 0:
                    i = lowest_bit(bits)
                    bits &= bits - 1
                    if not (loaded >> i) & 1:
                        load_triangle(forest_a, tree_a, first_a + i, poses_a[job], leaf_a, i, indices_a)
                        loaded |= 1 << i
                    primitive_tests += 1
                    distance, x, y = leaf_distance(leaf_a, i, leaf_b, j)
                    uncertain = distance <= rounding_of(leaf_a, i, leaf_b, j, errors[UNCERTAIN])
                    if nearest:
                        keep_nearer(
                            found,
                            job,
                            0.0 if uncertain else distance,
                            np.int64(indices_a[i]),
                            np.int64(indices_b[j]),
                            x,
                            y,
                        )
                    elif uncertain or distance <= limit:
                        pairs[count, 0] = indices_a[i]
                        pairs[count, 1] = indices_b[j]
                        lengths[count] = distance
                        pair_jobs[count] = job
                        count += 1
                if nearest:
                    limit = pruning_limit(distances[job], errors)
                    near = near_square(limit, shrink)
            if nearest and distances[job] == 0.0:
                used = 0
        if used == 0:
            job += 1
    state[JOB] = job
    state[ORDERED] = ordered
    state[STACK_USED] = used
    state[OUTPUT_USED] = count
    state[VOLUME_TESTS] = volume_tests
    state[PRIMITIVE_TESTS] = primitive_tests
    return job == jobs.shape[0]
