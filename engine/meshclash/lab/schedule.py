"""The time at which to test a pair of objects again, and a heap of such times.

Source: Lin, "Efficient collision detection for animation and robotics" (1993). A common form of this bound is wrong: it
uses the vector between the centres instead of the distance of points from the axis, and the speed along the line
between the nearest points, which is a bound only for convex objects. The bound in this module is valid for every point
of the objects.
"""

import heapq
import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..messages import a_type, shown
from ..types.copying import Changeable
from ..types.numbers import real_number

_SPARE = 16
"""Number of stale entries that a heap may always have, even with few keys."""


def safe_time(distance: float, speed: float, acceleration: float = 0.0) -> float:
    """Return how long two objects certainly stay apart. If the objects do not approach each other, the result is
    infinite.

    Args:
        distance: the current distance of the objects [m].
        speed: an upper bound of the current speed at which any two points, one of each object, approach [m per unit of
            time]. This bound is the relative speed of the two centres, plus, for each object, its angular speed times
            the distance of its farthest point from its centre, or from the axis of rotation through its centre; it is
            negative if the objects move apart.
        acceleration: an upper bound of the growth of that speed [m per square of the unit of time]. If the objects
            rotate at constant angular speed, this value is the relative acceleration of their centres.

    Raises:
        UnsupportedOption: a number is not finite, or the distance or the acceleration is negative.

    Example:
        >>> import meshclash as mc
        >>> mc.lab.safe_time(distance=3.0, speed=2.0)
        1.5
    """
    d, v, a = real_number(distance), real_number(speed), real_number(acceleration)
    if not (math.isfinite(d) and math.isfinite(v) and math.isfinite(a)) or d < 0.0 or a < 0.0:
        given = f"{shown(distance)}, {shown(speed)} and {shown(acceleration)}"
        raise UnsupportedOption(
            f"distance and acceleration must be finite and at least 0, and speed must be finite, not {given}"
        )
    root = math.hypot(v, math.sqrt(2.0 * a) * math.sqrt(d))  # squares would underflow
    below = v + root  # the other form of the root, (root - v) / a, suffers from cancellation and is undefined for a = 0
    if below > 0.0:
        return 2.0 * d / below
    return -2.0 * v / a if a > 0.0 else math.inf


def relative_speed(
    velocity_a: np.ndarray, turning_a: float, reach_a: float, velocity_b: np.ndarray, turning_b: float, reach_b: float
) -> float:
    """Return the argument ``speed`` of ``safe_time``.

    Args:
        velocity_a, velocity_b: velocities of the centres, (3,).
        turning_a, turning_b: angular speeds.
        reach_a, reach_b: distances of the farthest points from the centres, or from the axes through the centres.
    """
    return float(np.linalg.norm(np.subtract(velocity_b, velocity_a))) + turning_a * reach_a + turning_b * reach_b


class WakeUps(Changeable):
    """A priority queue of keys, ordered by time. If you set the time of a key again, the new time replaces the
    old one.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Hashable]] = []
        self._moments: dict[Hashable, tuple[float, int]] = {}
        self._count = 0

    def _shared_things(self) -> Iterable[object]:
        return self._moments

    def __len__(self) -> int:
        return len(self._moments)

    def set(self, key: Hashable, moment: float) -> None:
        """Set the time of a key. If the key already has a time, the new time replaces it.

        Raises:
            UnsupportedOption: the time is not a number, or the key cannot be hashed.
        """
        time = _moment("moment", moment)
        self._count += 1
        self._moments[_hashable(key)] = time, self._count
        heapq.heappush(self._heap, (time, self._count, key))
        self._bound()

    def forget(self, key: Hashable) -> None:
        """Remove a key if the queue contains it. If the key cannot be hashed, the method raises UnsupportedOption."""
        self._moments.pop(_hashable(key), None)
        self._bound()

    @property
    def next_moment(self) -> float:
        """The earliest time in the queue. If the queue is empty, the time is infinite."""
        self._drop_stale()
        return self._heap[0][0] if self._heap else math.inf

    def take_due(self, now: float) -> list[Hashable]:
        """Remove all keys whose time has come, and return them, the earliest first.

        Raises:
            UnsupportedOption: ``now`` is not a number.
        """
        due, now = [], _moment("now", now)
        while self.next_moment <= now and self._heap:
            key = heapq.heappop(self._heap)[2]
            del self._moments[key]
            due.append(key)
        return due

    def _drop_stale(self) -> None:
        """Remove entries from the top that were replaced or forgotten."""
        while self._heap and self._moments.get(self._heap[0][2]) != self._heap[0][:2]:
            heapq.heappop(self._heap)

    def _bound(self) -> None:
        """Limit the heap to two entries per key plus ``_SPARE``, since replaced entries may never come to the top."""
        if len(self._heap) > 2 * len(self._moments) + _SPARE:
            self._heap = [(time, count, key) for key, (time, count) in self._moments.items()]
            heapq.heapify(self._heap)


def _moment(name: str, value: Any) -> float:
    time = real_number(value)
    if math.isnan(time):
        raise UnsupportedOption(f"{name} must be a number, not {shown(value)}")
    return time


def _hashable(key: Any) -> Any:
    try:
        hash(key)
    except TypeError:
        raise UnsupportedOption(f"key must be hashable, not {a_type(key)}") from None
    return key
