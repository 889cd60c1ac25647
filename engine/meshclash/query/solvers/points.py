"""Points against a mesh: containment, signed distances, nearest triangles and winding numbers."""

from collections.abc import Generator

import numpy as np

from ...errors import NotASolid
from ...hierarchy.build import as_boxes
from ...solid.field import EXACT_SIDE, NEAREST, ON, WINDING, WINDING_SIDE, measure_field
from ...solid.solidity import certainties
from ...traversal.forest import pack_trees
from ...traversal.nearest_triangles import NearestFinder
from ..nearest_points import NearestPoints
from ..operands import intended_tree, is_inside, mesh_of
from ..results import SignedDistance
from ..table import Request


def find_contained(request: Request) -> Generator[float, None, np.ndarray]:
    """Implement ``contains``: return which points lie inside the solid that a mesh bounds or approximates, (n,)
    bool.
    """
    yield 0.0
    (mesh, world), rows, threads = request.things, request.rows[0][0], request.options.threads
    tree, meant = intended_tree(mesh)
    if not meant.solidity.closed:
        return is_inside(measure_field(tree, rows, world, WINDING_SIDE, threads))
    field = measure_field(tree, rows, world, EXACT_SIDE, threads)
    return is_inside(field) | (field.states == ON)


def find_signed_distances(request: Request) -> Generator[float, None, SignedDistance]:
    """Implement ``signed_distance``: return distances, signed if ``signed=True``, nearest points and certainties."""
    yield 0.0
    (mesh, world), rows = request.things, request.rows[0][0]
    if not request.options.detail:
        tree = as_boxes(mesh)
        field = measure_field(tree, rows, world, NEAREST, request.options.threads)
        surface = mesh_of(mesh, None), rows
        return SignedDistance(field.distances, field.points, field.triangles, np.ones(len(world)), world, surface)
    try:
        tree, meant = intended_tree(mesh)
    except NotASolid as error:
        raise NotASolid(f"{error}; use signed=False for distances without a sign") from None
    closed = meant.solidity.closed
    field = measure_field(
        tree, rows, world, NEAREST | (EXACT_SIDE if closed else WINDING_SIDE), request.options.threads
    )
    distance = np.where(is_inside(field), -field.distances, field.distances)
    certainty = np.ones(len(world)) if closed else certainties(meant, field, rows)
    certainty = np.minimum(certainty, meant.solidity.certainty)
    return SignedDistance(
        distance, field.points, meant.repair.sources[field.triangles], certainty, world, (mesh_of(mesh, None), rows)
    )


def find_nearest(request: Request) -> Generator[float, None, NearestPoints]:
    """Implement ``nearest``: return the nearest triangles of each point, with signs if ``signed=True``."""
    yield 0.0
    (mesh, world), rows, options = request.things, request.rows[0][0], request.options
    count, signed = options.detail
    tree = as_boxes(mesh)
    meant = intended_tree(mesh) if signed else None  # raises before anything is measured
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


def find_winding_numbers(request: Request) -> Generator[float, None, np.ndarray]:
    """Implement ``winding_number``: return how often the mesh encloses each point, (n,) float64."""
    yield 0.0
    (mesh, world), rows, threads = request.things, request.rows[0][0], request.options.threads
    tree = as_boxes(mesh)
    topology = tree.mesh.topology
    if not topology.closed or (topology.orientation < 0).any():
        return measure_field(tree, rows, world, WINDING, threads).windings
    field = measure_field(tree, rows, world, EXACT_SIDE, threads)
    on = np.flatnonzero(field.states == ON)
    if len(on):
        field.windings[on] = measure_field(tree, rows, world[on], WINDING, threads).windings
    return field.windings
