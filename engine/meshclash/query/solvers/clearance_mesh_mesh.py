"""``clearance`` of two meshes by their hierarchies: all pairs of triangles within a tolerance."""

from collections.abc import Generator

from ...traversal.question import Goal
from ..operands import answered
from ..results import Clearances
from ..table import Request


def solve(asked: Request) -> Generator[float, None, Clearances]:
    """All pairs within the tolerance."""
    rows, tolerance = asked.every_row, asked.options.tolerance
    answer, meshes = yield from answered(asked, rows, goal=Goal.WITHIN, tolerance=tolerance)
    found = answer.pairs, answer.distances, answer.jobs
    return Clearances(found, tolerance, asked.stats(answer), meshes, rows)
