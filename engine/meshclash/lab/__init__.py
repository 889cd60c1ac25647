"""Code that reproduces papers or compares methods; detection does not need it."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
