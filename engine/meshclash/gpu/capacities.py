"""Sizes of the queue's arrays on a device, which grow when a run did not fit; and a store of arrays for reuse."""

from collections.abc import Hashable, Sequence
from typing import Any

from .pyramid import width_for

FIRST_CAPACITY = 1 << 20
"""Initial number of rows of each array."""
ROW_BYTES = (16, 12, 16)
"""Bytes per row of the three arrays: pairs of nodes with their marks, pairs of leaves, hits."""


def first_capacities(count: int, least: int = FIRST_CAPACITY) -> list[int]:
    """Return the initial rows of each array for a queue that starts with ``count`` pairs."""
    return [max(least, width_for(count)), least, least]


def grown_capacities(capacities: Sequence[int], needed: Sequence[int]) -> list[int]:
    """Return the rows for the next run. Arrays that were too small are at least doubled."""
    return [2 * width_for(n) if n > capacity else capacity for n, capacity in zip(needed, capacities, strict=True)]


def queue_bytes(needed: Sequence[int]) -> int:
    """Return an upper bound of the final size [bytes] of a queue's arrays, if it needs the given number of rows of
    each.
    """
    capacities = grown_capacities(first_capacities(1), needed)
    return sum(capacity * size for capacity, size in zip(capacities, ROW_BYTES, strict=True))


class Spare:
    """Unused arrays, by shape and type, kept for reuse.

    Args:
        most: maximum number of bytes that may be kept.

    Attributes:
        size: number of bytes that are currently kept.
    """

    def __init__(self, most: int) -> None:
        self._most, self.size = most, 0
        self._arrays: dict[Hashable, list[Any]] = {}

    def put(self, kind: Hashable, array: Any) -> None:
        """Keep an unused array for reuse, unless that would exceed the limit."""
        if self.size + array.nbytes <= self._most:
            self._arrays.setdefault(kind, []).append(array)
            self.size += array.nbytes

    def take(self, kind: Hashable) -> Any:
        """Return a kept array of this shape and type, or None."""
        arrays = self._arrays.get(kind)
        if not arrays:
            return None
        array = arrays.pop()
        self.size -= array.nbytes
        return array

    def clear(self) -> None:
        """Drop all kept arrays."""
        self._arrays.clear()
        self.size = 0
