"""A buffer for the arguments of a kernel, laid out once for all launches; the module does not import CUDA.

numba-cuda packs the arguments again for every launch, which takes 27 to 143 us of the host's time. Its kernels take an
array as two unused pointers, the number of items, bytes per item, the address, then the lengths and the strides in
bytes of all axes. A number is passed unchanged. Here every parameter has eight bytes of one buffer. The driver gets the
addresses of all parameters, which never change, and copies the parameters before a launch returns.
"""

import re
import struct
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

_DECLARED = re.compile(r"(\w+)(\[[^\]]*\])?")
_PTX_PARAMETER = re.compile(r"\.param \.[usfb](\d+) [^,\n]*_param_\d+")
_NUMBERS = {"boolean": (1, "?7x"), "int32": (4, "i4x"), "int64": (8, "q"), "float32": (4, "f4x"), "float64": (8, "d")}
"""Type of a number in a signature -> its size in bytes, and its ``struct`` format padded to eight bytes."""


class Arguments:
    """The argument buffer of one kernel.

    Attributes:
        sizes: size in bytes of every parameter of the kernel.
        address: pointer to the array of pointers to all parameters, in the form that ``cuLaunchKernel`` expects.
    """

    def __init__(self, signature: str) -> None:
        declared = _DECLARED.findall(signature.removeprefix("void"))
        self._numbers: list[struct.Struct | None] = []
        self.sizes: list[int] = []
        for scalar, axes in declared:
            size, layout = (8, "") if axes else _NUMBERS[scalar]
            self._numbers.append(struct.Struct(layout) if layout else None)
            self.sizes += [8] * (7 + 2 * axes.count(",")) if axes else [size]
        self._bytes = bytearray(8 * len(self.sizes))
        self._cells = np.frombuffer(self._bytes, np.uint64)
        self._pointers = self._cells.ctypes.data + 8 * np.arange(len(self.sizes), dtype=np.uint64)
        self.address = int(self._pointers.ctypes.data)

    def fill(self, arguments: Sequence[Any]) -> None:
        """Write the arguments of the next launch (numbers and device arrays) to the buffer."""
        self._bytes[:] = b"".join(
            [
                _cells_of(argument) if number is None else number.pack(argument)
                for number, argument in zip(self._numbers, arguments, strict=True)
            ]
        )


_known: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()


def _cells_of(array: Any) -> bytes:
    """Return the parameters with which a kernel receives an array, packed."""
    cells = _known.get(array)
    if cells is None:
        address = array.device_ctypes_pointer.value or 0
        numbers = (0, 0, array.size, array.dtype.itemsize, address, *array.shape, *array.strides)
        cells = _known[array] = np.array(numbers, np.int64).tobytes()
    return cells


def ptx_sizes(ptx: str) -> list[int]:
    """Return the size in bytes of every parameter of the kernel in a PTX text."""
    return [int(bits) // 8 for bits in _PTX_PARAMETER.findall(ptx.partition(".entry")[2].partition(")")[0])]
