"""``FeaturePairs``: vertex-face pairs and edge-edge pairs of a mesh that are close to each other."""

from dataclasses import dataclass

import numpy as np

from ..types.copying import Copyable


@dataclass(frozen=True, eq=False)
class FeaturePairs(Copyable):
    """The vertex-face pairs and edge-edge pairs of a mesh that are within a tolerance. ``near_features`` returns a
    FeaturePairs.

    Attributes:
        vertex_face: A vertex and a triangle, (k, 2) int32, sorted.
        vertex_face_distance: [m], (k,) float64.
        edge_edge: Two edges as rows of ``edges``, the lower row first, (m, 2) int32, sorted.
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
