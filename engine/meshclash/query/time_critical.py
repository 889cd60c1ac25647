"""``time_critical``: do two objects collide, within a budget, and how sure is the answer?"""

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
    """What a time-critical query found.

    Attributes:
        colliding: The right answer when ``complete``; else True after ``k_min`` counted pairs, and the more probable
            one before.
        probability: That the objects collide, 0 to 1.
        complete: Whether the answer is exact.
        region: World box (2, 3) float64 [m] of the most probable place of a collision; None where nothing is left to
            collide.
        triangles: Triangles of a and b that meet, when the search came upon them.
        counted: Pairs of nodes found with a probability of at least ``p_min``.
    """

    colliding: bool
    probability: float
    complete: bool
    region: np.ndarray | None
    triangles: tuple[int, int] | None
    counted: int
    stats: QueryStats


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
    """Whether two objects collide, as surely as a budget allows (ADB-trees: Klein and Zachmann 2003).

    Pairs of nodes are opened in the order of their probability to hold a contact, pairs of leaves are decided exactly.
    The search ends with certainty at a contact or when no pair is left; without, when ``k_min`` pairs of nodes
    with a probability of at least ``p_min`` were found (the objects then count as colliding), or at the end of
    the budget. The first query on a mesh also prepares it (its hierarchy and how much its surface fills it), which no
    budget limits.

    Args:
        a, b: meshes, or hierarchies made by ``build``.
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix.
        budget: time [s] from the call on, above 0; None for none.
        p_min: least probability of pairs that are counted, above 0; beyond 1 nothing is counted, and the answer is
            exact if the budget allows.
        k_min: how many counted pairs are a collision, 1 or more.
        count: "paper" counts the pairs inside a counted pair too, as published; "antichain" leaves a counted pair
            closed until nothing else is left, so that no place counts twice.
        volume, threads, device: as ``collide``; volumes that are derived on the way down give way to boxes.
        steps: as a budget, for answers that depend on nothing but the question: a step is about a test of two boxes.

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
        return TimeCritical(False, 0.0, True, None, None, counted, _stats(search, start, device))
    (probability,), (region,) = search.estimates()
    stats = _stats(search, start, device)
    if status == layout.MEET:
        if triangles[0] < 0:
            return TimeCritical(True, 1.0, True, None, None, counted, stats)
        return TimeCritical(True, 1.0, True, region, tuple(triangles), counted, stats)
    colliding = status == layout.COUNTED_ENOUGH or bool(probability >= 0.5)
    return TimeCritical(colliding, float(probability), False, region, None, counted, stats)


def _stats(search: Search, start: float, device: str) -> QueryStats:
    _, volume_tests, primitive_tests, exact_tests = search.state[layout.STEPS :].tolist()
    return QueryStats(volume_tests, primitive_tests, exact_tests, time.perf_counter() - start, 1, device)
