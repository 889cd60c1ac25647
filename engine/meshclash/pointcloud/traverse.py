"""Simultaneous traversal of two point hierarchies, most promising pair of nodes first.

Source: Klein and Zachmann (2004), section 5. A pair of nodes is dropped if its boxes are apart. The other pairs wait in
a heap, first those with sample points on both sides of the other node's surface. A pair of leaves is searched for a
point on both surfaces. The loop is in ``best_first.py``.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inner, portable
from ..traversal.pair_heap import heap_push
from ..volumes.aabb import overlap
from .best_first import (
    FIRST_ONLY,
    FOUND,
    HEAP_USED,
    HIT,
    LEAF_TESTS,
    RESOLUTION,
    TOLERANCE,
    VOLUME_TESTS,
    best_first,
    longest_side,
)
from .patches import (
    Patch,
    common_region,
    gather_patch,
    in_leaf,
    keep_in_leaf,
    leaf_plane,
    one_sided,
    slab_beyond,
    widened,
)
from .priority import plane_priority
from .rim_search import rims_apart, search_rims
from .root_search import SETTLED, is_late, search
from .separation import sheets_apart

NO_POINT, FOUND_POINT, ASK_RIMS, ASK_BOTH_RIMS = 0, 1, 2, 3
"""Result of testing two leaves. ASK_RIMS and ASK_BOTH_RIMS postpone a search at the rims: ASK_RIMS if at least one of
the surfaces ends, ASK_BOTH_RIMS if both end. The postponed search runs only after all other pairs, if no contact was
found."""

LATE = 0.5
"""Negated key of such a postponed pair of leaves in the heap; no other pair has a larger one. The heap stores its
node_a as -1 - node_a, and for ASK_BOTH_RIMS also its node_b as -1 - node_b."""


class CloudScratch(NamedTuple):
    """The work arrays of ``traverse``."""

    patch_a: Patch
    patch_b: Patch
    region: np.ndarray
    """(6,) float64: lowest and highest coordinates of the common region of two leaves."""
    work: np.ndarray
    """(2,) int64: number of evaluations, and the largest number."""
    cubes: np.ndarray
    """(64, 4) float64: work array of ``search_rims``."""


@portable
def test_leaves(tree_a, node_a, tree_b, node_b, m, settings, state, scratch):
    """Search for a common point of the surfaces of two leaves with a root search.

    Returns:
        (NO_POINT, FOUND_POINT, ASK_RIMS or ASK_BOTH_RIMS; the point in a's hierarchy frame).
    """
    a = scratch.patch_a
    b = scratch.patch_b
    region = scratch.region
    work = scratch.work
    nowhere = (0.0, 0.0, 0.0)
    if not common_region(tree_a, node_a, tree_b, node_b, m, region):
        return NO_POINT, nowhere
    plane_a = leaf_plane(tree_a, node_a, m, False)
    plane_b = leaf_plane(tree_b, node_b, m, True)
    wide_a = widened(plane_a, b)
    wide_b = widened(plane_b, a)
    if slab_beyond(region, plane_a, wide_b) or slab_beyond(region, plane_b, wide_a):
        return NO_POINT, nowhere
    used_a, inside_a = gather_patch(tree_a, node_a, m, False, region, a)
    tried_a = keep_in_leaf(a, inside_a, tree_b, node_b, m)
    if used_a == 0 or (tried_a > 0 and one_sided(a, tried_a, wide_b)):
        return NO_POINT, nowhere
    used_b, inside_b = gather_patch(tree_b, node_b, m, True, region, b)
    tried_b = keep_in_leaf(b, inside_b, tree_b, node_b, m)
    if used_b == 0 or (tried_b > 0 and one_sided(b, tried_b, wide_a)):
        return NO_POINT, nowhere
    if rims_apart(a, plane_a[0], b, plane_b[0], region):
        return NO_POINT, nowhere
    if tried_a + tried_b == 0:
        return ASK_RIMS, nowhere
    ask_both = ASK_BOTH_RIMS if tree_a.planes[node_a, 5] * tree_b.planes[node_b, 5] > 0.0 else NO_POINT
    if sheets_apart(a, inside_a, tried_a, plane_a[0], b, inside_b, tried_b, plane_b[0], work):
        return ask_both, nowhere
    found, x, status = search(a, b, tried_a, plane_b[0], region, settings[TOLERANCE], work)
    if found and in_leaf(tree_b, node_b, m, x):
        return FOUND_POINT, x
    found, x, other = search(b, a, tried_b, plane_a[0], region, settings[TOLERANCE], work)
    if found:
        return (FOUND_POINT if in_leaf(tree_b, node_b, m, x) else NO_POINT), x
    return (ask_both if max(status, other) == SETTLED else ASK_RIMS), nowhere


@inner
def test_rims(tree_a, node_a, tree_b, node_b, m, both, settings, scratch):
    """Search for a common point of the surfaces of two leaves near the rim of at least one of them.

    Returns:
        (found, point in a's hierarchy frame).
    """
    a = scratch.patch_a
    b = scratch.patch_b
    region = scratch.region
    common_region(tree_a, node_a, tree_b, node_b, m, region)
    gather_patch(tree_a, node_a, m, False, region, a)
    gather_patch(tree_b, node_b, m, True, region, b)
    normal_a, _, _ = leaf_plane(tree_a, node_a, m, False)
    normal_b, _, _ = leaf_plane(tree_b, node_b, m, True)
    return search_rims(
        a, normal_a, b, normal_b, both, scratch.cubes, region, tree_b, node_b, m, settings[TOLERANCE], scratch.work
    )


@portable
def plane_key(tree_a, node_a, tree_b, node_b, m, scratch):
    """Return the priority of a pair of nodes, judged by their mean planes."""
    return plane_priority(tree_a, node_a, tree_b, node_b, m)


@inner
def _push(tree_a, node_a, tree_b, node_b, key, state, heap):
    """Put a pair of nodes on the heap. Among equally likely pairs, the pair with smaller boxes comes first."""
    size = longest_side(tree_a.boxes, node_a) + longest_side(tree_b.boxes, node_b)
    whole = longest_side(tree_a.boxes, 0) + longest_side(tree_b.boxes, 0)
    key -= 0.5 * size / whole
    state[HEAP_USED] = heap_push(heap[1], heap[0], state[HEAP_USED], node_a, node_b, -key)


@inner
def _children(tree, node):
    """Return the first child and the number of children of a node; for a leaf, return the leaf itself and 1."""
    if tree.count[node] > 0:
        return node, 1
    return np.int64(tree.first[node]), 2


@inner
def _middle_of_common(tree_a, node_a, tree_b, node_b, m, region):
    """Return whether two nodes have a common region, and its centre."""
    found = common_region(tree_a, node_a, tree_b, node_b, m, region)
    return found, (0.5 * (region[0] + region[3]), 0.5 * (region[1] + region[4]), 0.5 * (region[2] + region[5]))


@inner
def _write(output, state, node_a, node_b, x, region):
    """Write a contact to the output."""
    pairs, points, regions = output
    k = state[FOUND]
    pairs[k, 0] = node_a
    pairs[k, 1] = node_b
    for axis in range(3):
        points[k, axis] = x[axis]
    for axis in range(6):
        regions[k, axis] = region[axis]
    state[FOUND] += 1
    state[HIT] = 1


@inner
def push_if_near(key_of, tree_a, node_a, tree_b, node_b, m, state, heap, scratch):
    """Put a pair of nodes on the heap, with the key from ``key_of``, unless their boxes are apart."""
    state[VOLUME_TESTS] += 1
    if overlap(tree_a.boxes[node_a], tree_b.boxes[node_b], m):
        _push(tree_a, node_a, tree_b, node_b, key_of(tree_a, node_a, tree_b, node_b, m, scratch), state, heap)


@portable
def one_root(tree_b):
    """Return the largest number of contacts that one visit writes: 1."""
    return 1


@inner
def visit(key_of, find, tree_a, node_a, tree_b, node_b, m, settings, state, heap, scratch, output):
    """Process a pair of nodes, or a postponed search at rims, from the heap; return whether the search is finished."""
    rims, both = node_a < 0, node_b < 0
    node_a = -1 - node_a if rims else node_a
    node_b = -1 - node_b if both else node_b
    first_a, count_a = _children(tree_a, node_a)
    first_b, count_b = _children(tree_b, node_b)
    coarse = max(longest_side(tree_a.boxes, node_a), longest_side(tree_b.boxes, node_b)) <= settings[RESOLUTION]
    if not coarse and (count_a > 1 or count_b > 1):
        for a in range(first_a, first_a + count_a):
            for b in range(first_b, first_b + count_b):
                push_if_near(key_of, tree_a, a, tree_b, b, m, state, heap, scratch)
        return False
    if coarse:
        found, x = _middle_of_common(tree_a, node_a, tree_b, node_b, m, scratch.region)
    elif rims:
        found, x = False, (0.0, 0.0, 0.0)
        if state[HIT] == 0:
            found, x = test_rims(tree_a, node_a, tree_b, node_b, m, both, settings, scratch)
            if not found and is_late(scratch.work):
                later = -1 - node_b if both else node_b
                state[HEAP_USED] = heap_push(heap[1], heap[0], state[HEAP_USED], -1 - node_a, later, LATE)
                return False
    else:
        state[LEAF_TESTS] += 1
        what, x = find(tree_a, node_a, tree_b, node_b, m, settings, state, scratch)
        found = what == FOUND_POINT
        if not found and is_late(scratch.work):
            push_if_near(key_of, tree_a, node_a, tree_b, node_b, m, state, heap, scratch)
            return False
        if what >= ASK_RIMS:
            later = -1 - node_b if what == ASK_BOTH_RIMS else node_b
            state[HEAP_USED] = heap_push(heap[1], heap[0], state[HEAP_USED], -1 - node_a, later, LATE)
    if found:
        _write(output, state, node_a, node_b, x, scratch.region)
    return found and settings[FIRST_ONLY] != 0.0


@portable
def _begin_by_planes(tree_a, tree_b, m, state, heap, scratch):
    push_if_near(plane_key, tree_a, 0, tree_b, 0, m, state, heap, scratch)


@portable
def _visit_by_planes(tree_a, node_a, tree_b, node_b, m, settings, state, heap, scratch, output):
    return visit(plane_key, test_leaves, tree_a, node_a, tree_b, node_b, m, settings, state, heap, scratch, output)


traverse = best_first(_begin_by_planes, _visit_by_planes, one_root)
