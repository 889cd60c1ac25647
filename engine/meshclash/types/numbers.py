"""Numbers and arrays as callers give them: what is neither is refused here, and the caller's error names it."""

import math
from collections.abc import Sized
from typing import Any

import numpy as np

from ..errors import MeshClashError, UnsupportedOption
from ..messages import shown

_MOST_ITEMS = 1 << 31
"""Of a sequence: arrays of the engine have int32 indices."""


def real_number(value: Any) -> float:
    """A real number as a float: infinite where it is too large for one, NaN for anything that is no number.

    Texts, truth values and arrays, but those of no dimension, are no numbers.
    """
    if isinstance(value, str | bytes | bytearray | bool):
        return math.nan
    if isinstance(value, np.ndarray | np.generic) and (value.ndim or value.dtype.kind not in "fiu"):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan
    except OverflowError:  # of a whole number
        return math.inf


def given_array(name: str, values: Any, error: type[MeshClashError]) -> np.ndarray:
    """An array of what a caller gave, of any kind; raises ``error`` where NumPy cannot make one, or drops a mask."""
    refuse_masked(name, values, error)
    try:
        if isinstance(values, Sized) and len(values) > _MOST_ITEMS:
            raise ValueError(f"there are more than {_MOST_ITEMS}")
        return np.asarray(values)
    except (TypeError, ValueError, ArithmeticError, MemoryError) as reason:
        raise error(f"{name} cannot be read as numbers: {reason!s:.120}") from None


def float_array(name: str, values: Any, error: type[MeshClashError]) -> np.ndarray:
    """Numbers as a new float64 array; raises ``error`` for texts, complex or masked numbers and anything else."""
    given = given_array(name, values, error)
    try:
        if given.dtype.kind not in "fiuO":
            raise TypeError(f"they are {given.dtype}")
        return np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, ArithmeticError, MemoryError) as reason:
        raise error(f"{name} cannot be read as numbers: {reason!s:.120}") from None


def whole_numbers(name: str, values: Any) -> np.ndarray:
    """Whole numbers as a new int64 array of the same shape; raises UnsupportedOption and names the option."""
    given = given_array(name, values, UnsupportedOption)
    if given.size and given.dtype.kind not in "iu":
        raise UnsupportedOption(f"{name} must be whole numbers, not {given.dtype}")
    if given.dtype.kind == "u" and given.size and given.max() > np.iinfo(np.int64).max:
        raise UnsupportedOption(f"{name} must be below 2**63, not {given.max()}")
    return given.astype(np.int64)


def is_whole(value: Any) -> bool:
    """Whether it is a whole number: no truth value, and no duration, which NumPy counts among them."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def whole_number(name: str, value: Any, least: int, most: int | None = None, of: str = "") -> int:
    """A whole number from ``least`` on, up to ``most``; raises UnsupportedOption and names the option.

    Args:
        of: what it counts, for the message.
    """
    if not is_whole(value) or value < least or (most is not None and value > most):
        wanted = f"a whole number{of and ' of '}{of} from {least} {'on' if most is None else f'to {most}'}"
        raise UnsupportedOption(f"{name} must be {wanted}, not {shown(value)}")
    return int(value)


def truth(name: str, value: Any) -> bool:
    """True or False (or 1 or 0); raises UnsupportedOption and names the option."""
    if not isinstance(value, bool | int | np.bool_ | np.integer) or value not in (0, 1):
        raise UnsupportedOption(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def refuse_masked(name: str, values: Any, error: type[MeshClashError]) -> None:
    """Raise ``error`` where rows of an (n, k) masked array have entries without a value; NumPy would drop the mask."""
    if isinstance(values, np.ma.MaskedArray) and values.ndim == 2 and values.dtype.names is None:
        rows = np.flatnonzero(np.ma.getmaskarray(values).any(axis=1))
        if len(rows):
            raise error(f"{name}: row {rows[0]} is masked ({len(rows)} such in all): leave out what has no value")
