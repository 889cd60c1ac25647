"""``time_critical``: do two objects collide, within a budget, and how sure is the answer?"""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..query.collide import collides
from ..query.options import check_device, check_threads
from ..traversal.run import world_triangle
from ..types.mesh import TriangleMesh
from ..types.pose import pose_stack, transform_points
from ..types.results import QueryStats
from . import traversal as layout
from .cells import filling
from .search import Aim, Search

COUNTS = ("paper", "antichain")
_STEP_SECONDS = 10e-6  # about the longest step: a pair of leaves that is decided exactly
_MOST_STEPS = 4096
_RESERVE_SECONDS = 60e-6  # kept for what follows the search
_EVIDENCE = (0.0, 0.3, 0.6, 0.9, 1.2, 1.6, 2.2, 2.75, 3.5, 4.5, 6.0, 10.0, 24.0, 40.0)
_COLLIDED = (0.0, 0.02, 0.06, 0.14, 0.24, 0.38, 0.6, 0.72, 0.82, 0.9, 0.945, 0.96, 0.985, 0.999)


@dataclass(frozen=True)
class TimeCritical:
    """What a time-critical query found."""

    colliding: bool
    """The right answer when ``complete``, the more probable one otherwise."""
    probability: float
    """That the objects collide, 0 to 1."""
    complete: bool
    """Whether the answer is exact."""
    region: np.ndarray | None
    """World box (2, 3) float64 [m] of the most probable place of a collision; None where nothing is left to collide."""
    triangles: tuple[int, int] | None
    """Triangles of a and b that meet, when the search came upon them."""
    counted: int
    """Pairs of nodes found with a probability of at least ``p_min``."""
    stats: QueryStats


