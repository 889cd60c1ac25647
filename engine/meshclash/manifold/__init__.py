"""Contact manifolds: points, normals and depths of what is in contact, as physics and planning want them."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
