"""Kernels of single queries: whether two prepared meshes meet, in one pose each; which pairs of a few objects meet.

They receive everything by the addresses of records: of both sides (``record.py``) and of the work (``workspace.py``).
The kernels do not decide pairs that take more than one slice of work, poses that must be checked, and triangles that
float64 expansions cannot decide.
"""

import numpy as np
from numba import carray

from ...geometry.lanes import doubles, floats, integers, longs, octets, shifted
from ...geometry.predicates import new_workspace
from ...geometry.triangle_distance import closest_of_triangles
from ...geometry.triangle_pair import UNDECIDED
from ...hierarchy.wide_bvh import LANE_COUNT
from ...jit import inner, kernel
from ...traversal.near_wide import SIDE_LENGTH, TREE_SIZES, TREES, world_corners
from ...traversal.oriented_boxes import boxes_apart
from ...traversal.pairs import (
    OPTIONS_LENGTH,
    OUTPUT_USED,
    STATE_LENGTH,
    STEP_LIMIT,
    VOLUME_TESTS,
)
from ...traversal.wide_traversal import (
    ADDRESSES,
    DOUBLES,
    ROOT,
    SINGLES,
    SIZES,
    SLOT_A,
    SLOT_B,
    TASK,
    traverse_tasks,
)
from ...types.pose import plainly_rigid

APART, MEETING, OPEN, STOPPED, REFUSED = range(5)
"""Results of kernels for two meshes, decided ones first. ``OPEN``: float64 expansions leave a pair of triangles
undecided. ``STOPPED``: by the limit of steps or of room. ``REFUSED``: poses must be checked, or trees are too deep."""
PLACE, FIRST, SECOND, MAY_LIE_IN = range(4)
"""Entries of a job of ``meet_each``."""
NEXT_JOB, HALF_DONE, SOME_INSIDE, SOME_OPEN, TESTS = range(5)
"""Entries of the progress of ``meet_each``: the current job, whether this job has been started, whether one object may
lie in another object without contact, whether undecided jobs remain; then counts of volume tests, triangle tests and
exact tests."""
DEPTH = SIDE_LENGTH
"""Entry of a hierarchy's record after those of ``near_wide.py``: number of edges on the longest path from the root to a
leaf."""
STEPS = 1 << 14
"""Default number of steps in a call of ``meet_single``: a millisecond or two."""
_FIRST_STEPS = 1 << 6
"""Number of steps after which the oriented boxes of two objects are compared: most pairs are decided before."""
_MOST_TESTS = 1 << 18
"""Maximum number of tests of volumes in a call of ``meet_each``: about two milliseconds."""
_DEEPEST = 128
"""Maximum depth of two trees together: a Morton curve has 63 bits for each."""
DEEPEST = _DEEPEST // 2
QUEUE = LANE_COUNT * (_DEEPEST + 2)
"""Room for waiting pairs of nodes."""
(
    POSE_A, POSE_B, TASKS, OPTIONS, STATE, STACK, SINGLE, DOUBLE, SIFTED, COUNTER, EXPANSIONS, PAIRS, KINDS, PAIR_JOBS,
    POINTS, PAIR_ROOM, WORK_LENGTH,
) = range(17)  # fmt: skip
"""Entries of the workspace record: addresses of arrays, and the number of pairs for which the arrays have room."""
_COUNTER_SHAPE, _EXPANSIONS_SHAPE = (array.shape for array in new_workspace())


@inner
def _contacts(tree_a, sizes_a, poses_a, tree_b, sizes_b, poses_b, given):
    """Find contacts of two trees in a pose each, all given by pointers; write pairs to ``PAIRS``."""
    state = longs(given[STATE])
    for k in range(STATE_LENGTH):
        state[k] = 0
    return _more_contacts(tree_a, sizes_a, poses_a, tree_b, sizes_b, poses_b, given)


@inner
def _more_contacts(tree_a, sizes_a, poses_a, tree_b, sizes_b, poses_b, given):
    """Continue ``_contacts`` where it stopped."""
    state, tasks = carray(longs(given[STATE]), STATE_LENGTH), carray(integers(given[TASKS]), (1, TASK))
    tasks[0, SLOT_A], tasks[0, SLOT_B] = tree_a[ROOT], tree_b[ROOT]
    room = given[PAIR_ROOM]
    pairs, kinds = carray(integers(given[PAIRS]), (room, 2)), carray(octets(given[KINDS]), room)
    done = traverse_tasks(
        carray(tree_a, (1, ADDRESSES)), carray(tree_b, (1, ADDRESSES)), carray(sizes_a, (1, SIZES)),
        carray(sizes_b, (1, SIZES)), tasks, carray(poses_a, (1, 3, 4)), carray(poses_b, (1, 3, 4)),
        carray(longs(given[OPTIONS]), OPTIONS_LENGTH), state, carray(integers(given[STACK]), (QUEUE, 2)),
        carray(floats(given[SINGLE]), SINGLES), carray(doubles(given[DOUBLE]), DOUBLES),
        carray(integers(given[SIFTED]), 2 * LANE_COUNT), carray(longs(given[COUNTER]), _COUNTER_SHAPE),
        carray(doubles(given[EXPANSIONS]), _EXPANSIONS_SHAPE), pairs, kinds, carray(integers(given[PAIR_JOBS]), room),
    )  # fmt: skip
    for i in range(state[OUTPUT_USED]):
        if kinds[i] == UNDECIDED:
            return OPEN
    if not done:
        return STOPPED
    return MEETING if state[OUTPUT_USED] > 0 else APART