def time_critical(
    a: TriangleMesh | Hierarchy,
    b: TriangleMesh | Hierarchy,
    pose_a: Any = None,
    pose_b: Any = None,
    budget: float | None = None,
    p_min: float = 0.99,
    k_min: int = 10,
    count: str = "paper",
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
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
        budget: time [s] from the call on; None for none.
        p_min: least probability of pairs that are counted, above 0; beyond 1 the answer is exact if the budget
            allows.
        k_min: how many counted pairs are a collision, 1 or more.
        count: "paper" counts the pairs inside a counted pair too, as published; "antichain" leaves a counted pair
            closed until nothing else is left, so that no place counts twice.
        volume, threads, device: as ``collide``.

    Raises:
        InvalidMesh, InvalidPose, UnsupportedOption, DeviceUnavailable.
    """
    start = time.perf_counter()
    device, threads = check_device(device), check_threads(threads)
    aim = _checked_aim(p_min, k_min, count)
    seconds = _checked_budget(budget)
    (rows_a, stacked_a), (rows_b, stacked_b) = pose_stack(pose_a), pose_stack(pose_b)
    if stacked_a or stacked_b:
        raise UnsupportedOption("time_critical takes one pose for each object, not a stack")
    before = time.perf_counter()
    tree_a = as_hierarchy(a, volume)
    tree_b = as_hierarchy(b, tree_a.volume)
    for tree in (tree_a, tree_b):
        filling(tree)
    start += time.perf_counter() - before
    rows_a, rows_b = (np.array(rows, order="C") for rows in (rows_a, rows_b))
    search = Search([tree_a], [tree_b], np.zeros((1, 2), np.int64), rows_a, rows_b, aim)
    _run(search, start + seconds - _RESERVE_SECONDS)
    if search.rows[0, layout.STATUS] == layout.ASK_HOST:
        return _exactly(search, bool(collides(tree_a, tree_b, pose_a, pose_b)), start, device)
    return _judged(search, start, device)


def _run(search: Search, deadline: float) -> None:
    """Search until the only job is decided, nothing is left, or the time is over."""
    while search.rows[0, layout.STATUS] == layout.OPEN:
        left = deadline - time.perf_counter()
        if left <= 0.0:
            return
        if search.advance(int(min(max(left / _STEP_SECONDS, 1.0), _MOST_STEPS))):
            return


def collision_probability(evidence: float) -> float:
    """The probability that objects collide, from the evidence -sum ln(1 - p) of all pairs of nodes that are left.

    Were the pairs independent, it would be 1 - exp(-evidence). They are not; this is how often objects collided whose
    search was stopped, over 21,000 searches on meshes of three kinds (``docs/decisions/0014``), straight lines between.
    """
    return float(np.interp(evidence, _EVIDENCE, _COLLIDED))


def _judged(search: Search, start: float, device: str) -> TimeCritical:
    status, counted = int(search.rows[0, layout.STATUS]), int(search.rows[0, layout.COUNTED])
    if status == layout.MEET:
        pair = int(search.rows[0, layout.TRIANGLE_A]), int(search.rows[0, layout.TRIANGLE_B])
        return TimeCritical(
            True, 1.0, True, _meeting_region(search, pair), pair, counted, _stats(search, start, device)
        )
    probabilities, nodes = search.frontier(0)
    if len(probabilities) == 0:
        return TimeCritical(False, 0.0, True, None, None, counted, _stats(search, start, device))
    probability = collision_probability(search.evidence(0))
    region = _region(search, nodes[int(probabilities.argmax())])
    colliding = status == layout.COUNTED_ENOUGH or probability >= 0.5
    return TimeCritical(colliding, probability, False, region, None, counted, _stats(search, start, device))


def _exactly(search: Search, colliding: bool, start: float, device: str) -> TimeCritical:
    """The exact engine's answer, for coordinates that doubles cannot multiply."""
    counted = int(search.rows[0, layout.COUNTED])
    return TimeCritical(colliding, float(colliding), True, None, None, counted, _stats(search, start, device))


def _stats(search: Search, start: float, device: str) -> QueryStats:
    volume_tests, primitive_tests, exact_tests = search.state[layout.VOLUME_TESTS : layout.EXACT_TESTS + 1].tolist()
    return QueryStats(volume_tests, primitive_tests, exact_tests, time.perf_counter() - start, 1, device)


def _region(search: Search, nodes: np.ndarray) -> np.ndarray:
    """World box of what two nodes' boxes have in common, seen from a's frame."""
    a, b = search.box(0, nodes[0]), search.box(1, nodes[1])
    relative = search.relative[0]
    rotation, shift = relative[:9].reshape(3, 3), relative[9:12]
    middle, extent = rotation @ b.mean(axis=0) + shift, np.abs(rotation) @ (b[1] - b[0]) / 2
    low, high = np.maximum(a[0], middle - extent), np.minimum(a[1], middle + extent)
    corners = np.array([[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]] for i, j, k in np.ndindex(2, 2, 2)])
    world = transform_points(search.rows_a[0], corners + search.grove_a.origins[0])
    return np.stack([world.min(axis=0), world.max(axis=0)])


def _meeting_region(search: Search, pair: tuple[int, int]) -> np.ndarray:
    """What the world boxes of two triangles have in common."""
    a = world_triangle(search.grove_a, 0, search.rows_a[0], pair[0])
    b = world_triangle(search.grove_b, 0, search.rows_b[0], pair[1])
    return np.stack([np.maximum(a.min(axis=0), b.min(axis=0)), np.minimum(a.max(axis=0), b.max(axis=0))])


def _checked_aim(p_min: Any, k_min: Any, count: Any) -> Aim:
    if isinstance(p_min, bool) or not isinstance(p_min, int | float | np.number) or not 0.0 < p_min < math.inf:
        raise UnsupportedOption(f"p_min must be a finite number above 0, not {p_min!r}; beyond 1 nothing is counted")
    if isinstance(k_min, bool) or not isinstance(k_min, int | np.integer) or k_min < 1:
        raise UnsupportedOption(f"k_min must be a whole number from 1 on, not {k_min!r}")
    if not isinstance(count, str) or count not in COUNTS:
        raise UnsupportedOption(f"count {count!r} is not known; known are {', '.join(COUNTS)}")
    return Aim(float(p_min), int(k_min), count == "antichain")


def _checked_budget(budget: Any) -> float:
    """Seconds, infinite without a budget."""
    if budget is None:
        return math.inf
    if isinstance(budget, bool) or not isinstance(budget, int | float | np.number) or not 0.0 < budget < math.inf:
        raise UnsupportedOption(f"budget must be None or a finite number of seconds above 0, not {budget!r}")
    return float(budget)
