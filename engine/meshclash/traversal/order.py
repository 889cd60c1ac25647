"""``Order``: the order in which a binary traversal (``pairs.py``) visits nodes, and how it prunes.

An ``Order`` is four functions that the loop calls:

``start(test, volume_a, volume_b, pose, forest_a, tree_a, pose_a, forest_b, tree_b, pose_b, job, limits, scratch,
output)``
    is called before a job; returns the number of volume tests that it made.
``leave_out(test, volume_a, volume_b, pose, same, scratch, used, limit)``
    is called for a pair of nodes popped from the stack; returns the number of volume tests, and whether to prune.
``arrange(test, row, exchange, volumes_a, start_a, volumes_b, start_b, pose, carried, stack, used, scratch)``
    is called after the children of a pair were pushed onto the stack; returns the number of volume tests.
``limit_of(job, limits, scratch, output)``
    returns the distance beyond which pairs of nodes are pruned [m]; called again after each visit of two leaves.

``near_pairs.py`` defines another order.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..jit import portable


class Order(NamedTuple):
    """The four functions of an order, described in the module docstring."""

    start: Callable[..., Any]
    leave_out: Callable[..., Any]
    arrange: Callable[..., Any]
    limit_of: Callable[..., Any]


@portable
def _start_at_once(
    test, volume_a, volume_b, pose, forest_a, tree_a, pose_a, forest_b, tree_b, pose_b, job, limits, scratch, output
):
    return 0


@portable
def _are_apart(test, volume_a, volume_b, pose, same, scratch, used, limit):
    if same:
        return 0, False
    return 1, not test(volume_a, volume_b, pose)


@portable
def _keep_order(test, row, exchange, volumes_a, start_a, volumes_b, start_b, pose, carried, stack, used, scratch):
    return 0


@portable
def _no_limit(job, limits, scratch, output):
    return 0.0


AS_THEY_COME = Order(_start_at_once, _are_apart, _keep_order, _no_limit)
"""Tests every pair of nodes when it is popped from the stack; ``test`` is a volume's ``overlap``."""
