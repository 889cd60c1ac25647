"""The binary hierarchy: a tree, and a table of volumes of any kind.

Layout: node 0 is the root. The children of an inner node are neighbours (``first``, ``first + 1``). A parent has a
lower index than its children, so one backward pass over the nodes refits the tree. A leaf refers to the ``count``
primitives in ``order`` that begin at ``first``; an inner node has count 0. A node takes 8 bytes for the tree and
4 * width bytes for its volume.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..types.copying import Changeable
from ..types.mesh import TriangleMesh

if TYPE_CHECKING:
    from .wide_bvh import WideTree


class Tree(NamedTuple):
    """Topology of a hierarchy, without volumes. For a boxtree it has only the depth: the nodes contain the rest."""

    first: np.ndarray
    """First child of an inner node, or first entry in ``order`` of a leaf, (n,) int32."""
    count: np.ndarray  # type: ignore[assignment]  # tuple.count is not needed
    """Number of primitives of a leaf, 0 for an inner node, (n,) int32."""
    order: np.ndarray
    """Primitive indices in leaf order, (m,) int32."""
    depth: int
    """Number of edges on the longest path from the root to a leaf."""


def finished_tree(first: np.ndarray, count: np.ndarray, order: np.ndarray, nodes: int, depth: int) -> Tree:
    """Return a tree after shrinking its arrays in place to the number of nodes that it has."""
    first.resize(nodes, refcheck=False)
    count.resize(nodes, refcheck=False)
    return Tree(first, count, order, depth)


class Usage:
    """Counts how much a tree has been used, across all refits.

    Attributes:
        volume_tests: volume tests in traversals of two trees; half of them are counted for each tree.
        updated_nodes: nodes refitted since a query last included them in its stats.
    """

    def __init__(self) -> None:
        self.volume_tests = 0.0
        self.updated_nodes = 0


class TreeParts(NamedTuple):
    """The parts of a hierarchy. They are replaced together, so that a holder always has parts that match."""

    mesh: TriangleMesh
    tree: Tree
    volumes: np.ndarray
    """(n, width) float32, relative to ``origin``; each contains its exact primitives. For a boxtree: the nodes."""
    origin: np.ndarray
    """(3,) float64 [m], in the object's frame; near the middle of the mesh."""
    wide: "WideTree | None"
    """The 8-wide form; only for boxes with leaves of at most eight triangles."""
    split: str
    """The split rule of the tree."""
    usage: Usage
    derived: dict[str, Any]
    """A cache of data that later stages computed from these arrays."""

    def __reduce__(self) -> Any:
        """Copy and pickle without the cache ``derived``."""
        return type(self), (*self[:-1], {})


class Hierarchy(Changeable, caches={"derived": dict}):
    """A mesh with its tree and volumes, made by ``build``; accepted wherever a mesh is.

    Attributes:
        parts: the TreeParts. Most of its fields are also attributes of the hierarchy.
        volume, leaf_size: the options of ``build``.
        may_improve: whether the tree may be rebuilt after much use (``build`` with split "auto").
        may_orient: whether a new tree gets oriented boxes if boxes along the axes fit badly (``build`` without volume).
        derived: a cache of data that later stages computed from the hierarchy.
    """

    def __init__(self, parts: TreeParts, volume: str, leaf_size: int, may_improve: bool, may_orient: bool = False) -> None:
        self.parts = parts
        self.may_improve = may_improve
        self.may_orient = may_orient
        self.volume = volume
        self.leaf_size = leaf_size
        self.derived: dict[str, Any] = {}

    def _shared_things(self) -> Iterable[object]:
        return (self.mesh,)  # not the tree, which ``refit`` in place overwrites

    @property
    def mesh(self) -> TriangleMesh:
        """The mesh."""
        return self.parts.mesh

    @property
    def tree(self) -> Tree:
        """The Tree."""
        return self.parts.tree

    @property
    def volumes(self) -> np.ndarray:
        """The volumes of the nodes, (n, width) float32, relative to ``origin``."""
        return self.parts.volumes

    @property
    def origin(self) -> np.ndarray:
        """The origin of the volumes, (3,) float64 [m], in the object's frame."""
        return self.parts.origin

    @property
    def wide(self) -> "WideTree | None":
        """The 8-wide form; None except for boxes with leaves of at most eight triangles."""
        return self.parts.wide

    @property
    def is_oriented(self) -> bool:
        """Whether oriented boxes were added, because boxes along the axes fit the triangles badly."""
        return self.wide is not None and len(self.wide.oriented) > 0

    @property
    def looseness(self) -> float | None:
        """Half the surface area of the leaves' boxes divided by the area of the triangles; None without an 8-wide form.

        ``build`` without a volume adds oriented boxes from ``hierarchy.oriented.LOOSE`` on.
        """
        if self.wide is None:
            return None
        from .oriented import looseness_of

        return looseness_of(self.parts)

    @property
    def split(self) -> str:
        """The split rule of the tree."""
        return self.parts.split

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.volumes)

    def __repr__(self) -> str:
        volume = f"{self.volume} and oriented" if self.is_oriented else self.volume
        return f"Hierarchy({volume}, {self.split}, {self.node_count} nodes over {self.mesh!r})"


MeshLike = TriangleMesh | Hierarchy
"""What queries accept as a mesh: the mesh itself, or a hierarchy built over it."""
