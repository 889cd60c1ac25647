"""Numbers and arrays as callers give them: what is neither is refused here, and the caller's error names it."""

import math
from typing import Any

import numpy as np

from ..errors import MeshClashError, UnsupportedOption


def real_number(value: Any) -> float:
    """A real number as a float: infinite where it is too large for one, NaN for anything that is no number.

    Texts, truth values and arrays, but those of no dimension, are no numbers.
    """
    if isinstance(value, str | bytes | bool | np.bool_ | np.complexfloating):
        return math.nan
    if isinstance(value, np.ndarray) and (value.ndim or value.dtype.kind not in "fiu"):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan
    except OverflowError:  # of a whole number
        return math.inf


def float_array(name: str, values: Any, error: type[MeshClashError]) -> np.ndarray:
    """Numbers as a new float64 array; raises ``error`` for texts, complex or masked numbers and anything else."""
    refuse_masked(name, values, error)
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "fiuO":
            raise TypeError(f"they are {given.dtype}")
        return np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as reason:
        raise error(f"{name} cannot be read as numbers: {reason!s:.120}") from None


def whole_numbers(name: str, values: Any) -> np.ndarray:
    """Whole numbers as a new int64 array of the same shape; raises UnsupportedOption and names the option."""
    refuse_masked(name, values, UnsupportedOption)
    try:
        given = np.asarray(values)
    except (TypeError, ValueError, OverflowError) as reason:
        raise UnsupportedOption(f"{name} cannot be read as numbers: {reason}") from None
    if given.size and given.dtype.kind not in "iu":
        raise UnsupportedOption(f"{name} must be whole numbers, not {given.dtype}")
    if given.dtype.kind == "u" and given.size and given.max() > np.iinfo(np.int64).max:
        raise UnsupportedOption(f"{name} must be below 2**63, not {given.max()}")
    return given.astype(np.int64)


def whole_number(name: str, value: Any, least: int) -> int:
    """A whole number from ``least`` on; raises UnsupportedOption and names the option."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise UnsupportedOption(f"{name} must be a whole number from {least} on, not {value!r:.80}")
    return int(value)


def truth(name: str, value: Any) -> bool:
    """True or False (or 1 or 0); raises UnsupportedOption and names the option."""
    if not isinstance(value, bool | int | np.bool_ | np.integer) or value not in (0, 1):
        raise UnsupportedOption(f"{name} must be True or False, not {value!r:.80}")
    return bool(value)


def refuse_masked(name: str, values: Any, error: type[MeshClashError]) -> None:
    """Raise ``error`` where rows of an (n, k) masked array have entries without a value; NumPy would drop the mask."""
    if isinstance(values, np.ma.MaskedArray) and values.ndim == 2 and values.dtype.names is None:
        rows = np.flatnonzero(np.ma.getmaskarray(values).any(axis=1))
        if len(rows):
            raise error(f"{name}: row {rows[0]} is masked ({len(rows)} such in all): leave out what has no value")
