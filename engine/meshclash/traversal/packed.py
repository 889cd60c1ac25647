"""A prepared mesh as a single question takes it: one address, kept with the mesh.

Of each array that a kernel is given Numba finds out the type anew, and a mesh is ten arrays; two boxes are compared in
a fraction of that time. So the addresses lie in a record, made once for each index, and a question gives the record's.
The record holds the index and its grove, so its arrays live as long as somebody has it.
"""

from typing import Any

import numpy as np

from ..hierarchy.build import is_earned_at
from ..hierarchy.bvh import Hierarchy
from ..hierarchy.slabs import note_tests
from ..jit import config
from ..types.mesh import TriangleMesh
from .forest import plant
from .near_wide import SIDE_LENGTH

DEPTH = SIDE_LENGTH
"""The entry of a record after those of ``near_wide.py``: edges on the longest way from the root to a leaf."""
_KEY = "packed"
_THINGS = (TriangleMesh, Hierarchy)  # a union would be made anew for each question
_FIRST = np.zeros(1, np.int64)


class Packed:
    """A hierarchy of boxes with an 8-wide form, while it keeps its index.

    Attributes:
        address: of the record, int64: the entries of ``near_wide.py`` and ``DEPTH``.
        has_slabs: whether distances have earned the slabs.
        met: whether the mesh met the other one when a distance was last asked for: then that is asked first.
        triangle_count: of the mesh.
    """

    __slots__ = ("_earned", "_grove", "_hierarchy", "_index", "_record", "_usage", "address", "has_slabs",
        "met",
                 "triangle_count")  # fmt: skip

    def __init__(self, hierarchy: Hierarchy) -> None:
        index = hierarchy.index
        self._hierarchy, self._index, self._usage = hierarchy, index, index.usage
        self._earned = is_earned_at(hierarchy)
        self._grove = plant([hierarchy])
        self._record = np.array([*self._grove.lane_record, index.tree.depth], np.int64)
        self.address: int = self._record.ctypes.data
        self.has_slabs = self.met = False
        self.triangle_count = index.mesh.triangle_count

    @property
    def is_old(self) -> bool:
        """Whether the hierarchy has another index now, or has earned a better one."""
        return self._hierarchy.index is not self._index or self._usage.volume_tests >= self._earned

    def look_for_slabs(self) -> None:
        """Give distances the slabs, if they are made or earned by now."""
        if not self.has_slabs:
            self.has_slabs = bool(self._grove.slabs_of(_FIRST)[0])

    def note_near_tests(self, volume_tests: int) -> None:
        """Charge the tests of a distance to an index without slabs, which earns them so."""
        if not self.has_slabs:
            note_tests(self._index, volume_tests)


def packed_of(thing: Any) -> Packed | None:
    """The record of a mesh or hierarchy, if it has one that holds."""
    if not isinstance(thing, _THINGS):
        return None
    found: Packed | None = thing.derived.get(_KEY)
    return None if found is None or found.is_old else found


def pack(thing: Any, hierarchy: Hierarchy) -> Packed | None:
    """The record of a hierarchy, kept with what it was made of (itself, or a mesh); None without an 8-wide form."""
    found = packed_of(thing)
    if found is None and hierarchy.index.wide is not None and not config.DISABLE_JIT:
        found = thing.derived[_KEY] = Packed(hierarchy)
    return found
