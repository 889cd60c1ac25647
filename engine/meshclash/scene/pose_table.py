"""The poses of all objects of a scene in one array, so that many of them can be read and written at once."""

import numpy as np

from ..types.copying import Copyable


class PoseTable(Copyable):
    """Poses and revisions in numbered slots. Slots are reused after ``give_back``.

    Attributes:
        rows: the pose in each slot, (m, 3, 4) float64.
        revisions: how often the object of each slot has changed, (m,) int64.
    """

    def __init__(self) -> None:
        self.rows = np.zeros((4, 3, 4))
        self.revisions = np.zeros(4, np.int64)
        self._free = [3, 2, 1, 0]

    def take(self, rows: np.ndarray) -> int:
        """Reserve a slot for a pose (3, 4) with revision 0, and return the slot."""
        if not self._free:
            count = len(self.rows)
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
            self.revisions = np.concatenate([self.revisions, np.zeros_like(self.revisions)])
            self._free = list(range(2 * count - 1, count - 1, -1))
        slot = self._free.pop()
        self.rows[slot], self.revisions[slot] = rows, 0
        return slot

    def give_back(self, slot: int) -> None:
        """Release a slot."""
        self._free.append(slot)
