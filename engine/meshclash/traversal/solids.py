"""``Solid``: the solid that a mesh bounds: its components, their orientation, and whether they may overlap.

A closed mesh bounds the solid of all points with nonzero winding number. So overlapping components are united, a
component of opposite orientation inside another component is a cavity, and a mesh that is inside out as a whole is
still a solid.
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

import numpy as np

from ..hierarchy.bvh import Hierarchy
from ..jit import kernel
from ..types.mesh import TriangleMesh
from ..types.steps import run
from .layers import component_volumes, has_layers

_AT_ONCE = 1 << 22  # comparisons: some ten milliseconds
_MOST_COMPARED = 1 << 26  # pairs of components: some hundred milliseconds; beyond it, queries are slower


class Solid(NamedTuple):
    """The solid of a mesh with m triangles and c components."""

    closed: bool
    """Whether the mesh bounds a solid: it is closed, and no part of it is two-sided."""
    orientation: np.ndarray
    """(m,) int8: the factor 1 or -1 that makes the orientation of each component consistent."""
    component: np.ndarray
    """(m,) int32."""
    inside: np.ndarray
    """Winding number inside each component, without the other components, (c,) int8: 1, or -1 if the component is
    inside out."""
    alone: np.ndarray
    """Whether a component's box meets no other component's box, (c,) bool."""
    representatives: np.ndarray
    """A triangle of each component, one of the largest area, (c,) int32."""


class Solids(NamedTuple):
    """The solids of the trees of a forest, concatenated in the same order."""

    closed: np.ndarray
    """(trees,) bool."""
    orientation: np.ndarray
    component: np.ndarray
    inside: np.ndarray
    alone: np.ndarray
    representatives: np.ndarray
    component_start: np.ndarray
    """First component of each tree, (trees + 1,) int64."""


@kernel
def _doubled_areas(vertices, triangles, unit, areas):
    """Fill the square of twice the area of each triangle, with lengths divided by ``unit`` to avoid overflow."""
    for t in range(triangles.shape[0]):
        i = triangles[t, 0]
        j = triangles[t, 1]
        k = triangles[t, 2]
        ux = (vertices[j, 0] - vertices[i, 0]) / unit
        uy = (vertices[j, 1] - vertices[i, 1]) / unit
        uz = (vertices[j, 2] - vertices[i, 2]) / unit
        vx = (vertices[k, 0] - vertices[i, 0]) / unit
        vy = (vertices[k, 1] - vertices[i, 1]) / unit
        vz = (vertices[k, 2] - vertices[i, 2]) / unit
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        areas[t] = nx * nx + ny * ny + nz * nz


def solid_of(mesh: TriangleMesh) -> Solid:
    """Return the solid of a mesh; cached with the mesh."""
    return run(solid_steps(mesh))


def solid_steps(mesh: TriangleMesh) -> Generator[None, None, Solid]:
    """Do the same as ``solid_of`` in a generator that yields several times."""
    if "solid" not in mesh.derived:
        yield from mesh.topology_steps()
        topology = mesh.topology
        representatives = _largest_triangles(mesh, topology.component, topology.component_count)
        yield
        volumes = component_volumes(mesh)
        inside = np.where(volumes < 0.0, -1, 1).astype(np.int8)
        yield
        alone = yield from _alone_steps(mesh, topology.component, topology.component_count)
        closed = mesh.is_closed and not has_layers(mesh, volumes)
        made = Solid(closed, topology.orientation, topology.component, inside, alone, representatives)
        mesh.derived["solid"] = made
    return mesh.derived["solid"]


def doubled_areas(mesh: TriangleMesh, unit: float) -> np.ndarray:
    """Return twice the area of each triangle, (m,), in squares of ``unit`` [m], about the largest coordinate."""
    squares = np.empty(mesh.triangle_count)
    _doubled_areas(*mesh.arrays, unit, squares)
    return np.sqrt(squares, out=squares)


def _largest_triangles(mesh: TriangleMesh, component: np.ndarray, count: int) -> np.ndarray:
    """Return the triangle with the largest area of each component, (c,) int32."""
    areas = np.empty(len(component))
    _doubled_areas(*mesh.arrays, float(np.abs(mesh.bounds).max()) or 1.0, areas)
    result = np.full(count, -1, np.int32)
    _keep_largest(areas, component, result)
    return result


@kernel
def _keep_largest(areas, component, result):
    """Fill ``result`` (c,), -1 before, with the first triangle of the largest area of each component."""
    for t in range(areas.shape[0]):
        known = result[component[t]]
        if known < 0 or areas[t] > areas[known]:
            result[component[t]] = t


@kernel
def _extend_boxes(vertices, triangles, component, boxes):
    """Extend the boxes (c, 6) of components by their triangles."""
    for t in range(triangles.shape[0]):
        c = component[t]
        for corner in range(3):
            for k in range(3):
                x = vertices[triangles[t, corner], k]
                boxes[c, k] = min(boxes[c, k], x)
                boxes[c, k + 3] = max(boxes[c, k + 3], x)


@kernel
def _mark_meeting(boxes, order, axis, begin, most, alone):
    """Clear ``alone`` (n,) for each of the boxes (n, 6) from ``begin`` on that meets another box.

    Returns after more than ``most`` comparisons: the place in ``order`` where to go on, and the comparisons.
    """
    looked_at = 0
    for i in range(begin, len(order)):
        a = order[i]
        for j in range(i + 1, len(order)):
            b = order[j]
            if boxes[b, axis] > boxes[a, axis + 3]:
                break
            looked_at += 1
            if alone[a] or alone[b]:
                meet = True
                for k in range(3):
                    meet &= boxes[a, k] <= boxes[b, k + 3] and boxes[b, k] <= boxes[a, k + 3]
                if meet:
                    alone[a] = alone[b] = False
        if looked_at > most:
            return i + 1, looked_at
    return len(order), looked_at


def _alone_steps(mesh: TriangleMesh, component: np.ndarray, count: int) -> Generator[None, None, np.ndarray]:
    """Return for each component whether its box meets no other box, (count,) bool; all False if there are too many
    components to compare.
    """
    alone = np.ones(count, np.bool_)
    if count == 1:
        return alone
    boxes = np.empty((count, 6))
    boxes[:, :3], boxes[:, 3:] = np.inf, -np.inf
    _extend_boxes(*mesh.arrays, component, boxes)
    yield
    axis = int(np.argmax((0.5 * boxes[:, :3] + 0.5 * boxes[:, 3:]).std(axis=0)))
    order = np.argsort(boxes[:, axis], kind="stable")
    yield
    begin, compared = 0, 0
    while begin < count:
        begin, more = _mark_meeting(boxes, order, axis, begin, _AT_ONCE, alone)
        compared += more
        if compared > _MOST_COMPARED:
            alone[:] = False
            break
        yield
    return alone


def gather_solids(hierarchies: Sequence[Hierarchy]) -> Solids:
    """Return the solids of many hierarchies, in the same order as in ``pack_trees``."""
    solids = [solid_of(h.mesh) for h in hierarchies]
    return Solids(
        np.array([s.closed for s in solids], np.bool_),
        np.concatenate([s.orientation for s in solids]),
        np.concatenate([s.component for s in solids]),
        np.concatenate([s.inside for s in solids]),
        np.concatenate([s.alone for s in solids]),
        np.concatenate([s.representatives for s in solids]),
        np.cumsum([0, *(len(s.inside) for s in solids)]).astype(np.int64),
    )


def kept_solids(hierarchy: Hierarchy) -> Solids:
    """Return ``gather_solids`` of a single hierarchy; cached with its mesh."""
    return run(kept_solids_steps(hierarchy))


def kept_solids_steps(hierarchy: Hierarchy) -> Generator[None, None, Solids]:
    """Do the same as ``kept_solids`` in a generator that yields several times."""
    if "solids" not in hierarchy.mesh.derived:
        yield from solid_steps(hierarchy.mesh)
        hierarchy.mesh.derived["solids"] = gather_solids([hierarchy])
    return hierarchy.mesh.derived["solids"]
