"""Common voxels on a CUDA device, or by the host backend on the CPU."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .bricks import SIDE, Bricks, new_bricks, unite
from .common_region import GridTriangles
from .grid import Grid, check_bytes

_SETS = 2
_WORD_BYTES = 8


def common_voxels_on(backend: Any, things: Sequence[GridTriangles], grid: Grid, memory: int) -> Bricks:
    """The voxels that the surfaces of two objects share.

    Args:
        backend: a device, or the host backend.
        things, grid: the objects on their grid.
        memory: bytes that voxels may take there; they are those of the whole region.

    Raises:
        UnsupportedOption: they need more.
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
    """The voxels of one object as words (bricks, 8) of the backend."""
    words = backend.upload(np.zeros((count, SIDE), np.uint64))
    arrays = (thing.points, thing.triangles, thing.chosen, grid.size)
    given = (*map(backend.upload, arrays), float(thing.slack))
    backend.run(__name__, "mark_surface", len(thing.chosen), *given, words)
    return words
