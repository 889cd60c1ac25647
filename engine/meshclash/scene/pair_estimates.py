"""Time-critical queries of a scene: prepare its objects and continue the search that all pairs share."""

import time
from collections.abc import Generator

import numpy as np

from ..hierarchy.build import as_boxes
from ..query.collide import collides
from ..timecritical.search import Criterion
from ..timecritical.shared_budget import PlacedTree, SceneEstimate, SharedSearch
from ..timecritical.trees import AdbTree, adb_tree
from ..types.pose import pose_of
from ..types.results import Progress
from ..types.steps import steps
from ..volumes.registry import DEFAULT_VOLUME
from .member import Member, prepare_steps


def estimate_steps(
    shared: SharedSearch,
    pairs: np.ndarray,
    members: dict[int, Member],
    criterion: Criterion,
    seconds: float | None,
    steps: int | None,
) -> Generator[Progress, None, SceneEstimate]:
    """Continue the search within a budget, in slices of a few milliseconds.

    Args:
        shared: the search of the scene; keeps its earlier results.
        pairs: pairs of ids to compare, (k, 2) int64.
        members: the objects of these pairs, by id.
        criterion: when a pair counts as colliding.
        seconds, steps: the budget; None for no limit. The preparation of new objects is not counted.
    """
    trees = yield from _augmented(shared, members)
    start = time.perf_counter()
    objects = {i: PlacedTree(tree, members[i].rows, members[i].revision) for i, tree in trees.items()}
    shared.follow(pairs, objects, DEFAULT_VOLUME, criterion)
    left = None if seconds is None else seconds - (time.perf_counter() - start)
    for share in shared.search_steps(left, steps):
        yield Progress(0.5 + 0.5 * share, "searching where contacts are most likely")
    for a, b in shared.unsettled():
        first, second = members[a], members[b]
        shared.settle(
            (a, b),
            bool(collides(as_boxes(first.mesh), as_boxes(second.mesh), pose_of(first.rows), pose_of(second.rows))),
        )
    return shared.estimate()


def _augmented(shared: SharedSearch, members: dict[int, Member]) -> Generator[Progress, None, dict[int, AdbTree]]:
    """Return the trees of objects for time-critical queries, by id; builds missing ones."""
    known = {i: shared.known_tree(i, member.triangles, member.revision) for i, member in members.items()}
    new = [i for i, tree in known.items() if tree is None]
    hierarchies = yield from prepare_steps(
        [members[i].mesh for i in new], lambda tree: steps(adb_tree, tree), 0.5, "preparing object"
    )
    made = {i: adb_tree(hierarchy) for i, hierarchy in zip(new, hierarchies, strict=True)}
    return {i: tree or made[i] for i, tree in known.items()}
