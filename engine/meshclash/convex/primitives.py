"""Primitives as closed meshes: boxes, and solids of revolution about the z axis, centred at the origin.

Meshes of round primitives lie inside the true solids, or contain them if circumscribed.
"""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..messages import shown
from ..types.mesh import TriangleMesh
from ..types.numbers import float_array, real_number, truth

_LEAST_TOLERANCE = 1e-6  # then a sphere has about five million triangles
_ROUNDING = 1.0 + 1e-12  # exceeds the rounding errors of the corners of circumscribed meshes


def box(sides: float | Sequence[float]) -> TriangleMesh:
    """Return a box of 12 triangles around the origin.

    Args:
        sides: three side lengths [m], or one number for a cube.

    Raises:
        UnsupportedOption: a side is not above 0, or not finite.

    Example:
        >>> import meshclash as mc
        >>> mc.shapes.box((1.0, 2.0, 3.0)).bounds
        array([[-0.5, -1. , -1.5],
               [ 0.5,  1. ,  1.5]])
    """
    array = float_array("sides", sides, UnsupportedOption)
    if array.shape not in ((), (3,)):
        raise UnsupportedOption(f"sides must be three lengths or one, not an array of shape {array.shape}")
    x, y, z = (checked_length("a side", side) for side in np.broadcast_to(array, 3).tolist())
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * (x, y, z)
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return TriangleMesh(corners, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))


def sphere(radius: float, tolerance: float = 0.01, circumscribed: bool = False) -> TriangleMesh:
    """Return a mesh that approximates a sphere. By default, the mesh lies inside the true sphere, with its corners on
    the sphere.

    If an object overlaps the true sphere by less than the tolerance, it may not touch the default mesh, and distances
    to this mesh are too large by at most the tolerance. A circumscribed mesh contains the true sphere. A query with
    this mesh therefore finds every overlap with the true sphere, but it may also find objects that are only within the
    tolerance of the sphere. Distances to a circumscribed mesh are too small by at most the tolerance.

    Args:
        radius: [m].
        tolerance: maximum distance of the mesh from the true surface, inside or, if circumscribed, outside, as a
            fraction of the radius.
        circumscribed: if True, the mesh contains the true sphere.

    Raises:
        UnsupportedOption: a length is not above 0, or the tolerance is not from 1e-6 to 0.5.

    Example:
        >>> import meshclash as mc
        >>> mc.shapes.sphere(1.0, tolerance=0.1).is_closed
        True
    """
    return capsule(radius, 0.0, tolerance, circumscribed)


def capsule(radius: float, length: float, tolerance: float = 0.01, circumscribed: bool = False) -> TriangleMesh:
    """Return a mesh that approximates a capsule: a cylinder with half spheres at both ends. As with ``sphere``, the
    mesh lies inside the true shape or contains it.

    Args:
        radius: [m].
        length: length of the cylinder between the half spheres [m], 0 or greater.
        tolerance, circumscribed: as in ``sphere``, with the same errors.

    Example:
        >>> import meshclash as mc
        >>> mc.shapes.capsule(0.5, 2.0).bounds[1].tolist()
        [0.5, 0.5, 1.5]
    """
    radius, half = checked_length("radius", radius), 0.5 * checked_length("length", length, least=0.0)
    count = _segments(tolerance, circumscribed, twice=True)  # sides around, twice as many as along
    stretch = _stretch(count, circumscribed)  # once along the profile, and once more around
    angles = 0.5 * np.pi * np.linspace(-1.0, 1.0, count // 2 + 1)
    below, above = angles[angles <= 0.0], angles[angles >= 0.0]
    reach = radius * stretch
    heights = np.concatenate([reach * np.sin(below) - half, reach * np.sin(above if half else above[1:]) + half])
    radii = reach * stretch * np.cos(np.concatenate([below, above if half else above[1:]]))
    return _revolved(radii, heights, count)


def cylinder(radius: float, length: float, tolerance: float = 0.01, circumscribed: bool = False) -> TriangleMesh:
    """Return a mesh that approximates a cylinder. The mesh lies inside the true cylinder, or contains it if
    ``circumscribed`` is True.

    The arguments and errors are the same as for ``capsule``, except that the length must be greater than 0.

    Example:
        >>> import meshclash as mc
        >>> mc.shapes.cylinder(0.5, 2.0).is_closed
        True
    """
    radius, length = checked_length("radius", radius), checked_length("length", length)
    count, half = _segments(tolerance, circumscribed), 0.5 * length
    radius *= _stretch(count, circumscribed)
    return _revolved(np.array([0.0, radius, radius, 0.0]), np.array([-half, -half, half, half]), count)


def cone(radius: float, length: float, tolerance: float = 0.01, circumscribed: bool = False) -> TriangleMesh:
    """Return a mesh that approximates a cone. The apex of the cone points up, and the origin lies at half its height.

    The arguments and errors are the same as for ``cylinder``. As with ``cylinder``, the mesh lies inside the true shape
    or contains it.

    Example:
        >>> import meshclash as mc
        >>> mc.shapes.cone(0.5, 2.0).bounds[1].tolist()
        [0.5, 0.5, 1.0]
    """
    radius, length = checked_length("radius", radius), checked_length("length", length)
    count, half = _segments(tolerance, circumscribed), 0.5 * length
    radius *= _stretch(count, circumscribed)
    return _revolved(np.array([0.0, radius, 0.0]), np.array([-half, -half, half]), count)


def plane(size: float) -> TriangleMesh:
    """Return a square in the plane z = 0, which is an open mesh of two triangles. The normals of both triangles point
    up.

    If objects must not enter the space behind this plane, use a large ``box`` instead, whose top lies in the plane.

    Args:
        size: length of the sides [m]; the errors are the same as for ``box``.

    Example:
        >>> import meshclash as mc
        >>> mc.shapes.plane(10.0).is_closed
        False
    """
    side = checked_length("size", size)
    corners = 0.5 * side * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    return TriangleMesh(corners, [[0, 1, 2], [0, 2, 3]])


def checked_length(name: str, value: Any, least: float | None = None) -> float:
    """Return a length after a check that it is above 0, or at least ``least``."""
    number = real_number(value)
    if not math.isfinite(number) or (number <= 0.0 if least is None else number < least):
        wanted = "above 0" if least is None else f"from {least:g} on"
        raise UnsupportedOption(f"{name} must be a finite length {wanted}, not {shown(value)}")
    return number


def _segments(tolerance: Any, circumscribed: bool, twice: bool = False) -> int:
    """Return how many sides a polygon needs for a tolerance, inside or outside; a multiple of four.

    ``twice``: a polygon around and one along share the tolerance.
    """
    value = real_number(tolerance)
    if not _LEAST_TOLERANCE <= value <= 0.5:
        raise UnsupportedOption(f"tolerance must be from {_LEAST_TOLERANCE} to 0.5, not {shown(tolerance)}")
    if truth("circumscribed", circumscribed):
        cosine = (1.0 + value) ** (-0.5 if twice else -1.0)
    else:
        cosine = 1.0 - (0.45 if twice else 1.0) * value
    return max(8, 4 * math.ceil(math.pi / math.acos(cosine) / 4.0))


def _stretch(count: int, circumscribed: bool) -> float:
    """Return the factor by which a polygon must grow to contain the circle through its corners, despite rounding."""
    return _ROUNDING / math.cos(math.pi / count) if circumscribed else 1.0


def _revolved(radii: np.ndarray, heights: np.ndarray, count: int) -> TriangleMesh:
    """Return the solid of revolution of a profile that begins and ends on the z axis, bottom first."""
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
