"""Room on a device: for its queue, which runs again in larger arrays when it did not fit; and arrays to use again."""

from collections.abc import Hashable, Sequence
from typing import Any

from .pyramid import width_for

FIRST_CAPACITY = 1 << 20
"""Rows of each array to begin with."""
ROW_BYTES = (16, 12, 16)
"""Of a row: pairs of nodes with their marks, pairs of leaves, hits."""


def first_capacities(count: int, least: int = FIRST_CAPACITY) -> list[int]:
    """Rows of each array for a queue that begins with so many pairs."""
    return [max(least, width_for(count)), least, least]


def grown_capacities(capacities: Sequence[int], needed: Sequence[int]) -> list[int]:
    """Rows for a next run; what was too small is at least doubled."""
    return [2 * width_for(n) if n > capacity else capacity for n, capacity in zip(needed, capacities, strict=True)]


def queue_bytes(needed: Sequence[int]) -> int:
    """The most that a queue's arrays take on a device in the end, if it needs so many rows of each."""
    capacities = grown_capacities(first_capacities(1), needed)
    return sum(capacity * size for capacity, size in zip(capacities, ROW_BYTES, strict=True))


class Spare:
    """Arrays that are no longer used, by shape and type, for whoever wants the like.

    Args:
        most: bytes that may be kept.

    Attributes:
        size: bytes that are kept.
    """

    def __init__(self, most: int) -> None:
        self._most, self.size = most, 0
        self._arrays: dict[Hashable, list[Any]] = {}

    def put(self, kind: Hashable, array: Any) -> None:
        """Keep an array, unless that would be too much."""
        if self.size + array.nbytes <= self._most:
            self._arrays.setdefault(kind, []).append(array)
            self.size += array.nbytes

    def take(self, kind: Hashable) -> Any:
        """An array of a kind, or None."""
        arrays = self._arrays.get(kind)
        if not arrays:
            return None
        array = arrays.pop()
        self.size -= array.nbytes
        return array

    def clear(self) -> None:
        """Keep none."""
        self._arrays.clear()
        self.size = 0
