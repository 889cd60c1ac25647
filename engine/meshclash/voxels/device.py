"""Common voxels on a CUDA device, or by its twin on the CPU."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .bricks import SIDE, Bricks, new_bricks, unite
from .grid import Grid, check_bytes
from .placing import Gridded

_SETS = 2
_WORD_BYTES = 8


def common_voxels_on(machine: Any, things: Sequence[Gridded], grid: Grid, memory: int) -> Bricks:
    """The voxels that the surfaces of two objects share.

    Args:
        machine: a device, or the twin.
        things, grid: the objects on their grid.
        memory: bytes that voxels may take there; they are those of the whole region.

    Raises:
        UnsupportedOption: they need more.
    """
    count = int(np.prod(grid.brick_size))
    check_bytes(_SETS * count * SIDE * _WORD_BYTES, grid, memory)
    first, second = (_marked_on(machine, thing, grid, count) for thing in things)
    machine.run(__name__, "keep_common_voxels", count, first, second)
    words = machine.download(first)
    some = np.flatnonzero(words.any(axis=1))
    room = max(len(some), 1)
    found = new_bricks(room)
    found.names[: len(some)], found.words[: len(some)], found.used[0] = some, words[some], len(some)
    return unite(new_bricks(room), found)


def _marked_on(machine: Any, thing: Gridded, grid: Grid, count: int) -> Any:
    """The voxels of one object as words (bricks, 8) of the machine."""
    words = machine.upload(np.zeros((count, SIDE), np.uint64))
    arrays = (thing.points, thing.triangles, thing.chosen, grid.size)
    given = (*map(machine.upload, arrays), float(thing.slack))
    machine.run(__name__, "mark_surface", len(thing.chosen), *given, words)
    return words
