"""Options that every query shares, checked in one place."""

import math
from typing import Any

import numpy as np

from ..errors import DeviceUnavailable, UnsupportedOption
from ..gpu.device import require_device
from ..jit import thread_limit
from ..types.pose import pose_stack


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
        raise UnsupportedOption(f"{name} must be below 1, not {value!r}")
    return number


def _not_negative(name: str, value: Any, what: str) -> float:
    try:
        if isinstance(value, str | bytes | bool | np.bool_):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UnsupportedOption(f"{name} must be {what}, not {value!r}") from None
    if not math.isfinite(number) or number < 0.0:
        raise UnsupportedOption(f"{name} must be finite and not negative, not {value!r}")
    return number


def matched_poses(pose_a: Any, pose_b: Any) -> tuple[np.ndarray, np.ndarray, bool]:
    """Poses of both objects, (k, 3, 4) or (1, 3, 4) for all, and whether they came as a stack.

    Raises:
        InvalidPose: as ``pose_stack``.
        UnsupportedOption: two stacks of different lengths.
    """
    rows_a, stacked_a = pose_stack(pose_a)
    rows_b, stacked_b = pose_stack(pose_b)
    count = max(len(rows_a), len(rows_b))
    for rows, stacked in ((rows_a, stacked_a), (rows_b, stacked_b)):
        if stacked and len(rows) != count:
            raise UnsupportedOption(f"stacks of {len(rows_a)} and {len(rows_b)} poses do not match")
    # Copies, since a read-only array would be another type to the kernel.
    return np.array(rows_a, order="C"), np.array(rows_b, order="C"), stacked_a or stacked_b


def every_pose(pose_a: Any, pose_b: Any) -> tuple[np.ndarray, np.ndarray, bool]:
    """``matched_poses`` with a row for each question on both sides, (k, 3, 4)."""
    rows_a, rows_b, stacked = matched_poses(pose_a, pose_b)
    if len(rows_a) == len(rows_b):
        return rows_a, rows_b, stacked
    shape = (max(len(rows_a), len(rows_b)), 3, 4)
    rows_a, rows_b = (np.array(np.broadcast_to(rows, shape), order="C") for rows in (rows_a, rows_b))
    return rows_a, rows_b, stacked
