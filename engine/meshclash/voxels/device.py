"""Find common voxels on a CUDA device, or with the host backend on the CPU."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .bricks import SIDE, Bricks, new_bricks, unite
from .common_region import GridTriangles
from .grid import Grid, check_bytes

_SETS = 2
_WORD_BYTES = 8


def common_voxels_on(backend: Any, things: Sequence[GridTriangles], grid: Grid, memory: int) -> Bricks:
    """Return the voxels that the surfaces of two objects share.

    Args:
        backend: a device, or the host backend.
        things, grid: the objects on their grid.
        memory: maximum memory for voxels there [bytes]; all bricks of the region are allocated.

    Raises:
        UnsupportedOption: the voxels need more memory.
    """
    count = int(np.prod(grid.brick_size))
    check_bytes(_SETS * count * SIDE * _WORD_BYTES, grid, memory)
    first, second = (_marked_on(backend, thing, grid, count) for thing in things)
    backend.run(__name__, "keep_common_voxels", count, first, second)
    words = backend.download(first)
    some = np.flatnonzero(words.any(axis=1))
    capacity = max(len(some), 1)
    found = new_bricks(capacity)
    found.names[: len(some)], found.words[: len(some)], found.used[0] = some, words[some], len(some)
    return unite(new_bricks(capacity), found)


def _marked_on(backend: Any, thing: GridTriangles, grid: Grid, count: int) -> Any:
    """Mark the voxels of one object; return their words (bricks, 8) as an array of the backend."""
    words = backend.upload(np.zeros((count, SIDE), np.uint64))
    arrays = (thing.points, thing.triangles, thing.chosen, grid.size)
    given = (*map(backend.upload, arrays), float(thing.slack))
    backend.run(__name__, "mark_surface", len(thing.chosen), *given, words)
    return words
