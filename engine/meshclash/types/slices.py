"""Time slices of long computations: when a generator yields, and how many steps one call runs."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

_T = TypeVar("_T")
_Items = TypeVar("_Items", Sequence[Any], np.ndarray)

SLICE_SECONDS = 0.005
"""Duration of a slice [s]: a fraction of the delay that users of a window accept."""


_KEYS_AT_ONCE = 4096


class Slice:
    """One slice of work, which starts when the object is made. Make a new one after each yield."""

    __slots__ = ("_end",)

    def __init__(self) -> None:
        self._end = time.perf_counter() + SLICE_SECONDS

    @property
    def over(self) -> bool:
        """Whether the slice has used up its time."""
        return time.perf_counter() >= self._end


class TimeSlice:
    """Runs steps of a generator for a given time.

    Args:
        seconds: time for these steps.

    Attributes:
        started: time of the performance counter at which this slice began.
        end: time of the performance counter at which this slice ends.
        spent: seconds up to the last step.
    """

    def __init__(self, seconds: float) -> None:
        self.started = self._before = time.perf_counter()
        self.end = self.started + seconds
        self.spent = 0.0

    def is_full(self) -> bool:
        """Return, after a step, whether another step of the same duration would exceed the slice."""
        now = time.perf_counter()
        last, self._before, self.spent = now - self._before, now, now - self.started
        return now + last > self.end


def sorted_steps(items: Sequence[_T], key: Callable[[_T], tuple[float, ...]]) -> Generator[float, None, list[_T]]:
    """Return the items in the order of their keys, as ``sorted`` does; yields the fraction of keys that are computed.

    Args:
        items: any number of objects.
        key: returns the same number of numbers for each item, without NaN.
    """
    keys = []
    for begin in range(0, len(items), _KEYS_AT_ONCE):
        keys.append(np.array([key(item) for item in items[begin : begin + _KEYS_AT_ONCE]], np.float64))
        yield min(1.0, (begin + _KEYS_AT_ONCE) / len(items))
    if not keys:
        return []
    order = np.lexsort(np.concatenate(keys).T[::-1])
    return [items[place] for place in order.tolist()]


class Pace:
    """Estimates how many items fit into a slice, from the time of earlier items."""

    def __init__(self) -> None:
        self._size = 1

    def ranges(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield ranges that together are ``begin`` to ``end``; work on each before you ask for the next one."""
        while begin < end:
            until, started = min(begin + self._size, end), time.perf_counter()
            yield begin, until
            spent = time.perf_counter() - started
            if spent > 2.0 * SLICE_SECONDS:
                self._size = max(1, self._size // 2)
            elif spent < 0.5 * SLICE_SECONDS and until - begin == self._size:
                self._size *= 2
            begin = until


def portions(items: _Items, size: int) -> Iterator[_Items]:
    """Yield the items of a list or an array, ``size`` of them at a time."""
    return (items[begin : begin + size] for begin in range(0, len(items), size))
