"""A regular grid of cubes over the region that objects share, and how fine it is."""

import math
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnsupportedOption
from ..messages import shown
from ..types.numbers import real_number
from .bricks import BYTES_EACH, SIDE

MOST_ALONG = 1 << 20
"""Voxels along an axis at most."""
DEFAULT_MEMORY = 1 << 30
"""Bytes that the voxels of a question may take."""
DEFAULT_RESOLUTION = 256
_FINEST = 2.0**-40  # voxel sizes of the largest coordinate, counted from the region: what float64 tells apart easily
_SMALLEST = 1e-280  # [m]: its inverse is finite
_LARGEST = 1e300  # [m]: corners of voxels are finite
_LEAST_VOLUME, _MOST_VOLUME = 1e-280, 1e300  # [m3] of a voxel, and of a grid: what float64 holds with room
_COLUMN_BYTES = 32  # a number and a count of each object
_A_LITTLE = 1.0 + 2.0**-40


class Grid(NamedTuple):
    """Voxel (i, j, k) is the closed cube from origin + voxel_size (i, j, k) on, in real numbers."""

    origin: np.ndarray
    """(3,) float64 [m]."""
    voxel_size: float
    """[m]."""
    size: np.ndarray
    """Voxels along each axis, (3,) int64."""

    @property
    def brick_size(self) -> np.ndarray:
        """Bricks along each axis, (3,) int64."""
        return (self.size + (SIDE - 1)) // SIDE

    @property
    def diagonal(self) -> float:
        """Of a voxel [m]: two points in one are not farther apart."""
        return math.sqrt(3.0) * self.voxel_size * _A_LITTLE

    def boxes(self, voxels: np.ndarray) -> np.ndarray:
        """Lowest and highest corners (k, 2, 3) float64 [m] of voxels (k, 3)."""
        corners = np.stack([voxels, voxels + 1], axis=1)
        return self.origin + self.voxel_size * corners


class Fineness(NamedTuple):
    """How fine a grid is to be, checked; at most one of the first two is given."""

    resolution: int | None
    voxel_size: float | None
    memory: int


def checked_fineness(resolution: Any, voxel_size: Any, memory: Any = None) -> Fineness:
    """What a caller gave; raises UnsupportedOption and names the option that is wrong."""
    if resolution is not None and voxel_size is not None:
        raise UnsupportedOption("give a resolution or a voxel_size, not both")
    if resolution is not None:
        count = real_number(resolution)
        if not (1 <= count <= MOST_ALONG and count == math.floor(count)):
            raise UnsupportedOption(
                f"resolution must be a whole number from 1 to {MOST_ALONG}, not {shown(resolution)}"
            )
        resolution = int(count)
    if voxel_size is not None:
        length = real_number(voxel_size)
        if not 0.0 < length < math.inf:
            raise UnsupportedOption(f"voxel_size must be a length in metres above 0, not {shown(voxel_size)}")
        voxel_size = length
    size = DEFAULT_MEMORY if memory is None else real_number(memory)
    if not SIDE * BYTES_EACH <= size < math.inf:
        raise UnsupportedOption(f"memory must be a number of bytes from {SIDE * BYTES_EACH} on, not {shown(memory)}")
    return Fineness(resolution, voxel_size, int(size))


def make_grid(low: np.ndarray, high: np.ndarray, farthest: float, fineness: Fineness) -> Grid:
    """The grid over a region.

    Args:
        low, high: corners of the region, (3,) [m]; a region without extent gets one voxel.
        farthest: no coordinate of what will be marked is farther from ``low`` [m].
        fineness: a voxel size puts voxels at its multiples, so that they stay where they are from question to question;
            a resolution is that of the longest side of the region.

    Raises:
        UnsupportedOption: a voxel size with more than 2**20 voxels along a side, too large, or too small for the
            coordinates.
    """
    extent = high - low
    longest = float(extent.max())
    least = max(_FINEST * farthest, _SMALLEST)
    if fineness.voxel_size is None:
        count = fineness.resolution or DEFAULT_RESOLUTION
        length = max(longest / count * _A_LITTLE, least)
        return Grid(low, length, _count(extent, length))
    length = fineness.voxel_size
    if length < least:
        raise UnsupportedOption(
            f"voxel_size {length:g} m is too small for objects that reach {farthest:g} m from the region of interest: "
            f"it must be {least:.3g} m or more"
        )
    if length > _LARGEST:
        raise UnsupportedOption(f"voxel_size {length:g} m is too large: it must be {_LARGEST:g} m or less")
    if longest / length >= MOST_ALONG - 2:
        raise UnsupportedOption(
            f"voxel_size {length:g} m makes {longest / length:.3g} voxels along {longest:g} m: at most {MOST_ALONG} "
            "are possible"
        )
    origin = np.floor(low / length) * length
    origin = np.where(origin > low, origin - length, origin)
    return Grid(origin, length, _count(high - origin, length))


def _count(extent: np.ndarray, length: float) -> np.ndarray:
    """Voxels along each axis: every point of the region lies in one, or within the slack of the last (``cover.py``)."""
    return np.floor(extent / length).astype(np.int64) + 1


def check_volumes(grid: Grid) -> None:
    """Raise UnsupportedOption where float64 cannot hold volumes of voxels and of the grid."""
    volume = grid.voxel_size * grid.voxel_size * grid.voxel_size
    if not (volume >= _LEAST_VOLUME and volume * float(grid.size.prod(dtype=np.float64)) <= _MOST_VOLUME):
        raise UnsupportedOption(
            f"voxels of {grid.voxel_size:.3g} m have volumes that float64 cannot hold: take another size of voxels, or "
            "measure in another unit"
        )


def check_columns(grid: Grid, memory: int) -> None:
    """Raise UnsupportedOption where numbers for each column of voxels are more memory than may be had."""
    check_bytes(int(grid.size[0]) * int(grid.size[1]) * _COLUMN_BYTES, grid, memory)


def check_bytes(needed: int, grid: Grid, memory: int) -> None:
    """Raise UnsupportedOption where what is needed for a grid is more than may be had."""
    if needed > memory:
        raise UnsupportedOption(
            f"voxels of {grid.voxel_size:.3g} m ({' x '.join(map(str, grid.size.tolist()))}) need more than "
            f"{memory >> 20} MiB: take larger voxels, or give more memory"
        )
