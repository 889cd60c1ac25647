"""The first stage of a scene query: find the contacts of many pairs of objects at once, from which verdicts are
computed.
"""

import operator
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from ..answering.answer import answer_steps
from ..hierarchy.bvh import Hierarchy, MeshLike, TreeParts
from ..messages import counting
from ..query.shortcuts.object_pairs import FewObjects
from ..solid.case import Case, Limits
from ..traversal.bounds import world_bounds
from ..traversal.forest import TreeSet, pack_trees
from ..traversal.oriented_boxes import oriented_boxes, separated_pairs
from ..traversal.question import Answer, Question
from ..traversal.solids import Solids, gather_solids, solid_of
from ..types.mesh import TriangleMesh
from ..types.results import Progress
from ..types.steps import map_progress, scale_progress
from .alike_pairs import equal_meshes_steps
from .clock import Clock
from .member import Member, prepare_steps, radius_of

_TRIANGLES = 1 << 19
"""Triangles whose world bounds are computed at once: about ten milliseconds."""
_MOST_KEPT = 256  # how often packed trees are reused before looking for better ones


@dataclass(frozen=True, eq=False)
class PackedTrees:
    """The packed trees of n objects."""

    tree_set: TreeSet
    solids: Solids
    trees: np.ndarray
    """The tree of each object, (n,) int64; objects with equal meshes share one."""
    bounds: np.ndarray
    """Bounds of each object's mesh in its own coordinates, (n, 2, 3) float64 [m]."""
    meshes: list[TriangleMesh]
    """The mesh of each tree."""
    radii: np.ndarray
    """Largest distance of each object's vertices from the centre of its bounds, (n,) float64 [m]."""
    _questions: Iterator[int] = field(default_factory=count, init=False)
    """Counts the queries for contacts."""

    def asked_again(self) -> bool:
        """Return whether contacts were queried before; for a single query, oriented boxes cost more time than they
        save.
        """
        return next(self._questions) > 0

    @cached_property
    def oriented(self) -> np.ndarray:
        """``oriented_boxes`` of the trees."""
        return oriented_boxes(self.tree_set)

    @cached_property
    def few(self) -> FewObjects | None:
        """Fast queries for up to a few dozen objects; None for more objects."""
        fit = FewObjects.fit(self.tree_set, self.trees)
        return FewObjects(self.tree_set, self.solids, self.trees, self.bounds, self.oriented) if fit else None


@dataclass(frozen=True, eq=False)
class PlacedObjects:
    """Some objects in their current poses."""

    trees: np.ndarray
    """The packed tree of each object, (n,) int64."""
    rows: np.ndarray
    """Poses, (n, 3, 4)."""
    resolutions: np.ndarray
    """Resolution of the world coordinates of each object, (n,) [m]."""


class TreePacker:
    """Packs the trees of objects, and caches them while queries concern the same objects."""

    def __init__(self) -> None:
        self._things: list[MeshLike] = []
        self._indices: list[TreeParts] = []
        self._packed_trees: PackedTrees | None = None
        self._kept = 0
        self._given: list[tuple[Hierarchy, TreeParts]] = []  # hierarchies that callers may refit in place

    def kept(self, members: Sequence[Member]) -> PackedTrees | None:
        """Return the trees that were packed last, if they belong to the same meshes.

        Returns None once every ``_MOST_KEPT`` calls, so that improved trees are packed.
        """
        things = self._things
        if len(things) != len(members) or any(map(operator.is_not, [member.mesh for member in members], things)):
            return None
        return self.serve()

    @property
    def current(self) -> PackedTrees | None:
        """The trees that were packed last; None if a caller's hierarchy among them was refitted in place since then."""
        return self._packed_trees if all(given.parts is parts for given, parts in self._given) else None

    def serve(self) -> PackedTrees | None:
        """Like ``kept``, but the caller guarantees that the meshes are the same."""
        if self._kept >= _MOST_KEPT:
            return None
        self._kept += 1
        return self.current

    def use_better_trees(self) -> None:
        """Make the next query check whether a tree should be rebuilt with a better split."""
        self._kept = _MOST_KEPT

    def packed_steps(self, members: Sequence[Member]) -> Generator[Progress, None, PackedTrees]:
        """Return the packed trees of objects; builds the missing trees first."""
        hierarchies, trees = yield from _hierarchies(members)
        indices = [h.parts for h in hierarchies]
        known = self._packed_trees
        if known is None or len(indices) != len(self._indices) or any(map(operator.is_not, indices, self._indices)):
            packed = pack_trees(hierarchies, None if known is None else known.tree_set), gather_solids(hierarchies)
        else:
            packed = known.tree_set, known.solids
        bounds = np.stack([h.mesh.bounds for h in hierarchies])[trees]
        radii = np.array([radius_of(h.mesh) for h in hierarchies])[trees]
        self._packed_trees = PackedTrees(*packed, trees, bounds, [h.mesh for h in hierarchies], radii)
        self._things, self._indices, self._kept = [member.mesh for member in members], indices, 0
        given = {id(thing): (thing, thing.parts) for thing in self._things if isinstance(thing, Hierarchy)}
        self._given = list(given.values())
        return self._packed_trees


