"""``progressive_collide``: find contacts between massive models by progressive meshes with proved bounds."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from ...hierarchy.bvh import MeshLike
from ...massive.coverage import Covered, Leveled, Memory, largest_error, listed_cover_steps, slack_of
from ...massive.mesh import DEFAULT_MEMORY, ClusteredMesh, checked_memory
from ...massive.operands import Clusters, side_of
from ...query.massive_collide import MassiveCollision
from ...query.options import check_length
from ...query.solvers.levels_of_detail import bounds_of, memory_of
from ...query.table import MASSIVE_COLLIDE, answers, ask
from ...types.pose import PoseLike
from ...types.results import Progress
from ...types.steps import hold_progress
from .cluster_tree import ClusterTree, tree_of_boxes
from .front import KeptFront
from .meshes import progressive_beside


@answers(MASSIVE_COLLIDE)
def progressive_collide(
    a: MeshLike | ClusteredMesh,
    b: MeshLike | ClusteredMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    delta: float = 0.0,
    epsilon: float,
    memory: int = DEFAULT_MEMORY,
) -> Generator[Progress, None, MassiveCollision]:
    """Find contacts as ``massive_collide`` does, but with progressive meshes. Each pair is refined only as far as
    necessary.

    If an object has no progressive meshes, its own triangles are compared. ``ProgressiveMeshes.build`` creates
    progressive meshes.

    Args, Raises:
        as ``massive_collide``.

    Example:
        >>> import meshclash as mc
        >>> mesh = mc.shapes.sphere(1.0)
        >>> bool(mc.lab.progressive_collide(mesh, mesh, epsilon=0.01))
        True
    """
    lengths = check_length("delta", delta), check_length("epsilon", epsilon)
    return ask(MASSIVE_COLLIDE, (a, b), (pose_a, pose_b), detail=(lengths, checked_memory(memory), _by_front))


class _Known:
    """Data that is kept for two hierarchies between calls, without references to the objects."""

    def __init__(self, a: ClusterTree, b: ClusterTree, budget: float) -> None:
        self.trees, self.front, self.memory = (a, b), KeptFront(a, b, budget), Memory()


def _by_front(
    a: Any, b: Any, rows: tuple[np.ndarray, np.ndarray], lengths: tuple[float, float], memory: int
) -> Generator[float, None, tuple[Covered, tuple[np.ndarray, np.ndarray], int, None]]:
    """Return contacts by the progressive meshes of the nodes that are close, the runs of both objects, and box
    tests.
    """
    delta, epsilon = lengths
    sides = _side_of_stops(a, memory), _side_of_stops(b, memory)
    budget = largest_error(1, epsilon, (bounds_of(sides[0]), bounds_of(sides[1])), rows)
    key = (*sides, delta, budget)
    known = memory_of(a, b, key, lambda: _Known(_tree_of(a, sides[0]), _tree_of(b, sides[1]), budget))
    first, second = (
        Leveled(side, tree.outs, tree.backs, tree.runs, tree.bounds)
        for side, tree in zip(sides, known.trees, strict=True)
    )
    front = known.front.found(rows, delta + slack_of((first, second), rows))
    order = np.lexsort((front.pages[:, 1], front.pages[:, 0]))
    known.memory.moved((first, second), rows)
    known.memory.replace(front.pages[order], second.clusters.cluster_count)
    covered = yield from hold_progress(listed_cover_steps(first, second, rows, delta, known.memory), 0.0)
    runs = tuple(_runs_of(tree, front.nodes[:, k]) for k, tree in enumerate(known.trees))
    at = _rows_among(front.pages[order], covered.parts)
    nodes = front.nodes[order][at]
    parts = np.stack([np.searchsorted(runs[k][:, 0], tree.runs[nodes[:, k], 0])
                      for k, tree in enumerate(known.trees)], axis=1)  # fmt: skip
    order = np.lexsort((parts[:, 1], parts[:, 0]))
    covered = Covered(parts[order], covered.lower[order], covered.upper[order], covered.measured)
    return covered, (runs[0], runs[1]), front.tested, None


def _side_of_stops(thing: Any, memory: int) -> Clusters:
    """Return an object as the meshes that represent its nodes; an object without such meshes is returned unchanged."""
    progressive = progressive_beside(thing) if isinstance(thing, ClusteredMesh) else None
    return side_of(thing if progressive is None else progressive.stops(memory))


def _tree_of(thing: Any, side: Clusters) -> ClusterTree:
    progressive = progressive_beside(thing) if isinstance(thing, ClusteredMesh) else None
    if progressive is not None:
        return progressive.tree
    bounds = bounds_of(side)
    return tree_of_boxes(thing.pages.table["bounds"] if side.clustered else bounds.reshape(1, 6), bounds)


def _runs_of(tree: ClusterTree, nodes: np.ndarray) -> np.ndarray:
    """Return ranges of clusters: those of some disjoint nodes and the clusters between them, (n, 2) int64."""
    taken = tree.runs[np.unique(nodes)]
    taken = taken[np.argsort(taken[:, 0])]
    ends = np.concatenate([[0], taken[:, 1]])
    begins = np.concatenate([taken[:, 0], [tree.runs[-1, 1]]])
    left = np.stack([ends, begins], axis=1)[begins > ends]
    both: np.ndarray = np.concatenate([taken, left])
    return both[np.argsort(both[:, 0])]


def _rows_among(pairs: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Return the positions of some sorted pairs (n, 2) among all pairs."""
    width = int(pairs[:, 1].max(initial=0)) + 1
    found: np.ndarray = np.searchsorted(pairs[:, 0] * width + pairs[:, 1], some[:, 0] * width + some[:, 1])
    return found
