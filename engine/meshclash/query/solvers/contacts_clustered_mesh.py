"""``collide`` where one object, or both, is a clustered mesh: page by page."""

from collections.abc import Generator

from ...massive.cluster_contacts import ContactOptions, contact_steps
from ...massive.operands import as_sources, side_of
from ...traversal.contacts import Contacts
from ..table import Request


def solve(asked: Request) -> Generator[float, None, Contacts]:
    """All contacts; of one object (``self_collide``) those with itself."""
    sides = side_of(asked.things[0]), side_of(asked.things[1])
    options = ContactOptions(
        not asked.options.touching, with_itself=asked.query.sides == 1, threads=asked.options.threads
    )
    answer, places = yield from contact_steps(*sides, *asked.rows, options)
    meshes = as_sources(*sides, answer.pairs, places)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, asked.stats(answer), meshes, asked.rows)
