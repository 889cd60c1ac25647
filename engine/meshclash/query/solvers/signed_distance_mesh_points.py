"""``signed_distance``: points against the solid that a mesh bounds, or means."""

from collections.abc import Generator

import numpy as np

from ...solid.field import EXACT_SIDE, NEAREST, WINDING_SIDE, measure_field
from ...solid.solidity import certainties
from ..results import SignedDistance
from ..sides import is_inside, meant_boxes, mesh_of
from ..table import Asked


def solve(asked: Asked) -> Generator[float, None, SignedDistance]:
    """Signed distances, nearest points and certainties."""
    yield 0.0
    (mesh, world), rows = asked.things, asked.rows[0][0]
    tree, meant = meant_boxes(mesh)
    closed = meant.solidity.closed
    field = measure_field(tree, rows, world, NEAREST | (EXACT_SIDE if closed else WINDING_SIDE), asked.options.threads)
    distance = np.where(is_inside(field), -field.distances, field.distances)
    certainty = np.ones(len(world)) if closed else certainties(meant, field, rows)
    certainty = np.minimum(certainty, meant.solidity.certainty)
    return SignedDistance(
        distance, field.points, meant.repair.sources[field.triangles], certainty, world, (mesh_of(mesh, None), rows)
    )
