"""What a time-critical question may ask for, checked in one place."""

import math
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..types.numbers import real_number
from .search import Criterion

COUNTS = ("paper", "antichain")


_MOST = int(np.iinfo(np.int64).max)


def checked_criterion(p_min: Any, k_min: Any, count: Any) -> Criterion:
    """When a pair of objects counts as colliding; raises UnsupportedOption and names the option."""
    least = real_number(p_min)
    if not 0.0 < least < math.inf:
        raise UnsupportedOption(f"p_min must be a finite number above 0, not {p_min!r:.60}; beyond 1 nothing counts")
    if isinstance(k_min, bool) or not isinstance(k_min, int | np.integer) or k_min < 1:
        raise UnsupportedOption(f"k_min must be a whole number from 1 on, not {k_min!r:.80}")
    if not isinstance(count, str) or count not in COUNTS:
        raise UnsupportedOption(f"count {count!r:.80} is not known; known are {', '.join(COUNTS)}")
    return Criterion(least, min(int(k_min), _MOST), count == "antichain")


def checked_budget(budget: Any) -> float | None:
    """Seconds; raises UnsupportedOption."""
    if budget is None:
        return None
    seconds = real_number(budget)
    if not 0.0 < seconds < math.inf:
        raise UnsupportedOption(f"budget must be None or a finite number of seconds above 0, not {budget!r:.80}")
    return seconds


def checked_steps(steps: Any) -> int | None:
    """A number of steps; raises UnsupportedOption."""
    if steps is None:
        return None
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 0:
        raise UnsupportedOption(f"steps must be None or a whole number from 0 on, not {steps!r:.80}")
    return min(int(steps), _MOST)
