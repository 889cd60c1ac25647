"""Primitives as meshes, convex hulls, and the features of two hulls that are nearest to each other."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
