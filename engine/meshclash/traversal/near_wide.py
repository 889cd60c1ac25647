"""Find the nearest pair of triangles, or all pairs within a tolerance, with eight boxes and triangles at a time.

Entries are pairs of slots as in ``wide_traversal.py``, with the squared gap of their boxes. Each step pops one pair.
Unless both are leaves, the larger one is opened. Its up to eight children are compared with the other box at once, and
the children that are near enough are pushed.

If no pair to start from is given, a few descents, each to the child with the smallest gap, find one. The first
traversal uses only the boxes. The next ones also use the direction between the triangles found so far, until no nearer
pair is found. So almost the whole search knows this direction and a distance close to the result. If the objects are
near each other, the search is best-first with a heap: no pair of boxes farther apart than the result is ever opened. If
they are far apart, most pairs in a heap would have nearly the same bound. Then, or with a given pair to start from, or
when all pairs within a tolerance are wanted, the order hardly matters, and a stack is cheaper. The direction between
the nearest points so far helps to prune boxes and triangles, and directions between points measured earlier help to
prune triangles (``lane_gaps.py``).
"""

import math

import numpy as np
from numba import carray

from ..geometry.lane_boxes import box_size
from ..geometry.lane_gaps import (
    DIRECTION_COUNT,
    FRAME_LENGTH,
    HEIGHT_ROWS,
    HEIGHTS_LENGTH,
    direction_entry,
    forget_directions,
    gaps_of_first,
    gaps_of_second,
    have_plane_near,
    is_direction,
    lay_heights,
    near_box_of,
    near_in_heights,
    near_plane_of,
    near_square,
    note_direction,
    set_direction,
    set_slabs,
)
from ..geometry.lane_triangles import BLOCK, copy_leaf, place_leaves, turn_leaf
from ..geometry.lanes import doubles, floats, integers, longs, lowest_bit, not_above, shifted, splat, store
from ..geometry.relative_pose import PRODUCTS, ROW_LENGTH, SCRATCH_LENGTH, shrink_of
from ..geometry.triangle_distance import closest_of_triangles, largest_coordinate
from ..hierarchy.wide_bvh import CHILD_COUNT, CHILDREN, LANE_COUNT
from ..jit import inlined, inner, kernel, parallel_kernel, prange
from ..types.pose import plainly_rigid
from .near_leaf import (
    ABSOLUTE,
    ALONE,
    CHAINED,
    LOWER,
    NEAR_STATE_LENGTH,
    NEAREST,
    ORDERED,
    RELATIVE,
    ROUNDING,
    STEP_LIMIT,
    UPPER,
    keep_nearer,
    pruning_limit,
    take_known,
)
from .pair_heap import heap_pop, heap_push, stack_push
from .pairs import JOB, OUTPUT_USED, PRIMITIVE_TESTS, STACK_USED, VOLUME_TESTS
from .wide_traversal import ADDRESSES, COORDINATES, NODES, ORDER, ROOT, SIZES, TRIANGLES, VERTICES, corner, set_frame

# The parts of the float32 scratch. Reads may go up to eight numbers beyond a part; these are masked.
_GAPS = FRAME_LENGTH
_HEIGHTS = _GAPS + LANE_COUNT
_ROWS = _HEIGHTS + HEIGHTS_LENGTH
_BLOCK = _ROWS + BLOCK + 8
SINGLES = _BLOCK + BLOCK + 8
DOUBLES = ROW_LENGTH + SCRATCH_LENGTH
"""Length of the float64 scratch."""
MOST_OF_TWO_LEAVES = LANE_COUNT**2
_MOST_DESCENTS = 4
_NEAR = 0.125  # times the sum of both half extents: about a fifth of a diagonal
_FEW_SLOTS = 4 * LANE_COUNT  # in both trees: with so few, a search takes no longer than descents