def find_case_steps(
    packed_trees: PackedTrees,
    placed: PlacedObjects,
    pairs: np.ndarray,
    limits: Limits,
    clock: Clock,
    first_only: bool,
    device: str,
) -> Generator[Progress, None, tuple[Case, np.ndarray]]:
    """Find the contacts of pairs of objects. Drops pairs whose tight boxes are apart.

    Args:
        packed_trees: trees of the objects; may contain trees of other objects, too.
        placed: the objects.
        pairs: pairs of indices of ``placed``, (k, 2) int64, k > 0.
        limits, clock, first_only, device: as ``Members.case_steps``.

    Returns:
        The case, and which pairs it contains, (k,) bool.
    """
    tree_set, solids, trees, meshes = packed_trees.tree_set, packed_trees.solids, placed.trees, packed_trees.meshes
    rows = placed.rows
    boxes = yield from _bounds(tree_set, trees, rows)
    near = _boxes_near(boxes[pairs[:, 0]], boxes[pairs[:, 1]], limits.touch_tolerance)
    pairs = pairs[near]
    jobs, rows_a, rows_b = trees[pairs], rows[pairs[:, 0]], rows[pairs[:, 1]]
    clock.stop("packing")
    steps = contacts_steps(packed_trees, jobs, (rows_a, rows_b), first_only=first_only, device=device)
    answer = yield from scale_progress(map_progress(steps, lambda share: _tested(share, len(pairs))), 0.1, 0.6)
    clock.stop("traversal")
    boxes_a, boxes_b = boxes[pairs[:, 0]], boxes[pairs[:, 1]]
    resolutions = placed.resolutions[pairs]
    return Case(tree_set, solids, jobs, rows_a, rows_b, boxes_a, boxes_b, answer, resolutions, meshes), near


def _tested(share: float, count: int) -> Progress:
    return Progress(share, counting("testing object pair", int(share * count), count))


def contacts_steps(
    packed_trees: PackedTrees,
    jobs: np.ndarray,
    rows: tuple[np.ndarray, np.ndarray],
    **options: Any,
) -> Generator[float, None, Answer]:
    """Find the contacts of pairs of objects. From the second query on, oriented boxes exclude separated pairs first.

    Args:
        packed_trees: trees of the objects.
        jobs: trees of each pair, (k, 2) int64.
        rows: poses (k, 3, 4) of the first and of the second objects.
        options: options of the ``Question``.
    """
    tree_set = packed_trees.tree_set
    near = np.arange(len(jobs))
    if packed_trees.asked_again():
        near = np.flatnonzero(~separated_pairs(tree_set, packed_trees.oriented, jobs, *rows))
    if len(near) < len(jobs):
        jobs, rows = jobs[near], (rows[0][near], rows[1][near])
    answer = yield from answer_steps(Question(tree_set.side, tree_set.side, jobs, *rows, **options))
    return answer._replace(jobs=near.astype(np.int32)[answer.jobs])


def _hierarchies(members: Sequence[Member]) -> Generator[Progress, None, tuple[list[Hierarchy], np.ndarray]]:
    """Return the different hierarchies of objects, and the tree index (n,) int64 of each object.

    Meshes with the same arrays share a hierarchy.
    """
    things = {id(member.thing): member.mesh for member in members}
    equal = dict(zip(things, (yield from equal_meshes_steps(list(things.values()))), strict=True))
    meshes = {id(mesh): mesh for mesh in equal.values()}
    prepared = yield from prepare_steps(list(meshes.values()), _solid_steps, 0.1, "building hierarchy")
    different = {id(hierarchy): hierarchy for hierarchy in prepared}
    places = {key: place for place, key in enumerate(different)}
    index = {key: places[id(hierarchy)] for key, hierarchy in zip(meshes, prepared, strict=True)}
    return list(different.values()), np.array([index[id(equal[id(member.thing)])] for member in members], np.int64)


def _solid_steps(hierarchy: Hierarchy) -> Generator[None, None, None]:
    """Prepare the data of a mesh that verdicts need."""
    yield from hierarchy.mesh.topology_steps()
    solid_of(hierarchy.mesh)


def _bounds(tree_set: TreeSet, trees: np.ndarray, rows: np.ndarray) -> Generator[Progress, None, np.ndarray]:
    """Compute ``world_bounds`` in portions of about half a slice."""
    forest = tree_set.forest
    triangles = np.cumsum((forest.triangle_end - forest.triangle_start)[trees])
    boxes, begin = np.empty((len(trees), 6)), 0
    while begin < len(trees):
        before = triangles[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(triangles, before + _TRIANGLES, side="right")))
        boxes[begin:end] = world_bounds(tree_set, trees[begin:end], rows[begin:end])
        begin = end
        if begin < len(trees):
            yield Progress(0.1, counting("measuring object", begin, len(trees)))
    return boxes


def _boxes_near(a: np.ndarray, b: np.ndarray, tolerance: float) -> np.ndarray:
    """Return which boxes (k, 6) are within the tolerance on every axis, (k,) bool."""
    gap = np.maximum(a[:, :3] - b[:, 3:], b[:, :3] - a[:, 3:])
    return (gap <= tolerance).all(axis=1)
