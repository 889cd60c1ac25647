"""The stages after float64: integers of fixed width, then Python integers for the few undecided cases."""

from collections.abc import Generator

import numpy as np

from .rational import rational_impact
from .stages import INTEGERS, RATIONAL, UNDECIDED
from .wide_stage import decide_all_in_integers


def integer_stage_steps(
    start: np.ndarray, end: np.ndarray, kind: int, counts: np.ndarray
) -> Generator[float, None, tuple[np.ndarray, np.ndarray]]:
    """Return (decisions (n,) uint8, times (n,), NaN if they do not meet) for rows (n, 4, 3); adds to the counts."""
    verdicts, moments = np.empty(len(start), np.uint8), np.empty(len(start))
    decide_all_in_integers(start, end, kind, verdicts, moments)
    left = np.flatnonzero(verdicts == UNDECIDED).tolist()
    for k, i in enumerate(left):
        yield k / len(left)
        verdicts[i], moments[i] = rational_impact(start[i], end[i], kind)
    counts[INTEGERS] += len(start) - len(left)
    counts[RATIONAL] += len(left)
    return verdicts, moments
