"""The two objects of a query: each is clustered, or in memory and then treated as a single cluster."""

from typing import Any, NamedTuple

import numpy as np

from ..hierarchy.build import as_boxes
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..traversal.forest import TreeSet, join, pack_trees
from ..types.mesh import TriangleMesh, no_mesh
from .mesh import ClusteredMesh
from .pages import Page

PLACE_BITS = 16
"""Lower bits of a triangle's place: its index in the page; the upper bits are the page. For an object in memory, the
place is the triangle's index."""
_SAMPLES = (8, 64)


class Clusters(NamedTuple):
    """One object of a query."""

    hierarchy: Hierarchy
    """Hierarchy over its clusters, or over the triangles of an object in memory."""
    clustered: ClusteredMesh | None
    """The clustered mesh; None for an object in memory."""
    mesh: TriangleMesh | None
    """The mesh of an object in memory; otherwise None."""

    @property
    def whole(self) -> bool:
        """Whether the object is completely in memory."""
        return self.clustered is None

    @property
    def thing(self) -> ClusteredMesh | Hierarchy:
        """The object in the form that queries accept."""
        return self.hierarchy if self.clustered is None else self.clustered

    @property
    def cluster_count(self) -> int:
        """Number of clusters; 1 for an object in memory."""
        return 1 if self.clustered is None else self.clustered.cluster_count

    @property
    def triangle_count(self) -> int:
        """Number of triangles."""
        thing = self.clustered or self.mesh
        assert thing is not None
        return thing.triangle_count


class Loaded(NamedTuple):
    """Clusters of a side in memory, packed for queries."""

    tree_set: TreeSet
    numbers: np.ndarray
    """Indices of the clusters, ascending, (n,) int64: cluster ``numbers[k]`` is tree k."""
    pages: list[Page]
    """Their pages; empty for an object in memory."""

    def places(self, trees: np.ndarray, triangles: np.ndarray) -> np.ndarray:
        """Return the positions of triangles of loaded clusters, (n,) int64."""
        if not self.pages:
            return triangles.astype(np.int64)
        return (self.numbers[trees] << PLACE_BITS) | triangles

    def ids(self, trees: np.ndarray, triangles: np.ndarray) -> np.ndarray:
        """Return the indices of triangles of loaded clusters in the whole mesh, (n,) int64."""
        if not self.pages:
            return triangles.astype(np.int64)
        found = np.empty(len(trees), np.int64)
        order = np.argsort(trees, kind="stable")
        starts = np.flatnonzero(np.diff(trees[order], prepend=-1))
        for rows in np.split(order, starts[1:]) if len(order) else ():
            found[rows] = self.pages[trees[rows[0]]].triangle_ids[triangles[rows]]
        return found


def side_of(thing: Any) -> Clusters:
    """Return an object as one side of a query; raise InvalidMesh for objects that are not meshes."""
    if isinstance(thing, ClusteredMesh):
        return Clusters(thing.clusters, thing, None)
    if not isinstance(thing, MeshLike):
        raise no_mesh(thing, "a TriangleMesh, a Hierarchy or a ClusteredMesh")
    tree = as_boxes(thing)
    return Clusters(tree, None, tree.mesh)


def loaded(side: Clusters, numbers: np.ndarray) -> Loaded:
    """Load some clusters, ascending, into memory."""
    if side.clustered is None:
        return Loaded(pack_trees([side.hierarchy]), numbers, [])
    pages = side.clustered.pages.load(numbers.tolist())
    return Loaded(join([pack_trees([page.hierarchy]) for page in pages]), numbers, pages)


def samples(pairs: np.ndarray) -> list[np.ndarray]:
    """Split sorted pairs (n, 2) into portions for a query that stops at the first contact.

    The first portion has a few pairs from all regions, the next portion more, and the last portion the remaining pairs.
    """
    portions, left = [], np.ones(len(pairs), np.bool_)
    for count in _SAMPLES:
        if len(pairs) > 2 * count:
            chosen = np.flatnonzero(left)[:: len(pairs) // count]
            portions.append(pairs[chosen])
            left[chosen] = False
    return [*portions, pairs[left]]


class Excerpt:
    """Triangles of a clustered mesh that occur in a result, read from their pages on demand."""

    def __init__(self, mesh: ClusteredMesh, ids: np.ndarray, places: np.ndarray) -> None:
        self._mesh = mesh
        self._ids, first = np.unique(ids, return_index=True)
        self._places = places[first]

    def corners_of(self, triangles: np.ndarray) -> np.ndarray:
        """Return corners (n, 3, 3) float64 [m] of triangles (n,) of the mesh, in its own frame."""
        places = self._places[np.searchsorted(self._ids, triangles)]
        numbers, local = places >> PLACE_BITS, places & ((1 << PLACE_BITS) - 1)
        corners = np.empty((len(places), 3, 3))
        order = np.argsort(numbers, kind="stable")
        starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
        for rows in np.split(order, starts[1:]) if len(order) else ():
            mesh = self._mesh.pages.load([int(numbers[rows[0]])])[0].hierarchy.mesh
            corners[rows] = mesh.corners_of(local[rows])
        return corners


def as_sources(a: Clusters, b: Clusters, pairs: np.ndarray, places: np.ndarray) -> tuple[Any, Any]:
    """Return for both sides an object that gives the corners of the triangles of pairs (n, 2), for results.

    ``places`` (n, 2) are the places of the triangles.
    """
    first, second = (
        side.mesh if side.clustered is None else Excerpt(side.clustered, pairs[:, k], places[:, k])
        for k, side in enumerate((a, b))
    )
    return first, second
