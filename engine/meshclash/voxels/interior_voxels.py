"""Find the voxels inside a closed surface, by winding numbers along columns from the top down."""

from collections.abc import Generator

import numpy as np

from ..jit import kernel
from .bricks import Bricks, brick_count, find_brick, popcount
from .clipping import Pieces


@kernel
def _fill_columns(bx, by, size, bricks, pieces, words, whole, column):
    """Mark the interior voxels in the columns of one brick that the surface does not touch; see ``interior_steps``."""
    count_y, count_z = (size[1] + 7) >> 3, (size[2] + 7) >> 3
    for x in range(8):
        for y in range(8):
            known = 8 * bx + x < size[0] and 8 * by + y < size[1]
            column[8 * x + y] = pieces.top[8 * bx + x, 8 * by + y] if known else 0.0
    for bz in range(count_z - 1, -1, -1):
        brick = find_brick(bricks, (bx * count_y + by) * count_z + bz)
        if brick < 0:
            whole[bx, by, bz] = np.round(column[0]) != 0.0
            continue
        for x in range(8):
            for y in range(8):
                w = column[8 * x + y]
                for z in range(7, -1, -1):
                    mask = np.uint64(1) << np.uint64(8 * y + z)
                    if bricks.words[brick, x] & mask != np.uint64(0):
                        w += pieces.areas[
                            pieces.ranks[brick, x] + popcount(bricks.words[brick, x] & (mask - np.uint64(1)))
                        ]
                    elif np.round(w) != 0.0:
                        words[brick, x] |= mask
                column[8 * x + y] = w


def interior_steps(bricks: Bricks, pieces: Pieces, size: np.ndarray) -> Generator[float, None, tuple[np.ndarray, ...]]:
    """Find the voxels wholly inside a closed surface, in slices; yields the fraction done.

    Args:
        bricks, pieces: the surface's voxels, and its contributions to them (``piece_steps``).
        size: voxels along each axis of the grid, (3,).

    Returns:
        Return the interior voxels of each brick of the surface, (n, 8) uint64; and which of the other bricks of the
            grid are
        inside, (x, y, z) bool.
    """
    across = (size + 7) // 8
    words, whole = np.zeros((brick_count(bricks), 8), np.uint64), np.zeros(across, np.bool_)
    column = np.empty(64)
    for bx in range(int(across[0])):
        for by in range(int(across[1])):
            _fill_columns(bx, by, size, bricks, pieces, words, whole, column)
        yield (bx + 1) / int(across[0])
    return words, whole
