"""The probability that two objects collide, computed from the state of an interrupted search.

The remaining pairs of nodes cover every contact once, but they are not independent: 1 - product(1 - p) is far too high.
So the probability is *measured*: the fraction of objects that collided after searches that were interrupted in a
similar state. The share differs from kind to kind of shape, and with the way in which objects are placed. So the result
also has an interval: for nine of ten kinds and placements, the fraction of objects that collide lies in it. ``bench
timecritical --parts fit`` prints the numbers below; ``--parts calibration`` tests them on shapes that were not used for
fitting (``docs/decisions/0014``).
"""

import math

import numpy as np

from ..jit import inner, portable
from .cells import CELL_COUNT

MEASURES = 10
PRODUCTS = 1 + MEASURES + MEASURES * (MEASURES + 1) // 2
RANGES = np.array(
    [
        [-20.72, 3.613], [0, 5.003], [0, 6.056], [0.08371, 1], [0, 0.8438], [0.1942, 0.3592], [-7.488, 0],
        [-8.927, 0], [0.2727, 1], [0, 5.357],
    ]
)  # fmt: skip
"""Range of each measure in the searches of the fit, (MEASURES, 2). Measures outside count as the nearest end."""
WEIGHTS = np.array(
    [
        -0.9648, 0.2512, 1.425, -0.1506, 2.182, -1.177, 0.5439, 1.221, -1.222, 0.4215, -0.3527, 2.72, -1.521,
        0.8164, 0.2455, 0.265, 0.04528, -0.08525, -0.1081, 0.2207, -0.3669, -0.8883, 2.275, 0.5775, -0.5529,
        -0.05491, -0.8215, 0.09367, 0.9527, -0.9704, 0.0007399, -0.5363, -0.526, -0.3101, -0.7039, 0.05949,
        1.025, -0.7607, -0.4326, -0.1042, -0.03638, 0.3456, 0.07919, -0.06127, 1.827, -0.1774, 0.1242, 0.7262,
        -0.9612, 0.2113, -1.15, 0.1991, -2.223, 2.017, -0.007001, -0.03613, 0.6443, 0.8053, 0.7429, 0.5879,
        -1.219, -0.3954, -0.4962, -0.07176, -1.102, 0.2699,
    ]
)  # fmt: skip
KNOTS = np.array([-6.0, -4.5, -3.5, -2.5, -1.75, -1.0, -0.5, 0.0, 0.5, 1.0, 1.75, 2.5, 3.5, 4.5, 6.0])
"""Scores, the sums of weighted products, at which the curves below are given."""
SHARES = np.array(
    [
        0.003341, 0.008132, 0.0475, 0.1073, 0.1961, 0.3034, 0.4126, 0.498, 0.6251, 0.7045, 0.8217, 0.9192,
        0.9808, 0.9808, 0.998,
    ]
)  # fmt: skip
"""Fraction of the searches with this score whose objects collide."""
LOWS = np.array(
    [
        0.002, 0.002, 0.002, 0.002, 0.002, 0.02148, 0.08723, 0.2259, 0.366, 0.4304, 0.5022, 0.5639, 0.5639,
        0.5639, 0.5639,
    ]
)  # fmt: skip
HIGHS = np.array(
    [
        0.4209, 0.4209, 0.4209, 0.4209, 0.6839, 0.7126, 0.7153, 0.8547, 0.9397, 0.9867, 0.998, 0.998, 0.998,
        0.998, 0.998,
    ]
)  # fmt: skip
"""Fractions of searches with this score between which nine of ten kinds and placements lie."""


@portable
def measures(hazards, left, opened, heights, highest, filled, spread, common, ratio, tested, met, out):
    """Write the measures of an interrupted search to ``out`` (MEASURES,).

    Args:
        hazards: -sum ln(1 - p) over the remaining pairs of nodes.
        left, opened: numbers of pairs of nodes that remain, and that were opened.
        heights: the sum of the heights of the remaining pairs. Both roots together have the height ``highest``.
        filled: the sum of the possible collision cells of the remaining pairs.
        spread: the mean spread of both trees (``cells.py``).
        common: the fraction of the roots' boxes that lies inside the other box, the smaller one.
        ratio: the volume of the smaller root's box, divided by that of the larger.
        tested, met: numbers of pairs of boxes that were tested, and that overlap.
    """
    out[0] = math.log(max(hazards, 1e-9))
    out[1] = math.log(left)
    out[2] = math.log(1.0 + opened)
    out[3] = heights / (left * max(highest, 1))
    out[4] = filled / (2.0 * CELL_COUNT * left)
    out[5] = spread
    out[6] = math.log(max(common, 1e-9))
    out[7] = math.log(max(ratio, 1e-9))
    out[8] = met / tested
    out[9] = math.log(1.0 + met - left - opened)  # pairs of leaves that were decided to be apart


@portable
def products(values, out):
    """Write 1, the measures scaled to the range -1 to 1, and the products of two measures each to ``out``."""
    out[0] = 1.0
    for i in range(MEASURES):
        low, high = RANGES[i, 0], RANGES[i, 1]
        out[1 + i] = 2.0 * (min(max(values[i], low), high) - low) / (high - low) - 1.0
    n = 1 + MEASURES
    for i in range(MEASURES):
        for j in range(i, MEASURES):
            out[n] = out[1 + i] * out[1 + j]
            n += 1


@inner
def collision_probability(values, interval):
    """Return the probability that two objects collide whose search was interrupted; write its confidence interval to
    ``interval``.

    Args:
        values: (MEASURES,), written by ``measures``.
        interval: (2,): the shares between which nine of ten kinds of shapes and placements lie.
    """
    terms = np.empty(PRODUCTS)
    products(values, terms)
    score = 0.0
    for n in range(PRODUCTS):
        score += WEIGHTS[n] * terms[n]
    interval[0], interval[1] = np.interp(score, KNOTS, LOWS), np.interp(score, KNOTS, HIGHS)
    return np.interp(score, KNOTS, SHARES)
