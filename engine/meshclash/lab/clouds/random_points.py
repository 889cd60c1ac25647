"""The leaf test of the paper: random test points near one surface, and their distances to both surfaces.

Source: Klein and Zachmann (2004), section 5.3, eq. 8.
"""

import numpy as np

from ...jit import inner
from ...pointcloud.root_search import value_at
from ...pointcloud.surface import HORIZON2


@inner
def random_number(counter):
    """Return a number in [0, 1) from a counter (SplitMix64), so that a query can be repeated."""
    counter[0] += 1
    z = np.uint64(counter[0]) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@inner
def random_below(counter, limit):
    """Return a whole number from 0 to ``limit`` - 1 from a counter."""
    return min(np.int64(random_number(counter) * limit), limit - 1)


@inner
def _random_offset(counter, radius):
    """Return a random vector no longer than the radius, by rejection sampling."""
    while True:
        x = 2.0 * random_number(counter) - 1.0
        y = 2.0 * random_number(counter) - 1.0
        z = 2.0 * random_number(counter) - 1.0
        if x * x + y * y + z * z <= 1.0:
            return x * radius, y * radius, z * radius


@inner
def closest_test_point(p, q, tried, radius, test_points, enough, counter, work):
    """Return the smallest |f_p| + |f_q| over random points in spheres around p's points, as (distance, point).

    Spheres larger than the horizon would mostly contain points without a surface, so their radius is limited to the
    horizon. Stops when the distance is ``enough``.
    """
    points, chosen = p.points, p.chosen
    radius = min(radius, np.sqrt(p.parameters[HORIZON2]))
    best = np.inf
    where = (0.0, 0.0, 0.0)
    for _ in range(test_points):
        i = chosen[random_below(counter, tried)]
        offset = _random_offset(counter, radius)
        x = (points[i, 0] + offset[0], points[i, 1] + offset[1], points[i, 2] + offset[2])
        fp, _, there = value_at(p, x, work)
        if not there or abs(fp) >= best:
            continue
        fq, _, there = value_at(q, x, work)
        if there and abs(fp) + abs(fq) < best:
            best = abs(fp) + abs(fq)
            where = x
            if best <= enough:
                break
    return best, where
