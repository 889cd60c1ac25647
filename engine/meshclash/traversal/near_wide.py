"""Nearest pair of triangles, or all pairs within a tolerance: eight boxes and triangles at a time.

Entries are pairs of slots as in ``wide.py``, with the squared gap of their boxes. Each step takes off one pair; unless
both are leaves, the larger is opened, its up to eight children are compared with the other's box at once, and those
that may matter are put on.

Without a pair to start from the search is best-first, by a heap: no pair of boxes farther apart than the result is ever
opened. With one, and when all pairs within a tolerance are asked for, the order hardly matters and a stack is cheaper.
"""

import numpy as np

from ..geometry.lane_boxes import box_size
from ..geometry.lane_gaps import (
    gaps_of_first,
    gaps_of_second,
    have_plane_near,
    near_box_of,
    near_plane_of,
    near_square,
)
from ..geometry.lane_triangles import BLOCK, copy_leaf, place_leaves, turn_leaf
from ..geometry.lanes import doubles, floats, integers, lowest_bit, not_above, shifted, splat, store
from ..geometry.relative_pose import NARROW_LENGTH, PRODUCTS, ROW_LENGTH, SHRINK
from ..hierarchy.wide import CHILD_COUNT, CHILDREN, LANE_COUNT
from ..jit import inlined, inner, kernel
from .near_leaf import (
    CHAINED,
    NEAREST,
    ORDERED,
    STEP_LIMIT,
    UNCERTAIN,
    keep_nearer,
    leaf_distance,
    pruning_limit,
    rounding_of,
    start_from_known,
)
from .pair_heap import heap_pop, heap_push, stack_push
from .pairs import JOB, OUTPUT_USED, PRIMITIVE_TESTS, STACK_USED, VOLUME_TESTS, load_triangle
from .wide import COORDINATES, NODES, ROOT

# The parts of the float32 scratch; eight numbers more than a part has may be read, and are masked.
_ROWS = LANE_COUNT
_BLOCK = _ROWS + BLOCK + 8
SINGLES = _BLOCK + BLOCK + 8


@inlined
def _push_all(slot_a, slot_b, first, into_a, bits, gaps, ordered, stack, bounds, used):
    """Put pairs with children of an opened node on, whose slots begin with ``first``; returns entries used."""
    base = used
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


@inner
def _near_of(single, j, count_a, slack, products, near):
    """Bits of the triangles of a's leaf that may be near triangle j of b's."""
    rows, block = shifted(single, _ROWS), shifted(single, _BLOCK)
    bits = near_box_of(block, rows, j, slack, near) & ((1 << count_a) - 1)
    if bits != 0:
        bits &= near_plane_of(block, rows, j, slack, products, near)
    if bits != 0:
        bits &= have_plane_near(block, rows, j, slack, products, near)
    return bits


