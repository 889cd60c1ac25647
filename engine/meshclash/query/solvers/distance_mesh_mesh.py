"""``distance`` of two meshes by their hierarchies: the nearest pair of triangles in each pose."""

from collections.abc import Generator

import numpy as np

from ...traversal.question import Goal
from ..operands import answered, mesh_of
from ..results import Distance, distance_of, known_pairs
from ..table import Request


def solve(asked: Request) -> Generator[float, None, Distance]:
    """The distance, from the pairs of ``start`` on."""
    options, rows = asked.options, asked.every_row
    sizes = [mesh_of(thing, options.volume).triangle_count for thing in asked.things]
    known = known_pairs(options.start, sizes, len(rows[0]))
    start = np.full((len(rows[0]), 2), -1, np.int32)
    start[: len(known)] = np.reshape(known, (-1, 2))
    names = "relative_error", "absolute_error", "upper_limit", "lower_limit"
    errors = {name: getattr(options, name) for name in names}
    answer, meshes = yield from answered(asked, rows, goal=Goal.NEAREST, start=start, **errors)
    return distance_of(answer, asked, (meshes, rows))
