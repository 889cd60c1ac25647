"""Best-first traversal of the pairs of nodes of a point hierarchy and another hierarchy.

Source: Klein and Zachmann (2004), section 5. Pairs that may meet wait in a heap. The kernel stops after some work, or
when the heap or the output may be full, and resumes from its state. Time budgets, progress, cancelling and growing
arrays all use this interruption mechanism.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..jit import inner, kernel
from ..reference import by_reference
from ..traversal.pair_heap import heap_pop

# Entries of the state array.
STARTED, HEAP_USED, FOUND, HIT, VOLUME_TESTS, LEAF_TESTS, EVALUATIONS, STATE_LENGTH = range(8)
# Entries of the settings array (float64).
FIRST_ONLY, WORK_LIMIT, TOLERANCE, RESOLUTION, MOST_EVALUATIONS, SETTINGS_LENGTH = range(6)
"""``MOST_EVALUATIONS``: after this number of evaluations in one call, even the test of two leaves is interrupted, and
the pair returns to the heap; 0 for no limit."""

EVALUATION_WORK = 8.0
"""Work of one evaluation of a surface, in units of one test of two nodes."""

UNLIMITED = np.int64(2**62)

_MOST_PUSHED = 4
"""Largest number of pairs that visiting one pair puts on the heap."""


@inner
def longest_side(boxes, node):
    """Return the length of the longest side of a node's box."""
    return max(boxes[node, 3] - boxes[node, 0], boxes[node, 4] - boxes[node, 1], boxes[node, 5] - boxes[node, 2])


@cache
def best_first(begin: Callable, visit: Callable, most_written: Callable) -> Callable:
    """Return the traversal kernel for one kind of pair, such as two leaves of clouds, or a leaf of a cloud and a
    triangle.

    Args:
        begin: function that puts the pair of roots on the heap, if they may meet; arguments (tree_a, tree_b, m, state,
            heap, scratch).
        visit: function that processes a pair of nodes taken from the heap, and returns whether the whole search is
            finished; arguments (tree_a, node_a, tree_b, node_b, m, settings, state, heap, scratch, output).
        most_written: function that returns the largest number of contacts that one visit may write; arguments
            (tree_b,).
    """

    def traverse(tree_a, tree_b, m, settings, state, heap, scratch, output):
        """Start or resume a traversal; return True if it is complete, or found its first contact with FIRST_ONLY set.

        Args:
            tree_a, tree_b: a PointTree, and another PointTree or a mesh's tree.
            m: b's hierarchy frame in a's, a row of ``geometry/relative_pose.py`` with all margins as tolerance.
            settings, state: float64 and int64 arrays, with the entries named above.
            heap: ``pair_search.new_heap``, the pair with the smallest negated key first. When the heap may be full, the
                kernel returns False with ``HEAP_USED`` near its capacity.
            scratch: a NamedTuple of the arrays that ``visit`` works in; its ``work`` counts evaluations
                (``root_search.value_at``).
            output: three arrays, in a's hierarchy frame. Pairs of nodes, (k, 2) int32. For each pair a point on both
                surfaces, or the centre of their common box if the resolution decides, (k, 3) float64. The common box of
                each pair, (k, 6).
        """
        tree_a = by_reference(tree_a)
        tree_b = by_reference(tree_b)
        scratch = by_reference(scratch)
        keys, nodes = heap
        work = scratch.work
        room = keys.shape[0] - _MOST_PUSHED
        most_found = output[0].shape[0] - most_written(tree_b)
        work[0] = 0
        work[1] = np.int64(settings[MOST_EVALUATIONS]) if settings[MOST_EVALUATIONS] > 0.0 else UNLIMITED
        begun = state[VOLUME_TESTS]
        if state[STARTED] == 0:
            state[STARTED] = 1
            begin(tree_a, tree_b, m, state, heap, scratch)
        finished = False
        while not finished:
            if state[HEAP_USED] == 0:
                finished = True
                break
            done = (state[VOLUME_TESTS] - begun) + EVALUATION_WORK * work[0]
            if done >= settings[WORK_LIMIT] or state[HEAP_USED] > room or state[FOUND] > most_found:
                break
            state[HEAP_USED] = heap_pop(nodes, keys, state[HEAP_USED])
            node_a = np.int64(nodes[state[HEAP_USED], 0])
            node_b = np.int64(nodes[state[HEAP_USED], 1])
            finished = visit(tree_a, node_a, tree_b, node_b, m, settings, state, heap, scratch, output)
        state[EVALUATIONS] += work[0]
        return finished

    return kernel(traverse)
