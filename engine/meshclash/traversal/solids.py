"""What a mesh bounds: its components, their orientation, and whether they may overlap.

A closed mesh is the solid of the points that it winds around (nonzero winding number): components that overlap unite,
a component wound the other way inside another is a cavity, and a mesh that is inside out as a whole is still a solid.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..broadphase.sweep import overlapping_pairs
from ..hierarchy.bvh import Hierarchy
from ..jit import kernel
from ..types.mesh import TriangleMesh


class Solid(NamedTuple):
    """What one mesh of m triangles and c components bounds."""

    closed: bool
    orientation: np.ndarray
    """(m,) int8: 1 or -1, makes the winding of each component consistent."""
    component: np.ndarray
    """(m,) int32."""
    inside: np.ndarray
    """Winding number inside each component by itself, (c,) int8: 1, or -1 when it is inside out."""
    alone: np.ndarray
    """Whether a component's box meets no other component's, (c,) bool."""
    representatives: np.ndarray
    """A triangle of each component, one of the largest area, (c,) int32."""


class Solids(NamedTuple):
    """Solids of the trees of a forest, laid end to end as the forest is."""

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
def _component_volumes(vertices, triangles, component, orientation, centre, volumes):
    """Six times the signed volume of each component, seen from ``centre``."""
    for t in range(triangles.shape[0]):
        i = triangles[t, 0]
        j = triangles[t, 1]
        k = triangles[t, 2]
        ax = vertices[i, 0] - centre[0]
        ay = vertices[i, 1] - centre[1]
        az = vertices[i, 2] - centre[2]
        bx = vertices[j, 0] - centre[0]
        by = vertices[j, 1] - centre[1]
        bz = vertices[j, 2] - centre[2]
        cx = vertices[k, 0] - centre[0]
        cy = vertices[k, 1] - centre[1]
        cz = vertices[k, 2] - centre[2]
        six = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        volumes[component[t]] += six * orientation[t]


@kernel
def _doubled_areas(vertices, triangles, unit, areas):
    """Twice the area of each triangle, squared, in units in which no coordinate is beyond 1."""
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
    """The material sides of a mesh, kept with it after the first time."""
    if "solid" not in mesh.derived:
        mesh.derived["solid"] = _make_solid(mesh)
    return mesh.derived["solid"]


def _make_solid(mesh: TriangleMesh) -> Solid:
    topology = mesh.topology
    representatives = _largest_triangles(mesh, topology.component, topology.component_count)
    inside = np.where(component_volumes(mesh) < 0.0, -1, 1).astype(np.int8)
    alone = _alone(mesh, topology.component, topology.component_count)
    return Solid(mesh.is_closed, topology.orientation, topology.component, inside, alone, representatives)


def component_volumes(mesh: TriangleMesh) -> np.ndarray:
    """Six times the signed volume of each component, consistently wound, (c,) float64."""
    topology = mesh.topology
    volumes = np.zeros(topology.component_count)
    centre = 0.5 * mesh.bounds[0] + 0.5 * mesh.bounds[1]
    _component_volumes(*mesh.arrays, topology.component, topology.orientation, centre, volumes)
    return volumes


def _largest_triangles(mesh: TriangleMesh, component: np.ndarray, count: int) -> np.ndarray:
    """The triangle of the largest area of each component, (c,) int32: one with area, where there is one."""
    areas = np.empty(len(component))
    _doubled_areas(*mesh.arrays, float(np.abs(mesh.bounds).max()) or 1.0, areas)
    largest = np.full(count, -1.0)
    np.maximum.at(largest, component, areas)
    candidates = np.flatnonzero(areas == largest[component])
    result = np.empty(count, np.int32)
    result[component[candidates[::-1]]] = candidates[::-1]  # the first of them is written last
    return result


def _alone(mesh: TriangleMesh, component: np.ndarray, count: int) -> np.ndarray:
    """Which components' boxes meet no other's, (count,) bool."""
    alone = np.ones(count, np.bool_)
    if count > 1:
        vertices, triangles = mesh.arrays
        corners = vertices[triangles]
        boxes = np.hstack([np.full((count, 3), np.inf), np.full((count, 3), -np.inf)])
        np.minimum.at(boxes[:, :3], component, corners.min(axis=1))
        np.maximum.at(boxes[:, 3:], component, corners.max(axis=1))
        everyone = np.ones(count, np.bool_)
        alone[overlapping_pairs(boxes, everyone, everyone).ravel()] = False
    return alone


def gather_solids(hierarchies: Sequence[Hierarchy]) -> Solids:
    """Solids of many hierarchies, in the order in which ``pack_trees`` lays them."""
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
    """``gather_solids`` of a single hierarchy, kept with its mesh."""
    if "solids" not in hierarchy.mesh.derived:
        hierarchy.mesh.derived["solids"] = gather_solids([hierarchy])
    return hierarchy.mesh.derived["solids"]
