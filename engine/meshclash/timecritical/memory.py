"""Arrays at memory addresses: kernels get a table of pointers to trees and read the trees in place, without copying.

If Numba's compilation is disabled, the same functions return NumPy views, so that kernels also run in Python.
"""

import ctypes

import numpy as np
from numba import carray

from ..geometry.lanes import doubles, floats, integers, octets
from ..jit import config, inlined


@inlined
def float32_at(address, shape):
    """Return the float32 array at an address; ``shape`` is a tuple."""
    return carray(floats(address), shape)


@inlined
def float64_at(address, shape):
    """Return the float64 array at an address; ``shape`` is a tuple."""
    return carray(doubles(address), shape)


@inlined
def int32_at(address, shape):
    """Return the int32 array at an address; ``shape`` is a tuple."""
    return carray(integers(address), shape)


@inlined
def uint8_at(address, shape):
    """Return the uint8 array at an address; ``shape`` is a tuple."""
    return carray(octets(address), shape)


if config.DISABLE_JIT:

    def _viewer(item):
        return lambda address, shape: np.ctypeslib.as_array(ctypes.cast(int(address), ctypes.POINTER(item)), shape)

    float32_at, float64_at = _viewer(ctypes.c_float), _viewer(ctypes.c_double)
    int32_at, uint8_at = _viewer(ctypes.c_int32), _viewer(ctypes.c_uint8)
