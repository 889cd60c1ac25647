"""``Access``: the functions by which binary engines read nodes, whose volumes are stored or derived on the way down.

``root``                                the node at which to begin
``nodes_of(forest)``                    arrays for ``children`` and ``derive``; passing a whole forest is slow
``children(nodes, start, node)``        (first of two children, or entry of a leaf's first triangle; its triangles)
``triangle(forest, tree, entry)``       the triangle at an entry
``row(volumes, node, carried, at, side)``   input of the volume's functions: side 0 is a's, side 1 b's
``begin``, ``derive``, ``exchange``     update the rows that belong to a pair of nodes; see ``lab/volumes/boxtree.py``
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..jit import portable
from ..volumes.registry import Volume


class Access(NamedTuple):
    """The functions listed in the module docstring; ``carried`` is the number of values in each of the two rows of a
    pair.
    """

    root: int
    carried: int
    nodes_of: Callable[..., Any]
    children: Callable[..., Any]
    triangle: Callable[..., Any]
    row: Callable[..., Any]
    begin: Callable[..., Any]
    derive: Callable[..., Any]
    exchange: Callable[..., Any]

    def workspace(self, entries: int) -> np.ndarray:
        """Allocate the rows of ``entries`` pairs of nodes, (entries, 2, numbers) float64."""
        return np.empty((entries if self.carried else 0, 2, self.carried))


@portable
def _stored_nodes(forest):
    return forest.first, forest.count


@portable
def _stored_children(nodes, start, node):
    return nodes[0][start + node], nodes[1][start + node]


@portable
def _stored_triangle(forest, tree, entry):
    return forest.order[forest.triangle_start[tree] + entry]


@portable
def _stored_row(volumes, node, carried, at, side):
    return volumes[node]


@portable
def _begin_nothing(volumes_a, start_a, volumes_b, start_b, relative, carried):
    pass


@portable
def _derive_nothing(
    nodes_a, start_a, node_a, moved_a, nodes_b, start_b, node_b, moved_b, relative, carried, source, target
):
    pass


@portable
def _exchange_nothing(carried, i, j):
    pass


@portable
def _own_triangle(forest, tree, entry):
    return entry


@portable
def _derived_row(volumes, node, carried, at, side):
    return carried[at, side]


_STORED = Access(
    0,
    0,
    _stored_nodes,
    _stored_children,
    _stored_triangle,
    _stored_row,
    _begin_nothing,
    _derive_nothing,
    _exchange_nothing,
)


def access_to(volume: Volume) -> Access:
    """Return the functions that read trees of a volume."""
    own = volume.derived
    if own is None:
        return _STORED
    return Access(
        own.root, own.carried, own.nodes_of, own.children, _own_triangle, _derived_row, own.begin, own.derive,
        own.exchange,
    )  # fmt: skip
