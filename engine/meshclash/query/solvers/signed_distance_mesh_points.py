"""``signed_distance``: points against the solid that a mesh bounds, or means."""

from collections.abc import Generator

import numpy as np

from ...errors import NotASolid
from ...hierarchy.build import as_boxes
from ...solid.field import EXACT_SIDE, NEAREST, WINDING_SIDE, measure_field
from ...solid.solidity import certainties
from ..operands import intended_tree, is_inside, mesh_of
from ..results import SignedDistance
from ..table import Request


def solve(asked: Request) -> Generator[float, None, SignedDistance]:
    """Distances, signed where that is asked for, nearest points and certainties."""
    yield 0.0
    (mesh, world), rows = asked.things, asked.rows[0][0]
    if not asked.options.detail:
        tree = as_boxes(mesh)
        field = measure_field(tree, rows, world, NEAREST, asked.options.threads)
        surface = mesh_of(mesh, None), rows
        return SignedDistance(field.distances, field.points, field.triangles, np.ones(len(world)), world, surface)
    try:
        tree, meant = intended_tree(mesh)
    except NotASolid as error:
        raise NotASolid(f"{error}; signed=False measures distances without a side") from None
    closed = meant.solidity.closed
    field = measure_field(tree, rows, world, NEAREST | (EXACT_SIDE if closed else WINDING_SIDE), asked.options.threads)
    distance = np.where(is_inside(field), -field.distances, field.distances)
    certainty = np.ones(len(world)) if closed else certainties(meant, field, rows)
    certainty = np.minimum(certainty, meant.solidity.certainty)
    return SignedDistance(
        distance, field.points, meant.repair.sources[field.triangles], certainty, world, (mesh_of(mesh, None), rows)
    )
