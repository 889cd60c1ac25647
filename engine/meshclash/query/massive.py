"""``massive_collide``: what comes near between massive models, by levels of detail with proved bounds."""

import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from ..errors import UnsupportedOption
from ..hierarchy.bvh import MeshLike
from ..massive.cluster_tree import ClusterTree, tree_of_boxes
from ..massive.contacts import ContactOptions, contact_steps
from ..massive.coverage import Covered, Leveled, Memory, cover_steps, largest_error, listed_cover_steps, slack_of
from ..massive.front import KeptFront
from ..massive.levels import MeshLevel, levels_beside
from ..massive.mesh import DEFAULT_MEMORY, ClusteredMesh, checked_memory
from ..massive.near import clearance_steps
from ..massive.progressive_meshes import progressive_beside
from ..massive.sides import Clusters, as_sources, side_of
from ..traversal.contacts import Contacts
from ..types.pose import PoseLike, matched_poses
from ..types.results import QueryStats
from ..types.steps import run
from .clearance import Clearances, clearance
from .collide import collide
from .options import check_length

MODES = ("dag", "pm")
_memories: "WeakKeyDictionary[Any, WeakKeyDictionary[Any, tuple[Any, Any]]]" = WeakKeyDictionary()
"""What the last call about two objects left, with what it was about."""


class MassiveCollision:
    """Where two objects may come within ``delta``, and what is certain about it.

    Each row is a pair of runs of clusters. All triangles of these within delta of each other are in some row; in each
    row some triangles are within delta + epsilon. An object in memory is one cluster.

    Attributes:
        answer: "apart": no triangles are within delta. "closer": some certainly are. "undecided": some are within
            delta + epsilon, and whether within delta is not known.
        clusters_a, clusters_b: first cluster of each run and the one after the last, (k, 2) int64 each.
        lower, upper: the smallest distance of the triangles of a row lies between, (k,) float64 [m].
        delta, epsilon: as asked [m].
        stats: QueryStats; ``primitive_tests`` counts pairs of parts whose distance was measured, ``volume_tests`` in
            mode "pm" pairs of boxes that were tested.
    """

    def __init__(
        self,
        things: tuple[Any, Any],
        rows: tuple[np.ndarray, np.ndarray],
        runs: tuple[np.ndarray, np.ndarray],
        covered: Covered,
        lengths: tuple[float, float],
        stats: QueryStats,
    ) -> None:
        self._things, self._rows, self._runs, self._parts = things, rows, runs, covered.parts
        self.clusters_a, self.clusters_b = (run[covered.parts[:, k]] for k, run in enumerate(runs))
        self.lower, self.upper = covered.lower, covered.upper
        self.delta, self.epsilon = lengths
        self.stats = stats

    @property
    def answer(self) -> str:
        """As above."""
        if len(self) == 0:
            return "apart"
        return "closer" if (self.upper <= self.delta).any() else "undecided"

    def resolve(self) -> Contacts | Clearances:
        """The exact answer: what ``collide`` gives where delta is 0, else what ``clearance`` gives for delta.

        Only clusters are looked at that lie in a row, in the poses that were asked.
        """
        pose_a, pose_b = (np.vstack([row, (0.0, 0.0, 0.0, 1.0)]) for row in self._rows)
        if not any(isinstance(thing, ClusteredMesh) for thing in self._things):
            if self.delta == 0.0:
                return collide(*self._things, pose_a, pose_b)
            return clearance(*self._things, self.delta, pose_a, pose_b)
        start = time.perf_counter()
        sides = side_of(self._things[0]), side_of(self._things[1])
        stacks = self._rows[0][None].copy(), self._rows[1][None].copy()
        if self.delta == 0.0:
            answer, places = run(contact_steps(*sides, *stacks, ContactOptions(), self._in_rows))
            meshes = as_sources(*sides, answer.pairs, places)
            stats = answer.stats(time.perf_counter() - start)
            return Contacts(answer.pairs, answer.kinds, answer.jobs, stats, meshes, stacks)
        answer, places = run(clearance_steps(*sides, *stacks, self.delta, self._in_rows))
        meshes = as_sources(*sides, answer.pairs, places)
        stats = answer.stats(time.perf_counter() - start)
        return Clearances((answer.pairs, answer.distances, answer.jobs), self.delta, stats, meshes, stacks)

    def _in_rows(self, pairs: np.ndarray) -> np.ndarray:
        """Those of some pairs of clusters (n, 2) that lie in a row."""
        parts = [np.searchsorted(run[:, 0], pairs[:, k], "right") - 1 for k, run in enumerate(self._runs)]
        width = len(self._runs[1])
        return pairs[np.isin(parts[0] * width + parts[1], self._parts[:, 0] * width + self._parts[:, 1])]

    def __len__(self) -> int:
        return len(self.lower)

    def __repr__(self) -> str:
        return f"MassiveCollision({self.answer}, {len(self)} pairs of runs within {self.delta:g} m)"


