"""``collide`` of two meshes by their hierarchies: a question about one pair of trees, or one for each pose."""

from collections.abc import Generator

from ...traversal.contacts import Contacts
from ..sides import answered
from ..table import Asked


def solve(asked: Asked) -> Generator[float, None, Contacts]:
    """All contacts."""
    options = {"crossing_only": not asked.options.touching, "threads": asked.options.threads}
    answer, meshes = yield from answered(asked, asked.rows, **options)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, asked.stats(answer), meshes, asked.rows)
