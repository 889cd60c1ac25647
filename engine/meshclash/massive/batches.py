"""Batches of pairs of clusters whose pages fit into memory together, in an order that reads pages only once if
possible.

As many pages as fit are loaded of the side that needs less memory. For these pairs, the pages of the other object are
culled (``culling.py``), and as many of them as fit are loaded at a time. Each pass begins at the end whose pages are
still in memory.
"""

from collections.abc import Iterator

import numpy as np

from .culling import culled
from .operands import Clusters

_MOST_PAGES = 256
"""Maximum number of pages of one object in a batch, so that a batch takes some milliseconds."""


def batches(
    a: Clusters,
    b: Clusters,
    rows: tuple[np.ndarray, np.ndarray],
    pairs: np.ndarray,
    tolerance: float | None,
) -> Iterator[np.ndarray]:
    """Yield batches (n, 2) of pairs of clusters, without pairs that are certainly farther apart than a tolerance [m].

    Args:
        a, b: the two objects.
        rows: poses (3, 4) of both objects.
        pairs: (k, 2) int64, without duplicates.
        tolerance: [m]; None disables culling.
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
    """Return an upper bound of the memory for clusters [bytes]; 0 for an object that is already in memory."""
    return 0 if side.clustered is None else int(side.clustered.pages.bytes_of(np.unique(numbers)).sum())


def _portions(side: Clusters, numbers: np.ndarray, shared: bool, beside: set[int]) -> Iterator[np.ndarray]:
    """Load as many clusters at a time as fit in memory, or in half of it if both sides share it; yield their indices
    (n,)."""
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
