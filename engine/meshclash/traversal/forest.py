"""Concatenate many hierarchies of one kind, so that a single kernel call can process many pairs of objects."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from ..hierarchy.bvh import Hierarchy, TreeParts
from ..hierarchy.oriented import oriented_after_use
from ..hierarchy.slabs import note_tests, slabs_after_use
from ..hierarchy.wide_bvh import LANE_COUNT
from ..jit import config
from ..types.copying import Copyable, refuse_copies
from ..types.mesh import TriangleMesh
from ..types.pose import transform_points

_ONLY = (0,)
_NO_STARS = (0, 0)
ORIENTED = 6
"""Entry of a tree's row of addresses for its oriented boxes."""
_NONE = (0,) * 9


class Forest(NamedTuple):
    """Arrays of all trees; indices inside a tree's slice stay relative to that slice."""

    first: np.ndarray
    """(n,) int32, as in ``Tree``."""
    count: np.ndarray  # type: ignore[assignment]  # tuple.count is not needed
    """(n,) int32, as in ``Tree``."""
    volumes: np.ndarray
    """(n, WIDTH) float32."""
    order: np.ndarray
    """(m,) int32."""
    triangles: np.ndarray
    """(m, 3) int32."""
    vertices: np.ndarray
    """(v, 3) float64 [m]."""
    node_start: np.ndarray
    """First node of each tree, (trees,) int64."""
    triangle_start: np.ndarray
    """First triangle, and first entry of ``order``, of each tree, (trees,) int64."""
    triangle_end: np.ndarray
    """One past the last triangle of each tree, (trees,) int64."""
    vertex_start: np.ndarray
    """First vertex of each tree, (trees,) int64."""
    wide: np.ndarray
    """Addresses of each tree's arrays, as in ``LaneForest``; 0 without an 8-wide form or without compiled code."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Raise an error instead of copying, as ``NotCopied`` does."""
        return refuse_copies(self, protocol)


class LaneForest(NamedTuple):
    """Pointers to the arrays of all trees for the 8-wide traversal, which copies nothing."""

    trees: np.ndarray
    """Addresses of each tree's arrays, and its root's slot, (trees, ADDRESSES) int64; see ``wide_traversal.py``."""
    sizes: np.ndarray
    """Origin, largest absolute coordinates, and coordinates of the root box relative to the origin, (trees, 9) float64
    [m]."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Raise an error instead of copying, as ``NotCopied`` does."""
        return refuse_copies(self, protocol)


@dataclass
class TreeSet(Copyable, caches={"before": NoneType}):
    """Many trees, with the data of each that Python code needs."""

    origins: np.ndarray
    """(trees, 3) float64 [m]."""
    reaches: np.ndarray
    """Largest absolute coordinates, (trees, 3) float64 [m]."""
    largest_leaf: int
    deepest: int
    volume: str
    fits_lanes: bool
    """Whether all trees have an 8-wide form."""
    parts: Sequence[TreeParts]
    """The packed parts; they stay the same when a hierarchy gets new parts."""
    before: "TreeSet | None" = None
    """The previous tree set, whose arrays refitted trees can share. Dropped once ``forest`` has been made."""

    @property
    def side(self) -> "Side":
        """The trees as a side of a question; the side is not cached, because it would keep the tree set and its meshes
        alive.
        """
        return Side(self.meshes, lambda: self)

    @cached_property
    def meshes(self) -> list[TriangleMesh]:
        """The mesh of each tree."""
        return [part.mesh for part in self.parts]

    @cached_property
    def index_bits(self) -> int:
        """Number of bits that the index of a triangle needs."""
        return max(mesh.triangle_count for mesh in self.meshes).bit_length()

    @cached_property
    def all_used(self) -> np.ndarray:
        """For each tree, whether its triangles use all vertices of its mesh, (trees,) bool."""
        return np.array([part.mesh.used_vertices is None for part in self.parts], np.bool_)

    @cached_property
    def forest(self) -> Forest:
        """Arrays of all trees, made on first use."""
        before, self.before = self.before, None
        return _join(self.parts) if before is None else _join_refitted(self.parts, before)

    def orient_after_use(self, trees: Sequence[int]) -> None:
        """Use oriented boxes for each of the given trees that has oriented boxes, or has been tested often enough to
        get them (``hierarchy/oriented.py``).
        """
        for tree in trees:
            if self.lanes.trees[tree, ORIENTED] == 0:
                boxes = oriented_after_use(self.parts[tree])
                if boxes is not None:
                    self.lanes.trees[tree, ORIENTED] = boxes.ctypes.data

    def slabs_of(self, trees: np.ndarray) -> np.ndarray:
        """Return the addresses of the slabs of each tree, (trees,) int64; 0 for a tree that was not requested or has
        been tested too seldom.
        """
        for tree in _ONLY if len(self.parts) == 1 else np.unique(trees):
            if self._slabs[tree] == 0:
                slabs = slabs_after_use(self.parts[tree])
                self._slabs[tree] = 0 if slabs is None else slabs.ctypes.data
        return self._slabs

    def note_near_tests(self, trees: np.ndarray, volume_tests: int) -> None:
        """Add the tests of a distance query to the usage of trees without slabs; ``trees`` has an entry for each
        job.
        """
        if len(self.parts) == 1:
            asked, times = np.zeros(1, np.int64), np.full(1, len(trees))
        else:
            asked, times = np.unique(trees, return_counts=True)
        for tree, share in zip(asked.tolist(), (times / max(len(trees), 1)).tolist(), strict=True):
            if self._slabs[tree] == 0:
                note_tests(self.parts[tree], share * volume_tests)

    @cached_property
    def _slabs(self) -> np.ndarray:
        return np.zeros(len(self.parts), np.int64)

    @cached_property
    def lane_record(self) -> np.ndarray:
        """Addresses of the arrays of ``lanes`` and of the slabs' addresses, for ``traverse_near``: (3,) int64."""
        return np.array([array.ctypes.data for array in (*self.lanes, self._slabs)], np.int64)

    @cached_property
    def lanes(self) -> LaneForest:
        """Input of the 8-wide traversal, made on first use."""
        return LaneForest(
            np.array([_addresses(i) for i in self.parts], np.int64), np.stack(list(map(_sizes, self.parts)))
        )


