"""Sparse sets of voxels: bits in bricks of 8 x 8 x 8, so memory grows with the surface and not with the volume.

A brick is eight words of 64 bits: word x & 7, bit 8 (y & 7) + (z & 7). A hash table with open addressing maps the name
of a brick to its index. Bricks are stored in the order in which they were first touched. Results do not depend on the
order of the bricks, because ``list_voxels`` sorts.
"""

from typing import Any, NamedTuple

import numpy as np

from ..jit import inlined, inner, kernel

SIDE = 8
"""Voxels along each side of a brick."""
_EMPTY = np.int64(-1)
_HASH = np.uint64(0x9E3779B97F4A7C15)
_FIRST_CAPACITY = 1 << 10
BYTES_EACH = 128
"""Upper bound of the memory of a brick: words, name, and its part of a hash table at least a quarter full."""


class Bricks(NamedTuple):
    """A set of voxels; kernels fill it."""

    table: np.ndarray
    """Hash table, (2**m,) int64: the index of a brick, or -1."""
    names: np.ndarray
    """The name of each brick, (room,) int64: (bx by_count + by) bz_count + bz."""
    words: np.ndarray
    """The bits of each brick, (room, 8) uint64."""
    used: np.ndarray
    """The number of bricks, (1,) int64."""
    last: np.ndarray
    """Name and index of the brick returned last by ``take_brick``, (2,) int64."""

    def __reduce__(self) -> Any:
        """Copy without the unused room, whose memory is uninitialised."""
        count = brick_count(self)
        return type(self), (self.table, self.names[:count].copy(), self.words[:count].copy(), self.used, self.last)


def new_bricks(room: int = _FIRST_CAPACITY) -> Bricks:
    """Create an empty set with room for ``room`` bricks."""
    size = 1 << max(2 * room - 1, 1).bit_length()
    return Bricks(
        np.full(size, _EMPTY), np.empty(room, np.int64), np.empty((room, SIDE), np.uint64),
        np.zeros(1, np.int64), np.array([_EMPTY, 0]),
    )  # fmt: skip


@inlined
def _first_place(name, size):
    mixed = np.uint64(name) * _HASH
    return (mixed ^ (mixed >> np.uint64(32))) & np.uint64(size - 1)


@inner
def _look_up(bricks, name):
    """Return (place in the table, index of the brick) for the name of a brick; the index is -1 if the place is still
    free.
    """
    size = bricks.table.shape[0]
    place = _first_place(name, size)
    while True:
        brick = bricks.table[place]
        if brick == _EMPTY or bricks.names[brick] == name:
            return place, brick
        place = (place + np.uint64(1)) & np.uint64(size - 1)


@inner
def find_brick(bricks, name):
    """Return the index of the brick with a name; -1 if the set does not contain it."""
    return _look_up(bricks, name)[1]


@inlined
def take_brick(bricks, name):
    """Return the index of the brick with a name, adding an empty brick if needed; -1 if it does not fit."""
    if bricks.last[0] == name:
        return bricks.last[1]
    brick = _take_other(bricks, name)
    if brick >= 0:
        bricks.last[0], bricks.last[1] = name, brick
    return brick


@inner
def _take_other(bricks, name):
    place, brick = _look_up(bricks, name)
    if brick != _EMPTY:
        return brick
    brick = bricks.used[0]
    if brick == bricks.names.shape[0]:
        return _EMPTY
    bricks.table[place] = brick
    bricks.names[brick] = name
    for x in range(8):
        bricks.words[brick, x] = 0
    bricks.used[0] = brick + 1
    return brick


@kernel
def _unite(bricks, others, first):
    """Add the bits of other bricks from ``first`` on; return the first brick that does not fit, or the number of bricks
    if all fit.
    """
    for k in range(first, others.used[0]):
        brick = take_brick(bricks, others.names[k])
        if brick < 0:
            return k
        for x in range(8):
            bricks.words[brick, x] |= others.words[k, x]
    return others.used[0]


def unite(bricks: Bricks, others: Bricks) -> Bricks:
    """Return the union of two sets of voxels: ``bricks`` itself, changed in place, or a larger copy if it lacks
    room.
    """
    first = 0
    while True:
        first = _unite(bricks, others, first)
        if first == others.used[0]:
            return bricks
        bricks = larger(bricks)


@kernel
def _keep_common(bricks, others):
    for k in range(bricks.used[0]):
        other = find_brick(others, bricks.names[k])
        for x in range(8):
            bricks.words[k, x] = bricks.words[k, x] & others.words[other, x] if other >= 0 else np.uint64(0)


def common_bricks(bricks: Bricks, others: Bricks) -> Bricks:
    """Return the intersection of two sets of voxels as a new set."""
    result = bricks._replace(words=bricks.words.copy())
    _keep_common(result, others)
    return result


def larger(bricks: Bricks) -> Bricks:
    """Return a copy of the set with twice the room."""
    result = new_bricks(2 * len(bricks.names))
    _unite(result, bricks, 0)
    return result


def brick_count(bricks: Bricks) -> int:
    """Return the number of bricks."""
    return int(bricks.used[0])


@inlined
def popcount(word):
    """Return the number of set bits of a 64-bit word; LLVM compiles this pattern to one instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def _rank(words, count, ranks):
    total = np.int64(0)
    for brick in range(count):
        for x in range(8):
            ranks[brick, x] = total
            total += popcount(words[brick, x])
    return total


def rank_words(bricks: Bricks) -> tuple[np.ndarray, int]:
    """Return the number of voxels before each word, (n, 8) int64, and the total number of voxels.

    So the number of a voxel is the number of its word plus the number of lower bits in the word.
    """
    ranks = np.empty((brick_count(bricks), SIDE), np.int64)
    return ranks, int(_rank(bricks.words, len(ranks), ranks))


@kernel
def _list(names, words, order, size_y, size_z, voxels):
    found = 0
    for brick in order:
        name = names[brick]
        bz = name % size_z
        by = (name // size_z) % size_y
        bx = name // (size_z * size_y)
        for x in range(8):
            word = words[brick, x]
            while word != np.uint64(0):
                lowest = word & (~word + np.uint64(1))
                bit = popcount(lowest - np.uint64(1))
                word ^= lowest
                voxels[found, 0] = 8 * bx + x
                voxels[found, 1] = 8 * by + (bit >> 3)
                voxels[found, 2] = 8 * bz + (bit & 7)
                found += 1


def list_voxels(bricks: Bricks, brick_size: np.ndarray) -> np.ndarray:
    """Return the voxels of a set, (k, 3) int32, sorted by the names of their bricks, and by (x, y, z) within a brick.

    Args:
        bricks: the set.
        brick_size: number of bricks along each axis of the grid, (3,).
    """
    count = brick_count(bricks)
    _, total = rank_words(bricks)
    voxels = np.empty((total, 3), np.int32)
    order = np.argsort(bricks.names[:count])
    _list(bricks.names, bricks.words, order, int(brick_size[1]), int(brick_size[2]), voxels)
    return voxels
