"""Prepare poses for the tests of a kind of volume: once per pose instead of once per test."""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..jit import kernel
from ..volumes.registry import volume_named
from .forest import TreeSet


@cache
def _preparing_kernel(prepare: Callable) -> Callable:
    def prepare_all(relative, roots_a, roots_b, out):
        for k in range(out.shape[0]):
            prepare(relative[k], roots_a[k], roots_b[k], out[k])

    return kernel(prepare_all)


def prepared_rows(a: TreeSet, b: TreeSet, jobs: np.ndarray, relative: np.ndarray) -> np.ndarray:
    """Return the rows that are the arguments of the functions ``overlap`` and ``gap`` of the tree sets' volume.

    Args:
        a, b: tree sets of one kind of volume.
        jobs: trees of each pair, (k, 2) int64.
        relative: rows of ``relative_rows``, (k, 33) float64; returned unchanged if the volume needs no preparation.
    """
    volume = volume_named(a.volume)
    if volume.prepare is None:
        return relative
    rows = np.empty((len(relative), volume.prepared))
    roots = (g.forest.volumes[g.forest.node_start[jobs[:, side]]] for side, g in enumerate((a, b)))
    _preparing_kernel(volume.prepare)(relative, *roots, rows)
    return rows
