"""The state of a device, and its errors; the module does not import CUDA."""

from typing import NamedTuple

from ..errors import MeshClashError


class DeviceFault(MeshClashError):
    """Raised when a device fails during its work; the message gives the reason. In this case the CPU computes the
    result.
    """


class OutOfDeviceMemory(DeviceFault):
    """Raised when the device's memory, or the permitted part of it, is full."""


class DeviceState(NamedTuple):
    """The state of CUDA devices: whether one can be used, and the reason; users see these fields."""

    usable: bool
    reason: str = ""
    """Why the device cannot be used, and the solution; "" if it can be used."""
    name: str = ""
    capability: tuple[int, int] = (0, 0)
    memory: int = 0
    """Total memory [bytes]."""
    versions: str = ""
    """Versions of the driver and of the libraries."""
