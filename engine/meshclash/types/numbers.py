"""Checks of numbers and arrays from callers: invalid values raise an error that names the argument."""

import math
from collections.abc import Sized
from typing import Any

import numpy as np

from ..errors import MeshClashError, UnsupportedOption
from ..messages import shown

_MOST_ITEMS = 1 << 31
"""Largest length of a sequence: arrays of the engine have int32 indices."""


def real_number(value: Any) -> float:
    """Convert a real number to float. If the number is too large, the result is infinite. If the value is not a number,
    the result is NaN.

    A string, a bool or an array does not count as a number. The only exception is an array without dimensions.
    """
    if isinstance(value, str | bytes | bytearray | bool):
        return math.nan
    if isinstance(value, np.ndarray | np.generic) and (value.ndim or value.dtype.kind not in "fiu"):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan
    except OverflowError:  # of an integer
        return math.inf


def given_array(name: str, values: Any, error: type[MeshClashError]) -> np.ndarray:
    """Convert a value to a NumPy array of any type. If NumPy cannot convert the value, or would lose a mask, raise
    ``error``.
    """
    refuse_masked(name, values, error)
    try:
        if isinstance(values, Sized) and len(values) > _MOST_ITEMS:
            raise ValueError(f"the list has more than {_MOST_ITEMS} items")
        return np.asarray(values)
    except (TypeError, ValueError, ArithmeticError, MemoryError) as reason:
        raise error(f"{name} cannot be read as numbers: {reason!s:.120}") from None


def float_array(name: str, values: Any, error: type[MeshClashError]) -> np.ndarray:
    """Convert numbers to a new float64 array. If the values are strings, complex numbers, masked numbers or of another
    type, raise ``error``.
    """
    given = given_array(name, values, error)
    try:
        if given.dtype.kind not in "fiuO":
            raise TypeError(f"they are {given.dtype}")
        return np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, ArithmeticError, MemoryError) as reason:
        raise error(f"{name} cannot be read as numbers: {reason!s:.120}") from None


def whole_numbers(name: str, values: Any) -> np.ndarray:
    """Convert integers to a new int64 array of the same shape; raise UnsupportedOption, which names the option."""
    given = given_array(name, values, UnsupportedOption)
    if given.size and given.dtype.kind not in "iu":
        raise UnsupportedOption(f"{name} must be whole numbers, not {given.dtype}")
    if given.dtype.kind == "u" and given.size and given.max() > np.iinfo(np.int64).max:
        raise UnsupportedOption(f"{name} must be below 2**63, not {given.max()}")
    return given.astype(np.int64)


def is_whole(value: Any) -> bool:
    """Return whether a value is an integer. A bool does not count as an integer, and neither does a timedelta, which
    NumPy derives from integers.
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def whole_number(name: str, value: Any, least: int, most: int | None = None, of: str = "") -> int:
    """Check that a value is an integer from ``least`` to ``most``. If the value is not such an integer, raise
    UnsupportedOption, whose message names the option.

    Args:
        of: what the number counts, for the error message.
    """
    if not is_whole(value) or value < least or (most is not None and value > most):
        wanted = f"a whole number{of and ' of '}{of} from {least} {'on' if most is None else f'to {most}'}"
        raise UnsupportedOption(f"{name} must be {wanted}, not {shown(value)}")
    return int(value)


def truth(name: str, value: Any) -> bool:
    """Convert True, False, 1 or 0 to bool. For any other value, raise UnsupportedOption, whose message names the
    option.
    """
    if not isinstance(value, bool | int | np.bool_ | np.integer) or value not in (0, 1):
        raise UnsupportedOption(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def refuse_masked(name: str, values: Any, error: type[MeshClashError]) -> None:
    """Raise ``error`` if an (n, k) masked array has masked entries; NumPy would silently drop the mask."""
    if isinstance(values, np.ma.MaskedArray) and values.ndim == 2 and values.dtype.names is None:
        rows = np.flatnonzero(np.ma.getmaskarray(values).any(axis=1))
        if len(rows):
            raise error(f"{name}: row {rows[0]} is masked ({len(rows)} in total): remove rows without values")
