"""The binary hierarchy: one tree, with the volumes of any kind in a table beside it.

Layout. Node 0 is the root, the children of an inner node lie side by side (``first``, ``first + 1``), and a parent's
index is below its children's: one pass backwards over the nodes refits. A leaf refers to ``count`` primitives from
``first`` on in ``order``; an inner node has count 0. Eight bytes a node for the tree, 4 * width for its volume.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..types.copying import Changeable
from ..types.mesh import TriangleMesh

if TYPE_CHECKING:
    from .wide_bvh import WideTree


class Tree(NamedTuple):
    """Topology of a hierarchy, without volumes; of a boxtree only the depth, since its nodes say the rest."""

    first: np.ndarray
    """First child of an inner node, or first entry in ``order`` of a leaf, (n,) int32."""
    count: np.ndarray  # type: ignore[assignment]  # tuple.count is not needed
    """Number of primitives of a leaf, 0 for an inner node, (n,) int32."""
    order: np.ndarray
    """Primitive indices in leaf order, (m,) int32."""
    depth: int
    """Edges on the longest way from the root to a leaf."""


def finished_tree(first: np.ndarray, count: np.ndarray, order: np.ndarray, nodes: int, depth: int) -> Tree:
    """A tree whose arrays were made for more nodes than it has; they are cut in place."""
    first.resize(nodes, refcheck=False)
    count.resize(nodes, refcheck=False)
    return Tree(first, count, order, depth)


class Usage:
    """What a tree has been used for, over all meshes that it was refitted to.

    Attributes:
        volume_tests: tests in simultaneous traversals, half of them on the account of either tree.
        updated_nodes: nodes that were refitted since a query last took them on its account.
    """

    def __init__(self) -> None:
        self.volume_tests = 0.0
        self.updated_nodes = 0


class TreeParts(NamedTuple):
    """What a hierarchy consists of. It is replaced as a whole, so that its holder has parts that fit together."""

    mesh: TriangleMesh
    tree: Tree
    volumes: np.ndarray
    """(n, width) float32, relative to ``origin``, each containing its primitives exactly; of a boxtree, the nodes."""
    origin: np.ndarray
    """(3,) float64 [m], in the object's frame; near the middle of the mesh."""
    wide: "WideTree | None"
    """The 8-wide form, of boxes with small leaves."""
    split: str
    """The rule that divided the tree."""
    usage: Usage
    derived: dict[str, Any]
    """What later stages made of these very arrays and keep with them."""

    def __reduce__(self) -> Any:
        """As a ``Copyable`` with the cache ``derived``."""
        return type(self), (*self[:-1], {})


class Hierarchy(Changeable, caches={"derived": dict}):
    """A mesh with its tree and volumes; made by ``build``, accepted wherever a mesh is.

    Attributes:
        parts: the TreeParts; its parts are attributes of the hierarchy too.
        volume, leaf_size: how it was built.
        may_improve: whether much use may give it a better tree (``build``, split "auto").
        derived: what later stages made of the hierarchy and keep with it.
    """

    def __init__(self, parts: TreeParts, volume: str, leaf_size: int, may_improve: bool) -> None:
        self.parts = parts
        self.may_improve = may_improve
        self.volume = volume
        self.leaf_size = leaf_size
        self.derived: dict[str, Any] = {}

    def _shared_things(self) -> Iterable[object]:
        return (self.mesh,)  # not the tree, which ``refit`` in place writes over

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
        """Volumes of the nodes, (n, width) float32, relative to ``origin``."""
        return self.parts.volumes

    @property
    def origin(self) -> np.ndarray:
        """(3,) float64 [m], in the object's frame."""
        return self.parts.origin

    @property
    def wide(self) -> "WideTree | None":
        """The 8-wide form, of boxes with leaves of at most eight triangles."""
        return self.parts.wide

    @property
    def split(self) -> str:
        """The rule that divided the tree."""
        return self.parts.split

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.volumes)

    def __repr__(self) -> str:
        return f"Hierarchy({self.volume}, {self.split}, {self.node_count} nodes over {self.mesh!r})"


MeshLike = TriangleMesh | Hierarchy
"""What stands for a mesh in every query: the mesh itself, or a hierarchy that was built for it."""
