"""``collides`` where one object, or both, is a clustered mesh: page by page, until one contact is found."""

from collections.abc import Generator

import numpy as np

from ...massive.cluster_contacts import ContactOptions, contact_steps
from ...massive.operands import side_of
from ..table import Request


def solve(asked: Request) -> Generator[float, None, bool | np.ndarray]:
    """Whether they meet, or (k,) bool for a stack of poses."""
    options = ContactOptions(not asked.options.touching, first_only=True, threads=asked.options.threads)
    a, b = asked.things
    answer, _ = yield from contact_steps(side_of(a), side_of(b), *asked.rows, options)
    return asked.met(answer.jobs)
