"""``massive_collide``: runs of clusters that come near, by levels of detail whose error is small enough."""

import time
from collections.abc import Callable, Generator
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from ...massive.cluster_tree import ClusterTree, tree_of_boxes
from ...massive.coverage import Covered, Leveled, Memory, cover_steps, largest_error, listed_cover_steps, slack_of
from ...massive.front import KeptFront
from ...massive.levels import MeshLevel, levels_beside
from ...massive.mesh import ClusteredMesh
from ...massive.progressive_meshes import progressive_beside
from ...massive.sides import Clusters, side_of
from ...types.results import QueryStats
from ...types.steps import always
from ..massive_collide import MassiveCollision
from ..table import Asked

_memories: "WeakKeyDictionary[Any, WeakKeyDictionary[Any, tuple[Any, Any]]]" = WeakKeyDictionary()
"""What the last call about two objects left, with what it was about."""


def solve(asked: Asked) -> Generator[float, None, MassiveCollision]:
    """Where two objects come near."""
    lengths, memory, mode = asked.options.detail
    rows = asked.rows[0][0], asked.rows[1][0]
    by = _by_levels if mode == "dag" else _by_front
    covered, runs, tested = yield from by(*asked.things, rows, lengths, memory)
    seconds = time.perf_counter() - asked.start
    stats = QueryStats(primitive_tests=covered.measured, volume_tests=tested, seconds=seconds)
    return MassiveCollision(asked.things, rows, runs, covered, lengths, stats)


def forget(a: Any, b: Any) -> None:
    """Drop what the last call about two objects left."""
    _memories.get(a, {}).pop(b, None)


def _by_levels(
    a: Any, b: Any, rows: tuple[np.ndarray, np.ndarray], lengths: tuple[float, float], memory: int
) -> Generator[float, None, tuple[Covered, tuple[np.ndarray, np.ndarray], int]]:
    """Rows by the level of each object whose error is small enough; the runs of both, tests of boxes."""
    delta, epsilon = lengths
    levels = _levels_of(a, b, (side_of(a), side_of(b)), rows, epsilon, memory)
    kept = _memory_of(a, b, (levels[0].clusters, levels[1].clusters, delta), Memory)
    covered = yield from always(0.0, cover_steps(*levels, rows, delta, kept))
    return covered, (levels[0].runs, levels[1].runs), 0


class _Known:
    """What is remembered of two hierarchies; not the objects, which may go."""

    def __init__(self, a: ClusterTree, b: ClusterTree, budget: float) -> None:
        self.trees, self.front, self.memory = (a, b), KeptFront(a, b, budget), Memory()


def _by_front(
    a: Any, b: Any, rows: tuple[np.ndarray, np.ndarray], lengths: tuple[float, float], memory: int
) -> Generator[float, None, tuple[Covered, tuple[np.ndarray, np.ndarray], int]]:
    """Rows by progressive meshes of the nodes that come near; the runs of both objects, tests of boxes."""
    delta, epsilon = lengths
    sides = _side_of_stops(a, memory), _side_of_stops(b, memory)
    budget = largest_error(1, epsilon, (_bounds_of(sides[0]), _bounds_of(sides[1])), rows)
    key = (*sides, delta, budget)
    known = _memory_of(a, b, key, lambda: _Known(_tree_of(a, sides[0]), _tree_of(b, sides[1]), budget))
    first, second = (
        Leveled(side, tree.outs, tree.backs, tree.runs, tree.bounds)
        for side, tree in zip(sides, known.trees, strict=True)
    )
    front = known.front.found(rows, delta + slack_of((first, second), rows))
    order = np.lexsort((front.pages[:, 1], front.pages[:, 0]))
    known.memory.moved((first, second), rows)
    known.memory.replace(front.pages[order], second.clusters.cluster_count)
    covered = yield from always(0.0, listed_cover_steps(first, second, rows, delta, known.memory))
    runs = tuple(_runs_of(tree, front.nodes[:, k]) for k, tree in enumerate(known.trees))
    at = _rows_among(front.pages[order], covered.parts)
    nodes = front.nodes[order][at]
    parts = np.stack([np.searchsorted(runs[k][:, 0], tree.runs[nodes[:, k], 0])
                      for k, tree in enumerate(known.trees)], axis=1)  # fmt: skip
    order = np.lexsort((parts[:, 1], parts[:, 0]))
    covered = Covered(parts[order], covered.lower[order], covered.upper[order], covered.measured)
    return covered, (runs[0], runs[1]), front.tested


