"""Options that every query shares, checked in one place."""

import math
from typing import Any

from ..errors import DeviceUnavailable, UnsupportedOption
from ..jit import thread_limit

DEVICES = ("auto", "cpu", "cuda")


def check_device(device: str) -> str:
    """The device a query runs on; raises UnsupportedOption, or DeviceUnavailable for a GPU this version cannot use."""
    if device not in DEVICES:
        raise UnsupportedOption(f"device {device!r} is not known; known are {', '.join(DEVICES)}")
    if device == "cuda":
        raise DeviceUnavailable("this version computes on the CPU only: use device='auto' or 'cpu'")
    return "cpu"


def check_threads(threads: int | None) -> int:
    """The most threads a query may use; raises UnsupportedOption unless None or a positive whole number."""
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise UnsupportedOption(f"threads must be None or a whole number from 1 on, not {threads!r}")
    return thread_limit(threads)


def check_length(name: str, value: Any) -> float:
    """A length in metres, finite and not negative; raises UnsupportedOption and names the option."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UnsupportedOption(f"{name} must be a number of metres, not {value!r}") from None
    if not math.isfinite(number) or number < 0.0:
        raise UnsupportedOption(f"{name} must be finite and not negative, not {value!r} m")
    return number
