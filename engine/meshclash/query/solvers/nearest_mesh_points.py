"""``nearest``: the nearest triangles of one mesh."""

from collections.abc import Generator

import numpy as np

from ...hierarchy.build import as_boxes
from ...solid.field import EXACT_SIDE, ON, WINDING_SIDE, measure_field
from ...traversal.forest import pack_trees
from ...traversal.nearest_triangles import NearestFinder
from ..nearest_points import NearestPoints
from ..sides import is_inside, meant_boxes, mesh_of
from ..table import Asked


def solve(asked: Asked) -> Generator[float, None, NearestPoints]:
    """NearestPoints, with signs where these are asked for."""
    yield 0.0
    (mesh, world), rows, options = asked.things, asked.rows[0][0], asked.options
    count, signed = options.detail
    tree = as_boxes(mesh)
    meant = meant_boxes(mesh) if signed else None  # refuses before anything is measured
    finder = NearestFinder(pack_trees([tree]), rows)
    found = yield from finder.steps(world, count, options.upper_limit, options.threads)
    distances, points = found.distances, found.points
    if meant is not None:
        boxes, means = meant
        closed = means.solidity.closed
        field = measure_field(boxes, rows, world, EXACT_SIDE if closed else WINDING_SIDE, options.threads)
        within = np.isfinite(distances)
        if closed:  # exact: 0 on the surface and nowhere else
            distances[within] = np.maximum(distances[within], 2.0**-1022)
            on = field.states == ON
            distances[on, 0] = np.where(within[on, 0], 0.0, distances[on, 0])
        inside = is_inside(field)
        distances[inside] = -distances[inside]
    shape = (len(world),) if count == 1 else (len(world), count)
    surface = mesh_of(mesh, None), rows
    return NearestPoints(distances.reshape(shape), points.reshape((*shape, 3)), found.triangles.reshape(shape), surface)
