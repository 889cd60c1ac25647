"""Numbers and arrays as callers give them: what is none is told apart here, and named by whoever asked."""

import math
from typing import Any

import numpy as np

from ..errors import MeshClashError


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


def refuse_masked(name: str, values: Any, error: type[MeshClashError]) -> None:
    """Raise ``error`` where rows of an (n, k) masked array have entries without a value; NumPy would drop the mask."""
    if isinstance(values, np.ma.MaskedArray) and values.ndim == 2 and values.dtype.names is None:
        rows = np.flatnonzero(np.ma.getmaskarray(values).any(axis=1))
        if len(rows):
            raise error(f"{name}: row {rows[0]} is masked ({len(rows)} such in all): leave out what has no value")
