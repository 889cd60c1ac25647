"""Fitting the volumes of a tree to its primitives, bottom up."""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..jit import kernel
from ..volumes.registry import volume_module
from .bvh import Tree


@cache
def _fitting_kernel(volume: str) -> Callable:
    """The kernel for one kind of volume: leaves from their triangles' vertices, inner nodes from their children."""
    module = volume_module(volume)
    clear, extend, merge = module.clear, module.extend, module.merge

    def fit(first, count, order, vertices, triangles, origin, volumes):
        for node in range(first.shape[0] - 1, -1, -1):
            begin = first[node]
            if count[node] == 0:
                merge(volumes[node], volumes[begin], volumes[begin + 1])
                continue
            clear(volumes[node])
            for entry in range(begin, begin + count[node]):
                for corner in range(3):
                    v = triangles[order[entry], corner]
                    extend(
                        volumes[node],
                        vertices[v, 0] - origin[0],
                        vertices[v, 1] - origin[1],
                        vertices[v, 2] - origin[2],
                    )

    return kernel(fit)


def fit_volumes(
    tree: Tree, vertices: np.ndarray, triangles: np.ndarray, origin: np.ndarray, volume: str, volumes: np.ndarray
) -> None:
    """Fill ``volumes`` (n, WIDTH) float32 of a tree; vertices (v, 3) float64 [m], triangles (m, 3) int32."""
    _fitting_kernel(volume)(tree.first, tree.count, tree.order, vertices, triangles, origin, volumes)
