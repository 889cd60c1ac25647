"""Nearest pair of triangles, or all pairs within a tolerance, for every kind of volume: two nodes at a time.

The same search as ``near_wide.py``, over the binary tree and with a volume's ``gap`` for its lower bounds. It serves
volumes other than boxes, leaves of more than eight triangles and uncompiled code, and is the reference in tests.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..jit import kernel
from ..volumes.registry import volume_named
from .access import Access, access_to
from .near_leaf import (
    CHAINED,
    NEAREST,
    ROUNDING,
    STEP_LIMIT,
    keep_nearer,
    leaf_distance,
    pruning_limit,
    rounding_of,
    start_from_known,
)
from .pairs import JOB, OUTPUT_USED, PRIMITIVE_TESTS, STACK_USED, VOLUME_TESTS, boxes_meet, place_triangles


def near_traversal(volume: str) -> Callable:
    """The kernel for one kind of volume.

    Its arguments are those of ``traverse_near`` without the wide forests and narrow rows, but with what ``access.py``
    says that pairs carry.
    """
    verbs = volume_named(volume)
    return _near_traversal(verbs.gap, verbs.size, access_to(verbs))


@cache
def _near_traversal(gap: Callable, size: Callable, access: Access) -> Callable:
    """Kinds of volumes that share their verbs share the kernel."""
    root, _, nodes_of, children, triangle, row, begin, derive, exchange = access

    def traverse(
        forest_a,
        forest_b,
        jobs,
        poses_a,
        poses_b,
        relative,
        errors,
        options,
        state,
        stack,
        bounds,
        carried,
        scratch,
        found,
        output,
    ):
        leaf_a, leaf_b, indices_a, indices_b = scratch
        distances = found[0]
        pairs, lengths, pair_jobs = output
        nearest = options[NEAREST] != 0
        apart = errors[ROUNDING] < 0.0
        room = pairs.shape[0] - leaf_a.shape[0] * leaf_b.shape[0]
        job = state[JOB]
        used = state[STACK_USED]
        output_used = state[OUTPUT_USED]
        volume_tests = state[VOLUME_TESTS]
        primitive_tests = state[PRIMITIVE_TESTS]
        steps = options[STEP_LIMIT]
        nodes_a, nodes_b = nodes_of(forest_a), nodes_of(forest_b)
        while job < jobs.shape[0] and steps > 0 and (nearest or output_used <= room):
            tree_a = jobs[job, 0]
            tree_b = jobs[job, 1]
            start_a = forest_a.node_start[tree_a]
            start_b = forest_b.node_start[tree_b]
            pose = relative[job]
            if used == 0:
                if nearest:
                    primitive_tests += start_from_known(
                        forest_a, forest_b, tree_a, tree_b, poses_a[job], poses_b[job], leaf_a, leaf_b, found, job,
                        options[CHAINED] != 0, apart,
                    )  # fmt: skip
                volume_tests += 1
                begin(forest_a.volumes, start_a, forest_b.volumes, start_b, pose, carried)
                bounds[0] = gap(
                    row(forest_a.volumes, start_a + root, carried, 0, 0),
                    row(forest_b.volumes, start_b + root, carried, 0, 1),
                    pose,
                )
                stack[0, 0] = root
                stack[0, 1] = root
                used = 1
            limit = pruning_limit(distances[job], errors) if nearest else distances[job]
            while used > 0 and steps > 0 and (nearest or output_used <= room):
                steps -= 1
                used -= 1
                if bounds[used] > limit:
                    continue
                node_a = np.int64(stack[used, 0])
                node_b = np.int64(stack[used, 1])
                first_a, count_a = children(nodes_a, start_a, node_a)
                first_b, count_b = children(nodes_b, start_b, node_b)
                if count_a == 0 or count_b == 0:
                    into_a = count_b != 0 or (
                        count_a == 0
                        and size(row(forest_a.volumes, start_a + node_a, carried, used, 0))
                        >= size(row(forest_b.volumes, start_b + node_b, carried, used, 1))
                    )
                    volume_tests += 2
                    for k in range(2):  # the second one is derived in place
                        at = used + 1 - k
                        child_a = first_a + k if into_a else node_a
                        child_b = node_b if into_a else first_b + k
                        derive(
                            nodes_a, start_a, child_a, into_a,
                            nodes_b, start_b, child_b, not into_a, pose, carried, used, at,
                        )  # fmt: skip
                        stack[at, 0], stack[at, 1] = child_a, child_b
                        bounds[at] = gap(
                            row(forest_a.volumes, start_a + child_a, carried, at, 0),
                            row(forest_b.volumes, start_b + child_b, carried, at, 1),
                            pose,
                        )
                    if bounds[used] < bounds[used + 1]:  # the nearer on top
                        for side in range(2):
                            stack[used, side], stack[used + 1, side] = stack[used + 1, side], stack[used, side]
                        bounds[used], bounds[used + 1] = bounds[used + 1], bounds[used]
                        exchange(carried, used, used + 1)
                    used += 2
                    continue
                for i in range(count_a):
                    indices_a[i] = triangle(forest_a, tree_a, first_a + i)
                for j in range(count_b):
                    indices_b[j] = triangle(forest_b, tree_b, first_b + j)
                place_triangles(forest_a, tree_a, indices_a, count_a, poses_a[job], leaf_a)
                place_triangles(forest_b, tree_b, indices_b, count_b, poses_b[job], leaf_b)
                for i in range(count_a):
                    for j in range(count_b):
                        if not boxes_meet(leaf_a, i, leaf_b, j, limit):
                            continue
                        primitive_tests += 1
                        distance, x, y = leaf_distance(leaf_a, i, leaf_b, j, apart)
                        uncertain = distance <= rounding_of(leaf_a, i, leaf_b, j, errors[ROUNDING])
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
                            limit = pruning_limit(distances[job], errors)
                        elif uncertain or distance <= limit:
                            pairs[output_used, 0] = indices_a[i]
                            pairs[output_used, 1] = indices_b[j]
                            lengths[output_used] = distance
                            pair_jobs[output_used] = job
                            output_used += 1
                if nearest and distances[job] == 0.0:
                    used = 0
            if used == 0:
                job += 1
        state[JOB] = job
        state[STACK_USED] = used
        state[OUTPUT_USED] = output_used
        state[VOLUME_TESTS] = volume_tests
        state[PRIMITIVE_TESTS] = primitive_tests
        return job == jobs.shape[0]

    return kernel(traverse)
