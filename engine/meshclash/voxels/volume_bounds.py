"""Compute bounds of the common volume of two solids on a grid, along columns of voxels from the top down.

A voxel that the surface does not touch lies wholly inside or outside the solid. For a voxel that the surface touches,
the fraction inside is known (``clipping.py``) if the winding number is 0 or 1 everywhere, as for a surface without
self-intersections; otherwise it may be anything from 0 to 1. Two fractions f and g of a voxel have an intersection
between max(0, f + g - 1) and min(f, g) (Frechet bounds). So only voxels that both surfaces touch leave a gap between
the bounds. These voxels lie along the curve where the surfaces meet, and on a grid twice as fine their volume is a
quarter.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from .bricks import Bricks, find_brick, popcount
from .clipping import Pieces

# Entries of the sums.
LOWER, UPPER, BOTH, A_NOT_IN_B, B_NOT_IN_A, A_WITHIN_B, B_WITHIN_A, SUMS_LENGTH = range(8)
_OUTWARD = 2.0**-40
_UNKNOWN = 0.25  # if a winding number is farther than this from an integer, nothing is known


class SolidSide(NamedTuple):
    """One solid on the grid."""

    bricks: Bricks
    pieces: Pieces
    parts_known: bool
    """Whether the winding number is either 0 or one other value everywhere."""
    error: float
    """Error bound of each piece (``piece_error``)."""


@inlined
def _step(bricks, pieces, known, error, brick, x, bit, state, column):
    """Process the next voxel of a column.

    Returns the lower and upper bound of the fraction inside, whether the surface touches the voxel, and whether the
    voxel is wholly inside. ``state`` (64, 2): winding number on the voxel's upper face, and its error.
    """
    w = state[column, 0]
    mask = np.uint64(1) << np.uint64(bit)
    if brick < 0 or bricks.words[brick, x] & mask == np.uint64(0):
        whole = np.round(w)
        if abs(w - whole) > _UNKNOWN:
            return 0.0, 1.0, False, False
        state[column, 0], state[column, 1] = whole, 0.0
        part = 1.0 if whole != 0.0 else 0.0
        return part, part, False, whole != 0.0
    voxel = pieces.ranks[brick, x] + popcount(bricks.words[brick, x] & (mask - np.uint64(1)))
    state[column, 1] += error * pieces.counts[voxel]
    part = abs(w + pieces.volumes[voxel])
    state[column, 0] = w + pieces.areas[voxel]
    if not known:
        return 0.0, 1.0, True, False
    return max(part - state[column, 1], 0.0), min(part + state[column, 1], 1.0), True, False


@kernel
def _sum_columns(
    bx, by, size, bricks_a, pieces_a, known_a, error_a, bricks_b, pieces_b, known_b, error_b, state_a, state_b, sums
):  # fmt: skip
    """Add the voxels of the columns of one brick to ``sums``, whose entries are named above."""
    count_y, count_z = (size[1] + 7) >> 3, (size[2] + 7) >> 3
    wide, deep = min(8, size[0] - 8 * bx), min(8, size[1] - 8 * by)
    for x in range(wide):
        for y in range(deep):
            column = 8 * x + y
            state_a[column, 0] = pieces_a.top[8 * bx + x, 8 * by + y]
            state_a[column, 1] = error_a * pieces_a.top_counts[8 * bx + x, 8 * by + y]
            state_b[column, 0] = pieces_b.top[8 * bx + x, 8 * by + y]
            state_b[column, 1] = error_b * pieces_b.top_counts[8 * bx + x, 8 * by + y]
    for bz in range(count_z - 1, -1, -1):
        name = (bx * count_y + by) * count_z + bz
        brick_a, brick_b = find_brick(bricks_a, name), find_brick(bricks_b, name)
        high = min(8, size[2] - 8 * bz)
        for x in range(wide):
            for y in range(deep):
                column = 8 * x + y
                for z in range(high - 1, -1, -1):
                    bit = 8 * y + z
                    low_a, high_a, at_a, in_a = _step(
                        bricks_a, pieces_a, known_a, error_a, brick_a, x, bit, state_a, column
                    )
                    low_b, high_b, at_b, in_b = _step(
                        bricks_b, pieces_b, known_b, error_b, brick_b, x, bit, state_b, column
                    )
                    if brick_a < 0 and brick_b < 0 and low_a == high_a and low_b == high_b:
                        both = high * low_a * low_b  # no surface in this brick
                        sums[LOWER] += both
                        sums[UPPER] += both
                        break
                    sums[LOWER] += max(low_a + low_b - 1.0, 0.0)
                    sums[UPPER] += min(high_a, high_b)
                    sums[BOTH] += at_a and at_b
                    sums[A_NOT_IN_B] += at_a and not in_b
                    sums[B_NOT_IN_A] += at_b and not in_a
                    sums[A_WITHIN_B] += at_a and in_b
                    sums[B_WITHIN_A] += at_b and in_a


def volume_steps(a: SolidSide, b: SolidSide, size: np.ndarray) -> Generator[float, None, np.ndarray]:
    """Sum over all voxels, in slices; yields the fraction done.

    The result has the bounds of the common volume [voxels], and the number of voxels of each sort.
    """
    sums, states = np.zeros(SUMS_LENGTH), np.empty((2, 64, 2))
    across = (size + 7) // 8
    for bx in range(int(across[0])):
        for by in range(int(across[1])):
            _sum_columns(bx, by, size, *a, *b, *states, sums)
        yield (bx + 1) / int(across[0])
    sums[LOWER] *= 1.0 - _OUTWARD
    sums[UPPER] *= 1.0 + _OUTWARD
    return sums
