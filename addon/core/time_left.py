"""Estimate how long a task still takes, from how fast its progress was."""

from __future__ import annotations

from collections import deque

TELL_AFTER = 2.0
"""Seconds of work from which on the time left is told."""
WINDOW = 5.0
"""Seconds over which the speed is measured; of a long task, half of the time so far."""
LEAST = 0.005
"""Progress from which on a speed can be measured."""


class TimeLeft:
    """The time left of one task.

    Args:
        started: the time at which it begins [s], of any clock.
    """

    def __init__(self, started: float) -> None:
        self._started = started
        self._seen = deque([(started, 0.0)])

    def note(self, now: float, fraction: float) -> None:
        """Take note of the progress, 0 to 1."""
        self._seen.append((now, fraction))
        begin = now - max(WINDOW, 0.5 * (now - self._started))
        while len(self._seen) > 2 and self._seen[1][0] <= begin:
            self._seen.popleft()

    @property
    def seconds(self) -> float | None:
        """The time left [s]; None while it is unknown."""
        (begin, low), (now, high) = self._seen[0], self._seen[-1]
        if now - self._started < TELL_AFTER or high - low < LEAST or high >= 1.0:
            return None
        return (1.0 - high) * (now - begin) / (high - low)
