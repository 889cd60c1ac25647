"""The poses of all objects of a scene in one array, so that many of them are read and written at once."""

import numpy as np

from ..types.copying import Copyable


class PoseTable(Copyable):
    """Poses and revisions by slots; a slot that is given back is given out again.

    Attributes:
        rows: (m, 3, 4) float64, one for each slot.
        revisions: (m,) int64: how often each was written.
    """

    def __init__(self) -> None:
        self.rows = np.zeros((4, 3, 4))
        self.revisions = np.zeros(4, np.int64)
        self._free = [3, 2, 1, 0]

    def take(self, rows: np.ndarray) -> int:
        """A slot with a pose (3, 4), revision 0."""
        if not self._free:
            count = len(self.rows)
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
            self.revisions = np.concatenate([self.revisions, np.zeros_like(self.revisions)])
            self._free = list(range(2 * count - 1, count - 1, -1))
        slot = self._free.pop()
        self.rows[slot], self.revisions[slot] = rows, 0
        return slot

    def give_back(self, slot: int) -> None:
        """Let another object have a slot."""
        self._free.append(slot)
