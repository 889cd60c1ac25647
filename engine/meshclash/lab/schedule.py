"""When to look at a pair of objects again, and a heap of such moments.

Source: Lin, "Efficient collision detection for animation and robotics" (1993). A common form of its bound is none: it
takes the vector between the centres for how far points are from an axis, and the speed along the way between the
nearest points, which is a bound for convex objects only. Here no point counts as slower than it may be.
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
"""Entries of a heap that may be stale, however few keys there are."""


def safe_time(distance: float, speed: float, acceleration: float = 0.0) -> float:
    """Return how long two objects certainly stay apart; infinite if they do not approach.

    Args:
        distance: of the objects now [m].
        speed: no two points, one of each object, approach faster now [m per unit of time]: the relative speed of the
            centres, and for each object its angular speed times the distance of its farthest point from the centre, or
            from the axis through it. Negative where they move apart.
        acceleration: by no more does that speed grow [m per square of the unit of time]: the relative acceleration of
            the centres, where objects turn evenly.

    Raises:
        UnsupportedOption: numbers that are not finite, a distance or an acceleration below 0.

    Example:
        >>> import meshclash as mc
        >>> mc.lab.safe_time(distance=3.0, speed=2.0)
        1.5
    """
    d, v, a = real_number(distance), real_number(speed), real_number(acceleration)
    if not (math.isfinite(d) and math.isfinite(v) and math.isfinite(a)) or d < 0.0 or a < 0.0:
        given = f"{shown(distance)}, {shown(speed)} and {shown(acceleration)}"
        raise UnsupportedOption(f"distance and acceleration must be finite and not negative, speed finite, not {given}")
    root = math.hypot(v, math.sqrt(2.0 * a) * math.sqrt(d))  # squares would underflow
    below = v + root  # the other form of the root, (root - v) / a, cancels and has no value for a = 0
    if below > 0.0:
        return 2.0 * d / below
    return -2.0 * v / a if a > 0.0 else math.inf


def relative_speed(
    velocity_a: np.ndarray, turning_a: float, reach_a: float, velocity_b: np.ndarray, turning_b: float, reach_b: float
) -> float:
    """The ``speed`` of ``safe_time``: velocities (3,) of the centres, angular speeds, and how far points are off."""
    return float(np.linalg.norm(np.subtract(velocity_b, velocity_a))) + turning_a * reach_a + turning_b * reach_b


class WakeUps(Changeable):
    """A priority queue of keys by their moments; each key has one moment, the last one that was set."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Hashable]] = []
        self._moments: dict[Hashable, tuple[float, int]] = {}
        self._count = 0

    def _shared_things(self) -> Iterable[object]:
        return self._moments

    def __len__(self) -> int:
        return len(self._moments)

    def set(self, key: Hashable, moment: float) -> None:
        """Set the moment of a key; it replaces an earlier one.

        Raises:
            UnsupportedOption: a moment that is no number, a key that cannot be hashed.
        """
        time = _moment("moment", moment)
        self._count += 1
        self._moments[_hashable(key)] = time, self._count
        heapq.heappush(self._heap, (time, self._count, key))
        self._bound()

    def forget(self, key: Hashable) -> None:
        """Remove a key, if it is there; raises UnsupportedOption if it cannot be hashed."""
        self._moments.pop(_hashable(key), None)
        self._bound()

    @property
    def next_moment(self) -> float:
        """The earliest moment; infinite if there is none."""
        self._drop_stale()
        return self._heap[0][0] if self._heap else math.inf

    def take_due(self, now: float) -> list[Hashable]:
        """Remove and return all keys whose moment has come, the earliest first; raises UnsupportedOption."""
        due, now = [], _moment("now", now)
        while self.next_moment <= now and self._heap:
            key = heapq.heappop(self._heap)[2]
            del self._moments[key]
            due.append(key)
        return due

    def _drop_stale(self) -> None:
        """Take entries off the top that were replaced or forgotten."""
        while self._heap and self._moments.get(self._heap[0][2]) != self._heap[0][:2]:
            heapq.heappop(self._heap)

    def _bound(self) -> None:
        """Keep no more than two entries for each key, and a few: what was replaced may never come to the top."""
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
        raise UnsupportedOption(f"key must be something that can be hashed, not {a_type(key)}") from None
    return key
