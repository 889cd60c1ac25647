"""What is done to each of millions of points, a part of them at a time; order statistics without sorting."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np

CHUNK = 1 << 17
"""Points of one step: about a millisecond of NumPy."""
_HALF = 16  # of a float32's bits


def chunks(count: int) -> Iterator[slice]:
    """The parts of so many points."""
    return (slice(begin, min(begin + CHUNK, count)) for begin in range(0, count, CHUNK))


def quantile_steps(arrays: Sequence[np.ndarray], shares: Sequence[float]) -> Generator[None, None, list[float]]:
    """Quantiles of the sizes of the numbers in float32 arrays, as ``numpy.quantile`` has them, in slices.

    The bits of numbers from 0 on are in the order of the numbers, so the number of a rank is found half by half of its
    bits, by counting.

    Args:
        arrays: finite numbers, at least one in all.
        shares: 0 to 1.
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
    """How many numbers have at most which upper half of their bits, or lower half where the upper one is given."""
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
