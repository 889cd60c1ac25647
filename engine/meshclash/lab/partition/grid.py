"""Uniform grid over the region that two sets of boxes share: cells twice as large as the boxes, sorted by counting."""

import numpy as np

from ...jit import inlined, kernel
from .cells import CHECKS, NOTHING, all_pairs, boxes_meet, cell_of, common_region, within

_CELLS_EACH = 4  # cells, and entries, for each box
_ENTRIES_EACH = 16
_FINEST = 1024  # cells along an axis


@inlined
def _cells_of(boxes, i, low, scale, size, begin, end):
    for k in range(3):
        begin[k] = cell_of(boxes[i, k], low[k], scale[k], size[k] - 1)
        end[k] = cell_of(boxes[i, k + 3], low[k], scale[k], size[k] - 1) + 1


@kernel
def _count(boxes, chosen, low, scale, size, starts):
    """Count the boxes in each cell as the starts of their lists; return the number of entries."""
    begin, end = np.empty(3, np.int64), np.empty(3, np.int64)
    total = np.int64(0)
    for entry in range(chosen.shape[0]):
        _cells_of(boxes, chosen[entry], low, scale, size, begin, end)
        for x in range(begin[0], end[0]):
            for y in range(begin[1], end[1]):
                for z in range(begin[2], end[2]):
                    starts[(x * size[1] + y) * size[2] + z + 1] += 1
        total += (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2])
    for cell in range(1, starts.shape[0]):
        starts[cell] += starts[cell - 1]
    return total


@kernel
def _total(boxes, chosen, low, scale, size):
    """Return the number of entries of a grid of this size."""
    begin, end = np.empty(3, np.int64), np.empty(3, np.int64)
    total = np.int64(0)
    for entry in range(chosen.shape[0]):
        _cells_of(boxes, chosen[entry], low, scale, size, begin, end)
        total += (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2])
    return total


@kernel
def _fill(boxes, chosen, low, scale, size, starts, used, entries):
    """Write the boxes of each cell; ``used`` (cells,) counts the entries written."""
    begin, end = np.empty(3, np.int64), np.empty(3, np.int64)
    for entry in range(chosen.shape[0]):
        _cells_of(boxes, chosen[entry], low, scale, size, begin, end)
        for x in range(begin[0], end[0]):
            for y in range(begin[1], end[1]):
                for z in range(begin[2], end[2]):
                    cell = (x * size[1] + y) * size[2] + z
                    entries[starts[cell] + used[cell]] = chosen[entry]
                    used[cell] += 1


@kernel
def _find(boxes_a, boxes_b, chosen, low, scale, size, starts, entries, pairs, counts):
    begin, end = np.empty(3, np.int64), np.empty(3, np.int64)
    found = 0
    for entry in range(chosen.shape[0]):
        j = chosen[entry]
        _cells_of(boxes_b, j, low, scale, size, begin, end)
        for x in range(begin[0], end[0]):
            for y in range(begin[1], end[1]):
                for z in range(begin[2], end[2]):
                    cell = (x * size[1] + y) * size[2] + z
                    for at in range(starts[cell], starts[cell + 1]):
                        i = entries[at]
                        counts[CHECKS] += 1
                        if not boxes_meet(boxes_a, i, boxes_b, j):
                            continue
                        if (
                            cell_of(max(boxes_a[i, 0], boxes_b[j, 0]), low[0], scale[0], size[0] - 1) != x
                            or cell_of(max(boxes_a[i, 1], boxes_b[j, 1]), low[1], scale[1], size[1] - 1) != y
                            or cell_of(max(boxes_a[i, 2], boxes_b[j, 2]), low[2], scale[2], size[2] - 1) != z
                        ):
                            continue
                        if found < pairs.shape[0]:
                            pairs[found, 0], pairs[found, 1] = i, j
                        found += 1
    return found


def _layout(boxes: np.ndarray, chosen: np.ndarray, low: np.ndarray, high: np.ndarray, total: int) -> tuple:
    """Return (cells per metre, cells along each axis): as fine as the boxes and the memory allow."""
    extent = np.where(high - low > NOTHING, high - low, 0.0)
    mean = float((boxes[chosen, 3:] - boxes[chosen, :3]).mean())
    side = max(2.0 * mean, float(extent.max()) / _FINEST)
    while True:
        size = np.ones(3, np.int64) if side == 0.0 else np.floor(extent / side).astype(np.int64) + 1
        scale = size / np.where(extent > 0.0, extent, 1.0)
        if size.max() == 1:
            return scale, size
        few_cells = float(size.prod(dtype=np.float64)) <= _CELLS_EACH * total + 8
        if few_cells and _total(boxes, chosen, low, scale, size) <= _ENTRIES_EACH * len(chosen) + 8:
            return scale, size
        side *= 1.3


def grid_pairs(boxes_a: np.ndarray, boxes_b: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the pairs of closed boxes that meet, by a uniform grid.

    Args:
        boxes_a, boxes_b: lowest and highest corners, (n, 6) and (m, 6) float64.

    Returns:
        pairs (k, 2) int32, each once and in no order; pairs of boxes compared.
    """
    region = common_region(boxes_a, boxes_b)
    if region is None:
        return np.empty((0, 2), np.int32), 0
    chosen_a, chosen_b = within(boxes_a, *region), within(boxes_b, *region)
    if not len(chosen_a) or not len(chosen_b):
        return np.empty((0, 2), np.int32), 0
    low, high = region
    scale, size = _layout(boxes_a, chosen_a, low, high, len(chosen_a) + len(chosen_b))
    cells = int(size.prod())
    starts = np.zeros(cells + 1, np.int64)
    entries = np.empty(_count(boxes_a, chosen_a, low, scale, size, starts), np.int32)
    _fill(boxes_a, chosen_a, low, scale, size, starts, np.zeros(cells, np.int64), entries)
    return all_pairs(
        lambda pairs, counts: _find(boxes_a, boxes_b, chosen_b, low, scale, size, starts, entries, pairs, counts)
    )
