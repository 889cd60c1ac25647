"""Contact manifolds: points, normals and depths of contacts, for physics and planning."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
