"""Many vectors at once, without a compiler."""

import numpy as np

_AHEAD, _BEHIND = [1, 2, 0], [2, 0, 1]


def cross(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) across pairs of others: as NumPy's, which takes ten times as long for few of them."""
    across: np.ndarray = u[..., _AHEAD] * v[..., _BEHIND] - u[..., _BEHIND] * v[..., _AHEAD]
    return across