TREES, TREE_SIZES, SLABS, SIDE_LENGTH = range(4)
"""Entries of the record of a side: pointers to the arrays of its ``LaneForest``, and to the slab addresses."""
ARRAYS = 16
(
    JOBS, POSES_A, POSES_B, ERRORS, OPTIONS, STATE, STACK, BOUNDS, SINGLE, DOUBLE, DISTANCES, POINTS, KNOWN,
    PAIRS, LENGTHS, PAIR_JOBS, JOB_COUNT, QUEUE_ROOM, OUTPUT_ROOM, WORK_LENGTH,
) = range(ARRAYS + 4)  # fmt: skip
"""Entries of the record of the work: the addresses of ``ARRAYS`` arrays, then the lengths of three of them."""


@inlined
def _push_all(slot_a, slot_b, first, into_a, bits, gaps, ordered, stack, bounds, used):
    """Push pairs with children of an opened node, whose slots begin at ``first``; return the number of entries."""
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
def _near_of(single, j, bits, slack, products, near):
    """Return the bits of the triangles of a's leaf that may be near triangle j of b's leaf."""
    rows, block = shifted(single, _ROWS), shifted(single, _BLOCK)
    bits &= near_box_of(block, rows, j, slack, near)
    if bits != 0:
        bits &= near_plane_of(block, rows, j, slack, products, near)
    if bits != 0:
        bits &= have_plane_near(block, rows, j, slack, products, near)
    return bits


@inlined
def world_corners(tree, t, poses, pose):
    """Return the world coordinates of the corners of a triangle; ``tree`` points to the addresses of the arrays of a
    tree.
    """
    corners, vertices = shifted(integers(tree[TRIANGLES]), 3 * t), doubles(tree[VERTICES])
    p = corner(vertices, np.int64(corners[0]), poses, pose)
    q = corner(vertices, np.int64(corners[1]), poses, pose)
    r = corner(vertices, np.int64(corners[2]), poses, pose)
    return p, q, r


@inner
def _distance_of(tree_a, t, poses_a, pose_a, tree_b, u, poses_b, pose_b, share):
    """Return (distance [m], nearest points, whether rounding may hide that the triangles meet) of two triangles.

    If the distance is below a fraction ``share`` of the coordinates, rounding may hide it. A negative ``share`` means
    that the triangles are known not to meet.
    """
    p1, q1, r1 = world_corners(tree_a, t, poses_a, pose_a)
    p2, q2, r2 = world_corners(tree_b, u, poses_b, pose_b)
    distance, x, y = closest_of_triangles(p1, q1, r1, p2, q2, r2, share < 0.0)
    return distance, x, y, distance <= share * max(largest_coordinate(p1, q1, r1), largest_coordinate(p2, q2, r2))


@inner
def _direction(poses_a, pose_a, x, y):
    """Return the unit vector from one world point to another in a's frame; zero if they are equal."""
    dx, dy, dz = y[0] - x[0], y[1] - x[1], y[2] - x[2]
    u = poses_a[pose_a] * dx + poses_a[pose_a + 4] * dy + poses_a[pose_a + 8] * dz
    v = poses_a[pose_a + 1] * dx + poses_a[pose_a + 5] * dy + poses_a[pose_a + 9] * dz
    w = poses_a[pose_a + 2] * dx + poses_a[pose_a + 6] * dy + poses_a[pose_a + 10] * dz
    length = math.sqrt(u * u + v * v + w * w)
    if length == 0.0:
        return 0.0, 0.0, 0.0
    return u / length, v / length, w / length


