"""``VoxelContacts``: the result of ``voxel_collide``."""

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
    """Bounds of the common volume of two solids, and which one contains the other."""

    volume_lower: float
    """Proved lower bound of the common volume [m3]."""
    volume_upper: float
    """Proved upper bound of the common volume [m3]."""
    inside: str = ""
    """"a" if a lies completely inside b, "b" if b lies completely inside a, "" if neither is known."""

    @property
    def volume(self) -> float:
        """The mean of the two bounds [m3]."""
        return 0.5 * (self.volume_lower + self.volume_upper)


class VoxelContacts(Copyable):
    """The voxels that two objects share, and the contacts or volumes that were found in these voxels.

    Attributes:
        mode: "exact", "voxels" or "solid".
        voxels: (k, 3) int32: the voxels that both surfaces touch, or approach closer than ``slack``. The order of the
            voxels depends only on the grid; in mode "exact", the voxels are those in which triangles were compared.
        grid: the grid of the voxels; None if the objects' boxes have no common point.
        slack: maximum distance of a surface from a voxel that is reported, in voxels. Very thin triangles make this
            slack necessary. All other triangles miss a reported voxel by at most a millionth of its size
            (``cover.py``).
        contacts: the same contacts as from ``collide`` in mode "exact", otherwise None.
        overlap: the common volume in mode "solid", otherwise None: ``volume_lower``, ``volume_upper``, ``volume``, and
            ``inside``: "a" or "b" if that object lies completely inside the other.
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
        """True if it is certain that the surfaces have no common point."""
        return len(self.contacts) == 0 if self.contacts is not None else len(self.voxels) == 0

    @property
    def closer_than(self) -> float:
        """An upper bound of the distance between the surfaces [m], which is about the diagonal of a voxel. If the
        objects share no voxel, the bound is infinite.
        """
        if self.grid is None or len(self.voxels) == 0:
            return np.inf
        return self.grid.diagonal * (1.0 + 2.0 * self.slack)

    @property
    def voxel_size(self) -> float | None:
        """The side length of a voxel [m]. If the query did not need a grid, the value is None."""
        return None if self.grid is None else self.grid.voxel_size

    @property
    def boxes(self) -> np.ndarray:
        """The lowest and the highest corner of each common voxel in world coordinates, (k, 2, 3) float64 [m]."""
        return np.empty((0, 2, 3)) if self.grid is None else self.grid.boxes(self.voxels)

    @property
    def pairs(self) -> np.ndarray:
        """The two triangle indices of each pair, (k, 2) int32, as ``collide`` returns them. If the mode is not "exact",
        this raises UnsupportedOption.
        """
        return self._exact.pairs

    @property
    def kinds(self) -> np.ndarray:
        """The ContactKind of each pair, (k,) uint8. If the mode is not "exact", this raises UnsupportedOption."""
        return self._exact.kinds

    def segments(self, select: Any = slice(None)) -> np.ndarray:
        """Return the line segment in which the triangles of each pair intersect, as ``Contacts.segments`` does. If the
        mode is not "exact", this raises UnsupportedOption.
        """
        return self._exact.segments(select)

    @property
    def overlap_volume(self) -> tuple[float, float]:
        """A lower and an upper bound of the common volume [m3]. If the mode is not "solid", this raises
        UnsupportedOption.
        """
        if self.overlap is None:
            raise UnsupportedOption(f"mode {self.mode!r} does not measure the volume: use mode='solid'")
        return self.overlap.volume_lower, self.overlap.volume_upper

    @property
    def _exact(self) -> Contacts:
        if self.contacts is None:
            raise UnsupportedOption(f"mode {self.mode!r} does not compare triangles: use mode='exact'")
        return self.contacts

    def __repr__(self) -> str:
        found = f"{len(self.voxels)} common voxels"
        if self.contacts is not None:
            found += f", {len(self.contacts)} pairs"
        if self.overlap is not None:
            found += f", common volume {self.overlap.volume_lower:.6g} to {self.overlap.volume_upper:.6g} m3"
        return f"VoxelContacts({found})"
