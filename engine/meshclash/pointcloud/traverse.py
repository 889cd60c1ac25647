"""Simultaneous traversal of two point hierarchies, most promising pair of nodes first.

Source: Klein and Zachmann (2004), section 5. A pair of nodes is left out when boxes or covering spheres are apart; the
others wait in a heap, those with sample points on both sides of the other node's surface in front; a pair of leaves is
searched for a point on both surfaces. The kernel stops after some work, or when the heap or the output may be full,
and goes on from its state: a time budget, progress, cancelling and growing are one thing.
"""

from typing import Any, NamedTuple

import numpy as np

from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.pair_heap import heap_pop, heap_push
from ..volumes.aabb import overlap
from .patches import Patch, common_region, gather_patch, in_leaf, keep_in_leaf, leaf_plane, one_sided, widened
from .priority import plane_priority, spheres_meet, surface_priority
from .random_points import closest_test_point
from .root_search import search

# Entries of the state array.
STARTED, HEAP_USED, FOUND, VOLUME_TESTS, LEAF_TESTS, EVALUATIONS, COUNTER, STATE_LENGTH = range(8)
# Entries of the settings array (float64).
FIRST_ONLY, WORK_LIMIT, TOLERANCE, RESOLUTION, PAPER_PRIORITY, TEST_POINTS, ENOUGH, SETTINGS_LENGTH = range(8)

EVALUATION_WORK = 8.0
"""Work of one evaluation of a surface, in tests of two nodes."""


class Scratch(NamedTuple):
    """What ``traverse`` works in."""

    patch_a: Patch
    patch_b: Patch
    region: np.ndarray
    """(6,) float64: low and high of what two leaves have in common."""
    centres: np.ndarray
    """(15, 3) float64: samples of a node of b in a's frame."""
    samples: Any
    """``priority.new_sample_room``."""
    work: np.ndarray
    """(1,) int64: evaluations."""


@inner
def longest_side(boxes, node):
    """Longest side of a node's box."""
    return max(boxes[node, 3] - boxes[node, 0], boxes[node, 4] - boxes[node, 1], boxes[node, 5] - boxes[node, 2])


@inner
def test_leaves(tree_a, node_a, tree_b, node_b, m, settings, scratch, counter, work):
    """Whether the surfaces of two leaves have a common point; (found, point in a's hierarchy frame)."""
    a = scratch.patch_a
    b = scratch.patch_b
    region = scratch.region
    nowhere = (0.0, 0.0, 0.0)
    if not common_region(tree_a, node_a, tree_b, node_b, m, region):
        return False, nowhere
    used_a, tried_a = gather_patch(tree_a, node_a, m, False, region, a)
    if used_a == 0:
        return False, nowhere
    used_b, tried_b = gather_patch(tree_b, node_b, m, True, region, b)
    if used_b == 0:
        return False, nowhere
    tried_a = keep_in_leaf(a, tried_a, tree_b, node_b, m)
    tried_b = keep_in_leaf(b, tried_b, tree_b, node_b, m)
    if settings[TEST_POINTS] > 0.0:
        if tried_a == 0:
            return False, nowhere
        radius = np.float64(tree_a.radii[node_a])
        tries = np.int64(settings[TEST_POINTS])
        near, x = closest_test_point(a, b, tried_a, radius, tries, settings[ENOUGH], counter, work)
        return near <= settings[ENOUGH], x
    plane_a = leaf_plane(tree_a, node_a, m, False)
    plane_b = leaf_plane(tree_b, node_b, m, True)
    if tried_a > 0 and one_sided(a, tried_a, widened(plane_b, a)):
        return False, nowhere
    if tried_b > 0 and one_sided(b, tried_b, widened(plane_a, b)):
        return False, nowhere
    found, x = search(a, b, tried_a, plane_b[0], region, settings[TOLERANCE], work)
    if not (found and in_leaf(tree_b, node_b, m, x)):
        found, x = search(b, a, tried_b, plane_a[0], region, settings[TOLERANCE], work)
    return found and in_leaf(tree_b, node_b, m, x), x


