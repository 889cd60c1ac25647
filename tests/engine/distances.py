"""Distances of all pairs of triangles, one by one: what nearness queries are compared with."""

import meshclash as mc
import numpy as np
from meshclash.geometry.triangle_distance import triangle_distance
from meshclash.jit import kernel


@kernel
def fill_distances(a, b, result):
    """Distances of triangles (m, 3, 3) and (n, 3, 3) into (m, n)."""
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            p, q = a[i], b[j]
            result[i, j] = triangle_distance(
                (p[0, 0], p[0, 1], p[0, 2]), (p[1, 0], p[1, 1], p[1, 2]), (p[2, 0], p[2, 1], p[2, 2]),
                (q[0, 0], q[0, 1], q[0, 2]), (q[1, 0], q[1, 1], q[1, 2]), (q[2, 0], q[2, 1], q[2, 2]),
            )  # fmt: skip


def all_distances(a, b, pose=None):
    """Distances (m, n) of all triangles of two meshes, the second in a pose."""
    corners_b = (mc.Pose.identity() if pose is None else mc.Pose.from_matrix(pose)).apply(b.vertices)
    result = np.empty((a.triangle_count, b.triangle_count))
    fill_distances(a.vertices[a.triangles], corners_b[b.triangles], result)
    return result


def extent(a, b):
    return float(max(np.ptp(a.bounds, axis=0).max(), np.ptp(b.bounds, axis=0).max()))
