"""Primitives as closed meshes: boxes, and solids of revolution about the z axis, centred at the origin."""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..messages import shown
from ..types.mesh import TriangleMesh
from ..types.numbers import float_array, real_number

_LEAST_TOLERANCE = 1e-6  # a sphere has some five million triangles then


def box(sides: float | Sequence[float]) -> TriangleMesh:
    """A box of 12 triangles around the origin.

    Args:
        sides: its three sides [m], or one for a cube.

    Raises:
        UnsupportedOption: a side is not above 0, or not finite.
    """
    array = float_array("sides", sides, UnsupportedOption)
    if array.shape not in ((), (3,)):
        raise UnsupportedOption(f"sides must be three lengths or one, not an array of shape {array.shape}")
    x, y, z = (_length("a side", side) for side in np.broadcast_to(array, 3).tolist())
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * (x, y, z)
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return TriangleMesh(corners, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))


def sphere(radius: float, tolerance: float = 0.01) -> TriangleMesh:
    """A sphere, inscribed: no point of the mesh is outside of it.

    Args:
        radius: [m].
        tolerance: how far the mesh may be inside the true surface, as a share of the radius.

    Raises:
        UnsupportedOption: a length is not above 0, or the tolerance not from 1e-6 to 0.5.
    """
    return capsule(radius, 0.0, tolerance)


def capsule(radius: float, length: float, tolerance: float = 0.01) -> TriangleMesh:
    """A cylinder with half spheres at both ends, inscribed.

    Args:
        radius: [m].
        length: of the cylinder between the half spheres [m], from 0 on.
        tolerance: as ``sphere``; raises as that.
    """
    radius, half = _length("radius", radius), 0.5 * _length("length", length, least=0.0)
    count = _segments(tolerance, 0.45)  # nearly half of it around, and half along
    angles = 0.5 * np.pi * np.linspace(-1.0, 1.0, count // 2 + 1)
    below, above = angles[angles <= 0.0], angles[angles >= 0.0]
    heights = np.concatenate([radius * np.sin(below) - half, radius * np.sin(above if half else above[1:]) + half])
    radii = radius * np.cos(np.concatenate([below, above if half else above[1:]]))
    return _revolved(radii, heights, count)


def cylinder(radius: float, length: float, tolerance: float = 0.01) -> TriangleMesh:
    """A cylinder, inscribed; arguments and errors as ``capsule``, with a length above 0."""
    radius, length = _length("radius", radius), _length("length", length)
    half = 0.5 * length
    return _revolved(np.array([0.0, radius, radius, 0.0]), np.array([-half, -half, half, half]), _segments(tolerance))


def cone(radius: float, length: float, tolerance: float = 0.01) -> TriangleMesh:
    """A cone with its apex up, inscribed; its middle height is at the origin. Arguments as ``cylinder``."""
    radius, length = _length("radius", radius), _length("length", length)
    half = 0.5 * length
    return _revolved(np.array([0.0, radius, 0.0]), np.array([-half, -half, half]), _segments(tolerance))


def plane(size: float) -> TriangleMesh:
    """A square sheet in the plane z = 0: an open mesh of two triangles whose normals point up.

    A half-space that nothing can pass is a ``box`` whose top is that plane.

    Args:
        size: its side [m]; raises as ``box``.
    """
    side = _length("size", size)
    corners = 0.5 * side * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    return TriangleMesh(corners, [[0, 1, 2], [0, 2, 3]])


def _length(name: str, value: Any, least: float | None = None) -> float:
    """A length, checked: above 0, or from ``least`` on."""
    number = real_number(value)
    if not math.isfinite(number) or (number <= 0.0 if least is None else number < least):
        wanted = "above 0" if least is None else f"from {least:g} on"
        raise UnsupportedOption(f"{name} must be a finite length {wanted}, not {shown(value)}")
    return number


def _segments(tolerance: Any, share: float = 1.0) -> int:
    """How many sides a polygon in a circle needs to be nowhere farther inside than a share of the radius; by fours."""
    value = real_number(tolerance)
    if not _LEAST_TOLERANCE <= value <= 0.5:
        raise UnsupportedOption(f"tolerance must be from {_LEAST_TOLERANCE} to 0.5, not {shown(tolerance)}")
    return max(8, 4 * math.ceil(math.pi / math.acos(1.0 - share * value) / 4.0))


def _revolved(radii: np.ndarray, heights: np.ndarray, count: int) -> TriangleMesh:
    """The solid of revolution of a profile that begins and ends on the z axis, bottom first."""
    angles = 2.0 * np.pi * np.arange(count) / count
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rings = [np.column_stack([r * circle, np.full(count, z)]) for r, z in zip(radii[1:-1], heights[1:-1], strict=True)]
    ends = np.array([[0.0, 0.0, heights[0]], [0.0, 0.0, heights[-1]]])
    first, following = np.arange(count), np.roll(np.arange(count), -1)
    triangles = [np.column_stack([np.zeros(count, int), 2 + following, 2 + first])]
    for k in range(len(rings) - 1):
        low, high = 2 + count * k, 2 + count * (k + 1)
        triangles.append(np.column_stack([low + first, low + following, high + following]))
        triangles.append(np.column_stack([low + first, high + following, high + first]))
    last = 2 + count * (len(rings) - 1)
    triangles.append(np.column_stack([np.ones(count, int), last + first, last + following]))
    return TriangleMesh(np.concatenate([ends, *rings]), np.concatenate(triangles))
