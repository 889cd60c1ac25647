"""Nearest pair of triangles, or all pairs within a tolerance: eight boxes and triangles at a time.

Entries are pairs of slots as in ``wide.py``, with the squared gap of their boxes. Each step takes off one pair; unless
both are leaves, the larger is opened, its up to eight children are compared with the other's box at once, and those
that may matter are put on.

Without a pair to start from the search is best-first, by a heap: no pair of boxes farther apart than the result is ever
opened. With one, and when all pairs within a tolerance are asked for, the order hardly matters and a stack is cheaper.
The direction between the nearest points so far helps to tell boxes and triangles apart, and the directions of the pairs
measured last help with triangles (``lane_gaps.py``).
"""

import math

import numpy as np

from ..geometry.lane_boxes import box_size
from ..geometry.lane_gaps import (
    FRAME_LENGTH,
    RECENT_COUNT,
    forget_directions,
    gaps_of_first,
    gaps_of_second,
    have_plane_near,
    lay_heights,
    near_along,
    near_box_of,
    near_in_height,
    near_plane_of,
    near_square,
    note_direction,
    recent_entry,
    set_direction,
    set_slabs,
)
from ..geometry.lane_triangles import BLOCK, copy_leaf, place_leaves, turn_leaf
from ..geometry.lanes import doubles, floats, integers, lowest_bit, not_above, shifted, splat, store
from ..geometry.relative_pose import PRODUCTS, ROW_LENGTH, SCRATCH_LENGTH, shrink_of
from ..geometry.triangle_distance import closest_of_triangles
from ..hierarchy.wide import CHILD_COUNT, CHILDREN, LANE_COUNT
from ..jit import inlined, inner, kernel
from .near_leaf import CHAINED, NEAREST, ORDERED, STEP_LIMIT, UNCERTAIN, keep_nearer, pruning_limit, take_known
from .pair_heap import heap_pop, heap_push, stack_push
from .pairs import JOB, OUTPUT_USED, PRIMITIVE_TESTS, STACK_USED, VOLUME_TESTS
from .wide import COORDINATES, NODES, ORDER, ROOT, SIZES, TRIANGLES, VERTICES, corner, set_frame

# The parts of the float32 scratch; eight numbers more than a part has may be read, and are masked.
_GAPS = FRAME_LENGTH
_HEIGHTS = _GAPS + LANE_COUNT
_ROWS = _HEIGHTS + 3 * LANE_COUNT
_BLOCK = _ROWS + BLOCK + 8
SINGLES = _BLOCK + BLOCK + 8
DOUBLES = ROW_LENGTH + SCRATCH_LENGTH
"""Numbers of the float64 scratch."""
MOST_OF_TWO_LEAVES = LANE_COUNT**2


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
def _near_of(single, j, bits, slack, products, near, newest, tried):
    """Those bits whose triangles of a's leaf may be near triangle j of b's.

    ``newest`` is the number of the pair measured last, ``tried`` how many directions of such pairs to try.
    """
    rows, block = shifted(single, _ROWS), shifted(single, _BLOCK)
    if bits != 0:
        bits &= near_box_of(block, rows, j, slack, near)
    for k in range(tried):
        if bits == 0:
            break
        bits &= near_along(block, rows, j, slack, single, recent_entry(newest - k), near)
    if bits != 0:
        bits &= near_plane_of(block, rows, j, slack, products, near)
    if bits != 0:
        bits &= have_plane_near(block, rows, j, slack, products, near)
    return bits


@inlined
def _world(trees, tree, t, poses, pose):
    """World coordinates of the corners of a triangle."""
    corners, vertices = shifted(integers(trees[tree, TRIANGLES]), 3 * t), doubles(trees[tree, VERTICES])
    p = corner(vertices, np.int64(corners[0]), poses, pose)
    q = corner(vertices, np.int64(corners[1]), poses, pose)
    r = corner(vertices, np.int64(corners[2]), poses, pose)
    return p, q, r


