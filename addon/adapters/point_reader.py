"""Read points as arrays: from POINTCLOUD objects, and from meshes of bare vertices, as importers make them."""

from __future__ import annotations

from typing import TypeAlias

import bpy
import numpy as np
from meshclash.clash.errors import UnusableObject
from meshclash.clash.frame_scene import SourceCloud

LEAST_POINTS = 8  # fewer points do not sample a surface
DEFAULT_RADIUS = 0.01  # of points without the attribute "radius", Blender units
NORMAL = "normal"  # attribute that holds the normals of a scan

PointData: TypeAlias = bpy.types.Mesh | bpy.types.PointCloud


def is_scan(data: bpy.types.ID | None) -> bool:
    """Return whether data is a scan: a point cloud, or a mesh with vertices but neither edges nor faces."""
    if isinstance(data, bpy.types.PointCloud):
        return point_count(data) >= LEAST_POINTS
    if not isinstance(data, bpy.types.Mesh):
        return False
    return len(data.vertices) >= LEAST_POINTS and not len(data.edges) and not len(data.polygons)


def point_count(data: PointData) -> int:
    """Return the number of points."""
    return len(data.vertices if isinstance(data, bpy.types.Mesh) else data.points)


def read_points(data: PointData, name: str) -> SourceCloud:
    """Copy points out of Blender, and their normals if there is an attribute "normal".

    Args:
        data: evaluated data for which `is_scan` is true.
        name: name of its object, for messages.

    Raises:
        UnusableObject: a coordinate is not finite.
    """
    points = _vectors(data, "position")
    if points is None:
        raise UnusableObject(name, "the point cloud has no positions")
    if not _is_finite(points):
        finite = np.isfinite(points).all(axis=1)
        raise UnusableObject(
            name,
            f"{int((~finite).sum())} of its points have coordinates that are NaN or infinite, the first is point "
            f"{int(np.argmin(finite))}; delete them, or check its modifiers",
        )
    normals = _vectors(data, NORMAL)
    if normals is not None and not (_is_finite(normals) and _has_lengths(normals)):
        normals = None
    return SourceCloud(points, normals, _radius(data))


def _is_finite(values: np.ndarray) -> bool:
    """Return whether all numbers are finite, from their minimum and maximum, without a mask of millions of entries."""
    return bool(np.isfinite(values.min()) and np.isfinite(values.max()))


def _has_lengths(vectors: np.ndarray) -> bool:
    """Return whether no vector (n, 3) is zero; computed by columns, because sums over rows of three are slow."""
    x, y, z = vectors.T
    return bool(((x != 0.0) | (y != 0.0) | (z != 0.0)).all())


def _radius(data: PointData) -> float:
    """Return the radius of the largest ball that Blender draws for a point; vertices are drawn as dots."""
    if isinstance(data, bpy.types.Mesh):
        return 0.0
    attribute = data.attributes.get("radius")
    if attribute is None or attribute.data_type != "FLOAT" or not len(attribute.data):
        return DEFAULT_RADIUS
    radii = np.empty(len(attribute.data), dtype=np.float32)
    attribute.data.foreach_get("value", radii)
    return float(radii.max())


def _vectors(data: PointData, name: str) -> np.ndarray | None:
    """Return a vector attribute of points, (n, 3) float32, or None."""
    attribute = data.attributes.get(name)
    if attribute is None or attribute.data_type != "FLOAT_VECTOR" or attribute.domain != "POINT":
        return None
    flat = np.empty(3 * len(attribute.data), dtype=np.float32)
    attribute.data.foreach_get("vector", flat)
    return flat.reshape(-1, 3)
