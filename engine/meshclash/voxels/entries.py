"""List which triangles touch which voxels of a set: numbers of voxels, triangle by triangle."""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from .bricks import Bricks, find_brick, popcount
from .common_region import GridTriangles
from .grid import DEFAULT_MEMORY, Grid, check_bytes
from .marking import PIECE
from .voxelisation import make_voxeliser

_FIRST_CAPACITY = 1 << 16
_ENTRY_BYTES = 12
_USED, _BEFORE, _STATE_LENGTH = range(3)


class _Work(NamedTuple):
    """Input and output of the visitor of voxels."""

    wanted: np.ndarray
    """The voxels of the set to consider, (n, 8) uint64."""
    met: np.ndarray
    """Output: the voxels that were touched, (n, 8) uint64."""
    ranks: np.ndarray
    """The number of the first voxel of each word, (n, 8) int64."""
    voxels: np.ndarray
    """Output, (room,) int64."""
    owners: np.ndarray
    """Output, (room,) int32."""
    state: np.ndarray
    """Number of entries, and number of entries before the current triangle."""


class Entries(NamedTuple):
    """Triangles with the voxels that they touch."""

    voxels: np.ndarray
    """Numbers of voxels as defined by ``rank_words``, (k,) int64."""
    owners: np.ndarray
    """Indices of chosen triangles, (k,) int32, ascending."""


@inlined
def _begin(work):
    work.state[_BEFORE] = work.state[_USED]


@inlined
def _wants(bricks, work, name):
    brick = find_brick(bricks, name)
    if brick < 0:
        return False
    some = np.uint64(0)
    for x in range(8):
        some |= work.wanted[brick, x]
    return some != np.uint64(0)


@inlined
def _visit(bricks, work, n, name, x0, x1, bits, shape):
    brick = find_brick(bricks, name)
    if brick < 0:
        return True
    used = work.state[_USED]
    for x in range(x0, x1 + 1):
        common = bits[x] & work.wanted[brick, x]
        if common == np.uint64(0):
            continue
        work.met[brick, x] |= common
        all_bits, rank = bricks.words[brick, x], work.ranks[brick, x]
        while common != np.uint64(0):
            lowest = common & (~common + np.uint64(1))
            common ^= lowest
            if used == work.voxels.shape[0]:
                return False
            work.voxels[used] = rank + popcount(all_bits & (lowest - np.uint64(1)))
            work.owners[used] = n
            used += 1
    work.state[_USED] = used
    return True


_list_entries = make_voxeliser(_begin, _wants, _visit)


def entry_steps(
    thing: GridTriangles,
    grid: Grid,
    bricks: Bricks,
    ranks: np.ndarray,
    wanted: np.ndarray,
    memory: int = DEFAULT_MEMORY,
) -> Generator[float, None, tuple[Entries, np.ndarray]]:
    """List the triangles of an object that touch voxels of a set, in slices; yields the fraction done.

    Args:
        thing, grid: the object on its grid.
        bricks, ranks: the set, and its ``rank_words``.
        wanted: the voxels of the set to consider, (n, 8) uint64.
        memory: maximum memory for the entries [bytes].

    Raises:
        UnsupportedOption: the entries need more memory.

    Returns:
        The entries, and which of the voxels were touched, (n, 8) uint64.
    """
    met, state = np.zeros_like(wanted), np.zeros(_STATE_LENGTH, np.int64)
    room = _FIRST_CAPACITY
    voxels, owners = np.empty(room, np.int64), np.empty(room, np.int32)
    done, count = 0, len(thing.chosen)
    while done < count:
        goal = min(count, done + PIECE)
        work = _Work(wanted, met, ranks, voxels, owners, state)
        done = _list_entries(*thing[:3], done, goal, grid.size, thing.slack, bricks, work)
        if done < goal:
            used = state[_USED] = state[_BEFORE]
            room *= 2
            check_bytes(room * _ENTRY_BYTES, grid, memory)
            voxels, owners = (_grown(array, used, room) for array in (voxels, owners))
        yield done / count
    return Entries(voxels[: state[_USED]], owners[: state[_USED]]), met


def _grown(array: np.ndarray, used: int, room: int) -> np.ndarray:
    result = np.empty(room, array.dtype)
    result[:used] = array[:used]
    return result


@kernel
def _sort(voxels, owners, starts, lists):
    """Sort entries by voxel with a counting sort; output: ``starts`` (voxels + 1,), ``lists`` (k,)."""
    starts[:] = 0
    for k in range(voxels.shape[0]):
        starts[voxels[k] + 1] += 1
    for v in range(1, starts.shape[0]):
        starts[v] += starts[v - 1]
    for k in range(voxels.shape[0]):
        v = voxels[k]
        lists[starts[v]] = owners[k]
        starts[v] += 1
    for v in range(starts.shape[0] - 1, 0, -1):
        starts[v] = starts[v - 1]
    starts[0] = 0


def by_voxel(entries: Entries, voxel_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Group entries by voxel: return ``starts`` (voxels + 1,) int64 and ``lists`` (k,) int32.

    The triangles of voxel v are ``lists[starts[v]:starts[v + 1]]``, ascending.
    """
    starts, lists = np.empty(voxel_count + 1, np.int64), np.empty(len(entries.voxels), np.int32)
    _sort(*entries, starts, lists)
    return starts, lists
