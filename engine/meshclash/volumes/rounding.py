"""Outward rounding to float32, so that a volume certainly contains the primitives to which it was fitted."""

import numpy as np

from ..jit import portable

_UP = np.float32(1.0 + 2.0**-23)
_DOWN = np.float32(1.0 - 2.0**-23)
_TINY = np.float32(1e-37)


@portable
def below(y):
    """Return a float32 strictly below every number that rounds to y (float32)."""
    if y > _TINY:
        return y * _DOWN
    return y * _UP if y < -_TINY else y - _TINY


@portable
def round_down(x):
    """Return a float32 strictly below x (float64), and below the exact value of which x is a rounded value."""
    y = np.float32(x)
    return y if y < x else below(y)


@portable
def round_up(x):
    """Return a float32 strictly above x (float64)."""
    return -round_down(-x)
