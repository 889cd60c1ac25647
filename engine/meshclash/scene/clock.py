"""Measure the seconds that each stage of a scene query takes."""

import time


class Clock:
    """A stopwatch that adds up the seconds of each stage in ``timings``."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self._begin = self._last = time.perf_counter()

    def stop(self, stage: str) -> None:
        """End a stage: add the seconds since the previous stage ended."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """Seconds since the clock was created."""
        return time.perf_counter() - self._begin