@inner
def _descend(tree_a, slabs_a, tree_b, slabs_b, near, single):
    """Descend to the pair of children with the smallest gap at each level; return the slots of the two leaves, and the
    number of box tests.

    The first slot is -1 if no child is near enough.
    """
    nodes_a, words_a = floats(tree_a[NODES]), integers(tree_a[NODES])
    nodes_b, words_b = floats(tree_b[NODES]), integers(tree_b[NODES])
    slot_a, slot_b, volume_tests = tree_a[ROOT], tree_b[ROOT], 0
    while True:
        box_a, box_b = 64 * (slot_a >> 3) + (slot_a & 7), 64 * (slot_b >> 3) + (slot_b & 7)
        child_a, child_b = np.int64(words_a[box_a + CHILDREN]), np.int64(words_b[box_b + CHILDREN])
        if child_a < 0 and child_b < 0:
            return slot_a, slot_b, volume_tests
        into_a = child_b < 0 or (child_a >= 0 and box_size(nodes_a, box_a) >= box_size(nodes_b, box_b))
        tests = np.int64(words_a[64 * child_a + CHILD_COUNT] if into_a else words_b[64 * child_b + CHILD_COUNT])
        mask = (1 << tests) - 1
        if into_a:
            gaps = gaps_of_first(nodes_a, slabs_a, 64 * child_a, nodes_b, slabs_b, box_b, single, near, mask)
        else:
            gaps = gaps_of_second(nodes_b, slabs_b, 64 * child_b, nodes_a, slabs_a, box_a, single, near, mask)
        volume_tests += tests
        store(single, _GAPS, gaps)
        least = 0
        for k in range(1, tests):
            if single[_GAPS + k] < single[_GAPS + least]:
                least = k
        if single[_GAPS + least] > near:
            return np.int64(-1), slot_b, volume_tests
        if into_a:
            slot_a = 8 * child_a + least
        else:
            slot_b = 8 * child_b + least


@inner
def _first_of_leaf(tree, slot):
    """Return the first triangle of a leaf, given by its slot."""
    child = np.int64(integers(tree[NODES])[64 * (slot >> 3) + (slot & 7) + CHILDREN])
    return np.int64(integers(tree[ORDER])[~child >> 3])


@inner
def _guess(tree_a, slabs_a, poses_a, tree_b, slabs_b, poses_b, pose, errors, shrink, found, job, single):
    """Find and keep a pair of triangles that is nearly the nearest pair; return the numbers of box and triangle
    tests.
    """
    volume_tests = 0
    for count in range(_MOST_DESCENTS):
        near = near_square(found[0][job], shrink)
        slot_a, slot_b, tests = _descend(tree_a, slabs_a, tree_b, slabs_b, near, single)
        volume_tests += tests
        if slot_a < 0:
            return volume_tests, count
        t, u = _first_of_leaf(tree_a, slot_a), _first_of_leaf(tree_b, slot_b)
        distance, x, y, uncertain = _distance_of(tree_a, t, poses_a, pose, tree_b, u, poses_b, pose, errors[ROUNDING])
        if not keep_nearer(found, job, 0.0 if uncertain else distance, t, u, x, y):
            return volume_tests, count + 1
        set_direction(single, *_direction(poses_a, pose, x, y))
    return volume_tests, _MOST_DESCENTS


