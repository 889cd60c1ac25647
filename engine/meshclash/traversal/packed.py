"""A prepared mesh as a single question takes it: one address, kept with the mesh.

Of each array that a kernel is given Numba finds out the type anew, and a mesh is ten arrays; two boxes are compared in
a fraction of that time. So the addresses lie in a record, made once for each index, and a question gives the record's.
The record holds the parts and its tree set, so its arrays live as long as somebody has it.
"""

from typing import Any

import numpy as np

from ..hierarchy.build import improves_at
from ..hierarchy.bvh import Hierarchy
from ..hierarchy.slabs import note_tests
from ..jit import config
from ..types.mesh import TriangleMesh
from .forest import pack_trees
from .near_wide import SIDE_LENGTH

DEPTH = SIDE_LENGTH
"""The entry of a record after those of ``near_wide.py``: edges on the longest way from the root to a leaf."""
_KEY = "packed"
_THINGS = (TriangleMesh, Hierarchy)  # a union would be made anew for each question
_FIRST = np.zeros(1, np.int64)


class Packed:
    """A hierarchy of boxes with an 8-wide form, while it keeps its parts.

    Attributes:
        hierarchy, parts: what the record is of.
        address: of the record, int64: the entries of ``near_wide.py`` and ``DEPTH``.
        has_slabs: whether distances have their slabs.
        met: whether the mesh met the other one when a distance was last asked for: then that is asked first.
        tree_set: of the hierarchy alone.
        triangle_count: of the mesh.
    """

    __slots__ = (
        "_improves_at", "_record", "_usage", "address", "has_slabs", "hierarchy", "met", "parts", "tree_set",
        "triangle_count",
    )  # fmt: skip

    def __init__(self, hierarchy: Hierarchy) -> None:
        parts = hierarchy.parts
        self.hierarchy, self.parts, self._usage = hierarchy, parts, parts.usage
        self._improves_at = improves_at(hierarchy)
        self.tree_set = pack_trees([hierarchy])
        self._record = np.array([*self.tree_set.lane_record, parts.tree.depth], np.int64)
        self.address: int = self._record.ctypes.data
        self.has_slabs = self.met = False
        self.triangle_count = parts.mesh.triangle_count

    @property
    def is_old(self) -> bool:
        """Whether the hierarchy has other parts now, or was used enough for a better tree."""
        return self.hierarchy.parts is not self.parts or self._usage.volume_tests >= self._improves_at

    def look_for_slabs(self) -> None:
        """Give distances the slabs, if they are there or due by now."""
        if not self.has_slabs:
            self.has_slabs = bool(self.tree_set.slabs_of(_FIRST)[0])

    def note_near_tests(self, volume_tests: int) -> None:
        """Charge the tests of a distance to a tree without slabs, which gets them so."""
        if not self.has_slabs:
            note_tests(self.parts, volume_tests)


def packed_of(thing: Any) -> Packed | None:
    """The record of a mesh or hierarchy, if it has one that holds."""
    if not isinstance(thing, _THINGS):
        return None
    found: Packed | None = thing.derived.get(_KEY)
    return None if found is None or found.is_old else found


def pack(thing: Any, hierarchy: Hierarchy) -> Packed | None:
    """The record of a hierarchy, kept with what it was made of (itself, or a mesh); None without an 8-wide form."""
    if hierarchy.parts.wide is None or config.DISABLE_JIT:
        return None
    found = packed_of(thing)
    if found is None or found.hierarchy is not hierarchy:
        found = thing.derived[_KEY] = Packed(hierarchy)
    return found
