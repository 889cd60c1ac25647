"""``collides`` of two meshes by their hierarchies: it stops at the first contact of each pose."""

from collections.abc import Generator

import numpy as np

from ..operands import answered
from ..table import Request


def solve(asked: Request) -> Generator[float, None, bool | np.ndarray]:
    """Whether they meet, or (k,) bool for a stack of poses."""
    options = {"crossing_only": not asked.options.touching, "threads": asked.options.threads, "first_only": True}
    answer, _ = yield from answered(asked, asked.rows, **options)
    return asked.met(answer.jobs)
