"""``collide`` of two meshes, and ``self_collide`` of one, by hierarchies: one pair of trees for each pose."""

from collections.abc import Generator

from ...traversal.contacts import Contacts
from ..operands import answered
from ..table import Request


def solve(asked: Request) -> Generator[float, None, Contacts]:
    """All contacts; of one mesh those with itself, but for what neighbours share."""
    options = {"crossing_only": not asked.options.touching, "threads": asked.options.threads}
    answer, meshes = yield from answered(asked, asked.rows, with_itself=asked.query.sides == 1, **options)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, asked.stats(answer), meshes, asked.rows)
