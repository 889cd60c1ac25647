"""Seconds per stage of a question to a scene."""

import time


class Clock:
    """Seconds per stage."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self._begin = self._last = time.perf_counter()

    def stop(self, stage: str) -> None:
        """Give a stage the seconds since the last one ended."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """Seconds since the clock was made."""
        return time.perf_counter() - self._begin
