"""Vectors as tuples of three numbers, with the operations that kernels need; each operation rounds once."""

from ..jit import inner


@inner
def minus(a, b):
    """Return the vector from b to a."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def dot(a, b):
    """Return the dot product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def cross(a, b):
    """Return the cross product of two vectors."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
