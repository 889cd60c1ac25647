"""``self_clearance`` and ``near_features`` find the parts of one mesh that are close to each other."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from ..geometry.triangle_distance import feature_distances
from ..hierarchy.bvh import MeshLike
from ..types.foreign_meshes import ForeignMesh
from ..types.pair_keys import different_pairs
from ..types.pose import PoseLike, matched_poses, transform_points
from ..types.results import Progress
from ..types.steps import in_slices, steps
from .clearance import clearance
from .feature_pairs import FeaturePairs
from .operands import mesh_of
from .results import Clearances

_TOGETHER = 1 << 16
_CORNERS = np.array([(i, j) for i in range(3) for j in range(3)])


@in_slices
def self_clearance(
    mesh: MeshLike | ForeignMesh, tolerance: float, pose: PoseLike = None, *, threads: int | None = None
) -> Generator[Progress, None, Clearances]:
    """Return all pairs of triangles of one mesh that are within a tolerance of each other and do not share a vertex.

    Each pair is listed once, with the lower index first. The distances, the errors and the use of memory are the same
    as for ``clearance``.

    Args:
        mesh: a mesh, or a hierarchy made by ``build``.
        tolerance: [m], 0 or more.
        pose: pose of the mesh: None (identity), a Pose or a rigid (4, 4) matrix.
        threads: maximum number of threads, which does not change the result; None uses all cores.

    Raises:
        InvalidMesh, InvalidPose: the mesh or the pose is invalid.
        UnsupportedOption: a tolerance that is negative or not finite, or a stack of poses.

    Example:
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> len(mc.self_clearance(box, 0.5)), len(mc.self_clearance(box, 1.0)) > 0
        (0, True)
    """
    found = yield from _pairs_steps(mesh, tolerance, pose, threads)
    corners = mesh_of(mesh, None).triangles[found.pairs]
    shared = (corners[:, 0, :, None] == corners[:, 1, None, :]).any(axis=(1, 2))
    return found.chosen(np.flatnonzero(~shared))


@in_slices
def near_features(
    mesh: MeshLike | ForeignMesh, tolerance: float, pose: PoseLike = None, *, threads: int | None = None
) -> Generator[Progress, None, FeaturePairs]:
    """Return all vertex-face pairs and edge-edge pairs of one mesh that are within a tolerance of each other.

    Cloth solvers need these pairs to keep the surfaces apart. A vertex is never paired with a face to which it belongs.
    Two edges are never paired if they share a vertex. If a vertex or an edge does not belong to any triangle, it is
    left out.

    Args:
        mesh, tolerance, pose, threads: as for ``self_clearance``.

    Raises:
        as for ``self_clearance``.

    Example:
        >>> import meshclash as mc
        >>> len(mc.near_features(mc.shapes.box(1.0), 0.5))
        0
    """
    found = yield from _pairs_steps(mesh, tolerance, pose, threads)
    own = mesh_of(mesh, None)
    points = transform_points(matched_poses(pose, None)[0][0], own.vertices)
    faces = own.triangles.astype(np.int64)
    sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, edge_of = np.unique(sides, axis=0, return_inverse=True)
    edge_of = edge_of.reshape(-1, 3)
    near_faces, near_edges = [np.empty((0, 2), np.int64)], [np.empty((0, 2), np.int64)]
    for begin in range(0, len(found), _TOGETHER):
        i, j = found.pairs[begin : begin + _TOGETHER].astype(np.int64).T
        pairs = [np.stack([faces[a][:, k], b], axis=1) for a, b in ((i, j), (j, i)) for k in range(3)]
        near_faces.append(different_pairs(pairs))
        both = edge_of[i][:, _CORNERS[:, 0]], edge_of[j][:, _CORNERS[:, 1]]
        near_edges.append(different_pairs([np.sort(np.stack(both, axis=2).reshape(-1, 2), axis=1)]))
        yield Progress(0.5 + 0.5 * begin / len(found), "comparing vertices and edges")
    vertex_face, edge_edge = map(different_pairs, (near_faces, near_edges))
    vertex_face = vertex_face[(faces[vertex_face[:, 1]] != vertex_face[:, :1]).all(axis=1)]
    ends = edges[edge_edge]
    edge_edge = edge_edge[(ends[:, 0, :, None] != ends[:, 1, None, :]).all(axis=(1, 2))]
    to_faces = feature_distances(points[vertex_face[:, 0]][:, None], points[faces[vertex_face[:, 1]]])
    to_edges = feature_distances(points[edges[edge_edge[:, 0]]], points[edges[edge_edge[:, 1]]])
    near, close = to_faces <= found.tolerance, to_edges <= found.tolerance
    return FeaturePairs(
        vertex_face[near].astype(np.int32), to_faces[near], edge_edge[close].astype(np.int32), to_edges[close],
        edges.astype(np.int32), found.tolerance,
    )  # fmt: skip


def _pairs_steps(mesh: Any, tolerance: float, pose: Any, threads: Any) -> Generator[Progress, None, Clearances]:
    """Return all pairs of different triangles within a tolerance, each once."""
    found = yield from steps(clearance, mesh, mesh, tolerance, pose, pose, threads=threads, device="cpu")
    return found.chosen(np.flatnonzero(found.pairs[:, 0] < found.pairs[:, 1]))
