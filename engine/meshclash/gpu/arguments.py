"""Arguments of a kernel where the driver reads them, laid out once; imports nothing of CUDA.

numba-cuda packs the arguments of every launch anew, 27 to 143 us of the host's time. Its kernels take an array as two
pointers that they leave alone, the number of items, bytes of an item, the address, and then the lengths and the strides
in bytes of all axes; a number as it is. Here every parameter has eight bytes of one buffer, and the driver is given the
addresses of all of them, which never change; a launch copies what it reads before it returns.
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
"""Type of a number in a signature -> its bytes, and how it fills eight of them."""


class Arguments:
    """Room for the arguments of one kernel.

    Attributes:
        sizes: bytes of every parameter of the kernel.
        address: of the addresses of all parameters, as ``cuLaunchKernel`` takes them.
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
        """Take the arguments of the next launch, numbers and arrays of the device."""
        self._bytes[:] = b"".join(
            [
                _cells_of(argument) if number is None else number.pack(argument)
                for number, argument in zip(self._numbers, arguments, strict=True)
            ]
        )


_known: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()


def _cells_of(array: Any) -> bytes:
    """What a kernel is told of an array."""
    cells = _known.get(array)
    if cells is None:
        address = array.device_ctypes_pointer.value or 0
        numbers = (0, 0, array.size, array.dtype.itemsize, address, *array.shape, *array.strides)
        cells = _known[array] = np.array(numbers, np.int64).tobytes()
    return cells


def ptx_sizes(ptx: str) -> list[int]:
    """Bytes of every parameter of the kernel in a text of PTX."""
    return [int(bits) // 8 for bits in _PTX_PARAMETER.findall(ptx.partition(".entry")[2].partition(")")[0])]
