"""``clearance`` where one object, or both, is an exact shape."""

import time
from collections.abc import Generator
from typing import Any

from ...types.results import QueryStats
from ..results import Clearances
from ..shape_pairs import within_steps
from ..table import Asked


def solve(asked: Asked) -> Generator[Any, None, Clearances]:
    """All pairs of triangles within the tolerance; a shape without triangles has -1 in their place."""
    pairs, distances, poses, points = yield from within_steps(asked)
    stats = QueryStats(seconds=time.perf_counter() - asked.start)
    return Clearances((pairs, distances, poses), asked.options.tolerance, stats, known_points=points)
