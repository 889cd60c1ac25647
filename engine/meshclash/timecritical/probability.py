"""The probability that the surfaces in two boxes meet, computed from how much of each box its surface fills.

The formulas are from Klein and Zachmann, ADB-trees, 2003 (equation numbers are those of the survey by Zachmann). The
common volume of two boxes is modelled as s cells. s_A random cells contain enough of one surface, and s_B random cells
enough of the other surface. A cell that contains enough of both surfaces is a collision cell.
"""

from functools import cache

import numpy as np

from ..jit import inlined, kernel

MOST_CELLS = 4096
"""Largest number of cells; finer partitions of a common volume count as having this number."""
_MOST_COLLISION_CELLS = 10  # equation 9 has its maximum at few of them


@cache
def log_factorials() -> np.ndarray:
    """Return ln 0! to ln MOST_CELLS!, (MOST_CELLS + 1,) float64."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, MOST_CELLS + 1)))])


@inlined
def _log_choose(n, k, logs):
    return logs[n] - logs[k] - logs[n - k]


@inlined
def meeting_probability(cells, cells_a, cells_b, certainty, logs):
    """Evaluate equation 9: the maximum over x of Pr[at least x collision cells] (1 - (1 - certainty)**x).

    ``certainty`` is LB, the probability that the surfaces in a collision cell meet. Pr is equation 8, the upper tail of
    the hypergeometric distribution; impossible terms are skipped.
    """
    few = min(cells_a, cells_b)
    if few <= 0 or certainty <= 0.0:
        return 0.0
    least = max(0, cells_a + cells_b - cells)
    log_first = _log_choose(cells_b, least, logs) + _log_choose(cells - cells_b, cells_a - least, logs)
    term = np.exp(log_first - _log_choose(cells, cells_a, logs))
    below = 0.0
    missed = 1.0
    best = 0.0
    t = least
    for x in range(1, min(few, _MOST_COLLISION_CELLS) + 1):
        if x - 1 >= least:  # the term of exactly x - 1 collision cells
            below += term
            term *= (cells_b - t) * (cells_a - t) / ((t + 1.0) * (cells - cells_a - cells_b + t + 1.0))
            t += 1
        if 1.0 - below <= best:  # no later term can be larger
            break
        missed *= 1.0 - certainty
        best = max(best, (1.0 - below) * (1.0 - missed))
    return min(max(best, 0.0), 1.0)


@kernel
def meeting_probabilities(cells, cells_a, cells_b, certainty, logs, result):
    """Write ``meeting_probability`` of many pairs to ``result``. All arrays have one length, except ``logs``, which is
    ``log_factorials()``.
    """
    for k in range(result.shape[0]):
        result[k] = meeting_probability(cells[k], cells_a[k], cells_b[k], certainty[k], logs)
