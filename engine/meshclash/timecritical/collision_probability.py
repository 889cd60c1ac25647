"""The probability that two objects collide, computed from the state of an interrupted search.

The remaining pairs of nodes cover every contact once, but they are not independent: 1 - product(1 - p) is far too high.
So the probability is *measured*: how often objects collided whose search was interrupted in a similar state. The state
consists of the hazard, the numbers of pairs left and pairs opened, their height above the leaves, the amount of surface
in the boxes of the pairs, and the spread of both surfaces. ``bench timecritical --parts fit`` prints the numbers below;
``--parts calibration`` tests them on models that were not used for fitting (``docs/decisions/0014``).
"""

import math

import numpy as np

from ..jit import inner, portable
from .cells import CELL_COUNT

MEASURES = 6
PRODUCTS = 1 + MEASURES + MEASURES * (MEASURES + 1) // 2
KNOTS = np.array([-6.0, -4.5, -3.5, -2.5, -1.75, -1.0, -0.5, 0.0, 0.5, 1.0, 1.75, 2.5, 3.5, 4.5, 6.0])
WEIGHTS = np.array(
    [
        -1.846, 1.447, 2.079, -0.1682, 8.875, 0.7155, -46.99, 0.06163, -0.08384, -0.0685, -0.06907, 0.6488, 0.3316,
        0.3059, -0.3384, -0.3126, -1.188, -3.095, 0.09126, -0.9134, -0.4387, -1.079, -0.5958, -0.9599, 3.361, 5.574,
        -27.24, 149.7,
    ]
)  # fmt: skip
SHARES = np.array(
    [
        0.016, 0.051, 0.051, 0.088, 0.151, 0.245, 0.368, 0.512, 0.536, 0.722, 0.86, 0.921, 0.988, 0.994, 0.999,
    ]
)  # fmt: skip
UNKNOWN = 0.5
"""The probability for objects that were not examined."""


@portable
def measures(hazards, left, opened, heights, highest, filled, spread):
    """Return the measures of an interrupted search.

    Args:
        hazards: -sum ln(1 - p) over the remaining pairs of nodes.
        left, opened: numbers of pairs of nodes that remain, and that were opened.
        heights: the sum of the heights of the remaining pairs. Both roots together have the height ``highest``.
        filled: the sum of the possible collision cells of the remaining pairs.
        spread: the mean spread of both trees (``cells.py``).
    """
    return (
        math.log(max(hazards, 1e-9)),
        math.log(left),
        math.log(1.0 + opened),
        heights / (left * max(highest, 1)),
        filled / (2.0 * CELL_COUNT * left),
        spread,
    )


@portable
def products(values, out):
    """Write 1, the measures, and the products of pairs of measures to ``out`` (PRODUCTS,)."""
    out[0] = 1.0
    n = 1
    for i in range(MEASURES):
        out[n] = values[i]
        n += 1
    for i in range(MEASURES):
        for j in range(i, MEASURES):
            out[n] = values[i] * values[j]
            n += 1


@inner
def collision_probability(hazards, left, opened, heights, highest, filled, spread):
    """Return the probability that objects collide whose search was interrupted in this state.

    The arguments are those of ``measures``.
    """
    if opened == 0:
        return UNKNOWN
    terms = np.empty(PRODUCTS)
    products(measures(hazards, left, opened, heights, highest, filled, spread), terms)
    score = 0.0
    for n in range(PRODUCTS):
        score += WEIGHTS[n] * terms[n]
    return np.interp(score, KNOTS, SHARES)
