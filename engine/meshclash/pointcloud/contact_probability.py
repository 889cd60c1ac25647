"""The probability that an interrupted search of a pair with a point cloud will still find a contact.

The longer a search finds nothing, the less likely is a contact, although the most promising pair of nodes may look as
promising as before. So the probability is measured, as in ``timecritical/collision_probability.py``: a logistic
regression on a few measures of searches that were interrupted. ``bench timecritical --parts scan-fit`` prints the
weights; ``--parts scans`` tests them on shapes that were not used for fitting.
"""

import math

import numpy as np

from .best_first import EVALUATIONS, HEAP_USED, LEAF_TESTS, VOLUME_TESTS
from .traverse import LATE

MEASURES = 7
CLOUD_WEIGHTS = (0.054, 0.974, -1.013, -0.464, -0.805, -0.04, 1.577)
MESH_WEIGHTS = (-2.704, -2.558, 1.259, -0.211, -0.261, 0.02, 2.229)
"""Weights of the measures for searches of two clouds, and of a cloud and a mesh."""
_MOST_SCORE = 6.2
"""Largest score of both results, a probability of .998: what is not proved is not certain."""


def measures(state: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return the measures of an interrupted search, (MEASURES,).

    Args:
        state: the state of the search (``best_first.py``).
        keys: the heap's negated keys, with the most promising pair first. At least one pair is waiting.
    """
    best = float(keys[0])
    only_rims = best >= LATE
    counts = state[[LEAF_TESTS, VOLUME_TESTS, EVALUATIONS, HEAP_USED]].astype(np.float64)
    return np.array([1.0, 0.0 if only_rims else -best, float(only_rims), *np.log1p(counts)])


def contact_probability(measured: np.ndarray, weights: tuple[float, ...]) -> float:
    """Return the probability that a search with the given measures will find a contact; never exactly 0 or 1."""
    score = min(max(float(measured @ np.array(weights)), -_MOST_SCORE), _MOST_SCORE)
    return 1.0 / (1.0 + math.exp(-score))
