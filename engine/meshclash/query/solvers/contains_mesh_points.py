"""``contains``: which points lie in the solid that a mesh bounds, or means."""

from collections.abc import Generator

import numpy as np

from ...solid.field import EXACT_SIDE, ON, WINDING_SIDE, measure_field
from ..operands import intended_tree, is_inside
from ..table import Request


def solve(asked: Request) -> Generator[float, None, np.ndarray]:
    """Which points do, (n,) bool."""
    yield 0.0
    (mesh, world), rows, threads = asked.things, asked.rows[0][0], asked.options.threads
    tree, meant = intended_tree(mesh)
    if not meant.solidity.closed:
        return is_inside(measure_field(tree, rows, world, WINDING_SIDE, threads))
    field = measure_field(tree, rows, world, EXACT_SIDE, threads)
    return is_inside(field) | (field.states == ON)