@kernel
def traverse_near(
    forest_a, forest_b, trees_a, trees_b, jobs, poses_a, poses_b, relative, narrow, errors, options, state, stack,
    bounds, singles, leaves, found, output,
):  # fmt: skip
    """Go on with a nearness query from its state; returns True when all jobs are done.

    ``trees`` (t, ADDRESSES) int64 describe the trees of each side, as in ``traverse_wide``. ``found`` holds for each
    job the distance so far (or the tolerance), the two points, and the pair (-1: none; when the job begins, a pair to
    start from). With the option NEAREST it is improved; without, every pair within the distance goes to ``output``
    (pairs, distances, jobs), also one that is uncertain. ``errors`` are described in ``near_leaf.py``; poses are (k, 3,
    4), rows of relative poses (k, 33) and (k, 24). The kernel also returns when the stack might overflow.
    """
    leaf_a, leaf_b, indices_a, indices_b = leaves
    distances = found[0]
    pairs, lengths, pair_jobs = output
    single = floats(singles.ctypes.data)
    wide_rows, narrow_rows = doubles(relative.ctypes.data), floats(narrow.ctypes.data)
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
        tree_a, tree_b = jobs[job, 0], jobs[job, 1]
        nodes_a, words_a = floats(trees_a[tree_a, NODES]), integers(trees_a[tree_a, NODES])
        nodes_b, words_b = floats(trees_b[tree_b, NODES]), integers(trees_b[tree_b, NODES])
        coordinates_a, coordinates_b = floats(trees_a[tree_a, COORDINATES]), floats(trees_b[tree_b, COORDINATES])
        row, frame = shifted(wide_rows, ROW_LENGTH * job), shifted(narrow_rows, NARROW_LENGTH * job)
        products = frame[PRODUCTS]
        shrink = relative[job, SHRINK]
        if used == 0:
            if nearest:
                ordered = not start_from_known(
                    forest_a, forest_b, tree_a, tree_b, poses_a[job], poses_b[job], leaf_a, leaf_b, found, job,
                    options[CHAINED] != 0,
                )  # fmt: skip
                primitive_tests += not ordered
            stack[0, 0], stack[0, 1] = trees_a[tree_a, ROOT], trees_b[tree_b, ROOT]
            bounds[0] = 0.0
            used = 1
        limit = pruning_limit(distances[job], errors) if nearest else distances[job]
        near = near_square(limit, shrink)
        while used > 0 and steps > 0 and (nearest or count <= room) and used < full:
            steps -= 1
            used = heap_pop(stack, bounds, used) if ordered else used - 1
            if bounds[used] > near:
                used = 0 if ordered else used
                continue
            slot_a, slot_b = np.int64(stack[used, 0]), np.int64(stack[used, 1])
            box_a, box_b = 64 * (slot_a >> 3) + (slot_a & 7), 64 * (slot_b >> 3) + (slot_b & 7)
            child_a, child_b = np.int64(words_a[box_a + CHILDREN]), np.int64(words_b[box_b + CHILDREN])
            if child_a >= 0 or child_b >= 0:
                into_a = child_b < 0 or (child_a >= 0 and box_size(nodes_a, box_a) >= box_size(nodes_b, box_b))
                if into_a:
                    tests = np.int64(words_a[64 * child_a + CHILD_COUNT])
                    gaps = gaps_of_first(nodes_a, 64 * child_a, nodes_b, box_b, frame)
                else:
                    tests = np.int64(words_b[64 * child_b + CHILD_COUNT])
                    gaps = gaps_of_second(nodes_b, 64 * child_b, nodes_a, box_a, frame)
                volume_tests += tests
                bits = not_above(gaps, splat(near)) & ((1 << tests) - 1)
                store(single, 0, gaps)
                first = 8 * (child_a if into_a else child_b)
                used = _push_all(slot_a, slot_b, first, into_a, bits, single, ordered, stack, bounds, used)
                continue
            first_a, count_a = ~child_a >> 3, (~child_a & 7) + 1
            first_b, count_b = ~child_b >> 3, (~child_b & 7) + 1
            shift, slack = place_leaves(nodes_a, box_a, nodes_b, box_b, row, frame)
            turn_leaf(coordinates_b, 9 * first_b, count_b, frame, shift, shifted(single, _ROWS))
            copy_leaf(coordinates_a, 9 * first_a, count_a, shifted(single, _BLOCK))
            loaded = np.int64(0)
            for j in range(count_b):
                bits = _near_of(single, j, count_a, slack, products, near)
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
                    t, u = np.int64(indices_a[i]), np.int64(indices_b[j])
                    if nearest:
                        keep_nearer(found, job, 0.0 if uncertain else distance, t, u, x, y)
                    elif uncertain or distance <= limit:
                        pairs[count, 0], pairs[count, 1] = t, u
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
    state[STACK_USED] = used
    state[OUTPUT_USED] = count
    state[VOLUME_TESTS] = volume_tests
    state[PRIMITIVE_TESTS] = primitive_tests
    state[ORDERED] = ordered
    return job == jobs.shape[0]
