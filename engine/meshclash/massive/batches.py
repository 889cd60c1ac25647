"""Pairs of clusters in portions whose pages fit in memory together, in an order that reads each page once if it can.

The pages of the side that needs less memory are loaded, as many as fit. For these all pages of the other side are
culled (``culling.py``), and loaded as many as fit at a time. Each pass begins at the end that is in memory.
"""

from collections.abc import Iterator

import numpy as np

from .culling import culled
from .operands import Clusters

_MOST_PAGES = 256
"""Pages of one side that are asked together: so that a batch takes some milliseconds."""


def batches(
    a: Clusters,
    b: Clusters,
    rows: tuple[np.ndarray, np.ndarray],
    pairs: np.ndarray,
    tolerance: float | None,
) -> Iterator[np.ndarray]:
    """Portions (n, 2) of some pairs of clusters, without those that are certainly farther apart than a tolerance [m].

    Args:
        rows: poses (3, 4) of both objects.
        pairs: (k, 2) int64, each once.
        tolerance: None culls nothing.
    """
    if _need(a, pairs[:, 0]) < _need(b, pairs[:, 1]):
        for batch in batches(b, a, rows[::-1], pairs[:, ::-1], tolerance):
            yield batch[:, ::-1]
        return
    shared = a.clustered is not None and a.clustered is b.clustered
    for of_b in _portions(b, np.unique(pairs[:, 1]), shared, set()):
        part = pairs[np.isin(pairs[:, 1], of_b)]
        if tolerance is not None:
            part = culled(a, b, rows, part, tolerance)
        for of_a in _portions(a, np.unique(part[:, 0]), shared, set(of_b.tolist()) if shared else set()):
            yield part[np.isin(part[:, 0], of_a)]


def _need(side: Clusters, numbers: np.ndarray) -> int:
    """Bytes that clusters may take in memory; nothing for an object that is there."""
    return 0 if side.clustered is None else int(side.clustered.pages.bytes_of(np.unique(numbers)).sum())


def _portions(side: Clusters, numbers: np.ndarray, shared: bool, beside: set[int]) -> Iterator[np.ndarray]:
    """Clusters (n,) as many at a time as fit in memory, where they are loaded; in half of it where it is shared."""
    if len(numbers) == 0:
        return
    if side.clustered is None:
        yield numbers
        return
    pages = side.clustered.pages
    if pages.has(int(numbers[-1])) and not pages.has(int(numbers[0])):
        numbers = numbers[::-1]
    while len(numbers):
        count = pages.load_first(numbers[:_MOST_PAGES].tolist(), pages.memory // (2 if shared else 1), beside)
        yield np.sort(numbers[:count])
        numbers = numbers[count:]
