"""Many hierarchies of one kind laid end to end, so that one kernel call can answer for many object pairs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..hierarchy.bvh import Hierarchy
from ..hierarchy.wide import fits_lanes, wide_tree


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
    hierarchies: Sequence[Hierarchy]

    @cached_property
    def wide(self) -> WideForest:
        """The 8-wide forms end to end, made when first asked for; that of a single tree is kept with it."""
        return _kept(self.hierarchies, "wide forest", _plant_wide)


def plant(hierarchies: Sequence[Hierarchy]) -> Grove:
    """Lay hierarchies of one volume end to end; a single one is taken as it is, without copying."""
    return Grove(**_kept(hierarchies, "forest", _plant), hierarchies=hierarchies)


def _kept(hierarchies: Sequence[Hierarchy], name: str, make: Callable[[Sequence[Hierarchy]], Any]) -> Any:
    """What ``make`` makes of hierarchies; that of a single one is kept with it (and must not refer to it)."""
    if len(hierarchies) > 1:
        return make(hierarchies)
    derived = hierarchies[0].derived
    if name not in derived:
        derived[name] = make(hierarchies)
    return derived[name]


def _plant(hierarchies: Sequence[Hierarchy]) -> dict[str, Any]:
    """The fields of a Grove, without the hierarchies."""
    trees = [h.tree for h in hierarchies]
    meshes = [h.mesh for h in hierarchies]
    forest = Forest(
        _joined([t.first for t in trees]),
        _joined([t.count for t in trees]),
        _joined([h.volumes for h in hierarchies]),
        _joined([t.order for t in trees]),
        _joined([m.arrays[1] for m in meshes]),
        _joined([m.arrays[0] for m in meshes]),
        _starts([len(t.first) for t in trees]),
        _starts([len(t.order) for t in trees]),
        np.cumsum([len(t.order) for t in trees]).astype(np.int64),
        _starts([m.vertex_count for m in meshes]),
    )
    return {
        "forest": forest,
        "origins": np.stack([h.origin for h in hierarchies]),
        "reaches": np.stack([np.abs(m.bounds).max(axis=0) for m in meshes]),
        "root_reaches": np.stack([_root_reach(h) for h in hierarchies]),
        "largest_leaf": max(h.leaf_size for h in hierarchies),
        "deepest": max(t.depth for t in trees),
        "volume": hierarchies[0].volume,
        "fits_lanes": all(map(fits_lanes, hierarchies)),
    }


def _plant_wide(hierarchies: Sequence[Hierarchy]) -> WideForest:
    trees = [wide_tree(h) for h in hierarchies]
    nodes = _joined([t.nodes for t in trees])
    return WideForest(
        nodes,
        nodes.view(np.int32),
        _joined([t.coordinates for t in trees]),
        _starts([len(t.nodes) for t in trees]),
        _starts([len(t.coordinates) for t in trees]),
    )


def _root_reach(hierarchy: Hierarchy) -> np.ndarray:
    if hierarchy.volume == "aabb":
        return np.abs(hierarchy.volumes[0]).reshape(2, 3).max(axis=0)
    reach = np.abs(hierarchy.mesh.bounds - hierarchy.origin).max(axis=0).astype(np.float32)
    return np.nextafter(reach, np.float32(np.inf))


def _joined(arrays: list[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _starts(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
