"""``Solid``: the solid that a mesh bounds: its components, their orientation, and whether they may overlap.

A closed mesh bounds the solid of all points with nonzero winding number. So overlapping components are united, a
component of opposite orientation inside another component is a cavity, and a mesh that is inside out as a whole is
still a solid.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..hierarchy.bvh import Hierarchy
from ..jit import kernel
from ..types.mesh import TriangleMesh
from .layers import component_volumes, has_layers

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
    if "solid" not in mesh.derived:
        mesh.derived["solid"] = _make_solid(mesh)
    return mesh.derived["solid"]


def _make_solid(mesh: TriangleMesh) -> Solid:
    topology = mesh.topology
    representatives = _largest_triangles(mesh, topology.component, topology.component_count)
    volumes = component_volumes(mesh)
    inside = np.where(volumes < 0.0, -1, 1).astype(np.int8)
    alone = _alone(mesh, topology.component, topology.component_count)
    closed = mesh.is_closed and not has_layers(mesh, volumes)
    return Solid(closed, topology.orientation, topology.component, inside, alone, representatives)


def doubled_areas(mesh: TriangleMesh, unit: float) -> np.ndarray:
    """Return twice the area of each triangle, (m,), in squares of ``unit`` [m], about the largest coordinate."""
    squares = np.empty(mesh.triangle_count)
    _doubled_areas(*mesh.arrays, unit, squares)
    return np.sqrt(squares, out=squares)


def _largest_triangles(mesh: TriangleMesh, component: np.ndarray, count: int) -> np.ndarray:
    """Return the triangle with the largest area of each component, (c,) int32."""
    areas = np.empty(len(component))
    _doubled_areas(*mesh.arrays, float(np.abs(mesh.bounds).max()) or 1.0, areas)
    largest = np.full(count, -1.0)
    np.maximum.at(largest, component, areas)
    candidates = np.flatnonzero(areas == largest[component])
    result = np.empty(count, np.int32)
    result[component[candidates[::-1]]] = candidates[::-1]  # reversed, so that the first one is written last and kept
    return result


@kernel
def _mark_meeting(boxes, order, axis, most, alone):
    """Clear ``alone`` (n,) for each of the boxes (n, 6) that meets another box; return False after more than ``most``
    comparisons.
    """
    looked_at = 0
    for i in range(len(order)):
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
            return False
    return True


def _alone(mesh: TriangleMesh, component: np.ndarray, count: int) -> np.ndarray:
    """Return for each component whether its box meets no other box, (count,) bool; all False if there are too many
    components to compare.
    """
    alone = np.ones(count, np.bool_)
    vertices, triangles = mesh.arrays
    boxes = np.hstack([np.full((count, 3), np.inf), np.full((count, 3), -np.inf)])
    if count > 1:
        corners = vertices[triangles]
        np.minimum.at(boxes[:, :3], component, corners.min(axis=1))
        np.maximum.at(boxes[:, 3:], component, corners.max(axis=1))
    middles = 0.5 * boxes[:, :3] + 0.5 * boxes[:, 3:] if count > 1 else np.zeros((count, 3))
    axis = int(np.argmax(middles.std(axis=0)))
    order = np.argsort(boxes[:, axis], kind="stable")
    if not _mark_meeting(boxes, order, axis, _MOST_COMPARED, alone):
        alone[:] = False
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
    if "solids" not in hierarchy.mesh.derived:
        hierarchy.mesh.derived["solids"] = gather_solids([hierarchy])
    return hierarchy.mesh.derived["solids"]
