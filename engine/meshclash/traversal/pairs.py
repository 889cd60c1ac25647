"""Depth-first simultaneous traversal: which primitives of two hierarchies meet.

One kernel text serves every volume, every leaf test, one object pair or thousands, all contacts or the first one, two
objects or one against itself. It can stop anywhere: after a number of steps (so that long work comes in slices) or when
the output is full (so that nothing is cut and nothing is done twice), and goes on from its state.
"""

from collections.abc import Callable
from functools import cache

from ..geometry.triangle_pair import APART, CROSSING, TOUCHING, UNDECIDED
from ..jit import inlined, inner, kernel
from ..volumes.registry import volume_named

# Entries of the state array.
JOB, STACK_USED, OUTPUT_USED, VOLUME_TESTS, PRIMITIVE_TESTS, EXACT_TESTS, STATE_LENGTH = range(7)
# Entries of the options array.
CROSSING_ONLY, FIRST_ONLY, WITH_ITSELF, STEP_LIMIT, OPTIONS_LENGTH = range(5)

LEAF_NUMBERS = 15  # corners 0:9, lowest 9:12, highest 12:15


@inlined
def load_triangle(forest, tree, entry, pose, leaf, i, indices):
    """World coordinates and box of the triangle at an entry of ``order``, into row i of a leaf; ``pose`` is (3, 4)."""
    triangle_start = forest.triangle_start[tree]
    vertex_start = forest.vertex_start[tree]
    t = forest.order[triangle_start + entry]
    indices[i] = t
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
def _load_leaf(forest, tree, begin, count, pose, leaf, indices):
    """World coordinates and boxes of a leaf's triangles."""
    for i in range(count):
        load_triangle(forest, tree, begin + i, pose, leaf, i, indices)


@inlined
def boxes_meet(a, i, b, j, tolerance):
    """Whether the world boxes of two loaded triangles come within the tolerance, exactly."""
    for axis in range(3):
        if a[i, 9 + axis] > b[j, 12 + axis] + tolerance or b[j, 9 + axis] > a[i, 12 + axis] + tolerance:
            return False
    return True


@inner
def _share_vertex(forest, tree, t, u):
    start = forest.triangle_start[tree]
    for i in range(3):
        for j in range(3):
            if forest.triangles[start + t, i] == forest.triangles[start + u, j]:
                return True
    return False


def pair_traversal(volume: str, leaf_test: Callable) -> Callable:
    """The traversal kernel for one kind of volume and one leaf test (``leaf_tests.py``).

    The kernel takes (forest_a, forest_b, jobs, poses_a, poses_b, relative, tolerance, options, state, stack, scratch,
    output) and returns True when all jobs are done. ``jobs`` (k, 2) int64 names the trees; poses are (k, 3, 4),
    ``relative`` what ``prepared.py`` makes; the rest is allocated by ``run.py``, where each array is described.
    """
    verbs = volume_named(volume)
    return _pair_traversal(verbs.overlap, verbs.size, leaf_test)


@cache
def _pair_traversal(overlap: Callable, size: Callable, leaf_test: Callable) -> Callable:
    """Kinds of volumes that share their verbs share the kernel."""

    def traverse(
        forest_a, forest_b, jobs, poses_a, poses_b, relative, tolerance, options, state, stack, scratch, output
    ):
        leaf_a, leaf_b, indices_a, indices_b, workspace = scratch
        counter = workspace[0]
        pairs, kinds, pair_jobs = output
        with_itself = options[WITH_ITSELF] != 0
        room = pairs.shape[0] - leaf_a.shape[0] * leaf_b.shape[0]
        job = state[JOB]
        used = state[STACK_USED]
        found = state[OUTPUT_USED]
        volume_tests = state[VOLUME_TESTS]
        primitive_tests = state[PRIMITIVE_TESTS]
        exact_tests = state[EXACT_TESTS]
        steps = options[STEP_LIMIT]
        while job < jobs.shape[0] and steps > 0 and found <= room:
            if used == 0:
                stack[0, 0] = 0
                stack[0, 1] = 0
                used = 1
            tree_a = jobs[job, 0]
            tree_b = jobs[job, 1]
            start_a = forest_a.node_start[tree_a]
            start_b = forest_b.node_start[tree_b]
            stop = False
            while used > 0 and steps > 0 and found <= room:
                steps -= 1
                used -= 1
                node_a = stack[used, 0]
                node_b = stack[used, 1]
                same = with_itself and node_a == node_b
                if not same:
                    volume_tests += 1
                    if not overlap(
                        forest_a.volumes[start_a + node_a], forest_b.volumes[start_b + node_b], relative[job]
                    ):
                        continue
                count_a = forest_a.count[start_a + node_a]
                count_b = forest_b.count[start_b + node_b]
                first_a = forest_a.first[start_a + node_a]
                first_b = forest_b.first[start_b + node_b]
                if same and count_a == 0:
                    stack[used, 0], stack[used, 1] = first_a, first_a + 1
                    stack[used + 1, 0], stack[used + 1, 1] = first_a + 1, first_a + 1
                    stack[used + 2, 0], stack[used + 2, 1] = first_a, first_a
                    used += 3
                    continue
                if count_a == 0 or count_b == 0:
                    into_a = count_b != 0 or (
                        count_a == 0
                        and size(forest_a.volumes[start_a + node_a]) >= size(forest_b.volumes[start_b + node_b])
                    )
                    if into_a:
                        stack[used, 0], stack[used, 1] = first_a + 1, node_b
                        stack[used + 1, 0], stack[used + 1, 1] = first_a, node_b
                    else:
                        stack[used, 0], stack[used, 1] = node_a, first_b + 1
                        stack[used + 1, 0], stack[used + 1, 1] = node_a, first_b
                    used += 2
                    continue
                _load_leaf(forest_a, tree_a, first_a, count_a, poses_a[job], leaf_a, indices_a)
                _load_leaf(forest_b, tree_b, first_b, count_b, poses_b[job], leaf_b, indices_b)
                for i in range(count_a):
                    for j in range(i + 1 if same else 0, count_b):
                        if not boxes_meet(leaf_a, i, leaf_b, j, tolerance):
                            continue
                        primitive_tests += 1
                        a = leaf_a[i]
                        b = leaf_b[j]
                        before = counter[0]
                        kind = leaf_test(
                            (a[0], a[1], a[2]), (a[3], a[4], a[5]), (a[6], a[7], a[8]),
                            (b[0], b[1], b[2]), (b[3], b[4], b[5]), (b[6], b[7], b[8]),
                            tolerance, workspace,
                        )  # fmt: skip
                        exact_tests += counter[0] != before
                        if kind == APART or (options[CROSSING_ONLY] != 0 and kind != CROSSING and kind != UNDECIDED):
                            continue
                        t = indices_a[i]
                        u = indices_b[j]
                        if with_itself:
                            t, u = min(t, u), max(t, u)
                            if kind == TOUCHING and _share_vertex(forest_a, tree_a, t, u):
                                continue
                        pairs[found, 0] = t
                        pairs[found, 1] = u
                        kinds[found] = kind
                        pair_jobs[found] = job
                        found += 1
                        stop = stop or (options[FIRST_ONLY] != 0 and kind != UNDECIDED)
                        if stop:
                            break
                    if stop:
                        break
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

    return kernel(traverse)
