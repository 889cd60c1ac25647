"""``Grid``: a regular grid of cubes over the region that objects share, and the options for its fineness."""

import math
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnsupportedOption
from ..messages import shown
from ..types.numbers import real_number
from .bricks import BYTES_EACH, SIDE

MOST_ALONG = 1 << 20
"""Maximum number of voxels along an axis."""
DEFAULT_MEMORY = 1 << 30
"""Default maximum memory for the voxels of a query [bytes]."""
DEFAULT_RESOLUTION = 256
_FINEST = 2.0**-40  # smallest voxel size relative to the largest coordinate, so that float64 resolves voxels well
_SMALLEST = 1e-280  # smallest voxel size [m], so that its inverse is finite
_LARGEST = 1e300  # largest voxel size [m], so that corners of voxels are finite
_LEAST_VOLUME, _MOST_VOLUME = 1e-280, 1e300  # of a voxel and of a grid [m3], so that float64 can represent them
_COLUMN_BYTES = 32  # a float and a count for each of two objects
_A_LITTLE = 1.0 + 2.0**-40


class Grid(NamedTuple):
    """A grid of cubes: voxel (i, j, k) is the closed cube with lowest corner origin + voxel_size (i, j, k), exactly."""

    origin: np.ndarray
    """(3,) float64 [m]."""
    voxel_size: float
    """[m]."""
    size: np.ndarray
    """Number of voxels along each axis, (3,) int64."""

    @property
    def brick_size(self) -> np.ndarray:
        """Number of bricks along each axis, (3,) int64."""
        return (self.size + (SIDE - 1)) // SIDE

    @property
    def diagonal(self) -> float:
        """Upper bound of the distance between two points in one voxel [m]."""
        return math.sqrt(3.0) * self.voxel_size * _A_LITTLE

    def boxes(self, voxels: np.ndarray) -> np.ndarray:
        """Return the lowest and highest corners (k, 2, 3) float64 [m] of voxels (k, 3)."""
        corners = np.stack([voxels, voxels + 1], axis=1)
        return self.origin + self.voxel_size * corners


class Fineness(NamedTuple):
    """Validated options for the fineness of a grid; at most one of the first two is given."""

    resolution: int | None
    voxel_size: float | None
    memory: int


def checked_fineness(resolution: Any, voxel_size: Any, memory: Any = None) -> Fineness:
    """Validate the options for the fineness. Raises UnsupportedOption with the name of the wrong option."""
    if resolution is not None and voxel_size is not None:
        raise UnsupportedOption("give either resolution or voxel_size, not both")
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
        raise UnsupportedOption(f"memory must be at least {SIDE * BYTES_EACH} bytes, not {shown(memory)}")
    return Fineness(resolution, voxel_size, int(size))


def make_grid(low: np.ndarray, high: np.ndarray, farthest: float, fineness: Fineness) -> Grid:
    """Return the grid over a region.

    Args:
        low, high: corners of the region, (3,) [m]; a region without extent gets one voxel.
        farthest: largest difference between a coordinate to be marked and that of ``low`` [m].
        fineness: a voxel size aligns voxels to its multiples, so that they are the same in every query; a resolution
            is the number of voxels along the longest side of the region.

    Raises:
        UnsupportedOption: the voxel size is too large, too small for the coordinates, or makes more than 2**20 voxels
            along a side.
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
            f"voxel_size {length:g} m is too small for objects that reach {farthest:g} m from the "
            f"region of interest: it must be at least {least:.3g} m"
        )
    if length > _LARGEST:
        raise UnsupportedOption(f"voxel_size {length:g} m is too large: it must be at most {_LARGEST:g} m")
    if longest / length >= MOST_ALONG - 2:
        raise UnsupportedOption(
            f"voxel_size {length:g} m gives {longest / length:.3g} voxels along {longest:g} m, more "
            f"than the limit of {MOST_ALONG}"
        )
    origin = np.floor(low / length) * length
    origin = np.where(origin > low, origin - length, origin)
    return Grid(origin, length, _count(high - origin, length))


def _count(extent: np.ndarray, length: float) -> np.ndarray:
    """Return the number of voxels along each axis.

    Every point of the region lies in a voxel, or within the slack of the last one (see ``cover.py``).
    """
    return np.floor(extent / length).astype(np.int64) + 1


def check_volumes(grid: Grid) -> None:
    """Raise UnsupportedOption if float64 cannot represent the volume of a voxel or of the grid."""
    volume = grid.voxel_size * grid.voxel_size * grid.voxel_size
    if not (volume >= _LEAST_VOLUME and volume * float(grid.size.prod(dtype=np.float64)) <= _MOST_VOLUME):
        raise UnsupportedOption(
            f"voxels of {grid.voxel_size:.3g} m have volumes outside the range of float64: use "
            "another voxel size or another unit"
        )


def check_columns(grid: Grid, memory: int) -> None:
    """Raise UnsupportedOption if the data for each column of voxels needs more memory than allowed."""
    check_bytes(int(grid.size[0]) * int(grid.size[1]) * _COLUMN_BYTES, grid, memory)


def check_bytes(needed: int, grid: Grid, memory: int) -> None:
    """Raise UnsupportedOption if a grid needs more bytes than allowed."""
    if needed > memory:
        raise UnsupportedOption(
            f"voxels of {grid.voxel_size:.3g} m ({' x '.join(map(str, grid.size.tolist()))}) need "
            f"more than {memory >> 20} MiB: use larger voxels or more memory"
        )
