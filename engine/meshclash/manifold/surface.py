"""The two surfaces of the contacts of one pose: vertices, outward normals, and vertices inside the other solid."""

from typing import NamedTuple, TypeAlias

import numpy as np

from ..errors import UnsupportedOption
from ..query.signed_distance import contains
from ..traversal.contacts import Contacts
from ..types.mesh import TriangleMesh
from ..types.pose import transform_points

Meshes: TypeAlias = tuple[TriangleMesh, TriangleMesh]


class PlacedSurface(NamedTuple):
    """One side of contacts, in world coordinates.

    Attributes:
        vertices: (n, 3) [m].
        triangles: (m, 3) indices of welded vertices.
        outward: (m,) 1.0 if the normal by a triangle's winding points out of the solid, else -1.0.
        inside: (n,) bool, welded vertices inside the other solid; all False if one of the two meshes is open.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    outward: np.ndarray
    inside: np.ndarray

    def normals(self, chosen: np.ndarray) -> np.ndarray:
        """Return outward unit normals (k, 3) of triangles (k,); zero if a triangle has no area."""
        p, q, r = (self.vertices[self.triangles[chosen, k]] for k in range(3))
        across = np.cross(q - p, r - p)
        length = np.linalg.norm(across, axis=1, keepdims=True)
        scaled: np.ndarray = np.divide(across, length, out=np.zeros_like(across), where=length > 0.0)
        return scaled * self.outward[chosen, None]


def meshes_of(contacts: Contacts) -> Meshes:
    """Return the two meshes; raise UnsupportedOption if a side is not a mesh."""
    a, b = contacts.meshes if isinstance(contacts, Contacts) else (None, None)
    if not isinstance(a, TriangleMesh) or not isinstance(b, TriangleMesh):
        raise UnsupportedOption("regions need the contacts of two meshes in memory")
    return a, b


def surfaces(contacts: Contacts, meshes: Meshes, pose: int) -> tuple[PlacedSurface, PlacedSurface]:
    """Return both sides of the contacts in one pose."""
    rows = [side[min(pose, len(side) - 1)] for side in contacts.rows]
    world = [transform_points(row, mesh.vertices) for row, mesh in zip(rows, meshes, strict=True)]
    solids = all(mesh.is_closed for mesh in meshes)
    found = []
    for k in (0, 1):
        inside = _inside(world[k], world[1 - k], meshes[1 - k], rows[1 - k]) if solids else None
        found.append(_surface(meshes[k], world[k], inside))
    return found[0], found[1]


def _inside(points: np.ndarray, others: np.ndarray, other: TriangleMesh, row: np.ndarray) -> np.ndarray:
    """Return which points lie inside another solid."""
    found = ((points >= others.min(axis=0)) & (points <= others.max(axis=0))).all(axis=1)
    near = np.flatnonzero(found)
    if len(near):
        found[near] = contains(other, points[near], row)
    return found


def _surface(mesh: TriangleMesh, world: np.ndarray, inside: np.ndarray | None) -> PlacedSurface:
    topology = mesh.topology
    triangles = topology.welded[mesh.triangles]
    p, q, r = (world[triangles[:, k]] - world[triangles[0, 0]] for k in range(3))
    outward = topology.orientation * np.sign(np.sum(topology.orientation[:, None] * np.cross(p, q) * r) or 1.0)
    return PlacedSurface(world, triangles, outward, np.zeros(len(world), np.bool_) if inside is None else inside)
