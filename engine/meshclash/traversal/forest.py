"""Many hierarchies of one kind laid end to end, so that one kernel call can answer for many object pairs."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..hierarchy.bvh import Hierarchy
from ..hierarchy.wide import LANE_COUNT, fits_lanes, wide_tree


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


class LaneForest(NamedTuple):
    """What the 8-wide traversal reads of all trees: nothing is copied, trees are told by their addresses."""

    trees: np.ndarray
    """Addresses of each tree's arrays, and the slot of its root, (trees, ADDRESSES) int64; see ``wide.py``."""
    sizes: np.ndarray
    """Origin, largest absolute coordinates, those of the root box relative to the origin, (trees, 9) float64 [m]."""


class Grove:
    """Many trees, with what the host needs to know of each."""

    origins: np.ndarray
    """(trees, 3) float64 [m]."""
    reaches: np.ndarray
    """Largest absolute coordinates, (trees, 3) float64 [m]."""
    largest_leaf: int
    deepest: int
    volume: str
    fits_lanes: bool
    """Whether all trees have an 8-wide form."""
    hierarchies: Sequence[Hierarchy]

    def __init__(self, hierarchies: Sequence[Hierarchy]) -> None:
        self.hierarchies = hierarchies
        self.__dict__.update(_kept(hierarchies, "grove", _facts))

    @cached_property
    def forest(self) -> Forest:
        """Arrays of all trees, made when first asked for; that of a single tree is kept with it."""
        return _kept(self.hierarchies, "forest", _join)

    @cached_property
    def lanes(self) -> LaneForest:
        """The 8-wide forms, made when first asked for; that of a single tree is kept with it."""
        return _kept(self.hierarchies, "lanes", _plant_lanes)


def plant(hierarchies: Sequence[Hierarchy]) -> Grove:
    """Hierarchies of one volume as one grove."""
    return Grove(hierarchies)


def lanes_of(hierarchy: Hierarchy) -> LaneForest:
    """``Grove.lanes`` of a single tree, for questions so short that a grove would be felt."""
    found = hierarchy.derived.get("lanes")
    return found if found is not None else plant([hierarchy]).lanes


def _kept(hierarchies: Sequence[Hierarchy], name: str, make: Callable[[Sequence[Hierarchy]], Any]) -> Any:
    """What ``make`` makes of hierarchies; that of a single one is kept with it (and must not refer to it)."""
    if len(hierarchies) > 1:
        return make(hierarchies)
    derived = hierarchies[0].derived
    if name not in derived:
        derived[name] = make(hierarchies)
    return derived[name]


def _facts(hierarchies: Sequence[Hierarchy]) -> dict[str, Any]:
    """The attributes of a Grove, without the hierarchies."""
    return {
        "origins": np.stack([h.origin for h in hierarchies]),
        "reaches": np.stack([np.abs(h.mesh.bounds).max(axis=0) for h in hierarchies]),
        "largest_leaf": max(h.leaf_size for h in hierarchies),
        "deepest": max(h.tree.depth for h in hierarchies),
        "volume": hierarchies[0].volume,
        "fits_lanes": all(map(fits_lanes, hierarchies)),
    }


def _join(hierarchies: Sequence[Hierarchy]) -> Forest:
    trees = [h.tree for h in hierarchies]
    meshes = [h.mesh for h in hierarchies]
    return Forest(
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


def _plant_lanes(hierarchies: Sequence[Hierarchy]) -> LaneForest:
    # The hierarchies keep the arrays alive, and whoever has this has the hierarchies.
    trees = np.array([_addresses(h) for h in hierarchies], np.int64)
    sizes = np.array(
        [np.concatenate([h.origin, np.abs(h.mesh.bounds).max(axis=0), _root_reach(h)]) for h in hierarchies]
    )
    return LaneForest(trees, sizes)


def _addresses(hierarchy: Hierarchy) -> tuple[int, ...]:
    """Where a tree's arrays lie, in the order of the constants of ``wide.py``."""
    wide = wide_tree(hierarchy)
    vertices, triangles = hierarchy.mesh.arrays
    arrays = (wide.nodes, wide.coordinates, hierarchy.tree.order, triangles, vertices)
    return (*(array.ctypes.data for array in arrays), LANE_COUNT * (len(wide.nodes) - 1))


def _root_reach(hierarchy: Hierarchy) -> np.ndarray:
    root = np.abs(hierarchy.volumes[0, :6])
    return np.maximum(root[:3], root[3:])


def _joined(arrays: list[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _starts(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
