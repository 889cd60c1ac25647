"""Nearest pair of triangles, or all pairs within a tolerance, for every kind of volume: two nodes at a time.

The same search as ``near_wide.py``, over the binary tree and with a volume's ``gap`` for its lower bounds. It serves
volumes other than boxes, leaves of more than eight triangles and uncompiled code, and is the twin in tests.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..jit import kernel
from ..volumes.registry import volume_named
from .near_leaf import (
    CHAINED,
    NEAREST,
    STEP_LIMIT,
    UNCERTAIN,
    keep_nearer,
    leaf_distance,
    pruning_limit,
    rounding_of,
    start_from_known,
)
from .pairs import JOB, OUTPUT_USED, PRIMITIVE_TESTS, STACK_USED, VOLUME_TESTS, boxes_meet, load_triangle


def near_traversal(volume: str) -> Callable:
    """The kernel for one kind of volume; arguments as ``traverse_near`` without the wide forests and narrow rows."""
    verbs = volume_named(volume)
    return _near_traversal(verbs.gap, verbs.size)


@cache
def _near_traversal(gap: Callable, size: Callable) -> Callable:
    """Kinds of volumes that share their verbs share the kernel."""

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
        scratch,
        found,
        output,
    ):
        leaf_a, leaf_b, indices_a, indices_b = scratch
        distances = found[0]
        pairs, lengths, pair_jobs = output
        nearest = options[NEAREST] != 0
        room = pairs.shape[0] - leaf_a.shape[0] * leaf_b.shape[0]
        job = state[JOB]
        used = state[STACK_USED]
        output_used = state[OUTPUT_USED]
        volume_tests = state[VOLUME_TESTS]
        primitive_tests = state[PRIMITIVE_TESTS]
        steps = options[STEP_LIMIT]
        while job < jobs.shape[0] and steps > 0 and (nearest or output_used <= room):
            tree_a = jobs[job, 0]
            tree_b = jobs[job, 1]
            start_a = forest_a.node_start[tree_a]
            start_b = forest_b.node_start[tree_b]
            row = relative[job]
            if used == 0:
                if nearest:
                    primitive_tests += start_from_known(
                        forest_a, forest_b, tree_a, tree_b, poses_a[job], poses_b[job], leaf_a, leaf_b, found, job,
                        options[CHAINED] != 0,
                    )  # fmt: skip
                volume_tests += 1
                bounds[0] = gap(forest_a.volumes[start_a], forest_b.volumes[start_b], row)
                stack[0, 0] = 0
                stack[0, 1] = 0
                used = 1
            limit = pruning_limit(distances[job], errors) if nearest else distances[job]
            while used > 0 and steps > 0 and (nearest or output_used <= room):
                steps -= 1
                used -= 1
                if bounds[used] > limit:
                    continue
                node_a = stack[used, 0]
                node_b = stack[used, 1]
                count_a = forest_a.count[start_a + node_a]
                count_b = forest_b.count[start_b + node_b]
                first_a = forest_a.first[start_a + node_a]
                first_b = forest_b.first[start_b + node_b]
                if count_a == 0 or count_b == 0:
                    into_a = count_b != 0 or (
                        count_a == 0
                        and size(forest_a.volumes[start_a + node_a]) >= size(forest_b.volumes[start_b + node_b])
                    )
                    left_a, left_b = (first_a, node_b) if into_a else (node_a, first_b)
                    right_a, right_b = (first_a + 1, node_b) if into_a else (node_a, first_b + 1)
                    volume_tests += 2
                    left = gap(forest_a.volumes[start_a + left_a], forest_b.volumes[start_b + left_b], row)
                    right = gap(forest_a.volumes[start_a + right_a], forest_b.volumes[start_b + right_b], row)
                    last = used + 1 if left <= right else used  # the nearer on top
                    stack[last, 0], stack[last, 1], bounds[last] = left_a, left_b, left
                    last = 2 * used + 1 - last
                    stack[last, 0], stack[last, 1], bounds[last] = right_a, right_b, right
                    used += 2
                    continue
                for i in range(count_a):
                    load_triangle(forest_a, tree_a, first_a + i, poses_a[job], leaf_a, i, indices_a)
                for j in range(count_b):
                    load_triangle(forest_b, tree_b, first_b + j, poses_b[job], leaf_b, j, indices_b)
                for i in range(count_a):
                    for j in range(count_b):
                        if not boxes_meet(leaf_a, i, leaf_b, j, limit):
                            continue
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
