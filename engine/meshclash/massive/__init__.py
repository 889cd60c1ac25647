"""Meshes in files that may be larger than memory: build, open and query them."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
