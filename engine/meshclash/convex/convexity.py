"""Find which meshes are convex solids, and their corners; both results are cached with the mesh."""

from typing import Any

import numpy as np

from ..types.mesh import TriangleMesh

_CONVEX = 1e-12  # of the size: how far a convex mesh may be dented


def convex_points(mesh: Any) -> np.ndarray | None:
    """Return the points that the triangles of a convex solid use, (n, 3) float64 [m]; None for other meshes."""
    return used_points(mesh) if mesh.is_closed and is_convex(mesh) else None


def used_points(mesh: TriangleMesh) -> np.ndarray:
    """Return the vertices that triangles use, (n, 3) float64 [m]; cached with the mesh."""
    if "used points" not in mesh.derived:
        mesh.derived["used points"] = mesh.vertices[np.unique(mesh.triangles)]
    return mesh.derived["used points"]


def is_convex(mesh: TriangleMesh) -> bool:
    """Return whether a closed mesh is certainly convex: one component, no dents at its edges and no faces without area.

    A surface that winds around its centre twice, such as a pyramid over a pentagram, has no dents either, so this case
    is tested, too.
    """
    if "convex" not in mesh.derived:
        mesh.derived["convex"] = _find_convex(mesh)
    return mesh.derived["convex"]


def _find_convex(mesh: TriangleMesh) -> bool:
    if mesh.topology.component_count != 1:
        return False
    points, triangles = mesh.vertices, mesh.topology.welded[mesh.triangles]
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    opposite = np.concatenate([triangles[:, 2], triangles[:, 0], triangles[:, 1]])
    faces = np.tile(np.arange(len(triangles)), 3)
    order = np.lexsort((edges.max(axis=1), edges.min(axis=1)))
    first, second = order[0::2], order[1::2]
    if not np.array_equal(np.sort(edges[first], axis=1), np.sort(edges[second], axis=1)):
        return False
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    if not lengths.all():
        return False
    normals /= lengths[:, None]
    heights = ((points[opposite[second]] - points[edges[first, 0]]) * normals[faces[first]]).sum(axis=1)
    rounding = _CONVEX * float(np.ptp(mesh.bounds, axis=0).max())
    dentless = bool((heights <= rounding).all() or (heights >= -rounding).all())
    return dentless and _goes_round_once(corners)


def _goes_round_once(corners: np.ndarray) -> bool:
    """Return whether the centre of a closed surface (n, 3, 3) sees all triangles from one side, and each direction
    once.

    The signed solid angles of the triangles then have one sign and add up to 4 pi (van Oosterom, Strackee 1983).
    """
    p, q, r = np.moveaxis(corners - corners.mean(axis=(0, 1)), 1, 0)
    volumes = (p * np.cross(q, r)).sum(axis=1)
    if not ((volumes > 0.0).all() or (volumes < 0.0).all()):
        return False
    lengths = [np.linalg.norm(side, axis=1) for side in (p, q, r)]
    rest = lengths[0] * lengths[1] * lengths[2]
    for k, (u, v) in enumerate(((q, r), (r, p), (p, q))):
        rest += (u * v).sum(axis=1) * lengths[k]
    return float(2.0 * np.arctan2(np.abs(volumes), rest).sum()) < 6.0 * np.pi
