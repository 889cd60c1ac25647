"""``VoxelContacts``: what ``voxel_collide`` found."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..traversal.contacts import Contacts
from ..types.copying import Copyable
from ..types.results import QueryStats
from .grid import Grid


@dataclass(frozen=True, eq=False)
class Overlap:
    """The common volume of two solids, between bounds, and which of them holds the other."""

    volume_lower: float
    """The common volume is at least this [m3]."""
    volume_upper: float
    """The common volume is at most this [m3]."""
    inside: str = ""
    """"a" where a lies wholly inside b, "b" where b lies inside a; "" where neither is known."""

    @property
    def volume(self) -> float:
        """The middle of the bounds [m3]."""
        return 0.5 * (self.volume_lower + self.volume_upper)


class VoxelContacts(Copyable):
    """Voxels that two objects share, and what is known from them.

    Attributes:
        mode: "exact", "voxels" or "solid".
        voxels: (k, 3) int32: those that both surfaces touch, or come closer to than ``slack``. In an order of their
            own, which depends on the grid only. In mode "exact" those in which triangles were compared.
        grid: where they lie; None where the objects' boxes have no common point.
        slack: by how much a surface may miss a voxel that counts, in voxels: of needles; of other triangles a
            millionth of that (``cover.py``).
        contacts: the answer of ``collide`` in mode "exact", else None.
        overlap: in mode "solid" the common volume, else None: ``volume_lower``, ``volume_upper``, ``volume``, and
            ``inside``: "a" or "b" where that object lies wholly inside the other.
        stats: QueryStats of the query.
    """

    def __init__(
        self,
        mode: str,
        voxels: np.ndarray,
        grid: Grid | None,
        slack: float,
        stats: QueryStats,
        contacts: Contacts | None = None,
        overlap: Overlap | None = None,
    ) -> None:
        self.mode = mode
        self.voxels = voxels
        self.grid = grid
        self.slack = slack
        self.stats = stats
        self.contacts = contacts
        self.overlap = overlap

    @property
    def apart(self) -> bool:
        """Whether it is certain that the surfaces have no common point."""
        return len(self.contacts) == 0 if self.contacts is not None else len(self.voxels) == 0

    @property
    def closer_than(self) -> float:
        """Where voxels are shared, the surfaces come closer than this [m]: a voxel's diagonal. Else infinity."""
        if self.grid is None or len(self.voxels) == 0:
            return np.inf
        return self.grid.diagonal * (1.0 + 2.0 * self.slack)

    @property
    def voxel_size(self) -> float | None:
        """Length of a voxel's sides [m]; None where no grid was needed."""
        return None if self.grid is None else self.grid.voxel_size

    @property
    def boxes(self) -> np.ndarray:
        """Lowest and highest corners of the common voxels, (k, 2, 3) float64 [m], world."""
        return np.empty((0, 2, 3)) if self.grid is None else self.grid.boxes(self.voxels)

    @property
    def pairs(self) -> np.ndarray:
        """(k, 2) int32 triangle indices, as ``collide``. Raises UnsupportedOption unless the mode is "exact"."""
        return self._exact.pairs

    @property
    def kinds(self) -> np.ndarray:
        """(k,) uint8, a ContactKind each. Raises UnsupportedOption unless the mode is "exact"."""
        return self._exact.kinds

    def segments(self, select: Any = slice(None)) -> np.ndarray:
        """As ``Contacts.segments``. Raises UnsupportedOption unless the mode is "exact"."""
        return self._exact.segments(select)

    @property
    def overlap_volume(self) -> tuple[float, float]:
        """Bounds (low, high) of the common volume [m3]. Raises UnsupportedOption unless the mode is "solid"."""
        if self.overlap is None:
            raise UnsupportedOption(f"mode {self.mode!r} measures no volume: ask with mode='solid'")
        return self.overlap.volume_lower, self.overlap.volume_upper

    @property
    def _exact(self) -> Contacts:
        if self.contacts is None:
            raise UnsupportedOption(f"mode {self.mode!r} compares no triangles: ask with mode='exact'")
        return self.contacts

    def __repr__(self) -> str:
        found = f"{len(self.voxels)} common voxels"
        if self.contacts is not None:
            found += f", {len(self.contacts)} pairs"
        if self.overlap is not None:
            found += f", common volume {self.overlap.volume_lower:.6g} to {self.overlap.volume_upper:.6g} m3"
        return f"VoxelContacts({found})"