@inlined
def _largest(p, q, r):
    """Largest absolute coordinate of three points."""
    size = 0.0
    for k in range(3):
        size = max(size, abs(p[k]), abs(q[k]), abs(r[k]))
    return size


@inner
def _distance_of(trees_a, tree_a, t, poses_a, pose_a, trees_b, tree_b, u, poses_b, pose_b, share):
    """(distance [m], nearest points, whether rounding may hide that they meet) of two triangles.

    It may where the distance is below a share of the coordinates.
    """
    p1, q1, r1 = _world(trees_a, tree_a, t, poses_a, pose_a)
    p2, q2, r2 = _world(trees_b, tree_b, u, poses_b, pose_b)
    square, x, y = closest_of_triangles(p1, q1, r1, p2, q2, r2)
    distance = math.sqrt(square)
    return distance, x, y, distance <= share * max(_largest(p1, q1, r1), _largest(p2, q2, r2))


@inner
def _direction(poses_a, pose_a, x, y):
    """The unit vector from one world point to another in a's frame; zero where they are one."""
    dx, dy, dz = y[0] - x[0], y[1] - x[1], y[2] - x[2]
    u = poses_a[pose_a] * dx + poses_a[pose_a + 4] * dy + poses_a[pose_a + 8] * dz
    v = poses_a[pose_a + 1] * dx + poses_a[pose_a + 5] * dy + poses_a[pose_a + 9] * dz
    w = poses_a[pose_a + 2] * dx + poses_a[pose_a + 6] * dy + poses_a[pose_a + 10] * dz
    length = math.sqrt(u * u + v * v + w * w)
    if length == 0.0:
        return 0.0, 0.0, 0.0
    return u / length, v / length, w / length


