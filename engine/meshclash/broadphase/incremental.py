"""Sweep and prune that goes on from frame to frame: which boxes begin to overlap, and which end.

Source: Cohen, Lin, Manocha, Ponamgi, "I-COLLIDE" (1995). The ends of all boxes are kept sorted along three axes. A
frame that moves boxes a little is sorted by insertion, in as many swaps as ends changed places; a begin that passes an
end on its way down may be a new pair, an end that passes a begin the end of one. Boxes are closed: at equal
coordinates begins come before ends.

Where the paper keeps three bits for each pair, the boxes of the last frame and of this one say as much: two boxes whose
ends have changed places along some axis are a new pair if they overlap now, and were one if they overlapped before. No
table of pairs that overlap along one axis only is needed, of which crowded scenes have very many.

When many ends have far to go (teleports, a first frame, many new boxes), insertion would take too many swaps; after a
bounded number of them everything is sorted anew, and both sets of pairs are compared.
"""

from typing import NamedTuple

import numpy as np

from ..errors import UnsupportedOption
from ..jit import inner, kernel
from ..types.copying import Changeable
from ..types.numbers import float_array, whole_numbers
from .sweep import overlapping_pairs

_SWAPS_PER_BOX = 48
"""More swaps than this take longer than sorting anew."""
_FIRST_CAPACITY = 256
_SORT_ANEW, _FULL = -1, -2
_NOWHERE = np.full(6, np.nan)
"""The box of what was not there: it overlaps nothing, also no box without end."""


class PairChanges(NamedTuple):
    """The changes of a frame; pairs of ids, (k, 2) int64, the lower one first, sorted."""

    begun: np.ndarray
    ended: np.ndarray
    """Also pairs of which a box was removed."""


@inner
def _overlap(boxes, i, j):
    """Whether two closed boxes have a point in common."""
    p, q = boxes[i], boxes[j]
    x = p[0] <= q[3] and q[0] <= p[3]
    return x and p[1] <= q[4] and q[1] <= p[4] and p[2] <= q[5] and q[2] <= p[5]


@inner
def _note(events, count, i, j):
    """Write a pair down while there is room; returns how many there are."""
    if count < events.shape[0]:
        events[count, 0], events[count, 1] = min(i, j), max(i, j)
    return count + 1


@kernel
def _insert(orders, keys, before, now, begun, ended, counts, most):
    """Sort the ends along three axes by insertion.

    Args:
        orders: 2 * box + (1 for an end), sorted as the last frame had them, (3, 2 n) int64.
        keys: scratch, (2 n,).
        before, now: boxes of both frames, (n, 6).
        begun, ended: take pairs of boxes, some of them up to three times.
        counts: how many, (2,) int64, also beyond the room.
        most: swaps.

    Returns:
        Swaps, or ``_SORT_ANEW``.
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
    """Overlapping pairs of boxes, kept up to date from frame to frame.

    Attributes:
        swaps: of the last update; 0 where it sorted anew.
        sorted_anew: whether it did.
    """

    def __init__(self) -> None:
        self._ids = np.empty(0, np.int64)
        self._boxes = np.empty((0, 6))
        self._orders = np.empty((3, 0), np.int64)
        self._keys = np.empty(0, np.int64)
        self.swaps, self.sorted_anew = 0, False

    @property
    def pairs(self) -> np.ndarray:
        """Ids of boxes that overlap, (k, 2) int64, the lower one first, sorted."""
        return _pairs(self._keys)

    def update(self, ids: np.ndarray, boxes: np.ndarray) -> PairChanges:
        """Set the boxes of a new frame and return the changes.

        Args:
            ids: of all boxes that there are now, (n,) int64 from 0 below 2**31, ascending; what is missing was removed.
            boxes: lowest and highest corner of each, (n, 6) float64 [m]; infinite where a box has no end.

        Raises:
            UnsupportedOption: no numbers; ids that do not rise or are out of range; boxes of another shape, upside
            down or NaN.
        """
        ids, boxes = _checked(ids, boxes)
        gone = self._renumber(ids, boxes)
        begun, ended = self._sorted(boxes)
        self._boxes = boxes
        ended = np.union1d(gone, ended)
        self._keys = np.union1d(np.setdiff1d(self._keys, ended, assume_unique=True), begun)
        return PairChanges(_pairs(begun), _pairs(ended))

    def _renumber(self, ids: np.ndarray, boxes: np.ndarray) -> np.ndarray:
        """Take out boxes that are gone and put new ones behind all others; returns keys of pairs that are gone."""
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
        """Sort the ends of a frame; returns keys of pairs that begin and end."""
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
        """One number for each pair of boxes, sorted, once."""
        return np.unique((self._ids[places[:, 0]] << 32) + self._ids[places[:, 1]])


def _pairs(keys: np.ndarray) -> np.ndarray:
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)


def _checked(ids: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ids, boxes = whole_numbers("ids", ids), float_array("boxes", boxes, UnsupportedOption)
    if ids.ndim != 1 or boxes.shape != (len(ids), 6):
        raise UnsupportedOption(f"boxes have shape (n, 6) and ids (n,), not {boxes.shape} and {ids.shape}")
    if len(ids) and (ids[0] < 0 or ids[-1] >= 2**31 or (np.diff(ids) <= 0).any()):
        raise UnsupportedOption("ids must rise, from 0 on and below 2**31")
    upside_down = ~(boxes[:, :3] <= boxes[:, 3:]).all(axis=1)  # NaN compares false
    if upside_down.any():
        raise UnsupportedOption(f"box {ids[upside_down][0]} is upside down, or has coordinates that are NaN")
    return ids, boxes
