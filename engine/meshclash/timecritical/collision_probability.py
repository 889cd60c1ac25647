"""The probability that two objects collide whose search was stopped, from what is left of it.

The pairs of nodes that are left cover every contact once, but they depend on one another: 1 - product(1 - p) is far too
sure. So the probability is *measured*: how often objects collided whose search was stopped with so much hazard, so
many pairs left, so many opened, so far from the leaves of trees so high, with so much surface in the boxes of the pairs
and of the trees, of objects so flat whose surface spreads so far. ``bench timecritical --parts fit`` prints the numbers
below (``docs/decisions/0014``).
"""

import math

import numpy as np

from ..jit import inner, portable
from .cells import CELL_COUNT

MEASURES = 9
PRODUCTS = 1 + MEASURES + MEASURES * (MEASURES + 1) // 2
KNOTS = np.array([-6.0, -4.5, -3.5, -2.5, -1.75, -1.0, -0.5, 0.0, 0.5, 1.0, 1.75, 2.5, 3.5, 4.5, 6.0])
WEIGHTS = np.array(
    [
        39.69, 3.52, -1.045, 2.468, 34.61, -15.35, -60.46, -105.8, -6.701, -110.3, 0.06811, -0.1761, 0.05764,
        0.5814, -0.5085, 0.8308, 1.164, 0.05454, -2.923, 0.6258, -0.8321, -1.73, 0.7041, 4.287, -2.037, 0.3837,
        -0.6136, 0.4731, 2.627, -1.608, -6.974, -0.6059, -0.129, 4.346, 11.31, -9.826, -3.43, -19.1, 1.317, -14.9,
        2.837, 7.949, 30.68, -0.3141, -13.57, 5.098, 6.518, -0.2045, 102.0, 33.09, -1.493, 53.59, 0.3548, 24.15,
        261.4,
    ]
)  # fmt: skip
SHARES = np.array(
    [
        0.012, 0.034, 0.054, 0.092, 0.157, 0.276, 0.386, 0.487, 0.6, 0.69, 0.827, 0.93, 0.983, 0.996, 0.999,
    ]
)  # fmt: skip
UNKNOWN = 0.5
"""Of objects that were not looked at."""


@portable
def measures(hazards, left, opened, heights, highest, filled, fullness, flatness, spread):
    """What is measured of a stopped search.

    Args:
        hazards: -sum ln(1 - p) over the pairs of nodes that are left.
        left, opened: pairs of nodes.
        heights: the sum of the heights of those that are left; both roots together have the height ``highest``.
        filled: the sum of the possible collision cells of those that are left.
        fullness, flatness, spread: the means of both trees' (``cells.py``).
    """
    return (
        math.log(max(hazards, 1e-9)),
        math.log(left),
        math.log(1.0 + opened),
        heights / (left * max(highest, 1)),
        math.log(1.0 + highest),
        filled / (2.0 * CELL_COUNT * left),
        fullness,
        flatness,
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
def collision_probability(hazards, left, opened, heights, highest, filled, fullness, flatness, spread):
    """The share of objects that collided whose searches were stopped in such a state; arguments as ``measures``."""
    if opened == 0:
        return UNKNOWN
    terms = np.empty(PRODUCTS)
    products(measures(hazards, left, opened, heights, highest, filled, fullness, flatness, spread), terms)
    score = 0.0
    for n in range(PRODUCTS):
        score += WEIGHTS[n] * terms[n]
    return np.interp(score, KNOTS, SHARES)
