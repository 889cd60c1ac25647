"""Generators of progress values as parts of a longer job, run slice by slice."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from .frame_scene import Progress

T = TypeVar("T")
Items = TypeVar("Items", Sequence[Any], np.ndarray)


class TimeSlice:
    """The steps that one call runs.

    Args:
        seconds: how long they may take.

    Attributes:
        end: when that is over, by the performance counter.
        spent: seconds up to the last step.
    """

    def __init__(self, seconds: float) -> None:
        self._started = self._before = time.perf_counter()
        self.end = self._started + seconds
        self.spent = 0.0

    def is_full(self) -> bool:
        """After a step: whether another one as long would not fit."""
        now = time.perf_counter()
        last, self._before, self.spent = now - self._before, now, now - self._started
        return now + last > self.end


def within(steps: Generator[Any, None, T], low: float, high: float, prefix: str = "") -> Generator[Progress, None, T]:
    """Runs `steps` as the part of a longer job from `low` to `high`."""
    try:
        while True:
            progress = next(steps)
            yield Progress(low + (high - low) * progress.fraction, prefix + progress.text)
    except StopIteration as done:
        return done.value
    finally:
        steps.close()


def telling(steps: Generator[Any, None, T], progress: Progress) -> Generator[Progress, None, T]:
    """Runs `steps`, each of which shows the same progress."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value
        yield progress


def portions(items: Items, size: int) -> Iterator[Items]:
    """The items of a list or an array, so many at a time."""
    return (items[begin : begin + size] for begin in range(0, len(items), size))
