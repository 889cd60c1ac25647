"""Identities of the objects of a detection, by which a later detection recognises renamed objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Hashable

import numpy as np

from .frame_scene import FrameScene, Progress, SourceMesh
from .review.revisions import Identity

READING = Progress(1.0, "Reading objects")
CHUNK = 1 << 17
"""Triangles, or points, of one step: some milliseconds."""


def identity_steps(frame: FrameScene, scale: float) -> Generator[Progress, None, list[Identity]]:
    """Compute the identity of each object and scan of a frame, in slices.

    Args:
        frame: a frame with all meshes and points that its objects refer to.
        scale: metres per scene unit.
    """
    areas: dict[Hashable, float] = {}
    keys = Counter(item.properties.get("GlobalId", "") for item in (*frame.objects, *frame.scans))
    found = []
    for item in (*frame.objects, *frame.scans):
        mesh = frame.meshes.get(item.mesh_key)
        points = frame.clouds[item.mesh_key].points if mesh is None else mesh.vertices
        box = yield from _box_steps(points, item.matrix)
        area = 0.0
        if mesh is not None:
            stretch = _uniform_size(item.matrix)
            if stretch is None:
                area = yield from _area_steps(mesh, item.matrix)
            else:
                if item.mesh_key not in areas:
                    areas[item.mesh_key] = yield from _area_steps(mesh, np.eye(4))
                area = areas[item.mesh_key] * stretch**2
        count = len(points) if mesh is None else mesh.triangle_count
        key = item.properties.get("GlobalId", "")  # one that several have, instances, tells nobody from others
        own = key if keys[key] == 1 or item.models else ""  # of models, several may have it
        size = float(f"{area * scale**2:.9g}")
        name = item.own_name or item.name
        found.append(Identity(item.identity, name, box * scale, count, size, own, item.models))
    return found


def _uniform_size(matrix: np.ndarray) -> float | None:
    """Return the factor by which a matrix scales; None if the factor depends on the direction."""
    squares = matrix[:3, :3].T @ matrix[:3, :3]
    size = float(np.trace(squares)) / 3.0
    return size**0.5 if np.abs(squares - size * np.eye(3)).max() <= 1e-9 * size else None


def _box_steps(points: np.ndarray, matrix: np.ndarray) -> Generator[Progress, None, np.ndarray]:
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for begin in range(0, len(points), CHUNK):
        placed = points[begin : begin + CHUNK] @ matrix[:3, :3].T
        low, high = np.minimum(low, placed.min(axis=0)), np.maximum(high, placed.max(axis=0))
        yield READING
    return np.array([low, high]) + matrix[:3, 3]


def _area_steps(mesh: SourceMesh, matrix: np.ndarray) -> Generator[Progress, None, float]:
    area = 0.0
    for begin in range(0, len(mesh.triangles), CHUNK):
        corners = mesh.vertices[mesh.triangles[begin : begin + CHUNK]] @ matrix[:3, :3].T
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area += 0.5 * float(np.linalg.norm(across, axis=1).sum())
        yield READING
    return area
