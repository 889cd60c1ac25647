"""The 8-wide traversal for boxes and contacts: the same results as ``pairs.py``, with eight tests at a time.

Boxes and triangles are filtered by the float32 tests of ``lane_boxes.py`` and ``lane_triangles.py``. The few pairs that
remain undecided are decided as in ``pairs.py``. The stack contains pairs of slots: slot ``8 * node + k`` is the box of
child k of a node. Each step pops one pair. If both are leaves, their triangles are compared. Otherwise the larger box
is opened (the node's box, if the other one is a leaf), its children are tested against the other box, and the children
that may meet it are pushed. In a query for first contacts, the child that lies deepest in the other box goes on top.
"""

import numpy as np

from ..geometry.generic_pair import classify_generic
from ..geometry.lane_boxes import box_size, margins_of_first, margins_of_second
from ..geometry.lane_oriented import LOOSENESS, meet_oriented
from ..geometry.lane_triangles import (
    BLOCK,
    PLANES,
    compare_with,
    copy_leaf,
    lay_planes,
    meet_box_of,
    place_leaves,
    triangles_in_box,
    turn_leaf,
)
from ..geometry.lanes import bit_count, doubles, floats, integers, lowest_bit, not_above, shifted, splat, store
from ..geometry.neighbours import only_touch_where_shared, touch_beyond_shared
from ..geometry.predicates import UNCERTAIN, ExactWorkspace
from ..geometry.relative_pose import PRODUCTS, ROW_LENGTH, SCRATCH_LENGTH, half, looseness, narrow
from ..geometry.triangle_pair import APART, CROSSING, TOUCHING, UNDECIDED, classify_exact
from ..hierarchy.oriented import ORIENTED_WORDS
from ..hierarchy.wide_bvh import CHILD_COUNT, CHILDREN
from ..jit import inlined, inner, kernel
from ..reference import by_reference
from .forest import ORIENTED
from .pairs import (
    CROSSING_ONLY,
    EXACT_TESTS,
    FIRST_ONLY,
    JOB,
    OUTPUT_USED,
    PRIMITIVE_TESTS,
    STACK_USED,
    STEP_LIMIT,
    STEPS_DONE,
    VOLUME_TESTS,
    WITH_ITSELF,
)

NODES, COORDINATES, ORDER, TRIANGLES, VERTICES, ROOT, _, STARS, STARS_OF_NODES, ADDRESSES = range(10)
"""Entries of a tree's row of addresses: pointers to its arrays, and the slot of its root. The last three are 0 without
oriented boxes, and without stars (``stars.py``) whose pairs are left out."""
SIZES = 9
"""Length of a tree's row of sizes: origin, largest absolute coordinates, and coordinates of the root relative to the
origin."""
_EXACT_STEPS = 8
"""The number of steps that an exact decision counts as."""
_LEAF_STEPS = 4
"""The number of steps that a comparison of two leaves counts as."""
TASK_JOB, TREE_A, TREE_B, SLOT_A, SLOT_B, TASK = range(6)
"""Entries of a task: its job, the trees, and the slots at which to begin."""

# The parts of the float32 scratch. Reads may go up to eight numbers beyond a part; these are masked.
_MARGINS = 32
_ROWS = _MARGINS + 8
_BLOCK = _ROWS + BLOCK + 8
_PLANES = _BLOCK + BLOCK + 8
SINGLES = _PLANES + PLANES
# The parts of the float64 scratch.
_SPARE = ROW_LENGTH
DOUBLES = _SPARE + SCRATCH_LENGTH


@inlined
def set_frame(poses_a, pose_a, poses_b, pose_b, sizes_a, size_a, sizes_b, size_b, row, single):
    """Write the relative pose of two trees to a row as in ``relative_rows`` and, in float32, to ``single``."""
    spare = shifted(row, _SPARE)
    half(poses_a, pose_a, poses_b, pose_b, sizes_a, size_a, sizes_b, size_b, 0.0, spare, row, 0)
    half(poses_b, pose_b, poses_a, pose_a, sizes_b, size_b, sizes_a, size_a, 0.0, spare, row, 15)
    narrow(row, 0, sizes_a, size_a + 6, sizes_b, size_b + 6, single, 0)


@inlined
def corner(vertices, v, poses, pose):
    """Return the world coordinates of vertex v."""
    x, y, z = vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]
    return (
        poses[pose] * x + poses[pose + 1] * y + poses[pose + 2] * z + poses[pose + 3],
        poses[pose + 4] * x + poses[pose + 5] * y + poses[pose + 6] * z + poses[pose + 7],
        poses[pose + 8] * x + poses[pose + 9] * y + poses[pose + 10] * z + poses[pose + 11],
    )


