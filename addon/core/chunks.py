"""Process millions of points in chunks; compute order statistics without sorting."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np

CHUNK = 1 << 17
"""Number of points in one step: about a millisecond of NumPy."""
_HALF = 16  # half of the bits of a float32


def chunks(count: int) -> Iterator[slice]:
    """Yield slices that cover ``count`` points."""
    return (slice(begin, min(begin + CHUNK, count)) for begin in range(0, count, CHUNK))


def quantile_steps(arrays: Sequence[np.ndarray], shares: Sequence[float]) -> Generator[None, None, list[float]]:
    """Compute quantiles of the absolute values in float32 arrays, as ``numpy.quantile`` does, in slices.

    The bit patterns of non-negative numbers have the order of the numbers. So the number with a given rank is found by
    counting: first the upper half of its bits, then the lower half.

    Args:
        arrays: finite numbers, at least one in total.
        shares: quantiles to compute, 0 to 1.
    """
    count = sum(map(len, arrays))
    places = [share * (count - 1) for share in shares]
    ranks = sorted({min(int(place) + more, count - 1) for place in places for more in (0, 1)})
    upper = yield from _counts_steps(arrays, None)
    numbers = {}
    for half in np.unique(np.searchsorted(upper, ranks, side="right")).tolist():
        before = int(upper[half - 1]) if half else 0
        lower = yield from _counts_steps(arrays, half)
        for rank in (rank for rank in ranks if before <= rank < upper[half]):
            rest = int(np.searchsorted(lower, rank - before, side="right"))
            numbers[rank] = float(np.array([half << _HALF | rest], np.uint32).view(np.float32)[0])
    return [_between(numbers, place, count) for place in places]


def _counts_steps(arrays: Sequence[np.ndarray], half: int | None) -> Generator[None, None, np.ndarray]:
    """Count how many numbers are at most each value of the upper half of their bits.

    If an upper half is given, count by the lower half instead.
    """
    counts = np.zeros(1 << _HALF, np.int64)
    for array in arrays:
        for part in chunks(len(array)):
            bits = np.abs(array[part]).view(np.uint32)
            found = bits >> _HALF if half is None else bits[bits >> _HALF == half] & (1 << _HALF) - 1
            counts += np.bincount(found, minlength=1 << _HALF)
            yield
    return np.cumsum(counts)


def _between(numbers: dict[int, float], place: float, count: int) -> float:
    below, above = numbers[int(place)], numbers[min(int(place) + 1, count - 1)]
    return below + (place - int(place)) * (above - below)
