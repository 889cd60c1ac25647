"""What reproduces the founding papers or compares methods, and no detection needs."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
