"""The poses, extents and motions of all objects of a scene as columns, so that many are read and written at once."""

import math

import numpy as np

from ..jit import kernel
from ..types.copying import Copyable

_UP = 1.0 + 2.0**-48
"""Factor that covers the rounding errors of the length of a motion and of the sum of motions."""
_LEAST_SQUARE = 1e-280
"""Smaller squares may have lost digits by underflow."""
ROUNDING = 2.0**-40
"""Generous bound of the rounding error of world coordinates, distances and motions, relative to the coordinates."""


class PoseTable(Copyable):
    """Columns with a row for each object, in numbered slots. Slots are reused after ``give_back``.

    Attributes:
        rows: the pose in each slot, (m, 3, 4) float64.
        revisions: number of changes of the object in each slot, (m,) int64.
        shapes: a number of the shape in each slot, (m,) int64. An object that is added or deformed gets a new slot,
            which no other object of the scene ever has.
        bounds: bounds of the object in its own coordinates, (m, 2, 3) float64 [m].
        radii: largest distance of each object's vertices from the centre of its bounds, (m,) float64 [m]; infinite if
            unknown.
        resolutions: resolution of its world coordinates, (m,) float64 [m].
        ways: a bound of how far any point of the object has moved in total, (m,) float64 [m]; see ``travel``.
        spares: a bound of the rounding error of the object's world coordinates, (m,) float64 [m].
    """

    def __init__(self) -> None:
        self.rows, self.revisions = np.zeros((4, 3, 4)), np.zeros(4, np.int64)
        self.shapes, self._shapes_so_far = np.zeros(4, np.int64), 0
        self.bounds, self.radii, self.resolutions = np.zeros((4, 2, 3)), np.full(4, np.inf), np.zeros(4)
        self.ways, self.spares, self._seen = np.zeros(4), np.zeros(4), np.zeros((4, 3, 4))
        self._free = [3, 2, 1, 0]

    def take(self, rows: np.ndarray) -> int:
        """Reserve a slot for a pose (3, 4) with revision 0, and return the slot."""
        if not self._free:
            count = len(self.rows)
            for name in _COLUMNS:
                column = getattr(self, name)
                setattr(self, name, np.concatenate([column, np.zeros_like(column)]))
            self._free = list(range(2 * count - 1, count - 1, -1))
        slot = self._free.pop()
        self.rows[slot], self.revisions[slot] = rows, 0
        return slot

    def give_back(self, slot: int) -> None:
        """Release a slot."""
        self._free.append(slot)

    def set_shape(self, slot: int, bounds: np.ndarray, radius: float) -> None:
        """Store the extent of a new or deformed object. Earlier motions of the object's points are not known."""
        self._shapes_so_far += 1
        self.shapes[slot], self.bounds[slot], self.radii[slot] = self._shapes_so_far, bounds, radius
        self.ways[slot], self._seen[slot] = 0.0, np.nan  # differs from any pose

    def travel(self, slots: np.ndarray) -> None:
        """Add the distances that the objects in the slots (n,) have moved since the last call to ``ways``."""
        _travel(slots, self.rows, self._seen, self.bounds, self.ways, self.spares)


_COLUMNS = (
    "rows", "revisions", "shapes", "bounds", "radii", "resolutions", "ways", "spares", "_seen",
)  # fmt: skip


@kernel
def _travel(slots, rows, seen, bounds, ways, spares):
    """Add the motion of the corner of each box that moves farthest, rounded up; ``seen`` is set to ``rows``.

    The length of a point's motion is convex in its coordinates, for every affine motion. So no point of a box moves
    farther than the corner that moves farthest, for any affine motion.
    """
    for slot in slots:
        now, before = rows[slot], seen[slot]
        same = True
        for k in range(3):
            for j in range(4):
                same &= now[k, j] == before[k, j]
        if same:
            continue
        most, error, size = 0.0, 0.0, 0.0
        for k in range(3):
            extent = abs(now[k, 3])
            for j in range(3):
                extent += abs(now[k, j]) * max(abs(bounds[slot, 0, j]), abs(bounds[slot, 1, j]))
            size = max(size, extent)
        if before[0, 0] == before[0, 0]:  # not NaN: it has been seen before
            for corner in range(8):
                x = bounds[slot, corner & 1, 0]
                y = bounds[slot, (corner >> 1) & 1, 1]
                z = bounds[slot, corner >> 2, 2]
                square = 0.0
                for k in range(3):
                    a = (now[k, 0] - before[k, 0]) * x
                    b = (now[k, 1] - before[k, 1]) * y
                    c = (now[k, 2] - before[k, 2]) * z
                    d = now[k, 3] - before[k, 3]
                    way = a + b + c + d
                    square += way * way
                    error = max(error, abs(a) + abs(b) + abs(c) + abs(d))
                most = max(most, square)
            length = math.sqrt(most) if most > _LEAST_SQUARE else 2.0 * error
            ways[slot] = (ways[slot] + (_UP * length + 2.0**-48 * error)) * (1.0 + 2.0**-52)
        spares[slot] = ROUNDING * size
        seen[slot] = now