@inner
def _decide(vertices_a, corners_a, poses_a, pose_a, vertices_b, corners_b, poses_b, pose_b, with_itself, workspace):
    """Return the kind of a pair of triangles from world coordinates; ``corners`` are pointers to vertex indices.

    Triangles of one object that touch only in shared corners or edges count as apart (``neighbours.py``).
    """
    p1 = corner(vertices_a, np.int64(corners_a[0]), poses_a, pose_a)
    q1 = corner(vertices_a, np.int64(corners_a[1]), poses_a, pose_a)
    r1 = corner(vertices_a, np.int64(corners_a[2]), poses_a, pose_a)
    p2 = corner(vertices_b, np.int64(corners_b[0]), poses_b, pose_b)
    q2 = corner(vertices_b, np.int64(corners_b[1]), poses_b, pose_b)
    r2 = corner(vertices_b, np.int64(corners_b[2]), poses_b, pose_b)
    if with_itself and only_touch_where_shared(corners_a, (p1, q1, r1), corners_b, (p2, q2, r2)):
        return APART
    kind = classify_generic(p1, q1, r1, p2, q2, r2)
    if kind == UNDECIDED:
        kind = classify_exact(p1, q1, r1, p2, q2, r2, workspace)
    if with_itself and kind == TOUCHING:
        beyond = touch_beyond_shared(corners_a, (p1, q1, r1), corners_b, (p2, q2, r2), workspace)
        if beyond != 1:
            return UNDECIDED if beyond == UNCERTAIN else APART
    return kind


@inner
def _compare_leaves(
    nodes_a, box_a, coordinates_a, at_a, count_a, nodes_b, box_b, coordinates_b, at_b, count_b, same, row, single,
    sifted,
):  # fmt: skip
    """Compare the triangles of two leaves, or each pair within one leaf (``same``); ``box``: offsets of their boxes.

    For each triangle j of b, ``sifted[j]`` gets the bits of the triangles of a that certainly cross it, and
    ``sifted[8 + j]`` the bits of those that are undecided. Returns the bits of the j that have any.
    """
    frame, rows, block, planes = single, shifted(single, _ROWS), shifted(single, _BLOCK), shifted(single, _PLANES)
    products = frame[PRODUCTS]
    shift, slack = place_leaves(nodes_a, box_a, nodes_b, box_b, row, frame)
    turn_leaf(coordinates_b, at_b, count_b, frame, shift, rows)
    candidates = triangles_in_box(
        rows, -slack, -slack, -slack, nodes_a[box_a + 24] - nodes_a[box_a] + slack,
        nodes_a[box_a + 32] - nodes_a[box_a + 8] + slack, nodes_a[box_a + 40] - nodes_a[box_a + 16] + slack,
    ) & ((1 << count_b) - 1)  # fmt: skip
    if candidates == 0:
        return candidates
    copy_leaf(coordinates_a, at_a, count_a, block)
    lay_planes(block, slack, products, planes)
    kept = np.int64(0)
    while candidates != 0:
        j = lowest_bit(candidates)
        candidates &= candidates - 1
        bits = meet_box_of(block, rows, j, slack) & ((1 << (j if same else count_a)) - 1)
        if bits != 0:
            crossing, undecided = compare_with(block, planes, rows, j, bits, slack, products)
            if crossing | undecided != 0:
                sifted[j] = np.int32(crossing)
                sifted[8 + j] = np.int32(undecided)
                kept |= 1 << j
    return kept


@inner
def _meet_oriented(nodes, child, boxes, others, slot, box, other_boxes, frame, turn, shift, loose):
    """Return a bit mask of the children of a node whose oriented boxes may meet the oriented box of a slot."""
    at = ORIENTED_WORDS * child if boxes != 0 else -1
    one = ORIENTED_WORDS * (slot >> 3) + (slot & 7) if other_boxes != 0 else -1
    return meet_oriented(
        nodes, 64 * child, floats(boxes), at, others, box, floats(other_boxes), one, frame, turn, shift, loose
    )  # fmt: skip


@inlined
def _star_below(child, stars, stars_of_nodes, order):
    """Return the star to which all triangles below a reference to a child belong, -1 if there is no such star."""
    if child >= 0:
        return stars_of_nodes[child]
    first, count = ~child >> 3, (~child & 7) + 1
    star = stars[order[first]]
    for i in range(1, count):
        if stars[order[first + i]] != star:
            return np.int32(-1)
    return star


