"""A record contains the data of a prepared mesh that single queries need; it is created once and cached with the mesh.

The record refers to the parts and the tree set from which it was created, so their arrays live as long as the record.
The record becomes invalid when the mesh gets a new hierarchy.
"""

from math import inf
from typing import Any

import numpy as np

from ...hierarchy.build import as_hierarchies, improves_at
from ...hierarchy.bvh import Hierarchy
from ...hierarchy.oriented import orients_at
from ...hierarchy.slabs import note_tests
from ...jit import config
from ...traversal.forest import pack_trees
from ...types.copying import NotCopied
from ...types.mesh import TriangleMesh
from .kernels import DEPTH

_KEY = "record"
_THINGS = (TriangleMesh, Hierarchy)  # a union type would be made anew for each query
_FIRST = np.zeros(1, np.int64)
_ONLY = (0,)


class Record(NotCopied):
    """A hierarchy of boxes with an 8-wide form; the record is valid as long as the hierarchy has the same parts.

    Attributes:
        hierarchy, parts, usage: the objects from which the record was created, and the amount of work they were used
            for.
        orients_at: number of steps after which the tree gets oriented boxes; infinite if the tree has them.
        improves_at: number of volume tests from which on the hierarchy gets a better tree.
        address: address of the record, int64: the entries of ``near_wide.py`` and ``DEPTH``.
        has_slabs: whether slabs for distances are available.
        met: whether the mesh met the other mesh in the last distance query: then contacts are tested first.
        tree_set: tree set of the hierarchy alone.
        triangle_count, index_bits: number of triangles of the mesh, and number of bits of their indices.
        packed: data that ``prepared_verdict.py`` stores for the pair of this mesh and the mesh compared with it last.
    """

    __slots__ = (
        "_record",
        "address",
        "has_slabs",
        "hierarchy",
        "improves_at",
        "index_bits",
        "met",
        "orients_at",
        "packed",
        "parts",
        "tree_set",
        "triangle_count",
        "usage",
    )  # fmt: skip

    def __init__(self, hierarchy: Hierarchy) -> None:
        parts = hierarchy.parts
        self.hierarchy, self.parts, self.usage = hierarchy, parts, parts.usage
        self.improves_at = improves_at(hierarchy)
        self.orients_at = orients_at(parts)
        self.tree_set = pack_trees([hierarchy])
        self._record = np.array([*self.tree_set.lane_record, parts.tree.depth], np.int64)
        assert len(self._record) == DEPTH + 1
        self.address: int = self._record.ctypes.data
        self.packed: Any = None
        self.has_slabs = self.met = False
        self.triangle_count = parts.mesh.triangle_count
        self.index_bits = self.triangle_count.bit_length()

    def note_steps(self, steps: float) -> None:
        """Count steps of a query; use oriented boxes from the next one on if they are due by now."""
        self.usage.steps += steps
        if self.usage.steps >= self.orients_at:
            self.tree_set.orient_after_use(_ONLY)
            self.orients_at = inf

    def look_for_slabs(self) -> None:
        """Use slabs for distances if they exist or are due by now."""
        if not self.has_slabs:
            self.has_slabs = bool(self.tree_set.slabs_of(_FIRST)[0])

    def note_near_tests(self, volume_tests: int) -> None:
        """Record the tests of a distance query for a tree without slabs, so that the tree gets slabs when they save
        time.
        """
        if not self.has_slabs:
            note_tests(self.parts, volume_tests)


def record_of(thing: Any) -> Record | None:
    """Return the record of a mesh or hierarchy if the record is valid: the hierarchy has the same parts, and no better
    tree is due.
    """
    if not isinstance(thing, _THINGS):
        return None
    found: Record | None = thing.derived.get(_KEY)
    if found is None or found.hierarchy.parts is not found.parts or found.usage.volume_tests >= found.improves_at:
        return None
    return found


def keep_record(thing: Any, hierarchy: Hierarchy) -> Record | None:
    """Create a record of a hierarchy and cache it with ``thing``, the hierarchy or mesh; None without 8-wide form."""
    if hierarchy.parts.wide is None or config.DISABLE_JIT:
        return None
    found = record_of(thing)
    if found is None or found.hierarchy is not hierarchy:
        found = thing.derived[_KEY] = Record(hierarchy)
    return found


def records_of(a: Any, b: Any, volume: str | None) -> tuple[Record, Record] | None:
    """Return the records of two meshes, building their hierarchies if necessary; None without 8-wide forms.

    Raises:
        InvalidMesh, UnsupportedOption: as for ``as_hierarchies``.
    """
    side_a, side_b = (record_of(a), record_of(b)) if volume is None else (None, None)
    if side_a is None or side_b is None:
        tree_a, tree_b = as_hierarchies(a, b, volume)
        side_a, side_b = keep_record(a, tree_a), keep_record(b, tree_b)
    return None if side_a is None or side_b is None else (side_a, side_b)