@inner
def _traverse(side_a, side_b, work):
    """Continue a distance query from its state; return True when all jobs are done.

    The arguments are the addresses of three records (int64): of both sides and of the work (``near_work.py``). In the
    records of the sides, ``TREES`` (t, ADDRESSES) int64 and ``TREE_SIZES`` (t, SIZES) describe the trees, as in
    ``traverse_wide``. ``SLABS`` (t,) int64 are the addresses of their slabs, 0 for none; only the search for nearest
    pairs uses them. ``JOBS`` (k, 2) int64 are pairs of trees, with poses (k, 3, 4), one for each job. With the option
    ALONE there is one job with poses (4, 4), which starts anew whatever the state; the kernel returns False at once
    unless both poses are plainly rigid. ``DISTANCES``, ``POINTS`` and ``KNOWN`` contain for each job the distance so
    far (or the tolerance), the two points, and the pair (-1: none; when the job begins, a pair to start from). With the
    option NEAREST they are improved. Without this option, every pair within the distance, or with an uncertain
    distance, is appended to ``PAIRS``, ``LENGTHS`` and ``PAIR_JOBS``. ``ERRORS`` are described in ``near_leaf.py``.
    ``SINGLE`` and ``DOUBLE`` are scratch arrays; the directions in them are kept between calls. The kernel also returns
    when the stack might overflow.
    """
    given_a, given_b, given = longs(side_a), longs(side_b), longs(work)
    job_count, queue_room = given[JOB_COUNT], given[QUEUE_ROOM]
    distances, known = doubles(given[DISTANCES]), carray(integers(given[KNOWN]), (job_count, 2))
    found = distances, carray(doubles(given[POINTS]), (job_count, 2, 3)), known
    pairs = carray(integers(given[PAIRS]), (given[OUTPUT_ROOM], 2))
    lengths, pair_jobs = doubles(given[LENGTHS]), integers(given[PAIR_JOBS])
    stack, bounds = carray(integers(given[STACK]), (queue_room, 2)), floats(given[BOUNDS])
    jobs, errors, options, state = (
        longs(given[JOBS]),
        doubles(given[ERRORS]),
        longs(given[OPTIONS]),
        longs(given[STATE]),
    )
    single, row = floats(given[SINGLE]), doubles(given[DOUBLE])
    heights, block_a, block_b = shifted(single, _HEIGHTS), shifted(single, _BLOCK), shifted(single, _ROWS)
    poses_1, poses_2 = doubles(given[POSES_A]), doubles(given[POSES_B])
    if options[ALONE] != 0:
        for entry in range(NEAR_STATE_LENGTH):
            state[entry] = 0
        distances[0] = errors[UPPER]
        if not (plainly_rigid(poses_1) and plainly_rigid(poses_2)):
            return False
    nearest, exact = options[NEAREST] != 0, errors[RELATIVE] == 0.0 and errors[ABSOLUTE] == 0.0
    room = given[OUTPUT_ROOM] - MOST_OF_TWO_LEAVES
    job = state[JOB]
    used = state[STACK_USED]
    count = state[OUTPUT_USED]
    volume_tests = state[VOLUME_TESTS]
    primitive_tests = state[PRIMITIVE_TESTS]
    steps = options[STEP_LIMIT]
    ordered = state[ORDERED] != 0
    full = queue_room - LANE_COUNT
    while job < job_count and steps > 0 and (nearest or count <= room) and used < full:
        index_a, index_b = jobs[2 * job], jobs[2 * job + 1]
        tree_a = shifted(longs(given_a[TREES]), ADDRESSES * index_a)
        tree_b = shifted(longs(given_b[TREES]), ADDRESSES * index_b)
        sizes_a, sizes_b = doubles(given_a[TREE_SIZES]), doubles(given_b[TREE_SIZES])
        pose = 12 * job
        set_frame(poses_1, pose, poses_2, pose, sizes_a, SIZES * index_a, sizes_b, SIZES * index_b, row, single)
        shrink = shrink_of(poses_1, pose, poses_2, pose)
        products = single[PRODUCTS]
        nodes_a, words_a = floats(tree_a[NODES]), integers(tree_a[NODES])
        nodes_b, words_b = floats(tree_b[NODES]), integers(tree_b[NODES])
        coordinates_a, coordinates_b = floats(tree_a[COORDINATES]), floats(tree_b[COORDINATES])
        slabs_at_a, slabs_at_b = longs(given_a[SLABS])[index_a], longs(given_b[SLABS])[index_b]
        slabs_a, slabs_b = floats(slabs_at_a), floats(slabs_at_b)
        order_a, order_b = integers(tree_a[ORDER]), integers(tree_b[ORDER])
        if used == 0:
            forget_directions(single)
            set_slabs(single, nearest and slabs_at_a != 0 and slabs_at_b != 0)
            if nearest:
                t, u = take_known(known, job, options[CHAINED] != 0)
                ordered = t < 0
                if not ordered:
                    distance, x, y, uncertain = _distance_of(
                        tree_a, t, poses_1, pose, tree_b, u, poses_2, pose, errors[ROUNDING]
                    )
                    keep_nearer(found, job, 0.0 if uncertain else distance, t, u, x, y)
                    set_direction(single, *_direction(poses_1, pose, x, y))
                    primitive_tests += 1
                elif exact and tree_a[ROOT] + tree_b[ROOT] > _FEW_SLOTS:
                    tests, measured = _guess(
                        tree_a, slabs_a, poses_1, tree_b, slabs_b, poses_2, pose, errors, shrink, found, job, single
                    )
                    volume_tests += tests
                    primitive_tests += measured
                    size_a, size_b = SIZES * index_a + 6, SIZES * index_b + 6
                    sizes = sizes_a[size_a] + sizes_a[size_a + 1] + sizes_a[size_a + 2]
                    sizes += sizes_b[size_b] + sizes_b[size_b + 1] + sizes_b[size_b + 2]
                    ordered = distances[job] <= _NEAR * sizes
            stack[0, 0], stack[0, 1] = tree_a[ROOT], tree_b[ROOT]
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
                        nodes_a, slabs_a, 64 * child_a, nodes_b, slabs_b, box_b, single, near, mask
                    )  # fmt: skip
                else:
                    gaps = gaps_of_second(
                        nodes_b, slabs_b, 64 * child_b, nodes_a, slabs_a, box_a, single, near, mask
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
            candidates, rows, is_turned = (1 << count_b) - 1, 0, False
            for k in range(DIRECTION_COUNT):
                if candidates == 0 or not is_direction(single, direction_entry(k)):
                    break
                candidates &= lay_heights(
                    coordinates_a, 9 * first_a, count_a, coordinates_b, 9 * first_b, count_b, single,
                    direction_entry(k), shift, slack, heights, rows, near,
                )  # fmt: skip
                rows += 1
            while candidates != 0:
                j = lowest_bit(candidates)
                candidates &= candidates - 1
                bits = near_in_heights(heights, rows, j, near) & ((1 << count_a) - 1)
                if bits == 0:
                    continue
                if not is_turned:
                    turn_leaf(coordinates_b, 9 * first_b, count_b, single, shift, block_b)
                    copy_leaf(coordinates_a, 9 * first_a, count_a, block_a)
                    is_turned = True
                bits = _near_of(single, j, bits, slack, products, near)
                while bits != 0:
                    i = lowest_bit(bits)
                    bits &= bits - 1
                    t, u = np.int64(order_a[first_a + i]), np.int64(order_b[first_b + j])
                    primitive_tests += 1
                    distance, x, y, uncertain = _distance_of(
                        tree_a, t, poses_1, pose, tree_b, u, poses_2, pose, errors[ROUNDING]
                    )
                    if not nearest:
                        if uncertain or distance <= limit:
                            pairs[count, 0], pairs[count, 1] = t, u
                            lengths[count] = distance
                            pair_jobs[count] = job
                            count += 1
                        continue
                    direction = _direction(poses_1, pose, x, y)
                    nearer = keep_nearer(found, job, 0.0 if uncertain else distance, t, u, x, y)
                    if nearer:
                        set_direction(single, *direction)
                        limit = pruning_limit(distances[job], errors)
                        near = near_square(limit, shrink)
                        bits = _near_of(single, j, bits, slack, products, near)
                    if (nearer or note_direction(single, *direction)) and rows < HEIGHT_ROWS:
                        candidates &= lay_heights(
                            coordinates_a, 9 * first_a, count_a, coordinates_b, 9 * first_b, count_b, single,
                            direction_entry(0 if nearer else 1), shift, slack, heights, rows, near,
                        )  # fmt: skip
                        rows += 1
                        bits &= near_in_heights(heights, rows, j, near)
            if nearest and known[job, 0] >= 0 and distances[job] <= errors[LOWER]:
                used = 0
        if used == 0:
            job += 1
    state[JOB] = job
    state[STACK_USED] = used
    state[OUTPUT_USED] = count
    state[VOLUME_TESTS] = volume_tests
    state[PRIMITIVE_TESTS] = primitive_tests
    state[ORDERED] = ordered
    return job == job_count


@kernel
def traverse_near(side_a, side_b, work):
    """Call ``_traverse`` from Python, for one record of work."""
    return _traverse(side_a, side_b, work)


@parallel_kernel
def traverse_near_together(side_a, side_b, works, workers):
    """Call ``_traverse`` for records of work (n,) in parallel; worker w takes every ``workers``-th record, starting
    with record w.
    """
    for w in prange(workers):
        for k in range(w, works.shape[0], workers):
            _traverse(side_a, side_b, works[k])