class Side:
    """One side of a question: meshes and their trees, which are built when an engine first needs them.

    Args:
        meshes: the mesh of each tree.
        grow: a function that creates the tree set; without it only a GPU can compute the question.
    """

    def __init__(self, meshes: list[TriangleMesh], grow: Callable[[], TreeSet] | None = None) -> None:
        self.meshes = meshes
        self._pack = grow
        self._packed: TreeSet | None = None

    @property
    def tree_set(self) -> TreeSet:
        """The trees."""
        if self._packed is None:  # cached_property would double the cost of a side used once
            assert self._pack is not None, "a side for devices only"
            self._packed = self._pack()
        return self._packed

    @property
    def index_bits(self) -> int:
        """Number of bits that the index of a triangle needs."""
        if self._packed is not None:
            return self._packed.index_bits
        return max(mesh.triangle_count for mesh in self.meshes).bit_length()

    @cached_property
    def reaches(self) -> np.ndarray:
        """Largest absolute coordinates of each mesh, (trees, 3) float64 [m]."""
        return np.stack([np.abs(mesh.bounds).max(axis=0) for mesh in self.meshes])

    def world_triangles(self, trees: np.ndarray, rows: np.ndarray, triangles: np.ndarray) -> np.ndarray:
        """Return the world coordinates (n, 3, 3) [m] of triangles (n,) of trees (n,) in poses (n, 3, 4)."""
        if self._packed is not None:  # one lookup for all trees
            forest = self._packed.forest
            own = forest.triangles[forest.triangle_start[trees] + triangles] + forest.vertex_start[trees][:, None]
            return transform_points(rows[:, None], forest.vertices[own])
        corners = np.empty((len(trees), 3, 3))
        for tree in np.unique(trees):
            mask = trees == tree
            vertices, corners_of = self.meshes[tree].arrays
            corners[mask] = vertices[corners_of[triangles[mask]]]
        return transform_points(rows[:, None], corners)

    def vertex_indices(self, trees: np.ndarray, triangles: np.ndarray) -> np.ndarray:
        """Return the vertex indices (n, 3) int32 of triangles (n,) of trees (n,), each in its own mesh."""
        ids = np.empty((len(trees), 3), np.int32)
        for tree in np.unique(trees):
            mask = trees == tree
            ids[mask] = self.meshes[tree].arrays[1][triangles[mask]]
        return ids


def pack_trees(hierarchies: Sequence[Hierarchy], before: TreeSet | None = None) -> TreeSet:
    """Join the arrays of several hierarchies that have the same kind of volume. The arrays of a single hierarchy are
    not copied, and its tree set is kept for later calls.

    ``before``: the previous tree set, of which these may be refitted versions.
    """
    if len(hierarchies) > 1:
        tree_set = _pack_trees(hierarchies, [h.parts for h in hierarchies])
        if before is not None and "forest" in before.__dict__:
            tree_set.before = before
        return tree_set
    part = hierarchies[0].parts
    kept = hierarchies[0].derived.get("tree set")
    if kept is None or kept.parts[0] is not part:
        kept = hierarchies[0].derived["tree set"] = _pack_trees(hierarchies, [part])
    return kept


def join(tree_sets: Sequence[TreeSet]) -> TreeSet:
    """Join tree sets of one volume; reuses their data for the 8-wide traversal."""
    parts = [part for tree_set in tree_sets for part in tree_set.parts]
    joined = TreeSet(
        origins=np.concatenate([tree_set.origins for tree_set in tree_sets]),
        reaches=np.concatenate([tree_set.reaches for tree_set in tree_sets]),
        largest_leaf=max(tree_set.largest_leaf for tree_set in tree_sets),
        deepest=max(tree_set.deepest for tree_set in tree_sets),
        volume=tree_sets[0].volume,
        fits_lanes=all(tree_set.fits_lanes for tree_set in tree_sets),
        parts=parts,
    )
    if joined.fits_lanes:
        joined.lanes = LaneForest(*(np.concatenate(part) for part in zip(*(g.lanes for g in tree_sets), strict=True)))
    return joined