@kernel
def meet_single(side_a, side_b, work):
    """Compute whether two meshes meet, by the first contact or by all contacts.

    The arguments are the addresses of the records of both meshes (``record.py``) and of the workspace. If they meet,
    ``PAIRS`` points to the pairs and ``POINTS``, if not 0, to the nearest points of the first pair; ``STATE`` points to
    counts of the work.
    """
    given_a, given_b, given = longs(side_a), longs(side_b), longs(work)
    poses_a, poses_b = doubles(given[POSE_A]), doubles(given[POSE_B])
    if not (plainly_rigid(poses_a) and plainly_rigid(poses_b)) or given_a[DEPTH] + given_b[DEPTH] > _DEEPEST:
        return REFUSED
    tree_a, tree_b = longs(given_a[TREES]), longs(given_b[TREES])
    sizes_a, sizes_b = doubles(given_a[TREE_SIZES]), doubles(given_b[TREE_SIZES])
    met = _contacts(tree_a, sizes_a, poses_a, tree_b, sizes_b, poses_b, given)
    if met == MEETING and given[POINTS] != 0:
        pair = integers(given[PAIRS])
        _put_points(tree_a, pair[0], poses_a, tree_b, pair[1], poses_b, doubles(given[POINTS]))
    return met


@kernel
def meet_each(side, work, oriented, trees, rows, jobs, triangles, met, progress):
    """Look for a first contact of each pair of objects, for some milliseconds; return whether all jobs are done.

    Args:
        side: address of the record of a tree set (``TreeSet.lane_record``).
        work: address of the workspace record, which belongs to these jobs until they are finished.
        oriented: ``oriented_boxes`` of the tree set.
        trees: trees of the objects, (n,) int64.
        rows: poses of the objects in m configurations, (m, n, 3, 4).
        jobs: ``PLACE``, a configuration, ``FIRST`` and ``SECOND``, objects, and ``MAY_LIE_IN``, whether one of them may
            lie in the other, (k, 4) int64.
        triangles: output: the triangles that meet, (k, 2) int32; -1 if the meshes do not meet.
        met: output: ``APART``, ``MEETING`` or ``OPEN`` for each pair, (k,) int8.
        progress: where the last call stopped, (TESTS + 3,) int64; zeros before the first call.
    """
    given_side, given = longs(side), longs(work)
    poses, addresses, sizes = doubles(rows.ctypes.data), longs(given_side[TREES]), doubles(given_side[TREE_SIZES])
    state, pair = longs(given[STATE]), integers(given[PAIRS])
    options, oriented_of, row = longs(given[OPTIONS]), floats(oriented.ctypes.data), doubles(given[DOUBLE])
    most = progress[TESTS] + _MOST_TESTS
    for k in range(progress[NEXT_JOB], jobs.shape[0]):
        i, j, begin = jobs[k, FIRST], jobs[k, SECOND], rows.shape[1] * jobs[k, PLACE]
        a, b = trees[i], trees[j]
        sides = (
            shifted(addresses, ADDRESSES * a), shifted(sizes, SIZES * a), shifted(poses, 12 * (begin + i)),
            shifted(addresses, ADDRESSES * b), shifted(sizes, SIZES * b), shifted(poses, 12 * (begin + j)),
        )  # fmt: skip
        if progress[HALF_DONE] != 0:
            told = _more_contacts(*sides, given)
        else:
            options[STEP_LIMIT] = _FIRST_STEPS
            told = _contacts(*sides, given)
            options[STEP_LIMIT] = STEPS
            if told == STOPPED:
                apart = boxes_apart(oriented_of, sizes, a, sides[2], b, sides[5], row)
                told = APART if apart else _more_contacts(*sides, given)
        progress[HALF_DONE] = told == STOPPED
        if told == STOPPED:
            progress[NEXT_JOB] = k
            return False
        met[k] = told
        progress[SOME_OPEN] |= told == OPEN
        progress[SOME_INSIDE] |= told == APART and jobs[k, MAY_LIE_IN] != 0
        for one in range(2):
            triangles[k, one] = pair[one] if told == MEETING else -1
        for count in range(3):
            progress[TESTS + count] += state[VOLUME_TESTS + count]
        if progress[TESTS] > most:
            progress[NEXT_JOB] = k + 1
            return k + 1 == jobs.shape[0]
    return True


@inner
def _put_points(tree_a, t, poses_a, tree_b, u, poses_b, points):
    """Write the nearest points of two triangles in the world, six numbers."""
    p1, q1, r1 = world_corners(tree_a, np.int64(t), poses_a, 0)
    p2, q2, r2 = world_corners(tree_b, np.int64(u), poses_b, 0)
    _, x, y = closest_of_triangles(p1, q1, r1, p2, q2, r2, False)
    for k in range(3):
        points[k], points[3 + k] = x[k], y[k]
