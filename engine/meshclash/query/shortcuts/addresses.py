"""Pointers to arrays, packed into one record whose address a kernel receives as one integer.

Numba determines the type of each array argument at every call, which takes about 70 ns, and a query has two dozen
arguments.
"""

from collections.abc import Sequence

import numpy as np

from ...types.copying import NotCopied


class Addresses(NotCopied):
    """A record of the addresses of arrays, followed by numbers; the record keeps the arrays alive.

    Attributes:
        address: address of the record, int64.
    """

    __slots__ = ("_arrays", "_record", "address")

    def __init__(self, arrays: Sequence[np.ndarray], numbers: Sequence[int], length: int) -> None:
        self._arrays = arrays
        self._record = np.array([*(array.ctypes.data for array in arrays), *numbers], np.int64)
        assert len(self._record) == length and all(array.flags.c_contiguous for array in arrays)
        self.address: int = self._record.ctypes.data
