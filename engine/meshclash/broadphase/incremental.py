"""Incremental sweep and prune: find from frame to frame which boxes begin and which cease to overlap.

Source: Cohen, Lin, Manocha, Ponamgi, "I-COLLIDE" (1995). The begins and ends of all boxes are kept sorted along three
axes. If boxes moved only a little, insertion sort needs few swaps. When a begin moves down past an end, the pair may
be new; when an end moves down past a begin, the pair may have ended. Boxes are closed: at equal coordinates begins
come before ends.

The paper keeps three bits for each pair. This implementation compares the boxes of the last and of the current frame
instead. If the ends of two boxes have changed places along an axis, the pair is new if the boxes overlap now, and was a
pair if they overlapped before. So no table of the pairs that overlap along a single axis is needed, which would be huge
in crowded scenes.

When many ends move far (teleports, a first frame, many new boxes), insertion sort would need too many swaps. After a
bounded number of swaps, all boxes are sorted anew, and the old and new sets of pairs are compared.
"""

from typing import NamedTuple

import numpy as np

from ..errors import UnsupportedOption
from ..jit import inner, kernel
from ..types.copying import Changeable
from ..types.numbers import float_array, whole_numbers
from .sweep import overlapping_pairs

_SWAPS_PER_BOX = 48
"""If more swaps per box are needed, sorting all boxes anew is faster."""
_FIRST_CAPACITY = 256
_SORT_ANEW, _FULL = -1, -2
_NOWHERE = np.full(6, np.nan)
"""The former box of a new object, which overlaps no box, not even an infinite one."""


class PairChanges(NamedTuple):
    """The pairs of boxes that changed in a frame. Each array contains pairs of ids, (k, 2) int64. The pairs are sorted,
    and each pair starts with the lower id.
    """

    begun: np.ndarray
    ended: np.ndarray
    """Includes pairs with a removed box."""


@inner
def _overlap(boxes, i, j):
    """Return whether two closed boxes have a common point."""
    p, q = boxes[i], boxes[j]
    x = p[0] <= q[3] and q[0] <= p[3]
    return x and p[1] <= q[4] and q[1] <= p[4] and p[2] <= q[5] and q[2] <= p[5]


@inner
def _note(events, count, i, j):
    """Append a pair if it fits; return the number of pairs, which also counts pairs that did not fit."""
    if count < events.shape[0]:
        events[count, 0], events[count, 1] = min(i, j), max(i, j)
    return count + 1


@kernel
def _insert(orders, keys, before, now, begun, ended, counts, most):
    """Sort the ends along three axes by insertion.

    Args:
        orders: 2 * box + (1 for an end), in the order of the last frame, (3, 2 n) int64; sorted in place.
        keys: scratch, (2 n,).
        before, now: boxes of both frames, (n, 6).
        begun, ended: output: pairs of boxes; a pair may appear up to three times.
        counts: output: number of pairs in both, (2,) int64; may exceed the room.
        most: maximum number of swaps.

    Returns:
        The number of swaps, or ``_SORT_ANEW`` if there were too many.
    """
    swaps = 0
    counts[:] = 0
    for axis in range(3):
        order = orders[axis]
        for s in range(order.shape[0]):
            keys[s] = now[order[s] >> 1, axis + 3 * (order[s] & 1)]
        for s in range(1, order.shape[0]):
            code, key = order[s], keys[s]
            is_end = code & 1
            r = s - 1
            while r >= 0 and (keys[r] > key or (keys[r] == key and (order[r] & 1) > is_end)):
                other = order[r]
                if is_end != (other & 1):
                    i, j = code >> 1, other >> 1
                    if is_end == 0:
                        if _overlap(now, i, j):
                            counts[0] = _note(begun, counts[0], i, j)
                    elif _overlap(before, i, j):
                        counts[1] = _note(ended, counts[1], i, j)
                order[r + 1], keys[r + 1] = other, keys[r]
                r -= 1
                swaps += 1
            order[r + 1], keys[r + 1] = code, key
            if swaps > most:
                return _SORT_ANEW
    return swaps