def massive_collide(
    a: MeshLike | ClusteredMesh,
    b: MeshLike | ClusteredMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    delta: float = 0.0,
    epsilon: float,
    memory: int = DEFAULT_MEMORY,
    mode: str = "dag",
) -> MassiveCollision:
    """Where two objects come within a distance of each other, by levels whose error is proved to be small enough.

    Nothing is missed: all triangles within delta are covered, and whatever is named is within delta + epsilon. Objects
    without levels (``MeshLevels.build``) are asked as they are. What is found is remembered, so that asking the same
    objects again in poses nearby takes less time; the answer is the same.

    Args:
        a, b: clustered meshes, or meshes and hierarchies in memory. ``a`` may be ``b``.
        pose_a, pose_b: rigid poses, one each.
        delta: [m], from 0 on; 0 asks for contacts.
        epsilon: [m], from 0 on; 0 asks the triangles themselves.
        memory: bytes that the level of each object may take.
        mode: "dag": levels of clusters that were simplified together, the same all over an object. "pm": a hierarchy
            of progressive meshes (``ProgressiveMeshes.build``), as fine as each pair that comes near needs it.

    Raises:
        InvalidMesh, InvalidPose: as ``collide``.
        InvalidFile: a file is damaged, or the levels are those of another mesh.
        UnsupportedOption: a stack of poses, a length that is negative or not finite, too little memory, another mode.
    """
    start = time.perf_counter()
    delta, epsilon = check_length("delta", delta), check_length("epsilon", epsilon)
    room = checked_memory(memory)
    if not isinstance(mode, str) or mode not in MODES:
        raise UnsupportedOption(f"mode must be one of {', '.join(MODES)}, not {mode!r:.80}")
    rows_a, rows_b, stacked = matched_poses(pose_a, pose_b)
    if stacked:
        raise UnsupportedOption("massive_collide takes one pose for each object, not a stack")
    rows = rows_a[0], rows_b[0]
    covered, runs, tested = (_by_levels if mode == "dag" else _by_front)(a, b, rows, (delta, epsilon), room)
    seconds = time.perf_counter() - start
    stats = QueryStats(primitive_tests=covered.measured, volume_tests=tested, seconds=seconds)
    return MassiveCollision((a, b), rows, runs, covered, (delta, epsilon), stats)


def forget(a: Any, b: Any) -> None:
    """Drop what the last call about two objects left."""
    _memories.get(a, {}).pop(b, None)


def _by_levels(
    a: Any, b: Any, rows: tuple[np.ndarray, np.ndarray], lengths: tuple[float, float], memory: int
) -> tuple[Covered, tuple[np.ndarray, np.ndarray], int]:
    """Rows by the level of each object whose error is small enough; the runs of both, tests of boxes."""
    delta, epsilon = lengths
    levels = _levels_of(a, b, (side_of(a), side_of(b)), rows, epsilon, memory)
    kept = _memory_of(a, b, (levels[0].clusters, levels[1].clusters, delta), Memory)
    return run(cover_steps(*levels, rows, delta, kept)), (levels[0].runs, levels[1].runs), 0


class _Known:
    """What is remembered of two hierarchies; not the objects, which may go."""

    def __init__(self, a: ClusterTree, b: ClusterTree, budget: float) -> None:
        self.trees, self.front, self.memory = (a, b), KeptFront(a, b, budget), Memory()


def _by_front(
    a: Any, b: Any, rows: tuple[np.ndarray, np.ndarray], lengths: tuple[float, float], memory: int
) -> tuple[Covered, tuple[np.ndarray, np.ndarray], int]:
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
    covered = run(listed_cover_steps(first, second, rows, delta, known.memory))
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
