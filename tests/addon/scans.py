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
