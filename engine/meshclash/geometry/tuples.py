"""Vectors as tuples of three numbers: what kernels do with them, one rounding an operation."""

from ..jit import inner


@inner
def minus(a, b):
    """The vector from b to a."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def dot(a, b):
    """Product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def cross(a, b):
    """The vector across two others."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
