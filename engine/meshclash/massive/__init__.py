"""Meshes that stay on disk: built, opened and asked without ever being held in memory."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