@kernel
def traverse_near(
    trees_a, trees_b, slabs_a, slabs_b, sizes_a, sizes_b, jobs, poses_a, poses_b, errors, options, state, stack, bounds,
    singles, rows, found, output,
):  # fmt: skip
    """Go on with a nearness query from its state; returns True when all jobs are done.

    ``trees`` (t, ADDRESSES) int64 and ``sizes`` (t, SIZES) describe the trees of each side, as in ``traverse_wide``;
    ``slabs`` (t,) int64 are the addresses of their slabs, 0 for none; only nearest pairs use them. Poses are (k, 3, 4),
    one for each job. ``found`` holds for each job the distance so far (or the tolerance), the two points, and the pair
    (-1: none; when the job begins, a pair to start from). With the option NEAREST it is improved; without, every pair
    within the distance goes to ``output`` (pairs, distances, jobs), also one that is uncertain.
    ``errors`` are described in ``near_leaf.py``; ``singles`` and ``rows`` are scratch, of which the directions are kept
    from call to call. The kernel also returns when the stack might overflow.
    """
    distances, _, known = found
    pairs, lengths, pair_jobs = output
    single, row = floats(singles.ctypes.data), doubles(rows.ctypes.data)
    heights, block_a, block_b = shifted(single, _HEIGHTS), shifted(single, _BLOCK), shifted(single, _ROWS)
    poses_1, poses_2 = doubles(poses_a.ctypes.data), doubles(poses_b.ctypes.data)
    sizes_1, sizes_2 = doubles(sizes_a.ctypes.data), doubles(sizes_b.ctypes.data)
    nearest = options[NEAREST] != 0
    tried = RECENT_COUNT if nearest else 0
    room = pairs.shape[0] - MOST_OF_TWO_LEAVES
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
        pose = 12 * job
        set_frame(poses_1, pose, poses_2, pose, sizes_1, SIZES * tree_a, sizes_2, SIZES * tree_b, row, single)
        shrink = shrink_of(poses_1, pose, poses_2, pose)
        products = single[PRODUCTS]
        nodes_a, words_a = floats(trees_a[tree_a, NODES]), integers(trees_a[tree_a, NODES])
        nodes_b, words_b = floats(trees_b[tree_b, NODES]), integers(trees_b[tree_b, NODES])
        coordinates_a, coordinates_b = floats(trees_a[tree_a, COORDINATES]), floats(trees_b[tree_b, COORDINATES])
        slabs_1, slabs_2 = floats(slabs_a[tree_a]), floats(slabs_b[tree_b])
        order_a, order_b = integers(trees_a[tree_a, ORDER]), integers(trees_b[tree_b, ORDER])
        if used == 0:
            forget_directions(single)
            set_slabs(single, nearest and slabs_a[tree_a] != 0 and slabs_b[tree_b] != 0)
            if nearest:
                t, u = take_known(known, job, options[CHAINED] != 0)
                ordered = t < 0
                if not ordered:
                    distance, x, y, _ = _distance_of(
                        trees_a, tree_a, t, poses_1, pose, trees_b, tree_b, u, poses_2, pose, 0.0
                    )
                    keep_nearer(found, job, distance, t, u, x, y)
                    set_direction(single, *_direction(poses_1, pose, x, y))
                    primitive_tests += 1
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
                tests = np.int64(words_a[64 * child_a + CHILD_COUNT] if into_a else words_b[64 * child_b + CHILD_COUNT])
                mask = (1 << tests) - 1
                if into_a:
                    gaps = gaps_of_first(
                        nodes_a, slabs_1, 64 * child_a, nodes_b, slabs_2, box_b, single, near, mask
                    )  # fmt: skip
                else:
                    gaps = gaps_of_second(
                        nodes_b, slabs_2, 64 * child_b, nodes_a, slabs_1, box_a, single, near, mask
                    )  # fmt: skip
                volume_tests += tests
                bits = not_above(gaps, splat(near)) & mask
                store(single, _GAPS, gaps)
                first = 8 * (child_a if into_a else child_b)
                used = _push_all(
                    slot_a, slot_b, first, into_a, bits, shifted(single, _GAPS), ordered, stack, bounds, used
                )
                continue
            first_a, count_a = ~child_a >> 3, (~child_a & 7) + 1
            first_b, count_b = ~child_b >> 3, (~child_b & 7) + 1
            shift, slack = place_leaves(nodes_a, box_a, nodes_b, box_b, row, single)
            candidates = lay_heights(
                coordinates_a, 9 * first_a, count_a, coordinates_b, 9 * first_b, count_b, single, shift, slack, heights,
                near,
            )  # fmt: skip
            if candidates == 0:
                continue
            turn_leaf(coordinates_b, 9 * first_b, count_b, single, shift, block_b)
            copy_leaf(coordinates_a, 9 * first_a, count_a, block_a)
            while candidates != 0:
                j = lowest_bit(candidates)
                candidates &= candidates - 1
                bits = near_in_height(heights, j, near) & ((1 << count_a) - 1)
                bits = _near_of(single, j, bits, slack, products, near, primitive_tests, tried)
                while bits != 0:
                    i = lowest_bit(bits)
                    bits &= bits - 1
                    t, u = np.int64(order_a[first_a + i]), np.int64(order_b[first_b + j])
                    primitive_tests += 1
                    distance, x, y, uncertain = _distance_of(
                        trees_a, tree_a, t, poses_1, pose, trees_b, tree_b, u, poses_2, pose, errors[UNCERTAIN]
                    )
                    if nearest:
                        direction = _direction(poses_1, pose, x, y)
                        note_direction(single, primitive_tests, *direction)
                        if keep_nearer(found, job, 0.0 if uncertain else distance, t, u, x, y):
                            set_direction(single, *direction)
                            limit = pruning_limit(distances[job], errors)
                            near = near_square(limit, shrink)
                            bits = _near_of(single, j, bits, slack, products, near, primitive_tests, tried)
                        elif bits != 0:
                            newest = recent_entry(primitive_tests)
                            bits &= near_along(block_a, block_b, j, slack, single, newest, near)
                    elif uncertain or distance <= limit:
                        pairs[count, 0], pairs[count, 1] = t, u
                        lengths[count] = distance
                        pair_jobs[count] = job
                        count += 1
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
