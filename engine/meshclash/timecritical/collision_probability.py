"""The probability that two objects collide whose search was stopped, from what is left of it.

The pairs of nodes that are left cover every contact once, but they depend on one another: 1 - product(1 - p) is far too
sure. So the probability is *measured*: how often objects collided whose search was stopped with so much hazard, so
many pairs left, so many opened, so far from the leaves, with so much surface in the boxes of the pairs, of objects
whose surface spreads so far. ``bench timecritical --parts fit`` prints the numbers below; ``--parts calibration``
judges them on models that no fit has seen (``docs/decisions/0014``).
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
"""Of objects that were not looked at."""


@portable
def measures(hazards, left, opened, heights, highest, filled, spread):
    """What is measured of a stopped search.

    Args:
        hazards: -sum ln(1 - p) over the pairs of nodes that are left.
        left, opened: pairs of nodes.
        heights: the sum of the heights of those that are left; both roots together have the height ``highest``.
        filled: the sum of the possible collision cells of those that are left.
        spread: the mean of both trees' (``cells.py``).
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
    """1, the measures, and their products in pairs, into (PRODUCTS,) numbers."""
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
    """The share of objects that collided whose searches were stopped in such a state; arguments as ``measures``."""
    if opened == 0:
        return UNKNOWN
    terms = np.empty(PRODUCTS)
    products(measures(hazards, left, opened, heights, highest, filled, spread), terms)
    score = 0.0
    for n in range(PRODUCTS):
        score += WEIGHTS[n] * terms[n]
    return np.interp(score, KNOTS, SHARES)
