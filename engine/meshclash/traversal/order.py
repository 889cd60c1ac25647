"""In which order a binary traversal goes down, and what it leaves out: ways for one loop (``pairs.py``).

An ``Order`` is four functions that the loop calls:

``start(test, volume_a, volume_b, pose, forest_a, tree_a, pose_a, forest_b, tree_b, pose_b, job, limits, scratch,
output)``
    before a job: tests of volumes that it did.
``leave_out(test, volume_a, volume_b, pose, same, scratch, used, limit)``
    for a pair of nodes that came off the stack: tests of volumes, and whether the pair is left out.
``arrange(test, row, exchange, volumes_a, start_a, volumes_b, start_b, pose, carried, stack, used, scratch)``
    after the children of a pair were put on the stack: tests of volumes.
``limit_of(job, limits, scratch, output)``
    how near a pair of nodes must be to matter [m]; asked again after each visit of two leaves.

``near_pairs.py`` has another one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..jit import portable


class Order(NamedTuple):
    """The functions above."""

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
"""Every pair of nodes is tested when it comes off the stack; ``test`` is a volume's ``overlap``."""
