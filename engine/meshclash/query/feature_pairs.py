"""``FeaturePairs``: vertices and faces, and edges, of a mesh that are near each other."""

from dataclasses import dataclass

import numpy as np

from ..types.copying import Copyable


@dataclass(frozen=True, eq=False)
class FeaturePairs(Copyable):
    """Pairs of vertices and faces, and of edges, within a tolerance. Made by ``near_features``.

    Attributes:
        vertex_face: A vertex and a triangle, (k, 2) int32, sorted.
        vertex_face_distance: [m], (k,) float64.
        edge_edge: Two edges, rows of ``edges``, the lower one first, (m, 2) int32, sorted.
        edge_edge_distance: [m], (m,) float64.
        edges: All edges of the mesh, each as its two vertices, the lower one first, (e, 2) int32, sorted.
        tolerance: [m].
    """

    vertex_face: np.ndarray
    vertex_face_distance: np.ndarray
    edge_edge: np.ndarray
    edge_edge_distance: np.ndarray
    edges: np.ndarray
    tolerance: float

    def __len__(self) -> int:
        return len(self.vertex_face) + len(self.edge_edge)