def _pack_trees(hierarchies: Sequence[Hierarchy], parts: Sequence[TreeParts]) -> TreeSet:
    return TreeSet(
        origins=np.stack([part.origin for part in parts]),
        reaches=np.stack([np.abs(part.mesh.bounds).max(axis=0) for part in parts]),
        largest_leaf=max(h.leaf_size for h in hierarchies),
        deepest=max(part.tree.depth for part in parts),
        volume=hierarchies[0].volume,
        fits_lanes=all(part.wide is not None for part in parts),
        parts=parts,
    )


def _join(parts: Sequence[TreeParts]) -> Forest:
    trees = [part.tree for part in parts]
    meshes = [part.mesh for part in parts]
    return Forest(
        _joined([t.first for t in trees]),
        _joined([t.count for t in trees]),
        _joined([part.volumes for part in parts]),
        _joined([t.order for t in trees]),
        _joined([m.arrays[1] for m in meshes]),
        _joined([m.arrays[0] for m in meshes]),
        _starts([len(part.volumes) for part in parts]),
        _starts([len(t.order) for t in trees]),
        np.cumsum([len(t.order) for t in trees]).astype(np.int64),
        _starts([m.vertex_count for m in meshes]),
        _wide(parts),
    )


def _join_refitted(parts: Sequence[TreeParts], before: TreeSet) -> Forest:
    """Like ``_join``, but reuse all arrays except volumes and vertices if the trees are those of ``before``."""
    pairs = list(zip(parts, before.parts, strict=False))
    same = len(parts) == len(before.parts) and all(
        new.tree is old.tree and new.mesh.arrays[1] is old.mesh.arrays[1] for new, old in pairs
    )
    if not same:
        return _join(parts)
    return before.forest._replace(
        volumes=_joined([part.volumes for part in parts]),
        vertices=_joined([part.mesh.arrays[0] for part in parts]),
        wide=_wide(parts),
    )


def note_usage(tree_set_a: TreeSet, tree_set_b: TreeSet, jobs: np.ndarray, volume_tests: int) -> None:
    """Add the volume tests of a question about trees (k, 2) to the usage of those trees (see ``build``, "auto").

    Every job counts the same, and each of its two trees gets half of the tests.
    """
    if len(jobs) == 0:
        return
    for side, tree_set in enumerate((tree_set_a, tree_set_b)):
        if len(tree_set.parts) == 1:
            tree_set.parts[0].usage.volume_tests += 0.5 * volume_tests
            continue
        asked = np.bincount(jobs[:, side], minlength=len(tree_set.parts))
        for part, times in zip(tree_set.parts, asked.tolist(), strict=True):
            part.usage.volume_tests += 0.5 * volume_tests * times / len(jobs)


def take_updates(tree_set_a: TreeSet, tree_set_b: TreeSet) -> int:
    """Return the number of nodes of two tree sets refitted since the last call (N_u), and reset both counts."""
    total = 0
    for tree_set in (tree_set_a, tree_set_b):
        for part in tree_set.parts:
            total += part.usage.updated_nodes
            part.usage.updated_nodes = 0
    return total


def _addresses(part: TreeParts) -> tuple[int, ...]:
    """Return the addresses of a tree's arrays, in the order of ``wide_traversal.py``; ``part`` keeps them alive."""
    wide = part.wide
    assert wide is not None
    vertices, triangles = part.mesh.arrays
    arrays = (wide.nodes, wide.coordinates, part.tree.order, triangles, vertices)
    boxes = oriented_after_use(part)
    oriented = 0 if boxes is None else boxes.ctypes.data
    return (*(array.ctypes.data for array in arrays), LANE_COUNT * (len(wide.nodes) - 1), oriented, *_NO_STARS)


class _KeptAddresses:
    """Addresses of the arrays of some trees; a NumPy array made from this object keeps those arrays alive.

    The object does not keep meshes alive: meshes may refer to this object, and Python cannot collect a reference cycle
    through an array.
    """

    def __init__(self, parts: Sequence[TreeParts]) -> None:
        rows = [_NONE if config.DISABLE_JIT or part.wide is None else _addresses(part) for part in parts]
        self._kept = [(part.wide, part.tree.order, part.mesh.arrays) for part in parts]
        self._rows = np.array(rows, np.int64).reshape(-1, len(_NONE))
        self.__array_interface__ = self._rows.__array_interface__


def _wide(parts: Sequence[TreeParts]) -> np.ndarray:
    return np.asarray(_KeptAddresses(parts))


def _sizes(part: TreeParts) -> np.ndarray:
    root = np.abs(part.volumes[0]).reshape(2, 3).max(axis=0)
    return np.concatenate([part.origin, np.abs(part.mesh.bounds).max(axis=0), root])


def _joined(arrays: list[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _starts(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
