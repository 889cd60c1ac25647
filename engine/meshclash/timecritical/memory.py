"""Arrays at addresses: kernels that are given a table of trees read them in place, and nothing is laid end to end.

Where Numba is told not to compile, the same functions give NumPy views, so that kernels run in Python too.
"""

import ctypes

import numpy as np
from numba import carray

from ..geometry.lanes import doubles, floats, integers, octets
from ..jit import config, inlined


@inlined
def float32_at(address, shape):
    """The float32 array of a shape (a tuple) that lies at an address."""
    return carray(floats(address), shape)


@inlined
def float64_at(address, shape):
    """As ``float32_at``."""
    return carray(doubles(address), shape)


@inlined
def int32_at(address, shape):
    """As ``float32_at``."""
    return carray(integers(address), shape)


@inlined
def uint8_at(address, shape):
    """As ``float32_at``."""
    return carray(octets(address), shape)


if config.DISABLE_JIT:

    def _viewer(item):
        return lambda address, shape: np.ctypeslib.as_array(ctypes.cast(int(address), ctypes.POINTER(item)), shape)

    float32_at, float64_at = _viewer(ctypes.c_float), _viewer(ctypes.c_double)
    int32_at, uint8_at = _viewer(ctypes.c_int32), _viewer(ctypes.c_uint8)
