"""Linear octree: a sorted list of the cells that contain boxes, without pointers.

A box lies in the at most eight cells of the finest level whose cells are as large as the box. Cells are sorted by the
Morton code of their lowest corner, larger cells first, so the cells around a cell come before it. One pass over both
sorted lists, with the open cells on a stack, compares each box with the boxes in cells around its own cell.

Source: Gargantini, "An effective way to represent quadtrees" (1982); Morton codes as in ``hierarchy/morton.py``.
"""

import numpy as np

from ...jit import inlined, inner, kernel
from .cells import CHECKS, NOTHING, all_pairs, boxes_meet, cell_of, common_region, within

_BITS = 16
"""Number of levels below the root: coordinates along an axis are numbers with this number of bits."""
_LEVEL_BITS = 5
_MOST_CELLS = 8
_OPEN = _BITS + 2


@inlined
def _spread(x):
    """Spread the bits of a 16-bit number, with two zeros between neighbouring bits."""
    x = (x | (x << 32)) & 0x1F00000000FFFF
    x = (x | (x << 16)) & 0x1F0000FF0000FF
    x = (x | (x << 8)) & 0x100F00F00F00F00F
    x = (x | (x << 4)) & 0x10C30C30C30C30C3
    return (x | (x << 2)) & 0x1249249249249249


@inlined
def _code(x, y, z):
    return (_spread(x) << 2) | (_spread(y) << 1) | _spread(z)


@kernel
def _enter(boxes, chosen, low, scale, keys, members):
    """Write a key and the box for every cell of every box; return the number of entries."""
    begin, end = np.empty(3, np.int64), np.empty(3, np.int64)
    most = (1 << _BITS) - 1
    used = 0
    for entry in range(chosen.shape[0]):
        i = chosen[entry]
        level = 0
        for k in range(3):
            begin[k] = cell_of(boxes[i, k], low[k], scale[k], most)
            end[k] = cell_of(boxes[i, k + 3], low[k], scale[k], most)
            while (end[k] >> level) - (begin[k] >> level) > 1:
                level += 1
        for x in range(begin[0] >> level, (end[0] >> level) + 1):
            for y in range(begin[1] >> level, (end[1] >> level) + 1):
                for z in range(begin[2] >> level, (end[2] >> level) + 1):
                    code = _code(x << level, y << level, z << level)
                    keys[used] = (code << _LEVEL_BITS) | (_BITS - level)
                    members[used] = i
                    used += 1
    return used


@inlined
def _end_of_cell(keys, at):
    end = at + 1
    while end < keys.shape[0] and keys[end] == keys[at]:
        end += 1
    return end


@inlined
def _holds(cell, key):
    """Return whether the cell of one key equals or contains the cell of another key."""
    level = _BITS - (cell & ((1 << _LEVEL_BITS) - 1))
    shift = 3 * level + _LEVEL_BITS
    return (cell >> shift) == (key >> shift)


@inner
def _close(open_cells, used, keys, key):
    """Pop the cells from a stack that do not contain a key; return how many cells are left."""
    while used > 0 and not _holds(keys[open_cells[used - 1, 0]], key):
        used -= 1
    return used


@kernel
def _find(boxes_a, boxes_b, keys_a, keys_b, members_a, members_b, low, scale, pairs, counts):
    open_a, open_b = np.empty((_OPEN, 2), np.int64), np.empty((_OPEN, 2), np.int64)
    used_a = used_b = found = 0
    at_a = at_b = 0
    most = (1 << _BITS) - 1
    while at_a < keys_a.shape[0] or at_b < keys_b.shape[0]:
        of_a = at_b == keys_b.shape[0] or (at_a < keys_a.shape[0] and keys_a[at_a] <= keys_b[at_b])
        keys, at = (keys_a, at_a) if of_a else (keys_b, at_b)
        key = keys[at]
        end = _end_of_cell(keys, at)
        used_a = _close(open_a, used_a, keys_a, key)
        used_b = _close(open_b, used_b, keys_b, key)
        level = _BITS - (key & ((1 << _LEVEL_BITS) - 1))
        others, used = (open_b, used_b) if of_a else (open_a, used_a)
        for cell in range(used):
            for other in range(others[cell, 0], others[cell, 1]):
                for own in range(at, end):
                    i = members_a[own if of_a else other]
                    j = members_b[other if of_a else own]
                    counts[CHECKS] += 1
                    if not boxes_meet(boxes_a, i, boxes_b, j):
                        continue
                    x = cell_of(max(boxes_a[i, 0], boxes_b[j, 0]), low[0], scale[0], most)
                    y = cell_of(max(boxes_a[i, 1], boxes_b[j, 1]), low[1], scale[1], most)
                    z = cell_of(max(boxes_a[i, 2], boxes_b[j, 2]), low[2], scale[2], most)
                    if (_code(x, y, z) >> 3 * level) != (key >> (3 * level + _LEVEL_BITS)):
                        continue
                    if found < pairs.shape[0]:
                        pairs[found, 0], pairs[found, 1] = i, j
                    found += 1
        if of_a:
            open_a[used_a, 0], open_a[used_a, 1] = at, end
            used_a += 1
            at_a = end
        else:
            open_b[used_b, 0], open_b[used_b, 1] = at, end
            used_b += 1
            at_b = end
    return found


def _sorted_cells(
    boxes: np.ndarray, chosen: np.ndarray, low: np.ndarray, scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted keys (k,) int64 of the cells of boxes, and the box of each key (k,) int32."""
    keys, members = np.empty(_MOST_CELLS * len(chosen), np.int64), np.empty(_MOST_CELLS * len(chosen), np.int32)
    used = _enter(boxes, chosen, low, scale, keys, members)
    order = np.argsort(keys[:used], kind="stable")
    return keys[order], members[order]


def octree_pairs(boxes_a: np.ndarray, boxes_b: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the pairs of closed boxes that meet, by a linear octree. Arguments and result as ``grid_pairs``."""
    region = common_region(boxes_a, boxes_b)
    if region is None:
        return np.empty((0, 2), np.int32), 0
    low, high = region
    extent = float((high - low).max())
    scale = np.full(3, (1 << _BITS) / extent if extent > NOTHING else 1.0)
    cells_a = _sorted_cells(boxes_a, within(boxes_a, low, high), low, scale)
    cells_b = _sorted_cells(boxes_b, within(boxes_b, low, high), low, scale)
    keys_a, members_a = cells_a
    keys_b, members_b = cells_b
    return all_pairs(
        lambda pairs, counts: _find(boxes_a, boxes_b, keys_a, keys_b, members_a, members_b, low, scale, pairs, counts)
    )
