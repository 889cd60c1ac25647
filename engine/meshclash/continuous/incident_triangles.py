"""Convert elements to triangles: a vertex represents all triangles that contain it, an edge its adjacent triangles."""

import numpy as np

from .moving_leaf import EDGES, POINT_OF_B
from .moving_tree import Elements


def triangle_pairs(
    pairs: np.ndarray, codes: np.ndarray, first: Elements, last: Elements
) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of triangles (k, 2) int32 that contain some elements, and the element of each, (k,) int64.

    Args:
        pairs, codes: the elements, (n, 2) and (n,), as in ``MovingOutput``.
        first, last: elements of the objects in the columns of ``pairs``.
    """
    found, origins = [], []
    for side, low, high in ((0, 0, POINT_OF_B), (1, POINT_OF_B, EDGES)):
        chosen = np.flatnonzero((codes >= low) & (codes < high))
        around = (first, last)[side]
        of, where = _spread(*around.around_corner(pairs[chosen, side], codes[chosen] - low))
        both = pairs[chosen[of]]
        both[:, side] = around.of_corners[where]
        found.append(both)
        origins.append(chosen[of])
    chosen = np.flatnonzero(codes >= EDGES)
    e, f = np.divmod(codes[chosen] - EDGES, 3)
    of, where = _spread(*first.around_edge(pairs[chosen, 0], e))
    again, there = _spread(*last.around_edge(pairs[chosen[of], 1], f[of]))
    found.append(np.stack([first.of_edges[where[again]], last.of_edges[there]], axis=1))
    origins.append(chosen[of[again]])
    return np.concatenate(found).astype(np.int32), np.concatenate(origins)


def _spread(count: np.ndarray, begin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for runs of ``count`` entries from ``begin`` on, the run of each entry and its position."""
    of = np.repeat(np.arange(len(count)), count)
    return of, np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count) + begin[of]
