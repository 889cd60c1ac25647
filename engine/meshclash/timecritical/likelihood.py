"""The probability that two objects collide whose search was stopped, from what is left of it.

The pairs of nodes that are left cover every contact once, but they depend on one another: 1 - product(1 - p) is far too
sure. So the probability is *measured*: how often objects collided whose search was stopped with so much evidence, so
many pairs left, so many opened, so far from the leaves of trees so high, with so much surface in the boxes of the pairs
and of the trees, of objects so flat. ``bench timecritical --parts fit`` prints the numbers below
(``docs/decisions/0014``).
"""

import math

import numpy as np

from ..jit import inner, portable
from .cells import CELL_COUNT

MEASURES = 8
PRODUCTS = 1 + MEASURES + MEASURES * (MEASURES + 1) // 2
KNOTS = np.array([-6.0, -4.5, -3.5, -2.5, -1.75, -1.0, -0.5, 0.0, 0.5, 1.0, 1.75, 2.5, 3.5, 4.5, 6.0])
WEIGHTS = np.array(
    [
        18.78, 2.795, -0.3125, 2.923, 34.23, -12.0, -47.71, -94.12, 2.743, 0.0726, -0.1579, 0.07786, 0.6238,
        -0.4745, 0.5846, -0.3296, -0.02289, 0.5546, -0.7219, -2.192, 0.3253, 6.528, -3.702, 0.08766, 0.367,
        2.812, -1.06, -8.266, 0.7845, 0.4492, 8.258, -8.424, 0.941, -29.99, 3.644, 1.558, 6.97, 31.39, -1.121,
        9.477, 34.71, -4.019, 43.57, -5.396, 0.1469,
    ]
)  # fmt: skip
SHARES = np.array(
    [
        0.014, 0.028, 0.063, 0.097, 0.162, 0.291, 0.403, 0.476, 0.609, 0.693, 0.816, 0.924, 0.983, 0.998, 0.999,
    ]
)  # fmt: skip
UNKNOWN = 0.5
"""Of objects that were not looked at."""


@portable
def measures(evidence, left, opened, heights, highest, filled, fullness, flatness):
    """What is measured of a stopped search.

    Args:
        evidence: -sum ln(1 - p) over the pairs of nodes that are left.
        left, opened: pairs of nodes.
        heights: the sum of the heights of those that are left; both roots together have the height ``highest``.
        filled: the sum of the possible collision cells of those that are left.
        fullness, flatness: the means of both trees' (``cells.py``).
    """
    return (
        math.log(max(evidence, 1e-9)),
        math.log(left),
        math.log(1.0 + opened),
        heights / (left * max(highest, 1)),
        math.log(1.0 + highest),
        filled / (2.0 * CELL_COUNT * left),
        fullness,
        flatness,
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
def collision_probability(evidence, left, opened, heights, highest, filled, fullness, flatness):
    """The share of objects that collided whose searches were stopped in such a state; arguments as ``measures``."""
    if opened == 0:
        return UNKNOWN
    terms = np.empty(PRODUCTS)
    products(measures(evidence, left, opened, heights, highest, filled, fullness, flatness), terms)
    score = 0.0
    for n in range(PRODUCTS):
        score += WEIGHTS[n] * terms[n]
    return np.interp(score, KNOTS, SHARES)
