"""Measure the distance between two triangles, and keep the results of distance queries; shared by both engines for
distances.

Distances are float64. If a distance is within rounding error of 0, this code cannot decide whether the triangles meet:
the distance counts as 0, and ``answering/exact_distances.py`` decides with exact predicates.
"""

import numpy as np

from ..geometry.triangle_distance import closest_of_triangles
from ..jit import inlined, inner
from .pairs import STATE_LENGTH, place_triangle

# Entries of the options array.
NEAREST, CHAINED, STEP_LIMIT, ALONE, OPTIONS_LENGTH = range(5)
# An entry of the state array in addition to those of ``pairs.py``: whether pairs are in a heap.
ORDERED = STATE_LENGTH
NEAR_STATE_LENGTH = STATE_LENGTH + 1
# Entries of the errors array: permitted errors of the nearest distance; the fraction of the coordinates below which a
# distance is uncertain (negative if all triangles are known to be apart); then limits [m]: the largest distance to
# search for, and the distance below which a pair is near enough to stop.
RELATIVE, ABSOLUTE, ROUNDING, UPPER, LOWER, ERRORS_LENGTH = range(6)


@inlined
def _corners(leaf, i):
    a = leaf[i]
    return (a[0], a[1], a[2]), (a[3], a[4], a[5]), (a[6], a[7], a[8])


@inner
def leaf_distance(leaf_a, i, leaf_b, j, apart):
    """Return (distance [m], point of the first, point of the second) of two triangles loaded as by ``pairs.py``."""
    p1, q1, r1 = _corners(leaf_a, i)
    p2, q2, r2 = _corners(leaf_b, j)
    return closest_of_triangles(p1, q1, r1, p2, q2, r2, apart)


@inlined
def rounding_of(leaf_a, i, leaf_b, j, share):
    """Return the distance [m] up to which rounding may hide that two triangles meet: a fraction of their
    coordinates.
    """
    size = 0.0
    for k in range(9, 15):
        size = max(size, abs(leaf_a[i, k]), abs(leaf_b[j, k]))
    return share * size


@inlined
def keep_nearer(found, job, distance, t, u, x, y):
    """Replace the nearest pair of a job if the new pair is nearer, or equally near and sorted before the old pair.

    Returns whether the pair was replaced.
    """
    distances, points, pairs = found
    if distance > distances[job]:
        return False
    later = t > pairs[job, 0] or (t == pairs[job, 0] and u >= pairs[job, 1])
    if distance == distances[job] and pairs[job, 0] >= 0 and later:
        return False
    distances[job] = distance
    pairs[job, 0] = t
    pairs[job, 1] = u
    for k in range(3):
        points[job, 0, k] = x[k]
        points[job, 1, k] = y[k]
    return True


@inlined
def take_known(known, job, chained):
    """Return the pair from which a job starts: a given pair or, if jobs are chained, the result of the previous job; -1
    for none.
    """
    t, u = np.int64(known[job, 0]), np.int64(known[job, 1])
    if t < 0 and chained and job > 0:
        t, u = np.int64(known[job - 1, 0]), np.int64(known[job - 1, 1])
    known[job, 0] = -1
    return t, u


@inlined
def start_from_known(forest_a, forest_b, tree_a, tree_b, pose_a, pose_b, leaf_a, leaf_b, found, job, chained, apart):
    """Measure the pair of triangles from which a job starts; return whether there is such a pair."""
    t, u = take_known(found[2], job, chained)
    if t < 0:
        return False
    place_triangle(forest_a, tree_a, t, pose_a, leaf_a, 0)
    place_triangle(forest_b, tree_b, u, pose_b, leaf_b, 0)
    distance, x, y = leaf_distance(leaf_a, 0, leaf_b, 0, apart)
    keep_nearer(found, job, distance, t, u, x, y)
    return True


@inlined
def pruning_limit(distance, errors):
    """Return the distance beyond which pairs can be pruned if a pair at ``distance`` is known."""
    return max(distance * (1.0 - errors[RELATIVE]) - errors[ABSOLUTE], 0.0)
