"""What is known of a device, and how it can fail; imports nothing of CUDA."""

from typing import NamedTuple

from ..errors import MeshClashError


class DeviceFault(MeshClashError):
    """A device failed in the middle of its work; the message says how. The CPU answers in its place."""


class OutOfDeviceMemory(DeviceFault):
    """The device, or the part of its memory that may be used, is full."""


class DeviceState(NamedTuple):
    """Whether a CUDA device can be used; shown to users as it is."""

    usable: bool
    reason: str = ""
    """Why it cannot be used, and what to do; "" when it can."""
    name: str = ""
    capability: tuple[int, int] = (0, 0)
    memory: int = 0
    """Bytes in all."""
    versions: str = ""
    """Of the driver and of the libraries."""
