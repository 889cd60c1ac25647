"""Exact shapes, primitives as meshes, convex hulls, and the closest features of two hulls."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
