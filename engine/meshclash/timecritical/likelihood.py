"""The probability that two objects collide whose search was stopped, from what is left of it.

The pairs of nodes that are left cover every contact once, but they depend on one another: 1 - product(1 - p) is far too
sure. So the probability is *measured*: how often objects collided whose search was stopped with so much evidence, so
many pairs left, so many opened, so far from the leaves of trees so high. ``bench timecritical --parts fit`` prints
the numbers below (``docs/decisions/0014``).
"""

import math

import numpy as np

from ..jit import inner, portable

MEASURES = 5
PRODUCTS = 1 + MEASURES + MEASURES * (MEASURES + 1) // 2
KNOTS = np.array([-6.0, -4.5, -3.5, -2.5, -1.75, -1.0, -0.5, 0.0, 0.5, 1.0, 1.75, 2.5, 3.5, 4.5, 6.0])
WEIGHTS = np.array(
    [
        4.191, 2.23, -0.2964, -2.338, -8.715, -2.028, 0.07216, -0.1759, -0.06658, 0.9013, -0.08232, 0.7936, -0.4727,
        2.672, -0.6788, -0.05873, -0.4552, 0.7277, 12.83, -2.489, 0.6345,
    ]
)  # fmt: skip
SHARES = np.array(
    [0.007, 0.044, 0.065, 0.124, 0.215, 0.265, 0.369, 0.471, 0.562, 0.643, 0.805, 0.914, 0.994, 0.999, 0.999]
)
UNKNOWN = 0.5
"""Of objects that were not looked at."""


@portable
def measures(evidence, left, opened, heights, highest):
    """What is measured of a stopped search.

    Args:
        evidence: -sum ln(1 - p) over the pairs of nodes that are left.
        left, opened: pairs of nodes.
        heights: the sum of the heights of those that are left; both roots together have the height ``highest``.
    """
    level = heights / (left * max(highest, 1))
    return math.log(max(evidence, 1e-9)), math.log(left), math.log(1.0 + opened), level, math.log(1.0 + highest)


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
def collision_probability(evidence, left, opened, heights, highest):
    """The share of objects that collided whose searches were stopped in such a state; arguments as ``measures``."""
    if opened == 0:
        return UNKNOWN
    terms = np.empty(PRODUCTS)
    products(measures(evidence, left, opened, heights, highest), terms)
    score = 0.0
    for n in range(PRODUCTS):
        score += WEIGHTS[n] * terms[n]
    return np.interp(score, KNOTS, SHARES)
