"""``time_critical``: whether two objects collide, within a time budget, with the probability of a collision."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from ..errors import UnsupportedOption
from ..hierarchy.build import as_boxes, as_hierarchies
from ..hierarchy.bvh import MeshLike
from ..timecritical import traversal as layout
from ..timecritical.criteria import checked_budget, checked_criterion, checked_steps
from ..timecritical.search import Limit, Search
from ..timecritical.trees import adb_tree
from ..types.pose import PoseLike, pose_stack
from ..types.results import QueryStats
from ..volumes.registry import volume_named
from .collide import collides
from .options import check_device, check_threads

_ONE_JOB = np.array([[0, 1]], np.int64)


@dataclass(frozen=True)
class TimeCritical:
    """The result that ``time_critical`` returns.

    Attributes:
        colliding: The exact result if ``complete``. Otherwise True if ``k_min`` pairs were counted, else the more
            probable result.
        probability: Probability that the objects collide, 0 to 1.
        complete: Whether the result is exact.
        region: World box (2, 3) float64 [m] of the most probable place of a collision; None if the objects are apart,
            or if an exact query of the whole objects had to decide.
        triangles: A triangle of a and a triangle of b that have a common point, if the search found such triangles.
        counted: Number of pairs of nodes with a probability of at least ``p_min``.
        interval: The lowest and the highest probability: for most kinds of objects and placements, the fraction of
            pairs that collide after such a search lies in this interval. If ``complete`` is True, both values are equal
            to ``probability``.
    """

    colliding: bool
    probability: float
    complete: bool
    region: np.ndarray | None
    triangles: tuple[int, int] | None
    counted: int
    stats: QueryStats
    interval: tuple[float, float]


def time_critical(
    a: MeshLike,
    b: MeshLike,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    budget: float | None = None,
    p_min: float = 0.99,
    k_min: int = 10,
    count: str = "paper",
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
    steps: int | None = None,
) -> TimeCritical:
    """Return whether two objects collide, with as much certainty as a time budget allows (ADB-trees: Klein and Zachmann
    2003).

    The search first visits the pairs of nodes that most probably contain a contact. For pairs of leaves, the search
    decides exactly whether they contain a contact. If the search finds a contact, or if it has no pairs left, the
    result is exact. If the search ends earlier, the result is only probable. If the search has found ``k_min`` pairs of
    nodes with a probability of at least ``p_min``, it ends, and the objects count as colliding. The search also ends
    when the budget is used up. The first query of a mesh also builds its hierarchy, and measures how densely the
    surface fills the nodes. The time for this preparation is not part of the budget.

    Args:
        a, b: meshes, or hierarchies made by ``build``.
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix.
        budget: time from the call on [s], above 0; None for no limit.
        p_min: smallest probability of a pair that is counted, above 0; if the value is above 1, no pair is counted, and
            the result is exact if the budget is large enough.
        k_min: number of counted pairs that make a collision, 1 or more.
        count: "paper" also counts pairs of nodes inside a counted pair, as published. "antichain" opens a counted pair
            only when no other pairs are left, so that no region is counted twice.
        volume, threads, device: as for ``collide``; volumes that are derived during the search, such as "boxtree", are
            replaced by boxes.
        steps: a budget in steps instead of time, for reproducible results. A step is about as much work as testing two
            boxes for overlap.

    Raises:
        InvalidMesh, InvalidPose, UnsupportedOption, DeviceUnavailable.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.build(mc.shapes.box(1.0))
        >>> pose = np.eye(4)
        >>> pose[0, 3] = 3.0
        >>> found = mc.time_critical(box, box, pose_b=pose, budget=10.0)
        >>> found.colliding, found.complete
        (False, True)
    """
    start = time.perf_counter()
    device, _ = check_device(device), check_threads(threads)
    criterion, seconds, steps = checked_criterion(p_min, k_min, count), checked_budget(budget), checked_steps(steps)
    (rows_a, stacked_a), (rows_b, stacked_b) = pose_stack(pose_a), pose_stack(pose_b)
    if stacked_a or stacked_b:
        raise UnsupportedOption("time_critical takes one pose for each object, not a stack")
    before = time.perf_counter()
    hierarchy_a, hierarchy_b = as_hierarchies(a, b, volume)
    if volume_named(hierarchy_a.volume).derived:
        hierarchy_a, hierarchy_b = as_boxes(hierarchy_a), as_boxes(hierarchy_b)
    tree_a, tree_b = adb_tree(hierarchy_a), adb_tree(hierarchy_b)
    start += time.perf_counter() - before
    poses = np.empty((1, 2, 3, 4))
    poses[0, 0], poses[0, 1] = rows_a[0], rows_b[0]
    search = Search(tree_a.volume, criterion)
    search.begin((tree_a, tree_b), _ONE_JOB, poses)
    search.run(Limit(None if seconds is None else start + seconds, steps))
    if search.rows[0, layout.STATUS] == layout.ASK_HOST:
        search.settle(0, bool(collides(hierarchy_a, hierarchy_b, pose_a, pose_b)))
    found = _judged(search, start, device)
    search.end()
    return found


def _judged(search: Search, start: float, device: str) -> TimeCritical:
    status, counted, *triangles = search.rows[0, : layout.LEFT].tolist()
    if status == layout.APART:
        return TimeCritical(False, 0.0, True, None, None, counted, _stats(search, start, device), (0.0, 0.0))
    (probability,), (interval,), (region,), _ = search.estimates()
    stats = _stats(search, start, device)
    if status == layout.MEET:
        if triangles[0] < 0:
            return TimeCritical(True, 1.0, True, None, None, counted, stats, (1.0, 1.0))
        return TimeCritical(True, 1.0, True, region, tuple(triangles), counted, stats, (1.0, 1.0))
    colliding = status == layout.COUNTED_ENOUGH or bool(probability >= 0.5)
    low, high = interval.tolist()
    return TimeCritical(colliding, float(probability), False, region, None, counted, stats, (low, high))


def _stats(search: Search, start: float, device: str) -> QueryStats:
    _, volume_tests, primitive_tests, exact_tests = search.state[layout.STEPS :].tolist()
    return QueryStats(volume_tests, primitive_tests, exact_tests, time.perf_counter() - start, 1, device)
