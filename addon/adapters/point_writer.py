"""Add scans to the scene, and write values to points of existing scans."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from meshclash.clash.errors import DetectError
from meshclash.messages import Sentence

from .point_reader import NORMAL, PointData, point_count

ORIGIN = "meshclash_origin"
"""Custom property of scenes and objects: world coordinates of the scene's origin, in metres and float64."""


def new_scan(
    name: str, points: np.ndarray, normals: np.ndarray | None, collection: bpy.types.Collection, as_mesh: bool
) -> bpy.types.Object:
    """Add an object with points to a collection.

    Args:
        name: name of the object and its data.
        points: (n, 3) float32, Blender units.
        normals: (n, 3) float32, or None.
        collection: collection for the object.
        as_mesh: make a mesh without faces. Blender versions before 5.1 have no other way to create points.
    """
    data = _new_mesh(name, len(points)) if as_mesh or not can_make_point_clouds() else _new_cloud(name, len(points))
    _write(data, "position", "FLOAT_VECTOR", "vector", points)
    if normals is not None:
        _write(data, NORMAL, "FLOAT_VECTOR", "vector", normals)
    if isinstance(data, bpy.types.Mesh):
        data.update()
    item = bpy.data.objects.new(name, data)
    collection.objects.link(item)
    return item


def can_make_point_clouds() -> bool:
    """Return whether Python can create the points of a POINTCLOUD (Blender 5.1 and later)."""
    return "resize" in bpy.types.PointCloud.bl_rna.functions


def write_values(data: PointData, name: str, values: np.ndarray) -> None:
    """Write one number per point to a FLOAT attribute of points.

    Raises:
        DetectError: another type of attribute has this name, or the number of points has changed.
    """
    if len(values) != point_count(data):
        raise DetectError(
            Sentence(
                "'{name}' has {points} points, but {values} values were measured",
                name=data.name,
                points=f"{point_count(data):,}",
                values=f"{len(values):,}",
            )
        )
    attribute = data.attributes.get(name)
    if attribute is not None and not is_values(attribute):
        raise DetectError(
            Sentence(
                "'{mesh}' already has an attribute called '{name}' with other data: choose another name",
                mesh=data.name,
                name=name,
            )
        )
    _write(data, name, "FLOAT", "value", values)
    if isinstance(data, bpy.types.Mesh):
        data.update()
    else:
        data.update_tag()


def remove_values(data: PointData, name: str) -> bool:
    """Remove the FLOAT attribute of points; return whether there was one."""
    attribute = data.attributes.get(name)
    if attribute is None or not is_values(attribute):
        return False
    data.attributes.remove(attribute)
    data.update_tag()
    return True


def is_values(attribute: bpy.types.Attribute) -> bool:
    """Return whether an attribute contains one number per point."""
    return attribute.data_type == "FLOAT" and attribute.domain == "POINT"


def stored_origin(owner: bpy.types.ID) -> np.ndarray | None:
    """Return the origin (3,) float64 [m] stored in a scene or an object, or None."""
    value = owner.get(ORIGIN)
    return None if value is None or len(value) != 3 else np.array(list(value), dtype=np.float64)


def store_origin(owner: bpy.types.ID, origin: Iterable[float]) -> None:
    """Store an origin [m] in a scene or an object; Blender saves it in double precision."""
    owner[ORIGIN] = [float(value) for value in origin]


def _new_mesh(name: str, count: int) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(count)
    return mesh


def _new_cloud(name: str, count: int) -> bpy.types.PointCloud:
    cloud = bpy.data.pointclouds.new(name)
    cloud.resize(count)
    return cloud


def _write(data: PointData, name: str, data_type: str, member: str, values: np.ndarray) -> None:
    attribute = data.attributes.get(name) or data.attributes.new(name, data_type, "POINT")
    attribute.data.foreach_set(member, np.ascontiguousarray(values, dtype=np.float32).ravel())
