"""Sweep and prune over world boxes: sort along one axis, compare neighbours on the other two.

Source: Cohen, Lin, Manocha, Ponamgi, "I-COLLIDE" (1995), reduced to one sorted axis; boxes are closed, so touching
ones are pairs. The axis is the one along which the boxes' middles spread most.
"""

import numpy as np

from ..jit import kernel


@kernel
def _sweep(boxes, order, axis, in_a, in_b, pairs):
    """Write overlapping pairs with one object in each set; returns how many there are, also beyond the capacity."""
    other1 = (axis + 1) % 3
    other2 = (axis + 2) % 3
    found = 0
    for s in range(order.shape[0]):
        i = order[s]
        highest = boxes[i, axis + 3]
        for r in range(s + 1, order.shape[0]):
            j = order[r]
            if boxes[j, axis] > highest:
                break
            if not ((in_a[i] and in_b[j]) or (in_a[j] and in_b[i])):
                continue
            if boxes[i, other1] > boxes[j, other1 + 3] or boxes[j, other1] > boxes[i, other1 + 3]:
                continue
            if boxes[i, other2] > boxes[j, other2 + 3] or boxes[j, other2] > boxes[i, other2 + 3]:
                continue
            if found < pairs.shape[0]:
                pairs[found, 0] = min(i, j)
                pairs[found, 1] = max(i, j)
            found += 1
    return found


def overlapping_pairs(boxes: np.ndarray, in_a: np.ndarray, in_b: np.ndarray) -> np.ndarray:
    """Pairs i < j of boxes that overlap, one from each set.

    Args:
        boxes: lowest and highest corner of each object, (n, 6) float64 [m].
        in_a, in_b: whether an object belongs to the set, (n,) bool; an object may be in both.

    Returns:
        (k, 2) int64, sorted.
    """
    middles = 0.5 * boxes[:, :3] + 0.5 * boxes[:, 3:]
    axis = int(np.argmax(middles.std(axis=0)))
    order = np.argsort(boxes[:, axis], kind="stable")
    pairs = np.empty((4 * len(boxes) + 16, 2), np.int64)
    found = _sweep(boxes, order, axis, in_a, in_b, pairs)
    if found > len(pairs):
        pairs = np.empty((found, 2), np.int64)
        _sweep(boxes, order, axis, in_a, in_b, pairs)
    pairs = pairs[:found]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def world_boxes(bounds: np.ndarray, rows: np.ndarray, margin: float) -> np.ndarray:
    """Boxes (n, 6) [m] that contain objects with ``bounds`` (n, 2, 3) in poses ``rows`` (n, 3, 4), rounded outward."""
    middle = 0.5 * bounds[:, 0] + 0.5 * bounds[:, 1]
    half = 0.5 * (bounds[:, 1] - bounds[:, 0])
    absolute = np.abs(rows[:, :, :3])
    centre = np.einsum("nij,nj->ni", rows[:, :, :3], middle) + rows[:, :, 3]
    reach = np.einsum("nij,nj->ni", absolute, np.abs(bounds).max(axis=1)) + np.abs(rows[:, :, 3])
    extent = np.einsum("nij,nj->ni", absolute, half) + 64.0 * 2.0**-53 * reach + margin
    return np.hstack([centre - extent, centre + extent])
