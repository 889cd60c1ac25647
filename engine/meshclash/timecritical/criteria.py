"""Checks of the options of time-critical queries."""

import math
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..messages import shown
from ..types.arguments import one_of
from ..types.numbers import real_number, whole_number
from .search import Criterion

COUNTS = ("paper", "antichain")


_MOST = int(np.iinfo(np.int64).max)


def checked_criterion(p_min: Any, k_min: Any, count: Any) -> Criterion:
    """Return the checked criterion by which a pair counts as colliding; raise UnsupportedOption otherwise."""
    least = real_number(p_min)
    if not 0.0 < least < math.inf:
        raise UnsupportedOption(
            f"p_min must be a positive finite number, not {shown(p_min)}; no contact reaches a probability above 1"
        )
    return Criterion(least, min(whole_number("k_min", k_min, 1), _MOST), one_of("count", count, COUNTS) == "antichain")


def checked_budget(budget: Any) -> float | None:
    """Return a checked time budget [s]; raise UnsupportedOption if it is invalid."""
    if budget is None:
        return None
    seconds = real_number(budget)
    if not 0.0 < seconds < math.inf:
        raise UnsupportedOption(f"budget must be None or a positive finite number of seconds, not {shown(budget)}")
    return seconds


def checked_steps(steps: Any) -> int | None:
    """Return a checked number of steps; raise UnsupportedOption if it is invalid."""
    if steps is None:
        return None
    return min(whole_number("steps", steps, 0), _MOST)
