"""Depth-first simultaneous traversal: find the primitives of two hierarchies that meet.

The same kernel code is used for every bounding volume and leaf test. It processes one pair of objects or thousands, for
all contacts or the first contact, for two objects or one object against itself, for static or moving triangles
(``visit``), and for pairs that meet or are near (``order``). The kernel can stop at any point and continue from its
state. The kernel stops after a number of steps, so that long work runs in slices, or when the output is full, so that
no result is lost and no work is repeated.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..geometry.neighbours import touch_beyond_shared
from ..geometry.predicates import UNCERTAIN
from ..geometry.triangle_distance import closest_of_triangles
from ..geometry.triangle_pair import APART, CROSSING, TOUCHING, UNDECIDED, classify_exact
from ..jit import inlined, inner, kernel, portable
from ..reference import by_reference
from ..volumes.registry import volume_named
from .access import Access, access_to
from .order import AS_THEY_COME, Order

# Entries of the state array. Only the 8-wide traversal counts its steps.
JOB, STACK_USED, OUTPUT_USED, STEPS_DONE, VOLUME_TESTS, PRIMITIVE_TESTS, EXACT_TESTS, STATE_LENGTH = range(8)
# Entries of the options array.
CROSSING_ONLY, FIRST_ONLY, WITH_ITSELF, STEP_LIMIT, ROOM, OPTIONS_LENGTH = range(6)

LEAF_NUMBERS = 15  # corners 0:9, lowest 9:12, highest 12:15


class Scratch(NamedTuple):
    """Scratch arrays for the test of two leaves."""

    leaf_a: np.ndarray
    """(leaf size, numbers of a triangle) float64."""
    leaf_b: np.ndarray
    indices_a: np.ndarray
    """Triangles of the leaf, filled by the traversal, (leaf size,) int32."""
    indices_b: np.ndarray
    workspace: Any
    """A NamedTuple that only the visit uses."""


class Output(NamedTuple):
    """The pairs of primitives found by a traversal."""

    pairs: np.ndarray
    """(n, 2) int32."""
    kinds: np.ndarray
    """(n,) uint8."""
    jobs: np.ndarray
    """(n,) int32."""


class _Rows(NamedTuple):
    """Arrays of the jobs, and the stack of pairs."""

    relative: np.ndarray
    poses_a: np.ndarray
    poses_b: np.ndarray
    stack: np.ndarray
    carried: np.ndarray


@inlined
def load_triangle(forest, tree, entry, pose, leaf, i, indices):
    """Write the world corners and box of the triangle at an entry of ``order`` to row i of a leaf; ``pose``: (3, 4)."""
    indices[i] = forest.order[forest.triangle_start[tree] + entry]
    place_triangle(forest, tree, indices[i], pose, leaf, i)


@inlined
def place_triangle(forest, tree, t, pose, leaf, i):
    """Write the world corners and box of triangle t of a tree to row i of a leaf; ``pose``: (3, 4)."""
    triangle_start = forest.triangle_start[tree]
    vertex_start = forest.vertex_start[tree]
    for corner in range(3):
        v = vertex_start + forest.triangles[triangle_start + t, corner]
        x = forest.vertices[v, 0]
        y = forest.vertices[v, 1]
        z = forest.vertices[v, 2]
        for axis in range(3):
            w = pose[axis, 0] * x + pose[axis, 1] * y + pose[axis, 2] * z + pose[axis, 3]
            leaf[i, 3 * corner + axis] = w
            if corner == 0:
                leaf[i, 9 + axis] = w
                leaf[i, 12 + axis] = w
            else:
                leaf[i, 9 + axis] = min(leaf[i, 9 + axis], w)
                leaf[i, 12 + axis] = max(leaf[i, 12 + axis], w)


@inner
def place_triangles(forest, tree, indices, count, pose, leaf):
    """Write the world corners and boxes of ``count`` triangles of a tree to a leaf."""
    for i in range(count):
        place_triangle(forest, tree, indices[i], pose, leaf, i)


@inlined
def boxes_meet(a, i, b, j, tolerance):
    """Return whether the world boxes of two loaded triangles are within the tolerance, exactly."""
    for axis in range(3):
        if a[i, 9 + axis] > b[j, 12 + axis] + tolerance or b[j, 9 + axis] > a[i, 12 + axis] + tolerance:
            return False
    return True


@inner
def _kind_within(forest, tree, t, a, u, b, workspace):
    """Return the kind of two touching triangles of one tree: APART if they touch only in shared corners or edges."""
    start = forest.triangle_start[tree]
    beyond = touch_beyond_shared(
        forest.triangles[start + t], ((a[0], a[1], a[2]), (a[3], a[4], a[5]), (a[6], a[7], a[8])),
        forest.triangles[start + u], ((b[0], b[1], b[2]), (b[3], b[4], b[5]), (b[6], b[7], b[8])), workspace,
    )  # fmt: skip
    if beyond == UNCERTAIN:
        return UNDECIDED
    return TOUCHING if beyond == 1 else APART


# A leaf test is (p1, q1, r1, p2, q2, r2, tolerance, workspace) -> kind: corners are (x, y, z) tuples in world
# coordinates, the kind is APART for no contact, and the workspace is that of ``predicates.py``.


@portable
def contact(p1, q1, r1, p2, q2, r2, tolerance, workspace):
    """Return the exact kind of a contact; UNDECIDED only if products of the coordinates exceed float64."""
    return classify_exact(p1, q1, r1, p2, q2, r2, workspace)


@portable
def nearness(p1, q1, r1, p2, q2, r2, tolerance, workspace):
    """Return TOUCHING if the triangles are within the tolerance (float64 distance), otherwise the exact kind."""
    if closest_of_triangles(p1, q1, r1, p2, q2, r2, True)[0] <= tolerance:
        return TOUCHING
    return classify_exact(p1, q1, r1, p2, q2, r2, workspace)


def pair_traversal(volume: str, leaf_test: Callable) -> Callable:
    """Return the kernel of ``traversal_with`` for one kind of volume and one leaf test."""
    verbs = volume_named(volume)
    return traversal_with(verbs.overlap, verbs.size, access_to(verbs), visit_triangles, leaf_test)


@portable
def visit_triangles(
    leaf_test, forest_a, tree_a, count_a, pose_a,
    forest_b, tree_b, count_b, pose_b,
    same, job, tolerance, options, state, scratch, output, found,
):  # fmt: skip
    """Run the leaf test for each pair of triangles of two leaves whose boxes meet."""
    leaf_a, leaf_b, indices_a, indices_b = scratch.leaf_a, scratch.leaf_b, scratch.indices_a, scratch.indices_b
    workspace = scratch.workspace
    counter = workspace.counter
    pairs, kinds, pair_jobs = output.pairs, output.kinds, output.jobs
    with_itself = options[WITH_ITSELF] != 0
    place_triangles(forest_a, tree_a, indices_a, count_a, pose_a, leaf_a)
    place_triangles(forest_b, tree_b, indices_b, count_b, pose_b, leaf_b)
    for i in range(count_a):
        for j in range(i + 1 if same else 0, count_b):
            if not boxes_meet(leaf_a, i, leaf_b, j, tolerance):
                continue
            state[PRIMITIVE_TESTS] += 1
            a = leaf_a[i]
            b = leaf_b[j]
            before = counter[0]
            kind = leaf_test(
                (a[0], a[1], a[2]), (a[3], a[4], a[5]), (a[6], a[7], a[8]),
                (b[0], b[1], b[2]), (b[3], b[4], b[5]), (b[6], b[7], b[8]),
                tolerance, workspace,
            )  # fmt: skip
            if with_itself and kind == TOUCHING:
                kind = _kind_within(forest_a, tree_a, indices_a[i], a, indices_b[j], b, workspace)
            state[EXACT_TESTS] += counter[0] != before
            if kind == APART or (options[CROSSING_ONLY] != 0 and kind != CROSSING and kind != UNDECIDED):
                continue
            t = indices_a[i]
            u = indices_b[j]
            if with_itself:
                t, u = min(t, u), max(t, u)
            pairs[found, 0] = t
            pairs[found, 1] = u
            kinds[found] = kind
            pair_jobs[found] = job
            found += 1
            if options[FIRST_ONLY] != 0 and kind != UNDECIDED:
                return found, True
    return found, False


@cache
def traversal_with(
    test: Callable,
    size: Callable,
    access: Access,
    visit: Callable,
    leaf_test: Callable | None,
    compiled_by: Callable = kernel,
    order: Order = AS_THEY_COME,
) -> Callable:
    """Return the traversal kernel for the functions of a volume and a visit.

    Bounding volumes with the same functions share the kernel. ``compiled_by=inner`` makes a function for other kernels
    instead. ``test`` is the function that the order uses: a volume's ``overlap`` or ``gap``.

    The kernel takes (forest_a, forest_b, jobs, poses_a, poses_b, relative, tolerance, options, state, stack, scratch,
    carried, output) and returns True when all jobs are done. ``jobs`` (k, 2) int64 names the trees; poses are
    (k, 3, 4), ``relative`` is made by ``prepared_poses.py``; the rest is allocated by ``binary_engine.py``.

    ``visit`` is called with the leaf test for two leaves, whose triangles are in the scratch; forests, scratch and
    output are references. The function appends to the output, adds to the counts in ``state``, and returns the number
    of entries in the output, and whether the job is done.
    """
    root, _, nodes_of, children, triangle, row, begin, derive, exchange = access
    start, leave_out, arrange, limit_of = order

    def traverse(
        forest_a,
        forest_b,
        jobs,
        poses_a,
        poses_b,
        relative,
        tolerance,
        options,
        state,
        stack,
        scratch,
        carried,
        output,
    ):
        forest_a, forest_b = by_reference(forest_a), by_reference(forest_b)
        scratch, output = by_reference(scratch), by_reference(output)
        rows = by_reference(_Rows(relative, poses_a, poses_b, stack, carried))  # no reference counting
        relative, poses_a, poses_b, stack, carried = rows.relative, rows.poses_a, rows.poses_b, rows.stack, rows.carried
        indices_a, indices_b = scratch.indices_a, scratch.indices_b
        volumes_a, volumes_b = forest_a.volumes, forest_b.volumes
        with_itself = options[WITH_ITSELF] != 0
        room = options[ROOM]
        job = state[JOB]
        used = state[STACK_USED]
        found = state[OUTPUT_USED]
        volume_tests = state[VOLUME_TESTS]
        steps = options[STEP_LIMIT]
        nodes_a, nodes_b = nodes_of(forest_a), nodes_of(forest_b)
        while job < jobs.shape[0] and steps > 0 and found <= room:
            tree_a = jobs[job, 0]
            tree_b = jobs[job, 1]
            start_a = forest_a.node_start[tree_a]
            start_b = forest_b.node_start[tree_b]
            pose = relative[job]
            if used == 0:
                stack[0, 0] = root
                stack[0, 1] = root
                begin(volumes_a, start_a, volumes_b, start_b, pose, carried)
                volume_tests += start(
                    test, row(volumes_a, start_a + root, carried, 0, 0),
                    row(volumes_b, start_b + root, carried, 0, 1), pose,
                    forest_a, tree_a, poses_a[job], forest_b, tree_b, poses_b[job], job, tolerance, scratch, output,
                )  # fmt: skip
                used = 1
            limit = limit_of(job, tolerance, scratch, output)
            while used > 0 and steps > 0 and found <= room:
                steps -= 1
                used -= 1
                node_a = np.int64(stack[used, 0])
                node_b = np.int64(stack[used, 1])
                same = with_itself and node_a == node_b
                volume_a = row(volumes_a, start_a + node_a, carried, used, 0)
                volume_b = row(volumes_b, start_b + node_b, carried, used, 1)
                tests, is_left_out = leave_out(test, volume_a, volume_b, pose, same, scratch, used, limit)
                volume_tests += tests
                if is_left_out:
                    continue
                first_a, count_a = children(nodes_a, start_a, node_a)
                first_b, count_b = children(nodes_b, start_b, node_b)
                if count_a == 0 or count_b == 0:
                    into_a = same or count_b != 0 or (count_a == 0 and size(volume_a) >= size(volume_b))
                    into_b = same or not into_a
                    pairs_below = 3 if same else 2
                    for k in range(pairs_below):  # the last one to be popped is derived in place
                        at = used + pairs_below - 1 - k
                        child_a = first_a + (k > 0 and (k == 1 or not same)) if into_a else node_a
                        child_b = first_b + (k > 0) if into_b else node_b
                        derive(
                            nodes_a, start_a, child_a, into_a,
                            nodes_b, start_b, child_b, into_b, pose, carried, used, at,
                        )  # fmt: skip
                        stack[at, 0], stack[at, 1] = child_a, child_b
                    volume_tests += arrange(
                        test, row, exchange, volumes_a, start_a, volumes_b, start_b, pose, carried,
                        stack, used, scratch,
                    )  # fmt: skip
                    used += pairs_below
                    continue
                for i in range(count_a):
                    indices_a[i] = triangle(forest_a, tree_a, first_a + i)
                for j in range(count_b):
                    indices_b[j] = triangle(forest_b, tree_b, first_b + j)
                found, stop = visit(
                    leaf_test, forest_a, tree_a, count_a, poses_a[job], forest_b, tree_b, count_b, poses_b[job],
                    same, job, tolerance, options, state, scratch, output, found,
                )  # fmt: skip
                limit = limit_of(job, tolerance, scratch, output)
                if stop:
                    used = 0
            if used == 0:
                job += 1
        state[JOB] = job
        state[STACK_USED] = used
        state[OUTPUT_USED] = found
        state[VOLUME_TESTS] = volume_tests
        return job == jobs.shape[0]

    return compiled_by(traverse)
