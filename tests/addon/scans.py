"""Scans made of shapes whose surface is known, as objects of the open file."""

import bpy
import numpy as np

from addon.adapters import point_writer


def ball(count=4000, radius=1.0, centre=(0.0, 0.0, 0.0)):
    """Points spread evenly on a sphere, (n, 3) float32, and its normals."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, 2.399963 * k
    r = np.sqrt(1.0 - z * z)
    normals = np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)
    return (radius * normals + centre).astype(np.float32), normals.astype(np.float32)


def wall(cells=60, size=3.0):
    """Points of a grid on the square z = 0."""
    line = np.linspace(-size / 2, size / 2, cells)
    x, y = np.meshgrid(line, line)
    return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1).astype(np.float32)


def add_scan(name, points, normals=None, location=(0.0, 0.0, 0.0), as_mesh=True):
    """An object with these points."""
    item = point_writer.new_scan(name, points, normals, bpy.context.scene.collection, as_mesh)
    item.location = location
    return item


def make_points_of(item):
    """Geometry nodes that make a point of every vertex of an object, which has no faces then."""
    nodes = bpy.data.node_groups.new("Points", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        nodes.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    kinds = ("NodeGroupInput", "GeometryNodeMeshToPoints", "NodeGroupOutput")
    first, make, last = (nodes.nodes.new(kind) for kind in kinds)
    nodes.links.new(first.outputs[0], make.inputs["Mesh"])
    nodes.links.new(make.outputs[0], last.inputs[0])
    item.modifiers.new("Points", "NODES").node_group = nodes


def add_ball_of_nodes(name):
    """An object with faces whose modifiers make a scan of it: a ball of radius 1."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=5)
    item = bpy.context.object
    item.name = name
    make_points_of(item)
    return item


def values_of(found):
    """The deviations of all scans of a map."""
    return np.concatenate([scan.values for scan in found.scans])
