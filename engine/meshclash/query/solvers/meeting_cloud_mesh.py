"""``collides`` of a cloud and a mesh, or of two clouds: whether a point lies on both surfaces."""

from collections.abc import Generator

import numpy as np

from ...pointcloud.query import search_for
from ...types.results import Progress
from ...types.steps import scale_progress, steps
from ..table import Request


def solve(asked: Request) -> Generator[Progress, None, bool | np.ndarray]:
    """Whether they meet, or (k,) bool for a stack of poses."""
    rows_a, rows_b = asked.every_row
    hits = []
    for k in range(len(rows_a)):
        search, _ = search_for(*asked.things, rows_a[k], rows_b[k], first_only=True)
        yield from scale_progress(steps(search.finish), k / len(rows_a), (k + 1) / len(rows_a))
        hits.append(search.hit)
    return asked.met(np.flatnonzero(hits))
