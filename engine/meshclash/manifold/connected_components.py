"""Connected components of a graph, with NumPy only: Blender has no SciPy."""

import numpy as np


def components(count: int, edges: np.ndarray) -> np.ndarray:
    """Return the component of each node, identified by the lowest node in the component.

    Args:
        count: number of nodes.
        edges: (m, 2) pairs of connected nodes.

    Returns:
        (count,) int64.
    """
    label = np.arange(count)
    if not len(edges):
        return label
    a, b = edges[:, 0], edges[:, 1]
    while True:
        least = np.minimum(label[a], label[b])
        before = label.copy()
        np.minimum.at(label, label[a], least)
        np.minimum.at(label, label[b], least)
        label = label[label]
        if (label == before).all() and (label[a] == label[b]).all():
            return label
