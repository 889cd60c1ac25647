"""The binary hierarchy: a tree, and a table of volumes of any kind.

Layout: node 0 is the root. The children of an inner node are neighbours (``first``, ``first + 1``). A parent has a
lower index than its children, so one backward pass over the nodes refits the tree. A leaf refers to the ``count``
primitives in ``order`` that begin at ``first``; an inner node has count 0. A node takes 8 bytes for the tree and 4 *
width bytes for its bounding volume.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..types.copying import Changeable
from ..types.mesh import TriangleMesh

if TYPE_CHECKING:
    from .wide_bvh import WideTree


ORIENTED = "oriented boxes"
"""Key of the oriented boxes in ``TreeParts.derived``."""


class Tree(NamedTuple):
    """Topology of a hierarchy, without volumes. For a boxtree the object contains only the depth, because the nodes
    contain the rest.
    """

    first: np.ndarray
    """First child of an inner node, or first entry in ``order`` of a leaf, (n,) int32."""
    count: np.ndarray  # type: ignore[assignment]  # tuple.count is not needed
    """Number of primitives of a leaf, 0 for an inner node, (n,) int32."""
    order: np.ndarray
    """Primitive indices in leaf order, (m,) int32."""
    depth: int
    """Number of edges on the longest path from the root to a leaf."""


def finished_tree(first: np.ndarray, count: np.ndarray, order: np.ndarray, nodes: int, depth: int) -> Tree:
    """Return a tree after its arrays are shrunk in place to the number of nodes in use."""
    first.resize(nodes, refcheck=False)
    count.resize(nodes, refcheck=False)
    return Tree(first, count, order, depth)


class Usage:
    """Counts how often a tree has been tested, across all refits.

    Attributes:
        volume_tests: volume tests in traversals of two trees; half of them are counted for each tree.
        steps: steps of the 8-wide traversal of two trees; half of them are counted for each tree.
        updated_nodes: nodes refitted since a query last included them in its stats.
    """

    def __init__(self) -> None:
        self.volume_tests = 0.0
        self.steps = 0.0
        self.updated_nodes = 0


class TreeParts(NamedTuple):
    """The parts of a hierarchy. The parts are replaced together, so that a holder always has matching parts."""

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
    may_orient: bool
    """Whether the tree gets oriented boxes after much use (``build`` without a volume)."""
    derived: dict[str, Any]
    """A cache of data that later stages computed from these arrays."""

    def __reduce__(self) -> Any:
        """Copy and pickle without the cache ``derived``."""
        return type(self), (*self[:-1], {})


class Hierarchy(Changeable, caches={"derived": dict}):
    """A mesh together with its tree of bounding volumes. ``build`` creates a hierarchy, and you can pass it wherever a
    mesh is accepted.

    Attributes:
        parts: the TreeParts, most of whose fields are also attributes of the hierarchy.
        volume, leaf_size: the options of ``build``.
        may_improve: whether queries may rebuild the tree after much use, as for ``build`` with split "auto".
        derived: a cache of data that later stages computed from the hierarchy.
    """

    def __init__(self, parts: TreeParts, volume: str, leaf_size: int, may_improve: bool) -> None:
        self.parts = parts
        self.may_improve = may_improve
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
        """The bounding volumes of the nodes, (n, width) float32, relative to ``origin``."""
        return self.parts.volumes

    @property
    def origin(self) -> np.ndarray:
        """The point from which the positions of the volumes are measured, in the object's own coordinates, (3,) float64
        [m].
        """
        return self.parts.origin

    @property
    def wide(self) -> "WideTree | None":
        """The tree in the form that queries use, in which a node has up to eight children. If the volumes are not
        boxes, or if a leaf has more than eight triangles, the value is None.
        """
        return self.parts.wide

    @property
    def is_oriented(self) -> bool:
        """Whether oriented boxes were added to the tree. Queries add oriented boxes when they have done enough work per
        triangle.
        """
        return ORIENTED in self.parts.derived

    @property
    def split(self) -> str:
        """The split rule by which the tree was built."""
        return self.parts.split

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.volumes)

    def __repr__(self) -> str:
        return f"Hierarchy({self.volume}, {self.split}, {self.node_count} nodes over {self.mesh!r})"


MeshLike = TriangleMesh | Hierarchy
"""Objects that queries accept as a mesh: the mesh itself, or a hierarchy built over it."""
