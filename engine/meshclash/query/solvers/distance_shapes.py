"""``distance`` where one object, or both, is an exact shape."""

import time
from collections.abc import Generator
from typing import Any

import numpy as np

from ...types.results import QueryStats
from ..results import Distance, no_start
from ..shape_pairs import near_steps
from ..table import Asked


def solve(asked: Asked) -> Generator[Any, None, Distance]:
    """The distance; errors and an earlier answer do not make it faster."""
    options = asked.options
    if not isinstance(options.start, Distance | None):
        raise no_start("distance", options.start)
    near = yield from near_steps(asked)
    beyond = near.distances > options.upper_limit
    distances, points = np.where(beyond, np.inf, near.distances), near.points.copy()
    points[beyond | np.isinf(near.distances)] = np.nan
    triangles = np.where(beyond[:, None], -1, near.triangles)
    stats = QueryStats(seconds=time.perf_counter() - asked.start)
    bounds = 0.0, 0.0, options.upper_limit, 0.0
    if asked.stacked:
        return Distance(distances, points, triangles[:, 0], triangles[:, 1], stats, None, bounds)
    return Distance(float(distances[0]), points[0], *triangles[0].tolist(), stats, None, bounds)
