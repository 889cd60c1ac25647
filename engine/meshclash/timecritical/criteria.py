"""What a time-critical question may ask for, checked in one place."""

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
    """When a pair of objects counts as colliding; raises UnsupportedOption and names the option."""
    least = real_number(p_min)
    if not 0.0 < least < math.inf:
        raise UnsupportedOption(f"p_min must be a finite number above 0, not {shown(p_min)}; beyond 1 nothing counts")
    return Criterion(least, min(whole_number("k_min", k_min, 1), _MOST), one_of("count", count, COUNTS) == "antichain")


def checked_budget(budget: Any) -> float | None:
    """Seconds; raises UnsupportedOption."""
    if budget is None:
        return None
    seconds = real_number(budget)
    if not 0.0 < seconds < math.inf:
        raise UnsupportedOption(f"budget must be None or a finite number of seconds above 0, not {shown(budget)}")
    return seconds


def checked_steps(steps: Any) -> int | None:
    """A number of steps; raises UnsupportedOption."""
    if steps is None:
        return None
    return min(whole_number("steps", steps, 0), _MOST)
