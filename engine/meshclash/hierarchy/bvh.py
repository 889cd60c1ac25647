"""The binary hierarchy: one tree, with the volumes of any kind in a table beside it.

Layout. Node 0 is the root, the children of an inner node lie side by side (``first``, ``first + 1``), and a parent's
index is below its children's: one pass backwards over the nodes refits. A leaf refers to ``count`` primitives from
``first`` on in ``order``; an inner node has count 0. Eight bytes a node for the tree, 4 * WIDTH for its volume.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..types.mesh import TriangleMesh

if TYPE_CHECKING:
    from .wide import WideTree


class Tree(NamedTuple):
    """Topology of a hierarchy, without volumes."""

    first: np.ndarray
    """First child of an inner node, or first entry in ``order`` of a leaf, (n,) int32."""
    count: np.ndarray  # type: ignore[assignment]  # tuple.count is not needed
    """Number of primitives of a leaf, 0 for an inner node, (n,) int32."""
    order: np.ndarray
    """Primitive indices in leaf order, (m,) int32."""
    depth: int
    """Edges on the longest way from the root to a leaf."""


class Hierarchy:
    """A mesh with its tree and volumes; made by ``build``, accepted wherever a mesh is.

    Attributes:
        mesh: the TriangleMesh.
        tree: the Tree.
        volumes: (n, WIDTH) float32, relative to ``origin``, each containing its primitives exactly.
        origin: (3,) float64 [m], in the object's frame; near the middle of the mesh.
        volume, split, leaf_size: how it was built.
        wide: its 8-wide form, made when first asked for (``wide.py``).
        derived: what later stages made of the hierarchy and keep with it.
    """

    def __init__(
        self, mesh: TriangleMesh, tree: Tree, volumes: np.ndarray, origin: np.ndarray, options: tuple[str, str, int]
    ) -> None:
        self.mesh = mesh
        self.tree = tree
        self.volumes = volumes
        self.origin = origin
        self.volume, self.split, self.leaf_size = options
        self.wide: WideTree | None = None
        self.derived: dict[str, Any] = {}

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.tree.first)

    def __repr__(self) -> str:
        return f"Hierarchy({self.volume}, {self.split}, {self.node_count} nodes over {self.mesh!r})"