@inner
def _push_if_near(tree_a, node_a, tree_b, node_b, m, settings, state, heap, scratch, work):
    """Test a pair of nodes and put it on the heap if it may meet."""
    state[VOLUME_TESTS] += 1
    if not overlap(tree_a.boxes[node_a], tree_b.boxes[node_b], m):
        return
    leaves = tree_a.count[node_a] > 0 and tree_b.count[node_b] > 0
    if not leaves and not spheres_meet(tree_a, node_a, tree_b, node_b, m, scratch.centres):
        return
    if settings[PAPER_PRIORITY] != 0.0:
        key = surface_priority(tree_a, node_a, tree_b, node_b, m, scratch.samples, work)
    else:
        key = plane_priority(tree_a, node_a, tree_b, node_b, m)
    size = longest_side(tree_a.boxes, node_a) + longest_side(tree_b.boxes, node_b)
    whole = longest_side(tree_a.boxes, 0) + longest_side(tree_b.boxes, 0)
    key -= 0.5 * size / whole
    state[HEAP_USED] = heap_push(heap[1], heap[0], state[HEAP_USED], node_a, node_b, -key)


@inner
def _descend(tree_a, node_a, tree_b, node_b, m, settings, state, heap, scratch, work):
    """Look at the pairs of the children of two nodes; a leaf stands for itself."""
    leaf_a = tree_a.count[node_a] > 0
    leaf_b = tree_b.count[node_b] > 0
    for i in range(1 if leaf_a else 2):
        child_a = node_a if leaf_a else tree_a.first[node_a] + i
        for j in range(1 if leaf_b else 2):
            child_b = node_b if leaf_b else tree_b.first[node_b] + j
            _push_if_near(tree_a, child_a, tree_b, child_b, m, settings, state, heap, scratch, work)


@kernel
def traverse(tree_a, tree_b, m, settings, state, heap, scratch, output):
    """Go on with a traversal; True when it is complete, or the first contact is found and enough.

    Args:
        tree_a, tree_b: PointTrees.
        m: b's hierarchy frame in a's, a row of ``geometry/relative_pose.py`` with both margins as tolerance.
        settings, state: float64 and int64 arrays, entries above.
        heap: ``walk.new_heap``, the pair with the smallest negated key first. When it may be full, the kernel returns
            False with ``HEAP_USED`` near its capacity.
        scratch: Scratch.
        output: pairs of nodes (k, 2) int32; a point on both surfaces of each, or the middle of what they have in
            common where the resolution decides (k, 3) float64; what they have in common (k, 6). In a's hierarchy frame.
    """
    tree_a = by_reference(tree_a)
    tree_b = by_reference(tree_b)
    scratch = by_reference(scratch)
    keys, nodes = heap
    pairs, points, regions = output
    region = scratch.region
    work = scratch.work
    counter = state[COUNTER:]
    room = keys.shape[0] - 4
    work[0] = 0
    begun = state[VOLUME_TESTS]
    if state[STARTED] == 0:
        state[STARTED] = 1
        _push_if_near(tree_a, 0, tree_b, 0, m, settings, state, heap, scratch, work)
    finished = False
    while True:
        if state[HEAP_USED] == 0:
            finished = True
            break
        done = (state[VOLUME_TESTS] - begun) + EVALUATION_WORK * work[0]
        if done >= settings[WORK_LIMIT] or state[HEAP_USED] > room or state[FOUND] >= pairs.shape[0]:
            break
        state[HEAP_USED] = heap_pop(nodes, keys, state[HEAP_USED])
        node_a = nodes[state[HEAP_USED], 0]
        node_b = nodes[state[HEAP_USED], 1]
        leaves = tree_a.count[node_a] > 0 and tree_b.count[node_b] > 0
        size = max(longest_side(tree_a.boxes, node_a), longest_side(tree_b.boxes, node_b))
        if size <= settings[RESOLUTION]:
            found = common_region(tree_a, node_a, tree_b, node_b, m, region)
            x = (0.5 * (region[0] + region[3]), 0.5 * (region[1] + region[4]), 0.5 * (region[2] + region[5]))
        elif leaves:
            state[LEAF_TESTS] += 1
            found, x = test_leaves(tree_a, node_a, tree_b, node_b, m, settings, scratch, counter, work)
        else:
            _descend(tree_a, node_a, tree_b, node_b, m, settings, state, heap, scratch, work)
            continue
        if found:
            k = state[FOUND]
            pairs[k, 0] = node_a
            pairs[k, 1] = node_b
            for axis in range(3):
                points[k, axis] = x[axis]
            for axis in range(6):
                regions[k, axis] = region[axis]
            state[FOUND] += 1
            if settings[FIRST_ONLY] != 0.0:
                finished = True
                break
    state[EVALUATIONS] += work[0]
    return finished
