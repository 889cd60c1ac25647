"""Many hierarchies of one kind laid end to end, so that one kernel call can answer for many object pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..hierarchy.bvh import Hierarchy, Index
from ..hierarchy.wide import WideTree


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
    """First triangle, and entry of ``order``, of each tree, (trees,) int64."""
    triangle_end: np.ndarray
    """One past the last triangle of each tree, (trees,) int64."""
    vertex_start: np.ndarray
    """First vertex of each tree, (trees,) int64."""


class WideForest(NamedTuple):
    """The 8-wide forms of all trees; see ``WideTree``."""

    nodes: np.ndarray
    """(n, 64) float32."""
    words: np.ndarray
    """The same memory as int32."""
    coordinates: np.ndarray
    """(c,) float32 [m]."""
    node_start: np.ndarray
    """First node of each tree, (trees,) int64."""
    coordinate_start: np.ndarray
    """First coordinate of each tree, (trees,) int64."""


@dataclass(frozen=True)
class Grove:
    """A forest with what the host needs to know of each tree."""

    forest: Forest
    origins: np.ndarray
    """(trees, 3) float64 [m]."""
    reaches: np.ndarray
    """Largest absolute coordinates, (trees, 3) float64 [m]."""
    root_reaches: np.ndarray
    """Largest absolute coordinates of a box around each tree, relative to the origins, (trees, 3) float32 [m]."""
    largest_leaf: int
    deepest: int
    volume: str
    fits_lanes: bool
    """Whether all trees have an 8-wide form."""
    indices: Sequence[Index]
    """What was planted: it stays as it is when a hierarchy is given another index."""

    @cached_property
    def wide(self) -> WideForest:
        """The 8-wide forms end to end, made when first asked for."""
        return _plant_wide([wide for index in self.indices if (wide := index.wide) is not None])


def plant(hierarchies: Sequence[Hierarchy]) -> Grove:
    """Lay hierarchies of one volume end to end; a single one is taken as it is, without copying, and its grove kept."""
    if len(hierarchies) > 1:
        return _plant(hierarchies, [h.index for h in hierarchies])
    index = hierarchies[0].index
    kept = hierarchies[0].derived.get("grove")
    if kept is None or kept.indices[0] is not index:
        kept = hierarchies[0].derived["grove"] = _plant(hierarchies, [index])
    return kept


def _plant(hierarchies: Sequence[Hierarchy], indices: Sequence[Index]) -> Grove:
    trees = [index.tree for index in indices]
    meshes = [index.mesh for index in indices]
    forest = Forest(
        _joined([t.first for t in trees]),
        _joined([t.count for t in trees]),
        _joined([index.volumes for index in indices]),
        _joined([t.order for t in trees]),
        _joined([m.arrays[1] for m in meshes]),
        _joined([m.arrays[0] for m in meshes]),
        _starts([len(t.first) for t in trees]),
        _starts([len(t.order) for t in trees]),
        np.cumsum([len(t.order) for t in trees]).astype(np.int64),
        _starts([m.vertex_count for m in meshes]),
    )
    return Grove(
        forest=forest,
        origins=np.stack([index.origin for index in indices]),
        reaches=np.stack([np.abs(m.bounds).max(axis=0) for m in meshes]),
        root_reaches=np.stack([_root_reach(h.volume, index) for h, index in zip(hierarchies, indices, strict=True)]),
        largest_leaf=max(h.leaf_size for h in hierarchies),
        deepest=max(t.depth for t in trees),
        volume=hierarchies[0].volume,
        fits_lanes=all(index.wide is not None for index in indices),
        indices=indices,
    )


def _plant_wide(trees: Sequence[WideTree]) -> WideForest:
    nodes = _joined([t.nodes for t in trees])
    return WideForest(
        nodes,
        nodes.view(np.int32),
        _joined([t.coordinates for t in trees]),
        _starts([len(t.nodes) for t in trees]),
        _starts([len(t.coordinates) for t in trees]),
    )


def _root_reach(volume: str, index: Index) -> np.ndarray:
    if volume == "aabb":
        return np.abs(index.volumes[0]).reshape(2, 3).max(axis=0)
    reach = np.abs(index.mesh.bounds - index.origin).max(axis=0).astype(np.float32)
    return np.nextafter(reach, np.float32(np.inf))


def _joined(arrays: list[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _starts(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
