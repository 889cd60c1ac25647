"""``self_collide`` of a mesh by its hierarchy, against itself but for what neighbours share."""

from collections.abc import Generator

from ...traversal.contacts import Contacts
from ..sides import answered
from ..table import Asked


def solve(asked: Asked) -> Generator[float, None, Contacts]:
    """All contacts with itself."""
    options = {"crossing_only": not asked.options.touching, "threads": asked.options.threads, "with_itself": True}
    answer, meshes = yield from answered(asked, asked.rows, **options)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, asked.stats(answer), meshes, asked.rows)
