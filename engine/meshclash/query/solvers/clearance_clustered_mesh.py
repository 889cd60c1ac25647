"""``clearance`` where one object, or both, is a clustered mesh: page by page."""

from collections.abc import Generator

from ...massive.cluster_distances import clearance_steps
from ...massive.operands import as_sources, side_of
from ..results import Clearances
from ..table import Request


def solve(asked: Request) -> Generator[float, None, Clearances]:
    """All pairs within the tolerance."""
    rows, tolerance = asked.every_row, asked.options.tolerance
    sides = side_of(asked.things[0]), side_of(asked.things[1])
    answer, places = yield from clearance_steps(*sides, *rows, tolerance)
    found, meshes = (answer.pairs, answer.distances, answer.jobs), as_sources(*sides, answer.pairs, places)
    return Clearances(found, tolerance, asked.stats(answer), meshes, rows)
