"""``winding_number``: how often a mesh goes around points."""

from collections.abc import Generator

import numpy as np

from ...hierarchy.build import as_boxes
from ...solid.field import EXACT_SIDE, ON, WINDING, measure_field
from ..table import Request


def solve(asked: Request) -> Generator[float, None, np.ndarray]:
    """Winding numbers, (n,) float64."""
    yield 0.0
    (mesh, world), rows, threads = asked.things, asked.rows[0][0], asked.options.threads
    tree = as_boxes(mesh)
    topology = tree.mesh.topology
    if not topology.closed or (topology.orientation < 0).any():
        return measure_field(tree, rows, world, WINDING, threads).windings
    field = measure_field(tree, rows, world, EXACT_SIDE, threads)
    on = np.flatnonzero(field.states == ON)
    if len(on):
        field.windings[on] = measure_field(tree, rows, world[on], WINDING, threads).windings
    return field.windings
