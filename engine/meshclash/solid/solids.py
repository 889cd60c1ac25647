"""Which side of each triangle is material.

A closed mesh is the solid of the points that it winds around (nonzero winding number): components that overlap unite,
a component wound the other way inside another is a cavity, and a mesh that is inside out as a whole is still a solid.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..jit import kernel
from ..traversal.forest import plant
from ..traversal.point import STACK_SIZE, winding
from ..types.mesh import TriangleMesh


class Solid(NamedTuple):
    """Material sides of one mesh of m triangles."""

    closed: bool
    orientation: np.ndarray
    """(m,) int8: 1 or -1, makes the winding of each component consistent."""
    outward: np.ndarray
    """(m,) int8: times the triangle's normal points out of the material; 0 where both sides are material, or open."""
    component: np.ndarray
    """(m,) int32."""
    representatives: np.ndarray
    """One triangle of each component, (c,) int32."""


class Solids(NamedTuple):
    """Solids of the trees of a forest, laid end to end as the forest is."""

    closed: np.ndarray
    """(trees,) bool."""
    orientation: np.ndarray
    outward: np.ndarray
    component: np.ndarray
    representatives: np.ndarray
    representative_start: np.ndarray
    """(trees + 1,) int64."""


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
def _winding_of_others(forest, pose, inverse, origin, reach, orientation, component, representatives, numbers):
    """Winding number of all other components around a point of each component."""
    stack = np.empty(STACK_SIZE, np.int64)
    for c in range(representatives.shape[0]):
        t = representatives[c]
        x = y = z = 0.0
        for corner in range(3):
            v = forest.triangles[t, corner]
            x += forest.vertices[v, 0] / 3.0
            y += forest.vertices[v, 1] / 3.0
            z += forest.vertices[v, 2] / 3.0
        numbers[c], _ = winding(forest, 0, pose, inverse, origin, reach, orientation, component, c, (x, y, z), stack)


def solid_of(hierarchy: Hierarchy) -> Solid:
    """The material sides of a hierarchy's mesh, kept with the mesh after the first time."""
    mesh = hierarchy.mesh
    if "solid" not in mesh.derived:
        mesh.derived["solid"] = _make_solid(mesh)
    return mesh.derived["solid"]


def _make_solid(mesh: TriangleMesh) -> Solid:
    topology = mesh.topology
    representatives = np.unique(topology.component, return_index=True)[1].astype(np.int32)
    outward = np.zeros(mesh.triangle_count, np.int8)
    if topology.closed:
        volumes = np.zeros(topology.component_count)
        centre = 0.5 * mesh.bounds[0] + 0.5 * mesh.bounds[1]
        _component_volumes(*mesh.arrays, topology.component, topology.orientation, centre, volumes)
        inside = np.where(volumes < 0.0, -1, 1)
        sides = inside.copy()
        if topology.component_count > 1:
            around = _numbers_around(as_hierarchy(mesh), topology.orientation, topology.component, representatives)
            sides[around != 0] = np.where(around + inside == 0, -inside, 0)[around != 0]
        outward = (topology.orientation * sides[topology.component]).astype(np.int8)
    return Solid(topology.closed, topology.orientation, outward, topology.component, representatives)


def _numbers_around(
    hierarchy: Hierarchy, orientation: np.ndarray, component: np.ndarray, representatives: np.ndarray
) -> np.ndarray:
    grove = plant([hierarchy])
    numbers = np.zeros(len(representatives), np.int64)
    _winding_of_others(
        grove.forest, np.eye(4)[:3].copy(), np.eye(3), grove.origins[0], grove.reaches[0], orientation, component,
        representatives, numbers,
    )  # fmt: skip
    return numbers


def gather_solids(hierarchies: Sequence[Hierarchy]) -> Solids:
    """Solids of many hierarchies, in the order in which ``plant`` lays them."""
    solids = [solid_of(h) for h in hierarchies]
    counts = np.cumsum([0, *(len(s.representatives) for s in solids)]).astype(np.int64)
    return Solids(
        np.array([s.closed for s in solids], np.bool_),
        np.concatenate([s.orientation for s in solids]),
        np.concatenate([s.outward for s in solids]),
        np.concatenate([s.component for s in solids]),
        np.concatenate([s.representatives for s in solids]),
        counts,
    )
