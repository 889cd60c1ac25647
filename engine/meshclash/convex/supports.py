"""Convex shapes as arrays for kernels: points or a round solid, and the farthest point along a direction.

A shape is two arrays. ``points`` (n, 3) are the corners of a convex polyhedron, a segment or a point. ``form`` (4,)
contains the type of the shape and three lengths of a round shape. Round solids are centred at the origin, with their
axis along z. A radius around a shape is not included, because it is compared with the distance.
"""

import math

import numpy as np

from ..jit import inner, kernel

POINTS, CYLINDER, CONE, ELLIPSOID = range(4)
"""Kinds of forms. The lengths of a cylinder and of a cone are the radius and half the height; those of an ellipsoid are
its three radii."""
NO_POINTS = np.zeros((1, 0, 3))
POINTS_FORM = np.zeros(4)
"""The form of a shape that consists of its points."""


@inner
def _of_cylinder(radius, half, u):
    across = math.hypot(u[0], u[1])
    z = half if u[2] >= 0.0 else -half
    if across == 0.0:
        return 0.0, 0.0, z
    return radius * (u[0] / across), radius * (u[1] / across), z


@inner
def _of_cone(radius, half, u):
    across = math.hypot(u[0], u[1])
    if u[2] * half >= radius * across - u[2] * half:
        return 0.0, 0.0, half
    if across == 0.0:
        return 0.0, 0.0, -half
    return radius * (u[0] / across), radius * (u[1] / across), -half


@inner
def _of_ellipsoid(a, b, c, u):
    x, y, z = a * u[0], b * u[1], c * u[2]
    largest = max(abs(x), abs(y), abs(z))
    if largest == 0.0:
        return a, 0.0, 0.0
    x, y, z = x / largest, y / largest, z / largest
    length = math.sqrt(x * x + y * y + z * z)
    return a * (x / length), b * (y / length), c * (z / length)


@inner
def farthest_round(form, u):
    """Return the point of a round solid that is farthest along u, in the solid's frame."""
    if form[0] == CYLINDER:
        return _of_cylinder(form[1], form[2], u)
    if form[0] == CONE:
        return _of_cone(form[1], form[2], u)
    return _of_ellipsoid(form[1], form[2], form[3], u)


@inner
def half_extents(form):
    """Return half the sides of a box around a round solid."""
    if form[0] == ELLIPSOID:
        return form[1], form[2], form[3]
    return form[1], form[1], form[2]


@kernel
def farthest_of_round(form, x, y, z):
    """Run ``farthest_round`` from Python."""
    return farthest_round(form, (x, y, z))
