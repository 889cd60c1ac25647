"""Run a generator in short slices, for modal operators, background mode and tests."""

from __future__ import annotations

import gc
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from meshclash.messages import capital
from meshclash.types.slices import TimeSlice

from ..core.time_left import TimeLeft

SLICE_SECONDS = 0.03  # the interface stays responsive, and ESC is noticed at once
LONGEST_SLICE = 0.4  # used if redraws are slow
LEFT = " left"  # in the English texts of stages that estimate their own time
DRAWING_PART = 1.0 / 3.0  # largest share of time for redraws


def slice_after(waited: float) -> float:
    """Return the length of the next slice, so that redraws take at most a third of the time.

    Args:
        waited: seconds since the last slice ended; Blender redraws the window before it calls the next slice.
    """
    return min(max(SLICE_SECONDS, waited * (1.0 - DRAWING_PART) / DRAWING_PART), LONGEST_SLICE)


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable garbage collection inside the block, because it would take half of the time when a million objects are
    created.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class Task:
    """Runs a generator of progress values in slices.

    Args:
        steps: yields objects with `.fraction` (0 to 1) and `.text`; its return value becomes `result`.
    """

    def __init__(self, steps: Generator[Any, None, Any]) -> None:
        self._steps = steps
        self.fraction = 0.0
        self.text = "Starting"
        self.slice_seconds = SLICE_SECONDS
        self._left = TimeLeft(time.perf_counter())
        self.result: Any = None
        self.finished = False
        self.stopped_because: str | None = None

    def run_slice(self, seconds: float | None = None) -> bool:
        """Run at least one step, and further steps as long as a step as long as the last one fits into the time.

        The time limit is `seconds`, or `slice_seconds` if `seconds` is None.

        Errors of the steps pass through.

        Returns:
            Whether the task has ended.
        """
        piece = TimeSlice(self.slice_seconds if seconds is None else seconds)
        with uncollected():
            while not self.ended:
                try:
                    progress = next(self._steps)
                except StopIteration as done:
                    self.result, self.finished, self.fraction = done.value, True, 1.0
                    break
                self.fraction = min(max(progress.fraction, 0.0), 1.0)
                self.text = capital(progress.text)
                if piece.is_full():
                    break
        self._left.note(time.perf_counter(), self.fraction)
        return self.ended

    @property
    def seconds_left(self) -> float | None:
        """The time that the task still takes [s]; None while that is unknown, or where its text says it."""
        return None if LEFT in self.text else self._left.seconds

    def run(self) -> Any:
        """Run to the end, and return the result."""
        while not self.run_slice(seconds=1.0):
            pass
        return self.result

    @property
    def ended(self) -> bool:
        """Whether the task is finished or closed."""
        return self.finished or self.stopped_because is not None

    def close(self, reason: str = "") -> None:
        """Close the generator (its `finally` blocks run now); does nothing after the end."""
        if not self.ended:
            self.stopped_because = reason
            self._steps.close()
