"""The probability that two objects collide, computed from the state of an interrupted search.

The remaining pairs of nodes cover every contact once, but they are not independent: 1 - product(1 - p) is far too high.
So the probability is *measured*: how often objects collided whose search was interrupted in a similar state. The share
differs from kind to kind of shape, and with the way in which objects are placed. So an interval is stated, too: in nine
of ten kinds and placements, the share of objects that collide lies in it. ``bench timecritical --parts fit`` prints the
numbers below; ``--parts calibration`` tests them on shapes that were not used for fitting (``docs/decisions/0014``).
"""

import math

import numpy as np

from ..jit import inner, portable
from .cells import CELL_COUNT

MEASURES = 10
PRODUCTS = 1 + MEASURES + MEASURES * (MEASURES + 1) // 2
RANGES = np.array(
    [
        [-20.72, 3.597], [0, 5.024], [0, 6.157], [0.09163, 1], [0, 0.8594], [0.1944, 0.3592], [-7.21, 0],
        [-7.328, 0], [0.2727, 1], [0, 5.398],
    ]
)  # fmt: skip
"""Range of each measure in the searches of the fit, (MEASURES, 2). Measures outside count as the nearest end."""
WEIGHTS = np.array(
    [
        -1.186, 0.6442, 1.039, 0.5817, 1.967, -1.076, 0.757, 1.603, -1.274, 0.701, -0.7165, 2.704, -1.645,
        0.9399, 0.2524, 0.5635, -0.1397, -0.5153, 0.2461, 0.3949, -0.1629, -1.305, 2.833, 0.3152, 0.0671,
        0.1016, -0.5209, 0.1223, 0.8844, -1.051, -0.6939, -1.226, -1.041, -0.01851, -0.2819, -0.1187, 1.444,
        0.2399, -0.6953, -0.9244, 0.3607, 1.259, -0.5776, -0.1619, 2.006, 0.951, -0.3604, -0.07605, 0.06861,
        0.1398, -0.5354, 0.6407, -1.224, 0.9604, 0.1715, -0.2421, 1.201, -0.917, 0.9048, -0.09473, -0.322,
        -0.2794, -0.13, 0.08278, -0.8914, -0.3608,
    ]
)  # fmt: skip
KNOTS = np.array([-6.0, -4.5, -3.5, -2.5, -1.75, -1.0, -0.5, 0.0, 0.5, 1.0, 1.75, 2.5, 3.5, 4.5, 6.0])
"""Scores, the sums of weighted products, at which the curves below are given."""
SHARES = np.array(
    [
        0.002, 0.002338, 0.02765, 0.08813, 0.1723, 0.2967, 0.4016, 0.5055, 0.6037, 0.707, 0.8506, 0.9257,
        0.9854, 0.998, 0.998,
    ]
)  # fmt: skip
"""Share of the searches with this score whose objects collide."""
LOWS = np.array(
    [
        0.002, 0.002, 0.002, 0.002, 0.003062, 0.06659, 0.1229, 0.2756, 0.3555, 0.4141, 0.5576, 0.6538, 0.8869,
        0.8869, 0.8869,
    ]
)  # fmt: skip
HIGHS = np.array(
    [
        0.2932, 0.2932, 0.2932, 0.2932, 0.3998, 0.5907, 0.7232, 0.7237, 0.836, 0.9689, 0.998, 0.998, 0.998,
        0.998, 0.998,
    ]
)  # fmt: skip
"""Shares of searches with this score between which nine of ten kinds and placements lie."""


@portable
def measures(hazards, left, opened, heights, highest, filled, spread, common, ratio, tested, met, out):
    """Write the measures of an interrupted search to ``out`` (MEASURES,).

    Args:
        hazards: -sum ln(1 - p) over the remaining pairs of nodes.
        left, opened: numbers of pairs of nodes that remain, and that were opened.
        heights: the sum of the heights of the remaining pairs. Both roots together have the height ``highest``.
        filled: the sum of the possible collision cells of the remaining pairs.
        spread: the mean spread of both trees (``cells.py``).
        common: the share of the roots' boxes that lies inside the other's box, the smaller one.
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
    """Write 1, the measures, scaled from their range to -1 to 1, and the products of two of them to ``out``."""
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
    """Return the probability that objects collide whose search was interrupted; write its interval to ``interval``.

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