def _side_of_stops(thing: Any, memory: int) -> Clusters:
    """An object as the meshes that stand for its nodes; where it has none, as it is."""
    progressive = progressive_beside(thing) if isinstance(thing, ClusteredMesh) else None
    return side_of(thing if progressive is None else progressive.stops(memory))


def _tree_of(thing: Any, side: Clusters) -> ClusterTree:
    progressive = progressive_beside(thing) if isinstance(thing, ClusteredMesh) else None
    if progressive is not None:
        return progressive.tree
    bounds = _bounds_of(side)
    return tree_of_boxes(thing.pages.table["bounds"] if side.clustered else bounds.reshape(1, 6), bounds)


def _runs_of(tree: ClusterTree, nodes: np.ndarray) -> np.ndarray:
    """Runs of clusters, those of some nodes that do not overlap and what is left between them, (n, 2) int64."""
    taken = tree.runs[np.unique(nodes)]
    taken = taken[np.argsort(taken[:, 0])]
    ends = np.concatenate([[0], taken[:, 1]])
    begins = np.concatenate([taken[:, 0], [tree.runs[-1, 1]]])
    left = np.stack([ends, begins], axis=1)[begins > ends]
    both: np.ndarray = np.concatenate([taken, left])
    return both[np.argsort(both[:, 0])]


def _rows_among(pairs: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Where some of sorted pairs (n, 2) are among all."""
    width = int(pairs[:, 1].max(initial=0)) + 1
    found: np.ndarray = np.searchsorted(pairs[:, 0] * width + pairs[:, 1], some[:, 0] * width + some[:, 1])
    return found


def _levels_of(
    a: Any, b: Any, sides: tuple[Clusters, Clusters], rows: tuple[np.ndarray, np.ndarray], epsilon: float, memory: int
) -> tuple[Leveled, Leveled]:
    """Both objects as they are asked."""
    found = [levels_beside(thing) if isinstance(thing, ClusteredMesh) else None for thing in (a, b)]
    bounds = _bounds_of(sides[0]), _bounds_of(sides[1])
    error = largest_error(sum(levels is not None for levels in found), epsilon, bounds, rows)
    leveled = []
    for side, levels, box in zip(sides, found, bounds, strict=True):
        level = None if levels is None or error == 0.0 else levels.level(error, memory)
        leveled.append(_itself(side, box) if level is None else _as_leveled(level, box))
    return leveled[0], leveled[1]


def _bounds_of(side: Clusters) -> np.ndarray:
    if side.clustered is not None:
        return side.clustered.bounds
    assert side.mesh is not None
    return side.mesh.bounds


def _itself(side: Clusters, bounds: np.ndarray) -> Leveled:
    count = side.cluster_count
    runs = np.stack([np.arange(count), np.arange(1, count + 1)], axis=1)
    return Leveled(side, np.zeros(count), np.zeros(count), runs, bounds)


def _as_leveled(level: MeshLevel, bounds: np.ndarray) -> Leveled:
    both = np.stack([np.minimum(bounds[0], level.bounds[0]), np.maximum(bounds[1], level.bounds[1])])
    return Leveled(side_of(level), level.outs, level.backs, level.runs, both)


def _memory_of(a: Any, b: Any, asked: tuple[Any, ...], new: Callable[[], Any]) -> Any:
    """What the last call about two objects left, if it asked the same: two sides, and lengths."""
    of_a = _memories.setdefault(a, WeakKeyDictionary())
    key = *(ref(side.clustered or side.mesh) for side in asked[:2]), *asked[2:]
    last = of_a.get(b)
    if last is None or last[0] != key:
        last = of_a[b] = key, new()
    return last[1]
