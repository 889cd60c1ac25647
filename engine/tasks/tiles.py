"""Pairs of clusters cut into tiles: ranges of clusters of both objects, whose pages are about as much work each.

Clusters follow a Morton curve, so a range of them lies together. How pairs are cut depends on the two files and poses
alone, never on who works the tiles off.
"""

from collections.abc import Iterator

import numpy as np
from meshclash.massive.operands import Clusters

TILE_TRIANGLES = 1 << 19
"""Of the pages of a tile, both objects together: some tenths of a second."""


def tiles_of(a: Clusters, b: Clusters, pairs: np.ndarray, most: int = TILE_TRIANGLES) -> Iterator[np.ndarray]:
    """Sorted pairs of clusters (n, 2) in tiles whose pages have at most so many triangles, if they are not one pair.

    Each pair lies in one tile. A tile that is too large is cut in two across the object where fewer pages are on both
    sides of the cut.
    """
    waiting = [pairs] if len(pairs) else []
    while waiting:
        part = waiting.pop()
        if len(part) == 1 or _triangles(a, b, part) <= most:
            yield part
            continue
        cuts = [_halves(part, axis) for axis in range(2)]
        waiting += min((cut for cut in cuts if cut), key=lambda cut: sum(_triangles(a, b, half) for half in cut))


def _triangles(a: Clusters, b: Clusters, pairs: np.ndarray) -> int:
    """Triangles of the pages that some pairs name."""
    count = 0
    for side, numbers in ((a, pairs[:, 0]), (b, pairs[:, 1])):
        if side.clustered is not None:
            count += int(side.clustered.pages.table["triangles"][np.unique(numbers)].sum(dtype=np.int64))
    return count


def _halves(pairs: np.ndarray, axis: int) -> list[np.ndarray]:
    """Pairs with the upper and with the lower half of the clusters that they name of an object; none where it is one.

    The lower half is last: it is taken first.
    """
    numbers = np.unique(pairs[:, axis])
    if len(numbers) == 1:
        return []
    lower = pairs[:, axis] < numbers[len(numbers) // 2]
    return [pairs[~lower], pairs[lower]]