class SweepAndPrune(Changeable):
    """Keeps the list of overlapping pairs of boxes up to date while the boxes move from frame to frame.

    Attributes:
        swaps: number of swaps during the last update; 0 if the update sorted all boxes from scratch.
        sorted_anew: whether the last update sorted all boxes from scratch.
    """

    def __init__(self) -> None:
        self._ids = np.empty(0, np.int64)
        self._boxes = np.empty((0, 6))
        self._orders = np.empty((3, 0), np.int64)
        self._keys = np.empty(0, np.int64)
        self.swaps, self.sorted_anew = 0, False

    @property
    def pairs(self) -> np.ndarray:
        """The ids of each pair of boxes that overlap, (k, 2) int64. The pairs are sorted, and each pair starts with the
        lower id.
        """
        return _pairs(self._keys)

    def update(self, ids: np.ndarray, boxes: np.ndarray) -> PairChanges:
        """Set the boxes of a new frame and return the changes.

        Args:
            ids: ids of all current boxes, (n,) int64 from 0 to 2**31 - 1, ascending; a box whose id is missing now is
                removed.
            boxes: lowest and highest corner of each box, (n, 6) float64 [m]; infinite values are allowed.

        Raises:
            UnsupportedOption: the arguments are not numbers; the ids are not ascending or out of range; the boxes have
                a wrong shape, contain NaN, or have a lowest corner above the highest.
        """
        ids, boxes = _checked(ids, boxes)
        gone = self._renumber(ids, boxes)
        begun, ended = self._sorted(boxes)
        self._boxes = boxes
        ended = np.union1d(gone, ended)
        self._keys = np.union1d(np.setdiff1d(self._keys, ended, assume_unique=True), begun)
        return PairChanges(_pairs(begun), _pairs(ended))

    def _renumber(self, ids: np.ndarray, boxes: np.ndarray) -> np.ndarray:
        """Remove missing boxes and append new ones; return the keys of the pairs that are gone."""
        if np.array_equal(ids, self._ids):
            return np.empty(0, np.int64)
        stays = np.isin(self._ids, ids, assume_unique=True)
        place = np.searchsorted(ids, self._ids)
        known = np.isin(ids, self._ids, assume_unique=True)
        codes = self._orders
        kept = [2 * place[row[stays[row >> 1]] >> 1] + (row[stays[row >> 1]] & 1) for row in codes]
        new = np.flatnonzero(~known)
        added = np.stack([2 * new, 2 * new + 1], axis=1).ravel()
        self._orders = np.stack([np.concatenate([row, added]) for row in kept])
        before = np.tile(_NOWHERE, (len(ids), 1))
        before[known] = self._boxes[stays]
        lost = self._ids[~stays]
        gone = self._keys[np.isin(_pairs(self._keys), lost).any(axis=1)] if len(lost) else np.empty(0, np.int64)
        self._keys = np.setdiff1d(self._keys, gone, assume_unique=True)
        self._ids, self._boxes = ids, before
        return gone

    def _sorted(self, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sort the ends of a frame; return the keys of the pairs that begin and that end."""
        room, most = _FIRST_CAPACITY, _SWAPS_PER_BOX * len(boxes) + _FIRST_CAPACITY
        known = self._orders
        while True:
            orders = known.copy()
            begun, ended = (np.empty((room, 2), np.int64) for _ in range(2))
            counts = np.empty(2, np.int64)
            swaps = _insert(orders, np.empty(orders.shape[1]), self._boxes, boxes, begun, ended, counts, most)
            if swaps == _SORT_ANEW:
                return self._anew(boxes)
            if counts.max() <= room:
                break
            room = int(counts.max())
        self._orders, self.swaps, self.sorted_anew = orders, swaps, False
        return self._key(begun[: counts[0]]), self._key(ended[: counts[1]])

    def _anew(self, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.swaps, self.sorted_anew = 0, True
        everyone = np.ones(len(boxes), np.bool_)
        is_end = np.tile([0, 1], len(boxes))
        for axis in range(3):
            self._orders[axis] = np.lexsort((is_end, boxes[:, [axis, axis + 3]].ravel()))
        found = self._key(overlapping_pairs(boxes, everyone, everyone))
        return np.setdiff1d(found, self._keys, assume_unique=True), np.setdiff1d(self._keys, found, assume_unique=True)

    def _key(self, places: np.ndarray) -> np.ndarray:
        """Return a number for each different pair of boxes, sorted."""
        return np.unique((self._ids[places[:, 0]] << 32) + self._ids[places[:, 1]])


def _pairs(keys: np.ndarray) -> np.ndarray:
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)


def _checked(ids: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ids, boxes = whole_numbers("ids", ids), float_array("boxes", boxes, UnsupportedOption)
    if ids.ndim != 1 or boxes.shape != (len(ids), 6):
        raise UnsupportedOption(f"boxes have shape (n, 6) and ids (n,), not {boxes.shape} and {ids.shape}")
    if len(ids) and (ids[0] < 0 or ids[-1] >= 2**31 or (np.diff(ids) <= 0).any()):
        raise UnsupportedOption("ids must be in ascending order, at least 0 and below 2**31")
    upside_down = ~(boxes[:, :3] <= boxes[:, 3:]).all(axis=1)  # NaN compares false
    if upside_down.any():
        raise UnsupportedOption(
            f"box {ids[upside_down][0]} has its lowest corner above its highest corner, or NaN coordinates"
        )
    return ids, boxes