@inner
def traverse_tasks(
    trees_a, trees_b, sizes_a, sizes_b, tasks, poses_a, poses_b, options, state, stack, singles, rows, sifted,
    counter, expansions, pairs, kinds, pair_jobs,
):  # fmt: skip
    """Continue tasks from a state; return True when all are done.

    ``trees`` (t, ADDRESSES) int64 and ``sizes`` (t, SIZES) describe the trees of each side, and ``tasks`` (k, TASK)
    int32 the tasks. Poses are (j, 3, 4), one for all jobs or one for each. ``singles``, ``rows``, ``sifted``, and
    (``counter``, ``expansions``) for the exact predicates are scratch. The other arguments are as in
    ``pair_traversal``.
    """
    single, row, found_bits = floats(singles.ctypes.data), doubles(rows.ctypes.data), integers(sifted.ctypes.data)
    poses_1, poses_2 = doubles(poses_a.ctypes.data), doubles(poses_b.ctypes.data)
    sizes_1, sizes_2 = doubles(sizes_a.ctypes.data), doubles(sizes_b.ctypes.data)
    workspace = by_reference(ExactWorkspace(counter, expansions))
    room = pairs.shape[0] - 64
    task = state[JOB]
    used = state[STACK_USED]
    found = state[OUTPUT_USED]
    volume_tests = state[VOLUME_TESTS]
    primitive_tests = state[PRIMITIVE_TESTS]
    exact_tests = state[EXACT_TESTS]
    steps = options[STEP_LIMIT]
    first_only = options[FIRST_ONLY] != 0
    with_itself = options[WITH_ITSELF] != 0
    while task < tasks.shape[0] and steps > 0 and found <= room:
        job = np.int64(tasks[task, TASK_JOB])
        tree_a, tree_b = np.int64(tasks[task, TREE_A]), np.int64(tasks[task, TREE_B])
        pose_a, pose_b = 12 * min(job, poses_a.shape[0] - 1), 12 * min(job, poses_b.shape[0] - 1)
        set_frame(poses_1, pose_a, poses_2, pose_b, sizes_1, SIZES * tree_a, sizes_2, SIZES * tree_b, row, single)
        nodes_a, words_a = floats(trees_a[tree_a, NODES]), integers(trees_a[tree_a, NODES])
        nodes_b, words_b = floats(trees_b[tree_b, NODES]), integers(trees_b[tree_b, NODES])
        oriented_a, oriented_b = trees_a[tree_a, ORIENTED], trees_b[tree_b, ORIENTED]
        loose = np.float32(0.0)
        if oriented_a | oriented_b != 0:
            loose = np.float32(LOOSENESS + 2.002 * (looseness(poses_1, pose_a) + looseness(poses_2, pose_b)))
        stars = trees_a[tree_a, STARS] if with_itself else np.int64(0)
        if used == 0:
            stack[0, 0], stack[0, 1] = tasks[task, SLOT_A], tasks[task, SLOT_B]
            used = 1
        while used > 0 and steps > 0 and found <= room:
            steps -= 1
            used -= 1
            slot_a, slot_b = np.int64(stack[used, 0]), np.int64(stack[used, 1])
            box_a, box_b = 64 * (slot_a >> 3) + (slot_a & 7), 64 * (slot_b >> 3) + (slot_b & 7)
            child_a, child_b = np.int64(words_a[box_a + CHILDREN]), np.int64(words_b[box_b + CHILDREN])
            if stars != 0:
                order, of_nodes = integers(trees_a[tree_a, ORDER]), integers(trees_a[tree_a, STARS_OF_NODES])
                star = _star_below(child_a, integers(stars), of_nodes, order)
                if star >= 0 and star == _star_below(child_b, integers(stars), of_nodes, order):
                    continue
            same = with_itself and slot_a == slot_b
            if same and child_a >= 0:
                for k in range(words_a[64 * child_a + CHILD_COUNT]):
                    stack[used, 0], stack[used, 1] = 8 * child_a + k, slot_b
                    used += 1
                continue
            if child_a >= 0 or child_b >= 0:
                # The pair of a child and its parent stands for the child with itself and with its later siblings.
                siblings = with_itself and slot_a >> 3 == child_b
                into_a = not siblings and (
                    child_b < 0 or (child_a >= 0 and box_size(nodes_a, box_a) >= box_size(nodes_b, box_b))
                )
                if into_a:
                    count = np.int64(words_a[64 * child_a + CHILD_COUNT])
                    margins = margins_of_first(nodes_a, 64 * child_a, nodes_b, box_b, single)
                else:
                    count = np.int64(words_b[64 * child_b + CHILD_COUNT])
                    margins = margins_of_second(nodes_b, 64 * child_b, nodes_a, box_a, single)
                volume_tests += count
                bits = not_above(splat(np.float32(0.0)), margins) & ((1 << count) - 1)
                if siblings:
                    bits &= -1 << (slot_a & 7)
                if bits != 0 and oriented_a | oriented_b != 0:
                    if into_a:
                        shift = single[9], single[10], single[11]
                        bits &= _meet_oriented(
                            nodes_a, child_a, oriented_a, nodes_b, slot_b, box_b, oriented_b, single, 0, shift, loose
                        )  # fmt: skip
                    else:
                        shift = np.float32(row[24]), np.float32(row[25]), np.float32(row[26])
                        bits &= _meet_oriented(
                            nodes_b, child_b, oriented_b, nodes_a, slot_a, box_a, oriented_a, single, 12, shift, loose
                        )  # fmt: skip
                store(single, _MARGINS, margins)
                deepest, top = np.float32(-1.0), used
                while bits != 0:
                    k = lowest_bit(bits)
                    bits &= bits - 1
                    stack[used, 0] = 8 * child_a + k if into_a else slot_a
                    stack[used, 1] = slot_b if into_a else 8 * child_b + k
                    if single[_MARGINS + k] > deepest:
                        deepest, top = single[_MARGINS + k], used
                    used += 1
                if first_only and top < used - 1:
                    for side in range(2):
                        stack[top, side], stack[used - 1, side] = stack[used - 1, side], stack[top, side]
                continue
            first_a, count_a = ~child_a >> 3, (~child_a & 7) + 1
            first_b, count_b = ~child_b >> 3, (~child_b & 7) + 1
            steps -= _LEAF_STEPS - 1
            hits = _compare_leaves(
                nodes_a, box_a, floats(trees_a[tree_a, COORDINATES]), 9 * first_a, count_a,
                nodes_b, box_b, floats(trees_b[tree_b, COORDINATES]), 9 * first_b, count_b, same, row, single,
                found_bits,
            )  # fmt: skip
            if hits == 0:
                continue
            order_a, order_b = integers(trees_a[tree_a, ORDER]), integers(trees_b[tree_b, ORDER])
            while hits != 0:
                j = lowest_bit(hits)
                hits &= hits - 1
                crossing = np.int64(found_bits[j])
                bits = crossing | np.int64(found_bits[8 + j])
                if stars != 0:
                    apex = integers(stars)[order_b[first_b + j]]
                    for i in range(count_a if apex >= 0 else 0):
                        if integers(stars)[order_a[first_a + i]] == apex:
                            bits &= ~(1 << i)
                primitive_tests += bit_count(bits)
                steps -= _EXACT_STEPS * bit_count(bits & ~crossing)
                triangle_b = np.int64(order_b[first_b + j])
                while bits != 0:
                    i = lowest_bit(bits)
                    bits &= bits - 1
                    triangle_a = np.int64(order_a[first_a + i])
                    kind = CROSSING
                    if not (crossing >> i) & 1:
                        before = counter[0]
                        kind = _decide(
                            doubles(trees_a[tree_a, VERTICES]),
                            shifted(integers(trees_a[tree_a, TRIANGLES]), 3 * triangle_a), poses_1, pose_a,
                            doubles(trees_b[tree_b, VERTICES]),
                            shifted(integers(trees_b[tree_b, TRIANGLES]), 3 * triangle_b), poses_2, pose_b,
                            with_itself, workspace,
                        )  # fmt: skip
                        exact_tests += counter[0] != before
                        if kind == APART or (options[CROSSING_ONLY] != 0 and kind != CROSSING and kind != UNDECIDED):
                            continue
                    turned = with_itself and triangle_b < triangle_a
                    pairs[found, 0] = triangle_b if turned else triangle_a
                    pairs[found, 1] = triangle_a if turned else triangle_b
                    kinds[found] = kind
                    pair_jobs[found] = job
                    found += 1
                    if first_only and kind != UNDECIDED:
                        bits = hits = used = 0
        if used == 0:
            task += 1
    state[JOB] = task
    state[STACK_USED] = used
    state[OUTPUT_USED] = found
    state[STEPS_DONE] += options[STEP_LIMIT] - steps
    state[VOLUME_TESTS] = volume_tests
    state[PRIMITIVE_TESTS] = primitive_tests
    state[EXACT_TESTS] = exact_tests
    return task == tasks.shape[0]


@kernel
def traverse_wide(
    trees_a, trees_b, sizes_a, sizes_b, tasks, poses_a, poses_b, options, state, stack, singles, rows, sifted,
    counter, expansions, pairs, kinds, pair_jobs,
):  # fmt: skip
    """Call ``traverse_tasks`` from Python. Other kernels call ``traverse_tasks``, because cached kernels cannot be
    linked.
    """
    return traverse_tasks(
        trees_a, trees_b, sizes_a, sizes_b, tasks, poses_a, poses_b, options, state, stack, singles, rows, sifted,
        counter, expansions, pairs, kinds, pair_jobs,
    )  # fmt: skip
