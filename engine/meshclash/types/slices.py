"""Long work in pieces: when a generator should let others go on, and how much one call runs."""

import time
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

_Items = TypeVar("_Items", Sequence[Any], np.ndarray)

SLICE_SECONDS = 0.005
"""How long a piece of work takes: part of what an interface may wait, so that its caller keeps to a budget."""


class Slice:
    """One piece of work, from its making on; after a yield the next one is made."""

    __slots__ = ("_end",)

    def __init__(self) -> None:
        self._end = time.perf_counter() + SLICE_SECONDS

    @property
    def over(self) -> bool:
        """Whether it has taken long enough."""
        return time.perf_counter() >= self._end


class TimeSlice:
    """The steps of a generator that one call runs.

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


def portions(items: _Items, size: int) -> Iterator[_Items]:
    """Yields the items of a list or an array, ``size`` of them at a time."""
    return (items[begin : begin + size] for begin in range(0, len(items), size))
