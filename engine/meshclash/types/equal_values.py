"""Find equal values in arrays."""

import numpy as np


def places_of_each(values: np.ndarray) -> list[np.ndarray]:
    """Return the indices of each different value of an array (n,), ascending; the smallest value comes first."""
    if not len(values):
        return []
    order = np.argsort(values, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(values[order])) + 1)
