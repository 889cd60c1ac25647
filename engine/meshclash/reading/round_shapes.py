"""Make meshes of boxes, planes and solids of revolution, which enclose the true shape and touch its bounding box."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

SIDES = 64
"""Number of facets around the axis; half as many from pole to pole."""
OUTSIDE = math.cos(math.pi / SIDES) ** -2 - 1.0
"""Upper bound of how far a mesh protrudes from the round shape, as a fraction of its radius: 0.24 %."""

Triangles = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3) float64 and triangles (m, 3) int32, outward."""
_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]], np.int32,
)  # fmt: skip
AXES = "XYZ"


def cube(size: float) -> Triangles:
    """Return a cube around the origin."""
    return size * _CORNERS, _FACES.copy()


def plane(width: float, length: float, axis: str) -> Triangles:
    """Return a rectangle around the origin whose normal is an axis.

    Its width lies along x, or along z if x is the normal. Its length lies along y, or along z if y is the normal.
    """
    along_width, along_length = {"X": (2, 1), "Y": (0, 2), "Z": (0, 1)}[axis]
    vertices = np.zeros((4, 3))
    vertices[:, along_width] = 0.5 * width * np.array([-1.0, 1.0, 1.0, -1.0])
    vertices[:, along_length] = 0.5 * length * np.array([-1.0, -1.0, 1.0, 1.0])
    triangles = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    return vertices, triangles if axis == "Z" else triangles[:, ::-1].copy()


def sphere(radius: float) -> Triangles:
    """Return a sphere around the origin."""
    return capsule(radius, radius, 0.0, "Z")


def cylinder(bottom: float, top: float, height: float, axis: str) -> Triangles:
    """Return a cylinder, a cone (one radius is 0) or a frustum along an axis, around the origin."""
    half = 0.5 * height
    return _turned([(0.0, half), (top, half), (bottom, -half), (0.0, -half)], axis)


def capsule(bottom: float, top: float, height: float, axis: str) -> Triangles:
    """Return a cylinder or frustum with hemispheres at its ends; the height does not include the hemispheres."""
    half = 0.5 * height
    above = [(rho, half + z) for rho, z in _quarter(top)]
    below = [(rho, -half - z) for rho, z in reversed(_quarter(bottom))]
    return _turned([*above, *below], axis)


def _quarter(radius: float) -> list[tuple[float, float]]:
    """Return a polygon around a quarter of a circle, from pole to equator: distances from the axis, and heights."""
    step = 2.0 * math.pi / SIDES
    outer = radius / math.cos(0.5 * step)
    angles = [(k + 0.5) * step for k in range(SIDES // 4)]
    corners = [(min(outer * math.sin(angle), radius), outer * math.cos(angle)) for angle in angles]
    return [(0.0, radius), (corners[0][0], radius), *corners[1:], (radius, 0.0)]


def _turned(profile: Sequence[tuple[float, float]], axis: str) -> Triangles:
    """Return the surface of revolution of a profile, given from the upper pole down; facets touch the true circles."""
    profile = [point for k, point in enumerate(profile) if k == 0 or point != profile[k - 1]]
    angles = (np.arange(SIDES) + 0.5) * (2.0 * math.pi / SIDES)
    around = np.column_stack([np.cos(angles), np.sin(angles)]) / math.cos(math.pi / SIDES)
    rings, vertices, count = [], [], 0
    for rho, z in profile:
        ring = np.column_stack([rho * around, np.full(SIDES, z)]) if rho else np.array([[0.0, 0.0, z]])
        rings.append(count + (np.arange(SIDES) if rho else np.zeros(SIDES, np.int64)))
        vertices.append(ring)
        count += len(ring)
    triangles = []
    for upper, lower in pairwise(rings):
        after_upper, after_lower = np.roll(upper, -1), np.roll(lower, -1)
        if len(np.unique(lower)) > 1:
            triangles.append(np.column_stack([upper, lower, after_lower]))
        if len(np.unique(upper)) > 1:
            triangles.append(np.column_stack([upper, after_lower, after_upper]))
    order = [(AXES.index(axis) + k) % 3 for k in (1, 2, 0)]  # cyclic, so triangles keep their orientation
    points = np.empty((count, 3))
    points[:, order] = np.concatenate(vertices)
    return points, np.concatenate(triangles).astype(np.int32)
