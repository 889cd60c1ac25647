"""Options that every query shares, checked in one place."""

import math
from typing import Any

import numpy as np

from ..answering.devices import require_device
from ..errors import DeviceUnavailable, UnsupportedOption
from ..jit import thread_limit


def check_device(device: str) -> str:
    """The device of a query that only the CPU answers, "cpu".

    Raises:
        UnsupportedOption: not one of ``DEVICES``.
        DeviceUnavailable: "cuda" was asked for.
    """
    if isinstance(device, str) and device == "cuda":
        raise DeviceUnavailable("this query is computed on the CPU only: use device='auto' or 'cpu'")
    require_device(device)
    return "cpu"


def check_served_device(device: str) -> str:
    """The option of a query that CUDA devices answer too, as it is.

    Raises:
        UnsupportedOption: not one of ``DEVICES``.
        DeviceUnavailable: "cuda" was asked for and no device can be used; the message says why.
    """
    require_device(device)
    return device


def check_threads(threads: int | None) -> int:
    """The most threads a query may use; raises UnsupportedOption unless None or a positive whole number."""
    return thread_limit(threads)


def check_length(name: str, value: Any) -> float:
    """A length in metres, finite and not negative; raises UnsupportedOption and names the option."""
    return _not_negative(name, value, "a number of metres")


def check_share(name: str, value: Any) -> float:
    """A share, from 0 to below 1; raises UnsupportedOption and names the option."""
    number = _not_negative(name, value, "a number")
    if number >= 1.0:
        raise UnsupportedOption(f"{name} must be below 1, not {value!r:.80}")
    return number


def _not_negative(name: str, value: Any, what: str) -> float:
    try:
        if isinstance(value, str | bytes | bool | np.bool_):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UnsupportedOption(f"{name} must be {what}, not {value!r:.80}") from None
    if not math.isfinite(number) or number < 0.0:
        raise UnsupportedOption(f"{name} must be finite and not negative, not {value!r:.80}")
    return number
